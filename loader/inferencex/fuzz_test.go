package inferencex

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/inference-sim/blis-warehouse/store/record"
)

var jsonSeeds = []string{
	`{}`, `[]`, `null`, `true`, ` [1, -0.5e-3, "a\u00e9\n", {"k": [false]}] `, `{"a":1,"a":2}`, `01`, `"\ud83d\ude00"`, `"\ud800"`, `"\ud800\u0041"`, "\"\x00\"", `1e999`,
	`[1,]`, `{"a":}`, `nul`, "\xef\xbb\xbf[]", `"\u00zz"`, `[[[[]]]]`, `-`, `1.`, `.5`, `1e`, `"`, `{"a"`, `"é"`, "\"\xff\"", `{"p99.9_ttft": 0.123456789012345678}`,
}

// FuzzJSON holds the scanner against encoding/json: it accepts and refuses the
// same texts, and strings and numbers have the same values. It differs by
// intent in three cases: text that is no UTF-8, half surrogate pairs, and deep nesting.
func FuzzJSON(f *testing.F) {
	for _, s := range jsonSeeds {
		f.Add([]byte(s))
	}
	f.Add([]byte(apiRow().String()))
	f.Fuzz(func(t *testing.T, data []byte) {
		i := skipSpace(data, 0)
		end, err := scanValue(data, i, true, 0)
		got := err == nil && skipSpace(data, end) == len(data)
		want := json.Valid(data)
		if got != want {
			if want && (!utf8.Valid(data) || err != nil && (strings.Contains(err.Error(), "surrogate") || strings.Contains(err.Error(), "deeper"))) {
				return
			}
			t.Fatalf("accepted %t (%v), encoding/json %t: %q", got, err, want, data)
		}
		if !got {
			return
		}
		// Cut anywhere, a text is short or refused, and never another value.
		for cut := range min(len(data), 200) {
			if n, err := scanValue(data[:cut], i, false, 0); i < cut && err == nil && n != end && skipSpace(data, n) != len(data) {
				t.Fatalf("cut at %d of %q is a value of its own", cut, data)
			}
		}
		canonical := appendCanonical(nil, data[i:end])
		var a, b, c any
		if json.Unmarshal(data, &a) != nil { // a number beyond a double
			return
		}
		if err := json.Unmarshal(canonical, &b); err != nil || !equalJSON(a, b) {
			t.Fatalf("canonical %q of %q: %v", canonical, data, err)
		}
		if again := appendCanonical(nil, canonical); !bytes.Equal(again, canonical) {
			t.Fatalf("canonical of %q is %q", canonical, again)
		}
		compact := appendCompact(nil, data[i:end])
		var std bytes.Buffer
		json.Compact(&std, data)
		if err := json.Unmarshal(compact, &c); err != nil || !bytes.Equal(compact, std.Bytes()) {
			t.Fatalf("compact %q, encoding/json %q", compact, std.Bytes())
		}
	})
}

// equalJSON compares values, where -0 is 0. encoding/json keeps the last of
// equal keys, and so does canonical text, whose order is stable.
func equalJSON(a, b any) bool {
	if x, ok := a.(float64); ok {
		y, ok := b.(float64)
		return ok && x == y
	}
	switch x := a.(type) {
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for i := range x {
			if !equalJSON(x[i], y[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for k := range x {
			if !equalJSON(x[k], y[k]) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(a, b)
}

// FuzzRead checks that reading never fails by itself, counts every row, and
// does not depend on how the bytes arrive.
func FuzzRead(f *testing.F) {
	row, artifact := apiRow().String(), artifactRow().String()
	for _, s := range append(jsonSeeds, row, "["+row+","+row+"]", row+"\n"+row, `{"m":[`+row+`]}`, artifact, "["+artifact+"]", `[{"hardware":"h","metrics":{"a":1,"p50_ttft":2}}]`,
		strings.Replace(row, `"metrics":{`, `"metrics":{"x":[],"y":{"z":null},"median_ttft":"s",`, 1), "\x1f\x8b\x08\x00", "PGDMP") {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		opts := Options{FileName: "agg_1k1k.json", NewRow: func() *record.InferenceXRow { return new(record.InferenceXRow) }}
		var rows []*record.InferenceXRow
		sum, err := Read(bytes.NewReader(data), opts, func(r *record.InferenceXRow) error { rows = append(rows, r); return nil })
		if err != nil || len(rows) != sum.Rows || sum.Failed > sum.Rows {
			t.Fatalf("%d rows, %+v, %v", len(rows), sum, err)
		}
		if sum.Refused > len(sum.Problems) {
			t.Fatalf("%d rows refused for %d problems", sum.Refused, len(sum.Problems))
		}
		for _, r := range rows {
			if r.Conc < 1 || r.Config.Hardware == "" || r.BenchmarkType == "" || r.Config.SpecMethod == "" {
				t.Fatalf("incomplete row %+v", r)
			}
			for i, f := range r.Known {
				if math.IsInf(f, 0) || math.IsNaN(f) || f != 0 && !r.Has[i] {
					t.Fatalf("%s is %v", record.InferenceXColumns[i].Key, f)
				}
			}
			RunIdentity(r)
		}
		var again []*record.InferenceXRow
		sum2, err := Read(iotest.OneByteReader(bytes.NewReader(data)), opts, func(r *record.InferenceXRow) error { again = append(again, r); return nil })
		if err != nil || !reflect.DeepEqual(sum, sum2) || !reflect.DeepEqual(rows, again) {
			t.Fatalf("byte by byte\n%+v\n%+v", sum, sum2)
		}
	})
}

// FuzzMetrics holds the metrics of a row against encoding/json.
func FuzzMetrics(f *testing.F) {
	for _, s := range []string{`"median_ttft": 0.5`, `"p99.9_e2el": 1.25e-3, "x": 7`, `"mean_itl": null, "router_name": "r"`, `"p50_ttft": 0.1234567890123456789`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, metrics string) {
		text := strings.Replace(apiRow().with("metrics", object{}).String(), `"metrics":{}`, `"metrics":{`+metrics+`}`, 1)
		rows, sum := readAll(t, text, Options{})
		var want struct{ Metrics map[string]any }
		err := json.Unmarshal([]byte(text), &want)
		if len(rows) != 1 {
			return
		}
		if err != nil {
			t.Fatalf("accepted %q, encoding/json says %v", metrics, err)
		}
		numbers, r := 0, rows[0]
		for key, v := range want.Metrics {
			number, ok := v.(float64)
			if !ok {
				continue
			}
			numbers++
			col, known := columnIndex[strings.Replace(key, "p50_", "median_", 1)]
			if _, own := metricIDs[key]; own && known && r.Has[col] {
				if r.Known[col] != number {
					t.Fatalf("%s is %v, want %v", key, r.Known[col], number)
				}
				continue
			}
			if o := other(r, key); o == nil || o.Number == nil || *o.Number != number {
				t.Fatalf("%s is %+v, want %v (%+v)", key, o, number, sum)
			}
		}
	})
}
