package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"github.com/inference-sim/blis-warehouse/loader/catalog"
	"github.com/inference-sim/blis-warehouse/queries/lineage"
	"github.com/inference-sim/blis-warehouse/store"
)

func historyCommand() command {
	return command{
		name:    "history",
		args:    "RUN",
		minArgs: 1,
		maxArgs: 1,
		summary: "list the versions of a run: when each was loaded, what changed, and its verdict today",
		help: `A run's version is the bytes of its document, and every version that was stored is
kept. They are listed in the order of the loads, each with its digest, the loads
that read it, the fields that differ from the version before, and the verdict that
it has today: its kept bytes are read by the rules and judged under the licences
that are in effect now. A version that today's rules refuse is listed with what
they object to.

A run from InferenceX has no documents: its captures are listed, and the values
that they reported differently. Captures that were loaded with a schema before 19
are not known.

As a table, long lists are cut; --all shows everything. The machine formats print
a row for each version and one for each change.

Examples:
  blis-warehouse history demo-h100-tp8
  blis-warehouse history demo-h100-tp8 --format jsonl
  blis-warehouse history inferencex-100000002-1-450245705d98`,
		setup: setupHistory,
	}
}

func setupHistory(fs *pflag.FlagSet) runFunc {
	database := databaseFlags(fs)
	all := fs.Bool("all", false, "show every change of a long list")
	out := rowFlags(fs, "table")
	return func(ctx context.Context, env *environment, args []string) error {
		path := database.path(env)
		r, err := database.open(ctx, env)
		if err != nil {
			return err
		}
		defer r.Close()
		versions, err := lineage.Versions(ctx, r, args[0], catalog.DefaultLimits())
		if err != nil {
			return interrupted(ctx, err)
		}
		captures, err := readMerged(ctx, r, args[0])
		if err != nil {
			return err
		}
		if len(versions) == 0 && !captures.exists {
			return noSuchRun(ctx, r, args[0])
		}
		if out.format != "table" {
			return out.print(env, path, historyColumns, rowsOf(append(versionRows(versions), captures.historyRows()...)))
		}
		return out.writeFitted(env, path, func(w io.Writer, f *fit) error {
			p := &sections{w: w, fit: f}
			for i := range versions {
				p.version(i+1, &versions[i], *all)
			}
			if len(versions) == 0 {
				p.merged(args[0], captures)
			}
			return p.err
		})
	}
}

// historyColumns are the columns of the machine formats.
var historyColumns = []string{"version", "sha256", "in_effect", "first_load", "first_loaded_at", "last_load", "last_loaded_at", "file",
	"verdict", "resolution", "kind", "path", "before", "after", "unit", "ratio"}

// versionRows are a row of kind version for each version, then a row for each
// change from the one before, or for each problem of one that cannot be read.
func versionRows(versions []lineage.Version) [][]any {
	var rows [][]any
	for i := range versions {
		v := &versions[i]
		head := versionCells(i+1, v)
		var before any
		if i > 0 {
			before = versions[i-1].SHA256
		}
		add := func(cells ...any) { rows = append(rows, append(append([]any(nil), head...), cells...)) }
		add("version", nil, before, v.SHA256, nil, nil)
		for _, p := range v.Problems {
			add("problem", p.Path, nil, p.Message, nil, nil)
		}
		for j := range v.Changes {
			add(changeCells(&v.Changes[j])...)
		}
	}
	return rows
}

// versionCells are the columns that all rows of a version share.
func versionCells(number int, v *lineage.Version) []any {
	cells := []any{int64(number), v.SHA256, flag(v.InEffect), nil, nil, nil, nil, nil, nil, nil}
	if n := len(v.Readings); n > 0 {
		last := v.Readings[n-1]
		copy(cells[3:], []any{v.First.Load, v.First.LoadedAt, last.Load, last.LoadedAt, v.First.Path})
	}
	if v.Verdict != nil {
		cells[8], cells[9] = v.Verdict.Verdict, orNull(v.Verdict.Resolution)
	}
	return cells
}

func flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// version writes a version for people.
func (p *sections) version(number int, v *lineage.Version, all bool) {
	title := fmt.Sprintf("version %d", number)
	if v.InEffect {
		title += ", in effect"
	}
	if number > 1 {
		title = "\n" + title
	}
	p.text(title + "\n")
	line := func(text string) { p.text("  " + text + "\n") }
	line("sha256 " + v.SHA256)
	for _, text := range readingLines(v.Readings, all) {
		line(text)
	}
	if len(v.Problems) > 0 {
		line("today's rules refuse it, so it has no verdict and is not compared:")
		for _, problem := range v.Problems {
			line("  " + printable(problem.Path) + ": " + printable(problem.Message))
		}
		return
	}
	line("verdict under today's registries: " + lineage.VerdictText(v.Verdict))
	for _, reason := range v.Verdict.Reasons {
		line("  " + printable(reason.Path+": "+reason.Detail))
	}
	switch {
	case v.Compared:
		line("changed from the version before: " + strings.Join(changeLines(v.Changes, all), "\n  "))
	case number > 1:
		line("the version before cannot be read, so what changed cannot be told")
	}
}

// readingLines say which loads read a version, the first and the last, and
// others only where all are wanted.
func readingLines(readings []lineage.Reading, all bool) []string {
	if len(readings) == 0 {
		return []string{"loaded before the ledger began"}
	}
	var lines []string
	for i, r := range readings {
		word := "read again"
		if i == 0 {
			word = "loaded"
		}
		if !all && i > 0 && i < len(readings)-1 {
			if i == 1 {
				lines = append(lines, fmt.Sprintf("read %s in between (--all)", plural(len(readings)-2, "more time", "more times")))
			}
			continue
		}
		lines = append(lines, fmt.Sprintf("%s %s by load %d from %s", word, r.LoadedAt, r.Load, printable(r.Path)))
	}
	return lines
}

// merged is what is known of the past of a run from InferenceX.
type merged struct {
	exists              bool
	captures, revisions *result
}

func readMerged(ctx context.Context, r *store.Reader, run string) (*merged, error) {
	params := map[string]any{"run": run}
	worth, err := lineage.ReadWorth(ctx, r, run)
	if err != nil {
		return nil, err
	}
	m := &merged{exists: worth.Origin != ""}
	if m.captures, err = runNamed(ctx, r, "run-captures", params); err != nil {
		return nil, err
	}
	m.revisions, err = runNamed(ctx, r, "inferencex-revisions", params)
	return m, err
}

// historyRows are the captures and revisions in the columns of versions.
func (m *merged) historyRows() [][]any {
	var rows [][]any
	for _, c := range m.captures.rows { // load_id, loaded_at, path, sha256, rows
		rows = append(rows, []any{nil, c[3], nil, c[0], c[1], c[0], c[1], c[2], nil, nil, "capture", nil, nil, c[4], nil, nil})
	}
	for _, v := range m.revisions.rows { // run, point, key, value, in_effect
		path := m.revisions.text(v, "key")
		if point := m.revisions.text(v, "point"); point != "" {
			path = "points[" + point + "]." + path
		}
		rows = append(rows, []any{nil, nil, v[4], nil, nil, nil, nil, nil, nil, nil, "revision", path, nil, v[3], nil, nil})
	}
	return rows
}

// merged writes the past of a run from InferenceX for people.
func (p *sections) merged(run string, m *merged) {
	p.text(printable(run) + " was read from captures, whose rows are merged: it has no versions.\n")
	if len(m.captures.rows) == 0 {
		p.text("Which captures brought its rows is not known: they were loaded with a schema before 19.\n")
	}
	columns, rows := dropEmptyColumns(m.captures.columns, m.captures.rows)
	p.table("captures that brought, completed or revised rows", columns, rows)
	columns, rows = dropEmptyColumns(m.revisions.columns, m.revisions.rows)
	p.table("values that captures reported differently", columns, rows)
}
