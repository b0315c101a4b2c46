// Package difference compares two runs field by field. What it yields are
// paths as a document has them, each with the value before and after, in the
// order of a document.
//
// It knows no database and prints nothing. The one design choice is that a run
// is first written out as a flat list of everything its document can state
// (fields.go); comparing is then comparing two lists by path. So no field can
// be compared in one place and forgotten in another, and two records that load
// to the same rows have the same list: the order of metrics and of engine
// settings, which the warehouse does not keep, plays no part, nor does the way
// a number is written.
package difference

import (
	"slices"
	"strings"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// Kind tells what a change is about.
type Kind string

// The kinds of a change.
const (
	Field Kind = "field" // a key of the document that is none of the following
	Point Kind = "point" // a key of a load level that only one of the runs has
	Value Kind = "value" // the measured value of a metric at a load level that both runs have
)

// Change is a field in which two runs differ.
type Change struct {
	Kind   Kind
	Path   string // as in a document; elements of points, provenance and diff by identity: points[c16].completed
	Before any    // string, int64, float64 or bool; nil where the first run does not state the field
	After  any    // the same of the second run
	Point  string // the label of the load level as in Path, "" outside points
	Metric string // the metric of a Value, else ""
}

// Between lists what differs between two runs, in the order of the second's
// document; what only the first states stands where it was. Load levels are
// matched by id, rows of provenance by setting, those of diff by path (a second
// of the same path is path#2), metrics and classes of requests by name,
// everything else in lists by position. Where matched elements stand in another
// order, a change of the list itself says so.
func Between(before, after *record.Run) []Change {
	a, b := fieldsOf(before), fieldsOf(after)
	m := merger{inA: a.byPath(), inB: b.byPath(), a: a, b: b, shared: set(common(a.points, b.points))}
	return append(m.merge(), reordered(a, b)...)
}

// merger walks two lists of fields side by side.
type merger struct {
	a, b     *sheet
	inA, inB map[string]int  // index by path
	shared   map[string]bool // labels of the load levels that both have
	changes  []Change
}

func (m *merger) merge() []Change {
	next := 0 // of a
	for i := range m.b.fields {
		f := &m.b.fields[i]
		j, both := m.inA[f.path]
		if !both {
			m.add(f, nil, f.value)
			continue
		}
		for ; next < j; next++ {
			m.dropped(next)
		}
		next = max(next, j+1)
		if old := m.a.fields[j].value; !equal(old, f.value) {
			m.add(f, old, f.value)
		}
	}
	for ; next < len(m.a.fields); next++ {
		m.dropped(next)
	}
	return m.changes
}

// dropped notes a field of the first run that the second does not state.
func (m *merger) dropped(i int) {
	f := &m.a.fields[i]
	if _, both := m.inB[f.path]; !both {
		m.add(f, f.value, nil)
	}
}

func (m *merger) add(f *field, before, after any) {
	c := Change{Kind: Field, Path: f.path, Before: before, After: after, Point: f.point}
	switch {
	case f.point != "" && !m.shared[f.point]:
		c.Kind = Point
	case f.metric != "":
		c.Kind, c.Metric = Value, f.metric
	}
	m.changes = append(m.changes, c)
}

// equal compares two stated values, numbers as numbers.
func equal(a, b any) bool {
	if x, ok := number(a); ok {
		y, ok := number(b)
		return ok && x == y && wholeOf(a) == wholeOf(b)
	}
	return a == b
}

func number(v any) (float64, bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

// wholeOf is an integer exactly, which a double may not hold, and 0 for others.
func wholeOf(v any) int64 {
	switch v := v.(type) {
	case int64:
		return v
	case float64:
		if w := int64(v); float64(w) == v {
			return w
		}
	}
	return 0
}

// reordered lists the lists whose common elements stand in another order.
func reordered(a, b *sheet) []Change {
	var changes []Change
	for _, list := range []struct {
		path string
		a, b []string
	}{{"points", a.points, b.points}, {"provenance", a.provenance, b.provenance}, {"diff", a.diffs, b.diffs}} {
		before, after := common(list.a, list.b), common(list.b, list.a)
		if !slices.Equal(before, after) {
			changes = append(changes, Change{Kind: Field, Path: list.path, Before: strings.Join(before, ", "), After: strings.Join(after, ", ")})
		}
	}
	return changes
}

// common are the elements of list that other has too, in the order of list.
func common(list, other []string) []string {
	known := set(other)
	var both []string
	for _, s := range list {
		if known[s] {
			both = append(both, s)
		}
	}
	return both
}

func set(list []string) map[string]bool {
	s := make(map[string]bool, len(list))
	for _, e := range list {
		s[e] = true
	}
	return s
}
