package loader

import (
	"bytes"
	"compress/gzip"
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/inference-sim/blis-warehouse/loader/catalog"
	"github.com/inference-sim/blis-warehouse/store"
)

// world is a directory of invented documents and a database.
type world struct {
	t    *testing.T
	dir  string
	open map[string]*sql.DB // what query has opened, by name
}

func newWorld(t *testing.T, files map[string]string) *world {
	t.Helper()
	w := &world{t, t.TempDir(), map[string]*sql.DB{}}
	w.write(files)
	return w
}

func (w *world) write(files map[string]string) {
	w.t.Helper()
	for name, content := range files {
		p := filepath.Join(w.dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			w.t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(content), 0o644); err != nil {
			w.t.Fatal(err)
		}
	}
}

func (w *world) options() Options {
	return Options{WorkDir: w.dir, Verdicts: true, Tool: "test", Now: time.Unix(0, 0), Limits: catalog.DefaultLimits()}
}

// load loads into the database called db and checks its derived tables.
func (w *world) load(db string, opts Options, paths ...string) *Report {
	w.t.Helper()
	ctx := context.Background()
	path := filepath.Join(w.dir, db)
	s, err := store.OpenWriter(ctx, path, store.WriterOptions{Create: true})
	if err != nil {
		w.t.Fatal(err)
	}
	defer s.Close()
	report, err := Load(ctx, s, paths, opts)
	if err != nil {
		w.t.Fatal(err)
	}
	if err := s.Publish(); err != nil {
		w.t.Fatal(err)
	}
	findings, err := store.CheckDerived(ctx, path)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, f := range findings {
		w.t.Errorf("derived: %s: %s", f.Subject, f.Detail)
	}
	return report
}

// writable is the database called db, without the program's constraints.
func (w *world) writable(db string) *sql.DB {
	w.t.Helper()
	d, ok := w.open[db]
	if !ok {
		var err error
		if d, err = sql.Open("sqlite", filepath.Join(w.dir, db)); err != nil {
			w.t.Fatal(err)
		}
		w.open[db] = d
		w.t.Cleanup(func() { d.Close() })
	}
	return d
}

func (w *world) query(db, query string) []string {
	w.t.Helper()
	rows, err := w.writable(db).Query(query)
	if err != nil {
		w.t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	columns, _ := rows.Columns()
	var all []string
	for rows.Next() {
		values, dest := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			dest[i] = &values[i]
		}
		if err := rows.Scan(dest...); err != nil {
			w.t.Fatal(err)
		}
		cells := make([]string, len(values))
		for i, v := range values {
			cells[i] = fmt.Sprintf("%v", v)
			if v == nil {
				cells[i] = "NULL"
			}
		}
		all = append(all, strings.Join(cells, "|"))
	}
	if err := rows.Err(); err != nil {
		w.t.Fatalf("%s: %v", query, err)
	}
	return all
}

func (w *world) want(db, query string, rows ...string) {
	w.t.Helper()
	if got := w.query(db, query); !slices.Equal(got, rows) {
		w.t.Errorf("%s\ngot  %q\nwant %q", query, got, rows)
	}
}

// outcomes is what became of each document: file, status, and the path and rule of each problem.
func outcomes(r *Report) []string {
	var all []string
	for _, d := range r.Documents {
		s := d.File + " " + string(d.Status)
		for _, p := range d.Problems {
			s += fmt.Sprintf(" %s:%d[%s]", p.Path, p.Line, p.Rule)
		}
		all = append(all, s)
	}
	return all
}

func wantOutcomes(t *testing.T, r *Report, want ...string) {
	t.Helper()
	if got := outcomes(r); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// runYAML is an invented run that is EXACT where its licence permits score.
func runYAML(name, licence string, extra ...string) string {
	return `# Invented for tests; nothing here is measured.
kind: MeasuredRun
name: ` + name + `
schema_version: 1
source:
  kind: vllm_bench
  adapter: {name: a, version: "1", sha256: ` + strings.Repeat("a", 64) + `}
  inputs: [{role: report, path: report.json, sha256: ` + strings.Repeat("b", 64) + `}]
  extraction: {method: json}
  license_ref: ` + licence + `
model: invented
engine_version: "1"
cluster: {hardware: h100, nodes: 1, gpus_per_node: 8}
deployment: {kind: Deployment, name: d, pools: [{role: colocated, nodes: 1, parallel: {tp: 8, pp: 1, dp: 1}}]}
workload: {shape: chat}
client: {harness: vllm bench serve}
metric_defs:
  ttft_p50: {formula: ttft, statistic: median, population: per_request, clock: client, unit: ms, cite: "x:1"}
points:
  - {id: c1, load: {concurrency: 1}, metrics: {ttft_p50: {value: 10}}}
  - {id: c2, load: {concurrency: 2}, metrics: {ttft_p50: {value: 20}}}
` + strings.Join(append(extra, ""), "\n")
}

// registryYAML is a registry of verified licences, each with its permits.
func registryYAML(permits map[string]string) string {
	s := "# Invented for tests.\nkind: MeasurementSources\nsources:\n"
	if len(permits) == 0 {
		return "kind: MeasurementSources\nsources: []\n"
	}
	for _, id := range slices.Sorted(func(yield func(string) bool) {
		for id := range permits {
			if !yield(id) {
				return
			}
		}
	}) {
		s += "  - {id: " + id + ", title: t, license: Apache-2.0, status: verified, permits: [" + permits[id] +
			"], evidence: [{url: 'https://example.org/l', quote: q, location: 'L:1'}]}\n"
	}
	return s
}

const everything = "score, derive_coefficients, redistribute"

func TestCatalog(t *testing.T) {
	w := newWorld(t, map[string]string{
		"c/measurements/sources.yaml":         registryYAML(map[string]string{"open": everything, "keep": "score"}),
		"c/measurements/open/good.yaml":       runYAML("good", "open"),
		"c/measurements/open/other.yaml":      runYAML("named-otherwise", "open"),
		"c/measurements/open/strayed.yaml":    runYAML("strayed", "keep"),
		"c/measurements/keep/kept.yaml":       runYAML("kept", "keep"),
		"c/measurements/nowhere/unknown.yaml": runYAML("unknown", "nowhere"),
		"c/measurements/open/short.yml":       runYAML("short", "open"),
		"c/measurements/top.yaml":             runYAML("top", "open"),
		"c/measurements/open/deep/deep.yaml":  runYAML("deep", "open"),
		"c/measurements/open/sources.yaml":    registryYAML(map[string]string{"smuggled": everything}),
		"c/measurements/open/claims.yaml":     runYAML("claims", "open", "verdict: PARTIAL"),
		"c/measurements/open/README.md":       "prose",
		"c/measurements/.hidden.yaml":         "kind: MeasuredRun",
		"c/other/ignored.yaml":                "kind: MeasuredRun",
	})
	r := w.load("w.db", w.options(), "c")
	wantOutcomes(t, r,
		"c/measurements/keep/kept.yaml rejected source.license_ref:10[licence]",
		"c/measurements/nowhere/unknown.yaml rejected source.license_ref:10[licence]",
		"c/measurements/open/claims.yaml rejected verdict:22[stated-verdict]",
		"c/measurements/open/deep/deep.yaml rejected :1[layout]",
		"c/measurements/open/good.yaml added",
		"c/measurements/open/other.yaml rejected name:3[layout]",
		"c/measurements/open/short.yml rejected :1[layout]",
		"c/measurements/open/sources.yaml rejected :1[layout]",
		"c/measurements/open/strayed.yaml rejected source.license_ref:10[layout]",
		"c/measurements/sources.yaml added",
		"c/measurements/top.yaml rejected :1[layout]",
	)
	w.want("w.db", `SELECT name FROM runs`, "good")
	w.want("w.db", `SELECT licence_id FROM licences ORDER BY 1`, "keep", "open")
	w.want("w.db", `SELECT status, count(*) FROM documents GROUP BY 1 ORDER BY 1`, "added|2", "rejected|9")
	w.want("w.db", `SELECT count(*) FROM document_contents`, "2")
	local := w.options()
	local.Local = true
	if got := w.load("local.db", local, "c"); !slices.Contains(outcomes(got), "c/measurements/keep/kept.yaml added") {
		t.Errorf("--local: %q", outcomes(got))
	}
	w.want("local.db", `SELECT name, admitted_as FROM runs ORDER BY 1`, "good|local", "kept|local")
}

func TestRegistriesComeFirst(t *testing.T) {
	files := map[string]string{
		"a.yaml":            runYAML("a", "open", "verdict: EXACT", "resolution: STRICT"),
		"z/my-sources.yaml": registryYAML(map[string]string{"open": everything}),
	}
	w := newWorld(t, files)
	wantOutcomes(t, w.load("w.db", w.options(), "a.yaml", "z/my-sources.yaml"), "a.yaml added", "z/my-sources.yaml added")
	alone := newWorld(t, files)
	r := alone.load("w.db", alone.options(), "a.yaml")
	wantOutcomes(t, r, "a.yaml rejected verdict:22[stated-verdict]")
	if m := r.Documents[0].Problems[0].Message; !strings.Contains(m, "licence open is unknown") {
		t.Errorf("the message does not say why: %s", m)
	}
}

func TestUnchangedUnderAChangedRegistry(t *testing.T) {
	w := newWorld(t, map[string]string{
		"c/measurements/sources.yaml":   registryYAML(map[string]string{"open": everything}),
		"c/measurements/open/good.yaml": runYAML("good", "open", "verdict: EXACT", "resolution: STRICT"),
	})
	w.load("w.db", w.options(), "c")
	w.write(map[string]string{"c/measurements/sources.yaml": registryYAML(map[string]string{"open": "derive_coefficients"})})
	r := w.load("w.db", w.options(), "c")
	wantOutcomes(t, r, "c/measurements/open/good.yaml unchanged", "c/measurements/sources.yaml updated")
	if !slices.Equal(r.Broken, []string{"good"}) {
		t.Errorf("broken claims %q", r.Broken)
	}
	w.want("w.db", `SELECT verdict FROM verdicts`, "PARTIAL")
	w.want("w.db", `SELECT path FROM stated_verdict_problems`, "verdict")
	w.want("w.db", `SELECT problem, severity FROM licence_problems`, "redistribute|finding")
}

func TestOneNameInOneCommand(t *testing.T) {
	w := newWorld(t, map[string]string{
		"a.yaml": runYAML("twin", "open"),
		"b.yaml": strings.Replace(runYAML("twin", "open"), "value: 20", "value: 21", 1),
		"c.yaml": runYAML("twin", "open"),
		"d.yaml": runYAML("single", "open"),
		"e.yaml": runYAML("single", "open"),
	})
	wantOutcomes(t, w.load("w.db", w.options(), "a.yaml", "c.yaml", "d.yaml", "e.yaml"), "a.yaml added", "c.yaml unchanged", "d.yaml added", "e.yaml unchanged")
	taken := []string{"a.yaml rejected name:3[name-taken]", "b.yaml rejected name:3[name-taken]", "c.yaml rejected name:3[name-taken]", "d.yaml added", "e.yaml unchanged"}
	wantOutcomes(t, w.load("x.db", w.options(), "a.yaml", "b.yaml", "c.yaml", "d.yaml", "e.yaml"), taken...)
	wantOutcomes(t, w.load("y.db", w.options(), "e.yaml", "c.yaml", "d.yaml", "b.yaml", "a.yaml"), taken...)
	w.want("x.db", `SELECT name FROM runs`, "single")
	// One after the other, the later wins and the earlier version is kept.
	w.load("z.db", w.options(), "a.yaml")
	wantOutcomes(t, w.load("z.db", w.options(), "b.yaml"), "b.yaml updated")
	w.want("z.db", `SELECT max(value) FROM measurements`, "21")
	w.want("z.db", `SELECT count(*) FROM run_versions WHERE name = 'twin'`, "2")
}

func TestDryRunKeepsNothing(t *testing.T) {
	w := newWorld(t, map[string]string{"a.yaml": runYAML("a", "open"), "b.yaml": runYAML("b", "open")})
	w.load("w.db", w.options(), "a.yaml")
	opts := w.options()
	opts.DryRun = true
	wantOutcomes(t, w.load("w.db", opts, "b.yaml"), "b.yaml added")
	w.want("w.db", `SELECT name FROM runs`, "a")
	w.want("w.db", `SELECT count(*) FROM loads`, "1")
}

func TestValidateTouchesNoFile(t *testing.T) {
	w := newWorld(t, map[string]string{"a.yaml": runYAML("a", "open"), "rows.json": rows(row("100000001", 1, "1", 8, `"median_ttft": 0.5`))})
	r, err := Validate(context.Background(), []string{"a.yaml", "rows.json"}, w.options())
	if err != nil {
		t.Fatal(err)
	}
	if v := r.Documents[0].Verdict; v == nil || v.Verdict != "PARTIAL" || len(v.Reasons) != 1 || v.Reasons[0].Code != "licence" {
		t.Errorf("verdict %+v", v)
	}
	if !r.Documents[1].Valid {
		t.Errorf("capture: %+v", r.Documents[1])
	}
	entries, err := os.ReadDir(w.dir)
	if err != nil || len(entries) != 2 {
		t.Errorf("files %v, %v", entries, err)
	}
}

func TestMissingPathStoresNothing(t *testing.T) {
	w := newWorld(t, map[string]string{"a.yaml": runYAML("a", "open")})
	s, err := store.OpenWriter(context.Background(), filepath.Join(w.dir, "w.db"), store.WriterOptions{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Load(context.Background(), s, []string{"a.yaml", "absent.yaml"}, w.options()); err == nil || !strings.Contains(err.Error(), "absent.yaml") {
		t.Errorf("error %v", err)
	}
	s.Close()
	if entries, _ := os.ReadDir(w.dir); len(entries) != 1 {
		t.Errorf("left %v", entries)
	}
}

// row is an invented benchmark row.
func row(run string, attempt int, tp string, conc int, metrics string) string {
	return fmt.Sprintf(`{"hardware":"h200","framework":"vllm","model":"dsr1","precision":"fp8","spec_method":"none","disagg":false,"is_multinode":false,
"prefill_tp":%[3]s,"prefill_ep":1,"prefill_dp_attention":false,"prefill_num_workers":0,"decode_tp":%[3]s,"decode_ep":1,"decode_dp_attention":false,
"decode_num_workers":0,"num_prefill_gpu":%[3]s,"num_decode_gpu":%[3]s,"isl":1024,"osl":1024,"conc":%[4]d,"image":"vllm/vllm-openai:v0.11.0",
"metrics":{%[5]s},"date":"2026-01-02","run_url":"https://github.com/SemiAnalysisAI/InferenceX/actions/runs/%[1]s/attempts/%[2]d"}`, run, attempt, tp, conc, metrics)
}

func rows(all ...string) string { return "[" + strings.Join(all, ",\n") + "]" }

func TestCapture(t *testing.T) {
	w := newWorld(t, map[string]string{
		"full.json": rows(
			row("100000001", 1, "8", 4, `"median_ttft": 0.25, "mean_ttft": 0.3, "tput_per_gpu": 90.5, "median_intvty": 50, "power_valid": 0, "avg_power_w": 700, "new_key": 3`),
			row("100000001", 1, "8", 2, `"median_ttft": 0.125, "num_requests_total": 20, "num_requests_successful": 20`),
			row("100000001", 1, "8", 8, `"median_ttft": 9, "num_requests_total": 80, "num_requests_successful": 0`)),
		"trimmed.json": rows(strings.Replace(row("100000001", 1, "8", 4, `"p50_ttft": 0.25, "p99_ttft": 1.5`), `"image":"vllm/vllm-openai:v0.11.0",`, "", 1)),
		"revised.json": rows(row("100000001", 1, "8", 4, `"median_ttft": 0.5`)),
		"again.json":   rows(row("100000001", 2, "8", 4, `"median_ttft": 0.75`)),
	})
	r := w.load("w.db", w.options(), "full.json", "trimmed.json")
	if got := r.Documents[0].Rows; got != (store.CaptureRows{Added: 2, Failed: 1}) {
		t.Errorf("full: %+v", got)
	}
	if got := r.Documents[1].Rows; got != (store.CaptureRows{Updated: 1}) {
		t.Errorf("trimmed: %+v", got)
	}
	w.want("w.db", `SELECT p.id, p.position, m.metric, m.value, m.reported_value, m.reported_key FROM points p JOIN measurements m USING (point_id) ORDER BY 2, 3`,
		"c2|0|ttft_p50|125|0.125|median_ttft",
		"c4|1|total_token_throughput_per_gpu|90.5|90.5|tput_per_gpu",
		"c4|1|ttft_mean|300|0.3|mean_ttft",
		"c4|1|ttft_p50|250|0.25|median_ttft",
		"c4|1|ttft_p99|1500|1.5|p99_ttft")
	w.want("w.db", `SELECT p.id, v.key, v.reported_value, length(v.why_raw) > 10 FROM points p JOIN inferencex_values v USING (point_id) ORDER BY 1, 2`,
		"c2|num_requests_successful|20|1", "c2|num_requests_total|20|1",
		"c4|avg_power_w|700|1", "c4|median_intvty|50|1", "c4|new_key|3|1", "c4|power_valid|0|1")
	w.want("w.db", `SELECT engine, engine_version, hardware, gpus, isl, measured_on, origin FROM runs`, "vllm|0.11.0|h200|8|1024|2026-01-02|inferencex")
	w.want("w.db", `SELECT conc FROM inferencex_failed_points`, "8")
	w.want("w.db", `SELECT status FROM licences WHERE licence_id = 'inferencex'`, "unverified")
	w.want("w.db", `SELECT count(*) FROM scorable_runs`, "0")

	if got := w.load("w.db", w.options(), "revised.json").Documents[0].Rows; got != (store.CaptureRows{Updated: 1, Revised: 1}) {
		t.Errorf("revised: %+v", got)
	}
	w.want("w.db", `SELECT key, value FROM inferencex_revisions ORDER BY 2`, "median_ttft|0.25", "median_ttft|0.5")
	w.want("w.db", `SELECT m.value FROM measurements m JOIN points USING (point_id) WHERE id = 'c4' AND metric = 'ttft_p50'`, "500")

	w.load("w.db", w.options(), "again.json")
	w.want("w.db", `SELECT i.run_attempt, r.hidden_by_attempt, r.content_id IS NULL FROM runs r JOIN inferencex_runs i USING (run_id) ORDER BY 1`, "1|2|1", "2|NULL|0")
	if got := w.load("w.db", w.options(), "again.json"); got.Documents[0].Status != store.Unchanged {
		t.Errorf("again: %+v", got.Documents[0])
	}
	// A newer attempt that was loaded first hides the older one too.
	w.load("x.db", w.options(), "again.json")
	w.load("x.db", w.options(), "full.json")
	w.want("x.db", `SELECT i.run_attempt, r.hidden_by_attempt FROM runs r JOIN inferencex_runs i USING (run_id) ORDER BY 1`, "1|2", "2|NULL")
}

func TestConflictInOneCapture(t *testing.T) {
	w := newWorld(t, map[string]string{"a.json": rows(row("100000001", 1, "8", 4, `"median_ttft": 0.25`), row("100000001", 1, "8", 4, `"median_ttft": 0.5`))})
	r := w.load("w.db", w.options(), "a.json")
	p := r.Documents[0].Problems
	if len(p) != 1 || p[0].Rule != "conflict" || p[0].Path != "[1].median_ttft" || !strings.Contains(p[0].Message, "row [0]") {
		t.Errorf("problems %+v", p)
	}
	if !r.Documents[0].Valid {
		t.Error("a conflict refused the capture")
	}
	w.want("w.db", `SELECT value FROM measurements`, "500")
}

func TestRefusedRowAndMalformedCapture(t *testing.T) {
	w := newWorld(t, map[string]string{
		"partial.json": rows(row("100000001", 1, "8", 4, `"median_ttft": 0.25`), `{"hardware":"h200","conc":"many","metrics":{}}`),
		"cut.json":     "[" + row("100000002", 1, "8", 4, `"median_ttft": 0.25`) + ",",
		"good.json":    rows(row("100000003", 1, "8", 4, `"median_ttft": 0.25`)),
	})
	r := w.load("w.db", w.options(), "partial.json", "cut.json", "good.json")
	var statuses []string
	for _, d := range r.Documents {
		statuses = append(statuses, d.File+" "+string(d.Status))
	}
	if want := []string{"cut.json rejected", "good.json added", "partial.json partial"}; !slices.Equal(statuses, want) {
		t.Errorf("statuses %q", statuses)
	}
	w.want("w.db", `SELECT github_run_id FROM inferencex_runs ORDER BY 1`, "100000001", "100000003")
}

func TestGzipAndStdin(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	z.Write([]byte(rows(row("100000001", 1, "8", 4, `"median_ttft": 0.25`))))
	z.Close()
	w := newWorld(t, map[string]string{"d/capture.json": zipped.String(), "d/notes.json": `{"some": "thing"}`, "d/other.yaml": "a: b"})
	r := w.load("w.db", w.options(), "d")
	wantOutcomes(t, r, "d/capture.json added")
	if want := []string{"d/notes.json", "d/other.yaml"}; !slices.Equal(r.Skipped, want) {
		t.Errorf("passed over %q", r.Skipped)
	}
	opts := w.options()
	opts.Stdin = strings.NewReader(runYAML("piped", "open"))
	wantOutcomes(t, w.load("w.db", opts, "-"), "- added")
	w.want("w.db", `SELECT name FROM runs WHERE origin = 'catalog'`, "piped")
}
