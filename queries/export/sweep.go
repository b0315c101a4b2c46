package export

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// sweep is what a format takes of a run that knows no load but a concurrency
// and no statistic but the mean: the levels and values it can hold, and what it
// cannot.
type sweep struct {
	run         *run
	levels      []level // in the order of the run
	unexpressed []Unexpressed
}

// level is a point with the means that are wanted, by formula.
type level struct {
	*point
	position int
	means    map[string]*value
}

// needs says what a format takes of a run.
type needs struct {
	formulas []string // the quantities it has members for
	oneOf    []string // a point is held only with the mean of one of these
	each     []string // a point that is held without the mean of one of these is worth a word
}

// newSweep takes of a run what a format can hold. A metric is recognised by
// what its definition states, the formula and the statistic mean (for a
// throughput the formula alone), never by its name.
func newSweep(r *run, n needs) *sweep {
	s := &sweep{run: r}
	wanted := s.recognise(n.formulas)
	seen := map[int64]bool{}
	rated, repeated, wanting := []string{}, []string{}, []string{}
	for i := range r.points {
		p := &r.points[i]
		l := level{point: p, position: i, means: p.meansOf(wanted)}
		switch {
		case p.Concurrency == nil || p.RequestRate != nil:
			rated = append(rated, p.ID)
		case seen[*p.Concurrency]:
			repeated = append(repeated, p.ID)
		case !slices.ContainsFunc(n.oneOf, func(formula string) bool { return l.means[formula] != nil }):
			wanting = append(wanting, p.ID)
		default:
			seen[*p.Concurrency] = true
			s.levels = append(s.levels, l)
		}
	}
	s.leavePoints(rated, "request_rate", "the load states a request rate: the format knows a concurrency alone")
	s.leavePoints(repeated, "same_concurrency", "an earlier point of the run has the same concurrency")
	s.leavePoints(wanting, "no_mean", "no value is the mean of "+strings.Join(n.oneOf, " or "))
	for _, formula := range n.each {
		s.leavePoints(s.without(formula), "no_mean", "no value is the mean of "+formula)
	}
	s.sort()
	return s
}

// without are the points that are held and have no mean of a formula.
func (s *sweep) without(formula string) []string {
	var points []string
	for i := range s.levels {
		if s.levels[i].means[formula] == nil {
			points = append(points, s.levels[i].ID)
		}
	}
	return points
}

// recognise finds the run's metric of each wanted formula, and leaves the other
// metrics that have values.
func (s *sweep) recognise(formulas []string) map[string]string {
	measured := map[string]bool{}
	for i := range s.run.points {
		for j := range s.run.points[i].values {
			measured[s.run.points[i].values[j].Metric] = true
		}
	}
	metrics := map[string][]string{} // by formula: those that are the wanted one
	left := map[string][]string{}    // by code
	for i := range s.run.doc.MetricDefs {
		d := &s.run.doc.MetricDefs[i]
		switch {
		case !measured[d.Name]:
		case d.Formula == "":
			left["unstated_formula"] = append(left["unstated_formula"], d.Name)
		case !slices.Contains(formulas, d.Formula):
			left["no_place"] = append(left["no_place"], d.Name)
		case !isMean(d):
			left["not_a_mean"] = append(left["not_a_mean"], d.Name)
		default:
			metrics[d.Formula] = append(metrics[d.Formula], d.Name)
		}
	}
	wanted := map[string]string{}
	for _, formula := range formulas {
		switch names := metrics[formula]; {
		case len(names) == 1:
			wanted[formula] = names[0]
		case len(names) > 1:
			s.leaveMetrics(names, "ambiguous", fmt.Sprintf("%d metrics of the run are the mean of %s", len(names), formula))
		}
	}
	s.leaveMetrics(left["unstated_formula"], "unstated_formula", "the definition does not state a formula")
	s.leaveMetrics(left["no_place"], "no_place", "the format has no member for the metric")
	s.leaveMetrics(left["not_a_mean"], "not_a_mean", "the definition does not state that the value is a mean")
	return wanted
}

// isMean tells whether a definition states a mean, or a throughput, which has
// no statistic.
func isMean(d *record.MetricDef) bool { return d.Statistic == "mean" || d.Unit != "ms" }

// meansOf are the point's values of metrics by formula.
func (p *point) meansOf(metrics map[string]string) map[string]*value {
	means := map[string]*value{}
	for formula, metric := range metrics {
		for i := range p.values {
			if p.values[i].Metric == metric {
				means[formula] = &p.values[i]
			}
		}
	}
	return means
}

// leavePoints records points of which the format holds nothing.
func (s *sweep) leavePoints(points []string, code, detail string) {
	switch len(points) {
	case 0:
		return
	case len(s.run.points):
		points = nil
	}
	s.unexpressed = append(s.unexpressed, Unexpressed{s.run.doc.Name, points, nil, Reason{code, detail}})
}

// leaveMetrics records metrics of which the format holds nothing.
func (s *sweep) leaveMetrics(metrics []string, code, detail string) {
	if len(metrics) > 0 {
		s.unexpressed = append(s.unexpressed, Unexpressed{s.run.doc.Name, nil, slices.Sorted(slices.Values(metrics)), Reason{code, detail}})
	}
}

// sort orders what is left by code and detail.
func (s *sweep) sort() {
	slices.SortStableFunc(s.unexpressed, func(a, b Unexpressed) int {
		return strings.Compare(a.Code+" "+a.Detail, b.Code+" "+b.Detail)
	})
}

// drop forgets the mean of a formula at the levels that a format cannot hold
// it for, and the levels that then have none of the wanted means.
func (s *sweep) drop(formula, code, detail string, cannot func(l *level) bool) {
	var points []string
	metric := ""
	kept := s.levels[:0]
	for _, l := range s.levels {
		if v := l.means[formula]; v != nil && cannot(&l) {
			points, metric = append(points, l.ID), v.Metric
			delete(l.means, formula)
		}
		if len(l.means) > 0 {
			kept = append(kept, l)
		}
	}
	s.levels = kept
	if metric == "" {
		return
	}
	s.leavePoints(points, code, detail)
	s.unexpressed[len(s.unexpressed)-1].Metrics = []string{metric}
	s.sort()
}
