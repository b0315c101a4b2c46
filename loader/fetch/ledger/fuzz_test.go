package ledger

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
)

const (
	digest = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	line   = `{"kind":"InferenceXCapture","operation":"benchmarks","params":{"model":"m"},"url":"https://example.org/a?b","started_at":"2026-01-02T03:04:05.6Z",` +
		`"duration_ms":7,"attempts":1,"outcome":"complete","status":200,"file":"a.json","size":3,"sha256":"` + digest + `","etag":"\"x\""}`
)

// FuzzRead holds that every line that is not blank is either a capture or
// counted as broken, and that what was read can be written and reads the same.
func FuzzRead(f *testing.F) {
	f.Add(line + "\n" + line)
	f.Add(line[:len(line)/2])
	f.Add(line + "\n" + line[:30] + "\n\n" + line + "\r\n")
	f.Add(strings.Replace(line, "2026", "20260", 1) + "\n" + strings.Replace(line, digest, "A"+digest[1:], 1))
	f.Add(strings.Replace(line, `"size":3`, `"size":-3`, 1) + "\n" + strings.Replace(line, "Z", "+23:59", 1))
	f.Add("null\n[]\n\x00\n{}\n" + `{"kind":"InferenceXCapture"}`)
	f.Fuzz(func(t *testing.T, text string) {
		captures, broken, err := Read(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		lines := 0
		for l := range strings.SplitSeq(text, "\n") {
			if len(strings.TrimSpace(l)) > 0 {
				lines++
			}
		}
		if len(captures)+broken != lines {
			t.Errorf("%d captures and %d broken lines of %d", len(captures), broken, lines)
		}
		var again bytes.Buffer
		for i := range captures {
			b, err := json.Marshal(&captures[i])
			if err != nil {
				t.Fatal(err)
			}
			again.Write(append(b, '\n'))
		}
		back, broken, err := Read(&again)
		if err != nil || broken > 0 || len(back) != len(captures) {
			t.Fatalf("%d of %d read back, %d broken, %v", len(back), len(captures), broken, err)
		}
		for i := range back {
			if !back[i].StartedAt.Equal(captures[i].StartedAt) {
				t.Errorf("%v became %v", captures[i].StartedAt, back[i].StartedAt)
			}
			back[i].StartedAt, captures[i].StartedAt = time.Time{}, time.Time{}
			if len(captures[i].Params) == 0 {
				captures[i].Params = nil
			}
			if !reflect.DeepEqual(back[i], captures[i]) {
				t.Errorf("%+v became %+v", captures[i], back[i])
			}
		}
	})
}

// A line that a killed process left half written counts as nothing, and the
// lines around it as what they are.
func TestReadTorn(t *testing.T) {
	captures, broken, err := Read(strings.NewReader(line + "\n" + line[:40]))
	if err != nil || len(captures) != 1 || broken != 1 || captures[0].File != "a.json" {
		t.Errorf("%+v, %d broken, %v", captures, broken, err)
	}
	long := `{"kind":"` + strings.Repeat("x", maxLine) + `"}`
	captures, broken, err = Read(strings.NewReader(long + "\n" + line + "\n"))
	if err != nil || len(captures) != 1 || broken != 1 {
		t.Errorf("%d captures, %d broken, %v", len(captures), broken, err)
	}
}
