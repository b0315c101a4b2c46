package inferencex

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// textOf puts the text of a log together from its pieces.
func textOf(t *testing.T, rows []*record.InferenceXBodyRow) (text string, length any) {
	t.Helper()
	var all []rune
	for _, r := range rows {
		if r.Of.Section != sectionLog {
			length = r.Values[4]
			continue
		}
		piece := []rune(r.Values[3].(string))
		if int(r.Values[0].(int64)) != len(all) || int(r.Values[1].(int64)) != len(piece) || len(piece) == 0 || len(piece) > maxPiece {
			t.Fatalf("a piece of %d characters, stated are %v at %v, behind %d", len(piece), r.Values[1], r.Values[0], len(all))
		}
		var nuls []int
		if list, ok := r.Values[2].(string); ok {
			if err := json.Unmarshal([]byte(list), &nuls); err != nil || len(nuls) == 0 {
				t.Fatalf("NULs at %s: %v", list, err)
			}
		}
		for _, at := range nuls {
			piece[at] = 0
		}
		all = append(all, piece...)
	}
	return string(all), length
}

// readLog reads a file that was asked for as operation.
func readLog(t *testing.T, data []byte, operation string, slow bool) ([]*record.InferenceXBodyRow, Summary) {
	t.Helper()
	var rows []*record.InferenceXBodyRow
	opts := Options{FileName: "x", Operation: operation, Other: func(r record.InferenceXTableRow) error {
		rows = append(rows, r.(*record.InferenceXBodyRow))
		return nil
	}}
	r := bytes.NewReader(data)
	var sum Summary
	var err error
	if slow {
		sum, err = Read(iotest.OneByteReader(r), opts, func(*record.InferenceXRow) error { return nil })
	} else {
		sum, err = Read(r, opts, func(*record.InferenceXRow) error { return nil })
	}
	if err != nil {
		t.Fatal(err)
	}
	return rows, sum
}

// FuzzLog holds that a log reads as its text in either form, in pieces that end with
// lines where they can, however its bytes arrive, and that nothing else is accepted.
func FuzzLog(f *testing.F) {
	for _, s := range []string{"", "INFO\n", " \n", "a\x00\x00b\u2400", "é😀\r\n\x1b[0m", "\xff", "ab\xf0\x9f\x98", strings.Repeat("line of text\n", 3000), strings.Repeat("x", 40_000), strings.Repeat("word ", 9000),
		strings.Repeat("\x00", 20_000), strings.Repeat("😀", 17_000), "[]", `{"id":1,"serverLog":"x"}`, "\x1f\x8b", "\ufeffx", "{}", `["a"]`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if utf8.Valid(data) {
			quoted, _ := json.Marshal(string(data))
			body := append(append([]byte(`{"id":7,"serverLog":`), quoted...), '}')
			rows, sum := readLog(t, body, "", false)
			if text, length := textOf(t, rows); text != string(data) || length != int64(utf8.RuneCount(data)) || len(sum.Problems) > 0 || sum.Rows != len(rows) {
				t.Fatalf("%.200q of %v characters, %+v, want %.200q", text, length, sum, data)
			}
			for _, r := range rows[:max(len(rows)-2, 0)] { // the last is what is left, and the body itself
				text := r.Values[3].(string)
				if !strings.HasSuffix(text, "\n") && strings.Contains(text, "\n") {
					t.Fatalf("a piece ends within a line: %.200q", text)
				}
			}
			if len(data) < 200 {
				again, _ := readLog(t, body, "", true)
				if text, _ := textOf(t, again); text != string(data) {
					t.Fatalf("byte by byte %q", text)
				}
			}
		}
		if kind, _ := Sniff(data, "x"); kind.Loadable() && kind != KindEmptyList || bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
			return // it is what its content says
		}
		rows, sum := readLog(t, data, operationLog, len(data) < 200)
		switch text, _ := textOf(t, rows); {
		case !utf8.Valid(data):
			if len(sum.Problems) != 1 || sum.Problems[0].Rule != "encoding" {
				t.Fatalf("%+v of %.200q", sum, data)
			}
		case text != string(data) || len(sum.Problems) > 0 || sum.Kind != operationLog:
			t.Fatalf("%.200q, %+v, want %.200q", text, sum, data)
		}
	})
}

// FuzzLogJSON holds that what is read as a JSON string of a log is what encoding/json reads.
func FuzzLogJSON(f *testing.F) {
	for _, s := range []string{`INFO\n`, `\u0000\ud83d\ude00`, `\ud83d`, `\q`, `\u00`, "a\nb", `\"\\\/\b\f\r\t`, "é\x7f", "\xc3", `x","serverLog":"y`, `x","id":2,"offset":3`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, inner []byte) {
		body := append(append([]byte(`{"id":7,"serverLog":"`), inner...), `"}`...)
		rows, sum := readLog(t, body, "", false)
		var want struct{ ServerLog string }
		if len(sum.Problems) > 0 {
			return
		}
		if err := json.Unmarshal(body, &want); err != nil {
			t.Fatalf("%q is accepted, encoding/json says %v", body, err)
		}
		if text, _ := textOf(t, rows); text != want.ServerLog {
			t.Fatalf("%q reads as %q, encoding/json reads %q", inner, text, want.ServerLog)
		}
	})
}
