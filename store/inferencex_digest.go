package store

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"strings"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// A row that says exactly what its point holds changes nothing. To find that
// out without reading the point, the point keeps a digest of what it holds
// (in inferencex_row_digests). Points that several captures completed hold
// more than any row says: those are compared value by value.

// RowDigest is the digest of a point that holds what the row says and nothing else.
func RowDigest(row *record.InferenceXRow) int64 {
	var room [1024]byte // enough for most rows
	b := room[:0]
	for i := range fieldNames {
		if i == imageField {
			b = digestValue(b, text(row.Image))
		} else {
			b = digestValue(b, rowField(i, row, 0))
		}
	}
	for i, v := range row.Known {
		if row.Has[i] {
			b = digestNumber(b, v)
		} else {
			b = digestValue(b, nil)
		}
	}
	for i := range row.Other {
		b = digestOther(b, &row.Other[i])
	}
	return digest(b)
}

// storedDigest is the digest of a point that holds these values of fieldNames,
// with the name of its image, these values of the metric columns, and these others.
func storedDigest(stored []any, imageName string, others []record.InferenceXOther) int64 {
	var b []byte
	for i, v := range stored {
		if i == imageField {
			v = text(imageName)
		}
		b = digestValue(b, v)
	}
	for i := range others {
		b = digestOther(b, &others[i])
	}
	return digest(b)
}

// digestValue appends a value such that no two lists of values are the same bytes.
func digestValue(b []byte, v any) []byte {
	switch v := v.(type) {
	case int64:
		return binary.LittleEndian.AppendUint64(append(b, 'i'), uint64(v))
	case float64:
		return digestNumber(b, v)
	case bool: // SQLite keeps a number
		n := int64(0)
		if v {
			n = 1
		}
		return digestValue(b, n)
	case string:
		return appendText(append(b, 't'), v)
	}
	return append(b, 'n')
}

// digestNumber appends a metric. SQLite keeps no sign of 0.
func digestNumber(b []byte, v float64) []byte {
	if v == 0 {
		v = 0
	}
	return binary.LittleEndian.AppendUint64(append(b, 'f'), math.Float64bits(v))
}

func digestOther(b []byte, o *record.InferenceXOther) []byte {
	b = appendText(append(b, 'k'), o.Key)
	if o.Number != nil {
		return digestNumber(b, *o.Number)
	}
	return appendText(append(b, 't'), o.Text)
}

// digest is the first eight bytes of SHA-256: two lists are compared, never one
// with many, so that is enough to tell them apart.
func digest(b []byte) int64 {
	sum := sha256.Sum256(b)
	return int64(binary.LittleEndian.Uint64(sum[:]))
}

// digestPoint keeps the digest of a point that holds these values.
func (l *Load) digestPoint(at *knownPoint, stored []any) (err error) {
	if at.holds, err = l.digestOf(at.id, stored); err != nil {
		return err
	}
	_, err = l.exec(`INSERT INTO inferencex_row_digests (point_id, digest) VALUES (?, ?) ON CONFLICT (point_id) DO UPDATE SET digest = excluded.digest`, at.id, at.holds)
	return err
}

// digestOf is the digest of a stored point that holds these values of its columns.
func (l *Load) digestOf(point int64, stored []any) (int64, error) {
	var name string
	if image := stored[imageField]; image != nil {
		if _, err := l.queryRow(`SELECT image FROM inferencex_images WHERE image_id = ?`, []any{image}, &name); err != nil {
			return 0, err
		}
	}
	others, err := l.othersOf(point, point)
	return storedDigest(stored, name, others[point]), err
}

// othersOf reads the values without a column of the points from one to another.
func (l *Load) othersOf(first, last int64) (map[int64][]record.InferenceXOther, error) {
	others := map[int64][]record.InferenceXOther{}
	err := l.query(`SELECT point_id, key, number, ifnull(text, '') FROM inferencex_other_values WHERE point_id BETWEEN ? AND ? ORDER BY point_id, key`,
		[]any{first, last}, func(scan func(...any) error) error {
			var point int64
			var o record.InferenceXOther
			if err := scan(&point, &o.Key, &o.Number, &o.Text); err != nil {
				return err
			}
			others[point] = append(others[point], o)
			return nil
		})
	return others, err
}

// somePointsSQL reads points with their kept digest, NULL where they have none.
var somePointsSQL = "SELECT x.point_id, d.digest, ifnull(g.image, ''), x." + strings.Join(pointNames, ", x.") + `
	FROM inferencex_points x LEFT JOIN inferencex_row_digests d ON d.point_id = x.point_id LEFT JOIN inferencex_images g ON g.image_id = x.image_id
	WHERE x.point_id > ? ORDER BY x.point_id LIMIT ?`

// digestedPoint is a stored point with the digest that is kept of it, nil for
// none, and the one that it has.
type digestedPoint struct {
	id   int64
	kept *int64
	is   int64
}

// eachPointDigest calls each for all stored points in the order of their keys.
func (l *Load) eachPointDigest(each func(digestedPoint) error) error {
	const together = 500
	type pointValues struct {
		digestedPoint
		image  string
		stored []any
	}
	for last := int64(math.MinInt64); ; {
		var points []pointValues
		err := l.query(somePointsSQL, []any{last, together}, func(scan func(...any) error) error {
			p := pointValues{stored: make([]any, len(pointNames))}
			dest := []any{&p.id, &p.kept, &p.image}
			for i := range p.stored {
				dest = append(dest, &p.stored[i])
			}
			err := scan(dest...)
			points = append(points, p)
			return err
		})
		if err != nil || len(points) == 0 {
			return err
		}
		last = points[len(points)-1].id
		others, err := l.othersOf(points[0].id, last)
		if err != nil {
			return err
		}
		for _, p := range points {
			p.is = storedDigest(p.stored, p.image, others[p.id])
			if err := each(p.digestedPoint); err != nil {
				return err
			}
		}
	}
}
