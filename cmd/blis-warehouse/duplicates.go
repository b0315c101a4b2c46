package main

import (
	"context"
	"fmt"
	"io"
	"math"

	"github.com/spf13/pflag"
)

func duplicatesCommand() command {
	return command{
		name:    "duplicates",
		summary: "list runs that measured the same: exact, overlapping and near",
		help: `Exact: same model, hardware, loads, metrics and values. Overlap: equal in all
that both have, in at least two values. Near: same loads, and every shared value
within the tolerance. Numbers are compared, not text; units are made equal.

As a table, sets of runs are listed with the run to keep of each, then the first
50 near pairs; the machine formats print all pairs, one a row.

With --check the exit code is 1 where an exact duplicate is not declared, or a
declaration is false.

Examples:
  blis-warehouse duplicates
  blis-warehouse duplicates --tolerance 0.05 --format jsonl
  blis-warehouse duplicates --check`,
		setup: setupDuplicates,
	}
}

func setupDuplicates(fs *pflag.FlagSet) runFunc {
	database := databaseFlag(fs)
	tolerance := fs.Float64("tolerance", 0.01, "largest relative difference of near duplicates, edge included")
	check := fs.Bool("check", false, "fail on undeclared exact duplicates and on false declarations")
	out := rowFlags(fs, "table")
	return func(ctx context.Context, env *environment, _ []string) error {
		if !(*tolerance >= 0) || math.IsInf(*tolerance, 0) {
			return &usageError{message: "--tolerance is a finite number of at least 0", command: "duplicates"}
		}
		path := env.databasePath(*database)
		r, err := openReader(path)
		if err != nil {
			return err
		}
		defer r.Close()
		near, err := runNamed(ctx, r, "near-duplicates", map[string]any{"tolerance": *tolerance})
		if err != nil {
			return err
		}
		if out.format == "table" {
			groups, err := runNamed(ctx, r, "duplicate-groups", nil)
			if err != nil {
				return err
			}
			err = out.write(env, path, func(w io.Writer) error { return writeGroups(w, out.width, groups, near, *tolerance) })
			if err != nil {
				return err
			}
		} else {
			pairs, err := runNamed(ctx, r, "duplicate-pairs", nil)
			if err != nil {
				return err
			}
			if err := out.print(env, path, near.columns, rowsOf(mergePairs(pairs, near))); err != nil {
				return err
			}
		}
		if !*check {
			return nil
		}
		undeclared, err := runNamed(ctx, r, "undeclared-duplicates", nil)
		if err != nil {
			return err
		}
		untrue, err := runNamed(ctx, r, "false-declarations", nil)
		if err != nil {
			return err
		}
		return reportDuplicates(env, undeclared, untrue)
	}
}

// writeGroups lists the sets, then the near pairs.
func writeGroups(w io.Writer, width int, groups, near *result, tolerance float64) error {
	if len(groups.rows) == 0 {
		if _, err := io.WriteString(w, "No run measured the same as another.\n"); err != nil {
			return err
		}
	} else if err := writeTable(w, width, groups.columns, rowsOf(groups.rows)); err != nil {
		return err
	}
	if len(near.rows) == 0 {
		return nil
	}
	if _, err := fmt.Fprintf(w, "\nNear duplicates, within %g:\n", tolerance); err != nil {
		return err
	}
	if err := writeTable(w, width, near.columns, rowsOf(near.rows[:min(len(near.rows), nearShown)])); err != nil {
		return err
	}
	if n := len(near.rows) - nearShown; n > 0 {
		_, err := fmt.Fprintf(w, "... and %s (all with --format csv)\n", plural(n, "more pair", "more pairs"))
		return err
	}
	return nil
}

// nearShown is how many near pairs a table for people has.
const nearShown = 50

// mergePairs puts exact and overlapping pairs, which have no difference, and near pairs in the order of their names.
func mergePairs(pairs, near *result) [][]any {
	all := make([][]any, 0, len(pairs.rows)+len(near.rows))
	i := 0
	for _, p := range pairs.rows {
		for i < len(near.rows) && comparePairs(near.rows[i], p) < 0 {
			all = append(all, near.rows[i])
			i++
		}
		all = append(all, append(p, 0.0, nil, nil))
	}
	return append(all, near.rows[i:]...)
}

func comparePairs(a, b []any) int {
	for i := range 2 {
		switch x, y := a[i].(string), b[i].(string); {
		case x < y:
			return -1
		case x > y:
			return 1
		}
	}
	return 0
}

// reportDuplicates says what the authors should declare or correct.
func reportDuplicates(env *environment, undeclared, untrue *result) error {
	const few = 20
	var err error
	say := func(format string, args ...any) {
		if err == nil {
			err = printText(env.stderr, printable(fmt.Sprintf(format, args...))+"\n")
		}
	}
	for i, row := range undeclared.rows {
		if i == few {
			say("... and %d more (query undeclared-duplicates)", len(undeclared.rows)-few)
			break
		}
		say("undeclared: %s and %s are exact duplicates; keep %s", undeclared.text(row, "run_a"), undeclared.text(row, "run_b"), undeclared.text(row, "keep"))
	}
	for _, row := range untrue.rows {
		say("false: %s declares itself a duplicate of %s, which measured something else", untrue.text(row, "name"), untrue.text(row, "duplicate_of"))
	}
	if err != nil {
		return err
	}
	if len(undeclared.rows)+len(untrue.rows) > 0 {
		return errFindings
	}
	return nil
}
