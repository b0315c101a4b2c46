package loader

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/inference-sim/blis-warehouse/queries"
	"github.com/inference-sim/blis-warehouse/store"
)

// The tests of this file hold what the publisher's data is like, end to end:
// rows go through Load into a database. docs/inferencex.md lists them by fact.
// Every row is invented; nothing here was measured.

// object is a JSON object under construction.
type object map[string]any

var absent = new(int)

// with returns a copy with keys set; the value absent removes a key.
func (o object) with(pairs ...any) object {
	c := maps.Clone(o)
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] == absent {
			delete(c, pairs[i].(string))
		} else {
			c[pairs[i].(string)] = pairs[i+1]
		}
	}
	return c
}

func (o object) String() string {
	b, err := json.Marshal(o)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func array(all ...object) string {
	parts := make([]string, len(all))
	for i, o := range all {
		parts[i] = o.String()
	}
	return rows(parts...)
}

const actions = "https://github.com/SemiAnalysisAI/InferenceX/actions/runs/"

// invented is a benchmark row that states no more than it must.
func invented(pairs ...any) object {
	return object{
		"hardware": "h200", "framework": "vllm", "model": "dsr1", "precision": "fp8", "spec_method": "none", "disagg": false, "is_multinode": false,
		"prefill_tp": 8, "prefill_ep": 1, "prefill_dp_attention": false, "prefill_num_workers": 0,
		"decode_tp": 8, "decode_ep": 1, "decode_dp_attention": false, "decode_num_workers": 0, "num_prefill_gpu": 8, "num_decode_gpu": 8,
		"isl": 1024, "osl": 1024, "conc": 4, "metrics": object{"median_ttft": 0.25}, "date": "2026-01-02", "run_url": actions + "100000001/attempts/1",
	}.with(pairs...)
}

// inventedArtifact is a raw artifact that states no more than it must.
func inventedArtifact(pairs ...any) object {
	return object{"hw": "b200-nv", "tp": 8, "ep": 1, "dp_attention": "false", "conc": 16, "model": "deepseek-ai/DeepSeek-R1-0528",
		"framework": "sglang", "precision": "fp8", "tput_per_gpu": 100.5, "median_ttft": 0.25}.with(pairs...)
}

// loaded is a world with one database, w.db, of one capture.
func loaded(t *testing.T, all ...object) *world {
	t.Helper()
	w := newWorld(t, map[string]string{"a.json": array(all...)})
	r := w.load("w.db", w.options(), "a.json")
	for _, p := range r.Documents[0].Problems {
		t.Errorf("problem %+v", p)
	}
	return w
}

// shipped runs a query of the program with values for some of its parameters.
func (w *world) shipped(db, name string, values map[string]string) []string {
	w.t.Helper()
	q, ok := queries.Get(name)
	if !ok {
		w.t.Fatalf("there is no query %s", name)
	}
	text := q.Text
	for _, p := range q.Params {
		value := "NULL"
		if v, ok := values[p.Name]; ok {
			value = "'" + v + "'"
		}
		text = regexp.MustCompile(`:`+p.Name+`\b`).ReplaceAllString(text, value)
	}
	return w.query(db, text)
}

func (w *world) wantMatch(db, query string, patterns ...string) {
	w.t.Helper()
	got := w.query(db, query)
	ok := len(got) == len(patterns)
	for i := 0; ok && i < len(got); i++ {
		ok = regexp.MustCompile("^" + patterns[i] + "$").MatchString(got[i])
	}
	if !ok {
		w.t.Errorf("%s\ngot  %q\nwant %q", query, got, patterns)
	}
}

// content is logicalContent without what says which files were read.
func (w *world) content(db string) []string {
	w.t.Helper()
	return w.logicalContentBut(db, "inferencex_drift", "inferencex_ids", "inferencex_id_captures")
}

// Identity

func TestFactRunNames(t *testing.T) {
	w := newWorld(t, map[string]string{
		"a.json": array(invented("run_url", actions+"100000001/attempts/3"), invented("run_url", actions+"100000002"),
			invented("run_url", nil, "date", "2026-05-04"), invented("run_url", absent, "date", "2026-05-05"), invented("run_url", actions+"100000003/attempts/2/", "conc", 8)),
		"d/agg_1k1k.json": inventedArtifact().String(),
	})
	w.load("w.db", w.options(), "a.json", "d")
	const hex = `[0-9a-f]{12}`
	w.wantMatch("w.db", `SELECT r.name, ifnull(i.github_run_id, 0), ifnull(i.run_attempt, 0) FROM runs r JOIN inferencex_runs i USING (run_id) ORDER BY 1`,
		"artifact-"+hex+`\|0\|0`,
		"inferencex-100000001-3-"+hex+`\|100000001\|3`,
		"inferencex-100000002-1-"+hex+`\|100000002\|1`,
		"inferencex-100000003-2-"+hex+`\|100000003\|2`,
		"inferencex-2026-05-04-"+hex+`\|0\|0`,
		"inferencex-2026-05-05-"+hex+`\|0\|0`)
	// The name follows from the identity alone: metrics, image and ids do not change it.
	w.load("x.db", w.options(), "d", "a.json")
	w.write(map[string]string{"b.json": array(invented("run_url", actions+"100000001/attempts/3", "id", 7, "image", "a/b:v1.0", "metrics", object{"p99_itl": 1}, "conc", 99))})
	w.load("x.db", w.options(), "b.json")
	if a, b := w.query("w.db", `SELECT name FROM runs ORDER BY 1`), w.query("x.db", `SELECT name FROM runs ORDER BY 1`); !slices.Equal(a, b) {
		t.Errorf("names %q and %q", a, b)
	}
}

func TestFactIdentityColumns(t *testing.T) {
	configuration := [][]any{
		{"hardware", "b200"}, {"framework", "sglang"}, {"model", "dsv4"}, {"precision", "fp4"}, {"spec_method", "mtp"}, {"disagg", true}, {"is_multinode", true},
		{"prefill_tp", 4}, {"prefill_ep", 4}, {"prefill_dp_attention", true}, {"prefill_num_workers", 1},
		{"decode_tp", 4}, {"decode_ep", 4}, {"decode_dp_attention", true}, {"decode_num_workers", 1}, {"num_prefill_gpu", 64}, {"num_decode_gpu", 64},
	}
	beside := [][]any{{"benchmark_type", "agentic_traces"}, {"isl", 8192}, {"osl", 8192}, {"isl", nil}, {"osl", nil}, {"offload_mode", "on"}, {"recipe_fingerprint", "abc"},
		{"run_url", actions + "100000001/attempts/2"}, {"run_url", actions + "100000002/attempts/1"}}
	all := []object{invented()}
	for _, change := range append(slices.Clone(configuration), beside...) {
		all = append(all, invented(change...))
	}
	w := loaded(t, all...)
	w.want("w.db", `SELECT count(*), count(DISTINCT run_id) FROM points`, fmt.Sprintf("%d|%d", len(all), len(all)))
	w.want("w.db", `SELECT count(*) FROM inferencex_configs`, fmt.Sprint(1+len(configuration)))
	// Null is equal to null: the same rows again are the same points. Concurrency makes another point of the same run.
	r := w.load("w.db", w.options(), "a.json")
	if got := r.Documents[0].Rows; got.Unchanged != len(all) || got.Added != 0 {
		t.Errorf("again: %+v", got)
	}
	w.write(map[string]string{"b.json": array(invented("conc", 8), invented("isl", nil, "conc", 8))})
	w.load("w.db", w.options(), "b.json")
	w.want("w.db", `SELECT (SELECT count(*) FROM points), (SELECT count(*) FROM runs)`, fmt.Sprintf("%d|%d", len(all)+2, len(all)))
}

func TestFactImageIsNoIdentity(t *testing.T) {
	w := loaded(t, invented("image", nil), invented("conc", 8, "image", "vllm/vllm-openai:v0.11.0"), invented("conc", 16, "image", absent))
	w.want("w.db", `SELECT conc, image FROM inferencex_rows ORDER BY 1`, "4|vllm/vllm-openai:v0.11.0", "8|vllm/vllm-openai:v0.11.0", "16|vllm/vllm-openai:v0.11.0")
	w.want("w.db", `SELECT count(*), max(engine_version) FROM runs`, "1|0.11.0")
	// Two images in one run: reported, neither filled in, no engine version.
	w.write(map[string]string{"b.json": array(invented("conc", 32, "image", "vllm/vllm-openai:v0.12.0"))})
	w.load("w.db", w.options(), "b.json")
	w.want("w.db", `SELECT conc, image FROM inferencex_rows ORDER BY 1`, "4|NULL", "8|vllm/vllm-openai:v0.11.0", "16|NULL", "32|vllm/vllm-openai:v0.12.0")
	w.want("w.db", `SELECT engine_version FROM runs`, "NULL")
	w.want("w.db", `SELECT code, measured FROM flags WHERE code = 'two_images'`, "two_images|2")
}

func TestFactPublisherIDIsNoIdentity(t *testing.T) {
	w := loaded(t, invented("id", 7, "workflow_run_id", 3), invented("conc", 8, "id", 8))
	w.write(map[string]string{
		"moved.json": array(invented("id", 9, "metrics", object{"median_ttft": 0.25})),
		"same.json":  array(invented("conc", 16, "id", 8)), // another point that took over the id
		"old.json":   array(invented()),                    // of a capture from before ids
	})
	w.load("w.db", w.options(), "moved.json", "same.json", "old.json")
	w.want("w.db", `SELECT conc, id, workflow_run_id FROM inferencex_rows ORDER BY 1`, "4|9|3", "8|8|NULL", "16|8|NULL")
}

func TestFactNewAttemptHidesOld(t *testing.T) {
	files := map[string]string{
		"first.json": array(invented("metrics", object{"median_ttft": 1}), invented("conc", 8), invented("decode_tp", 4, "prefill_tp", 4)), // the last is of another run of the attempt
		"ninth.json": array(invented("run_url", actions+"100000001/attempts/9", "metrics", object{"median_ttft": 2})),
		"tenth.json": array(invented("run_url", actions+"100000001/attempts/10", "metrics", object{"median_ttft": 3}, "conc", 16)),
		"other.json": array(invented("run_url", actions+"100000002/attempts/1", "metrics", object{"median_ttft": 4})),
	}
	w := newWorld(t, files)
	names := slices.Sorted(maps.Keys(files))
	for i, order := range [][]string{names, {"tenth.json", "ninth.json", "first.json", "other.json"}, {"ninth.json", "tenth.json", "other.json", "first.json"}} {
		db := fmt.Sprint(i, ".db")
		for _, name := range order {
			w.load(db, w.options(), name)
		}
		w.want(db, `SELECT i.github_run_id, i.run_attempt, r.hidden_by_attempt, count(*) FROM runs r JOIN inferencex_runs i USING (run_id) JOIN points USING (run_id) GROUP BY 1, 2, 3 ORDER BY 1, 2`,
			"100000001|1|10|3", "100000001|9|10|1", "100000001|10|NULL|1", "100000002|1|NULL|1")
		w.want(db, `SELECT name LIKE 'inferencex-100000001-10-%', name LIKE 'inferencex-100000002-1-%' FROM inferencex_lines ORDER BY 1`, "0|1", "1|0")
		if got := w.shipped(db, "coverage", nil); !slices.Equal(got, []string{"dsr1|h200|vllm|NULL|2|2|2026-01-02"}) {
			t.Errorf("query coverage: %q", got)
		}
		// Hiding is no supersession: the documents' statements are another matter.
		w.want(db, `SELECT count(*) FROM supersessions WHERE depth > 0`, "0")
	}
}

func TestFactLatestIsAWholeRun(t *testing.T) {
	w := loaded(t,
		invented(), invented("conc", 8), invented("conc", 16),
		invented("run_url", actions+"100000002/attempts/1", "date", "2026-02-02", "conc", 8))
	w.wantMatch("w.db", `SELECT l.name, count(*) FROM inferencex_latest_runs l JOIN points USING (run_id) GROUP BY 1`, `inferencex-100000002-1-.*\|1`)
	shown := func(asOf string) string {
		values := map[string]string{}
		if asOf != "" {
			values["as_of"] = asOf
		}
		var names []string
		for _, line := range w.shipped("w.db", "latest-runs", values) {
			cells := strings.Split(line, "|")
			names = append(names, strings.Join(strings.Split(cells[0], "-")[:3], "-")+" "+cells[len(cells)-2])
		}
		return strings.Join(names, ", ")
	}
	for asOf, want := range map[string]string{
		"": "inferencex-100000002-1 1", "2026-02-02": "inferencex-100000002-1 1", "2026-02-01": "inferencex-100000001-1 3", "2026-01-02": "inferencex-100000001-1 3", "2026-01-01": "",
	} {
		if got := shown(asOf); got != want {
			t.Errorf("as of %q: %s, want %s", asOf, got, want)
		}
	}
	// What sets lines apart.
	w.write(map[string]string{"b.json": array(
		invented("run_url", actions+"100000003/attempts/1", "date", "2026-03-03", "offload_mode", "on"),
		invented("run_url", actions+"100000003/attempts/1", "date", "2026-03-03", "osl", 8192),
		invented("run_url", actions+"100000003/attempts/1", "date", "2026-03-03", "isl", nil, "osl", nil, "benchmark_type", "agentic_traces"),
		invented("run_url", actions+"100000003/attempts/1", "date", "2026-03-03", "decode_ep", 2),
		invented("run_url", actions+"100000003/attempts/1", "date", "2026-03-03", "recipe_fingerprint", "abc"))}) // of the first line
	w.load("w.db", w.options(), "b.json")
	w.want("w.db", `SELECT count(*), sum(next_name IS NULL) FROM inferencex_lines`, "7|5")
}

func TestFactOrderOfLatest(t *testing.T) {
	// Pairs of an older and a newer run of one line; the length makes a line of each pair.
	const early, late = "2026-01-02T01:00:00Z", "2026-01-02T02:00:00Z"
	pairs := [][2]object{
		{invented("run_url", actions+"100000009/attempts/1", "date", "2026-01-01", "run_started_at", late), invented("run_url", actions+"100000001/attempts/1", "date", "2026-01-02")},
		{invented("run_url", actions+"100000009/attempts/1", "run_started_at", early), invented("run_url", actions+"100000001/attempts/1", "run_started_at", late)},
		{invented("run_url", actions+"100000009/attempts/1"), invented("run_url", actions+"100000001/attempts/1", "run_started_at", early)}, // not stated is last
		{invented("run_url", actions+"99999999/attempts/1", "run_started_at", early), invented("run_url", actions+"100000001/attempts/1", "run_started_at", early)},
		{invented("run_url", nil), invented("run_url", actions+"100000001/attempts/1")},
	}
	var all []object
	for i, p := range pairs {
		all = append(all, p[1].with("isl", 100+i, "metrics", object{"median_ttft": 2}), p[0].with("isl", 100+i, "metrics", object{"median_ttft": 1}))
	}
	w := loaded(t, all...)
	w.want("w.db", `SELECT l.isl, m.reported_value FROM inferencex_latest_runs l JOIN points USING (run_id) JOIN measurements m USING (point_id) ORDER BY 1`,
		"100|2", "101|2", "102|2", "103|2", "104|2")
}

func TestFactAbsentRowsStay(t *testing.T) {
	w := loaded(t, invented(), invented("conc", 8))
	w.write(map[string]string{"later.json": array(invented("conc", 8), invented("conc", 16)), "empty.json": "[]"})
	w.load("w.db", w.options(), "later.json", "empty.json")
	w.want("w.db", `SELECT id, position FROM points ORDER BY 2`, "c4|0", "c8|1", "c16|2")
}

// Merging

func TestFactTrimmedRowsRemoveNothing(t *testing.T) {
	full := invented("image", "vllm/vllm-openai:v0.11.0", "id", 7, "run_started_at", "2026-01-02T03:04:05Z", "workers", []any{object{"role": "decode"}},
		"metrics", object{"median_ttft": 0.25, "mean_ttft": 0.3, "std_ttft": 0.1, "p99_ttft": 1.5, "tput_per_gpu": 90.5, "power_valid": 1, "avg_power_w": 700, "router_name": "r", "odd": 3})
	trimmed := invented("metrics", object{"median_ttft": 0.25, "tput_per_gpu": 90.5, "p99_itl": 0.5, "mean_ttft": nil}, "image", nil, "workers", nil, "run_started_at", nil)
	w := newWorld(t, map[string]string{"full.json": array(full), "trimmed.json": array(trimmed)})
	for _, order := range [][]string{{"full.json", "trimmed.json"}, {"trimmed.json", "full.json"}} {
		db := order[0] + ".db"
		w.load(db, w.options(), order...)
		w.want(db, `SELECT reported_key, reported_value FROM measurements ORDER BY 1`,
			"mean_ttft|0.3", "median_ttft|0.25", "p99_itl|0.5", "p99_ttft|1.5", "std_ttft|0.1", "tput_per_gpu|90.5")
		w.want(db, `SELECT key, reported_value FROM inferencex_values ORDER BY 1`, "avg_power_w|700", "odd|3", "power_valid|1", "router_name|r")
		w.want(db, `SELECT image, id, workers, run_started_at FROM inferencex_rows`, `vllm/vllm-openai:v0.11.0|7|[{"role":"decode"}]|2026-01-02T03:04:05Z`)
		w.want(db, `SELECT count(*) FROM inferencex_revisions`, "0")
	}
	compareContent(t, "the other order", w.content("trimmed.json.db"), w.content("full.json.db"))
}

func TestFactNewerCaptureWins(t *testing.T) {
	w := newWorld(t, map[string]string{
		"one.json":   array(invented("metrics", object{"median_ttft": 0.25, "avg_power_w": 700, "router_name": "r", "odd": 1}, "image", "a/vllm:v0.1.0")),
		"two.json":   array(invented("metrics", object{"median_ttft": 0.5, "avg_power_w": 600, "router_name": "s", "odd": 2}, "image", "a/vllm:v0.2.0")),
		"three.json": array(invented("metrics", object{"median_ttft": 0.25})),
	})
	r := w.load("w.db", w.options(), "one.json", "two.json")
	if got := r.Documents[1]; got.File != "two.json" || got.Rows.Updated != 1 || got.Rows.Revised != 1 || len(got.Problems) != 0 {
		t.Errorf("%+v", got)
	}
	w.want("w.db", `SELECT reported_value, value FROM measurements`, "0.5|500")
	w.want("w.db", `SELECT key, reported_value FROM inferencex_values ORDER BY 1`, "avg_power_w|600", "odd|2", "router_name|s")
	w.want("w.db", `SELECT engine_version FROM runs`, "0.2.0")
	w.want("w.db", `SELECT key, value FROM inferencex_revisions WHERE key NOT LIKE 'image%' ORDER BY 1, 2`,
		"avg_power_w|600", "avg_power_w|700", "median_ttft|0.25", "median_ttft|0.5", "odd|1", "odd|2", "router_name|r", "router_name|s")
	var shown []string
	for _, line := range w.shipped("w.db", "inferencex-revisions", nil) {
		shown = append(shown, line[strings.Index(line, "|")+1:])
	}
	for _, want := range []string{"c4|median_ttft|0.25|0", "c4|median_ttft|0.5|1", "c4|router_name|r|0", "c4|router_name|s|1"} {
		if !slices.Contains(shown, want) {
			t.Errorf("query inferencex-revisions lacks %s: %q", want, shown)
		}
	}
	// The other order on the command line gives the other value; so does a later load of what was there before.
	w.load("x.db", w.options(), "two.json", "one.json")
	w.want("x.db", `SELECT reported_value FROM measurements`, "0.25")
	w.load("w.db", w.options(), "three.json")
	w.want("w.db", `SELECT reported_value FROM measurements`, "0.25")
	w.want("w.db", `SELECT count(*) FROM inferencex_revisions WHERE key = 'median_ttft'`, "2")
}

func TestFactSameRowTwice(t *testing.T) {
	w := loaded(t, invented(), invented())
	r := w.load("x.db", w.options(), "a.json")
	if got := r.Documents[0].Rows; got != (store.CaptureRows{Added: 1, Unchanged: 1, Flagged: got.Flagged}) {
		t.Errorf("%+v", got)
	}
	before := w.logicalContent("w.db")
	if r := w.load("w.db", w.options(), "a.json"); r.Documents[0].Status != store.Unchanged {
		t.Errorf("again: %s", r.Documents[0].Status)
	}
	compareContent(t, "again", w.logicalContent("w.db"), before)
	w.want("w.db", `SELECT (SELECT count(*) FROM points), (SELECT count(*) FROM inferencex_revisions)`, "1|0")
}

func TestFactConflictNamesBothPlaces(t *testing.T) {
	w := newWorld(t, map[string]string{"a.json": array(invented(), invented("conc", 8), invented("metrics", object{"median_ttft": 0.5, "p99_ttft": 1}), invented("metrics", object{"p99_ttft": 2}))})
	d := w.load("w.db", w.options(), "a.json").Documents[0]
	var got []string
	for _, p := range d.Problems {
		got = append(got, fmt.Sprintf("%s %s %d %s: %s", p.Severity, p.Rule, p.Line, p.Path, p.Message))
	}
	want := []string{
		"warning conflict 3 [2].median_ttft: 0.5, but row [0] of this file gives the same point 0.25: the later is kept",
		"warning conflict 4 [3].p99_ttft: 2, but row [2] of this file gives the same point 1: the later is kept",
	}
	if !slices.Equal(got, want) || !d.Valid {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	w.want("w.db", `SELECT reported_key, reported_value FROM measurements JOIN points USING (point_id) WHERE concurrency = 4 ORDER BY 1`, "median_ttft|0.5", "p99_ttft|2")
	w.want("w.db", `SELECT key, value FROM inferencex_revisions ORDER BY 1, 2`, "median_ttft|0.25", "median_ttft|0.5", "p99_ttft|1", "p99_ttft|2")
}

// Types

func TestFactNumbersInStrings(t *testing.T) {
	w := loaded(t, invented("id", "442505", "workflow_run_id", "2509", "isl", "1024", "conc", "4", "decode_tp", "8"), invented("conc", 4))
	w.want("w.db", `SELECT id, workflow_run_id, isl, conc, decode_tp FROM inferencex_rows`, "442505|2509|1024|4|8")
	w.want("w.db", `SELECT key, detail FROM inferencex_drift WHERE kind = 'type' ORDER BY 1`,
		"conc|a string", "decode_tp|a string", "id|a string", "isl|a string", "workflow_run_id|a string")
	// Not every text is an integer, and a list of one text is none.
	for _, value := range []any{"many", "4.5", "", " 4", []any{"5"}, []any{5}, object{}, true} {
		x := newWorld(t, map[string]string{"a.json": array(invented(), invented("conc", value))})
		d := x.load("w.db", x.options(), "a.json").Documents[0]
		if d.Rows.Refused != 1 || d.Rows.Added != 1 || len(d.Problems) != 1 || d.Problems[0].Path != "[1].conc" {
			t.Errorf("conc %v: %+v", value, d)
		}
	}
}

func TestFactListIsNoNumber(t *testing.T) {
	w := newWorld(t, map[string]string{"a.json": array(invented("metrics", object{"median_ttft": 0.25, "p99_ttft": []any{"5"}, "p99_itl": "5", "p90_itl": object{"v": 5}}))})
	w.load("w.db", w.options(), "a.json")
	w.want("w.db", `SELECT reported_key, reported_value FROM measurements WHERE reported_value = 5`)
	w.want("w.db", `SELECT count(*) FROM inferencex_other_values WHERE number IS NOT NULL`, "0")
	w.want("w.db", `SELECT count(*) > 0 FROM inferencex_drift WHERE kind = 'type' AND key LIKE '%p99_ttft'`, "1")
	// What stands there stays readable, as it is.
	w.want("w.db", `SELECT key, reported_value, typeof(reported_value) FROM inferencex_values WHERE key <> 'median_ttft' ORDER BY 1`, `p90_itl|{"v":5}|text`, `p99_itl|5|text`, `p99_ttft|["5"]|text`)
}

func TestFactTimestamps(t *testing.T) {
	w := loaded(t,
		invented("run_url", actions+"1/attempts/1", "run_started_at", "2026-09-18 22:35:24+00", "date", "2026-09-19"), // a day that is not that of the time
		invented("run_url", actions+"2/attempts/1", "run_started_at", "2026-09-18 22:35:24.5+02:00"),
		invented("run_url", actions+"3/attempts/1", "run_started_at", "2026-09-18T22:35:24Z"),
		invented("run_url", actions+"4/attempts/1", "run_started_at", nil, "date", "2026-09-17"),
		invented("run_url", actions+"5/attempts/1", "date", "2026-09-16T00:00:00.000Z"))
	w.want("w.db", `SELECT github_run_id, run_started_at, date FROM inferencex_rows ORDER BY 1`,
		"1|2026-09-18T22:35:24Z|2026-09-19", "2|2026-09-18T20:35:24.5Z|2026-01-02", "3|2026-09-18T22:35:24Z|2026-01-02", "4|NULL|2026-09-17", "5|NULL|2026-09-16")
	for _, change := range [][]any{{"date", nil}, {"date", absent}, {"date", "2026-02-30"}, {"date", "2026-01-02T05:00:00Z"}} {
		x := newWorld(t, map[string]string{"a.json": array(invented("run_started_at", "2026-01-02T05:00:00Z").with(change...))})
		if d := x.load("w.db", x.options(), "a.json").Documents[0]; d.Rows.Refused != 1 {
			t.Errorf("%v: %+v", change, d)
		}
	}
}

func TestFactBooleansInStrings(t *testing.T) {
	w := newWorld(t, map[string]string{
		"a.json":          array(invented("disagg", "false", "is_multinode", "true", "decode_dp_attention", "True")),
		"d/agg_1k1k.json": array(inventedArtifact("dp_attention", "true"), inventedArtifact("conc", 8, "dp_attention", "False"), inventedArtifact("conc", 4, "dp_attention", "True", "disagg", "False")),
	})
	w.load("w.db", w.options(), "a.json", "d")
	w.want("w.db", `SELECT conc, disagg, is_multinode, prefill_dp_attention, decode_dp_attention FROM inferencex_rows ORDER BY artifact_digest IS NULL, 1`,
		"4|0|0|1|1", "8|0|0|0|0", "16|0|0|1|1", "4|0|1|0|1")
}

func TestFactTextMetrics(t *testing.T) {
	texts := object{"median_ttft": 0.25, "offload_mode": "on", "kv_offloading": "5", "kv_offload_backend": "b", "kv_p2p_transfer": "c", "router_name": "d", "router_version": "1.5", "mean_ttft": nil, "odd": nil}
	w := loaded(t, invented("metrics", texts))
	w.want("w.db", `SELECT key, reported_value, typeof(reported_value) FROM inferencex_values ORDER BY 1`,
		"kv_offload_backend|b|text", "kv_offloading|5|text", "kv_p2p_transfer|c|text", "offload_mode|on|text", "router_name|d|text", "router_version|1.5|text")
	w.want("w.db", `SELECT reported_key FROM measurements`, "median_ttft")
	w.want("w.db", `SELECT offload_mode, mean_ttft FROM inferencex_rows`, "off|NULL") // the row's own key says what the mode is
	w.want("w.db", `SELECT count(*) FROM inferencex_drift`, "0")
}

func TestFactDotsInKeys(t *testing.T) {
	w := loaded(t, invented("metrics", object{"p99.9_ttft": 1.5, "p99_ttft": 1.25, "p99.9_intvty": 20}))
	w.want("w.db", `SELECT metric, reported_key, value FROM measurements ORDER BY 1`, "ttft_p99|p99_ttft|1250", "ttft_p99.9|p99.9_ttft|1500")
	w.want("w.db", `SELECT key, reported_value FROM inferencex_values`, "p99.9_intvty|20")
}

func TestFactExtraKeys(t *testing.T) {
	extra := []any{"curve_date", "2026-01-01", "curve_workflow_run_id", "17", "curve_run_started_at", nil, "later_key", object{"a": []any{1}}}
	w := newWorld(t, map[string]string{"a.json": array(invented(), invented(append(extra, "conc", 8)...), invented(append(extra[:2:2], "conc", 16, "metrics", object{"median_ttft": 1, "mystery": 2})...))})
	d := w.load("w.db", w.options(), "a.json").Documents[0]
	if !d.Valid || d.Rows.Added != 3 {
		t.Errorf("%+v", d)
	}
	w.want("w.db", `SELECT kind, key, count, path, line FROM inferencex_drift ORDER BY 1, 2`, "key|curve_date|2|[1].curve_date|2",
		"key|curve_run_started_at|1|[1].curve_run_started_at|2", "key|curve_workflow_run_id|1|[1].curve_workflow_run_id|2", "key|later_key|1|[1].later_key|2", "metric|mystery|1|[2].metrics.mystery|3")
	w.want("w.db", `SELECT extra FROM inferencex_rows ORDER BY conc`, "NULL",
		`{"curve_date":"2026-01-01","curve_run_started_at":null,"curve_workflow_run_id":"17","later_key":{"a":[1]}}`, `{"curve_date":"2026-01-01"}`)
	w.want("w.db", `SELECT key, reported_value, comparable FROM inferencex_values`, "mystery|2|0")
	if got := w.shipped("w.db", "drift", nil); len(got) != 5 || !strings.HasPrefix(got[0], "key|curve_date||2|1|") || !strings.HasSuffix(got[0], "|a.json|[1].curve_date") {
		t.Errorf("query drift: %q", got)
	}
	strict := w.options()
	strict.Strict = true
	d = w.load("strict.db", strict, "a.json").Documents[0]
	var found []string
	for _, p := range d.Problems {
		found = append(found, p.Rule+" "+p.Path)
	}
	want := []string{"drift-key [1].curve_date", "drift-key [1].curve_run_started_at", "drift-key [1].curve_workflow_run_id", "drift-key [1].later_key", "drift-metric [2].metrics.mystery"}
	if d.Status != store.Rejected || !slices.Equal(found, want) {
		t.Errorf("strict: %s %q", d.Status, found)
	}
	w.want("strict.db", `SELECT (SELECT count(*) FROM points), (SELECT count(*) FROM inferencex_drift)`, "0|0")
}

func TestFactDriftCountsOncePerContent(t *testing.T) {
	w := loaded(t, invented("later_key", 1))
	w.write(map[string]string{"copy.json": array(invented("later_key", 1)), "other.json": array(invented("later_key", 1), invented("conc", 8, "later_key", 2))})
	w.load("w.db", w.options(), "a.json", "copy.json")
	w.load("w.db", w.options(), "other.json")
	got := w.shipped("w.db", "drift", nil)
	if len(got) != 1 || !strings.HasPrefix(got[0], "key|later_key||3|2|") {
		t.Errorf("%q", got)
	}
}

func TestFactWorkers(t *testing.T) {
	w := loaded(t, invented(), invented("conc", 8, "workers", nil), invented("conc", 16, "workers", []any{object{"role": "prefill", "tp": 4}, object{"role": "decode"}}),
		invented("conc", 32, "power_invalid_reasons", []any{"short"}, "power_audit", object{"n": 1}))
	w.want("w.db", `SELECT workers, power_invalid_reasons, power_audit FROM inferencex_rows ORDER BY conc`,
		"NULL|NULL|NULL", "NULL|NULL|NULL", `[{"role":"prefill","tp":4},{"role":"decode"}]|NULL|NULL`, `NULL|["short"]|{"n":1}`)
}

func TestFactAgenticHasNoLengths(t *testing.T) {
	w := loaded(t, invented("benchmark_type", "agentic_traces", "isl", nil, "osl", nil, "offload_mode", "on"), invented("benchmark_type", "agentic_traces", "isl", nil, "osl", nil, "conc", 8, "offload_mode", "on"))
	w.want("w.db", `SELECT isl, osl, benchmark_type, offload_mode, conc FROM inferencex_rows ORDER BY conc`, "NULL|NULL|agentic_traces|on|4", "NULL|NULL|agentic_traces|on|8")
	w.want("w.db", `SELECT count(*) FROM runs`, "1")
}

func TestFactImageForms(t *testing.T) {
	images := []struct{ image, version string }{
		{"vllm/vllm-openai:v0.10.2", "0.10.2"},
		{"lmsysorg/sglang:v0.5.12-rocm700-mi35x", "0.5.12"},
		{"lmsysorg#sglang:v0.5.5", "0.5.5"},
		{"vllm/vllm-openai@sha256:0a1b", "NULL"},
		{"vllm/vllm-openai:v0.11.0@sha256:0a1b", "0.11.0"},
		{"vllm/vllm-openai:nightly-0a1b2c3d", "NULL"},
		{"vllm/vllm-openai:v0.11.1-nightly-20260101", "NULL"},
		{"vllm/vllm-openai:latest", "NULL"},
		{"localhost:5000/vllm-openai", "NULL"},
	}
	all := []object{invented("isl", 100, "image", nil)}
	want := []string{"100|NULL|NULL"}
	for i, im := range images {
		all = append(all, invented("isl", 101+i, "image", im.image))
		want = append(want, fmt.Sprintf("%d|%s|%s", 101+i, im.image, im.version))
	}
	w := loaded(t, all...)
	w.want("w.db", `SELECT x.isl, x.image, r.engine_version FROM inferencex_rows x JOIN runs r USING (run_id) ORDER BY 1`, want...)
}

func TestFactDefaults(t *testing.T) {
	w := loaded(t, invented(), invented("benchmark_type", "single_turn", "offload_mode", "off", "recipe_fingerprint", nil, "spec_method", nil))
	w.want("w.db", `SELECT benchmark_type, offload_mode, recipe_fingerprint FROM inferencex_rows`, "single_turn|off|NULL")
	w.want("w.db", `SELECT count(*) FROM inferencex_drift`, "0")
}

func TestFactGzipByItsBytes(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	z.Write([]byte(array(invented())))
	z.Close()
	w := newWorld(t, map[string]string{"plain.json.gz": array(invented()), "zipped.json": zipped.String()})
	w.load("w.db", w.options(), "zipped.json")
	w.load("x.db", w.options(), "plain.json.gz")
	compareContent(t, "zipped", w.content("w.db"), w.content("x.db"))
	w.want("w.db", `SELECT count(*) FROM points`, "1")
}

func TestFactShapes(t *testing.T) {
	w := newWorld(t, map[string]string{
		"array.json": array(invented(), invented("conc", 8)),
		"lines.json": invented().String() + "\n" + invented("conc", 8).String() + "\n",
		"keyed.json": `{"DeepSeek-R1-0528":` + array(invented()) + `,"other":` + array(invented("conc", 8)) + `,"none":[]}`,
		"f/a.json":   invented().String(),
		"f/b.ndjson": invented("conc", 8).String(),
	})
	w.load("want.db", w.options(), "array.json")
	for _, input := range []string{"lines.json", "keyed.json", "f"} {
		w.load(input+".db", w.options(), input)
		compareContent(t, input, w.content(input+".db"), w.content("want.db"))
	}
}

// Units and meaning

func TestFactSecondsAreReportedAndMillisecondsDefined(t *testing.T) {
	metrics := object{}
	want := map[string]string{}
	value := 0.1
	for _, quantity := range []string{"ttft", "tpot", "itl", "e2el"} {
		for _, statistic := range []string{"mean", "median", "std", "p75", "p90", "p95", "p99", "p99.9"} {
			value += 0.013
			metrics[statistic+"_"+quantity] = value
			name := quantity + "_" + strings.Replace(statistic, "median", "p50", 1)
			want[name] = fmt.Sprintf("%s|%s_%s|%v|%v|ms|%s|%s", name, statistic, quantity, value, value*1000, quantity, statistic)
		}
	}
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(want)) {
		lines = append(lines, want[name])
	}
	w := loaded(t, invented("metrics", metrics))
	w.want("w.db", `SELECT m.metric, m.reported_key, m.reported_value, m.value, d.unit, d.formula, d.statistic FROM measurements m JOIN points p USING (point_id)
		JOIN metric_defs d ON d.run_id = p.run_id AND d.metric = m.metric ORDER BY 1`, lines...)
	w.want("w.db", `SELECT count(*) FROM inferencex_values`, "0")
}

func TestFactValuesAreKeptToTheBit(t *testing.T) {
	text := strings.Replace(array(invented("metrics", object{"median_ttft": 1, "p99_ttft": 2})), `"median_ttft":1,"p99_ttft":2`,
		`"median_ttft":0.1000000000000000055511151231257827,"p99_ttft":2.2250738585072011e-308,"tput_per_gpu":9007199254740993,"std_itl":123e-5`, 1)
	w := newWorld(t, map[string]string{"a.json": text})
	w.load("w.db", w.options(), "a.json")
	w.want("w.db", `SELECT reported_key, reported_value = CASE reported_key WHEN 'median_ttft' THEN 0.1 WHEN 'p99_ttft' THEN 2.2250738585072011e-308
		WHEN 'tput_per_gpu' THEN 9007199254740992.0 WHEN 'std_itl' THEN 0.00123 END FROM measurements ORDER BY 1`, "median_ttft|1", "p99_ttft|1", "std_itl|1", "tput_per_gpu|1")
}

func TestFactP50IsTheMedian(t *testing.T) {
	w := loaded(t, invented("metrics", object{"p50_ttft": 0.5}), invented("conc", 8, "metrics", object{"p50_tpot": 0.5, "median_tpot": 0.5}))
	w.want("w.db", `SELECT p.id, m.metric, m.reported_key FROM measurements m JOIN points p USING (point_id) ORDER BY 1`, "c4|ttft_p50|p50_ttft", "c8|tpot_p50|median_tpot")
}

func TestFactInteractivityIsNoMetric(t *testing.T) {
	keys := object{"mean_intvty": 1, "median_intvty": 2, "std_intvty": 3, "p75_intvty": 4, "p90_intvty": 5, "p95_intvty": 6, "p99_intvty": 7, "p99.9_intvty": 8, "median_tpot": 0.5}
	w := newWorld(t, map[string]string{
		"a.json": array(invented("metrics", keys), invented("metrics", keys, "benchmark_type", "agentic_traces", "isl", nil, "osl", nil)),
		"d/agg_x.json": inventedArtifact("scenario_type", "agentic-coding", "users", 4, "conc", absent, "median_intvty", 2, "std_intvty", 3,
			"tput_per_gpu", absent, "median_ttft", absent).String(),
	})
	w.load("w.db", w.options(), "a.json", "d")
	w.want("w.db", `SELECT metric, count(*) FROM measurements GROUP BY 1`, "tpot_p50|2")
	w.want("w.db", `SELECT i.benchmark_type, i.artifact_run IS NOT NULL, v.meaning, v.comparable, count(*), min(length(v.why_raw) > 20)
		FROM inferencex_values v JOIN points p USING (point_id) JOIN inferencex_runs i USING (run_id) GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3`,
		"agentic_traces|0|from_itl|0|7|1", "agentic_traces|0|none|0|1|1",
		"agentic_traces|1|none|0|1|1", "agentic_traces|1|perhaps_inverted|0|1|1",
		"single_turn|0|none|0|1|1", "single_turn|0|reciprocal_of_tpot|1|7|1")
	w.want("w.db", `SELECT count(*) FROM inferencex_metrics WHERE key LIKE '%intvty%'`, "0")
}

func TestFactThroughputIsDividedByItsGPUs(t *testing.T) {
	metrics := object{"tput_per_gpu": 30, "input_tput_per_gpu": 20, "output_tput_per_gpu": 10}
	disagg := []any{"disagg", true, "prefill_num_workers", 1, "decode_num_workers", 2, "decode_tp", 4, "metrics", metrics}
	w := loaded(t,
		invented("isl", 101, "metrics", metrics),
		invented("isl", 102).with(disagg...).with("date", "2025-11-05"),
		invented("isl", 103).with(disagg...).with("date", "2025-11-04"),
		invented("isl", 104, "metrics", metrics, "benchmark_type", "agentic_traces"))
	w.want("w.db", `SELECT r.isl, d.metric, d.gpu_scope, d.statistic, d.unit, d.denominator, d.population, d.cite LIKE '%cached prefill tokens%' FROM metric_defs d JOIN runs r USING (run_id) ORDER BY 1, 2`,
		"101|input_throughput_per_gpu|all|NULL|tokens_per_s|main_phase_wall|pooled_tokens|0", "101|output_throughput_per_gpu|all|NULL|tokens_per_s|main_phase_wall|pooled_tokens|0",
		"101|total_token_throughput_per_gpu|all|NULL|tokens_per_s|main_phase_wall|pooled_tokens|0",
		"102|input_throughput_per_gpu|prefill|NULL|tokens_per_s|main_phase_wall|pooled_tokens|0", "102|output_throughput_per_gpu|decode|NULL|tokens_per_s|main_phase_wall|pooled_tokens|0",
		"102|total_token_throughput_per_gpu|all|NULL|tokens_per_s|main_phase_wall|pooled_tokens|0",
		"103|input_throughput_per_gpu|all|NULL|tokens_per_s|main_phase_wall|pooled_tokens|0", "103|output_throughput_per_gpu|all|NULL|tokens_per_s|main_phase_wall|pooled_tokens|0",
		"103|total_token_throughput_per_gpu|all|NULL|tokens_per_s|main_phase_wall|pooled_tokens|0",
		"104|input_throughput_per_gpu|all|NULL|tokens_per_s|main_phase_wall|NULL|1", "104|output_throughput_per_gpu|all|NULL|tokens_per_s|main_phase_wall|NULL|0",
		"104|total_token_throughput_per_gpu|all|NULL|tokens_per_s|main_phase_wall|NULL|1")
}

func TestFactDefinitions(t *testing.T) {
	metrics := object{"median_ttft": 1, "median_tpot": 1, "median_itl": 1, "median_e2el": 1, "mean_ttft": 1, "std_itl": 1}
	w := loaded(t, invented("metrics", metrics), invented("metrics", metrics, "benchmark_type", "agentic_traces", "isl", nil, "osl", nil))
	w.want("w.db", `SELECT metric, population, clock, start_event, stop_event, output_len_source, percentile_method FROM metric_defs JOIN runs r USING (run_id) WHERE r.isl IS NOT NULL ORDER BY 1`,
		"e2el_p50|per_request|client|send_after_semaphore|last_chunk|usage|numpy_linear",
		"itl_p50|pooled_chunks|client|previous_chunk|next_chunk|usage|numpy_linear",
		"itl_std|pooled_chunks|client|previous_chunk|next_chunk|usage|NULL",
		"tpot_p50|per_request|client|first_chunk|last_chunk|usage|numpy_linear",
		"ttft_mean|per_request|client|send_after_semaphore|first_chunk|usage|NULL",
		"ttft_p50|per_request|client|send_after_semaphore|first_chunk|usage|numpy_linear")
	w.want("w.db", `SELECT DISTINCT population, start_event, stop_event FROM metric_defs JOIN runs r USING (run_id) WHERE r.isl IS NULL`, "NULL|NULL|NULL")
	w.want("w.db", `SELECT harness FROM runs ORDER BY isl`, "NULL", "InferenceX bench_serving")
}

func TestFactGPUs(t *testing.T) {
	pd := []any{"disagg", true, "prefill_num_workers", 2, "decode_num_workers", 1}
	w := loaded(t,
		invented("isl", 101), // the same GPUs twice
		invented("isl", 102, "num_prefill_gpu", 0),
		invented("isl", 103, "decode_ep", 8, "prefill_ep", 8, "num_prefill_gpu", 64, "num_decode_gpu", 64),
		invented("isl", 104, "metrics", object{"median_ttft": 1, "pp": 2, "pcp_size": 3}, "num_prefill_gpu", 48, "num_decode_gpu", 48),
		invented("isl", 105, "prefill_tp", 4, "num_prefill_gpu", 8, "num_decode_gpu", 32, "decode_tp", 32).with(pd...),
		invented("isl", 106, "num_prefill_gpu", 4, "num_decode_gpu", 4))
	w.want("w.db", `SELECT DISTINCT r.isl, r.gpus, x.num_prefill_gpu, x.num_decode_gpu, f.subject, f.measured, f.expected
		FROM runs r JOIN inferencex_rows x USING (run_id) LEFT JOIN flags f ON f.run_id = r.run_id AND f.code = 'gpu_count' ORDER BY 1`,
		"101|8|8|8|NULL|NULL|NULL", "102|8|0|8|NULL|NULL|NULL", "103|8|64|64|num_prefill_gpu|64|8", "104|48|48|48|NULL|NULL|NULL",
		"105|40|8|32|NULL|NULL|NULL", "106|8|4|4|num_prefill_gpu|4|8")
}

func TestFactCollapsedTopology(t *testing.T) {
	w := loaded(t, invented("hardware", "gb200", "framework", "dynamo-trt", "disagg", true, "prefill_tp", 24, "decode_tp", 24, "num_prefill_gpu", 24, "num_decode_gpu", 24, "date", "2025-10-10"))
	w.want("w.db", `SELECT r.gpus, i.collapsed, f.code FROM runs r JOIN inferencex_runs i USING (run_id) JOIN flags f USING (run_id)`, "24|1|collapsed_topology")
	w.want("w.db", `SELECT value FROM measurements`, "250")
	w.want("w.db", `SELECT count(*) FROM runs JOIN verdicts USING (name) WHERE verdict = 'NOT_REPRODUCIBLE'`, "1")
}

func TestFactPower(t *testing.T) {
	power := object{"avg_power_w": 700, "joules_per_output_token": 5, "avg_temp_c": 60, "peak_temp_c": 80, "avg_util_pct": 90, "avg_mem_used_mb": 1000, "median_ttft": 0.25}
	at := func(conc int, pairs ...any) object { return invented("conc", conc, "metrics", power.with(pairs...)) }
	w := loaded(t, at(1, "power_valid", 1, "power_metric_schema_version", 2), at(2, "power_valid", 0, "power_metric_schema_version", 2), at(3), at(4, "power_valid", 1))
	w.want("w.db", `SELECT DISTINCT metric FROM measurements`, "ttft_p50")
	w.want("w.db", `SELECT count(*) FROM measurements`, "4") // also of the row that failed validation
	w.want("w.db", `SELECT p.id, x.avg_power_w, x.avg_temp_c, x.peak_temp_c, x.avg_util_pct, x.avg_mem_used_mb, x.joules_per_output_token FROM inferencex_power x JOIN points p USING (point_id) ORDER BY 1`,
		"c1|700|60|80|90|1000|5", "c4|700|60|80|90|1000|NULL")
	w.want("w.db", `SELECT p.id, v.meaning, v.comparable, count(*) FROM inferencex_values v JOIN points p USING (point_id)
		WHERE v.key IN ('avg_power_w', 'avg_temp_c', 'peak_temp_c', 'avg_util_pct', 'avg_mem_used_mb') GROUP BY 1, 2, 3 ORDER BY 1`,
		"c1|validated|1|5", "c2|failed_validation|0|5", "c3|not_validated|0|5", "c4|validated|1|5")
	w.want("w.db", `SELECT p.id, v.reported_value FROM inferencex_values v JOIN points p USING (point_id) WHERE v.key = 'avg_power_w' ORDER BY 1`, "c1|700", "c2|700", "c3|700", "c4|700")
}

func TestFactJoules(t *testing.T) {
	at := func(conc int, disagg bool, pairs ...any) object {
		return invented("conc", conc, "disagg", disagg, "prefill_num_workers", 1, "decode_num_workers", 1,
			"metrics", object{"power_valid": 1, "joules_per_successful_query": 9, "joules_per_output_token": 5, "joules_per_total_token": 4, "joules_per_input_token": 3}.with(pairs...))
	}
	w := loaded(t, at(1, true, "power_metric_schema_version", 2), at(2, true), at(3, true, "power_metric_schema_version", 1), at(4, false), at(5, false, "power_metric_schema_version", 2),
		at(6, false, "power_metric_schema_version", 2, "power_valid", 0))
	w.want("w.db", `SELECT p.id, v.meaning, v.comparable, count(*) FROM inferencex_values v JOIN points p USING (point_id) WHERE v.key LIKE 'joules%' GROUP BY 1, 2, 3 ORDER BY 1`,
		"c1|whole_deployment|1|4", "c2|ambiguous|0|4", "c3|ambiguous|0|4", "c4|unversioned|0|4", "c5|whole_deployment|1|4", "c6|failed_validation|0|4")
	w.want("w.db", `SELECT p.id, x.joules_per_successful_query, x.joules_per_output_token, x.joules_per_total_token, x.joules_per_input_token FROM inferencex_power x JOIN points p USING (point_id) ORDER BY 1`,
		"c1|9|5|4|3", "c2|NULL|NULL|NULL|NULL", "c3|NULL|NULL|NULL|NULL", "c4|NULL|NULL|NULL|NULL", "c5|9|5|4|3")
}

func TestFactFailedPoint(t *testing.T) {
	good := invented("metrics", object{"median_ttft": 0.25, "num_requests_total": 40, "num_requests_successful": 39})
	failed := invented("metrics", object{"median_ttft": 7, "num_requests_total": 40, "num_requests_successful": 0})
	unmeasured := invented("conc", 8, "metrics", object{"median_ttft": 1, "num_requests_total": 0, "num_requests_successful": 0})
	w := newWorld(t, map[string]string{"good.json": array(good), "failed.json": array(failed, failed.with("conc", 99)), "none.json": array(unmeasured)})
	for _, order := range [][]string{{"good.json", "failed.json"}, {"failed.json", "good.json"}} {
		db := order[0] + ".db"
		r := w.load(db, w.options(), order...)
		for _, d := range r.Documents {
			if want := (store.CaptureRows{Failed: 2}); d.File == "failed.json" && d.Rows != want {
				t.Errorf("%+v", d.Rows)
			}
		}
		w.want(db, `SELECT reported_value FROM measurements`, "0.25")
		w.want(db, `SELECT conc, row LIKE '%"median_ttft":7%' FROM inferencex_failed_points ORDER BY 1`, "4|1", "99|1")
		w.want(db, `SELECT count(*) FROM inferencex_revisions`, "0")
		w.load(db, w.options(), "none.json") // no request at all is not a failure
		w.want(db, `SELECT id FROM points ORDER BY position`, "c4", "c8")
	}
	compareContent(t, "the other order", w.content("good.json.db"), w.content("failed.json.db"))
}

// Names

func TestFactHardwareNames(t *testing.T) {
	known := []string{"h100", "h200", "b200", "b300", "gb200", "gb300", "vr200", "mi300x", "mi325x", "mi355x", "rtx6000pro"}
	var all []object
	for _, name := range known {
		all = append(all, invented("hardware", name), invented("hardware", "cluster:pool:"+strings.ToUpper(name)+"-nv-3", "conc", 8))
	}
	w := loaded(t, all...)
	w.want("w.db", `SELECT hardware FROM runs ORDER BY 1`, slices.Sorted(slices.Values(known))...)
	w.want("w.db", `SELECT count(*) FROM inferencex_rows WHERE raw_hardware <> hardware`, fmt.Sprint(len(known)))
	w.want("w.db", `SELECT count(*) FROM inferencex_drift`, "0")
}

func TestFactFrameworkAliasIsOneConfiguration(t *testing.T) {
	for old, now := range map[string]string{"atom-disagg": "mooncake-atom", "sglang-disagg": "mori-sglang", "trtllm": "trt", "dynamo-trtllm": "dynamo-trt"} {
		implies := strings.HasSuffix(old, "-disagg")
		w := loaded(t, invented("framework", old), invented("framework", now, "disagg", implies, "conc", 8))
		w.want("w.db", `SELECT framework, disagg FROM inferencex_configs`, fmt.Sprintf("%s|%d", now, map[bool]int{true: 1}[implies]))
		w.want("w.db", `SELECT (SELECT count(*) FROM runs), (SELECT count(*) FROM points)`, "1|2")
		w.want("w.db", `SELECT raw_framework FROM inferencex_rows ORDER BY conc`, old, now)
	}
	var all []object
	for _, name := range []string{"atom", "dynamo-sglang", "dynamo-trt", "dynamo-vllm", "llmd-vllm", "mooncake-atom", "mori-sglang", "sglang", "tilert", "trt", "vllm"} {
		all = append(all, invented("framework", name))
	}
	w := loaded(t, all...)
	w.want("w.db", `SELECT framework, disagg FROM inferencex_configs ORDER BY 1`, "atom|0", "dynamo-sglang|0", "dynamo-trt|0", "dynamo-vllm|0", "llmd-vllm|0", "mooncake-atom|0",
		"mori-sglang|1", "sglang|0", "tilert|0", "trt|0", "vllm|0")
	w.want("w.db", `SELECT count(*) FROM inferencex_drift`, "0")
}

func TestFactPrecisionAndSpecMethod(t *testing.T) {
	w := loaded(t, invented("precision", "nvfp4"), invented("precision", "mxfp4", "conc", 5), invented("precision", "fp4", "conc", 6), invented("precision", "FP8", "conc", 7),
		invented("precision", "bf16", "spec_method", ""), invented("precision", "bf16", "spec_method", nil, "conc", 5), invented("precision", "bf16", "spec_method", "none", "conc", 6),
		invented("precision", "int4", "spec_method", "mtp"), invented("precision", "int4", "spec_method", "draft_model"))
	w.want("w.db", `SELECT precision, spec_method, count(*) FROM inferencex_rows GROUP BY 1, 2 ORDER BY 1, 2`, "bf16|none|3", "fp4|none|3", "fp8|none|1", "int4|draft_model|1", "int4|mtp|1")
	w.want("w.db", `SELECT DISTINCT raw_precision FROM inferencex_rows WHERE precision = 'fp4' ORDER BY 1`, "fp4", "mxfp4", "nvfp4")
	w.want("w.db", `SELECT count(*) FROM inferencex_drift`, "0")
}

func TestFactModelNames(t *testing.T) {
	catalog := map[string]string{"gptoss120b": "gpt-oss-120b", "kimik2.5": "kimi-k2.5", "kimik3": "kimi-k3", "minimaxm2.5": "minimax-m2.5", "minimaxm2.7": "minimax-m2.7", "minimaxm3": "minimax-m3",
		"glm5": "glm-5", "glm5.2": "glm-5.2", "qwen3.5": "qwen3.5-397b-a17b", "dsv4": "deepseek-v4-pro"}
	for _, key := range []string{"dsr1", "dsv41flash", "llama70b", "qwen3.8next", "kimik2.6", "kimik2.7-code", "glm5.1"} {
		catalog[key] = key
	}
	var all []object
	var want []string
	for _, key := range slices.Sorted(maps.Keys(catalog)) {
		all = append(all, invented("model", key))
		want = append(want, key+"|"+catalog[key]+"|"+key)
	}
	w := loaded(t, all...)
	w.want("w.db", `SELECT x.model, r.model, x.raw_model FROM inferencex_rows x JOIN runs r USING (run_id) ORDER BY 1`, want...)
	w.want("w.db", `SELECT count(*) FROM inferencex_drift`, "0")
}

func TestFactUnknownNames(t *testing.T) {
	w := loaded(t, invented("hardware", "h200_sxm", "framework", "Novel-Engine", "model", "Novel-Model", "precision", "fp6", "spec_method", "eagle9", "benchmark_type", "novel", "offload_mode", "half"))
	w.want("w.db", `SELECT hardware, framework, model, precision, spec_method, benchmark_type, offload_mode, raw_hardware, raw_model FROM inferencex_rows`,
		"h200_sxm|Novel-Engine|Novel-Model|fp6|eagle9|novel|half|h200_sxm|Novel-Model")
	w.want("w.db", `SELECT key, detail, count FROM inferencex_drift WHERE kind = 'word' ORDER BY 1`, "benchmark_type|novel|1", "framework|Novel-Engine|1", "hardware|h200_sxm|1",
		"model|Novel-Model|1", "offload_mode|half|1", "precision|fp6|1", "spec_method|eagle9|1")
	w.want("w.db", `SELECT model, hardware, engine FROM runs`, "Novel-Model|h200_sxm|NULL")
	strict := w.options()
	strict.Strict = true
	if d := w.load("strict.db", strict, "a.json").Documents[0]; d.Status != store.Rejected || len(d.Problems) != 7 || d.Problems[0].Rule != "drift-word" {
		t.Errorf("strict: %+v", d)
	}
}

// Raw artifacts

// groupedBy is the last part of the name that groups a run's artifacts.
const groupedBy = `replace(i.artifact_run, rtrim(i.artifact_run, replace(i.artifact_run, '/', '')), '')`

func TestFactArtifactFormats(t *testing.T) {
	w := newWorld(t, map[string]string{
		"first/agg_dsr1_1k8k.json": array(inventedArtifact("mtp", "on", "dp_attention", "True"), inventedArtifact("mtp", "off"), inventedArtifact("conc", absent, "users", 12)),
		"later/agg_x.json": inventedArtifact("infmax_model_prefix", "kimik2.5", "model", "moonshotai/Kimi-K2.5", "spec_decoding", "mtp", "isl", 8192, "osl", 1024,
			"framework", "vllm", "image", "vllm/vllm-openai:v0.21.0", "num_requests_total", 40).String(),
		"agentic/agg_y.json": inventedArtifact("scenario_type", "agentic-coding", "conc", absent, "users", 128, "offload_mode", "on", "median_qps", nil).String(),
		"agentic/agg_z.json": inventedArtifact("scenario_type", "agentic-coding", "conc", absent, "users", 64, "offloading", "none").String(),
		"agentic/agg_w.json": inventedArtifact("scenario_type", "agentic-coding", "conc", absent, "users", 64, "kv_offloading", "cpu").String(),
	})
	w.load("w.db", w.options(), "first", "later", "agentic")
	w.want("w.db", `SELECT `+groupedBy+`, x.model, x.spec_method, x.prefill_dp_attention, x.isl, x.osl, x.conc, x.offload_mode, x.benchmark_type, r.engine_version, x.official
		FROM inferencex_rows x JOIN runs r USING (run_id) JOIN inferencex_runs i USING (run_id) ORDER BY 1, 3, 8, 7`,
		"agentic|dsr1|none|0|NULL|NULL|64|off|agentic_traces|NULL|0", "agentic|dsr1|none|0|NULL|NULL|64|on|agentic_traces|NULL|0", "agentic|dsr1|none|0|NULL|NULL|128|on|agentic_traces|NULL|0",
		"first|dsr1|mtp|1|1024|8192|16|off|single_turn|NULL|0", "first|dsr1|none|0|1024|8192|12|off|single_turn|NULL|0", "first|dsr1|none|0|1024|8192|16|off|single_turn|NULL|0",
		"later|kimik2.5|mtp|0|8192|1024|16|off|single_turn|0.21.0|0")
	w.want("w.db", `SELECT DISTINCT metric, value, reported_value FROM measurements ORDER BY 1`, "total_token_throughput_per_gpu|100.5|100.5", "ttft_p50|250|0.25")
	// The file's name states the lengths, or nothing does and the row is refused.
	w.write(map[string]string{"d/agg_dsr1.json": inventedArtifact().String()})
	if d := w.load("x.db", w.options(), "d").Documents[0]; d.Rows.Refused != 1 || d.Problems[0].Rule != "missing-length" {
		t.Errorf("%+v", d)
	}
}

// Words of an artifact that say what was measured are known, or kept and reported.
func TestFactArtifactWordsAreKept(t *testing.T) {
	w := newWorld(t, map[string]string{"d/agg_1k1k.json": array(inventedArtifact("scenario_type", "novel-scenario"), inventedArtifact("conc", 8, "offloading", "novel-tier"))})
	w.load("w.db", w.options(), "d")
	w.want("w.db", `SELECT conc, offload_mode FROM inferencex_rows ORDER BY 1`, "8|on", "16|off")
	w.want("w.db", `SELECT kind, key, detail FROM inferencex_drift`, "word|scenario_type|novel-scenario")
	w.want("w.db", `SELECT key, reported_value FROM inferencex_values WHERE key = 'offloading'`, "offloading|novel-tier")
}

func TestFactArtifactsOfADirectoryAreOneRun(t *testing.T) {
	w := newWorld(t, map[string]string{
		"d/agg_a_1k1k.json": inventedArtifact().String(), "d/agg_b_1k1k.json": inventedArtifact("conc", 32).String(), "d/agg_c_1k1k.json": inventedArtifact("conc", 8).String(),
		"e/agg_a_1k1k.json": inventedArtifact("conc", 64).String(),
	})
	w.load("w.db", w.options(), "d", "e")
	w.wantMatch("w.db", `SELECT r.name, group_concat(p.id, ' ') FROM runs r JOIN (SELECT * FROM points ORDER BY position) p USING (run_id) GROUP BY 1 ORDER BY 2`, `artifact-\w{12}\|c64`, `artifact-\w{12}\|c8 c16 c32`)
	// However the files are named on the command line, the run is the same.
	w.load("x.db", w.options(), "e/agg_a_1k1k.json", "d/agg_c_1k1k.json", "./d/../d/agg_a_1k1k.json")
	inside := w.options()
	inside.WorkDir = w.dir + "/d"
	w.load("x.db", inside, "agg_b_1k1k.json")
	compareContent(t, "file by file", w.content("x.db"), w.content("w.db"))
}

func TestFactArtifactIsOnePoint(t *testing.T) {
	w := newWorld(t, map[string]string{
		"d/agg_single_1k1k.json": inventedArtifact().String(),
		"d/agg_spaced_1k1k.json": strings.ReplaceAll(inventedArtifact().String(), `,"`, ",\n  \""),
		"d/agg_all_1k1k.json":    array(inventedArtifact("conc", 8), inventedArtifact()),
	})
	d := w.load("w.db", w.options(), "d").Documents
	if total := d[0].Rows.Added + d[1].Rows.Added + d[2].Rows.Added; total != 2 {
		t.Errorf("%+v", d)
	}
	w.want("w.db", `SELECT id FROM points ORDER BY position`, "c8", "c16")
	w.want("w.db", `SELECT count(*) FROM inferencex_revisions`, "0")
	// The same bytes under another length are another point.
	w.write(map[string]string{"d/agg_single_1k8k.json": inventedArtifact().String()})
	w.load("w.db", w.options(), "d")
	w.want("w.db", `SELECT isl, osl, conc FROM inferencex_rows ORDER BY 1, 2, 3`, "1024|1024|8", "1024|1024|16", "1024|8192|16")
}

func TestFactArtifactsThatDifferAreTwoPoints(t *testing.T) {
	w := newWorld(t, map[string]string{"d/agg_a_1k1k.json": array(inventedArtifact(), inventedArtifact("median_ttft", 0.75))})
	w.load("w.db", w.options(), "d")
	w.want("w.db", `SELECT reported_value FROM measurements WHERE metric = 'ttft_p50' ORDER BY 1`, "0.25", "0.75")
}

func TestFactArtifactInTwoDirectories(t *testing.T) {
	w := newWorld(t, map[string]string{
		"b/agg_a_1k1k.json": inventedArtifact().String(), "b/agg_b_1k1k.json": inventedArtifact("conc", 32).String(),
		"a/agg_c_1k1k.json": inventedArtifact().String(), "c/agg_d_1k1k.json": array(inventedArtifact(), inventedArtifact("conc", 64)),
	})
	w.load("w.db", w.options(), "a", "b", "c")
	w.want("w.db", `SELECT `+groupedBy+`, p.id FROM points p JOIN inferencex_runs i USING (run_id) ORDER BY 1, 2`, "a|c16", "b|c32", "c|c64")
	for i, order := range [][]string{{"c", "b", "a"}, {"b", "a", "c"}, {"c", "a", "b"}} {
		db := fmt.Sprint(i, ".db")
		for _, dir := range order {
			w.load(db, w.options(), dir)
		}
		compareContent(t, fmt.Sprint(order), w.content(db), w.content("w.db"))
	}
}

func TestFactClientOutputIsRefused(t *testing.T) {
	bodies := map[string]string{
		"client_8.json":        `{"date":"20260102-030405","backend":"vllm","model_id":"m","request_rate":"inf","num_prompts":80,"mean_ttft_ms":250.5,"median_ttft_ms":240}`,
		"goodput.json":         `{"request_goodput:":null,"duration":3.5,"ttfts":[0.1,0.2]}`,
		"agg_in_name_only.txt": `{"input_lens":[10,20],"output_lens":[1,2],"ttfts":[0.1],"itls":[[0.1]]}`,
	}
	w := newWorld(t, bodies)
	for name := range bodies {
		d := w.load("w.db", w.options(), name).Documents[0]
		if d.Status != store.Rejected || len(d.Problems) != 1 || d.Problems[0].Rule != "not-rows" || !strings.Contains(d.Problems[0].Message, "raw output of a benchmark client") {
			t.Errorf("%s: %+v", name, d)
		}
	}
	w.want("w.db", `SELECT count(*) FROM points`, "0")
}

// Other operations

func TestFactOtherOperationsAreRefused(t *testing.T) {
	bodies := map[string]string{
		"several operations": `{"421":{"x":1}}`,
	}
	for operation, body := range bodies {
		w := newWorld(t, map[string]string{"body.json": body, "d/body.json": body})
		d := w.load("w.db", w.options(), "body.json").Documents[0]
		if d.Status != store.Rejected || len(d.Problems) != 1 || d.Problems[0].Rule != "not-rows" || !strings.Contains(d.Problems[0].Message, operation) {
			t.Errorf("%s: %+v", operation, d)
		}
		// In a directory that is searched it is passed over.
		if r := w.load("w.db", w.options(), "d"); len(r.Documents) != 0 || len(r.Skipped) != 1 {
			t.Errorf("%s in a directory: %+v", operation, r)
		}
		w.want("w.db", `SELECT count(*) FROM points`, "0")
	}
}

// Rows of reliability are one for each run: equal ones count, and a total of 0 has no ratio. Evaluations that differ in their ids alone are one, those that differ in a width or in GPUs are not.
func TestFactPublishedRows(t *testing.T) {
	evaluation := `{"id":"%d","config_id":"%d","hardware":"h200","framework":"vllm","model":"dsr1","precision":"fp8","spec_method":"none","disagg":false,"task":"gsm8k","date":"2026-01-02","isl":null,"osl":null,"conc":64,
		"metrics":{"em_strict":0.95},"timestamp":"2026-01-02T03:00:00Z","run_url":"https://github.com/x/y/actions/runs/5"}`
	w := newWorld(t, map[string]string{
		"r.json": `[{"hardware":"h200","date":"2026-01-02","n_success":3,"total":4},{"hardware":"h200","date":"2026-01-02","n_success":3,"total":4},{"hardware":"b200","date":"2026-01-02","n_success":0,"total":0}]`,
		"e.json": "[" + fmt.Sprintf(evaluation, 12, 7) + "," + fmt.Sprintf(evaluation, 13, 7) +
			strings.Replace(","+fmt.Sprintf(evaluation, 14, 8), `"conc"`, `"decode_ep":4,"conc"`, 1) + strings.Replace(","+fmt.Sprintf(evaluation, 15, 9), `"conc"`, `"num_decode_gpu":4,"conc"`, 1) + "]",
		"s.json": `{"summary":[],"volume":[]}`,
	})
	r := w.load("w.db", w.options(), "r.json", "e.json", "s.json")
	wantOutcomes(t, r, "e.json added", "r.json added", "s.json added")
	if got, want := w.shipped("w.db", "published-reliability", nil), []string{"b200|2026-01-02|1|0|0|NULL", "h200|2026-01-02|2|6|8|0.75"}; !slices.Equal(got, want) {
		t.Errorf("reliability %q", got)
	}
	got := w.shipped("w.db", "published-evaluations", map[string]string{"task": "gsm8k"})
	row := "dsr1|h200|vllm|fp8|none|0|NULL|NULL|NULL|%s|NULL|NULL|64|gsm8k|2026-01-02|em_strict|0.95|NULL|2026-01-02T03:00:00Z|https://github.com/x/y/actions/runs/5"
	if want := []string{fmt.Sprintf(row, "NULL"), fmt.Sprintf(row, "NULL"), fmt.Sprintf(row, "4")}; !slices.Equal(got, want) {
		t.Errorf("evaluations %q", got)
	}
}

// Terms

func TestFactTerms(t *testing.T) {
	registry := func(status, permits string) string {
		return "# Invented for tests.\nkind: MeasurementSources\nsources:\n  - {id: inferencex, title: t, license: Apache-2.0, status: " + status + permits + "}\n"
	}
	verified := registry("verified", ", permits: ["+everything+"], evidence: [{url: 'https://example.org/l', quote: q, location: 'L:1'}]")
	w := newWorld(t, map[string]string{"a.json": array(invented()), "sources.yaml": verified})
	w.load("w.db", w.options(), "a.json")
	w.want("w.db", `SELECT r.licence_id, l.status, l.note LIKE '%no licence for the data was found%' FROM runs r JOIN licences l USING (licence_id)`, "inferencex|unverified|1")
	w.want("w.db", `SELECT count(*) FROM licence_permits`, "0")
	w.want("w.db", `SELECT count(*) FROM scorable_runs`, "0")
	w.want("w.db", `SELECT count(*) FROM unscorable_reasons WHERE code = 'licence' OR code LIKE 'licen%'`, "1")
	// A registry that verifies it lifts that reason, whichever is loaded first, and no other.
	w.load("w.db", w.options(), "sources.yaml")
	w.load("x.db", w.options(), "sources.yaml")
	w.load("x.db", w.options(), "a.json")
	for _, db := range []string{"w.db", "x.db"} {
		w.want(db, `SELECT status FROM licences WHERE licence_id = 'inferencex'`, "verified")
		w.want(db, `SELECT count(*) FROM unscorable_reasons WHERE code LIKE 'licen%'`, "0")
		w.want(db, `SELECT verdict FROM verdicts`, "NOT_REPRODUCIBLE")
		w.want(db, `SELECT count(*) FROM scorable_runs`, "0")
	}
	compareContent(t, "registry first", w.content("x.db"), w.content("w.db"))
}

// A run gets its verdict by the rules of every run: what a row does not state is missing, and no default fills it in.
func TestFactNoDefaultMakesARunReproducible(t *testing.T) {
	w := loaded(t, invented("image", "vllm/vllm-openai:v0.11.0"),
		invented("isl", 101, "disagg", true, "prefill_tp", 4, "prefill_ep", 4, "prefill_num_workers", 2, "decode_num_workers", 1, "num_prefill_gpu", 8, "num_decode_gpu", 8, "decode_dp_attention", true),
		invented("isl", nil, "osl", nil, "benchmark_type", "agentic_traces"))
	w.want("w.db", `SELECT DISTINCT verdict FROM verdicts`, "NOT_REPRODUCIBLE")
	w.want("w.db", `SELECT count(DISTINCT v.name) FROM verdicts v JOIN runs r USING (name) JOIN verdict_reasons x USING (run_id) WHERE x.code = 'missing_workload'`, "3")
	w.want("w.db", `SELECT r.isl, p.role, p.tp, p.ep, p.workers, p.dp_attention, p.pp, p.dp FROM pools p JOIN runs r USING (run_id) WHERE r.isl IS NOT NULL ORDER BY 1, p.position`,
		"101|prefill|4|4|2|0|NULL|NULL", "101|decode|8|1|1|1|NULL|NULL", "1024|colocated|8|1|0|0|NULL|NULL")
}

func TestFactOfficial(t *testing.T) {
	urls := []struct {
		url      any
		official int
	}{
		{"https://github.com/SemiAnalysisAI/InferenceX/actions/runs/1/attempts/1", 1},
		{"https://github.com/InferenceMAX/InferenceMAX/actions/runs/2/attempts/1", 1},
		{"https://github.com/somebody/InferenceX/actions/runs/3/attempts/1", 0},
		{"https://github.com/SemiAnalysisAI/InferenceX-fork/actions/runs/4/attempts/1", 0},
		{"https://example.org/github.com/SemiAnalysisAI/InferenceX/actions/runs/5/attempts/1", 0},
		{nil, 0},
	}
	var all []object
	var want, flagged []string
	for i, u := range urls {
		all = append(all, invented("run_url", u.url, "isl", 101+i))
		want = append(want, fmt.Sprintf("%d|%d", 101+i, u.official))
		if u.official == 0 {
			flagged = append(flagged, fmt.Sprint(101+i))
		}
	}
	w := loaded(t, all...)
	w.want("w.db", `SELECT isl, official FROM inferencex_rows ORDER BY 1`, want...)
	w.want("w.db", `SELECT r.isl FROM flags f JOIN runs r USING (run_id) WHERE f.code = 'unofficial' ORDER BY 1`, flagged...)
}

// The publisher's database dump

// inventedDump is a folder of tables with one configuration, run and result.
func inventedDump(results ...object) map[string]string {
	config := invented("id", "7")
	for _, key := range []string{"isl", "osl", "conc", "metrics", "date", "run_url"} {
		delete(config, key)
	}
	return map[string]string{
		"dump/configs.json": array(config),
		"dump/workflow_runs.json": array(object{"id": "31", "github_run_id": "100000001", "run_attempt": "2", "name": "sweep", "status": "completed", "conclusion": "success", "head_sha": "ab",
			"head_branch": "main", "html_url": actions + "100000001", "created_at": "2026-01-02T00:00:01Z", "run_started_at": "2026-01-02 03:00:00+00", "date": "2026-01-02T00:00:00.000Z"}),
		"dump/benchmark_results.json": array(results...),
		"dump/run_stats.json":         `[{"workflow_run_id":31,"date":"2026-01-02T00:00:00.000Z","hardware":"h200","n_success":1,"total":1}]`,
	}
}

func inventedResult(pairs ...any) object {
	return object{"id": "99", "workflow_run_id": 31, "config_id": 7, "benchmark_type": "single_turn", "date": "2026-01-02T00:00:00.000Z", "isl": 1024, "osl": 1024, "conc": 4,
		"image": "vllm/vllm-openai:v0.10.2", "metrics": object{"median_ttft": 0.25}, "error": nil, "server_log_id": nil}.with(pairs...)
}

func TestFactDump(t *testing.T) {
	w := newWorld(t, inventedDump(inventedResult(), inventedResult("id", 100, "conc", "8", "config_id", "7", "workflow_run_id", "31", "offload_mode", "off",
		"recipe_fingerprint", nil, "workers", []any{object{"role": "decode"}}, "power_invalid_reasons", []any{"short"}, "power_audit", object{"n": 1}),
		inventedResult("id", 101, "conc", 16, "error", "server died", "metrics", nil)))
	served := invented("run_url", actions+"100000001/attempts/2", "run_started_at", "2026-01-02T03:00:00Z", "workflow_run_id", 31, "image", "vllm/vllm-openai:v0.10.2", "benchmark_type", "single_turn")
	w.write(map[string]string{"capture.json": array(served.with("id", 99), served.with("id", 100, "conc", 8, "workers", []any{object{"role": "decode"}},
		"power_invalid_reasons", []any{"short"}, "power_audit", object{"n": 1}))})
	strict := w.options()
	strict.Strict = true // what a dump has by nature is no drift
	d := w.load("w.db", strict, "dump").Documents[0]
	if d.Rows.Added != 2 || d.Rows.Failed != 1 || d.Rows.Refused != 0 || !d.Valid {
		t.Errorf("%+v", d)
	}
	w.want("w.db", `SELECT run_url, github_run_id, run_attempt, date, id, official FROM inferencex_rows WHERE conc = 4`, actions+"100000001/attempts/2|100000001|2|2026-01-02|99|1")
	w.want("w.db", `SELECT conc, error FROM inferencex_failed_points`, "16|server died")
	w.load("x.db", w.options(), "capture.json")
	// What only a dump has is left out of the comparison.
	withoutOther := slices.DeleteFunc(w.content("w.db"), func(s string) bool {
		table, _, _ := strings.Cut(s, " ")
		return slices.Contains([]string{"inferencex_failed_points", "inferencex_workflow_runs", "inferencex_run_stats"}, table)
	})
	compareContent(t, "the dump", withoutOther, w.content("x.db"))
	// The capture of the same rows adds nothing to it.
	if d := w.load("w.db", w.options(), "capture.json").Documents[0]; d.Status != store.Unchanged {
		t.Errorf("%+v", d)
	}
}

// A dump may lack the address of a run. It then says nothing against the address that a capture gave.
func TestFactDumpWithoutAddress(t *testing.T) {
	files := inventedDump(inventedResult())
	files["dump/workflow_runs.json"] = strings.Replace(files["dump/workflow_runs.json"], `"html_url":"`+actions+`100000001"`, `"html_url":null`, 1)
	w := newWorld(t, files)
	w.write(map[string]string{"capture.json": array(invented("run_url", actions+"100000001/attempts/2"))})
	w.load("w.db", w.options(), "capture.json")
	w.load("w.db", w.options(), "dump")
	w.load("x.db", w.options(), "dump")
	w.load("x.db", w.options(), "capture.json")
	for _, db := range []string{"w.db", "x.db"} {
		w.want(db, `SELECT count(*), max(official), max(run_url) FROM inferencex_runs`, "1|1|"+actions+"100000001/attempts/2")
	}
	compareContent(t, "the other order", w.content("x.db"), w.content("w.db"))
}

func TestFactArchiveIsRefused(t *testing.T) {
	w := newWorld(t, map[string]string{"dump.json": "PGDMP\x01\x0e\x00binary", "inventedDump.custom": "PGDMP\x01\x0e\x00binary"})
	for _, name := range []string{"dump.json", "inventedDump.custom"} {
		d := w.load("w.db", w.options(), name).Documents[0]
		if d.Status != store.Rejected || !strings.Contains(d.Problems[0].Message, "pg_restore") {
			t.Errorf("%s: %+v", name, d)
		}
	}
	// One table by itself is refused with what else it needs.
	files := inventedDump(inventedResult())
	w.write(map[string]string{"lone.json": files["dump/benchmark_results.json"]})
	if d := w.load("w.db", w.options(), "lone.json").Documents[0]; d.Status != store.Rejected || !strings.Contains(d.Problems[0].Message, "configs.json") {
		t.Errorf("%+v", d)
	}
}

// The counts of a file add up to its rows.
func TestFactCountsAddUp(t *testing.T) {
	w := newWorld(t, map[string]string{"a.json": array(
		invented(), invented(), invented("metrics", object{"p99_ttft": 1}), invented("conc", "x"),
		invented("conc", 9, "metrics", object{"num_requests_total": 4, "num_requests_successful": 0}),
		invented("conc", 16, "run_url", "https://github.com/x/y/actions/runs/1"))})
	d := w.load("w.db", w.options(), "a.json").Documents[0]
	if want := (store.CaptureRows{Added: 2, Updated: 1, Unchanged: 1, Failed: 1, Refused: 1, Flagged: 1}); d.Rows != want || d.Status != store.Partial {
		t.Errorf("%s %+v", d.Status, d.Rows)
	}
}

// TestFactsAreListed holds that docs/inferencex.md names a test for every fact, that
// these tests are there, and that it leaves none of this file out.
func TestFactsAreListed(t *testing.T) {
	doc, err := os.ReadFile("../docs/inferencex.md")
	if err != nil {
		t.Fatal(err)
	}
	_, list, ok := strings.Cut(string(doc), "\n| about | fact | tests |\n")
	if !ok {
		t.Fatal("docs/inferencex.md has no table of facts")
	}
	tests := map[string]bool{}
	for _, dir := range []string{".", "inferencex"} {
		files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\)`).FindAllStringSubmatch(string(source), -1) {
				tests[m[1]] = true
			}
		}
	}
	named := map[string]bool{}
	n := 0
	for _, line := range strings.Split(list, "\n")[1:] {
		cells := strings.Split(line, " | ")
		if len(cells) != 3 {
			break
		}
		n++
		found := regexp.MustCompile("`(Test\\w+)`").FindAllStringSubmatch(cells[2], -1)
		if len(found) == 0 {
			t.Errorf("no test for: %s", cells[1])
		}
		for _, m := range found {
			named[m[1]] = true
			if !tests[m[1]] {
				t.Errorf("there is no test %s for: %s", m[1], cells[1])
			}
		}
	}
	if n < 40 {
		t.Errorf("only %d facts are listed", n)
	}
	for name := range tests {
		if strings.HasPrefix(name, "TestFact") && name != "TestFactsAreListed" && !named[name] {
			t.Errorf("docs/inferencex.md does not list %s", name)
		}
	}
}
