package inferencex

import (
	"fmt"
	"strconv"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// Bodies that are objects whose members are named by benchmark result ids, as the
// operations return that are asked for several: each member is a row.

// byID is the table of such a body, nil where the body is none.
func (b *bodyReader) byID() *record.InferenceXBodyTable {
	if t := b.tables[record.BodyByID]; t != nil {
		return t
	}
	return b.tables[record.BodyFlagByID]
}

// idMembers reads the rest of an object whose brace is consumed: a row for each
// member. Of members of one id the first is read, the others are refused.
func (b *bodyReader) idMembers(t *record.InferenceXBodyTable) error {
	r := b.rows(t, "")
	r.anyValue = t.Section == record.BodyFlagByID
	b.single = true // the key of a member is the path to it
	return b.members(func(key string, _ int) error {
		b.member, b.prefix = key, key
		if b.read[key] {
			b.summary.Refused++
			r.position++
			return b.skip()
		}
		b.read[key] = true
		if _, ok := b.src.peek(); !ok {
			return b.src.fail(errShort)
		}
		return r.next()
	})
}

// skip reads a value of the body and drops it.
func (b *bodyReader) skip() error {
	return b.src.scan(func(text []byte, final bool) (int, error) { return scanValue(text, 0, final, 1) })
}

// id is the benchmark result id that names the member being read. Where the member
// states one under key, it must be the same.
func (b *bodyReader) id(c *cells, key string) int64 {
	id, ok := resultID(b.member)
	if !ok {
		c.problem(0, "", "id", "%s names the member: it must be a benchmark result id, a positive integer in decimal digits", quoteWord(b.member))
	}
	f, stated := c.get(key)
	if !stated {
		return id
	}
	before := len(c.found)
	if own, _ := c.integer(key, 1, maxID); ok && own != id && !c.problemSince(before) {
		c.problem(f.off, key, "id", "%s is %d in the member %d: which benchmark result it is of is open", key, own, id)
	}
	return id
}

// resultID reads a benchmark result id that is a key: digits without a sign, a
// leading zero or space.
func resultID(key string) (int64, bool) {
	n, err := strconv.ParseInt(key, 10, 64)
	return n, err == nil && n > 0 && n <= maxID && strconv.FormatInt(n, 10) == key
}

// elements returns a list whose elements are of a type as compact JSON, nil where
// one is not. null among numbers is one that the publisher could not tell, and kept.
func (c *cells) elements(f field, want, plural string) any {
	if f.raw[0] != '[' {
		c.problem(f.off, f.key, "type", "%s must be a list of %s, this is %s", f.key, plural, typeName(f.raw[0]))
		return nil
	}
	n := 0
	for at, raw := range elementsOf(f.raw) {
		switch got := typeName(raw[0]); {
		case got == "null" && want == "a number":
			c.drift(f.off+at, fmt.Sprintf("%s[%d]", f.key, n), driftType, c.table.name+"."+f.key, "null")
		case got != want:
			c.problem(f.off+at, fmt.Sprintf("%s[%d]", f.key, n), "type", "%s must be a list of %s, this is %s", f.key, plural, got)
			return nil
		case got == "a number":
			if _, ok := c.number(field{f.key, raw, f.off + at}, fmt.Sprintf("%s[%d]", f.key, n)); !ok {
				return nil
			}
		}
		n++
	}
	return string(appendCompact(nil, f.raw))
}

// countOf counts the elements of a list that are not null, nil where it is no list.
func countOf(list []byte) any {
	if list[0] != '[' {
		return nil
	}
	n := int64(0)
	for _, raw := range elementsOf(list) {
		if raw[0] != 'n' {
			n++
		}
	}
	return n
}

// elementsOf are the elements of a validated list, by their offset in it.
func elementsOf(list []byte) func(func(at int, raw []byte) bool) {
	return func(yield func(int, []byte) bool) {
		for i := skipSpace(list, 1); list[i] != ']'; {
			end, _ := scanValue(list, i, true, 0)
			if !yield(i, list[i:end]) {
				return
			}
			if i = skipSpace(list, end); list[i] == ',' {
				i = skipSpace(list, i+1)
			}
		}
	}
}
