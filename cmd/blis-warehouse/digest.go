package main

import (
	"context"

	"github.com/spf13/pflag"

	"github.com/inference-sim/blis-warehouse/store"
)

func digestCommand() command {
	return command{
		name:    "digest",
		summary: "print one digest of all that the database says, equal for equal inputs",
		help: `Equal inputs give the same digest: in whatever order and however often they are
loaded, on any machine, and after a migration, a backup or VACUUM. It covers all
rows of all tables but the ledger of loads and goose's table, with natural keys
in place of surrogate ones and without the paths of registries. How it is computed is
told in docs/integrity.md. --tables prints the digest of each table that has
rows, to find where two databases differ.

Examples:
  blis-warehouse digest
  blis-warehouse digest --tables
  blis-warehouse digest --format json`,
		setup: setupDigest,
	}
}

func setupDigest(fs *pflag.FlagSet) runFunc {
	database := databaseFlags(fs)
	tables := fs.Bool("tables", false, "print the digest of each table instead")
	out := rowFlags(fs, "table")
	return func(ctx context.Context, env *environment, _ []string) error {
		path := database.path(env)
		r, err := database.open(ctx, env)
		if err != nil {
			return err
		}
		defer r.Close()
		d, err := r.Digest(ctx)
		switch {
		case err != nil:
			return interrupted(ctx, err)
		case *tables:
			return out.print(env, path, []string{"table", "rows", "sha256"}, rowsOf(tableRows(d)))
		case !fs.Changed("format") && !fs.Changed("output"):
			return printText(env.stdout, d.SHA256+"\n")
		}
		return out.print(env, path, []string{"sha256"}, rowsOf([][]any{{d.SHA256}}))
	}
}

func tableRows(d *store.Digest) [][]any {
	rows := make([][]any, len(d.Tables))
	for i, t := range d.Tables {
		rows[i] = []any{t.Table, t.Rows, t.SHA256}
	}
	return rows
}
