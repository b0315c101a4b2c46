package main

import (
	"context"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/inference-sim/blis-warehouse/queries"
	"github.com/inference-sim/blis-warehouse/store"
)

func checkCommand() command {
	return command{
		name:    "check",
		summary: "run every standing check: references, licences, stated verdicts, integrity",
		help: `Prints a row for every finding and ends with 1 where there is one. The checks
are the queries named check-…, SQLite's own, and a comparison of every derived
table with what the facts make of it. What is no mistake but worth knowing, such
as a lone run file whose licence is unknown, is a note on standard error.

Examples:
  blis-warehouse check
  blis-warehouse check --format jsonl`,
		setup: setupCheck,
	}
}

func setupCheck(fs *pflag.FlagSet) runFunc {
	database := databaseFlag(fs)
	out := rowFlags(fs, "table")
	return func(ctx context.Context, env *environment, _ []string) error {
		path := env.databasePath(*database)
		r, err := openReader(path)
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

// findings runs every standing check.
func findings(ctx context.Context, r *store.Reader) ([][]any, error) {
	var all [][]any
	for _, q := range queries.Checks() {
		res, err := collect(ctx, r, q, nil)
		if err != nil {
			return nil, err
		}
		all = append(all, res.rows...)
	}
	derived, err := store.CheckDerived(ctx, r.Path())
	if err != nil {
		return nil, interrupted(ctx, err)
	}
	for _, f := range derived {
		all = append(all, []any{"derived", f.Subject, f.Detail})
	}
	return all, nil
}

func printNotes(ctx context.Context, env *environment, r *store.Reader) error {
	notes, err := runNamed(ctx, r, "licence-notes", nil)
	if err != nil {
		return err
	}
	for _, row := range notes.rows {
		n := fmt.Sprintf("note: licence %s of %s run(s) from lone files or InferenceX is %s\n",
			notes.text(row, "licence_id"), notes.text(row, "runs"), notes.text(row, "problem"))
		if err := printText(env.stderr, n); err != nil {
			return err
		}
	}
	return nil
}
