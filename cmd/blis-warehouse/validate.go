package main

import (
	"context"

	"github.com/spf13/pflag"

	"github.com/inference-sim/blis-warehouse/loader"
)

func validateCommand() command {
	return command{
		name:    "validate",
		args:    "PATH...",
		minArgs: 1,
		maxArgs: -1,
		summary: "read and check as load does, with verdicts, without a database",
		help: `Reads and checks catalogs, run files, licence registries and captures as load
does, keeping nothing. Rows of captures are checked one by one and not merged.
The licences are those of the registries given in
the same command; a run file given without any is checked with its licence
unknown, so that it cannot be EXACT.

Without --format the problems are listed as file:line: severity: path: message
[rule] on standard error. With --format jsonl one object is printed for each
document, with its verdict and every reason against EXACT.

Examples:
  blis-warehouse validate testdata/demo/catalog
  blis-warehouse validate --format jsonl testdata/demo/catalog`,
		setup: setupValidate,
	}
}

func setupValidate(fs *pflag.FlagSet) runFunc {
	local := localFlag(fs)
	strict := strictFlag(fs)
	out := rowFlags(fs, "")
	return func(ctx context.Context, env *environment, args []string) error {
		opts, err := loaderOptions(env, *local, *strict, out)
		if err != nil {
			return err
		}
		report, err := loader.Validate(ctx, args, opts)
		clearProgress(env)
		if err != nil {
			return interrupted(ctx, err)
		}
		return printReport(env, out, report, false)
	}
}
