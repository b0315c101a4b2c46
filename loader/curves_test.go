package loader

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/inference-sim/blis-warehouse/store"
)

// cells are a row by the names of its columns.
type cells map[string]any

// records are all rows of a statement; arguments are named.
func (w *world) records(db, query string, args ...any) []cells {
	w.t.Helper()
	rows, err := w.writable(db).Query(query, args...)
	if err != nil {
		w.t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		w.t.Fatal(err)
	}
	var all []cells
	for rows.Next() {
		values, dest := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			dest[i] = &values[i]
		}
		if err := rows.Scan(dest...); err != nil {
			w.t.Fatal(err)
		}
		r := cells{}
		for i, c := range columns {
			r[c] = values[i]
		}
		all = append(all, r)
	}
	if err := rows.Err(); err != nil {
		w.t.Fatalf("%s: %v", query, err)
	}
	return all
}

// by are the records by the value of a column that is unique.
func by(all []cells, column string) map[any]cells {
	m := map[any]cells{}
	for _, r := range all {
		m[r[column]] = r
	}
	return m
}

// grouped are the records by the value of a column.
func grouped(all []cells, column string) map[any][]cells {
	m := map[any][]cells{}
	for _, r := range all {
		m[r[column]] = append(m[r[column]], r)
	}
	return m
}

// curveOracle recomputes the view curves from the tables. The verdict and what
// may be scored have oracles of their own.
type curveOracle struct {
	runs, configs, ofInferenceX, rows, verdicts, scorable map[any]cells
	superseded                                            map[any]bool
	pools, settings, flags, members, values               map[any][]cells
	latest                                                map[any]bool
}

func newCurveOracle(w *world, db string) *curveOracle {
	all := func(table string) []cells { return w.records(db, "SELECT * FROM "+table) }
	o := &curveOracle{
		runs: by(all("runs"), "run_id"), configs: by(all("inferencex_configs"), "config_id"), ofInferenceX: by(all("inferencex_runs"), "run_id"),
		rows: by(all("inferencex_points"), "point_id"), verdicts: by(all("verdicts"), "run_id"), scorable: by(all("scorable_runs"), "run_id"),
		pools: grouped(all("pools ORDER BY run_id, position"), "run_id"), settings: grouped(all("pool_settings"), "run_id"), flags: grouped(all("flags"), "run_id"),
		members:    grouped(all("definition_set_members JOIN definitions USING (definition_id)"), "definition_set_id"),
		values:     grouped(all("catalog_values"), "point_id"),
		superseded: map[any]bool{}, latest: map[any]bool{},
	}
	for _, r := range o.runs {
		if r["supersedes"] != nil {
			o.superseded[r["supersedes"]] = true
		}
	}
	for _, line := range o.lines() {
		o.latest[line[len(line)-1]["run_id"]] = true
	}
	return o
}

// lines are the current runs of each line of InferenceX, oldest first.
func (o *curveOracle) lines() [][]cells {
	text := func(v any) string { s, _ := v.(string); return s } // NULL sorts first
	whole := func(v any) int64 {
		if n, ok := v.(int64); ok {
			return n
		}
		return math.MinInt64
	}
	byLine := map[string][]cells{}
	for id, x := range o.ofInferenceX {
		if r := o.runs[id]; r["hidden_by_attempt"] == nil {
			line := fmt.Sprint(x["config_id"], x["benchmark_type"], r["isl"], r["osl"], x["offload_mode"])
			byLine[line] = append(byLine[line], r)
		}
	}
	var all [][]cells
	for _, line := range byLine {
		slices.SortFunc(line, func(a, b cells) int {
			x, y := o.ofInferenceX[a["run_id"]], o.ofInferenceX[b["run_id"]]
			return cmp.Or(cmp.Compare(text(a["measured_on"]), text(b["measured_on"])), cmp.Compare(text(x["run_started_at"]), text(y["run_started_at"])),
				cmp.Compare(whole(x["github_run_id"]), whole(y["github_run_id"])), cmp.Compare(whole(x["run_attempt"]), whole(y["run_attempt"])),
				cmp.Compare(text(a["name"]), text(b["name"])))
		})
		all = append(all, line)
	}
	return all
}

// member is the definition of a formula and statistic ("" for a throughput) in
// the set of a run, nil where none or several have it.
func (o *curveOracle) member(run cells, formula, statistic string) cells {
	var found []cells
	for _, m := range o.members[run["definition_set_id"]] {
		s, _ := m["statistic"].(string)
		if p, ok := strings.CutPrefix(s, "p"); ok {
			if x, err := strconv.ParseFloat(p, 64); err == nil {
				s = "p" + strconv.FormatFloat(x, 'g', -1, 64)
			}
		}
		if s == "p50" {
			s = "median"
		}
		if m["formula"] == formula && s == statistic {
			found = append(found, m)
		}
	}
	if len(found) != 1 {
		return nil
	}
	return found[0]
}

// catalogValue is the value of a formula and statistic at a point of a catalog run.
func (o *curveOracle) catalogValue(run, point cells, formula, statistic string) any {
	m := o.member(run, formula, statistic)
	for _, v := range o.values[point["point_id"]] {
		if m != nil && v["metric"] == m["metric"] {
			return v["value"]
		}
	}
	return nil
}

func (o *curveOracle) metrics(want, run, point cells) {
	x := o.rows[point["point_id"]]
	for _, q := range []struct{ column, formula string }{{"ttft", "ttft"}, {"tpot", "tpot"}, {"itl", "itl"}, {"e2e", "e2el"}} {
		for _, s := range []struct{ column, statistic string }{{"mean", "mean"}, {"p50", "median"}, {"p90", "p90"}, {"p95", "p95"}, {"p99", "p99"}} {
			column := q.column + "_" + s.column + "_ms"
			if x == nil {
				want[column] = o.catalogValue(run, point, q.formula, s.statistic)
			} else if v, ok := x[s.statistic+"_"+q.formula].(float64); ok {
				want[column] = v * 1000
			}
		}
	}
	reported := map[string]string{"output": "output_tput_per_gpu", "input": "input_tput_per_gpu", "total": "tput_per_gpu"}
	for part, key := range reported {
		formula := part + "_throughput"
		if part == "total" {
			formula = "total_token_throughput"
		}
		if x == nil {
			want[part+"_tok_s"] = o.catalogValue(run, point, formula, "")
			want[part+"_tok_s_per_gpu"] = o.catalogValue(run, point, formula+"_per_gpu", "")
		} else {
			want[part+"_tok_s_per_gpu"] = x[key]
		}
		m := o.member(run, formula+"_per_gpu", "")
		if part != "total" && m != nil && (x == nil || x[key] != nil) {
			want[part+"_gpus"] = m["gpu_scope"]
		}
	}
	if x == nil {
		want["requests_per_s"] = o.catalogValue(run, point, "request_throughput", "")
		want["goodput_requests_per_s"] = o.catalogValue(run, point, "request_goodput", "")
	}
	want["interactivity_p50_tok_s"] = o.interactivity(run, point, x)
}

func (o *curveOracle) interactivity(run, point, x cells) any {
	if x == nil {
		v, ok := o.catalogValue(run, point, "tpot", "median").(float64)
		if !ok || v == 0 || o.member(run, "tpot", "median")["population"] != "per_request" {
			return nil
		}
		return 1000 / v
	}
	if o.ofInferenceX[run["run_id"]]["benchmark_type"] != "single_turn" {
		return nil
	}
	if x["median_intvty"] != nil {
		return x["median_intvty"]
	}
	if v, ok := x["median_tpot"].(float64); ok && v != 0 {
		return 1 / v
	}
	return nil
}

// layout fills what follows from the pools and the configuration.
func (o *curveOracle) layout(want, run cells) {
	pools := o.pools[run["run_id"]]
	number := func(v any) int64 { n, _ := v.(int64); return n }
	var words []string
	gpus := map[any]int64{}
	for _, q := range pools {
		text := ""
		if q["role"] != "colocated" {
			want["disagg"] = int64(1)
			text = q["role"].(string) + " "
			if number(q["workers"]) > 0 {
				text += fmt.Sprint(q["workers"], "x")
			}
		} else if want["disagg"] == nil {
			want["disagg"] = int64(0)
		}
		text += fmt.Sprint("tp", q["tp"])
		for _, k := range []string{"pp", "dp", "ep"} {
			if number(q[k]) > 1 {
				text += fmt.Sprint(k, q[k])
			}
		}
		if number(q["enable_expert_parallel"]) == 1 {
			text += "ep"
		}
		if number(q["dp_attention"]) == 1 {
			text += " dp_attention"
		}
		words = append(words, text)
		gpus[q["role"]] += number(q["nodes"]) * number(run["gpus_per_node"])
	}
	if words != nil {
		want["parallelism"] = strings.Join(words, " + ")
	}
	if len(pools) == 1 {
		for _, k := range []string{"tp", "pp", "dp", "ep"} {
			want[k] = pools[0][k]
		}
	}
	i := o.ofInferenceX[run["run_id"]]
	if i == nil {
		for _, role := range []string{"prefill", "decode"} {
			if gpus[role] > 0 {
				want[role+"_gpus"] = gpus[role]
			}
		}
		for column, setting := range map[string]string{"precision": "quantization", "spec_method": "speculative.method"} {
			var stated []any
			for _, s := range o.settings[run["run_id"]] {
				if s["setting"] == setting && !slices.Contains(stated, s["value"]) {
					stated = append(stated, s["value"])
				}
			}
			if len(stated) == 1 {
				want[column] = stated[0]
			}
		}
		return
	}
	c := o.configs[i["config_id"]]
	for _, k := range []string{"precision", "spec_method", "framework", "disagg"} {
		want[k] = c[k]
	}
	want["benchmark_type"], want["offload_mode"] = i["benchmark_type"], i["offload_mode"]
	if c["disagg"] == int64(1) && i["collapsed"] == int64(0) {
		want["prefill_gpus"], want["decode_gpus"] = c["num_prefill_gpu"], c["num_decode_gpu"]
	}
}

// flagged are the number of flags of a point and their codes.
func (o *curveOracle) flagged(point cells) (n int64, codes any) {
	var words []string
	for _, f := range o.flags[point["run_id"]] {
		if f["point_id"] == nil || f["point_id"] == point["point_id"] {
			n++
			words = append(words, f["code"].(string))
		}
	}
	if n > 0 {
		slices.Sort(words)
		codes = strings.Join(slices.Compact(words), ", ")
	}
	return n, codes
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// point is the row of curves of a point; a column that is not set is NULL.
func (o *curveOracle) point(p cells) cells {
	run, x := o.runs[p["run_id"]], o.rows[p["point_id"]]
	want := cells{"run": run["name"], "point": p["id"]}
	for _, k := range []string{"point_id", "run_id", "position", "concurrency", "request_rate", "completed", "failed", "mean_isl", "mean_osl", "kv_utilization",
		"prefix_hit_rate", "preemptions", "noise_seeds", "noise_cv"} {
		want[k] = p[k]
	}
	for _, k := range []string{"origin", "model", "hardware", "engine", "engine_version", "gpus", "workload_kind", "workload", "isl", "osl", "measured_on",
		"retrieved_on", "definition_set_id"} {
		want[k] = run[k]
	}
	if want["date"] = run["measured_on"]; want["date"] == nil {
		want["date"] = run["retrieved_on"]
	}
	if x != nil {
		if v, ok := x["power_valid"].(float64); ok {
			want["power_valid"] = int64(v)
		}
		if want["power_valid"] == int64(1) {
			want["power_w_per_gpu"] = x["avg_power_w"]
			if x["power_metric_schema_version"] == 2.0 {
				for column, key := range map[string]string{"energy_j_per_output_token": "joules_per_output_token", "energy_j_per_input_token": "joules_per_input_token",
					"energy_j_per_total_token": "joules_per_total_token", "energy_j_per_request": "joules_per_successful_query"} {
					want[column] = x[key]
				}
			}
		}
		if done, ok := x["num_requests_successful"].(float64); ok {
			want["completed"] = int64(done)
			if total, ok := x["num_requests_total"].(float64); ok {
				want["failed"] = int64(total - done)
			}
		}
	}
	o.layout(want, run)
	o.metrics(want, run, p)
	want["is_anchor"], want["hidden"] = truth(p["position"] == int64(0)), truth(run["hidden_by_attempt"] != nil)
	want["latest"] = truth(!o.superseded[run["name"]])
	if x != nil {
		want["latest"] = truth(o.latest[run["run_id"]])
	}
	want["verdict"], want["resolution"] = o.verdicts[run["run_id"]]["verdict"], o.verdicts[run["run_id"]]["resolution"]
	want["scorable"] = truth(o.scorable[run["run_id"]] != nil)
	if run["licence_id"] != "" {
		want["licence_id"] = run["licence_id"]
	}
	want["flags"], want["flag_codes"] = o.flagged(p)
	return want
}

// compareCurves holds the view against the oracle, cell by cell, and returns
// how many cells of each column were not NULL.
func compareCurves(t *testing.T, w *world, db string) map[string]int {
	t.Helper()
	o := newCurveOracle(w, db)
	points := w.records(db, "SELECT * FROM points")
	got := by(w.records(db, "SELECT * FROM curves"), "point_id")
	if n := w.query(db, "SELECT count(*) FROM curves"); len(got) != len(points) || n[0] != strconv.Itoa(len(points)) {
		t.Fatalf("%d points, %d of them in curves, which has %s rows", len(points), len(got), n)
	}
	filled := map[string]int{}
	wrong := 0
	for _, p := range points {
		want, row := o.point(p), got[p["point_id"]]
		for column, v := range row {
			if v != want[column] {
				if wrong++; wrong < 20 {
					t.Errorf("%s %s: %s is %#v, want %#v", row["run"], row["point"], column, v, want[column])
				}
			}
			if v != nil {
				filled[column]++
			}
		}
		for column := range want {
			if _, ok := row[column]; !ok {
				t.Fatalf("curves has no column %s", column)
			}
		}
	}
	return filled
}

// manyMetrics is a run that defines a metric for every column, two of which
// nobody can tell apart by formula and statistic.
const manyMetrics = `
  output_gpu: {formula: output_throughput_per_gpu, population: pooled_tokens, denominator: main_phase_wall, clock: client, unit: tokens_per_s, cite: "x:1"}
  input_gpu: {formula: input_throughput_per_gpu, denominator: main_phase_wall, unit: tokens_per_s, cite: "x:1"}
  total_gpu: {formula: total_token_throughput_per_gpu, denominator: main_phase_wall, unit: tokens_per_s, cite: "x:1"}
  output: {formula: output_throughput, denominator: main_phase_wall, unit: tokens_per_s, cite: "x:1"}
  input: {formula: input_throughput, denominator: main_phase_wall, unit: tokens_per_s, cite: "x:1"}
  total: {formula: total_token_throughput, denominator: main_phase_wall, unit: tokens_per_s, cite: "x:1"}
  requests: {formula: request_throughput, denominator: main_phase_wall, unit: requests_per_s, cite: "x:1"}
  goodput: {formula: request_goodput, denominator: main_phase_wall, unit: requests_per_s, cite: "x:1"}
  client_p99: {formula: ttft, statistic: p99, percentile_method: numpy_linear, clock: client, unit: ms, cite: "x:1"}
  server_p99: {formula: ttft, statistic: p99.0, percentile_method: numpy_linear, clock: server, unit: ms, cite: "x:1"}
  unstated: {unit: ms, cite: "x:1"}
`

// manyRun is a run with manyMetrics and every statistic of every latency, the
// median of tpot over what population says; the second point lacks half of the values.
func manyRun(name, population string, median float64) string {
	defs, first, second := manyMetrics, "", ""
	value := 10.0
	add := func(metric string, v float64) {
		cell := fmt.Sprintf("%s: {value: %g}, ", metric, v)
		first += cell
		if int(value)%2 == 0 {
			second += cell
		}
		value++
	}
	for _, line := range strings.Split(strings.TrimSpace(manyMetrics), "\n") {
		metric, _, _ := strings.Cut(strings.TrimSpace(line), ":")
		add(metric, value)
	}
	for _, f := range []string{"ttft", "tpot", "itl", "e2el"} {
		for _, s := range []string{"mean", "median", "p90", "p95", "p99", "p75"} {
			if f == "ttft" && s == "p99" {
				continue // twice above
			}
			of, v := "per_request", value
			if f == "tpot" && s == "median" {
				of, v = population, median
			}
			defs += fmt.Sprintf("  %s_%s: {formula: %s, statistic: %s, population: %s, percentile_method: numpy_linear, unit: ms, cite: \"x:1\"}\n", f, s, f, s, of)
			add(f+"_"+s, v)
		}
	}
	text := runYAML(name, "lone")
	head, _, _ := strings.Cut(text, "metric_defs:")
	head = strings.Replace(head, "parallel: {tp: 8, pp: 1, dp: 1}", "parallel: {tp: 2, pp: 2, dp: 2, enable_expert_parallel: true}, engine: {quantization: fp8, speculative: {method: mtp, num_spec_tokens: 1}}", 1)
	return head + "metric_defs:" + defs + "points:\n" +
		"  - {id: a, load: {concurrency: 1}, metrics: {" + strings.TrimSuffix(first, ", ") + "}, completed: 3, failed: 1, realized: {mean_isl: 5, mean_osl: 6}, kv_utilization: 0.5, prefix_hit_rate: 0.25, preemptions: 2, noise: {seeds: 3, cv: 0.01}}\n" +
		"  - {id: b, load: {concurrency: 2}, metrics: {" + strings.TrimSuffix(second, ", ") + "}}\n"
}

// TestCurvesOracle holds every column of curves against a computation of its
// own from the tables: invented data of every kind, and the demonstration.
func TestCurvesOracle(t *testing.T) {
	power := func(pairs ...any) object {
		return odd(append([]any{"avg_power_w", 700, "joules_per_output_token", 3, "joules_per_input_token", 2, "joules_per_total_token", 1.5, "joules_per_successful_query", 900}, pairs...)...)
	}
	w := newWorld(t, map[string]string{
		"many.yaml": manyRun("many", "per_request", 20), "pooled.yaml": manyRun("pooled", "pooled_tokens", 20), "zero.yaml": manyRun("zero", "per_request", 0),
		"a.json": array(
			power("power_valid", 1, "power_metric_schema_version", 2), power("power_valid", 1).with("conc", 8), power("power_valid", 0, "power_metric_schema_version", 2).with("conc", 16),
			power("num_requests_total", 100, "num_requests_successful", 99).with("conc", 32), odd("median_intvty", nil).with("conc", 64), odd("median_intvty", nil, "median_tpot", 0).with("conc", 128),
			odd("output_tput_per_gpu", nil).with("isl", 7),
			odd().with(split...).with("isl", 8), odd().with(split...).with("isl", 8, "date", "2025-10-01", "run_url", actions+"99/attempts/1"),
			odd().with("isl", 9, "benchmark_type", "agentic_traces"),
			odd().with("disagg", true, "prefill_tp", 36, "decode_tp", 36, "num_prefill_gpu", 0, "num_decode_gpu", 36),
			odd().with("prefill_ep", 8, "decode_ep", 8, "prefill_dp_attention", true, "decode_dp_attention", true, "num_prefill_gpu", 64, "num_decode_gpu", 64),
			odd().with("isl", 10, "date", "2026-01-03", "run_url", actions+"100000002"), odd().with("isl", 10, "date", "2026-01-03", "run_url", actions+"100000003"),
			odd().with("isl", 10, "run_url", actions+"100000001/attempts/2"), odd().with("isl", 10, "run_url", nil)),
		"artifacts/agg_1k1k.json": "[" + inventedArtifact("isl", 1024, "osl", 1024).String() + "]",
	})
	for _, d := range w.load("w.db", w.options(), "many.yaml", "pooled.yaml", "zero.yaml", "a.json", "artifacts").Documents {
		if d.Status != store.Added {
			t.Errorf("%s is %s: %+v", d.File, d.Status, d.Problems)
		}
	}
	demo, err := filepath.Abs("../testdata/demo")
	if err != nil {
		t.Fatal(err)
	}
	opts := w.options()
	opts.WorkDir = demo
	w.load("w.db", opts, filepath.Join(demo, "catalog"), filepath.Join(demo, "captures"), filepath.Join(demo, "evaluations"))
	filled := compareCurves(t, w, "w.db")
	for _, r := range w.records("w.db", "SELECT name FROM pragma_table_info('curves')") {
		if filled[r["name"].(string)] == 0 {
			t.Errorf("column %s is NULL at every point, so that nothing holds it", r["name"])
		}
	}
	w.want("w.db", `SELECT run, point, ttft_p99_ms, interactivity_p50_tok_s, tpot_p50_ms FROM curves WHERE run IN ('many', 'pooled', 'zero') AND point = 'a' ORDER BY 1`,
		"many|a|NULL|50|20", "pooled|a|NULL|NULL|20", "zero|a|NULL|NULL|0")
	for column, want := range map[string]string{"latest": "0 1", "hidden": "0 1", "scorable": "0 1", "disagg": "0 1", "power_valid": "0 1", "output_gpus": "all decode"} {
		if got := w.query("w.db", "SELECT group_concat(v, ' ') FROM (SELECT DISTINCT "+column+" AS v FROM curves WHERE v IS NOT NULL ORDER BY v)"); got[0] != want {
			t.Errorf("%s has the values %s, want %s", column, got[0], want)
		}
	}
}

// TestCurvesOfRealData does the same over measured rows where
// BLIS_WAREHOUSE_DATA names a folder with them; none are part of the project.
func TestCurvesOfRealData(t *testing.T) {
	dir := os.Getenv("BLIS_WAREHOUSE_DATA")
	if dir == "" {
		t.Skip("NOT RUN: BLIS_WAREHOUSE_DATA names no folder of captures")
	}
	w := newWorld(t, nil)
	w.load("w.db", w.options(), dir)
	filled := compareCurves(t, w, "w.db")
	if filled["total_tok_s_per_gpu"] == 0 {
		t.Error("no point has a throughput")
	}
}

// TestCurvesPlan holds that curves finds everything by key: nothing is read
// from end to end but the points themselves, and those only where no run,
// model or point is asked for.
func TestCurvesPlan(t *testing.T) {
	w := loaded(t, odd(), odd().with("conc", 8))
	for _, tt := range []struct {
		where, first string
		small        []string // scans of what has few rows
	}{
		{"1", "SCAN p", nil},
		{"run = 'x'", "SEARCH r USING INDEX sqlite_autoindex_runs_1 (name=?)", nil},
		{"run_id = 1", "SEARCH p USING INDEX sqlite_autoindex_points_1 (run_id=?)", nil},
		{"point_id = 1", "SEARCH p USING INTEGER PRIMARY KEY (rowid=?)", []string{"SCAN d LEFT-JOIN"}}, // of a single point
		{"model = 'x' AND hardware = 'y'", "SEARCH r USING INDEX runs_by_model (model=? AND hardware=?)", nil},
	} {
		var scans []string
		found := false
		once := map[any]bool{} // the steps that happen once for a statement: lists and tables made before it, and what is in them
		for _, r := range w.records("w.db", "EXPLAIN QUERY PLAN SELECT * FROM curves WHERE "+tt.where) {
			step := r["detail"].(string)
			once[r["id"]] = once[r["parent"]] || strings.HasPrefix(step, "MATERIALIZE ") || strings.HasPrefix(step, "LIST SUBQUERY ")
			found = found || step == tt.first
			if strings.HasPrefix(step, "SCAN ") && step != tt.first && !once[r["id"]] && !slices.Contains(tt.small, step) && !strings.HasPrefix(step, "SCAN (subquery-") {
				scans = append(scans, step)
			}
		}
		if !found || scans != nil {
			t.Errorf("WHERE %s: the plan has %q: %v; it scans %q", tt.where, tt.first, found, scans)
		}
	}
}
