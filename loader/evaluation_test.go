package loader

import (
	"fmt"
	"math/rand"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/inference-sim/blis-warehouse/loader/inferencex"
	"github.com/inference-sim/blis-warehouse/store/record"
)

// evaluationYAML is an invented evaluation run.
func evaluationYAML(name string, extra ...string) string {
	return `# Invented for tests; nothing here is measured.
kind: EvaluationRun
name: ` + name + `
scenario: chat
date: "2026-10-15"
points:
  - {concurrency: 1, ttft_ms: 10, output_tokens_per_sec: 150}
  - {concurrency: 2, ttft_ms: 20}
` + strings.Join(append(extra, ""), "\n")
}

// Every key of a document, each with a value of its own, is found in the
// column that docs/evaluations.md names.
func TestEvaluationKeysLand(t *testing.T) {
	w := newWorld(t, map[string]string{"e.yaml": `kind: EvaluationRun
name: every-key
scenario: a scenario
harness: a harness
harness_version: "1.10"
engine_version: "0.30"
date: 2026-10-15t23:58:06.5+00:00
points:
  - {concurrency: 32, completed_requests: 0, kv_utilization: 0, prefix_cache_hit_rate: 1, preemptions: 0, ttft_ms: 0, e2e_ms: 1e-3}
  - concurrency: 4
    completed_requests: 101
    output_tokens_per_sec: 102.5
    input_tokens_per_sec: 103.5
    ttft_ms: 104.5
    itl_ms: 105.5
    e2e_ms: 106.5
    mean_isl: 107.5
    mean_osl: 108.5
    kv_utilization: 0.25
    prefix_cache_hit_rate: 0.75
    preemptions: 109
`})
	wantOutcomes(t, w.load("w.db", w.options(), "e.yaml"), "e.yaml added")
	run := map[string][2]string{ // a column and its value by field
		"Name": {"r.name", "every-key"}, "Scenario": {"e.scenario", "a scenario"}, "Harness": {"r.harness", "a harness"}, "HarnessVersion": {"r.harness_version", "1.10"},
		"EngineVersion": {"r.engine_version", "0.30"}, "Date": {"e.date || ' ' || r.measured_on", "2026-10-15T23:58:06.5Z 2026-10-15"},
		"Points": {"(SELECT count(*) FROM points)", "2"},
	}
	point := map[string][2]string{
		"Concurrency": {"p.id || ' ' || p.concurrency", "c4 4"}, "CompletedRequests": {"p.completed", "101"}, "OutputTokensPerSec": {"v.output_tokens_per_sec", "102.5"},
		"InputTokensPerSec": {"v.input_tokens_per_sec", "103.5"}, "TTFTMs": {"v.ttft_ms", "104.5"}, "ITLMs": {"v.itl_ms", "105.5"}, "E2EMs": {"v.e2e_ms", "106.5"},
		"MeanISL": {"p.mean_isl", "107.5"}, "MeanOSL": {"p.mean_osl", "108.5"}, "KVUtilization": {"p.kv_utilization", "0.25"},
		"PrefixCacheHitRate": {"p.prefix_hit_rate", "0.75"}, "Preemptions": {"p.preemptions", "109"},
	}
	for of, columns := range map[reflect.Type]map[string][2]string{reflect.TypeFor[record.EvaluationRun](): run, reflect.TypeFor[record.EvaluationPoint](): point} {
		if of.NumField() != len(columns) {
			t.Errorf("%s has %d fields, %d are looked for", of, of.NumField(), len(columns))
		}
		for i := range of.NumField() {
			c, ok := columns[of.Field(i).Name]
			if !ok {
				t.Errorf("%s of %s is not looked for", of.Field(i).Name, of)
				continue
			}
			w.want("w.db", `SELECT `+c[0]+` FROM runs r JOIN evaluation_runs e USING (run_id) JOIN points p USING (run_id) JOIN evaluation_points v USING (point_id)
				WHERE p.position = 0`, c[1])
		}
	}
	// Zero is a value, and what is not stated is NULL.
	w.want("w.db", `SELECT p.id, completed, prefix_hit_rate, preemptions, ttft_ms, e2e_ms, itl_ms, mean_isl FROM points p JOIN evaluation_points USING (point_id) WHERE position = 1`,
		"c32|0|1|0|0|0.001|NULL|NULL")
	w.want("w.db", `SELECT count(*) FROM measurements`, "0")
	w.want("w.db", `SELECT content_id IS NULL, licence_id = '', source_kind = '', admitted_as FROM runs`, "1|1|1|file")
}

// What an evaluation run states makes it no better, and no registry does.
func TestEvaluationVerdict(t *testing.T) {
	bare := "kind: EvaluationRun\nname: bare\npoints: [{concurrency: 1}]\n"
	w := newWorld(t, map[string]string{
		"sources.yaml": registryYAML(map[string]string{"open": everything}),
		"e/full.yaml":  evaluationYAML("full", "harness: h", "engine_version: '1'"),
		"e/bare.yaml":  bare,
	})
	r := w.load("w.db", w.options(), "e", "sources.yaml")
	wantOutcomes(t, r, "e/bare.yaml added", "e/full.yaml added", "sources.yaml added")
	want := []string{"incomplete_definition metric_defs", "licence source.license_ref", "missing_cluster cluster", "missing_deployment deployment", "missing_model model", "missing_workload workload"}
	for i, more := range [][]string{{"missing_engine_version engine_version", "missing_harness harness"}, nil} {
		d := r.Documents[i]
		if d.Kind != "EvaluationRun" || d.Verdict == nil || d.Verdict.Verdict != "NOT_REPRODUCIBLE" || d.Verdict.Resolution != "" {
			t.Fatalf("%+v", d)
		}
		var got []string
		for _, reason := range d.Verdict.Reasons {
			got = append(got, reason.Code+" "+reason.Path)
		}
		slices.Sort(got)
		wanted := slices.Sorted(slices.Values(slices.Concat(want, more)))
		if !slices.Equal(got, wanted) {
			t.Errorf("%s: reasons %q, want %q", d.Name, got, wanted)
		}
	}
	w.want("w.db", `SELECT count(*) FROM scorable_runs UNION ALL SELECT count(*) FROM calibration_runs UNION ALL SELECT count(*) FROM licence_problems`, "0", "0", "0")
	w.want("w.db", `SELECT code, detail FROM unscorable_reasons WHERE name = 'full' ORDER BY 1`,
		"licence|an EvaluationRun states no licence, so that nothing is permitted", "not_reproducible|BLIS cannot build the run (see verdict_reasons)")
	if got := w.shipped("w.db", "licence-gaps", nil); len(got) > 0 {
		t.Errorf("licence gaps: %q", got)
	}
	if got, want := w.shipped("w.db", "scorable-runs", map[string]string{"origin": "evaluation"}), []string{
		"bare|0|NOT_REPRODUCIBLE|NULL|NULL|licence, not_reproducible", "full|0|NOT_REPRODUCIBLE|NULL|NULL|licence, not_reproducible"}; !slices.Equal(got, want) {
		t.Errorf("scorable-runs: %q, want %q", got, want)
	}
	if got, want := w.shipped("w.db", "coverage", map[string]string{"origin": "evaluation"}), []string{"NULL|NULL|NULL|NULL|1|1|NULL", "NULL|NULL|NULL|1|1|2|2026-10-15"}; !slices.Equal(got, want) {
		t.Errorf("coverage: %q, want %q", got, want)
	}
	if validated, err := Validate(t.Context(), []string{"e"}, w.options()); err != nil || validated.Documents[0].Verdict.Verdict != "NOT_REPRODUCIBLE" || !validated.Documents[1].Valid {
		t.Errorf("validate: %+v, %v", validated, err)
	}
}

func TestEvaluationVersions(t *testing.T) {
	w := newWorld(t, map[string]string{"e.yaml": evaluationYAML("e"), "copy.yaml": evaluationYAML("e")})
	wantOutcomes(t, w.load("w.db", w.options(), "e.yaml", "copy.yaml"), "copy.yaml added", "e.yaml unchanged")
	w.write(map[string]string{"e.yaml": strings.Replace(evaluationYAML("e"), "  - {concurrency: 2, ttft_ms: 20}\n", "", 1)})
	wantOutcomes(t, w.load("w.db", w.options(), "e.yaml"), "e.yaml updated")
	w.want("w.db", `SELECT count(*) FROM points UNION ALL SELECT count(*) FROM evaluation_points UNION ALL SELECT count(*) FROM evaluation_runs`, "1", "1", "1")
	w.want("w.db", `SELECT count(*) FROM run_versions JOIN document_contents USING (sha256) WHERE name = 'e'`, "2")
	wantOutcomes(t, w.load("w.db", w.options(), "copy.yaml"), "copy.yaml updated")
	w.want("w.db", `SELECT count(*) FROM run_versions UNION ALL SELECT count(*) FROM points`, "2", "2")
	w.want("w.db", `SELECT kind, status, count(*) FROM documents GROUP BY 1, 2 ORDER BY 2`, "EvaluationRun|added|1", "EvaluationRun|unchanged|1", "EvaluationRun|updated|2")
}

// A MeasuredRun is in effect whichever of the two is loaded first; in one
// command neither is.
func TestEvaluationAndMeasuredRunOfOneName(t *testing.T) {
	w := newWorld(t, map[string]string{"e.yaml": evaluationYAML("one"), "m.yaml": runYAML("one", "open"), "false.yaml": runYAML("one", "open", "verdict: EXACT", "resolution: STRICT")})
	wantOutcomes(t, w.load("together.db", w.options(), "e.yaml", "m.yaml"), "e.yaml rejected name:3[name-taken]", "m.yaml rejected name:3[name-taken]")
	w.want("together.db", `SELECT count(*) FROM runs`, "0")

	wantOutcomes(t, w.load("first.db", w.options(), "e.yaml"), "e.yaml added")
	wantOutcomes(t, w.load("first.db", w.options(), "false.yaml"), "false.yaml rejected verdict:22[stated-verdict]")
	w.want("first.db", `SELECT origin, count(*) FROM runs JOIN points USING (run_id) JOIN evaluation_points USING (point_id)`, "evaluation|2")
	wantOutcomes(t, w.load("first.db", w.options(), "m.yaml"), "m.yaml updated")
	r := w.load("first.db", w.options(), "e.yaml")
	wantOutcomes(t, r, "e.yaml rejected name:3[name-taken]")
	if message := r.Documents[0].Problems[0].Message; !strings.HasPrefix(message, "a MeasuredRun has this name, which an EvaluationRun does not replace") {
		t.Errorf("message %q", message)
	}

	wantOutcomes(t, w.load("second.db", w.options(), "m.yaml"), "m.yaml added")
	wantOutcomes(t, w.load("second.db", w.options(), "e.yaml"), "e.yaml rejected name:3[name-taken]")
	for _, db := range []string{"first.db", "second.db"} {
		w.want(db, `SELECT name, origin FROM runs`, "one|catalog")
		w.want(db, `SELECT count(*) FROM evaluation_runs UNION ALL SELECT count(*) FROM evaluation_points UNION ALL SELECT count(*) FROM points`, "0", "0", "2")
	}
	w.want("first.db", `SELECT count(*) FROM run_versions`, "2") // what was loaded once is not lost
	kept := func(db string) []string {
		return slices.DeleteFunc(w.logicalContent(db), func(s string) bool {
			return strings.HasPrefix(s, "run_versions ") || strings.HasPrefix(s, "document_contents ")
		})
	}
	compareContent(t, "the evaluation first", kept("first.db"), kept("second.db"))
}

func TestEvaluationAndInferenceXOfOneName(t *testing.T) {
	w := newWorld(t, map[string]string{"a.json": array(invented())})
	w.load("w.db", w.options(), "a.json")
	name := w.query("w.db", `SELECT name FROM runs`)[0]
	w.write(map[string]string{"e.yaml": evaluationYAML(name), "m.yaml": runYAML(name, "open"), "other.yaml": evaluationYAML("other")})
	for _, document := range []string{"e.yaml", "m.yaml"} {
		refused := document + " rejected name:3[name-taken]"
		for i, order := range [][]string{{"a.json", document}, {document, "a.json"}} {
			db := fmt.Sprint(document, i, ".db")
			for _, input := range order {
				if r := w.load(db, w.options(), input); input == document {
					wantOutcomes(t, r, refused)
				}
			}
			compareContent(t, fmt.Sprint(order), w.logicalContent(db), w.logicalContent("w.db"))
		}
		together := w.load("together-"+document+".db", w.options(), document, "a.json")
		wantOutcomes(t, together, "a.json added", refused)
		compareContent(t, "in one command", w.logicalContent("together-"+document+".db"), w.logicalContent("w.db"))
	}
	// An earlier program may have let a document in.
	w.load("x.db", w.options(), "other.yaml")
	w.want("x.db", `UPDATE runs SET name = '`+name+`' RETURNING name`, name)
	r := w.load("x.db", w.options(), "a.json")
	if d := r.Documents[0]; d.Rows.Refused != 1 || len(d.Problems) != 1 || d.Problems[0].Rule != "name-taken" {
		t.Errorf("%+v", d)
	}
	w.want("x.db", `SELECT origin FROM runs`, "evaluation")
}

// Every name that a row gives its run is of the reserved form, and a name that only looks like it is not.
func TestReservedNames(t *testing.T) {
	w := newWorld(t, map[string]string{"a.json": array(invented(), invented("run_url", nil), invented("run_url", actions+"7")), "d/agg_1k1k.json": inventedArtifact().String()})
	w.load("w.db", w.options(), "a.json", "d")
	names := w.query("w.db", `SELECT name FROM runs`)
	if len(names) != 4 {
		t.Fatalf("%q", names)
	}
	for _, name := range names {
		if !inferencex.IsRunName(name) {
			t.Errorf("%s is not reserved", name)
		}
	}
	for _, name := range []string{"inferencex", "inferencex-h200-vllm", "inferencex-1-1-160b2c42ee3", "inferencex-1-1-160b2c42ee34-again", "my-inferencex-1-1-160b2c42ee34", "artifact-7", "artifact-abcdefabcdeg"} {
		if inferencex.IsRunName(name) {
			t.Errorf("%s is reserved", name)
		}
	}
}

// A catalog has no place for an evaluation run; a directory that is none does.
func TestEvaluationPlaces(t *testing.T) {
	w := newWorld(t, map[string]string{
		"c/measurements/sources.yaml":     registryYAML(map[string]string{"open": everything}),
		"c/measurements/open/e.yaml":      evaluationYAML("e"),
		"c/measurements/open/bad.yaml":    strings.Replace(evaluationYAML("bad"), "concurrency: 2", "concurrency: 1", 1),
		"c/measurements/deep/er/yes.yaml": evaluationYAML("yes"),
		"d/measurements/sources.yaml":     evaluationYAML("registry"),
		"some/where/found.yml":            evaluationYAML("found"),
		"some/where/note.yaml":            "a: note\n",
		"some/json.json":                  `{"kind": "EvaluationRun", "name": "json", "points": [{"concurrency": 1, "ttft_ms": 5}]}`,
	})
	r := w.load("w.db", w.options(), "c", "d", "some")
	wantOutcomes(t, r,
		"c/measurements/deep/er/yes.yaml rejected :1[layout]",
		"c/measurements/open/bad.yaml rejected kind:2[layout] points[1].concurrency:8[duplicate]",
		"c/measurements/open/e.yaml rejected kind:2[layout]",
		"c/measurements/sources.yaml added",
		"d/measurements/sources.yaml rejected :1[layout]",
		"some/json.json added",
		"some/where/found.yml added")
	if !slices.Equal(r.Skipped, []string{"some/where/note.yaml"}) {
		t.Errorf("skipped %q", r.Skipped)
	}
	w.want("w.db", `SELECT name FROM runs ORDER BY 1`, "found", "json")
}

// A MeasuredRun that supersedes an evaluation run is seen doing so, whichever
// comes first; one that declares itself its duplicate is wrong.
func TestEvaluationSuperseded(t *testing.T) {
	w := newWorld(t, map[string]string{
		"sources.yaml": registryYAML(map[string]string{"open": everything}),
		"e.yaml":       evaluationYAML("e"),
		"m.yaml":       runYAML("m", "open", "supersedes: e"),
		"copy.yaml":    strings.Replace(runYAML("copy", "open", "duplicate_of: e"), "value: 20", "value: 25", 1),
	})
	w.load("w.db", w.options(), "sources.yaml", "m.yaml", "copy.yaml")
	w.want("w.db", `SELECT name, problem FROM reference_problems ORDER BY 1`, "copy|dangling", "m|dangling")
	w.want("w.db", `SELECT name FROM scorable_runs ORDER BY 1`, "copy", "m")
	w.load("w.db", w.options(), "e.yaml")
	w.load("x.db", w.options(), "e.yaml", "m.yaml", "copy.yaml", "sources.yaml")
	for _, db := range []string{"w.db", "x.db"} {
		w.want(db, `SELECT name, head, depth, problem FROM supersessions ORDER BY 1`, "copy|copy|0|NULL", "e|m|1|NULL", "m|m|0|NULL")
		w.want(db, `SELECT detail FROM unscorable_reasons WHERE name = 'e' AND code = 'superseded'`, "superseded by m")
		w.want(db, `SELECT name, field, target, problem FROM reference_problems`, "copy|duplicate_of|e|not_duplicate")
		w.want(db, `SELECT name FROM scorable_runs`, "m") // a declared duplicate of a loaded run is none, also a false one
		w.want(db, `SELECT count(*) FROM duplicate_pairs`, "0")
		if got := w.shipped(db, "evaluation-points", map[string]string{"run": "e"}); len(got) != 2 || !strings.HasSuffix(got[1], "|m") {
			t.Errorf("evaluation-points: %q", got)
		}
	}
	compareContent(t, "the evaluation last", w.logicalContent("w.db"), w.logicalContent("x.db"))
}

// The documents of the demonstration load as it says.
func TestEvaluationDemo(t *testing.T) {
	const dir = "../testdata/demo/"
	files := map[string]string{}
	for _, name := range []string{"evaluations/demo-eval-chat.yaml", "evaluations/demo-chat-measured.yaml", "catalog/measurements/sources.yaml"} {
		content, err := os.ReadFile(dir + name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(content)
	}
	w := newWorld(t, files)
	w.load("w.db", w.options(), "evaluations", "catalog/measurements/sources.yaml")
	w.want("w.db", `SELECT name, verdict, head FROM verdicts JOIN supersessions USING (run_id, name) ORDER BY 1`, "demo-chat-measured|EXACT|demo-chat-measured", "demo-eval-chat|NOT_REPRODUCIBLE|demo-chat-measured")
}

// Invented documents of random keys in random order give the rows that an
// oracle makes of them, and the same rows with points in another order.
func TestEvaluationsAgainstOracle(t *testing.T) {
	rnd := rand.New(rand.NewSource(9))
	keys := []struct {
		name string
		most int // 0 for a fraction
	}{
		{"completed_requests", 500}, {"output_tokens_per_sec", 5000}, {"input_tokens_per_sec", 5000}, {"ttft_ms", 300}, {"itl_ms", 40}, {"e2e_ms", 20000},
		{"mean_isl", 4096}, {"mean_osl", 4096}, {"kv_utilization", 0}, {"prefix_cache_hit_rate", 0}, {"preemptions", 9},
	}
	stated, unstated := map[string]int{}, map[string]int{}
	files, shuffled := map[string]string{}, map[string]string{}
	var want []string
	for i := range 60 {
		name := fmt.Sprintf("e%02d", i)
		loads := rnd.Perm(40)[:1+rnd.Intn(5)]
		points := map[int]string{}
		for _, load := range loads {
			point, row := fmt.Sprintf("  - concurrency: %d\n", load+1), fmt.Sprintf("%s|%d", name, load+1)
			for _, k := range keys {
				switch rnd.Intn(3) {
				case 0:
					unstated[k.name]++
					row += "|NULL"
				default:
					stated[k.name]++
					value := fmt.Sprint(rnd.Intn(k.most + 1))
					if k.most == 0 {
						value = fmt.Sprint(float64(rnd.Intn(5)) / 4)
					}
					point += fmt.Sprintf("    %s: %s\n", k.name, value)
					row += "|" + value
				}
			}
			points[load] = point
			want = append(want, row)
		}
		document := func(order []int) string {
			text := "kind: EvaluationRun\nname: " + name + "\npoints:\n"
			for _, load := range order {
				text += points[load]
			}
			return text
		}
		files["a/"+name+".yaml"] = document(loads)
		slices.Reverse(loads)
		shuffled["b/"+name+".yaml"] = document(loads)
	}
	for _, k := range keys {
		if stated[k.name] < 20 || unstated[k.name] < 20 {
			t.Errorf("%s is stated %d times and not %d times", k.name, stated[k.name], unstated[k.name])
		}
	}
	w := newWorld(t, files)
	w.write(shuffled)
	slices.Sort(want)
	for db, dir := range map[string]string{"a.db": "a", "b.db": "b"} {
		w.load(db, w.options(), dir)
		got := w.query(db, `SELECT r.name, p.concurrency, p.completed, v.output_tokens_per_sec, v.input_tokens_per_sec, v.ttft_ms, v.itl_ms, v.e2e_ms, p.mean_isl, p.mean_osl,
			p.kv_utilization, p.prefix_hit_rate, p.preemptions FROM runs r JOIN points p USING (run_id) JOIN evaluation_points v USING (point_id)`)
		slices.Sort(got)
		compareContent(t, dir, got, want)
		w.want(db, `SELECT count(*) FROM points p JOIN points q USING (run_id) WHERE p.position < q.position AND p.concurrency >= q.concurrency`, "0")
		w.want(db, `SELECT count(*) FROM points p WHERE position <> (SELECT count(*) FROM points q WHERE q.run_id = p.run_id AND q.concurrency < p.concurrency)`, "0")
	}
}
