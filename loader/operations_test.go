package loader

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/inference-sim/blis-warehouse/loader/fetch"
	"github.com/inference-sim/blis-warehouse/loader/fetch/ledger"
	"github.com/inference-sim/blis-warehouse/store"
)

// The walk over all operations of the API: each is served, captured, loaded out of
// the captured folder, and every field of it read back from its table. An operation
// that is added to the table of loader/fetch has to be added here.

// bodyOf is what the server answers an operation: the file of testdata/bodies by the
// view that is asked for, "" for any, or a body where it begins as JSON does.
var bodyOf = map[string]map[string]string{
	"availability":            {"": "availability.json"},
	"benchmarks":              {"": servedRows},
	"benchmarks-history":      {"": strings.Replace(servedRows, `"image":"vllm/vllm-openai:v0.10.2",`, "", 1)},
	"workflow-info":           {"": "workflow-info.json"},
	"evaluations":             {"": "evaluations.json"},
	"reliability":             {"": "reliability.json"},
	"tco-feed":                {"points": "tco-points.json", "scores": "tco-scores.json", "points in CSV": "tco-points.csv", "scores in CSV": "tco-scores.csv"},
	"submissions":             {"": "submissions.json"},
	"framework-releases":      {"": "releases.json"},
	"latest-images":           {"": "latest-images.json"},
	"datasets":                {"": "datasets.json"},
	"dataset":                 {"": "dataset.json"},
	"conversations":           {"": "conversations.json"},
	"conversation":            {"": "conversation.json"},
	"collectivex-latest":      {"": "collectivex-run.json"},
	"collectivex-runs":        {"": "collectivex-runs.json"},
	"collectivex-run":         {"": "collectivex-run.json"},
	"benchmark-siblings":      {"": "siblings.json"},
	"log-availability":        {"": `{"421":true,"422":false}`},
	"trace-availability":      {"": `{"421":true,"422":true}`},
	"server-log-files":        {"": `["results/server.log"]`},
	"server-log":              {"": "server-log.json"},
	"server-log-search":       {"": "server-log-search.json"},
	"agentic-aggregates":      {"": "agentic-aggregates.json"},
	"trace-histograms":        {"": "trace-histograms.json"},
	"request-timeline":        {"": "timeline.json"},
	"trace-server-metrics":    {"": "trace-server-metrics.json"},
	"derived-agentic-metrics": {"": "derived-agentic-metrics.json"},
}

// servedRows are benchmark rows with every key of the reference, a metric of each kind and a key more.
const servedRows = `[{"id":421,"hardware":"cluster:H200-nv","framework":"sglang-disagg","model":"dsr1","precision":"nvfp4","spec_method":"mtp","disagg":true,"is_multinode":true,
"prefill_tp":8,"prefill_ep":2,"prefill_dp_attention":true,"prefill_num_workers":3,"decode_tp":4,"decode_ep":1,"decode_dp_attention":false,"decode_num_workers":1,"num_prefill_gpu":24,"num_decode_gpu":4,
"benchmark_type":"single_turn","isl":1024,"osl":2048,"conc":32,"offload_mode":"off","image":"vllm/vllm-openai:v0.10.2",
"recipe_fingerprint":"7d72a33d7d72a33d7d72a33d7d72a33d7d72a33d7d72a33d7d72a33d7d72a33d",
"metrics":{"median_ttft":0.42,"p99.9_ttft":1.5,"median_tpot":0.018,"tput_per_gpu":128.4,"power_valid":1,"power_metric_schema_version":2,"avg_power_w":678.5,"joules_per_total_token":2.65,
"invented":7.25,"router_name":"x","none":null},"workers":[{"role":"decode","avg_power_w":1.5}],"power_audit":{"n":1},"power_invalid_reasons":["short"],
"date":"2026-01-02","workflow_run_id":"31","run_started_at":"2026-01-02 03:00:00+00","run_url":"https://github.com/SemiAnalysisAI/InferenceX/actions/runs/100000001/attempts/2","later":{"a":[1]}},
{"id":"422","hardware":"h200","framework":"vllm","model":"dsr1","precision":"fp8","spec_method":null,"disagg":false,"is_multinode":false,
"prefill_tp":8,"prefill_ep":1,"prefill_dp_attention":false,"prefill_num_workers":0,"decode_tp":8,"decode_ep":1,"decode_dp_attention":false,"decode_num_workers":0,"num_prefill_gpu":8,"num_decode_gpu":8,
"benchmark_type":"agentic_traces","isl":null,"osl":null,"conc":4,"offload_mode":"cpu","recipe_fingerprint":null,"metrics":{"p50_itl":0.02},"date":"2026-01-02","run_url":null}]`

// operationsServer answers as bodyOf says.
func operationsServer(t *testing.T) *httptest.Server {
	t.Helper()
	bodies := inventedBodies(t)
	type route struct {
		operation string
		path      *regexp.Regexp
	}
	var routes []route
	for _, o := range fetch.Operations() {
		path := regexp.MustCompile(`\\\{[^}]*\\\}`).ReplaceAllString(regexp.QuoteMeta(o.Path), "[^/]+")
		routes = append(routes, route{o.Name, regexp.MustCompile("^" + path + "$")})
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, route := range routes {
			if !route.path.MatchString(r.URL.EscapedPath()) {
				continue
			}
			view := r.URL.Query().Get("view")
			if r.URL.Query().Get("format") == "csv" {
				view += " in CSV"
			}
			body, ok := bodyOf[route.operation][view]
			if !ok {
				body, ok = bodyOf[route.operation][""]
			}
			if !ok {
				break
			}
			if file, ok := bodies[body]; ok {
				body = file
			}
			if !strings.HasSuffix(view, " in CSV") {
				w.Header().Set("Content-Type", "application/json")
			}
			io.WriteString(w, body)
			return
		}
		w.WriteHeader(http.StatusNotFound)
	}))
	t.Cleanup(s.Close)
	return s
}

// TestEveryOperation walks all operations of the API.
func TestEveryOperation(t *testing.T) {
	var names []string
	for _, o := range fetch.Operations() {
		names = append(names, o.Name)
		if bodyOf[o.Name] == nil {
			t.Errorf("%s has no invented body", o.Name)
		}
	}
	if len(names) != 28 {
		t.Errorf("the reference has 28 operations, and %d are known", len(names))
	}
	w := newWorld(t, nil)
	folder := filepath.Join(w.dir, "captured")
	now := time.Date(2026, 8, 8, 3, 0, 0, 0, time.UTC)
	options := fetch.Options{
		BaseURL: operationsServer(t).URL, Folder: folder, Operations: names, Params: map[string]string{"q": "error"}, Concurrency: 1, Timeout: time.Minute, MaxWait: time.Minute,
		MaxSize: 1 << 20, MaxRequests: 1000, UserAgent: "test", Random: func() float64 { return 0 }, Transport: fetch.DefaultTransport(),
		Clock: fetch.Clock{Now: func() time.Time { now = now.Add(time.Second); return now }, Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }},
	}
	captured := map[string][]ledger.Capture{}
	run := func() {
		report, err := fetch.Run(t.Context(), options)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range report.Results {
			captured[r.Capture.Operation] = append(captured[r.Capture.Operation], r.Capture)
		}
	}
	run()
	options.Operations, options.Params = []string{"tco-feed"}, map[string]string{"format": "csv"}
	run()
	if !slices.ContainsFunc(captured["tco-feed"], func(c ledger.Capture) bool { return strings.HasSuffix(c.File, ".csv") }) {
		t.Error("no feed was captured as CSV")
	}
	loaded := w.load("w.db", w.options(), "captured")
	w.writable("w.db") // open until the end of all
	documents := map[string]*Document{}
	for i := range loaded.Documents {
		documents[filepath.Base(loaded.Documents[i].File)] = &loaded.Documents[i]
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			w := &world{t, w.dir, w.open}
			if len(captured[name]) == 0 {
				t.Fatal("nothing was captured")
			}
			for _, c := range captured[name] {
				if c.Outcome != ledger.Complete {
					t.Fatalf("%+v", c)
				}
				d := documents[c.File]
				if d == nil || !d.Valid || d.Rows.Refused > 0 || d.Rows.Added+d.Rows.Updated+d.Rows.Unchanged == 0 {
					t.Fatalf("%s: %+v", c.File, d)
				}
				content, err := os.ReadFile(filepath.Join(folder, c.File))
				if err != nil {
					t.Fatal(err)
				}
				w.landed("w.db", name, d.SHA256, string(content))
			}
		})
	}
}

// landed holds that every field of an operation's capture can be read back, and
// that it has rows in a table of the operation.
func (w *world) landed(db, operation, sha, body string) {
	w.t.Helper()
	if operation == "benchmarks" || operation == "benchmarks-history" {
		w.rowsReadBack(db, sha, body)
		return
	}
	if tables := w.readBack(db, sha, body); len(tables) == 0 {
		w.t.Errorf("%s has no rows in any table", operation)
	}
}

// rowsReadBack holds that every field of the benchmark rows of a capture can be
// read back. Rows are found by the ids that the capture states.
func (w *world) rowsReadBack(db, sha, body string) {
	w.t.Helper()
	var rows []map[string]any
	d := json.NewDecoder(strings.NewReader(body))
	d.UseNumber()
	if err := d.Decode(&rows); err != nil {
		w.t.Fatal(err)
	}
	if len(rows) == 0 {
		w.t.Error("there are no rows")
	}
	for _, row := range rows {
		stored := w.records(db, `SELECT x.*, p.workers, p.power_audit, p.power_invalid_reasons, p.extra FROM inferencex_id_points i
			JOIN inferencex_rows x ON x.point_id = i.point_id JOIN inferencex_points p ON p.point_id = i.point_id WHERE i.sha256 = ? AND i.id = ? GROUP BY i.point_id`, sha, fmt.Sprint(row["id"]))
		if len(stored) != 1 {
			w.t.Fatalf("row %v is %d points", row["id"], len(stored))
		}
		for key, value := range row {
			if metrics, ok := value.(map[string]any); ok && key == "metrics" {
				for key, value := range metrics {
					w.wantField(key, w.storedMetric(db, stored[0], key), value)
				}
				continue
			}
			w.wantField(key, storedField(stored[0], key), value)
		}
	}
}

// storedField is what the database has for a key of a benchmark row, names as they were written.
func storedField(stored cells, key string) any {
	if raw := stored["raw_"+key]; raw != nil {
		return raw
	}
	if value, ok := stored[key]; ok {
		return value
	}
	var extra map[string]any
	if text, ok := stored["extra"].(string); ok && json.Unmarshal([]byte(text), &extra) == nil {
		return extra[key]
	}
	return nil
}

// storedMetric is what the database has for a metric of a benchmark row.
func (w *world) storedMetric(db string, stored cells, key string) any {
	column := strings.ReplaceAll(strings.Replace(key, "p50_", "median_", 1), ".", "_")
	if value, ok := stored[column]; ok {
		return value
	}
	for _, r := range w.records(db, `SELECT coalesce(number, text) AS value FROM inferencex_other_values WHERE point_id = ? AND key = ?`, stored["point_id"], key) {
		return r["value"]
	}
	return nil
}

// wantField compares a stored value with the one of a body: integers may stand in
// strings, booleans are 0 and 1, times are in UTC, lists and objects JSON.
func (w *world) wantField(key string, got, want any) {
	w.t.Helper()
	plain := func(v any) any {
		switch v := v.(type) {
		case bool:
			return map[bool]float64{true: 1}[v]
		case json.Number:
			f, err := v.Float64()
			if err != nil {
				w.t.Fatal(err)
			}
			return f
		case int64:
			return float64(v)
		case string:
			if f, err := strconv.ParseFloat(v, 64); err == nil {
				return f
			}
			for _, layout := range []string{time.RFC3339, "2006-01-02 15:04:05Z07"} {
				if at, err := time.Parse(layout, v); err == nil {
					return at.UTC().Format(time.RFC3339)
				}
			}
			if strings.HasPrefix(v, "[") || strings.HasPrefix(v, "{") {
				return jsonText(json.RawMessage(v))
			}
		case []any, map[string]any:
			return jsonText(v)
		}
		return v
	}
	if key == "spec_method" && want == nil {
		want = "none"
	}
	if got, want := plain(got), plain(want); got != want {
		w.t.Errorf("%s reads back as %v, the capture has %v", key, got, want)
	}
}

// TestExamplesOfTheReference loads the example that the published reference gives of
// every operation's response, and reads every field of it back.
func TestExamplesOfTheReference(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "shared", "spec", "inferencex-api.txt"))
	if err != nil {
		t.Skipf("NOT RUN: the reference is not at hand: %v", err)
	}
	examples := examplesOf(string(text))
	for _, o := range fetch.Operations() {
		t.Run(o.Name, func(t *testing.T) {
			example, ok := examples[o.Path]
			if !ok {
				t.Fatalf("the reference has no example for %s", o.Path)
			}
			w := newWorld(t, map[string]string{"f/example.json": example, "f/captures.jsonl": ledgerLine(o.Name, "example.json", example, earlyCapture, "complete")})
			r := w.load("w.db", w.options(), "f")
			if len(r.Documents) != 1 || !r.Documents[0].Valid || r.Documents[0].Status != store.Added || r.Documents[0].Rows.Added == 0 || r.Documents[0].Rows.Refused > 0 {
				t.Fatalf("%+v", r.Documents)
			}
			w.landed("w.db", o.Name, r.Documents[0].SHA256, example)
		})
	}
}

// examplesOf are the examples of responses with status 200, by the path of the operation.
func examplesOf(reference string) map[string]string {
	entry := regexp.MustCompile(`(?m)^GET\S*?(/api/v1/[\w/{}-]+)`)
	examples := map[string]string{}
	places := entry.FindAllStringSubmatchIndex(reference, -1)
	for i, at := range places {
		path, end := reference[at[2]:at[3]], len(reference)
		if i+1 < len(places) {
			end = places[i+1][0]
		}
		body := reference[at[1]:end]
		_, body, found := strings.Cut(body, "\n200\n")
		if !found {
			continue
		}
		_, body, _ = strings.Cut(body, "\n响应示例\n")
		start := strings.IndexAny(body, "[{")
		if start < 0 {
			continue
		}
		var raw json.RawMessage
		if json.NewDecoder(strings.NewReader(body[start:])).Decode(&raw) == nil {
			if _, known := examples[path]; !known {
				examples[path] = string(raw)
			}
		}
	}
	return examples
}

// TestExamplesAreFound holds that an example is found behind its own status, and no other.
func TestExamplesAreFound(t *testing.T) {
	got := examplesOf("GET稳定/api/v1/datasets/{slug}列出\n\nGET /api/v1/datasets/{slug}: 参数\n200\n\n响应结构\n{\"type\":\"object\"}\n\n响应示例\n\n代码\n{\n \"a\": [1]\n}\n500\n\n响应示例\n\n代码\n{\"error\":\"x\"}\nGET测试版/api/v1/other读取\n500\n响应示例\n{}\n")
	if len(got) != 1 || got["/api/v1/datasets/{slug}"] != "{\n \"a\": [1]\n}" {
		t.Errorf("%q", got)
	}
}
