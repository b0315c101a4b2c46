package inferencex

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/inference-sim/blis-warehouse/store/record"
)

func TestTCOHeader(t *testing.T) {
	for head, want := range map[string]bool{
		"hardware,workload,tier,tput_per_gpu\nh200,1x1,5,1\n": true, "model,hardware,workload,tier": true, "\"hardware\",\"score\"\r\n": true, "hardware,score,score_1x1\n": true,
		"hardware,tier\n": false, "hardware\nscore\n": false, "workload,tier\n": false, "hardware: h200, score: 1\n": false, "hardware,\"score\n": false, "": false, "---\nhardware,score\n": false,
	} {
		if kind, ok := Sniff([]byte(head), "x"); (kind == tcoFeed) != want || ok != want {
			t.Errorf("%q is %q", head, kind)
		}
	}
}

// FuzzRecordObject holds that the object of a record is JSON and says what its fields
// do: a text or a number as written, null for nothing.
func FuzzRecordObject(f *testing.F) {
	for _, s := range []string{"h200", "1e3", "-0", "007", "true", "", "\"", "\\", "1\n", "é", "1024x1024", "NaN", "0x1", " 1", "null", "[1]"} {
		f.Add(s, s)
	}
	table := record.InferenceXBodies(tcoFeed)["rows"]
	f.Fuzz(func(t *testing.T, a, b string) {
		if !utf8.ValidString(a) || !utf8.ValidString(b) {
			return
		}
		header := []string{"hardware", "later", "score_1x1", "workload", "score_2x2"}
		text := recordObject(table, header, []string{a, b, b, b, a})
		var got map[string]any
		d := json.NewDecoder(strings.NewReader(string(text)))
		d.UseNumber()
		if err := d.Decode(&got); err != nil || len(got) != 4 {
			t.Fatalf("%q: %v", text, err)
		}
		scores := got[workloadScores].(map[string]any)
		for _, field := range []struct {
			got   any
			text  string
			words bool
		}{{got["hardware"], a, true}, {got["workload"], b, true}, {got["later"], b, false}, {scores["1x1"], b, false}, {scores["2x2"], a, false}} {
			switch v := field.got.(type) {
			case nil:
				if field.text != "" {
					t.Errorf("%q is null", field.text)
				}
			case string:
				if v != field.text {
					t.Errorf("%q is the text %q", field.text, v)
				}
			case json.Number:
				if _, err := strconv.ParseFloat(field.text, 64); v.String() != field.text || field.words || err != nil && !strings.Contains(err.Error(), "range") {
					t.Errorf("%q is the number %s", field.text, v)
				}
			case bool:
				if strconv.FormatBool(v) != field.text || field.words {
					t.Errorf("%q is %v", field.text, v)
				}
			default:
				t.Errorf("%q is %v", field.text, v)
			}
		}
	})
}
