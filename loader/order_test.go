package loader

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"
)

// logicalContent lists all rows of all tables but surrogate keys, the ledger of
// loads and goose's table: a line each, with natural keys in place of surrogate ones.
func (w *world) logicalContent(db string) []string { return w.logicalContentBut(db) }

// logicalContentBut is logicalContent without some tables and columns (table.column).
func (w *world) logicalContentBut(db string, without ...string) []string {
	w.t.Helper()
	// What stands for a surrogate key, by column.
	natural := map[string]string{
		"run_id":            `(SELECT name FROM runs k WHERE k.run_id = t.run_id)`,
		"point_id":          `(SELECT r.name || '/' || p.id FROM points p JOIN runs r ON r.run_id = p.run_id WHERE p.point_id = t.point_id)`,
		"definition_set_id": `(SELECT sha256 FROM definition_sets k WHERE k.definition_set_id = t.definition_set_id)`,
		"definition_id": `(SELECT ifnull(formula, '') || ifnull(statistic, '') || ifnull(population, '') || ifnull(denominator, '') || ifnull(clock, '') || ifnull(start_event, '')
			|| ifnull(stop_event, '') || unit || ifnull(gpu_scope, '') || cite FROM definitions k WHERE k.definition_id = t.definition_id)`,
		"content_id":     `(SELECT signature FROM run_contents k WHERE k.content_id = t.content_id)`,
		"group_id":       `(SELECT min(c.signature) FROM content_groups g JOIN run_contents c ON c.content_id = g.content_id WHERE g.group_id = t.group_id)`,
		"content_a":      `(SELECT min(signature) FROM run_contents k WHERE k.content_id IN (t.content_a, t.content_b))`,
		"content_b":      `(SELECT max(signature) FROM run_contents k WHERE k.content_id IN (t.content_a, t.content_b))`,
		"combination_id": `(SELECT metrics FROM metric_combinations k WHERE k.combination_id = t.combination_id)`,
		"config_id":      `(SELECT hardware || framework || model || prefill_tp || decode_tp || num_decode_gpu FROM inferencex_configs k WHERE k.config_id = t.config_id)`,
		"image_id":       `(SELECT image FROM inferencex_images k WHERE k.image_id = t.image_id)`,
		"evaluation_id": `(SELECT c.hardware || task || date || ifnull(github_run_id, '') || '/' || ifnull(run_attempt, '') || ' ' || ifnull(isl, '') || ' ' || ifnull(osl, '') || ' '
			|| ifnull(conc, '') FROM inferencex_evaluations e JOIN inferencex_configs c USING (config_id) WHERE e.evaluation_id = t.evaluation_id)`,
		"registry_id": `(SELECT path FROM registries k WHERE k.registry_id = t.registry_id)`,
	}
	without = append(without, "loads", "documents", "problems", "goose_db_version")
	var all []string
	for _, table := range w.query(db, `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'`) {
		if slices.Contains(without, table) {
			continue
		}
		var terms []string
		for _, column := range w.query(db, `SELECT name FROM pragma_table_info('`+table+`')`) {
			if slices.Contains(without, table+"."+column) {
				continue
			}
			term := `t."` + column + `"`
			if n, ok := natural[column]; ok {
				term = n
			}
			terms = append(terms, "quote("+term+")")
		}
		for _, r := range w.query(db, `SELECT `+strings.Join(terms, " || ' ' || ")+` FROM `+table+` t`) {
			all = append(all, table+" "+r)
		}
	}
	slices.Sort(all)
	return all
}

// Inputs that do not conflict give the same content in any order, in one
// command or several, and any number of times.
func TestOrderDoesNotMatter(t *testing.T) {
	files := map[string]string{
		"c/measurements/sources.yaml": registryYAML(map[string]string{"open": everything}),
		"more-sources.yaml":           registryYAML(map[string]string{"closed": "redistribute"}),
	}
	for i := range 6 {
		name := fmt.Sprint("r", i)
		extra := []string{}
		if i == 3 {
			extra = append(extra, "duplicate_of: r1", "supersedes: r2")
		}
		doc := runYAML(name, "open", extra...)
		if i%2 == 0 {
			doc = strings.Replace(doc, "value: 20", fmt.Sprint("value: ", 20+i), 1)
		}
		if i == 5 { // a lone file of a run that the catalog has too
			files["lone.yaml"] = doc
		}
		files["c/measurements/open/"+name+".yaml"] = doc
	}
	files["partial-copy.yaml"] = strings.Replace(runYAML("copy", "closed"), "metrics: {ttft_p50: {value: 20}}", "metrics: {ttft_p50: {value: 20}}", 1)
	// An evaluation run with its points in no order, and a run that supersedes it.
	files["evaluation.yaml"] = strings.Replace(evaluationYAML("evaluated"), "points:\n", "points:\n  - {concurrency: 64, e2e_ms: 7}\n", 1)
	files["superseding.yaml"] = strings.Replace(runYAML("superseding", "closed", "supersedes: evaluated"), "value: 20", "value: 90", 1)
	// Captures: the same points with more or fewer metrics, older and newer attempts.
	files["a.json"] = rows(row("100000001", 1, "8", 4, `"median_ttft": 0.25, "mean_ttft": 0.3`), row("100000001", 1, "8", 2, `"median_ttft": 0.125`))
	files["b.json"] = rows(row("100000001", 1, "8", 4, `"p50_ttft": 0.25, "p99_ttft": 1.5, "odd": 7`), row("100000002", 2, "4", 4, `"median_tpot": 0.02`))
	files["c.json"] = rows(strings.Replace(row("100000001", 1, "8", 2, `"p99_ttft": 1.25`), `"image":"vllm/vllm-openai:v0.11.0",`, "", 1), row("100000002", 1, "4", 4, `"median_tpot": 0.02`))
	w := newWorld(t, files)
	inputs := []string{"c", "more-sources.yaml", "lone.yaml", "partial-copy.yaml", "evaluation.yaml", "superseding.yaml", "a.json", "b.json", "c.json"}
	w.load("all.db", w.options(), inputs...)
	want := w.logicalContent("all.db")
	if len(want) < 100 {
		t.Fatalf("%d rows: the comparison shows nothing", len(want))
	}
	w.load("all.db", w.options(), inputs...)
	compareContent(t, "loaded twice", w.logicalContent("all.db"), want)
	rnd := rand.New(rand.NewSource(5))
	for i := range 8 {
		rnd.Shuffle(len(inputs), func(i, j int) { inputs[i], inputs[j] = inputs[j], inputs[i] })
		db := fmt.Sprintf("order%d.db", i)
		if i%2 == 0 {
			w.load(db, w.options(), inputs...)
		} else {
			for _, input := range inputs {
				w.load(db, w.options(), input)
			}
			w.load(db, w.options(), inputs[0], inputs[3])
		}
		compareContent(t, fmt.Sprint(inputs), w.logicalContent(db), want)
	}
}

func compareContent(t *testing.T, how string, got, want []string) {
	t.Helper()
	for _, r := range got {
		if !slices.Contains(want, r) {
			t.Errorf("%s: unexpected %s", how, r)
		}
	}
	for _, r := range want {
		if !slices.Contains(got, r) {
			t.Errorf("%s: missing %s", how, r)
		}
	}
}
