package export

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/inference-sim/blis-warehouse/store"
)

// inventedSweep is a document invented for tests; nothing in it is measured.
func inventedSweep(name, body string) string {
	return `kind: MeasuredRun
name: ` + name + `
schema_version: 1
source:
  kind: vllm_bench
  adapter: {name: a, version: "1", sha256: ` + strings.Repeat("a", 64) + `}
  inputs:
    - {role: log, path: server.log, sha256: ` + strings.Repeat("c", 64) + `}
    - {role: report, url: "https://example.org/` + name + `.json", sha256: ` + strings.Repeat("b", 64) + `}
  extraction: {method: json}
  license_ref: open
model: heron-8b
engine_version: 0.31.0
cluster: {hardware: h100, nodes: 2, gpus_per_node: 8, fabric: ib}
workload: {shape: chat}
` + body
}

const inventedMeans = `metric_defs:
  TTFT: {formula: ttft, statistic: mean, population: per_request, clock: client, unit: ms, cite: "a:1"}
  ttft_mean: {formula: ttft, statistic: median, population: per_request, clock: client, percentile_method: numpy_linear, unit: ms, cite: "a:2"}
  per_token: {formula: tpot, statistic: mean, population: per_request, clock: client, unit: ms, cite: "a:3"}
  gaps: {formula: itl, statistic: mean, population: pooled_chunks, clock: client, unit: ms, cite: "a:4"}
  whole: {formula: e2el, statistic: mean, population: per_request, clock: client, unit: ms, cite: "a:5"}
  in: {formula: input_throughput, population: pooled_tokens, denominator: main_phase_wall, clock: client, unit: tokens_per_s, cite: "a:6"}
  out: {formula: output_throughput, population: pooled_tokens, denominator: main_phase_wall, clock: client, unit: tokens_per_s, cite: "a:7"}
  out_per_gpu: {formula: output_throughput_per_gpu, population: pooled_tokens, denominator: main_phase_wall, clock: client, unit: tokens_per_s, cite: "a:8"}
  mystery: {unit: ms, cite: "a:9"}
  unused: {formula: itl, statistic: max, population: pooled_chunks, clock: client, unit: ms, cite: "a:10"}
`

// formatCatalog are runs that show what the formats can and cannot hold.
func formatCatalog(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	colocated := "deployment: {kind: Deployment, name: tp4, pools: [{role: colocated, nodes: 2, parallel: {tp: 4, pp: 1, dp: 4, enable_expert_parallel: true}, engine: {speculative: {method: ngram, num_spec_tokens: 2}}}]}\n"
	split := "deployment: {kind: Deployment, name: pd, pd_transfer: {}, pools: [{role: prefill, nodes: 1, parallel: {tp: 8, pp: 1, dp: 1}}, {role: decode, nodes: 1, parallel: {tp: 8, pp: 1, dp: 1}}]}\n"
	client := "client: {harness: bench, harness_version: \"2\"}\n"
	for name, body := range map[string]string{
		"full": colocated + client + inventedMeans + `points:
  - id: one
    load: {concurrency: 1}
    metrics: {TTFT: {value: 4.35}, ttft_mean: {value: 4.1}, per_token: {value: 0.0629}, gaps: {value: 0.07}, whole: {value: 71.5}, in: {value: 800}, out: {value: 400.5}, out_per_gpu: {value: 25}, mystery: {value: 3}}
    completed: 10
    realized: {mean_isl: 2048, mean_osl: 1024}
    kv_utilization: 0.07
    prefix_hit_rate: 0.29
    preemptions: 3
  - {id: two, load: {concurrency: 4}, metrics: {TTFT: {value: 8.9}, per_token: {value: 0.1}, gaps: {value: 0.11}}, completed: 0, realized: {mean_isl: 2048, mean_osl: 1024}}
  - {id: three, load: {concurrency: 16}, metrics: {TTFT: {value: 17.4}, per_token: {value: 0.3}}, realized: {mean_isl: 2048, mean_osl: 1024}, kv_utilization: 1}
`,
		"odd": split + client + `metric_defs:
  tpot_client: {formula: tpot, statistic: mean, population: per_request, clock: client, unit: ms, cite: "a:1"}
  tpot_server: {formula: tpot, statistic: mean, population: per_request, clock: server, unit: ms, cite: "a:2"}
  ttft: {formula: ttft, statistic: mean, population: per_request, clock: client, unit: ms, cite: "a:3"}
  itl: {formula: itl, statistic: mean, population: pooled_chunks, clock: client, unit: ms, cite: "a:4"}
points:
  - {id: a, load: {concurrency: 2}, metrics: {tpot_client: {value: 1}, tpot_server: {value: 2}, itl: {value: 5}}, realized: {mean_isl: 100, mean_osl: 10.5}}
  - {id: b, load: {concurrency: 3}, metrics: {tpot_client: {value: 1}, ttft: {value: 7}}, realized: {mean_isl: 100, mean_osl: 10.5}}
`,
		"rates": colocated + client + inventedMeans + `points:
  - {id: r1, load: {request_rate: 0.5}, metrics: {TTFT: {value: 1}, gaps: {value: 2}}}
  - {id: r2, load: {request_rate: 2}, metrics: {TTFT: {value: 2}, gaps: {value: 3}}}
`,
		"capped": colocated + client + inventedMeans + `points:
  - {id: r1, load: {concurrency: 8, request_rate: 0.5}, metrics: {TTFT: {value: 1}, gaps: {value: 2}}}
`,
		"zero": colocated + "client: {}\n" + inventedMeans + `points:
  - {id: z1, load: {concurrency: 1}, metrics: {TTFT: {value: 0}, per_token: {value: 2}, gaps: {value: 3}}, completed: 1}
  - {id: z2, load: {concurrency: 2}, metrics: {TTFT: {value: 9}, gaps: {value: 3}}, completed: 1}
`,
		"huge": colocated + client + inventedMeans + `points:
  - {id: h1, load: {concurrency: 1}, metrics: {TTFT: {value: 1e306}, per_token: {value: 2}, gaps: {value: 1e306}}}
  - {id: h2, load: {concurrency: 2}, metrics: {TTFT: {value: 1}, per_token: {value: 3}}}
`,
		"medians": client + `metric_defs:
  ttft_p50: {formula: ttft, statistic: median, population: per_request, clock: client, unit: ms, percentile_method: numpy_linear, cite: "a:1"}
points:
  - {id: m1, load: {concurrency: 1}, metrics: {ttft_p50: {value: 1}}}
`,
	} {
		save(t, filepath.Join(dir, "measurements", "open", name+".yaml"), inventedSweep(name, body))
	}
	save(t, filepath.Join(dir, "measurements", "sources.yaml"), inventedRegistry("open"))
	return dir
}

func inventedRegistry(id string) string {
	return "kind: MeasurementSources\nsources:\n  - {id: " + id + ", title: Invented, license: MIT, status: verified, permits: [score, derive_coefficients, redistribute], " +
		"evidence: [{url: 'https://example.org/l', quote: q, location: l}], attribution: 'by \"" + id + "\"'}\n"
}

func save(t *testing.T, name, text string) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(name), 0o777)
	if err == nil {
		err = os.WriteFile(name, []byte(text), 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// inventedCurves are rows of InferenceX with means, invented for tests.
var inventedCurves = "[" + strings.Join([]string{
	inventedRow(1, `"conc":4,"metrics":{"mean_ttft":0.00435,"mean_tpot":0.0000629,"median_tpot":0.00006,"mean_itl":0.0001,"mean_e2el":0.3,"tput_per_gpu":128.4}`),
	inventedRow(1, `"conc":16,"metrics":{"mean_ttft":0.0087,"mean_tpot":0.0001,"mean_itl":0.0002}`),
	inventedRow(2, `"model":"dsr1","framework":"dynamo-vllm","precision":"fp8","spec_method":"mtp","disagg":true,"is_multinode":true,"prefill_tp":4,"prefill_num_workers":2,
		"decode_tp":8,"decode_ep":8,"decode_dp_attention":true,"decode_num_workers":1,"num_prefill_gpu":8,"num_decode_gpu":8,"isl":8192,"conc":2,"metrics":{"mean_tpot":0.02}`),
}, ",\n") + "]"

// formatWarehouse is a warehouse of all that is invented above, and its paths.
func formatInputs(t *testing.T) []string {
	t.Helper()
	dir := t.TempDir()
	save(t, filepath.Join(dir, "rows.json"), inventedCurves)
	save(t, filepath.Join(dir, "sources.yaml"), inventedRegistry("inferencex"))
	for i, ttft := range []string{"0.25", "0.5"} { // two measurements at one concurrency are two points
		text := strings.Replace(inventedArtifact, `"median_ttft":0.25`, `"mean_ttft":`+ttft+`,"mean_itl":0.01`, 1)
		save(t, filepath.Join(dir, "artifacts", fmt.Sprintf("agg_%d.json", i)), text)
	}
	return []string{formatCatalog(t), filepath.Join(dir, "rows.json"), filepath.Join(dir, "sources.yaml"), filepath.Join(dir, "artifacts")}
}

// everything selects all runs of a warehouse for redistribution.
func everything(t testing.TB, r *store.Reader) *Selection {
	t.Helper()
	names, err := Names(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Select(t.Context(), r, Request{Purpose: Redistribution, Runs: names})
	if err != nil || len(s.Refused) > 0 {
		t.Fatal(err, s.Refused)
	}
	return s
}

// testOptions are options that satisfy every format, with the columns to
// partition by, if any.
func testOptions(partition []string) Options {
	return Options{Coefficients: []string{"b", "a"}, Partition: partition, Tool: "test"}
}

// filesIn are the files of a selection in a format, which may be partitioned,
// and what came of it.
func filesIn(t *testing.T, r *store.Reader, format string, s *Selection, partition ...string) (memory, *Outcome) {
	t.Helper()
	files := memory{}
	out, err := FormatNamed(format).Write(t.Context(), r, s, testOptions(partition), files.create)
	if err != nil {
		t.Fatalf("%s: %v", format, err)
	}
	for path, f := range files {
		if !f.closed {
			t.Errorf("%s: %q was not closed", format, path)
		}
	}
	return files, out
}

// text is all files of an export, by path.
func (m memory) text() string {
	var b strings.Builder
	for _, path := range slices.Sorted(func(yield func(string) bool) {
		for path := range m {
			if !yield(path) {
				return
			}
		}
	}) {
		if path != "" {
			fmt.Fprintf(&b, "== %s\n", path)
		}
		b.Write(m[path].Bytes())
	}
	return b.String()
}

// TestFormatsGolden shows every format of the scorers, with what it could not
// hold. Read a difference before keeping it.
func TestFormatsGolden(t *testing.T) {
	r := warehouse(t, formatInputs(t)...)
	for _, format := range []string{"csv", "absolutes", "corpus", "points", "scenario", "evaluation-run"} {
		s := everything(t, r)
		files, out := filesIn(t, r, format, s)
		golden(t, "format-"+format+".txt", []byte(files.text()))
		var m bytes.Buffer
		if err := NewManifest(s, Output{Format: format, SHA256: "0", Options: testOptions(nil), Outcome: out}, "test", 1).Write(&m); err != nil {
			t.Fatal(err)
		}
		golden(t, "format-"+format+".manifest.json", m.Bytes())
	}
}

// row is a row of jsonl.
type row map[string]any

// at is the member that a path of keys leads to, nil for none.
func (r row) at(path ...string) any {
	var v any = map[string]any(r)
	for _, key := range path {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[key]
	}
	return v
}

func rowsOf(t *testing.T, r *store.Reader, s *Selection) []row {
	t.Helper()
	files, _ := filesIn(t, r, "jsonl", s)
	var rows []row
	for line := range bytes.Lines(files[""].Bytes()) {
		dec := json.NewDecoder(bytes.NewReader(line))
		dec.UseNumber()
		var one row
		if err := dec.Decode(&one); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, one)
	}
	return rows
}

// TestCSVHoldsTheRowsOfJSONL flattens each row of jsonl by itself and compares
// it with the record of csv, field by field.
func TestCSVHoldsTheRowsOfJSONL(t *testing.T) {
	r := warehouse(t, append(formatInputs(t), "testdata/catalog")...)
	s := everything(t, r)
	rows := rowsOf(t, r, s)
	files, _ := filesIn(t, r, "csv", s)
	text := files[""].String()
	if strings.Count(text, "\r\n") != len(rows)+1 {
		t.Errorf("%d lines for %d rows", strings.Count(text, "\r\n"), len(rows))
	}
	records, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(records) != len(rows)+1 {
		t.Fatalf("%d records of %d rows: %v", len(records), len(rows), err)
	}
	nulls := 0
	for i, one := range rows {
		flat := map[string]string{}
		flatten(flat, "", one)
		for j, column := range records[0] {
			got := records[i+1][j]
			if want := flat[column]; normalised(got) != normalised(want) {
				t.Fatalf("row %s: column %s is %q, want %q", one["row_id"], column, got, want)
			}
			if got == "" {
				nulls++
			}
			delete(flat, column)
		}
		if len(flat) > 0 {
			t.Fatalf("row %s: no column for %v", one["row_id"], flat)
		}
	}
	if nulls == 0 || len(rows) < 30 {
		t.Errorf("%d nulls in %d rows show nothing", nulls, len(rows))
	}
}

// flatten puts the leaves of a JSON object that are not null into flat.
func flatten(flat map[string]string, prefix string, object map[string]any) {
	for key, v := range object {
		switch v := v.(type) {
		case nil:
		case map[string]any:
			flatten(flat, prefix+key+"_", v)
		case []any:
			text, err := json.Marshal(v)
			if err != nil {
				panic(err)
			}
			flat[prefix+key] = string(text)
		default:
			flat[prefix+key] = fmt.Sprint(v)
		}
	}
}

// normalised is a list with the members of its objects in one order, and any
// other text as it is.
func normalised(text string) string {
	if !strings.HasPrefix(text, "[") {
		return text
	}
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return text
	}
	again, err := json.Marshal(v)
	if err != nil {
		return text
	}
	return string(again)
}

// means finds in rows, by what their definitions state, the mean of a formula
// at each point of a run whose loads are concurrencies, by concurrency. It is
// an oracle apart from the program: it looks at rows alone.
func means(rows []row, run, formula string) map[string]row {
	found, names := map[string]row{}, map[string]bool{}
	for _, one := range rows {
		if one["run"] != run || one.at("load", "request_rate") != nil || one.at("definition", "formula") != formula {
			continue
		}
		if statistic := one.at("definition", "statistic"); statistic != nil && statistic != "mean" || statistic == nil && one["unit"] == "ms" {
			continue
		}
		names[one["metric"].(string)] = true
		if at := fmt.Sprint(one.at("load", "concurrency")); found[at] == nil { // the first of two points at one concurrency
			found[at] = one
		}
	}
	if len(names) > 1 {
		return nil
	}
	return found
}

// TestScorersFilesAgreeWithTheRows compares every number in absolutes, corpus,
// points and evaluation-run with the rows of jsonl.
func TestScorersFilesAgreeWithTheRows(t *testing.T) {
	r := warehouse(t, formatInputs(t)...)
	s := everything(t, r)
	rows := rowsOf(t, r, s)
	absolutes, corpus := map[string]map[string]map[string]any{}, map[string]map[string]map[string]any{}
	for _, a := range objects(decoded(t, r, s, "absolutes").(map[string]any)["anchors"]) {
		absolutes[runOf(a)] = map[string]map[string]any{"tpot": a["absolute_tpot_us"].(map[string]any), "ttft": a["absolute_ttft_us"].(map[string]any)}
	}
	for _, sw := range objects(decoded(t, r, s, "corpus").(map[string]any)["sweeps"]) {
		of := map[string]map[string]any{"tpot": {}, "ttft": {}}
		for _, p := range objects(sw["points"]) {
			for formula := range of {
				if v := p["measured_"+formula+"_relative"]; v != nil {
					of[formula][fmt.Sprint(p["concurrency"])] = v
				}
			}
		}
		corpus[runOf(sw)] = of
	}
	points := map[string]map[string]map[string]any{}
	for _, p := range objects(decoded(t, r, s, "points")) {
		of := points[runOf(p)]
		if of == nil {
			of = map[string]map[string]any{}
			points[runOf(p)] = of
		}
		of[fmt.Sprint(p["concurrency"])] = p
	}
	compared := 0
	for _, chosen := range s.Runs {
		for _, formula := range []string{"tpot", "ttft"} {
			for conc, one := range means(rows, chosen.Name, formula) {
				if got := absolutes[chosen.Name][formula][conc]; got != one["value_us"] {
					t.Errorf("absolutes: %s of %s at %s is %v, want %v", formula, chosen.Name, conc, got, one["value_us"])
				}
				if got := corpus[chosen.Name][formula][conc]; got != one["ratio_to_anchor"] {
					t.Errorf("corpus: %s of %s at %s is %v, want %v", formula, chosen.Name, conc, got, one["ratio_to_anchor"])
				}
				delete(absolutes[chosen.Name][formula], conc)
				delete(corpus[chosen.Name][formula], conc)
				compared++
			}
		}
		for conc, one := range means(rows, chosen.Name, "itl") {
			p := points[chosen.Name][conc]
			for key, want := range map[string]any{
				"itl_ms": one["value"], "isl": one["mean_isl"], "osl": one["mean_osl"], "preempted": one["preemptions"],
				"kv_pct": hundredfold(one["kv_utilization"]), "hit_pct": hundredfold(one["prefix_hit_rate"]),
				"ttft_ms": means(rows, chosen.Name, "ttft")[conc]["value"], "e2e_ms": means(rows, chosen.Name, "e2el")[conc]["value"],
				"in_tps": means(rows, chosen.Name, "input_throughput")[conc]["value"], "out_tps": means(rows, chosen.Name, "output_throughput")[conc]["value"],
				"running": nil, "waiting": nil,
			} {
				if p[key] != want {
					t.Errorf("points: %s of %s at %s is %v, want %v", key, chosen.Name, conc, p[key], want)
				}
			}
			delete(points[chosen.Name], conc)
			compared++
		}
	}
	for name, left := range map[string]map[string]map[string]map[string]any{"absolutes": absolutes, "corpus": corpus, "points": points} {
		for run, of := range left {
			for what, values := range of {
				if len(values) > 0 {
					t.Errorf("%s: %s has %s %v, which no row has", name, run, what, values)
				}
			}
		}
	}
	if compared < 15 {
		t.Errorf("%d values were compared", compared)
	}
}

// decoded is a file as JSON, numbers as written.
func decoded(t *testing.T, r *store.Reader, s *Selection, format string) any {
	t.Helper()
	files, _ := filesIn(t, r, format, s)
	dec := json.NewDecoder(&files[""].Buffer)
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%s: %v", format, err)
	}
	return v
}

func objects(v any) []map[string]any {
	var all []map[string]any
	for _, element := range v.([]any) {
		all = append(all, element.(map[string]any))
	}
	return all
}

// runOf is the run that an element is of.
func runOf(element map[string]any) string {
	return strings.TrimSuffix(element["scenario"].(string), ".yaml")
}

// hundredfold is a number times 100 by exact arithmetic on its text.
func hundredfold(v any) any {
	if v == nil {
		return nil
	}
	x, ok := new(big.Rat).SetString(string(v.(json.Number)))
	if !ok {
		panic(v)
	}
	f, _ := x.Mul(x, big.NewRat(100, 1)).Float64()
	return json.Number(strconv.FormatFloat(f, 'f', -1, 64))
}

// TestEvaluationRuns holds that the documents have the keys of the kind alone,
// each number that of a row, and no level twice.
func TestEvaluationRuns(t *testing.T) {
	r := warehouse(t, formatInputs(t)...)
	s := everything(t, r)
	rows := rowsOf(t, r, s)
	files, out := filesIn(t, r, "evaluation-run", s)
	compared := 0
	for path, f := range files {
		var d struct {
			Kind, Name, Scenario, Harness, Date string
			HarnessVersion                      string `yaml:"harness_version"`
			EngineVersion                       string `yaml:"engine_version"`
			Points                              []struct {
				Concurrency   int64
				Completed     *int64   `yaml:"completed_requests"`
				Output        *float64 `yaml:"output_tokens_per_sec"`
				Input         *float64 `yaml:"input_tokens_per_sec"`
				TTFT          *float64 `yaml:"ttft_ms"`
				ITL           *float64 `yaml:"itl_ms"`
				E2E           *float64 `yaml:"e2e_ms"`
				ISL           *int64   `yaml:"mean_isl"`
				OSL           *int64   `yaml:"mean_osl"`
				KVUtilization *float64 `yaml:"kv_utilization"`
				HitRate       *float64 `yaml:"prefix_cache_hit_rate"`
				Preemptions   *int64
			}
		}
		dec := yaml.NewDecoder(&f.Buffer)
		dec.KnownFields(true)
		if err := dec.Decode(&d); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if d.Kind != "EvaluationRun" || d.Name+".yaml" != path || d.Scenario != d.Name || d.Harness == "" || d.EngineVersion == "" || len(d.Points) == 0 {
			t.Errorf("%s: %+v", path, d)
		}
		seen := map[int64]bool{}
		for _, p := range d.Points {
			if p.Concurrency < 1 || seen[p.Concurrency] {
				t.Errorf("%s: the concurrency %d", path, p.Concurrency)
			}
			seen[p.Concurrency] = true
			for formula, got := range map[string]*float64{"output_throughput": p.Output, "input_throughput": p.Input, "ttft": p.TTFT, "itl": p.ITL, "e2el": p.E2E} {
				one := means(rows, d.Name, formula)[fmt.Sprint(p.Concurrency)]
				switch {
				case (got == nil) != (one == nil):
					t.Errorf("%s: %s at %d, want %v", path, formula, p.Concurrency, one["value"])
				case got != nil:
					if want, err := one["value"].(json.Number).Float64(); err != nil || *got != want {
						t.Errorf("%s: %s at %d is %v, want %v", path, formula, p.Concurrency, *got, want)
					}
					compared++
				}
			}
		}
	}
	if compared < 8 || len(out.Unheld) == 0 {
		t.Errorf("%d values were compared, %d runs could not be held", compared, len(out.Unheld))
	}
}

// TestScenariosAreTheDocuments holds that a scenario's blocks are those of the
// run's document.
func TestScenariosAreTheDocuments(t *testing.T) {
	r := warehouse(t, append(formatInputs(t), "testdata/catalog")...)
	s := everything(t, r)
	documents, _ := filesIn(t, r, "yaml", &Selection{Request: s.Request, Runs: slices.DeleteFunc(slices.Clone(s.Runs), func(c Chosen) bool { return c.DocumentSHA256 == "" })})
	scenarios, out := filesIn(t, r, "scenario", s)
	if len(scenarios)+len(out.Unheld) != len(s.Runs) || len(scenarios) < 5 || len(out.Unheld) < 3 {
		t.Errorf("%d scenarios and %d runs that cannot be one of %d", len(scenarios), len(out.Unheld), len(s.Runs))
	}
	for path, f := range scenarios {
		dec := yaml.NewDecoder(&f.Buffer)
		var scenario, deployment, rest map[string]any
		if err := dec.Decode(&scenario); err != nil {
			t.Fatal(err)
		}
		if err := dec.Decode(&deployment); err != nil {
			t.Fatal(err)
		}
		if err := dec.Decode(&rest); err == nil {
			t.Errorf("%s has a third document", path)
		}
		var document map[string]any
		for name, d := range documents {
			if filepath.Base(name) == path {
				if err := yaml.Unmarshal(d.Bytes(), &document); err != nil {
					t.Fatal(err)
				}
			}
		}
		want := map[string]any{"kind": "Scenario", "name": strings.TrimSuffix(path, ".yaml"), "coefficients": []any{"b", "a"}}
		for _, key := range []string{"model", "engine_version", "cluster", "workload"} {
			want[key] = document[key]
		}
		if fmt.Sprint(scenario) != fmt.Sprint(want) || fmt.Sprint(deployment) != fmt.Sprint(document["deployment"]) {
			t.Errorf("%s: %v\n%v\nof %v", path, scenario, deployment, document)
		}
	}
}

// TestFormatsAreDeterministic holds that every format gives the same bytes and
// the same manifest again, and after loading in another order, in one command
// or in several.
func TestFormatsAreDeterministic(t *testing.T) {
	inputs := append(formatInputs(t), "testdata/catalog", "../../testdata/demo/catalog", "../../testdata/demo/captures/benchmarks.json")
	want := map[string]string{}
	random := rand.New(rand.NewPCG(7, 7))
	for round := range 5 {
		path := filepath.Join(t.TempDir(), "w.db")
		if round%2 == 0 {
			load(t, path, inputs...)
		} else {
			for _, input := range inputs {
				load(t, path, input)
			}
			load(t, path, inputs[1])
		}
		r := open(t, path)
		for _, form := range forms() {
			for _, again := range []bool{false, true} {
				text := exportOf(t, r, form[0], form[1:]...)
				name := strings.Join(form, " ")
				if want[name] == "" {
					want[name] = text
				}
				if text != want[name] {
					t.Fatalf("%s differs in round %d, again %v: %s", name, round, again, difference(text, want[name]))
				}
			}
		}
		random.Shuffle(len(inputs), func(i, j int) { inputs[i], inputs[j] = inputs[j], inputs[i] })
	}
	for name, text := range want {
		if len(text) < 5000 {
			t.Errorf("%s: %d bytes show nothing", name, len(text))
		}
	}
}

// forms are all formats, each as it is and, where that can be, with the columns
// to partition by.
func forms() [][]string {
	var all [][]string
	for _, format := range Formats() {
		all = append(all, []string{format})
		if FormatNamed(format).Partitions {
			all = append(all, append([]string{format}, PartitionColumns()...))
		}
	}
	return all
}

// exportOf are the files and manifests of a format, which may be partitioned,
// for all purposes, and of all runs by name.
func exportOf(t *testing.T, r *store.Reader, format string, partition ...string) string {
	t.Helper()
	var b strings.Builder
	for _, req := range []Request{
		{Purpose: Calibration}, {Purpose: Scoring, Tier: Exact}, {Purpose: Scoring, Tier: Partial}, {Purpose: Redistribution},
	} {
		req.Documents = FormatNamed(format).Documents
		s, err := Select(t.Context(), r, req)
		if err != nil {
			t.Fatal(err)
		}
		writeExport(t, &b, r, format, s, partition)
	}
	if !FormatNamed(format).Documents {
		writeExport(t, &b, r, format, everything(t, r), partition)
	}
	return b.String()
}

func writeExport(t *testing.T, b *strings.Builder, r *store.Reader, format string, s *Selection, partition []string) {
	t.Helper()
	files, out := filesIn(t, r, format, s, partition...)
	b.WriteString(files.text())
	if err := NewManifest(s, Output{Format: format, Options: testOptions(partition), Outcome: out}, "test", 1).Write(b); err != nil {
		t.Fatal(err)
	}
}

// difference is where two texts first differ.
func difference(a, b string) string {
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	at := func(s string) string { return s[max(0, i-80):min(len(s), i+80)] }
	return fmt.Sprintf("%q, want %q", at(a), at(b))
}

// TestUnexpressedCodes holds that every code is one that is documented, and
// that each of these is given.
func TestUnexpressedCodes(t *testing.T) {
	r := warehouse(t, append(formatInputs(t), "testdata/catalog")...)
	given := map[string]bool{}
	for _, format := range Formats() {
		if FormatNamed(format).Documents {
			continue
		}
		_, out := filesIn(t, r, format, everything(t, r))
		for _, u := range out.Unexpressed {
			given[u.Code] = true
		}
	}
	for _, code := range UnexpressedCodes() {
		if !given[code.Code] || code.Detail == "" {
			t.Errorf("nothing is left for %s", code.Code)
		}
		delete(given, code.Code)
	}
	for code := range given {
		t.Errorf("%s is not documented", code)
	}
}

// TestFormatTable holds that every format says what it is, and that a name
// stands for one.
func TestFormatTable(t *testing.T) {
	seen := map[string]bool{}
	for _, name := range Formats() {
		f := FormatNamed(name)
		if f.Name != name || f.Summary == "" || f.write == nil || seen[name] {
			t.Errorf("%+v", f)
		}
		seen[name] = true
	}
	if FormatNamed("nosuch") != nil {
		t.Error("nosuch is a format")
	}
}

func TestQuoted(t *testing.T) {
	for s, want := range map[string]string{
		"a": "a", "": `""`, "a b": "a b", "a,b": `"a,b"`, `a"b`: `"a""b"`, "a\r\nb": "\"a\r\nb\"", " a": `" a"`, "a ": `"a "`, " ": `" "`, "é": "é",
	} {
		if got := string(quoted(s)); got != want {
			t.Errorf("%q is written %s, want %s", s, got, want)
		}
	}
}
