package inferencex

import (
	"fmt"
	"strings"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// The series of server metrics: a row for each, with its points as JSON, for a
// capture has some thousand points in each and questions are about few series.

// A seriesShape is how the series under a key of the body lie.
type seriesShape int

const (
	seriesPoints  seriesShape = iota + 1 // a list of points
	seriesByLabel                        // an object of lists of points, by label
	seriesByEntry                        // a list of objects with a label and points
)

// seriesShapes are the series of trace-server-metrics.
var seriesShapes = map[string]seriesShape{
	"kvCacheUsage": seriesPoints, "prefixCacheHitRate": seriesPoints, "queueDepth": seriesPoints, "prefillTps": seriesPoints, "decodeTps": seriesPoints,
	"prefixCacheHitsTps": seriesPoints, "hostKvCacheUsage": seriesPoints, "promptTokensBySource": seriesByLabel, "kvCacheUsageByEngine": seriesByEntry,
}

// seriesShape is that of a key, 0 where it holds no series.
func (b *bodyReader) seriesShape(key string) seriesShape {
	if b.tables[record.BodySeries] == nil {
		return 0
	}
	return seriesShapes[key]
}

// seriesOf hands on the series under a key of the body. null is none.
func (b *bodyReader) seriesOf(key string, value []byte, line int) error {
	shape := b.seriesShape(key)
	switch c := value[0]; {
	case c == 'n':
		b.found, b.prefix, b.single = b.found[:0], "", true
		b.drift(0, key, driftType, b.operation+"."+key, "null")
		b.settle(nil, line, 1)
		return nil
	case shape == seriesByLabel && c == '{':
		seen := map[string]bool{}
		for _, f := range fields(value) {
			if seen[f.key] {
				b.refused(key+"."+f.key, line, "duplicate-key", "the key stands twice")
				continue
			}
			seen[f.key] = true
			if err := b.seriesRow(key, key+"."+f.key, value, []field{{"label", appendQuoted(nil, f.key), f.off}, {"points", f.raw, f.off}}, line); err != nil {
				return err
			}
		}
		return nil
	case shape == seriesByEntry && c == '[':
		n := 0
		for at, raw := range elementsOf(value) {
			if err := b.entry(key, fmt.Sprintf("%s[%d]", key, n), value, at, raw, line); err != nil {
				return err
			}
			n++
		}
		return nil
	case shape == seriesPoints && c == '[':
		return b.seriesRow(key, key, value, []field{{"points", value, 0}}, line)
	}
	b.summary.problem(key, line, "type", fmt.Sprintf("%s must hold series, this is %s", quoteWord(key), typeName(value[0])))
	return nil
}

// entry hands on a series that says itself what it is of, under engineLabel.
func (b *bodyReader) entry(key, path string, value []byte, at int, raw []byte, line int) error {
	if raw[0] != '{' {
		b.refused(path, line, "type", "a series must be an object, this is "+typeName(raw[0]))
		return nil
	}
	all := b.rowFields(raw)
	for i := range all {
		all[i].off += at
		switch all[i].key {
		case "engineLabel":
			all[i].key = "label"
		case "label", "series": // which the publisher does not have here
			all[i].key = "entry." + all[i].key
		}
	}
	return b.seriesRow(key, path, value, all, line)
}

// refused notes a series that cannot be used. It has a position all the same.
func (b *bodyReader) refused(path string, line int, rule, message string) {
	b.series++
	b.summary.Refused++
	b.summary.problem(path, line, rule, message)
}

// seriesRow hands on a row of the table of series. value is what its fields stand in, which begins in a line.
func (b *bodyReader) seriesRow(key, path string, value []byte, all []field, line int) error {
	t := b.tables[record.BodySeries]
	b.found, b.overfull, b.prefix, b.single = b.found[:0], false, path, true
	b.series++
	words := &otherTable{name: b.operation + "." + key, row: "a series", columns: map[string]bool{}}
	for _, c := range t.Columns {
		words.columns[c.Key] = true
	}
	all = append([]field{{"series", appendQuoted(nil, key), 0}}, all...)
	row := b.row(&cells{&artifact{b.decoder, all, value}, words}, t)
	if seriesShapes[key] != seriesByEntry { // the body has the points where the row has a key for them
		b.prefix = ""
		for i := range b.found {
			b.found[i].path = path + strings.TrimPrefix(b.found[i].path, "points")
		}
	}
	usable := b.settle(value, line, 1)
	b.found = b.found[:0]
	if !usable {
		b.summary.Refused++
		return nil
	}
	b.summary.Rows++
	row.InferenceXPlace = record.InferenceXPlace{Table: path, Position: b.series, Line: line}
	return b.fn(row)
}
