package loader

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/inference-sim/blis-warehouse/loader/catalog"
	"github.com/inference-sim/blis-warehouse/store"
)

// rebuild rebuilds the database called db into another one.
func (w *world) rebuild(db, into string, paths ...string) *Rebuilt {
	w.t.Helper()
	ctx := context.Background()
	old, err := store.OpenReader(context.Background(), filepath.Join(w.dir, db), store.ReaderOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
	defer old.Close()
	s, err := store.OpenWriter(ctx, filepath.Join(w.dir, into), store.WriterOptions{New: true})
	if err != nil {
		w.t.Fatal(err)
	}
	defer s.Close()
	r, err := Rebuild(ctx, old, s, RebuildOptions{WorkDir: w.dir, Paths: paths, Limits: catalog.DefaultLimits()})
	if err != nil {
		w.t.Fatal(err)
	}
	if err := s.Publish(); err != nil {
		w.t.Fatal(err)
	}
	return r
}

// ledger is everything that the ledger of loads says.
func (w *world) ledger(db string) []string {
	return w.query(db, `
		SELECT l.load_id, l.loaded_at, l.tool, l.local, d.path, d.kind, d.name, d.sha256, d.size, d.status, d.loaded_at, g.position, g.admitted_as, g.registry_path, g.artifact_group,
			p.severity, p.path, p.line, p.rule, p.message
		FROM loads l LEFT JOIN documents d USING (load_id) LEFT JOIN document_readings g USING (document_id) LEFT JOIN problems p USING (document_id)
		ORDER BY l.load_id, d.document_id, p.position`)
}

// captureRuns is which captures changed which runs.
func (w *world) captureRuns(db string) []string {
	return w.query(db, `SELECT d.path, d.load_id, r.name, c.rows FROM inferencex_capture_runs c JOIN runs r USING (run_id) JOIN documents d USING (document_id) ORDER BY 2, 1, 3`)
}

// randomInputs writes the files of a random state of the world of a load: each
// is one of a few versions, so that they contradict, repeat and complete each
// other. It returns what a load may name.
func (w *world) randomInputs(rnd *rand.Rand) []string {
	maybe := func(words ...string) string { return words[rnd.Intn(len(words))] }
	permits := map[string]string{"open": maybe(everything, everything, "score", "redistribute"), "closed": maybe("redistribute", "redistribute, score")}
	if rnd.Intn(2) == 0 {
		delete(permits, maybe("open", "closed", "closed"))
	}
	if rnd.Intn(4) == 0 {
		permits["inferencex"] = maybe(everything, "score")
	}
	files := map[string]string{
		"c/measurements/sources.yaml": registryYAML(permits),
		"d/measurements/sources.yaml": registryYAML(map[string]string{"open": everything, "more": maybe("score", everything)}),
		"lone-sources.yaml":           registryYAML(map[string]string{maybe("closed", "other", "other", "other"): "redistribute, score"}),
		"invalid.yaml":                "kind: MeasuredRun\nname: invalid\n",
		"malformed.json":              rows(row("100000009", 1, "8", 4, `"median_ttft": 0.25`)) + "]",
	}
	run := func(name, licence string) string {
		var extra []string
		if rnd.Intn(5) == 0 {
			extra = append(extra, "supersedes: r0x")
		}
		if rnd.Intn(5) == 0 {
			extra = append(extra, "duplicate_of: r1x")
		}
		if rnd.Intn(4) == 0 && !strings.Contains(strings.Join(extra, ""), "duplicate") {
			extra = append(extra, "verdict: EXACT", "resolution: STRICT")
		}
		return strings.Replace(runYAML(name, licence, extra...), "value: 20", fmt.Sprint("value: ", 20+rnd.Intn(3)), 1)
	}
	for _, catalog := range []string{"c r", "d s"} {
		root, prefix, _ := strings.Cut(catalog, " ")
		for i := range 3 {
			licence, name := maybe("open", "closed"), fmt.Sprint(prefix, i)
			os.RemoveAll(filepath.Join(w.dir, root, "measurements", "open", name+".yaml"))
			os.RemoveAll(filepath.Join(w.dir, root, "measurements", "closed", name+".yaml"))
			files[root+"/measurements/"+licence+"/"+name+".yaml"] = run(name, licence)
		}
	}
	files["lone/r0.yaml"] = run("r0", "open")
	files["lone/r3.yaml"] = run("r3", maybe("open", "nowhere"))
	value := func() string { return maybe("0.125", "0.25", "0.5") }
	files["a.json"] = rows(row("100000001", 1, "8", 4, `"median_ttft": `+value()+`, "mean_ttft": 0.3`), row("100000001", 1, "8", 2, `"median_ttft": 0.125, "odd": `+value()))
	files["b.json"] = rows(row("100000001", 1, "8", 4, `"p50_ttft": `+value()+`, "p99_ttft": 1.5`), row("100000002", 2, "4", 4, `"median_tpot": 0.02`))
	files["c.json"] = rows(strings.Replace(row("100000001", 1, "8", 2, `"p99_ttft": `+value()), `"image":"vllm/vllm-openai:v0.11.0",`, "", 1),
		row("100000002", 1, "4", 4, `"median_tpot": 0.02`), row("100000001", 1, "8", 4, `"median_ttft": `+value()))
	for _, group := range []string{"x/results", "y/results"} {
		files[group+"/agg_1k1k.json"] = inventedArtifact("conc", 4+4*rnd.Intn(2)).String()
		files[group+"/agg_8k1k.json"] = inventedArtifact("conc", 16).String()
	}
	dump := tablesOfDump()
	if rnd.Intn(2) == 0 {
		dump["dump/run_stats.json"] = array(inventedStats("n_success", 1))
	}
	maps.Copy(files, dump)
	files["evaluations/e.yaml"] = evaluationYAML("e", "date: 2026-10-1"+fmt.Sprint(rnd.Intn(3)))
	files["evaluations/r0.yaml"] = evaluationYAML("r0")
	w.write(files)
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	z.Write([]byte(rows(row("100000003", 1, "8", 4, `"median_ttft": `+value()))))
	z.Close()
	w.write(map[string]string{"zipped.json.gz": zipped.String()})
	return []string{"c", "d", "lone-sources.yaml", "lone", "lone/r0.yaml", "a.json", "b.json", "c.json", "x", "y", "y/results/agg_8k1k.json", "dump", "zipped.json.gz",
		"invalid.yaml", "malformed.json", "evaluations"}
}

// keepCaptures copies what holds rows to another place, each under a name of its own.
func (w *world) keepCaptures(n *int) {
	w.t.Helper()
	for _, name := range []string{"a.json", "b.json", "c.json", "zipped.json.gz", "x/results/agg_1k1k.json", "x/results/agg_8k1k.json", "y/results/agg_1k1k.json", "y/results/agg_8k1k.json"} {
		content, err := os.ReadFile(filepath.Join(w.dir, name))
		if err != nil {
			w.t.Fatal(err)
		}
		*n++
		w.write(map[string]string{fmt.Sprintf("kept/%d/anything", *n): string(content)})
	}
	*n++
	if err := os.CopyFS(filepath.Join(w.dir, fmt.Sprintf("kept/%d/tables", *n)), os.DirFS(filepath.Join(w.dir, "dump"))); err != nil {
		w.t.Fatal(err)
	}
}

// Whatever was loaded, in whatever order: from the database and the captures,
// which lie elsewhere by other names, the same content comes out, and the same ledger.
func TestRebuildRandom(t *testing.T) {
	sequences := 16
	if testing.Short() {
		sequences = 5
	}
	occurred := map[string]int{}
	for seed := range sequences {
		w := newWorld(t, nil)
		rnd := rand.New(rand.NewSource(int64(seed)))
		kept := 0
		for range 2 + rnd.Intn(5) {
			inputs := w.randomInputs(rnd)
			w.keepCaptures(&kept)
			rnd.Shuffle(len(inputs), func(i, j int) { inputs[i], inputs[j] = inputs[j], inputs[i] })
			opts := w.options()
			opts.Local, opts.Strict = rnd.Intn(3) == 0, rnd.Intn(6) == 0
			w.load("w.db", opts, inputs[:1+rnd.Intn(len(inputs))]...)
		}
		r := w.rebuild("w.db", "again.db", "kept")
		if len(r.Missing)+len(r.Refused)+len(r.Unsure)+len(r.Unread) > 0 {
			t.Errorf("sequence %d: %+v", seed, r)
		}
		if w.digest("again.db") != w.digest("w.db") {
			t.Errorf("sequence %d: the content is another", seed)
			compareContent(t, "rebuilt", w.logicalContent("again.db"), w.logicalContent("w.db"))
		}
		if got, want := w.ledger("again.db"), w.ledger("w.db"); !slices.Equal(got, want) {
			t.Errorf("sequence %d: the ledger is another:\n%s\nwas\n%s", seed, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if got, want := w.captureRuns("again.db"), w.captureRuns("w.db"); !slices.Equal(got, want) {
			t.Errorf("sequence %d: captures changed other runs:\n%s\nwas\n%s", seed, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		for what, query := range map[string]string{
			"withdrawn licence":                `SELECT 1 FROM licences WHERE withdrawn = 1 LIMIT 1`,
			"licence conflict":                 `SELECT 1 FROM licence_conflicts LIMIT 1`,
			"earlier version":                  `SELECT 1 FROM run_versions v WHERE NOT EXISTS (SELECT 1 FROM runs r WHERE r.document_sha256 = v.sha256) LIMIT 1`,
			"earlier registry":                 `SELECT 1 FROM registry_versions v WHERE NOT EXISTS (SELECT 1 FROM registries r WHERE r.sha256 = v.sha256) LIMIT 1`,
			"version come back":                `SELECT 1 FROM documents a JOIN documents b ON b.name = a.name AND b.sha256 = a.sha256 AND b.document_id > a.document_id AND b.status = 'updated' LIMIT 1`,
			"as local":                         `SELECT 1 FROM runs WHERE admitted_as = 'local' LIMIT 1`,
			"as file":                          `SELECT 1 FROM runs WHERE admitted_as = 'file' LIMIT 1`,
			"as catalog":                       `SELECT 1 FROM runs WHERE admitted_as = 'catalog' LIMIT 1`,
			"revised value":                    `SELECT 1 FROM inferencex_revisions LIMIT 1`,
			"artifact":                         `SELECT 1 FROM inferencex_runs WHERE artifact_run IS NOT NULL LIMIT 1`,
			"evaluation":                       `SELECT 1 FROM inferencex_evaluations LIMIT 1`,
			"evaluation run":                   `SELECT 1 FROM evaluation_runs LIMIT 1`,
			"evaluation run that was replaced": `SELECT 1 FROM documents d JOIN runs r ON r.name = d.name WHERE d.kind = 'EvaluationRun' AND d.status <> 'rejected' AND r.origin = 'catalog' LIMIT 1`,
			"refused document":                 `SELECT 1 FROM documents WHERE status = 'rejected' AND kind = 'MeasuredRun' LIMIT 1`,
			"refused capture":                  `SELECT 1 FROM documents WHERE status = 'rejected' AND kind = 'InferenceX' LIMIT 1`,
			"captures against the order of their paths": `SELECT 1 FROM documents a JOIN document_readings x USING (document_id) JOIN documents b ON b.load_id = a.load_id
				JOIN document_readings y ON y.document_id = b.document_id WHERE a.kind = 'InferenceX' AND b.kind = 'InferenceX' AND a.path < b.path AND x.position > y.position LIMIT 1`,
		} {
			occurred[what] += len(w.query("w.db", query))
		}
	}
	t.Log(occurred)
	for what, n := range occurred {
		if n == 0 && !testing.Short() {
			t.Errorf("no sequence had this: %s", what)
		}
	}
}

// What is not found is named, and exactly what it brought is missing.
func TestRebuildMissing(t *testing.T) {
	w := newWorld(t, map[string]string{
		"c/measurements/sources.yaml": registryYAML(map[string]string{"open": everything}), "c/measurements/open/a.yaml": runYAML("a", "open"),
		"a.json": rows(row("100000001", 1, "8", 4, `"median_ttft": 0.25`)),
		"b.json": rows(row("100000001", 1, "8", 4, `"median_ttft": 0.5, "p99_ttft": 1.5`), row("100000001", 1, "8", 8, `"median_ttft": 0.75`), row("100000002", 1, "4", 4, `"median_tpot": 0.02`)),
	})
	w.load("w.db", w.options(), "c", "a.json")
	w.load("want.db", w.options(), "c", "a.json")
	w.load("w.db", w.options(), "b.json")
	r := w.rebuild("w.db", "again.db", "a.json")
	if len(r.Missing) != 1 || r.Missing[0].Path != "b.json" || r.Captures != 1 || len(r.Refused) != 0 {
		t.Errorf("%+v", r)
	}
	compareContent(t, "without b.json", w.logicalContent("again.db"), w.logicalContent("want.db"))
	w.want("again.db", `SELECT d.path, p.severity, p.rule FROM problems p JOIN documents d USING (document_id)`, "b.json|warning|not-found")
	var got []string
	old, err := store.OpenReader(context.Background(), filepath.Join(w.dir, "w.db"), store.ReaderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	rebuilt, err := store.OpenReader(context.Background(), filepath.Join(w.dir, "again.db"), store.ReaderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer rebuilt.Close()
	err = old.CompareInferenceX(context.Background(), rebuilt, func(d store.MeasuredDifference) error {
		_, rest, _ := strings.Cut(d.Subject, "/")
		got = append(got, rest+": "+d.Detail)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(got)
	if want := []string{": the whole run: 1 point with 1 value", "c4/median_ttft: was 0.5, is 0.25", "c4: the values p99_ttft", "c8: the whole point: 1 value"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	// The rebuilt database still knows what it lacks, and is completed from it.
	if r := w.rebuild("again.db", "whole.db", "."); len(r.Missing) != 0 || len(r.Unsure) != 1 {
		t.Errorf("%+v", r)
	}
	if w.digest("whole.db") != w.digest("w.db") {
		t.Error("the completed database says something else")
	}
	if got, want := w.ledger("whole.db"), w.ledger("w.db"); !slices.Equal(got, want) {
		t.Errorf("the ledger is %q, was %q", got, want)
	}
}

// A database of a program that did not record how files were read is rebuilt
// as far as that can be told, and what was assumed is said.
func TestRebuildOlderLedger(t *testing.T) {
	w := newWorld(t, map[string]string{
		"c/measurements/sources.yaml": registryYAML(map[string]string{"open": everything}), "c/measurements/open/a.yaml": runYAML("a", "open"),
		"lone.yaml": runYAML("b", "nowhere"), "artifacts/results/agg_1k1k.json": inventedArtifact("conc", 4).String(),
		"1.json": rows(row("100000001", 1, "8", 4, `"median_ttft": 0.25`)), "2.json": rows(row("100000001", 1, "8", 4, `"median_ttft": 0.5`)),
	})
	w.load("w.db", w.options(), "lone.yaml", "c", "1.json", "2.json", "artifacts")
	local := w.options()
	local.Local = true
	w.write(map[string]string{"c/measurements/open/a.yaml": runYAML("a", "open", "supersedes: b")})
	w.load("w.db", local, "c")
	if r := w.rebuild("w.db", "now.db", "."); len(r.Unsure) != 0 {
		t.Errorf("%+v", r)
	}
	// What an older program loaded has no readings.
	if _, err := w.writable("w.db").Exec("DELETE FROM document_readings"); err != nil {
		t.Fatal(err)
	}
	before := w.digest("w.db")
	r := w.rebuild("w.db", "again.db", ".")
	if len(r.Unsure) != 1 || !strings.Contains(r.Unsure[0].Detail, "the order of its 3 captures") || len(r.Missing)+len(r.Refused) != 0 {
		t.Errorf("%+v", r)
	}
	if w.digest("again.db") != before { // the order of the paths was that of the arguments
		compareContent(t, "rebuilt", w.logicalContent("again.db"), w.logicalContent("w.db"))
	}
}

// Damaged documents are told, and taken from files where those are found.
func TestRebuildDamaged(t *testing.T) {
	w := newWorld(t, map[string]string{"a.yaml": runYAML("a", "open"), "b.yaml": runYAML("b", "open")})
	w.load("w.db", w.options(), "a.yaml", "b.yaml")
	before := w.digest("w.db")
	if _, err := w.writable("w.db").Exec(`UPDATE document_contents SET content = CAST('#' || substr(content, 2, 10) || 'x' || substr(content, 13) AS BLOB) WHERE sha256 =
		(SELECT document_sha256 FROM runs WHERE name = 'a')`); err != nil {
		t.Fatal(err)
	}
	r := w.rebuild("w.db", "without.db")
	if len(r.Refused) != 1 || r.Refused[0].Path != "a.yaml" || !strings.Contains(r.Refused[0].Detail, "not of this digest") {
		t.Errorf("%+v", r)
	}
	w.want("without.db", `SELECT name FROM runs`, "b")
	if r := w.rebuild("w.db", "with.db", "a.yaml"); len(r.Refused) != 0 {
		t.Errorf("%+v", r)
	}
	if w.digest("with.db") != before {
		t.Error("the content is another")
	}
}

func TestRebuildErrors(t *testing.T) {
	w := newWorld(t, map[string]string{"a.yaml": runYAML("a", "open")})
	w.load("w.db", w.options(), "a.yaml")
	old, err := store.OpenReader(context.Background(), filepath.Join(w.dir, "w.db"), store.ReaderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for name, rebuild := range map[string]func(*store.Writer) error{
		"an absent path": func(s *store.Writer) error {
			_, err := Rebuild(context.Background(), old, s, RebuildOptions{WorkDir: w.dir, Paths: []string{"absent"}})
			return err
		},
		"an interruption": func(s *store.Writer) error {
			_, err := Rebuild(ctx, old, s, RebuildOptions{WorkDir: w.dir, Paths: []string{"."}})
			return err
		},
	} {
		s, err := store.OpenWriter(context.Background(), filepath.Join(w.dir, "new.db"), store.WriterOptions{New: true})
		if err != nil {
			t.Fatal(err)
		}
		if err := rebuild(s); err == nil || !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v", name, err)
		}
		s.Close()
	}
	if entries, _ := filepath.Glob(filepath.Join(w.dir, "*new.db*")); entries != nil {
		t.Errorf("left %v", entries)
	}
}
