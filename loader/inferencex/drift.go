package inferencex

import (
	"cmp"
	"slices"
)

// A Drift is a way in which data deviates from the published reference, counted
// over a file. It refuses nothing by itself: the data is kept.
type Drift struct {
	Kind   string // "key", "metric", "type" or "word"
	Key    string // the key concerned
	Detail string // the type or word found, "" for a key or metric
	Path   string // its first position: [12].metrics.foo
	Line   int    // the line of its first position
	Count  int    // how often it occurred
}

// Kinds of drift.
const (
	driftKey    = "key"    // a key outside the reference
	driftMetric = "metric" // a metric key that is not among the published ones
	driftType   = "type"   // a value of another type than the reference's
	driftWord   = "word"   // a name or word that is not known
)

type driftID struct{ kind, key, detail string }

// drifts counts the deviations of a file.
type drifts map[driftID]*Drift

// sorted returns the deviations by kind, key and detail.
func (ds drifts) sorted() []Drift {
	list := make([]Drift, 0, len(ds))
	for _, d := range ds {
		list = append(list, *d)
	}
	slices.SortFunc(list, func(a, b Drift) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Key, b.Key), cmp.Compare(a.Detail, b.Detail))
	})
	return list
}

// message says what deviates.
func (d Drift) message() string {
	switch d.Kind {
	case driftKey:
		return "the key is not in the published reference"
	case driftMetric:
		return "the metric is not among the published ones"
	case driftType:
		return "the value is " + d.Detail + ", which the published reference does not have here"
	}
	return quoteWord(d.Detail) + " is not a known " + d.Key
}
