package loader

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/inference-sim/blis-warehouse/store"
)

// The tests of this file hold what becomes of the tables of a dump that are no
// benchmark rows. Every row is invented.

// tablesOfDump is inventedDump with rows in all other tables, as a dump has them:
// ids in strings, days at midnight.
func tablesOfDump() map[string]string {
	files := inventedDump(inventedResult())
	files["dump/workflow_runs.json"] = array(inventedWorkflowRun(), inventedWorkflowRun("id", 32, "github_run_id", 100000002, "run_attempt", nil, "conclusion", nil, "date", nil))
	files["dump/eval_results.json"] = array(inventedEvaluation(), inventedEvaluation("id", "502"),
		inventedEvaluation("id", 503, "task", "gpqa", "isl", nil, "osl", nil, "conc", nil, "lm_eval_version", nil, "metrics", object{"acc": 0.5}),
		inventedEvaluation("id", 504, "isl", 8192, "metrics", object{"em_strict": 0.25}))
	files["dump/run_stats.json"] = array(inventedStats(), inventedStats("workflow_run_id", "32", "n_success", "1", "total", "4"),
		inventedStats("hardware", "cluster:B200-nv", "n_success", 0, "total", 0))
	files["dump/changelog_entries.json"] = array(inventedEntry(), inventedEntry("id", 902, "description", "Other"),
		inventedEntry("id", 903, "workflow_run_id", nil, "date", nil, "base_ref", nil, "head_ref", nil, "config_keys", nil, "description", nil, "pr_link", nil))
	files["dump/availability.json"] = array(inventedAvailability(), inventedAvailability(), inventedAvailability("framework", "sglang-disagg", "precision", "nvfp4"),
		inventedAvailability("isl", nil, "osl", nil, "benchmark_type", "agentic_traces"))
	return files
}

func inventedWorkflowRun(pairs ...any) object {
	return object{"id": "31", "github_run_id": "100000001", "run_attempt": "2", "name": "sweep", "status": "completed", "conclusion": "success", "head_sha": "ab",
		"head_branch": "main", "html_url": actions + "100000001", "created_at": "2026-01-02 01:30:00.5+00", "run_started_at": "2026-01-02 03:00:00+00",
		"date": "2026-01-02T00:00:00.000Z"}.with(pairs...)
}

func inventedEvaluation(pairs ...any) object {
	return object{"id": "501", "workflow_run_id": "31", "config_id": "7", "task": "gsm8k", "date": "2026-01-02T00:00:00.000Z", "isl": "1024", "osl": 1024, "conc": 64,
		"lm_eval_version": "0.4.9", "metrics": object{"em_strict": 0.9375, "n_eff": 1319, "unmeasured": nil}}.with(pairs...)
}

func inventedStats(pairs ...any) object {
	return object{"id": 1, "workflow_run_id": 31, "date": "2026-01-02T00:00:00.000Z", "hardware": "h200", "n_success": 3, "total": 4}.with(pairs...)
}

func inventedEntry(pairs ...any) object {
	return object{"id": 901, "workflow_run_id": 31, "date": "2026-01-02", "base_ref": "ab", "head_ref": "cd", "config_keys": []string{"dsr1-fp8-h200", "dsr1-fp4-b200"},
		"description": "Newer image", "pr_link": "https://example.org/pull/1"}.with(pairs...)
}

func inventedAvailability(pairs ...any) object {
	return object{"model": "dsr1", "isl": 1024, "osl": "1024", "precision": "fp8", "hardware": "h200", "framework": "vllm", "spec_method": "none", "disagg": false,
		"date": "2026-01-02T00:00:00.000Z"}.with(pairs...)
}

func TestDumpTables(t *testing.T) {
	w := newWorld(t, tablesOfDump())
	strict := w.options()
	strict.Strict = true // what a dump has by nature is no drift
	d := w.load("w.db", strict, "dump").Documents[0]
	if d.Rows != (store.CaptureRows{Added: 1}) || !d.Valid || d.Status != store.Added || len(d.Problems) != 0 {
		t.Errorf("%+v", d)
	}
	w.want("w.db", `SELECT * FROM inferencex_workflow_runs ORDER BY 1`,
		"100000001|2|sweep|completed|success|ab|main|"+actions+"100000001|2026-01-02T01:30:00.5Z|2026-01-02T03:00:00Z|2026-01-02",
		"100000002|1|sweep|completed|NULL|ab|main|"+actions+"100000001|2026-01-02T01:30:00.5Z|2026-01-02T03:00:00Z|NULL")
	// Two evaluations that differ in their id alone are one.
	w.want("w.db", `SELECT github_run_id, run_attempt, hardware, task, date, isl, osl, conc, lm_eval_version FROM inferencex_evaluations JOIN inferencex_configs USING (config_id) ORDER BY task, isl`,
		"100000001|2|h200|gpqa|2026-01-02|NULL|NULL|NULL|NULL", "100000001|2|h200|gsm8k|2026-01-02|1024|1024|64|0.4.9", "100000001|2|h200|gsm8k|2026-01-02|8192|1024|64|0.4.9")
	w.want("w.db", `SELECT task, isl, key, number, text FROM inferencex_evaluation_metrics JOIN inferencex_evaluations USING (evaluation_id) ORDER BY 1, 2, 3`,
		"gpqa|NULL|acc|0.5|NULL", "gsm8k|1024|em_strict|0.9375|NULL", "gsm8k|1024|n_eff|1319|NULL", "gsm8k|8192|em_strict|0.25|NULL")
	w.want("w.db", `SELECT * FROM inferencex_run_stats ORDER BY 1, 3`, "100000001|2|b200|2026-01-02|0|0", "100000001|2|h200|2026-01-02|3|4", "100000002|1|h200|2026-01-02|1|4")
	w.want("w.db", `SELECT * FROM inferencex_changelog_entries ORDER BY description`,
		"NULL|NULL|NULL|NULL|NULL|[]|NULL|NULL",
		`100000001|2|2026-01-02|ab|cd|["dsr1-fp8-h200","dsr1-fp4-b200"]|Newer image|https://example.org/pull/1`,
		`100000001|2|2026-01-02|ab|cd|["dsr1-fp8-h200","dsr1-fp4-b200"]|Other|https://example.org/pull/1`)
	w.want("w.db", `SELECT * FROM inferencex_availability ORDER BY benchmark_type, framework DESC`,
		"dsr1|NULL|NULL|fp8|h200|vllm|none|0|agentic_traces|2026-01-02",
		"dsr1|1024|1024|fp8|h200|vllm|none|0|single_turn|2026-01-02",
		"dsr1|1024|1024|fp4|h200|mori-sglang|none|1|single_turn|2026-01-02")
	w.want("w.db", `SELECT count(*) FROM runs`, "1") // nothing but benchmark rows makes a run
}

func TestDumpTablesAgain(t *testing.T) {
	w := newWorld(t, tablesOfDump())
	w.load("w.db", w.options(), "dump")
	want := w.logicalContent("w.db")
	if d := w.load("w.db", w.options(), "dump").Documents[0]; d.Status != store.Unchanged {
		t.Errorf("%+v", d)
	}
	compareContent(t, "loaded twice", w.logicalContent("w.db"), want)
}

// Dumps that do not contradict each other give the same content in any order.
func TestDumpTablesInAnyOrder(t *testing.T) {
	parts := map[string]string{}
	for name, content := range tablesOfDump() {
		parts["one/"+strings.TrimPrefix(name, "dump/")] = content
		parts["two/"+strings.TrimPrefix(name, "dump/")] = content
	}
	parts["two/run_stats.json"] = array(inventedStats("hardware", "gb200"), inventedStats())
	parts["two/changelog_entries.json"] = array(inventedEntry("config_keys", "glm5-fp8-h200"), inventedEntry("pr_link", nil))
	parts["two/availability.json"] = array(inventedAvailability("date", "2026-01-03"), inventedAvailability())
	// Each states of one thing what the other does not.
	parts["one/workflow_runs.json"] = array(inventedWorkflowRun("conclusion", nil, "head_sha", nil), inventedWorkflowRun("id", 32, "github_run_id", 100000002, "run_attempt", nil, "date", nil))
	parts["two/workflow_runs.json"] = array(inventedWorkflowRun("name", nil, "created_at", nil), inventedWorkflowRun("id", 32, "github_run_id", 100000002, "run_attempt", 1, "conclusion", nil))
	parts["one/eval_results.json"] = array(inventedEvaluation("lm_eval_version", nil, "metrics", object{"em_strict": 0.9375}), inventedEvaluation("conc", nil))
	parts["two/eval_results.json"] = array(inventedEvaluation("metrics", object{"n_eff": 1319}), inventedEvaluation("workflow_run_id", nil))
	w := newWorld(t, parts)
	w.load("all.db", w.options(), "one", "two")
	want := w.logicalContent("all.db")
	for i, inputs := range [][]string{{"two", "one"}, {"one", "two", "one"}} {
		db := fmt.Sprint("together", i, ".db")
		w.load(db, w.options(), inputs...)
		compareContent(t, fmt.Sprint(inputs), w.logicalContent(db), want)
		db = fmt.Sprint("apart", i, ".db")
		for _, input := range inputs {
			w.load(db, w.options(), input)
		}
		compareContent(t, fmt.Sprint(inputs, " in commands of their own"), w.logicalContent(db), want)
	}
	w.want("all.db", `SELECT github_run_id, name, conclusion, head_sha, date FROM inferencex_workflow_runs ORDER BY 1`,
		"100000001|sweep|success|ab|2026-01-02", "100000002|sweep|success|ab|2026-01-02")
	w.want("all.db", `SELECT ifnull(github_run_id, 0), conc, lm_eval_version, count(key) FROM inferencex_evaluations JOIN inferencex_evaluation_metrics USING (evaluation_id) GROUP BY evaluation_id ORDER BY 1, 2`,
		"0|64|0.4.9|2", "100000001|NULL|0.4.9|2", "100000001|64|0.4.9|2")
}

// Of two values for one thing the later is kept, in one dump or two.
func TestDumpTablesThatConflict(t *testing.T) {
	files := tablesOfDump()
	files["dump/eval_results.json"] = array(inventedEvaluation(), inventedEvaluation("metrics", object{"em_strict": 0.5, "more": 1}))
	files["dump/run_stats.json"] = array(inventedStats(), inventedStats("n_success", 4))
	files["dump/workflow_runs.json"] = array(inventedWorkflowRun("conclusion", "failure"), inventedWorkflowRun("status", nil))
	files["dump/changelog_entries.json"] = array(inventedEntry(), inventedEntry("pr_link", "https://example.org/pull/2"))
	w := newWorld(t, files)
	d := w.load("w.db", w.options(), "dump").Documents[0]
	var got []string
	for _, p := range d.Problems {
		got = append(got, p.Severity+" "+p.Rule+" "+p.Path+": "+p.Message)
	}
	want := []string{
		"warning conflict workflow_runs[1].conclusion: row [0] of this table gives the same workflow run another conclusion: the later is kept",
		"warning conflict eval_results[1].metrics.em_strict: row [0] of this table gives the same evaluation another metrics.em_strict: the later is kept",
		"warning conflict run_stats[1].n_success: row [0] of this table gives the same row of counts another n_success: the later is kept",
		"warning conflict changelog_entries[1].pr_link: row [0] of this table gives the same entry another pr_link: the later is kept",
	}
	if !slices.Equal(got, want) || !d.Valid || d.Status != store.Added {
		t.Errorf("%s %q", d.Status, got)
	}
	const evaluation = `SELECT key, number FROM inferencex_evaluation_metrics ORDER BY 1`
	w.want("w.db", evaluation, "em_strict|0.5", "more|1", "n_eff|1319")
	w.want("w.db", `SELECT n_success FROM inferencex_run_stats`, "4")
	w.want("w.db", `SELECT status, conclusion FROM inferencex_workflow_runs`, "completed|success")
	w.want("w.db", `SELECT pr_link FROM inferencex_changelog_entries`, "https://example.org/pull/2")
	if d := w.load("w.db", w.options(), "dump").Documents[0]; d.Status != store.Unchanged {
		t.Errorf("again: %+v", d)
	}
	w.write(map[string]string{"dump/eval_results.json": array(inventedEvaluation("lm_eval_version", "0.5.0", "metrics", object{"em_strict": "n/a"}))})
	if d := w.load("w.db", w.options(), "dump").Documents[0]; d.Status != store.Updated || d.Rows != (store.CaptureRows{Unchanged: 1}) {
		t.Errorf("a newer dump: %+v", d)
	}
	w.want("w.db", `SELECT key, number, text, lm_eval_version FROM inferencex_evaluation_metrics JOIN inferencex_evaluations USING (evaluation_id) ORDER BY 1`,
		"em_strict|NULL|n/a|0.5.0", "more|1|NULL|0.5.0", "n_eff|1319|NULL|0.5.0")
}

func TestDumpTablesMayBeMissing(t *testing.T) {
	files := tablesOfDump()
	for _, table := range []string{"eval_results", "run_stats", "changelog_entries", "availability"} {
		delete(files, "dump/"+table+".json")
	}
	w := newWorld(t, files)
	if d := w.load("w.db", w.options(), "dump").Documents[0]; d.Status != store.Added || !d.Valid || len(d.Problems) != 0 {
		t.Errorf("%+v", d)
	}
}

// A row that cannot be used is a problem with its place, and the rest is loaded.
func TestDumpTablesWithBadRows(t *testing.T) {
	for _, test := range []struct {
		table, path, rule string
		good, bad         object
	}{
		{"eval_results", ".task", "type", inventedEvaluation(), inventedEvaluation("task", 5)},
		{"eval_results", ".task", "missing-key", inventedEvaluation(), inventedEvaluation("task", "")},
		{"eval_results", ".date", "date", inventedEvaluation(), inventedEvaluation("date", "2026-01-02T01:00:00Z")},
		{"eval_results", ".date", "missing-key", inventedEvaluation(), inventedEvaluation("date", nil)},
		{"eval_results", ".conc", "range", inventedEvaluation(), inventedEvaluation("conc", 0)},
		{"eval_results", ".isl", "type", inventedEvaluation(), inventedEvaluation("isl", "1k")},
		{"eval_results", ".metrics", "type", inventedEvaluation(), inventedEvaluation("metrics", []int{1})},
		{"eval_results", ".config_id", "missing-key", inventedEvaluation(), inventedEvaluation("config_id", absent)},
		{"eval_results", ".config_id", "type", inventedEvaluation(), inventedEvaluation("config_id", "seven")},
		{"eval_results", ".config_id", "unknown-config", inventedEvaluation(), inventedEvaluation("config_id", 8)},
		{"eval_results", ".workflow_run_id", "unknown-run", inventedEvaluation(), inventedEvaluation("workflow_run_id", 8)},
		{"eval_results", ".workflow_run_id", "type", inventedEvaluation(), inventedEvaluation("workflow_run_id", true)},
		{"eval_results", "", "credential", inventedEvaluation(), inventedEvaluation("task", "hf_"+strings.Repeat("aB3dE6gH9k", 4)[:34])},
		{"run_stats", ".workflow_run_id", "missing-key", inventedStats(), inventedStats("workflow_run_id", nil)},
		{"run_stats", ".n_success", "range", inventedStats(), inventedStats("n_success", -1)},
		{"run_stats", ".total", "missing-key", inventedStats(), inventedStats("total", nil)},
		{"run_stats", ".hardware", "missing-key", inventedStats(), inventedStats("hardware", nil)},
		{"changelog_entries", ".config_keys", "type", inventedEntry(), inventedEntry("config_keys", []any{"a", 1})},
		{"changelog_entries", ".description", "type", inventedEntry(), inventedEntry("description", object{})},
		{"availability", ".disagg", "missing-key", inventedAvailability(), inventedAvailability("disagg", nil)},
		{"availability", ".model", "missing-key", inventedAvailability(), inventedAvailability("model", absent)},
		{"workflow_runs", ".created_at", "timestamp", inventedWorkflowRun(), inventedWorkflowRun("id", 33, "github_run_id", 100000003, "created_at", "soon")},
		{"workflow_runs", ".github_run_id", "missing-key", inventedWorkflowRun(), inventedWorkflowRun("id", 33, "github_run_id", nil)},
	} {
		files := inventedDump(inventedResult())
		delete(files, "dump/run_stats.json")
		files["dump/"+test.table+".json"] = array(test.good, test.bad)
		w := newWorld(t, files)
		d := w.load("w.db", w.options(), "dump").Documents[0]
		if len(d.Problems) != 1 || d.Problems[0].Path != test.table+"[1]"+test.path || d.Problems[0].Rule != test.rule || d.Problems[0].Line == 0 {
			t.Errorf("%s%s: %+v", test.table, test.path, d.Problems)
		}
		if d.Valid || d.Status != store.Partial || d.Rows != (store.CaptureRows{Added: 1}) {
			t.Errorf("%s%s: %+v", test.table, test.path, d)
		}
		stored := map[string]string{"eval_results": "inferencex_evaluations"}[test.table]
		if stored == "" {
			stored = "inferencex_" + test.table
		}
		w.want("w.db", `SELECT count(*) FROM `+stored, "1")
	}
}

// What only describes a workflow run costs its benchmark rows nothing.
func TestDumpRunWithoutDescription(t *testing.T) {
	files := inventedDump(inventedResult())
	files["dump/workflow_runs.json"] = array(inventedWorkflowRun("date", "today"))
	w := newWorld(t, files)
	if d := w.load("w.db", w.options(), "dump").Documents[0]; d.Rows != (store.CaptureRows{Added: 1}) || len(d.Problems) != 1 {
		t.Errorf("%+v", d)
	}
	w.want("w.db", `SELECT count(*) FROM inferencex_workflow_runs`, "0")
	w.want("w.db", `SELECT github_run_id, run_attempt FROM inferencex_run_stats`, "100000001|2")
}

func TestDumpTablesDrift(t *testing.T) {
	files := tablesOfDump()
	files["dump/eval_results.json"] = array(inventedEvaluation("note", 1, "metrics", object{"em_strict": "0.5", "parts": []int{1, 2}}), inventedEvaluation("note", 2, "conc", 1))
	files["dump/run_stats.json"] = array(inventedStats("hardware", "z900"))
	files["dump/availability.json"] = array(inventedAvailability("benchmark_type", "dance"))
	w := newWorld(t, files)
	d := w.load("w.db", w.options(), "dump").Documents[0]
	if !d.Valid || len(d.Problems) != 0 {
		t.Errorf("%+v", d)
	}
	w.want("w.db", `SELECT kind, key, detail, path, count FROM inferencex_drift ORDER BY 1, 2`,
		"key|eval_results.note||eval_results[0].note|2",
		"type|eval_results.metrics.em_strict|a string|eval_results[0].metrics.em_strict|1",
		"type|eval_results.metrics.parts|an array|eval_results[0].metrics.parts|1",
		"word|benchmark_type|dance|availability[0].benchmark_type|1",
		"word|hardware|z900|run_stats[0].hardware|1")
	w.want("w.db", `SELECT key, number, text FROM inferencex_evaluation_metrics JOIN inferencex_evaluations USING (evaluation_id) WHERE conc = 64 ORDER BY 1`,
		"em_strict|NULL|0.5", "parts|NULL|[1,2]")
	w.want("w.db", `SELECT hardware FROM inferencex_run_stats`, "z900")
	strict := w.options()
	strict.Strict = true
	if d := w.load("s.db", strict, "dump").Documents[0]; d.Status != store.Rejected {
		t.Errorf("%+v", d)
	}
	for _, table := range []string{"workflow_runs", "evaluations", "run_stats", "changelog_entries", "availability"} {
		w.want("s.db", `SELECT count(*) FROM inferencex_`+table, "0")
	}
}

// A table that breaks off is a problem of its own: what comes before it, and the other tables, count.
func TestDumpTableThatBreaksOff(t *testing.T) {
	files := tablesOfDump()
	files["dump/run_stats.json"] = strings.TrimSuffix(array(inventedStats(), inventedStats("workflow_run_id", 32)), "]")
	w := newWorld(t, files)
	d := w.load("w.db", w.options(), "dump").Documents[0]
	if len(d.Problems) != 1 || d.Problems[0].Path != "run_stats" || d.Status != store.Partial {
		t.Errorf("%+v", d)
	}
	w.want("w.db", `SELECT (SELECT count(*) FROM inferencex_run_stats), (SELECT count(*) FROM inferencex_availability)`, "2|3")
}

func TestDumpIsValidatedWithoutStoring(t *testing.T) {
	files := tablesOfDump()
	maps.DeleteFunc(files, func(name, _ string) bool { return strings.Contains(name, "availability") })
	files["dump/run_stats.json"] = array(inventedStats("total", "many"))
	w := newWorld(t, files)
	r, err := Validate(t.Context(), []string{"dump"}, w.options())
	if err != nil {
		t.Fatal(err)
	}
	if d := r.Documents[0]; d.Valid || len(d.Problems) != 1 || d.Problems[0].Path != "run_stats[0].total" {
		t.Errorf("%+v", d)
	}
}

func TestQueriesOfDumps(t *testing.T) {
	w := newWorld(t, tablesOfDump())
	w.load("w.db", w.options(), "dump")
	got := w.shipped("w.db", "reliability", nil)
	if want := []string{"b200|2026-01-02|1|0|0|NULL", "h200|2026-01-02|2|4|8|0.5"}; !slices.Equal(got, want) {
		t.Errorf("reliability: %q", got)
	}
	got = w.shipped("w.db", "evaluations", map[string]string{"task": "gpqa"})
	if want := []string{"dsr1|h200|vllm|fp8|none|0|8|8|NULL|gpqa|2026-01-02|acc|0.5|NULL|NULL|100000001|2"}; !slices.Equal(got, want) {
		t.Errorf("evaluations: %q", got)
	}
}
