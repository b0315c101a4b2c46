package main

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/pflag"

	"github.com/inference-sim/blis-warehouse/migrations"
	"github.com/inference-sim/blis-warehouse/store"
)

func versionCommand() command {
	return command{
		name:    "version",
		summary: "print the versions of the program and of what it is made of",
		help: `Prints the program's version, the commit it was built from if the build knows
it, and the versions of Go, of SQLite and of the database schema it works with.
With --format it prints the same as one row.

Examples:
  blis-warehouse version
  blis-warehouse version --format json`,
		setup: setupVersion,
	}
}

func setupVersion(fs *pflag.FlagSet) runFunc {
	out := rowFlags(fs, "table")
	return func(_ context.Context, env *environment, _ []string) error {
		info, _ := debug.ReadBuildInfo()
		v := versionsOf(info)
		if !fs.Changed("format") && !fs.Changed("output") {
			return printText(env.stdout, v.text())
		}
		return out.print(env, "", []string{"version", "commit", "modified", "go", "sqlite", "schema"}, rowsOf([][]any{v.row()}))
	}
}

// versions are what a bug report needs.
type versions struct {
	program  string // the module's version, "(devel)" for a plain build
	commit   string // empty when the build does not know it
	modified bool   // the commit was built with changes
}

// versionsOf reads the build's information, which may be nil.
func versionsOf(info *debug.BuildInfo) versions {
	v := versions{program: "(devel)"}
	if info == nil {
		return v
	}
	if info.Main.Version != "" {
		v.program = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.commit = s.Value
		case "vcs.modified":
			v.modified = s.Value == "true"
		}
	}
	return v
}

func (v versions) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "blis-warehouse %s\n", v.program)
	if v.commit != "" {
		fmt.Fprintf(&b, "commit         %s", v.commit)
		if v.modified {
			b.WriteString(" with changes")
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "go             %s\n", strings.TrimPrefix(runtime.Version(), "go"))
	fmt.Fprintf(&b, "sqlite         %s\n", store.SQLiteVersion)
	fmt.Fprintf(&b, "schema         %d\n", migrations.Latest())
	return b.String()
}

// row is v as a row; the commit and whether it was modified are NULL when the
// build does not know them.
func (v versions) row() []any {
	var commit, modified any
	if v.commit != "" {
		commit, modified = v.commit, int64(0)
		if v.modified {
			modified = int64(1)
		}
	}
	return []any{v.program, commit, modified, strings.TrimPrefix(runtime.Version(), "go"), store.SQLiteVersion, migrations.Latest()}
}

// programVersion is the version that a load is recorded with.
func programVersion() string {
	info, _ := debug.ReadBuildInfo()
	v := versionsOf(info)
	if v.commit != "" {
		return v.program + " " + v.commit
	}
	return v.program
}

// exactVersion tells whether programVersion names one program: a release or a
// commit without changes. Of other builds any two may read a file otherwise.
func exactVersion() bool {
	info, _ := debug.ReadBuildInfo()
	return versionsOf(info).exact()
}

func (v versions) exact() bool {
	return !v.modified && !strings.HasSuffix(v.program, "+dirty") && (v.commit != "" || strings.HasPrefix(v.program, "v"))
}
