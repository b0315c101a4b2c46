package store

import (
	"context"
	"crypto/sha256"
	"crypto/sha3"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strconv"
)

// A digest of the logical content must not depend on the order of rows, which
// differs from database to database, and must not need them sorted, for a
// table may hold millions. So a table's rows are hashed one by one to numbers
// of 4096 bits, and these added: the sum of a multiset (Bellare and Micciancio,
// "A new paradigm for collision-free hashing", 1997). At this width the best
// known way to two different multisets of one sum, Wagner's generalised
// birthday, takes more than 2^128 steps. docs/integrity.md has the definition.

// Digest is a digest of the logical content of a database.
type Digest struct {
	SHA256 string        // of the whole
	Tables []TableDigest // by name, those that have rows
}

// TableDigest is a digest of the rows of a table.
type TableDigest struct {
	Table  string
	Rows   int64
	SHA256 string
}

// Digest returns the digest of the logical content. It reads every row once
// and holds one at a time.
func (r *Reader) Digest(ctx context.Context) (*Digest, error) {
	var d Digest
	var sum multiset
	add := func(table string) {
		d.Tables = append(d.Tables, TableDigest{Table: table, Rows: sum.rows, SHA256: sum.digest(table)})
	}
	last := ""
	err := r.LogicalRows(ctx, func(table string, columns []string, values []any) error {
		if table != last && last != "" {
			add(last)
			sum = multiset{}
		}
		last = table
		return sum.add(columns, values)
	})
	if err != nil {
		return nil, err
	}
	if last != "" {
		add(last)
	}
	h := sha256.New()
	for _, t := range d.Tables {
		fmt.Fprintf(h, "%s %d %s\n", t.Table, t.Rows, t.SHA256)
	}
	d.SHA256 = hex.EncodeToString(h.Sum(nil))
	return &d, nil
}

// sumBytes is the width of a row's number and of their sum.
const sumBytes = 512

// multiset is the sum of the rows that were added.
type multiset struct {
	rows int64
	sum  [sumBytes / 8]uint64 // the least significant word first
	row  []byte
	hash *sha3.SHAKE
	out  [sumBytes]byte
}

func (m *multiset) add(columns []string, values []any) (err error) {
	if m.row, err = appendRow(m.row[:0], columns, values); err != nil {
		return err
	}
	if m.hash == nil {
		m.hash = sha3.NewSHAKE128()
	}
	m.hash.Reset()
	m.hash.Write(m.row)
	m.hash.Read(m.out[:])
	var carry uint64
	for i := range m.sum {
		m.sum[i], carry = bits.Add64(m.sum[i], binary.LittleEndian.Uint64(m.out[8*i:]), carry)
	}
	m.rows++
	return nil
}

func (m *multiset) digest(table string) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s %d\n", table, m.rows)
	for _, word := range m.sum {
		h.Write(binary.LittleEndian.AppendUint64(nil, word))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// appendRow appends a row in canonical form: for every column that is not
// NULL its name, a zero byte, a letter for the type, the length of the value
// and the value. NULLs are left out, so that a column that a migration adds
// changes nothing until something is in it.
func appendRow(b []byte, columns []string, values []any) ([]byte, error) {
	var scratch [32]byte
	for i, v := range values {
		var kind byte
		var value []byte
		switch v := v.(type) {
		case nil:
			continue
		case int64:
			kind, value = 'i', strconv.AppendInt(scratch[:0], v, 10)
		case float64:
			kind, value = 'r', hex.AppendEncode(scratch[:0], binary.BigEndian.AppendUint64(nil, math.Float64bits(v)))
		case string:
			b = appendValue(b, columns[i], 't', len(v))
			b = append(b, v...)
			continue
		case []byte:
			kind, value = 'b', v
		default:
			return nil, fmt.Errorf("column %s: a value of type %T has no canonical form", columns[i], v)
		}
		b = appendValue(b, columns[i], kind, len(value))
		b = append(b, value...)
	}
	return b, nil
}

func appendValue(b []byte, column string, kind byte, length int) []byte {
	b = append(b, column...)
	b = append(b, 0, kind)
	b = strconv.AppendInt(b, int64(length), 10)
	return append(b, ':')
}

// TableDifference is a table whose rows two databases do not share.
type TableDifference struct {
	Table   string
	Was, Is int64 // rows
}

// DifferentTables compares two digests table by table, by name.
func DifferentTables(was, is *Digest) (all []TableDifference) {
	tables := map[string][2]TableDigest{}
	for i, d := range []*Digest{was, is} {
		for _, t := range d.Tables {
			both := tables[t.Table]
			both[i] = t
			tables[t.Table] = both
		}
	}
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		if both := tables[name]; both[0] != both[1] {
			all = append(all, TableDifference{name, both[0].Rows, both[1].Rows})
		}
	}
	return all
}
