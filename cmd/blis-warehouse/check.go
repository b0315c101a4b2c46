package main

import (
	"context"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/inference-sim/blis-warehouse/loader"
	"github.com/inference-sim/blis-warehouse/loader/catalog"
	"github.com/inference-sim/blis-warehouse/queries"
	"github.com/inference-sim/blis-warehouse/store"
)

func checkCommand() command {
	return command{
		name:    "check",
		summary: "run every standing check: references, supersession, licences, stated verdicts, documents, integrity",
		help: `Prints a row for every finding and ends with 1 where there is one. The checks
are the queries named check-…, SQLite's own, a comparison of every derived
table with what the facts make of it, and of everything that was read from
documents with these: their digests are computed anew, and every run and registry
is read again. What is no mistake but worth knowing, such as a lone run file
whose licence is unknown, is a note on standard error.

Examples:
  blis-warehouse check
  blis-warehouse check --format jsonl`,
		setup: setupCheck,
	}
}

func setupCheck(fs *pflag.FlagSet) runFunc {
	database := databaseFlags(fs)
	out := rowFlags(fs, "table")
	return func(ctx context.Context, env *environment, _ []string) error {
		path := database.path(env)
		r, err := database.open(ctx, env)
		if err != nil {
			return err
		}
		defer r.Close()
		findings, err := findings(ctx, r)
		if err != nil {
			return err
		}
		if len(findings) > 0 || fs.Changed("format") || fs.Changed("output") {
			if err := out.print(env, path, []string{"finding", "subject", "detail"}, rowsOf(findings)); err != nil {
				return err
			}
		}
		if err := printNotes(ctx, env, r); err != nil {
			return err
		}
		if err := printText(env.stderr, plural(len(findings), "finding", "findings")+"\n"); err != nil {
			return err
		}
		if len(findings) > 0 {
			return errFindings
		}
		return nil
	}
}

// findings runs every standing check. Where the file is so damaged that one
// cannot go on, that is a finding, and the others are run.
func findings(ctx context.Context, r *store.Reader) ([][]any, error) {
	var all [][]any
	run := func(name string, check func() error) error {
		err := check()
		if err != nil && ctx.Err() == nil && store.IsDamage(err) {
			all = append(all, []any{"integrity", name, "the file is damaged, so that this check could not be finished: " + err.Error()})
			return nil
		}
		return interrupted(ctx, err)
	}
	add := func(finding string, found []store.Finding) {
		for _, f := range found {
			all = append(all, []any{finding, f.Subject, f.Detail})
		}
	}
	for _, q := range queries.Checks() {
		err := run(q.Name, func() error {
			res, err := collect(ctx, r, q, nil)
			if err == nil {
				all = append(all, res.rows...)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	err := run("derived tables", func() error {
		found, err := store.CheckDerived(ctx, r.Path())
		add("derived", found)
		return err
	})
	if err != nil {
		return nil, err
	}
	err = run("documents", func() error {
		found, err := loader.CheckDocuments(ctx, r.Path(), catalog.DefaultLimits())
		add("document", found)
		return err
	})
	return all, err
}

func printNotes(ctx context.Context, env *environment, r *store.Reader) error {
	notes, err := runNamed(ctx, r, "licence-notes", nil)
	if err != nil {
		return err
	}
	for _, row := range notes.rows {
		n := fmt.Sprintf("note: licence %s of %s run(s) from lone files or InferenceX is %s",
			notes.text(row, "licence_id"), notes.text(row, "runs"), notes.text(row, "problem"))
		if err := printText(env.stderr, printable(n)+"\n"); err != nil {
			return err
		}
	}
	return nil
}
