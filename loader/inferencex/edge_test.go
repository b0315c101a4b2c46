package inferencex

import (
	"io"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/inference-sim/blis-warehouse/store/record"
)

func TestScanStrings(t *testing.T) {
	for text, want := range map[string]string{
		`"a\"\\\/\b\f\n\r\t"`:   "a\"\\/\b\f\n\r\t",
		`"\u00e9\u20AC"`:        "é€",
		`"\ud83d\ude00 \u0041"`: "😀 A",
		`"é€😀"`:                 "é€😀",
		`""`:                    "",
	} {
		end, _, err := scanString([]byte(text), 0)
		if err != nil || end != len(text) || unquote([]byte(text)) != want {
			t.Errorf("%s: %q %v", text, unquote([]byte(text)), err)
		}
	}
	for _, text := range []string{`"\x"`, `"\u12g4"`, `"\ud800"`, `"\ud800\n"`, `"\ud800\ud800"`, `"\udc00"`, "\"\x1f\"", "\"\xc3(\"", "\"\xed\xa0\x80\""} {
		if _, _, err := scanString([]byte(text), 0); err == nil || err == errShort {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, text := range []string{`"`, `"a`, `"\`, `"\u`, `"\u12`, `"\ud800`, `"\ud800\`, `"\ud800\u`, "\"\xe2\x82"} {
		if _, _, err := scanString([]byte(text), 0); err != errShort {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestReadMalformedKeyedRows(t *testing.T) {
	row := apiRow().String()
	head := `{"A": [` + row + "],\n"
	for name, text := range map[string]string{
		"cut":              head,
		"cut in key":       head + `"B`,
		"cut after key":    head + `"B"  :`,
		"no colon":         head + `"B" []}`,
		"no comma":         head + `"B": [] "C": []}`,
		"cut in array":     head + `"B": [`,
		"cut after array":  head + `"B": []`,
		"broken value":     head + `"B": tru}`,
		"trailing text":    head + `"B": []} 5`,
		"comma in array":   head + `"B": [,]}`,
		"cut after comma":  head + `"B": [` + row + `,`,
		"colon for comma":  head + `"B": [` + row + `:` + row + `]}`,
		"value, not a key": head + `5: []}`,
	} {
		rows, sum := readAll(t, text, Options{})
		if p := onlyProblem(t, sum); p.Rule != "json" || p.Line != 2 || len(rows) == 0 {
			t.Errorf("%s: %d rows, %+v", name, len(rows), p)
		}
	}
	rows, sum := readAll(t, head+`"A": [`+row+`]}`, Options{})
	if p := onlyProblem(t, sum); p.Rule != "duplicate-key" || len(rows) != 2 {
		t.Errorf("%+v", p)
	}
}

func TestReadRowsThatAreNoObjects(t *testing.T) {
	rows, sum := readAll(t, "["+apiRow().String()+", 5, null, [], \"x\", {}]", Options{})
	if len(rows) != 1 || sum.Refused != 5 || sum.Problems[0].Path != "[1]" || sum.Problems[0].Rule != "type" || sum.Problems[4].Path != "[5].hardware" {
		t.Errorf("%d rows, %+v", len(rows), sum.Problems)
	}
	_, sum = readAll(t, apiRow().String()+"\n5", Options{})
	if p := onlyProblem(t, sum); p.Rule != "json" || p.Line != 2 {
		t.Errorf("%+v", p)
	}
}

func TestReadRefusesAnEndlessRow(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 64 MiB")
	}
	text := io.MultiReader(strings.NewReader("["+apiRow().String()+",\n{\"image\": \""), io.LimitReader(endless{}, maxRowSize+blockSize))
	sum, err := Read(text, Options{}, func(*record.InferenceXRow) error { return nil })
	if p := onlyProblem(t, sum); err != nil || p.Rule != "row-size" || p.Line != 2 || sum.Rows != 1 {
		t.Errorf("%+v %v", p, err)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestStrictMessages(t *testing.T) {
	text := apiRow().with("hardware", "h9", "extra", 1, "id", "5", "metrics", object{"novel": 1, "mean_itl": true}).String()
	_, sum := readAll(t, text, Options{Strict: true})
	want := map[string]string{
		"extra":            "the key is not in the published reference",
		"metrics.novel":    "the metric is not among the published ones",
		"id":               "the value is a string, which the published reference does not have here",
		"metrics.mean_itl": "the value is a boolean, which the published reference does not have here",
		"hardware":         `"h9" is not a known hardware`,
	}
	if len(sum.Problems) != len(want) {
		t.Errorf("%+v", sum.Problems)
	}
	for _, p := range sum.Problems {
		if p.Message != want[p.Path] || !strings.HasPrefix(p.Rule, "drift-") {
			t.Errorf("%+v", p)
		}
	}
}

func TestMessagesShortenWords(t *testing.T) {
	_, sum := readAll(t, apiRow().with("date", strings.Repeat("é", 5000)).String(), Options{})
	if p := onlyProblem(t, sum); len(p.Message) > 200 {
		t.Errorf("%d bytes: %s", len(p.Message), p.Message)
	}
}

func TestArtifactOffloadAndOutcome(t *testing.T) {
	opts := Options{FileName: "agg_1k1k.json"}
	for _, test := range []struct {
		key   string
		value any
		want  string
	}{
		{"offloading", true, "on"}, {"offloading", false, "off"}, {"kv_offloading", "", "off"}, {"offload_mode", "half", "half"},
	} {
		if r := readOne(t, artifactRow().with(test.key, test.value).String(), opts); r.OffloadMode != test.want {
			t.Errorf("%s %v: %s", test.key, test.value, r.OffloadMode)
		}
	}
	rows, _ := readAll(t, artifactRow().with("benchmark_outcome", object{"status": "failed"}).String(), opts)
	if len(rows) != 1 || !rows[0].Failed {
		t.Errorf("a failed client: %+v", rows)
	}
	if r := readOne(t, artifactRow().with("benchmark_outcome", object{"status": "ok"}).String(), opts); r.Failed {
		t.Error("a client that did not fail")
	}
}

func TestReadDumpRuns(t *testing.T) {
	for _, test := range []struct{ path, rule, run string }{
		{"id", "missing-key", `{"github_run_id": 5, "run_attempt": 1}`},
		{"github_run_id", "missing-key", `{"id": 31, "run_attempt": 1}`},
		{"run_started_at", "timestamp", `{"id": 31, "github_run_id": 5, "run_started_at": "noon"}`},
		{"id", "duplicate-key", `{"id": 31, "id": 31, "github_run_id": 5}`},
	} {
		folder := dumpFolder()
		folder["workflow_runs.json"] = &fstest.MapFile{Data: []byte("[" + test.run + "]")}
		_, sum := readDump(t, folder, Options{})
		if p := onlyProblem(t, sum); p.Path != "workflow_runs[0]."+test.path || p.Rule != test.rule {
			t.Errorf("%+v", p)
		}
	}
	folder := dumpFolder(result())
	folder["workflow_runs.json"] = &fstest.MapFile{Data: []byte(`[{"id": 31, "github_run_id": 5, "html_url": null}]`)}
	rows, _ := readDump(t, folder, Options{})
	if len(rows) != 1 || rows[0].GitHubRunID != 5 || rows[0].RunAttempt != 1 || rows[0].Official {
		t.Errorf("%+v", rows)
	}
	folder["configs.json"] = &fstest.MapFile{Data: []byte("5")}
	_, sum := readDump(t, folder, Options{})
	if len(sum.Problems) != 2 || sum.Problems[0].Rule != "type" || sum.Problems[1].Rule != "unknown-config" {
		t.Errorf("%+v", sum.Problems)
	}
}
