package difference

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// Pair are the names that two runs give to one metric or load level.
type Pair struct{ Before, After string }

// Align returns the first of two runs as the second would call it: its metrics
// by the names of their counterparts in pairs, its load levels by the ids of
// the second's levels of the same load (see Levels). So what Between then
// compares is the same metric at the same load, whatever it is called. renamed
// says what was called otherwise: metric_defs.NAME and points[ID].id. Neither
// run is changed.
//
// A metric or level of the first that has no counterpart keeps its name, with
// "(before)" after it where the second uses that name for something else.
func Align(before, after *record.Run, pairs []Pair) (aligned *record.Run, renamed []Change) {
	r := *before
	metrics := newNames(pairs, metricNames(after))
	r.MetricDefs = slices.Clone(before.MetricDefs)
	for i := range r.MetricDefs {
		d := &r.MetricDefs[i]
		name := metrics.of(d.Name)
		if metrics.paired[d.Name] && name != d.Name {
			renamed = append(renamed, Change{Kind: Field, Path: "metric_defs." + name, Before: d.Name, After: name})
		}
		d.Name = name
	}
	levels := newNames(Levels(before.Points, after.Points), pointIDs(after.Points))
	r.Points = slices.Clone(before.Points)
	for i := range r.Points {
		p := &r.Points[i]
		id := levels.of(p.ID)
		if levels.paired[p.ID] && id != p.ID {
			renamed = append(renamed, Change{Kind: Field, Path: "points[" + id + "].id", Before: p.ID, After: id})
		}
		p.ID = id
		p.Metrics = slices.Clone(p.Metrics)
		for j := range p.Metrics {
			p.Metrics[j].Metric = metrics.of(p.Metrics[j].Metric)
		}
	}
	return &r, renamed
}

// names are the second run's names for what the first has.
type names struct {
	new    map[string]string
	paired map[string]bool // by the first run's name
	taken  map[string]bool // by the second
}

func newNames(pairs []Pair, after []string) *names {
	n := &names{new: map[string]string{}, paired: map[string]bool{}, taken: set(after)}
	for _, p := range pairs {
		n.new[p.Before], n.paired[p.Before] = p.After, true
	}
	return n
}

func (n *names) of(name string) string {
	if paired, ok := n.new[name]; ok {
		return paired
	}
	own := name
	for n.taken[own] {
		own += " (before)"
	}
	return own
}

func metricNames(r *record.Run) []string {
	var all []string
	for i := range r.MetricDefs {
		all = append(all, r.MetricDefs[i].Name)
	}
	return all
}

func pointIDs(points []record.Point) []string {
	var all []string
	for i := range points {
		all = append(all, points[i].ID)
	}
	return all
}

// Levels pairs the load levels of two runs that have the same load, by their
// ids: where several have one load, those of the same id first, then in order.
func Levels(before, after []record.Point) []Pair {
	open := map[string][]string{} // ids of after by load, in order
	for i := range after {
		load := Load(&after[i])
		open[load] = append(open[load], after[i].ID)
	}
	var pairs []Pair
	take := func(p *record.Point, at int) {
		load := Load(p)
		pairs = append(pairs, Pair{p.ID, open[load][at]})
		open[load] = slices.Delete(open[load], at, at+1)
	}
	var rest []*record.Point
	for i := range before {
		if at := slices.Index(open[Load(&before[i])], before[i].ID); at >= 0 {
			take(&before[i], at)
		} else {
			rest = append(rest, &before[i])
		}
	}
	for _, p := range rest {
		if len(open[Load(p)]) > 0 {
			take(p, 0)
		}
	}
	return pairs
}

// Load is a point's load in words, the same for equal loads and for no others:
// "concurrency 16", "request_rate 0.5" (requests per second), or both.
func Load(p *record.Point) string {
	text := ""
	if p.Concurrency != nil {
		text = fmt.Sprintf("concurrency %d", *p.Concurrency)
	}
	if p.RequestRate != nil {
		if text != "" {
			text += ", "
		}
		text += "request_rate " + strconv.FormatFloat(*p.RequestRate, 'f', -1, 64)
	}
	return text
}
