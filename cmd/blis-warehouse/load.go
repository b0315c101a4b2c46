package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime/debug"
	"time"

	"github.com/spf13/pflag"

	"github.com/inference-sim/blis-warehouse/loader"
	"github.com/inference-sim/blis-warehouse/loader/catalog"
	"github.com/inference-sim/blis-warehouse/store"
)

func loadCommand() command {
	return command{
		name:    "load",
		args:    "PATH...",
		minArgs: 1,
		maxArgs: -1,
		summary: "read catalogs, run files, licence registries and InferenceX captures into the database",
		help: `A path is a catalog (a directory that holds measurements/, or measurements/
itself), a file, a directory that is searched for documents and captures, or -
for standard input. What a file is, its content tells. Everything is stored in
one transaction: a crash, Ctrl-C or a full disk leaves the database as it was.

An invalid document is refused with all its problems, recorded, and the rest is
stored; the exit code is then 1. The same bytes again change nothing; changed
bytes under the same name replace the run. Licence registries are applied first,
whatever the order of the paths. A run of a catalog must cite a licence that
permits redistribute, with --local one that permits score. An EvaluationRun, which
says less, never replaces a MeasuredRun of its name.

The database is created where it does not exist; an older one is migrated after
a backup, whose path is printed.

Examples:
  blis-warehouse load testdata/demo/catalog
  blis-warehouse load --local runs/my-run.yaml sources.yaml
  blis-warehouse load testdata/demo/captures/benchmarks.json
  blis-warehouse load testdata/demo/evaluations
  blis-warehouse load --dry-run --format jsonl testdata/demo/catalog`,
		setup: setupLoad,
	}
}

func setupLoad(fs *pflag.FlagSet) runFunc {
	database := databaseFlags(fs)
	local := localFlag(fs)
	strict := strictFlag(fs)
	dryRun := fs.Bool("dry-run", false, "do everything but keep nothing")
	out := rowFlags(fs, "")
	return func(ctx context.Context, env *environment, args []string) error {
		opts, err := loaderOptions(env, *local, *strict, out)
		if err != nil {
			return err
		}
		opts.DryRun = *dryRun
		return load(ctx, env, database, args, opts, out)
	}
}

// load loads what the paths name, and prints what became of it.
func load(ctx context.Context, env *environment, database *database, paths []string, opts loader.Options, out *rowOutput) error {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(30) // what a load keeps lives to its end: a larger heap would save little time
	}
	w, err := openForLoad(ctx, env, database, opts.DryRun)
	if err != nil {
		return err
	}
	defer w.Close()
	report, err := loader.Load(ctx, w, paths, opts)
	clearProgress(env)
	if err == nil && !opts.DryRun {
		err = w.Publish()
	}
	if err != nil {
		return interrupted(ctx, w.Failed(err))
	}
	if err := noteLog(env, w, database.path(env)); err != nil {
		return err
	}
	return printReport(env, out, report, true)
}

// openForLoad opens the database to load into; a dry run on a missing one uses a database in memory.
func openForLoad(ctx context.Context, env *environment, database *database, dryRun bool) (*store.Writer, error) {
	path := database.path(env)
	if dryRun {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return store.OpenMemory(ctx)
		}
	}
	w, err := store.OpenWriter(ctx, path, store.WriterOptions{Create: !dryRun, KeepSchema: dryRun, BusyTimeout: database.timeout()})
	if err != nil {
		return nil, interrupted(ctx, err)
	}
	if w.Backup != "" {
		if err := printText(env.stderr, fmt.Sprintf("%s had an older schema and was migrated; the backup is %s\n", printable(path), printable(w.Backup))); err != nil {
			w.Close()
			return nil, err
		}
	}
	return w, nil
}

// noteLog says that a load is stored, but not yet in the one file that people copy.
func noteLog(env *environment, w *store.Writer, path string) error {
	err := w.Unrest()
	if err == nil {
		return nil
	}
	return printText(env.stderr, fmt.Sprintf("note: for now %s is two files, %[1]s and %[1]s-wal: %v\n", path, err))
}

func localFlag(fs *pflag.FlagSet) *bool {
	return fs.Bool("local", false, "admit catalog runs whose licence permits score, for output kept out of the repository")
}

func strictFlag(fs *pflag.FlagSet) *bool {
	return fs.Bool("strict", false, "refuse captures that deviate from the published reference")
}

func loaderOptions(env *environment, local, strict bool, out *rowOutput) (loader.Options, error) {
	dir, err := os.Getwd()
	if err != nil {
		return loader.Options{}, fmt.Errorf("find the working directory: %w", err)
	}
	return loader.Options{
		WorkDir:  dir,
		Stdin:    env.stdin,
		Local:    local,
		Strict:   strict,
		Verdicts: out.format != "",
		Tool:     programVersion(),
		Again:    exactVersion(),
		Now:      time.Now(),
		Limits:   catalog.DefaultLimits(),
		Progress: progressTo(env, "files"),
	}, nil
}

// interrupted is the cause of an error that a cancelled context brought about.
func interrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}
