package lineage

import (
	"context"
	"fmt"
	"slices"

	"github.com/inference-sim/blis-warehouse/queries/difference"
	"github.com/inference-sim/blis-warehouse/queries/export"
	"github.com/inference-sim/blis-warehouse/store"
	"github.com/inference-sim/blis-warehouse/store/record"
)

// Comparison is two runs beside one another.
type Comparison struct {
	Attributes  []Attribute // in which the runs differ
	Definitions []DefinitionDifference
	Matches     []Match   // by load and metric, as the first run has them
	LoadsA      []string  // loads that only the first run has
	LoadsB      []string  // loads that only the second has
	MetricsA    []string  // metrics that only the first has
	MetricsB    []string  // metrics that only the second has
	Metrics     []Metrics // that both have
	Undefined   []string  // runs of EvaluationRun documents, which define no metric, so that nothing can be compared with theirs
}

// Attribute is something in which two runs differ before any value is compared.
type Attribute struct {
	Name string
	A, B any // nil where not stated
}

// Metrics is a metric that two runs share, by its names in both.
type Metrics struct{ A, B string }

// String is the metric as people read it: its name, or both where they differ.
func (m Metrics) String() string {
	if m.A == m.B {
		return m.A
	}
	return m.A + " / " + m.B
}

// DefinitionDifference is a field in which two runs define a metric that both
// have differently.
type DefinitionDifference struct {
	Metrics
	Field          string
	ValueA, ValueB any // nil where not stated
}

// Match is a value of a metric at a load that both runs have, in the unit of
// its definition.
type Match struct {
	Metrics
	Load           string
	Concurrency    *int64
	RequestRate    *float64 // requests per second
	PointA, PointB string
	UnitA, UnitB   string
	ValueA, ValueB float64
}

// Ratio is the second value divided by the first, nil where the first is 0,
// where the units differ, or where the quotient is beyond a double.
func (m *Match) Ratio() *float64 {
	if m.UnitA != m.UnitB {
		return nil
	}
	return ratio(m.ValueA, m.ValueB)
}

// Unit is the unit of both values, or both units where they differ.
func (m *Match) Unit() string {
	if m.UnitA != m.UnitB {
		return m.UnitA + " / " + m.UnitB
	}
	return m.UnitA
}

// DefinitionFields are the fields of a definition that two metrics are compared in.
func DefinitionFields() []string {
	return []string{"formula", "statistic", "population", "denominator", "clock", "start_event", "stop_event", "output_len_source",
		"reasoning_counted_as_content", "percentile_method", "unit", "gpu_scope"}
}

// Unknown is a run that the warehouse does not have.
type Unknown struct{ Name string }

func (e *Unknown) Error() string { return fmt.Sprintf("no run is named %q", e.Name) }

// Compare sets two runs beside one another. Metrics are matched by identity,
// those left by name; load levels by load. It decides nothing: whether a value
// may be compared although its definitions differ, is for who asks.
// The error is an *Unknown where one of the runs does not exist.
func Compare(ctx context.Context, r *store.Reader, a, b string) (*Comparison, error) {
	one, err := readRecord(ctx, r, a)
	if err != nil {
		return nil, err
	}
	two, err := readRecord(ctx, r, b)
	if err != nil {
		return nil, err
	}
	c := &Comparison{}
	for _, rec := range []*export.Record{one, two} {
		if rec.Origin == originEvaluation && !slices.Contains(c.Undefined, rec.Run.Name) {
			c.Undefined = append(c.Undefined, rec.Run.Name)
		}
	}
	params := map[string]any{"a": a, "b": b}
	err = rows(ctx, r, "compare-runs", params, func(row []any) {
		c.Attributes = append(c.Attributes, Attribute{text(row[0]), row[1], row[2]})
	})
	if err != nil {
		return nil, err
	}
	err = rows(ctx, r, "compare-definitions", params, func(row []any) {
		c.Definitions = append(c.Definitions, DefinitionDifference{Metrics{text(row[0]), text(row[1])}, text(row[2]), row[3], row[4]})
	})
	if err != nil {
		return nil, err
	}
	pairs, err := metricPairs(ctx, r, [2]int64{one.DefinitionSet, two.DefinitionSet})
	if err != nil {
		return nil, err
	}
	for _, p := range pairs {
		c.Metrics = append(c.Metrics, Metrics{p.Before, p.After})
	}
	c.match(&one.Run, &two.Run, pairs)
	return c, nil
}

func readRecord(ctx context.Context, r *store.Reader, name string) (*export.Record, error) {
	var found *export.Record
	err := export.Records(ctx, r, []string{name}, func(rec *export.Record) error {
		found = rec
		return nil
	})
	if err == nil && found == nil {
		err = &Unknown{name}
	}
	return found, err
}

// match fills in the values that both runs have, and what only one has.
func (c *Comparison) match(a, b *record.Run, pairs []difference.Pair) {
	inB := c.matchMetrics(a, b, pairs)
	unitsA, unitsB := units(a), units(b)
	points := map[string]string{} // of b by those of a
	for _, p := range difference.Levels(a.Points, b.Points) {
		points[p.Before] = p.After
	}
	shared := map[string]*record.Point{}
	for i := range b.Points {
		shared[b.Points[i].ID] = &b.Points[i]
	}
	for i := range a.Points {
		p := &a.Points[i]
		id, ok := points[p.ID]
		if !ok {
			c.LoadsA = append(c.LoadsA, difference.Load(p))
			continue
		}
		q := shared[id]
		delete(shared, id)
		for _, v := range p.Metrics {
			at := slices.IndexFunc(q.Metrics, func(w record.Value) bool { return w.Metric == inB[v.Metric] })
			if at < 0 || inB[v.Metric] == "" {
				continue
			}
			w := &q.Metrics[at]
			c.Matches = append(c.Matches, Match{Metrics: Metrics{v.Metric, w.Metric}, Load: difference.Load(p), Concurrency: p.Concurrency, RequestRate: p.RequestRate,
				PointA: p.ID, PointB: q.ID, UnitA: unitsA[v.Metric], UnitB: unitsB[w.Metric], ValueA: v.Value, ValueB: w.Value})
		}
	}
	for i := range b.Points {
		if shared[b.Points[i].ID] != nil {
			c.LoadsB = append(c.LoadsB, difference.Load(&b.Points[i]))
		}
	}
}

// matchMetrics fills in the metrics that only one of the runs has. It returns
// what the second calls those of the first that both have.
func (c *Comparison) matchMetrics(a, b *record.Run, pairs []difference.Pair) map[string]string {
	inB, inA := map[string]string{}, map[string]bool{}
	for _, p := range pairs {
		inB[p.Before], inA[p.After] = p.After, true
	}
	for _, d := range a.MetricDefs {
		if _, shared := inB[d.Name]; !shared {
			c.MetricsA = append(c.MetricsA, d.Name)
		}
	}
	for _, d := range b.MetricDefs {
		if !inA[d.Name] {
			c.MetricsB = append(c.MetricsB, d.Name)
		}
	}
	return inB
}

// units are the units of a run's metrics by name.
func units(r *record.Run) map[string]string {
	all := map[string]string{}
	for i := range r.MetricDefs {
		all[r.MetricDefs[i].Name] = r.MetricDefs[i].Unit
	}
	return all
}

// Select leaves only the metrics that one of the runs calls by one of the names.
func (c *Comparison) Select(names []string) {
	is := func(name string) bool { return slices.Contains(names, name) }
	not := func(m Metrics) bool { return !is(m.A) && !is(m.B) }
	c.Metrics = slices.DeleteFunc(c.Metrics, not)
	c.Definitions = slices.DeleteFunc(c.Definitions, func(d DefinitionDifference) bool { return not(d.Metrics) })
	c.Matches = slices.DeleteFunc(c.Matches, func(m Match) bool { return not(m.Metrics) })
	c.MetricsA = slices.DeleteFunc(c.MetricsA, func(name string) bool { return !is(name) })
	c.MetricsB = slices.DeleteFunc(c.MetricsB, func(name string) bool { return !is(name) })
}

// Judgement is what may be compared of a comparison.
type Judgement struct {
	Compared       []Match
	Despite        map[Metrics][]string // fields that differ and are passed over, of compared metrics
	Refused        []string             // a line for each field that stands against comparing a metric
	RefusedMetrics int
}

// Judge parts what may be compared from what may not: a metric whose
// definitions differ is compared only where despite names every field in which
// they do, or is "all".
func Judge(c *Comparison, despite []string) *Judgement {
	j := &Judgement{Despite: map[Metrics][]string{}}
	refused := map[Metrics]bool{}
	for _, d := range c.Definitions {
		if slices.Contains(despite, d.Field) || slices.Contains(despite, "all") {
			j.Despite[d.Metrics] = append(j.Despite[d.Metrics], d.Field)
			continue
		}
		refused[d.Metrics] = true
		j.Refused = append(j.Refused, fmt.Sprintf("%s: %s differs: %s and %s", d.Metrics, d.Field, orNotStated(d.ValueA), orNotStated(d.ValueB)))
	}
	j.RefusedMetrics = len(refused)
	for _, m := range c.Matches {
		if !refused[m.Metrics] {
			j.Compared = append(j.Compared, m)
		}
	}
	return j
}

func orNotStated(v any) string {
	if v == nil {
		return "not stated"
	}
	return fmt.Sprint(v)
}
