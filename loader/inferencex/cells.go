package inferencex

import (
	"slices"
	"strconv"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// cells are the columns of a row of a dump's table. Its methods note a problem
// where a value cannot be used; what they return is then of no use.
type cells struct {
	*artifact
	table *otherTable
}

// otherColumns reports the columns that the table is not known to have.
func (c *cells) otherColumns() {
	for _, f := range c.fields {
		if f.key != "id" && !c.table.columns[f.key] {
			c.drift(f.off, f.key, driftKey, c.table.name+"."+f.key, "")
		}
	}
}

// problemSince tells whether a problem was found after the first n findings.
func (c *cells) problemSince(n int) bool {
	return slices.ContainsFunc(c.found[n:], func(f finding) bool { return f.rule != "" })
}

// needed tells whether a column has a value, which it must have.
func (c *cells) needed(key string) bool {
	f, ok := c.get(key)
	if !ok || string(f.raw) == `""` {
		c.problem(f.off, key, "missing-key", "%s is missing: %s needs it", key, c.table.row)
		return false
	}
	return true
}

func (c *cells) neededString(key string) string {
	if !c.needed(key) {
		return ""
	}
	return c.string(key)
}

func (c *cells) neededInteger(key string, least, most int64) int64 {
	if !c.needed(key) {
		return 0
	}
	n, _ := c.integer(key, least, most)
	return n
}

func (c *cells) neededDay(key string) string {
	if !c.needed(key) {
		return ""
	}
	return c.day(key)
}

// neededWord is word for a column that must have a value.
func (c *cells) neededWord(key string, canonical func(raw string) (name string, known bool)) string {
	if !c.needed(key) {
		return ""
	}
	return c.word(key, canonical)
}

// word returns the canonical name of a column's text. A name that is not known
// stays as written and is reported.
func (c *cells) word(key string, canonical func(raw string) (name string, known bool)) string {
	raw := c.string(key)
	name, known := canonical(raw)
	if !known {
		f, _ := c.get(key)
		c.drift(f.off, key, driftWord, key, raw)
	}
	return name
}

// ticks returns an integer of 64 bits, exactly; 8.0 and 8e0 are integers as long as a
// double holds all of them.
func (c *cells) ticks(f field, key string) int64 {
	if typeName(f.raw[0]) != "a number" {
		c.problem(f.off, key, "type", "%s must be an integer, this is %s", key, typeName(f.raw[0]))
		return 0
	}
	if v, err := strconv.ParseInt(string(f.raw), 10, 64); err == nil {
		return v
	}
	n, _, err := scanNumber(append(slices.Clone(f.raw), ' '), 0)
	if v, ok := n.integer(f.raw); ok && err == nil {
		return v
	}
	c.problem(f.off, key, "type", "%s must be an integer of 64 bits, this is %s", key, quoteWord(string(f.raw)))
	return 0
}

// count returns an integer, nil where it is absent.
func (c *cells) count(key string, least, most int64) *int64 {
	if n, ok := c.integer(key, least, most); ok {
		return &n
	}
	return nil
}

// day returns a UTC day, "" where it is absent.
func (c *cells) day(key string) string {
	s := c.string(key)
	if s == "" {
		return ""
	}
	d, _, ok := day(s)
	if !ok {
		f, _ := c.get(key)
		c.problem(f.off, key, "date", "%s is %s: it must be a UTC day, YYYY-MM-DD", key, quoteWord(s))
	}
	return d
}

// moment returns a time in UTC, "" where it is absent.
func (c *cells) moment(key string) string {
	s := c.string(key)
	if s == "" {
		return ""
	}
	t, _, ok := moment(s)
	if !ok {
		f, _ := c.get(key)
		c.problem(f.off, key, "timestamp", "%s is %s: it must be a timestamp such as 2026-09-18T22:35:24Z", key, quoteWord(s))
	}
	return t.Format(rfc3339)
}

// list returns a list of strings as canonical JSON, empty where it is absent. A
// string is a list of one.
func (c *cells) list(key string) string {
	f, ok := c.get(key)
	switch {
	case !ok:
		return "[]"
	case f.raw[0] == '"':
		return "[" + string(appendCanonical(nil, f.raw)) + "]"
	case f.raw[0] != '[' || !onlyStrings(f.raw):
		c.problem(f.off, key, "type", "%s must be a list of strings, this is %s", key, quoteWord(string(f.raw)))
		return ""
	}
	return string(appendCanonical(nil, f.raw))
}

// onlyStrings tells whether the elements of a validated list are strings.
func onlyStrings(b []byte) bool {
	for i := skipSpace(b, 1); b[i] != ']'; {
		if b[i] != '"' {
			return false
		}
		end, _, err := scanString(b, i)
		if err != nil {
			return false
		}
		if i = skipSpace(b, end); b[i] == ',' {
			i = skipSpace(b, i+1)
		}
	}
	return true
}

// metrics returns the column metrics, sorted by key: numbers, and everything
// else as text. null is not measured.
func (c *cells) metrics() []record.InferenceXOther {
	block, ok := c.get("metrics")
	if !ok {
		return nil
	}
	if block.raw[0] != '{' {
		c.problem(block.off, "metrics", "type", "metrics must be an object, this is %s", typeName(block.raw[0]))
		return nil
	}
	var row record.InferenceXRow
	for _, f := range fields(block.raw) {
		c.metric(&row, f, block.off+f.off)
	}
	c.sortOther(&row, block.off, "metrics.")
	return row.Other
}

func (c *cells) metric(row *record.InferenceXRow, f field, off int) {
	path := "metrics." + f.key
	m := record.InferenceXOther{Key: f.key}
	switch typeName(f.raw[0]) {
	case "null":
		m.Text = notMeasured
	case "a number":
		v, ok := c.number(field{f.key, f.raw, off}, path)
		if !ok {
			return
		}
		m.Number = c.float(v)
	case "a string":
		c.drift(off, path, driftType, c.table.name+"."+path, "a string")
		m.Text = unquote(f.raw)
	default:
		c.drift(off, path, driftType, c.table.name+"."+path, typeName(f.raw[0]))
		m.Text = string(appendCompact(nil, f.raw))
	}
	row.Other = append(row.Other, m)
}
