package loader

import (
	"context"
	"fmt"
	"math/rand"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/inference-sim/blis-warehouse/store"
)

// logicalContent lists the rows of the logical content, a line each, sorted.
func (w *world) logicalContent(db string) []string { return w.logicalContentBut(db) }

// logicalContentBut is logicalContent without some tables and columns (table.column).
func (w *world) logicalContentBut(db string, without ...string) []string {
	w.t.Helper()
	r, err := store.OpenReader(context.Background(), filepath.Join(w.dir, db), store.ReaderOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
	defer r.Close()
	var all []string
	err = r.LogicalRows(context.Background(), func(table string, columns []string, values []any) error {
		if slices.Contains(without, table) {
			return nil
		}
		line := table
		for i, v := range values {
			if v != nil && !slices.Contains(without, table+"."+columns[i]) {
				line += fmt.Sprintf(" %s=%#v", columns[i], v)
			}
		}
		all = append(all, line)
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	slices.Sort(all)
	return all
}

// digest is the digest of the logical content.
func (w *world) digest(db string) string {
	w.t.Helper()
	r, err := store.OpenReader(context.Background(), filepath.Join(w.dir, db), store.ReaderOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
	defer r.Close()
	d, err := r.Digest(context.Background())
	if err != nil {
		w.t.Fatal(err)
	}
	return d.SHA256
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
		if w.digest(db) != w.digest("all.db") {
			t.Errorf("%s: another digest", inputs)
		}
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
