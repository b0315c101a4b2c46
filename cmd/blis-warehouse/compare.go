package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/inference-sim/blis-warehouse/queries/lineage"
)

func compareCommand() command {
	return command{
		name:    "compare",
		args:    "A B",
		minArgs: 2,
		maxArgs: 2,
		summary: "set two runs beside one another: whether they are comparable, then their values at the loads both have",
		help: `First comes what differs between the runs, then where they define a metric that
both have differently, then the values at the loads that both have, with their
ratio (B divided by A, none where A is 0), and last what only one of them has.
Metrics are the same where formula and statistic are, or else the name.

A metric whose definitions differ is not compared: it is named on standard error
with the field and what both runs state, and the exit code is 1. The other metrics
are compared all the same. --despite FIELD compares it although that field
differs, --despite all although any does; the rows are marked.

The machine formats print a row for each value that is compared.

Examples:
  blis-warehouse compare demo-h100-tp8 demo-h100-tp8-rerun
  blis-warehouse compare demo-h100-tp8 demo-h100-tp4 --metric ttft_p50 --format csv
  blis-warehouse compare inferencex-100000001-1-070791e3156b demo-h100-tp8 --despite all`,
		setup: setupCompare,
	}
}

func setupCompare(fs *pflag.FlagSet) runFunc {
	database := databaseFlags(fs)
	metrics := fs.StringArray("metric", nil, "compare only the metric called `NAME` in one of the runs; may be repeated")
	despite := fs.StringArray("despite", nil, "compare although the definitions differ in `FIELD`, or in any with all; may be repeated")
	out := rowFlags(fs, "table")
	return func(ctx context.Context, env *environment, args []string) error {
		if err := checkDespite(*despite); err != nil {
			return err
		}
		path := database.path(env)
		r, err := database.open(ctx, env)
		if err != nil {
			return err
		}
		defer r.Close()
		c, err := lineage.Compare(ctx, r, args[0], args[1])
		if unknown, ok := errors.AsType[*lineage.Unknown](err); ok {
			return noSuchRun(ctx, r, unknown.Name)
		}
		if err != nil {
			return err
		}
		if err := selectMetrics(c, *metrics); err != nil {
			return err
		}
		values := lineage.Judge(c, *despite)
		if out.format == "table" {
			err = out.writeFitted(env, path, func(w io.Writer, f *fit) error { return writeComparison(w, f, args, c, values) })
		} else {
			err = out.print(env, path, comparedColumns, rowsOf(comparedRows(values)))
		}
		if err != nil {
			return err
		}
		if err := reportUndefined(env, c); err != nil {
			return err
		}
		return reportRefused(env, c, values)
	}
}

func checkDespite(fields []string) error {
	known := append(lineage.DefinitionFields(), "all")
	for _, f := range fields {
		if !slices.Contains(known, f) {
			return &usageError{message: "--despite: the fields are " + strings.Join(known, ", ") + didYouMean(f, known), command: "compare"}
		}
	}
	return nil
}

// selectMetrics leaves the metrics of the given names in a comparison; no name is all.
func selectMetrics(c *lineage.Comparison, wanted []string) error {
	if len(wanted) == 0 {
		return nil
	}
	names := slices.Concat(c.MetricsA, c.MetricsB)
	for _, m := range c.Metrics {
		names = append(names, m.A, m.B)
	}
	for _, name := range wanted {
		if !slices.Contains(names, name) {
			slices.Sort(names)
			return fmt.Errorf("neither run has a metric %s%s", quote(name), didYouMean(name, slices.Compact(names)))
		}
	}
	c.Select(wanted)
	return nil
}

// comparedColumns are the columns of a compared value.
var comparedColumns = []string{"metric_a", "metric_b", "concurrency", "request_rate", "point_a", "point_b", "unit", "value_a", "value_b", "ratio", "despite"}

func comparedRows(j *lineage.Judgement) [][]any {
	var rows [][]any
	for i := range j.Compared {
		m := &j.Compared[i]
		row := []any{m.A, m.B, nil, nil, m.PointA, m.PointB, m.Unit(), m.ValueA, m.ValueB, nil, orNull(strings.Join(j.Despite[m.Metrics], ", "))}
		if m.Concurrency != nil {
			row[2] = *m.Concurrency
		}
		if m.RequestRate != nil {
			row[3] = *m.RequestRate
		}
		if ratio := m.Ratio(); ratio != nil {
			row[9] = *ratio
		}
		rows = append(rows, row)
	}
	return rows
}

// writeComparison writes a comparison for people, section by section.
func writeComparison(w io.Writer, f *fit, runs []string, c *lineage.Comparison, j *lineage.Judgement) error {
	p := &sections{w: w, fit: f}
	p.text(fmt.Sprintf("a: %s\nb: %s\n", printable(runs[0]), printable(runs[1])))
	var rows [][]any
	for _, a := range c.Attributes {
		rows = append(rows, []any{a.Name, stated(a.A), stated(a.B)})
	}
	p.table("what differs between the runs", []string{"attribute", "a", "b"}, rows)
	rows = nil
	for _, d := range c.Definitions {
		rows = append(rows, []any{d.Metrics.String(), d.Field, stated(d.ValueA), stated(d.ValueB)})
	}
	p.table("definitions that differ", []string{"metric", "field", "a", "b"}, rows)
	rows = nil
	for i := range j.Compared {
		m := &j.Compared[i]
		row := []any{m.Load, m.Metrics.String(), m.Unit(), m.ValueA, m.ValueB, nil, orNull(strings.Join(j.Despite[m.Metrics], ", "))}
		if ratio := m.Ratio(); ratio != nil {
			row[5] = *ratio
		}
		rows = append(rows, row)
	}
	columns, rows := dropEmptyColumns([]string{"load", "metric", "unit", "a", "b", "ratio", "despite"}, rows)
	p.table("values at the loads that both have, ratio is b divided by a", columns, rows)
	if len(rows) == 0 {
		p.text("\nNo value is compared.\n")
	}
	if len(c.LoadsA)+len(c.MetricsA)+len(c.LoadsB)+len(c.MetricsB) > 0 {
		p.text("\n")
	}
	p.only("a", c.LoadsA, c.MetricsA)
	p.only("b", c.LoadsB, c.MetricsB)
	return p.err
}

// stated is a value as people see it: NULL is what is not stated.
func stated(v any) any {
	if v == nil {
		return "not stated"
	}
	return v
}

// sections writes headings with tables. Its first error is kept.
type sections struct {
	w   io.Writer
	fit *fit
	err error
}

func (p *sections) text(s string) {
	if p.err == nil {
		_, p.err = io.WriteString(p.w, s)
	}
}

// table writes a table under a heading, nothing where it has no rows.
func (p *sections) table(title string, columns []string, rows [][]any) {
	if len(rows) == 0 {
		return
	}
	p.text("\n" + title + "\n" + strings.Repeat("=", len(title)) + "\n")
	if p.err == nil {
		p.err = writeTable(p.w, p.fit, columns, rowsOf(rows))
	}
}

// only says which loads and metrics one run alone has.
func (p *sections) only(run string, loads, metrics []string) {
	for _, list := range []struct {
		what  string
		names []string
	}{{"loads", loads}, {"metrics", metrics}} {
		if len(list.names) > 0 {
			p.text(printable(fmt.Sprintf("%s that only %s has: %s", list.what, run, strings.Join(list.names, "; "))) + "\n")
		}
	}
}

// reportUndefined names the runs of which no value can be compared.
func reportUndefined(env *environment, c *lineage.Comparison) error {
	for _, name := range c.Undefined {
		text := printable(name) + " is an EvaluationRun, which defines none of its values: they are not compared (see query evaluation-points)\n"
		if err := printText(env.stderr, text); err != nil {
			return err
		}
	}
	return nil
}

// reportRefused names the metrics that are not compared, and why.
func reportRefused(env *environment, c *lineage.Comparison, j *lineage.Judgement) error {
	if len(j.Refused) == 0 {
		return nil
	}
	for _, line := range j.Refused {
		if err := printText(env.stderr, printable(line)+"\n"); err != nil {
			return err
		}
	}
	n := fmt.Sprintf("%d of %s not compared, for the definitions differ: --despite FIELD compares anyway\n", j.RefusedMetrics, plural(len(c.Metrics), "metric is", "metrics are"))
	if err := printText(env.stderr, n); err != nil {
		return err
	}
	return errFindings
}
