package inferencex

import (
	"bytes"
	"compress/gzip"
	"reflect"
	"testing"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// FuzzGzip holds that a capture reads the same plain, compressed, compressed
// twice and as several members one after the other, and that one which is cut off
// is never taken for whole.
func FuzzGzip(f *testing.F) {
	row := apiRow().String()
	for _, s := range []string{"[]", "[" + row + "]", row + "\n" + row, "[" + row, " ", "{}"} {
		f.Add([]byte(s), uint16(10), uint16(3))
	}
	f.Fuzz(func(t *testing.T, data []byte, cut, split uint16) {
		if bytes.HasPrefix(data, []byte("\x1f\x8b")) {
			return // gzip already
		}
		want, wantRows := gzipRead(t, data)
		at := min(int(split), len(data))
		whole := zipped(t, data)
		for name, b := range map[string][]byte{
			"compressed": whole, "twice": zipped(t, whole), "members": append(zipped(t, data[:at]), zipped(t, data[at:])...),
		} {
			if sum, rows := gzipRead(t, b); !reflect.DeepEqual(sum, want) || !reflect.DeepEqual(rows, wantRows) {
				t.Fatalf("%s: %+v, plain %+v", name, sum, want)
			}
		}
		if keep := int(cut) % len(whole); keep > 2 && keep < len(whole) {
			if sum, rows := gzipRead(t, whole[:keep]); len(sum.Problems) == 0 {
				t.Fatalf("cut to %d of %d bytes: %+v with %d rows", keep, len(whole), sum, len(rows))
			}
		}
	})
}

func gzipRead(t *testing.T, data []byte) (Summary, []*record.InferenceXRow) {
	var rows []*record.InferenceXRow
	sum, err := Read(bytes.NewReader(data), Options{NewRow: func() *record.InferenceXRow { return new(record.InferenceXRow) }},
		func(r *record.InferenceXRow) error { rows = append(rows, r); return nil })
	if err != nil {
		t.Fatalf("%d bytes: %v", len(data), err)
	}
	return sum, rows
}

func zipped(t *testing.T, data []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
