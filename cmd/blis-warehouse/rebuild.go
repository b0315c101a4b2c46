package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/inference-sim/blis-warehouse/loader"
	"github.com/inference-sim/blis-warehouse/loader/catalog"
	"github.com/inference-sim/blis-warehouse/store"
)

func rebuildCommand() command {
	return command{
		name:    "rebuild",
		args:    "[PATH...]",
		maxArgs: -1,
		summary: "make the database anew from what is recorded, and from captures found under the paths",
		help: `Does all recorded loads again, in their order, into a new database, which must
be named with -o. Run documents and licence registries come out of the
database, earlier versions included; captures and dumps, of which it has only
the digests, are found again by these under the paths: files, or directories
with everything below them, whatever they are called now.

At the end the digests of both are compared. What is missing or differs is a
row each, and the exit code is then 1: the new database lacks exactly what only
the missing captures reported. With --strict there is no new database then.

Examples:
  blis-warehouse rebuild testdata -o rebuilt.db
  blis-warehouse rebuild testdata -o rebuilt.db --force --format csv`,
		setup: setupRebuild,
	}
}

func setupRebuild(fs *pflag.FlagSet) runFunc {
	database := databaseFlags(fs)
	out := &rowOutput{format: "table", file: "-"}
	fs.VarP(&out.format, "format", "f", "the `FORMAT` of findings: table, csv, tsv, json, jsonl, markdown")
	excelFlag(fs, &out.excel, "csv and tsv")
	output := fs.StringP("output", "o", "", "the new database `FILE`, which appears complete or not at all")
	force := fs.Bool("force", false, "let -o replace a file")
	strict := fs.Bool("strict", false, "make no new database where something is missing or differs")
	return func(ctx context.Context, env *environment, args []string) error {
		if *output == "" || *output == "-" {
			return &usageError{message: "rebuild needs -o and the name of a file", command: "rebuild"}
		}
		if err := out.check(); err != nil {
			return err
		}
		b := &rebuild{ctx: ctx, env: env, database: database, from: database.path(env), to: *output, strict: *strict}
		if err := b.run(args, *force); err != nil {
			return interrupted(ctx, err)
		}
		if len(b.findings) > 0 || fs.Changed("format") {
			if err := out.print(env, b.from, []string{"finding", "subject", "detail"}, rowsOf(b.findings)); err != nil {
				return err
			}
		}
		return b.conclude()
	}
}

// rebuild is one rebuild and what it found.
type rebuild struct {
	ctx      context.Context
	env      *environment
	database *database
	from, to string
	strict   bool

	rebuilt  *loader.Rebuilt
	digest   string // of the database that was rebuilt
	findings [][]any
}

func (b *rebuild) find(finding, subject, detail string) {
	b.findings = append(b.findings, []any{finding, subject, detail})
}

func (b *rebuild) run(paths []string, force bool) error {
	old, err := b.database.open(b.ctx, b.env)
	if err != nil {
		return err
	}
	defer old.Close()
	w, err := b.openNew(force)
	if err != nil {
		return err
	}
	defer w.Close()
	dir, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("find the working directory: %w", err)
	}
	b.rebuilt, err = loader.Rebuild(b.ctx, old, w, loader.RebuildOptions{WorkDir: dir, Paths: paths, Limits: catalog.DefaultLimits(), Progress: progressTo(b.env, "files")})
	clearProgress(b.env)
	if err != nil {
		return err
	}
	for _, m := range b.rebuilt.Missing {
		b.find("missing capture", m.Path, m.Detail)
	}
	for _, r := range b.rebuilt.Refused {
		b.find("refused", r.Path, r.Detail)
	}
	if err := w.WithReader(b.ctx, func(rebuilt *store.Reader) error { return b.compare(old, rebuilt) }); err != nil {
		return err
	}
	if b.strict && len(b.findings) > 0 {
		return nil
	}
	return w.Publish()
}

// openNew opens the database to make. The one that is rebuilt is never replaced.
func (b *rebuild) openNew(force bool) (*store.Writer, error) {
	path := b.to
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	if err := checkReplaceable(path, force, b.from); err != nil {
		return nil, err
	}
	w, err := store.OpenWriter(b.ctx, path, store.WriterOptions{New: !force, Replace: force, BusyTimeout: b.database.timeout()})
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("%s exists: --force overwrites it", path)
	}
	return w, err
}

// compare compares the digests, and says what differs where they do.
func (b *rebuild) compare(old, rebuilt *store.Reader) error {
	was, err := old.Digest(b.ctx)
	if err != nil {
		return err
	}
	is, err := rebuilt.Digest(b.ctx)
	if err != nil {
		return err
	}
	b.digest = was.SHA256
	if was.SHA256 == is.SHA256 {
		return nil
	}
	err = old.CompareInferenceX(b.ctx, rebuilt, func(d store.MeasuredDifference) error {
		b.find("missing values", d.Subject, d.Detail)
		return nil
	})
	if err != nil {
		return err
	}
	for _, d := range store.DifferentTables(was, is) {
		b.find("table differs", d.Table, fmt.Sprintf("%s there, %d are", plural(int(d.Was), "row was", "rows were"), d.Is))
	}
	return nil
}

// conclude says on standard error what came of it.
func (b *rebuild) conclude() error {
	var text string
	for _, u := range b.rebuilt.Unread {
		text += "not searched: " + printable(u) + "\n"
	}
	for _, u := range b.rebuilt.Unsure {
		text += fmt.Sprintf("note: %s: %s\n", printable(u.Path), printable(u.Detail))
	}
	from, to := printable(b.from), printable(b.to)
	did := fmt.Sprintf("%s done again, with %s and %s", plural(b.rebuilt.Loads, "load", "loads"),
		plural(b.rebuilt.Documents, "document", "documents"), plural(b.rebuilt.Captures, "capture", "captures"))
	switch {
	case len(b.findings) == 0:
		text += fmt.Sprintf("%s: %s; its digest is that of %s: %s\n", to, did, from, b.digest)
	case b.strict:
		text += fmt.Sprintf("%s; %s: %s is not made\n", did, plural(len(b.findings), "finding", "findings"), to)
	default:
		text += fmt.Sprintf("%s: %s; %s: its digest is not that of %s\n", to, did, plural(len(b.findings), "finding", "findings"), from)
	}
	if err := printText(b.env.stderr, text); err != nil {
		return err
	}
	if len(b.findings) > 0 {
		return errFindings
	}
	return nil
}
