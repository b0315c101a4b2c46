package inferencex

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// A decoder turns the bytes of rows into records. What it keeps between rows is
// only to save work: names resolved, strings seen, the order of keys.
type decoder struct {
	opts    Options
	summary *Summary
	drifts  drifts
	src     *source
	// prefix leads the paths of a file whose rows lie under keys: the key.
	prefix string
	single bool // the file is one row: its paths have no index

	strings map[string]string // strings seen, so that equal ones share memory
	scratch []byte            // the value of a string with escapes
	floats  []float64         // room for numbers that rows point to, never reused
	ints    []int64

	names      nameCaches
	last       [numRowKeys]string // each key's last string
	nextRow    [numRowKeys + 1]uint8
	nextMetric [numMetricIDs + 1]uint8
	lengths    [2]*int64 // the last isl and osl

	// Of the row being decoded, dropped when it is decoded again:
	found    []finding
	extra    []field
	overfull bool // it has more keys than it may
}

// A finding is a problem of a row, or a deviation where rule is "".
type finding struct {
	off     int    // in the row's bytes
	path    string // within the row
	rule    string
	message string
	drift   driftID
}

func newDecoder(opts Options, summary *Summary, src *source) *decoder {
	return &decoder{opts: opts, summary: summary, src: src, drifts: drifts{}, strings: map[string]string{}}
}

// problem notes why the row cannot be used.
func (d *decoder) problem(off int, path, rule, format string, args ...any) {
	d.found = append(d.found, finding{off: off, path: path, rule: rule, message: fmt.Sprintf(format, args...)})
}

// drift notes a deviation from the reference.
func (d *decoder) drift(off int, path, kind, key, detail string) {
	d.found = append(d.found, finding{off: off, path: path, drift: driftID{kind, key, detail}})
}

// settle reports the findings of the row that starts at buf[start], and tells
// whether the row can be used.
func (d *decoder) settle(b []byte, line, position int) bool {
	usable := true
	for _, f := range d.found {
		if known := d.drifts[f.drift]; f.rule == "" && known != nil {
			known.Count++
			continue
		}
		at := line + bytes.Count(b[:f.off], newline)
		path := d.path(position, f.path)
		if f.rule == "" {
			d.drifts[f.drift] = &Drift{f.drift.kind, f.drift.key, f.drift.detail, path, at, 1}
			continue
		}
		usable = false
		d.summary.problem(path, at, f.rule, f.message)
	}
	return usable
}

// path is the path of a key in a row, whose index counts from 0.
func (d *decoder) path(position int, key string) string {
	p := d.prefix
	if !d.single {
		p += "[" + strconv.Itoa(position-1) + "]"
	}
	if p != "" && key != "" {
		p += "."
	}
	return p + key
}

// Strings kept for sharing are at most so many, beyond which the set starts
// anew, and at most so long.
const (
	maxInterned       = 1 << 15
	maxInternedLength = 128
)

// intern returns b as a string, the same one for equal bytes unless they are long.
func (d *decoder) intern(b []byte) string {
	if len(b) > maxInternedLength {
		return string(b)
	}
	if s, ok := d.strings[string(b)]; ok {
		return s
	}
	if len(d.strings) >= maxInterned {
		d.strings = map[string]string{}
	}
	s := string(b)
	d.strings[s] = s
	return s
}

// float returns a pointer to f that stays valid.
func (d *decoder) float(f float64) *float64 {
	if len(d.floats) == cap(d.floats) {
		d.floats = make([]float64, 0, 512)
	}
	d.floats = append(d.floats, f)
	return &d.floats[len(d.floats)-1]
}

// int returns a pointer to n that stays valid.
func (d *decoder) int(n int64) *int64 {
	if len(d.ints) == cap(d.ints) {
		d.ints = make([]int64, 0, 512)
	}
	d.ints = append(d.ints, n)
	return &d.ints[len(d.ints)-1]
}

// text returns the value of the validated string b[i:end], valid until the next call.
func (d *decoder) text(b []byte, i, end int, plain bool) []byte {
	if plain {
		return b[i+1 : end-1]
	}
	d.scratch = appendUnquoted(d.scratch[:0], b[i+1:end-1])
	return d.scratch
}

// Metric ids: the columns, then p50_<quantity> for each quantity with a median column.
const (
	numMedians   = 5
	numMetricIDs = record.NumInferenceXColumns + numMedians
	noMetric     = numMetricIDs // predicts the first metric
)

// medians are the columns that a p50_ key stands for.
var medians = func() (t [numMedians]int) {
	for i, q := range []string{"ttft", "tpot", "itl", "e2el", "intvty"} {
		t[i] = columnIndex["median_"+q]
	}
	return t
}()

// metricKeys are the keys by metric id, metricQuoted the same in quotes.
var metricKeys, metricQuoted = func() (keys, quoted [numMetricIDs]string) {
	for i, c := range record.InferenceXColumns {
		keys[i] = c.Key
	}
	for i, col := range medians {
		keys[record.NumInferenceXColumns+i] = "p50_" + record.InferenceXColumns[col].Key[len("median_"):]
	}
	for i, k := range keys {
		quoted[i] = `"` + k + `"`
	}
	return keys, quoted
}()

var metricIDs = func() map[string]uint8 {
	m := make(map[string]uint8, numMetricIDs)
	for i, k := range metricKeys {
		m[k] = uint8(i)
	}
	return m
}()

// metrics decodes the metrics object at b[i] into row and returns the index after it.
func (d *decoder) metrics(row *record.InferenceXRow, b []byte, i int) (int, error) {
	i = skipSpace(b, i+1)
	if i < len(b) && b[i] == '}' {
		return i + 1, nil
	}
	var seen [numMetricIDs]bool
	var p50 [numMedians]float64
	var hasP50 [numMedians]bool
	previous := uint8(noMetric)
	for {
		if i >= len(b) {
			return 0, errShort
		}
		id := d.nextMetric[previous]
		known := true
		var key string
		if q := metricQuoted[id]; len(b)-i > len(q) && string(b[i:i+len(q)]) == q {
			i += len(q)
			key = metricKeys[id]
		} else {
			if b[i] != '"' {
				return 0, syntax(i, "a key is a string in double quotes")
			}
			end, plain, err := scanString(b, i)
			if err != nil {
				return 0, err
			}
			text := d.text(b, i, end, plain)
			if id, known = metricIDs[string(text)]; known {
				d.nextMetric[previous] = id
				key = metricKeys[id]
			} else {
				key = d.intern(text)
			}
			i = end
		}
		value, err := scanColon(b, i)
		if err != nil {
			return 0, err
		}
		if value >= len(b) {
			return 0, errShort
		}
		i = value
		if known {
			if seen[id] {
				d.problem(i, "metrics."+key, "duplicate-key", "the key stands twice in metrics")
			}
			seen[id] = true
			previous = id
		}
		if c := b[i]; c == '-' || c-'0' < 10 {
			n, end, err := scanNumber(b, i)
			if err != nil {
				return 0, err
			}
			f, ok := n.float(b[i:end])
			switch {
			case !ok:
				d.problem(i, "metrics."+key, "number-range", "%s is beyond a double", quoteWord(string(b[i:end])))
			case !known:
				d.other(row, key, i, f)
			case id < record.NumInferenceXColumns:
				row.Known[id], row.Has[id] = f, true
			default:
				p50[id-record.NumInferenceXColumns], hasP50[id-record.NumInferenceXColumns] = f, true
			}
			i = end
		} else {
			end, err := d.noNumber(row, key, b, i)
			if err != nil {
				return 0, err
			}
			i = end
		}
		more, next, err := scanSeparator(b, i, '}')
		if err != nil {
			return 0, err
		}
		i = next
		if !more {
			break
		}
	}
	for m, has := range hasP50 {
		if has {
			d.p50(row, m, p50[m], i-1, "metrics.")
		}
	}
	d.sortOther(row, i-1, "metrics.")
	return i, nil
}

// p50 settles a p50_ value: it fills the median's column where that is absent,
// must agree with it where it is present, and is then kept beside it.
func (d *decoder) p50(row *record.InferenceXRow, m int, f float64, off int, prefix string) {
	col := medians[m]
	key := metricKeys[record.NumInferenceXColumns+m]
	switch {
	case !row.Has[col]:
		row.Known[col], row.Has[col] = f, true
		row.P50 |= 1 << col
	case row.Known[col] != f:
		d.problem(off, prefix+key, "p50-median", "%s is %v and %s is %v: both name the same statistic and must agree",
			key, f, metricKeys[col], row.Known[col])
	default:
		row.Other = append(row.Other, record.InferenceXOther{Key: key, Number: d.float(f)})
	}
}

// maxKeys bounds the metrics without a column and the keys outside the
// reference of a row, each: real rows have some dozens.
const maxKeys = 10_000

// full tells that a row has as many keys as it may, and that once as a problem.
func (d *decoder) full(n, off int, path, what string) bool {
	if n < maxKeys {
		return false
	}
	if !d.overfull {
		d.overfull = true
		d.problem(off, path, "row-size", "more than %d %s in a row", maxKeys, what)
	}
	return true
}

// other keeps a number that has no column.
func (d *decoder) other(row *record.InferenceXRow, key string, off int, f float64) {
	if d.full(len(row.Other), off, "metrics", "metrics") {
		return
	}
	if _, ok := rawKey(key); !ok {
		d.drift(off, "metrics."+key, driftMetric, key, "")
	}
	row.Other = append(row.Other, record.InferenceXOther{Key: key, Number: d.float(f)})
}

// textMetrics are the metrics that are text by nature.
var textMetrics = words("offload_mode", "kv_offloading", "kv_offload_backend", "kv_p2p_transfer", "router_name", "router_version")

// noNumber decodes a metric that is no number: null is not measured, everything
// else is kept as text.
func (d *decoder) noNumber(row *record.InferenceXRow, key string, b []byte, i int) (int, error) {
	if d.full(len(row.Other), i, "metrics", "metrics") {
		return scanValue(b, i, false, 2)
	}
	if b[i] == '"' {
		end, plain, err := scanString(b, i)
		if err != nil {
			return 0, err
		}
		if !textMetrics[key] {
			d.drift(i, "metrics."+key, driftType, "metrics."+key, "a string")
		}
		row.Other = append(row.Other, record.InferenceXOther{Key: key, Text: d.intern(d.text(b, i, end, plain))})
		return end, nil
	}
	end, err := scanValue(b, i, false, 2)
	if err != nil {
		return 0, err
	}
	if b[i] == 'n' {
		if _, known := metricIDs[key]; !known {
			row.Other = append(row.Other, record.InferenceXOther{Key: key, Text: notMeasured})
		}
		return end, nil
	}
	d.drift(i, "metrics."+key, driftType, "metrics."+key, typeName(b[i]))
	row.Other = append(row.Other, record.InferenceXOther{Key: key, Text: string(appendCompact(nil, b[i:end]))})
	return end, nil
}

// notMeasured holds the place of a null metric until sortOther, so that a key
// that stands twice is found. No text attribute contains it: it is no UTF-8.
const notMeasured = "\xff"

// sortOther sorts the metrics without a column, finds those that stand twice and
// drops those that were not measured.
func (d *decoder) sortOther(row *record.InferenceXRow, off int, prefix string) {
	slices.SortStableFunc(row.Other, func(a, b record.InferenceXOther) int {
		if a.Key < b.Key {
			return -1
		}
		if a.Key > b.Key {
			return 1
		}
		return 0
	})
	for i := 1; i < len(row.Other); i++ {
		if row.Other[i].Key == row.Other[i-1].Key && (i < 2 || row.Other[i].Key != row.Other[i-2].Key) {
			d.problem(off, prefix+row.Other[i].Key, "duplicate-key", "the key stands twice in metrics")
		}
	}
	row.Other = slices.DeleteFunc(row.Other, func(o record.InferenceXOther) bool { return o.Text == notMeasured })
}

// typeName names the type of the JSON value that begins with c.
func typeName(c byte) string {
	switch c {
	case '"':
		return "a string"
	case '{':
		return "an object"
	case '[':
		return "an array"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}

// Columns that decide whether a point failed.
var (
	columnTotal      = columnIndex["num_requests_total"]
	columnSuccessful = columnIndex["num_requests_successful"]
)

// fail marks a point without a successful request, or one that the publisher
// failed, and keeps its text.
func fail(row *record.InferenceXRow, b []byte, failed bool) {
	none := row.Has[columnSuccessful] && row.Known[columnSuccessful] == 0 && row.Has[columnTotal] && row.Known[columnTotal] > 0
	if none || failed {
		row.Failed = true
		row.JSON = string(appendCompact(nil, b))
	}
}
