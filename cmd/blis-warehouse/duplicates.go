package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/inference-sim/blis-warehouse/store"
)

func duplicatesCommand() command {
	return command{
		name:    "duplicates",
		summary: "list runs that measured the same: exact, overlapping and near",
		help: `Exact: same model, hardware, loads, metrics and values. Overlap: equal in all
that both have, in at least two values. Near: same loads, and every shared value
within the relative or the absolute tolerance. Numbers are compared, not text;
units are made equal.

--tolerance X and --absolute X are for all metrics, METRIC=X for one, which then
comes first; a metric is named as any run names it. The relative tolerance is
0.01 unless given, the absolute one 0, in the metric's unit.

As a table, sets of runs are listed, each with the run to keep, why, and the
line that the others' documents should have; then near pairs, where one run
stands for all that measured exactly the same. Long lists are cut. The machine
formats print all pairs, one a row, or with --groups the sets, a run a row.

With --check the exit code is 1 where an exact duplicate is not declared, or a
declaration is false.

Examples:
  blis-warehouse duplicates
  blis-warehouse duplicates --tolerance 0.05 --format jsonl
  blis-warehouse duplicates --tolerance ttft_p50=0.02 --absolute ttft_p50=5
  blis-warehouse duplicates --groups --format csv
  blis-warehouse duplicates --check`,
		setup: setupDuplicates,
	}
}

func setupDuplicates(fs *pflag.FlagSet) runFunc {
	database := databaseFlags(fs)
	tolerances := fs.StringArray("tolerance", nil, "largest relative difference of near duplicates, edge included, as `X` or METRIC=X (repeatable)")
	absolutes := fs.StringArray("absolute", nil, "difference that is near whatever the relative one, in the metric's unit, as `X` or METRIC=X (repeatable)")
	groups := fs.Bool("groups", false, "print the sets of exact and overlapping runs in the format, a run a row")
	check := fs.Bool("check", false, "fail on undeclared exact duplicates and on false declarations")
	out := rowFlags(fs, "table")
	return func(ctx context.Context, env *environment, _ []string) error {
		near, err := parseNearness(*tolerances, *absolutes)
		if err != nil {
			return err
		}
		path := database.path(env)
		r, err := database.open(ctx, env)
		if err != nil {
			return err
		}
		defer r.Close()
		if err := near.checkMetrics(ctx, r); err != nil {
			return err
		}
		switch {
		case *groups:
			err = printGroups(ctx, env, r, out)
		case out.format == "table":
			err = out.writeFitted(env, path, func(w io.Writer, f *fit) error { return writeDuplicates(ctx, w, r, f, near) })
		default:
			err = printPairs(ctx, env, r, near, out)
		}
		if err != nil || !*check {
			return err
		}
		return checkDuplicates(ctx, env, r)
	}
}

// printGroups prints the sets as the query duplicate-groups returns them.
func printGroups(ctx context.Context, env *environment, r *store.Reader, out *rowOutput) error {
	groups, err := startNamed(ctx, r, "duplicate-groups", nil)
	if err != nil {
		return err
	}
	return out.printResult(env, r.Path(), groups)
}

// printPairs prints exact, overlapping and near pairs in one order, row by row.
func printPairs(ctx context.Context, env *environment, r *store.Reader, near *nearness, out *rowOutput) error {
	same, err := startNamed(ctx, r, "duplicate-pairs", nil)
	if err != nil {
		return err
	}
	defer same.Close()
	nearby, err := startNamed(ctx, r, "near-duplicates", near.params(false))
	if err != nil {
		return err
	}
	defer nearby.Close()
	columns := same.Columns()
	return out.print(env, r.Path(), columns, mergePairs(same.All(), nearby.All(), len(columns)))
}

// mergePairs merges two lists of pairs that are sorted by the names in their
// first two columns. Of each row it takes the first columns, which both have.
func mergePairs(a, b iter.Seq2[[]any, error], columns int) iter.Seq2[[]any, error] {
	return func(yield func([]any, error) bool) {
		nextA, stopA := iter.Pull2(a)
		defer stopA()
		nextB, stopB := iter.Pull2(b)
		defer stopB()
		rowA, errA, moreA := nextA()
		rowB, errB, moreB := nextB()
		for moreA || moreB {
			switch {
			case errA != nil || errB != nil:
				yield(nil, cmp.Or(errA, errB))
				return
			case !moreB || moreA && comparePairs(rowA, rowB) <= 0:
				if !yield(rowA[:columns], nil) {
					return
				}
				rowA, errA, moreA = nextA()
			default:
				if !yield(rowB[:columns], nil) {
					return
				}
				rowB, errB, moreB = nextB()
			}
		}
	}
}

func comparePairs(a, b []any) int {
	for i := range 2 {
		if c := strings.Compare(fmt.Sprint(a[i]), fmt.Sprint(b[i])); c != 0 {
			return c
		}
	}
	return 0
}

const (
	membersShown  = 5  // how many runs of a set a table for people has
	nearShown     = 50 // how many near pairs it has
	findingsShown = 20 // how many findings of a kind --check tells
)

// writeDuplicates lists the sets for people, then the near pairs.
func writeDuplicates(ctx context.Context, w io.Writer, r *store.Reader, f *fit, near *nearness) error {
	groups, err := startNamed(ctx, r, "duplicate-groups", nil)
	if err != nil {
		return err
	}
	if err := writeGroups(w, f, groups); err != nil {
		return err
	}
	return writeNear(ctx, w, r, f, near)
}

// writeGroups lists the sets of runs, a few members of each, and closes groups.
func writeGroups(w io.Writer, f *fit, groups *store.Rows) error {
	next, stop := iter.Pull2(shortGroups(groups))
	defer stop()
	first, err, ok := next()
	if err != nil {
		return err
	}
	if !ok {
		_, err := io.WriteString(w, "No run measured the same as another.\n")
		return err
	}
	return writeTable(w, f, groupColumns, func(yield func([]any, error) bool) {
		for row, err := first, error(nil); ok; row, err, ok = next() {
			if !yield(row, err) {
				return
			}
		}
	})
}

// groupColumns are what people are shown of a set: columns of the query
// duplicate-groups, where relation is "keep" for the run to keep.
var groupColumns = []string{"group_id", "name", "relation", "verdict", "licence", "keep_reason", "declaration"}

// shortGroups yields the rows of the query duplicate-groups in groupColumns,
// and instead of all members of a long set how many more there are.
func shortGroups(groups *store.Rows) iter.Seq2[[]any, error] {
	return func(yield func([]any, error) bool) {
		at := columnIndex(groups.Columns())
		group, members := "", 0
		rest := func() bool {
			if members <= membersShown {
				return true
			}
			more := fmt.Sprintf("... and %s more (--groups --format csv)", thousands(members-membersShown))
			return yield([]any{group, more, "", "", "", "", ""}, nil)
		}
		for row, err := range groups.All() {
			if err != nil {
				yield(nil, err)
				return
			}
			if id := fmt.Sprint(row[at["group_id"]]); id != group {
				if !rest() {
					return
				}
				group, members = id, 0
			}
			if members++; members > membersShown {
				continue
			}
			shown := make([]any, len(groupColumns))
			for i, column := range groupColumns {
				if shown[i] = row[at[column]]; shown[i] == nil {
					shown[i] = ""
				}
			}
			if members == 1 { // the run to keep comes first
				shown[slices.Index(groupColumns, "relation")] = "keep"
			}
			if !yield(shown, nil) {
				return
			}
		}
		rest()
	}
}

// nearColumns are what people are shown of near pairs.
var nearColumns = []string{"run_a", "copies_a", "run_b", "copies_b", "declared", "shared_values", "largest_difference", "point", "metric", "value_a", "value_b",
	"definition_differences"}

// writeNear lists near pairs, where one run stands for all with its content.
func writeNear(ctx context.Context, w io.Writer, r *store.Reader, f *fit, near *nearness) error {
	rows, err := startNamed(ctx, r, "near-duplicates", near.params(true))
	if err != nil {
		return err
	}
	at := columnIndex(rows.Columns())
	var shown [][]any
	pairs := 0
	for row, err := range rows.All() {
		if err != nil {
			return err
		}
		if pairs++; pairs > nearShown {
			continue
		}
		cells := make([]any, len(nearColumns))
		for i, column := range nearColumns {
			cells[i] = row[at[column]]
		}
		shown = append(shown, cells)
	}
	if pairs == 0 {
		return nil
	}
	if _, err := fmt.Fprintf(w, "\nNear duplicates, %s:\n", printable(near.String())); err != nil {
		return err
	}
	if err := writeTable(w, f, nearColumns, rowsOf(shown)); err != nil {
		return err
	}
	if pairs > nearShown {
		_, err = fmt.Fprintf(w, "... and %s more (--format csv)\n", thousands(pairs-nearShown))
	}
	return err
}

// columnIndex finds columns by name.
func columnIndex(columns []string) map[string]int {
	at := make(map[string]int, len(columns))
	for i, c := range columns {
		at[c] = i
	}
	return at
}

// thousands is n with a comma before every three digits.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// checkDuplicates says what authors should declare or correct.
func checkDuplicates(ctx context.Context, env *environment, r *store.Reader) error {
	undeclared, err := reportFindings(ctx, env, r, "undeclared-duplicates", func(cell func(string) string) string {
		return fmt.Sprintf("undeclared: %s and %s are exact duplicates; keep %s", cell("run_a"), cell("run_b"), cell("keep"))
	})
	if err != nil {
		return err
	}
	untrue, err := reportFindings(ctx, env, r, "false-declarations", func(cell func(string) string) string {
		return fmt.Sprintf("false: %s declares itself a duplicate of %s, which measured something else", cell("name"), cell("duplicate_of"))
	})
	if err != nil {
		return err
	}
	if undeclared+untrue > 0 {
		return errFindings
	}
	return nil
}

// reportFindings tells the first rows of a query on standard error, each in a
// sentence, and how many more there are. It returns how many there are in all.
func reportFindings(ctx context.Context, env *environment, r *store.Reader, query string, sentence func(cell func(string) string) string) (int, error) {
	rows, err := startNamed(ctx, r, query, nil)
	if err != nil {
		return 0, err
	}
	at := columnIndex(rows.Columns())
	n := 0
	for row, err := range rows.All() {
		if err != nil {
			return n, err
		}
		if n++; n > findingsShown {
			continue
		}
		text := sentence(func(column string) string { return fmt.Sprint(row[at[column]]) })
		if err := printText(env.stderr, printable(text)+"\n"); err != nil {
			return n, err
		}
	}
	if n > findingsShown {
		err = printText(env.stderr, fmt.Sprintf("... and %s more (query %s)\n", thousands(n-findingsShown), query))
	}
	return n, err
}
