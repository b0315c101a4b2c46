package lineage

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/inference-sim/blis-warehouse/loader"
	"github.com/inference-sim/blis-warehouse/loader/catalog"
	"github.com/inference-sim/blis-warehouse/migrations"
	"github.com/inference-sim/blis-warehouse/queries/difference"
	"github.com/inference-sim/blis-warehouse/queries/export"
	"github.com/inference-sim/blis-warehouse/store"
	"github.com/inference-sim/blis-warehouse/store/record"
)

// warehouse is a database of invented runs.
type warehouse struct {
	t         *testing.T
	dir, path string
}

func newWarehouse(t *testing.T) *warehouse {
	dir := t.TempDir()
	return &warehouse{t, dir, filepath.Join(dir, "w.db")}
}

func (w *warehouse) writer() *store.Writer {
	w.t.Helper()
	s, err := store.OpenWriter(w.t.Context(), w.path, store.WriterOptions{Create: true})
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

// store saves runs under a registry, as one load.
func (w *warehouse) store(licences []record.Licence, runs ...*record.Run) {
	w.t.Helper()
	s := w.writer()
	defer s.Close()
	l, err := s.Begin(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	defer l.Rollback()
	check := func(err error) {
		w.t.Helper()
		if err != nil {
			w.t.Fatal(err)
		}
	}
	_, err = l.ApplyRegistry("/sources.yaml", "registry", []byte("x"), &record.Registry{Sources: licences})
	check(err)
	for _, r := range runs {
		content, err := json.Marshal(r)
		check(err)
		_, claim, err := l.SaveRun(&store.RunDocument{Run: r, Content: content, SHA256: digest(content), As: store.AsFile})
		check(err)
		if claim != nil {
			w.t.Fatalf("%s: %+v", r.Name, claim)
		}
	}
	check(l.Finish())
	check(l.Commit(store.Ledger{LoadedAt: time.Unix(0, 0)}))
	check(s.Publish())
}

// load loads files as the program does; paths are relative to the warehouse's directory.
func (w *warehouse) load(paths ...string) *loader.Report {
	w.t.Helper()
	s := w.writer()
	defer s.Close()
	report, err := loader.Load(w.t.Context(), s, paths, loader.Options{WorkDir: w.dir, Tool: "test", Now: time.Unix(0, 0), Limits: catalog.DefaultLimits()})
	if err == nil {
		err = s.Publish()
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return report
}

func (w *warehouse) write(name, content string) {
	w.t.Helper()
	p := filepath.Join(w.dir, name)
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(content), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

func (w *warehouse) reader() *store.Reader {
	w.t.Helper()
	r, err := store.OpenReader(context.Background(), w.path, store.ReaderOptions{SchemaVersion: migrations.Latest()})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { r.Close() })
	return r
}

// column is the first column of a named query's rows.
func column(t *testing.T, r *store.Reader, query string, n int, params map[string]any) []string {
	t.Helper()
	var all []string
	err := rows(t.Context(), r, query, params, func(row []any) { all = append(all, text(row[n])) })
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

func licence(id string, permits ...string) record.Licence {
	return record.Licence{ID: id, Title: "invented", License: "Apache-2.0", Status: "verified", Permits: permits,
		Evidence: []record.Evidence{{URL: "https://example.org/terms", Quote: "q", Location: "L:1"}}}
}

// exactRun is an invented run that is EXACT under the licence open.
func exactRun(name string, value float64) *record.Run {
	one := int64(1)
	return &record.Run{
		Name: name, SchemaVersion: 1, Model: "invented", EngineVersion: "1",
		Source: record.Source{Kind: "vllm_bench", Adapter: record.Adapter{Name: "a", Version: "1", SHA256: strings.Repeat("a", 64)},
			Inputs:     []record.Input{{Role: "report", Path: "r.json", SHA256: strings.Repeat("b", 64)}},
			Extraction: record.Extraction{Method: "json"}, LicenseRef: "open"},
		Cluster:    &record.Cluster{Hardware: "h100", Nodes: 1, GPUsPerNode: 8},
		Deployment: &record.Deployment{Name: "d", Pools: []record.Pool{{Role: "colocated", Nodes: 1, Parallel: record.Parallel{TP: 8, PP: 1, DP: 1}}}},
		Workload:   &record.Workload{Shape: "chat"},
		Client:     record.Client{Harness: "h"},
		MetricDefs: []record.MetricDef{{Name: "ttft_p50", Formula: "ttft", Statistic: "median", Population: "per_request", Clock: "client", Unit: "ms", Cite: "x:1"}},
		Points:     []record.Point{{ID: "c1", Concurrency: &one, Metrics: []record.Value{{Metric: "ttft_p50", Value: value}}}},
	}
}

// network is a random set of references, for the oracle.
type network struct {
	supersedes map[string]string // by run; "" for none
	state      map[string]string // exact, broken (not reproducible), closed (licence) or copy (declared a duplicate)
}

func randomNetwork(rnd *rand.Rand) network {
	n := network{map[string]string{}, map[string]string{}}
	count := 1 + rnd.Intn(10)
	for i := range count {
		name, target := fmt.Sprint("r", i), ""
		switch k := rnd.Intn(count + 4); {
		case k < count && k != i:
			target = fmt.Sprint("r", k)
		case k == count:
			target = "absent"
		}
		n.supersedes[name] = target
		n.state[name] = []string{"exact", "exact", "broken", "closed", "copy"}[rnd.Intn(5)]
	}
	return n
}

// component are the names that supersession connects with one, by spreading over edges until nothing is new.
func (n network) component(from string) []string {
	in := map[string]bool{from: true}
	for grown := true; grown; {
		grown = false
		for name, target := range n.supersedes {
			if target != "" && in[name] != in[target] {
				in[name], in[target], grown = true, true, true
			}
		}
	}
	var all []string
	for name := range in {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

func (n network) superseded(name string) bool {
	for _, target := range n.supersedes {
		if target == name {
			return true
		}
	}
	return false
}

// lost are the superseded runs that could be scored, of chains in which no run may be.
func (n network) lost() []string {
	var all []string
	for name := range n.supersedes {
		if n.state[name] != "exact" || !n.superseded(name) {
			continue
		}
		served := false
		for _, other := range n.component(name) {
			served = served || n.state[other] == "exact" && !n.superseded(other)
		}
		if !served {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}

func (n network) runs() []*record.Run {
	runs := []*record.Run{exactRun("other", 1000)}
	for name, target := range n.supersedes {
		r := exactRun(name, float64(len(name)+int(name[1])))
		r.Supersedes = target
		switch n.state[name] {
		case "broken":
			r.Model = ""
		case "closed":
			r.Source.LicenseRef = "closed"
		case "copy":
			r.DuplicateOf = "other"
		}
		runs = append(runs, r)
	}
	return runs
}

// TestChains compares chains and the check of lost ones with an oracle, on
// random references: linear, forks, cycles and absent names.
func TestChains(t *testing.T) {
	seen := map[string]int{}
	for seed := range int64(60) {
		rnd := rand.New(rand.NewSource(seed))
		n := randomNetwork(rnd)
		w := newWarehouse(t)
		w.store([]record.Licence{licence("open", "score"), licence("closed", "redistribute")}, n.runs()...)
		r := w.reader()
		lost := n.lost()
		if got := column(t, r, "check-superseded-scorable", 1, nil); !slices.Equal(got, lost) {
			t.Errorf("seed %d: lost are %q, want %q\n%v", seed, got, lost, n)
		}
		seen["lost"] += len(lost)
		for name := range n.supersedes {
			checkChain(t, r, n, name, seen)
		}
		r.Close()
		if t.Failed() {
			t.Fatalf("seed %d: %v", seed, n)
		}
	}
	for _, what := range []string{"lost", "cycle", "fork", "absent", "linear", "step", "verdict"} {
		if seen[what] < 5 {
			t.Errorf("the samples had %d of %s", seen[what], what)
		}
	}
}

// checkChain holds a chain against the references.
func checkChain(t *testing.T, r *store.Reader, n network, run string, seen map[string]int) {
	t.Helper()
	chain, err := Find(t.Context(), r, run)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	at, column := map[string]int{}, 0
	for i, p := range chain.Places {
		names = append(names, p.Name)
		at[p.Name] = i
		if _, loaded := n.supersedes[p.Name]; loaded != p.Loaded || p.Supersedes != n.supersedes[p.Name] {
			t.Errorf("%s: %+v", run, p)
		}
		if p.Column > column+1 || p.Opens != (p.Column > 0 && p.Forks >= 0 && opens(chain, i)) {
			t.Errorf("%s: %s stands in column %d, opens %v", run, p.Name, p.Column, p.Opens)
		}
		column = p.Column
		before, drawn := at[p.Supersedes]
		switch {
		case p.Supersedes == "":
		case p.Closes && i == 0:
			seen["cycle"]++
		case !drawn || before >= i:
			t.Errorf("%s: %s is drawn before %s, which it supersedes", run, p.Name, p.Supersedes)
		}
		if p.Forks > 1 {
			seen["fork"]++
		} else if p.Forks == 1 {
			seen["linear"]++
		}
		if !p.Loaded {
			seen["absent"]++
		}
	}
	slices.Sort(names)
	if want := n.component(run); !slices.Equal(names, want) {
		t.Errorf("%s: the chain has %q, want %q", run, names, want)
	}
	checkSteps(t, r, n, chain, seen)
}

// opens tells whether a place begins a column: what stands before it is not the
// run it supersedes going on in the same column.
func opens(chain *Chain, i int) bool {
	p := &chain.Places[i]
	for j := i - 1; j >= 0; j-- {
		if chain.Places[j].Name == p.Supersedes {
			return chain.Places[j].Column < p.Column
		}
	}
	return false
}

func checkSteps(t *testing.T, r *store.Reader, n network, chain *Chain, seen map[string]int) {
	t.Helper()
	value := func(name string) float64 { return float64(len(name) + int(name[1])) }
	verdict := func(name string) string {
		return map[string]string{"exact": "EXACT (STRICT)", "copy": "EXACT (STRICT)", "broken": "NOT_REPRODUCIBLE", "closed": "PARTIAL"}[n.state[name]]
	}
	err := chain.Steps(t.Context(), r, chain.Places, func(p *Place, changes []Change) error {
		older := n.supersedes[p.Name]
		if _, loaded := n.supersedes[older]; !loaded {
			if changes != nil {
				t.Errorf("%s supersedes nothing that is loaded, but has changes", p.Name)
			}
			return nil
		}
		seen["step"]++
		got := map[string]int{}
		for i := range changes {
			c := &changes[i]
			got[c.Kind]++
			switch c.Kind {
			case KindValue:
				if c.Before != value(older) || c.After != value(p.Name) || *c.Ratio() != value(p.Name)/value(older) || c.Unit != "ms" {
					t.Errorf("%s: %+v", p.Name, c)
				}
			case KindVerdict:
				seen["verdict"]++
				if c.Before != verdict(older) || c.After != verdict(p.Name) {
					t.Errorf("%s: %+v", p.Name, c)
				}
			}
		}
		if (got[KindValue] == 1) != (value(older) != value(p.Name)) || (got[KindVerdict] == 1) != (verdict(older) != verdict(p.Name)) || got[KindPoint] != 0 {
			t.Errorf("%s after %s: %v", p.Name, older, changes)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestFindKnowsAbsentNames(t *testing.T) {
	w := newWarehouse(t)
	a := exactRun("a", 1)
	a.Supersedes = "absent"
	w.store([]record.Licence{licence("open", "score")}, a, exactRun("b", 2))
	r := w.reader()
	for run, want := range map[string]int{"a": 2, "absent": 2, "b": 1, "nosuch": 0} {
		chain, err := Find(t.Context(), r, run)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		if chain != nil {
			n = len(chain.Places)
		}
		if n != want {
			t.Errorf("the chain of %s has %d names, want %d", run, n, want)
		}
	}
}

// A wide fork does not make the drawing wide: the columns grow with the
// logarithm of the runs at most.
func TestColumnsStayFew(t *testing.T) {
	g := &graph{members: map[string]*Member{}, newer: map[string][]string{}}
	add := func(name, older string) {
		g.members[name] = &Member{Name: name, Supersedes: older, Loaded: true}
		if older != "" {
			g.newer[older] = append(g.newer[older], name)
		}
	}
	add("m00000", "")
	for i := 1; i < 20000; i++ { // each run is superseded by the next and by one beside it
		add(fmt.Sprintf("a%05d", i), fmt.Sprintf("m%05d", i-1))
		add(fmt.Sprintf("m%05d", i), fmt.Sprintf("m%05d", i-1))
	}
	places := g.places("a00007")
	widest := 0
	for _, p := range places {
		widest = max(widest, p.Column)
	}
	if len(places) != 2*20000-1 || widest != 1 {
		t.Errorf("%d places in %d columns", len(places), widest+1)
	}
}

// TestRecordsAreWhatWasLoaded parses every document of the invented catalogs
// and compares it with the run read back from the warehouse: no field differs.
func TestRecordsAreWhatWasLoaded(t *testing.T) {
	for _, dir := range []string{"../../testdata/demo/catalog", "../export/testdata/catalog"} {
		w := newWarehouse(t)
		abs, err := filepath.Abs(dir)
		if err != nil {
			t.Fatal(err)
		}
		w.load(abs)
		r := w.reader()
		files, err := filepath.Glob(dir + "/measurements/*/*.yaml")
		if err != nil || len(files) < 5 {
			t.Fatalf("%d documents: %v", len(files), err)
		}
		for _, file := range files {
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			doc := catalog.Parse(content, catalog.DefaultLimits())
			n := 0
			err = export.Records(t.Context(), r, []string{"nosuch", doc.Name}, func(rec *export.Record) error {
				n++
				for _, c := range difference.Between(doc.Run, &rec.Run) {
					t.Errorf("%s: %+v", file, c)
				}
				return nil
			})
			if err != nil || n != 1 {
				t.Errorf("%s: %d records, %v", file, n, err)
			}
		}
	}
}

// runYAML is an invented run whose metric has a value.
func runYAML(name, licence string, value int, extra string) string {
	return fmt.Sprintf(`# Invented for tests; nothing here is measured.
kind: MeasuredRun
name: %s
schema_version: 1
source:
  kind: vllm_bench
  adapter: {name: a, version: "1", sha256: %064d}
  inputs: [{role: report, path: report.json, sha256: %064d}]
  extraction: {method: json}
  license_ref: %s
model: invented
engine_version: "1"
cluster: {hardware: h100, nodes: 1, gpus_per_node: 8}
deployment: {kind: Deployment, name: d, pools: [{role: colocated, nodes: 1, parallel: {tp: 8, pp: 1, dp: 1}}]}
workload: {shape: chat}
client: {harness: h}
metric_defs:
  ttft_p50: {formula: ttft, statistic: median, population: per_request, clock: client, unit: ms, cite: "x:1"}
points:
  - {id: c1, load: {concurrency: 1}, metrics: {ttft_p50: {value: %d}}}
%s`, name, 1, 2, licence, value, extra)
}

func registryYAML(permits map[string]string) string {
	s := "# Invented for tests.\nkind: MeasurementSources\nsources:\n"
	for _, id := range []string{"lic", "other"} {
		if p, ok := permits[id]; ok {
			s += "  - {id: " + id + ", title: t, license: Apache-2.0, status: verified, permits: [" + p + "], evidence: [{url: 'https://example.org/l', quote: q, location: 'L:1'}]}\n"
		}
	}
	return s
}

// TestNothingIsLost replaces a run again and again, through a catalog and as a
// lone file, under licences that change: after every load each version's bytes
// and values are found, in the order of the loads, each with the verdict that
// today's registry gives it.
func TestNothingIsLost(t *testing.T) {
	permits := []string{"score, redistribute", "redistribute"}
	seen := map[string]int{}
	for seed := range int64(6) {
		rnd := rand.New(rand.NewSource(seed))
		w := newWarehouse(t)
		var want []string // digests, in the order in which they came into effect
		contents := map[string]string{}
		values := map[string]float64{}
		for range 8 {
			permit := permits[rnd.Intn(2)]
			w.write("c/measurements/sources.yaml", registryYAML(map[string]string{"lic": permit}))
			version := rnd.Intn(3)
			doc := runYAML("run", "lic", 10+version, "")
			if rnd.Intn(2) == 0 {
				w.write("c/measurements/lic/run.yaml", doc)
				w.load("c")
				seen["catalog"]++
			} else {
				w.write("lone.yaml", doc)
				w.load("c/measurements/sources.yaml", "lone.yaml")
				seen["file"]++
			}
			sum := digest([]byte(doc))
			contents[sum], values[sum] = doc, float64(10+version)
			if len(want) == 0 || want[len(want)-1] != sum {
				if slices.Contains(want, sum) {
					seen["came back"]++
				}
				want = append(want, sum)
			} else {
				seen["unchanged"]++
			}
			checkVersions(t, w, want, contents, values, permit)
			if t.Failed() {
				t.Fatalf("seed %d", seed)
			}
		}
	}
	for _, what := range []string{"catalog", "file", "came back", "unchanged"} {
		if seen[what] < 3 {
			t.Errorf("the samples had %d of %s", seen[what], what)
		}
	}
}

func checkVersions(t *testing.T, w *warehouse, want []string, contents map[string]string, values map[string]float64, permit string) {
	t.Helper()
	r := w.reader()
	defer r.Close()
	versions, err := Versions(t.Context(), r, "run", catalog.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i, v := range versions {
		got = append(got, v.SHA256)
		if v.InEffect != (i == len(versions)-1) {
			t.Errorf("version %d: in effect %v", i+1, v.InEffect)
		}
		verdict := map[bool]string{true: "EXACT (STRICT)", false: "PARTIAL"}[strings.Contains(permit, "score")]
		if v.Verdict == nil || VerdictText(v.Verdict) != verdict {
			t.Errorf("version %d: verdict %+v, want %s", i+1, v.Verdict, verdict)
		}
		if i > 0 {
			c := v.Changes
			if len(c) != 1 || c[0].Path != "points[c1].metrics.ttft_p50.value" || c[0].Before != values[versions[i-1].SHA256] || c[0].After != values[v.SHA256] {
				t.Errorf("version %d: %+v", i+1, c)
			}
			if v.First.Load <= versions[i-1].Readings[len(versions[i-1].Readings)-1].Load {
				t.Errorf("version %d was loaded before the one before it", i+1)
			}
		}
		kept := ""
		err := rows(t.Context(), r, "version-contents", map[string]any{"run": "run", "sha256": v.SHA256}, func(row []any) {
			b, _ := row[0].([]byte)
			kept = string(b)
		})
		if err != nil || kept != contents[v.SHA256] {
			t.Errorf("version %d: its bytes are not kept: %v", i+1, err)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("versions %q, want %q", got, want)
	}
}

// TestVerdictOfAVersionFollowsItsLicence gives an old version a licence that is
// refused, withdrawn or unknown today.
func TestVerdictOfAVersionFollowsItsLicence(t *testing.T) {
	w := newWarehouse(t)
	w.write("sources.yaml", registryYAML(map[string]string{"lic": "score", "other": "score"}))
	w.write("old.yaml", runYAML("run", "lic", 1, ""))
	w.write("cites.yaml", runYAML("cites", "lic", 7, ""))
	w.load("sources.yaml", "old.yaml", "cites.yaml")
	w.write("new.yaml", runYAML("run", "other", 1, "verdict: EXACT\nresolution: STRICT\n"))
	w.load("new.yaml")
	verdicts := func() string {
		r := w.reader()
		defer r.Close()
		versions, err := Versions(context.Background(), r, "run", catalog.DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, v := range versions {
			detail := ""
			for _, reason := range v.Verdict.Reasons {
				detail += "; " + reason.Detail
			}
			all = append(all, VerdictText(v.Verdict)+detail)
		}
		return strings.Join(all, " | ")
	}
	if got, want := verdicts(), "EXACT (STRICT) | EXACT (STRICT)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	w.write("sources.yaml", registryYAML(map[string]string{"other": "redistribute"})) // lic is withdrawn, for cites cites it
	w.load("sources.yaml")
	want := "PARTIAL; licence lic is withdrawn: its registry no longer has it | PARTIAL; licence other does not permit score"
	if got := verdicts(); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	w.write("cites.yaml", runYAML("cites", "other", 7, ""))
	w.load("sources.yaml", "cites.yaml") // nobody cites lic now: it is forgotten
	want = "PARTIAL; licence lic is unknown: no loaded registry has it | PARTIAL; licence other does not permit score"
	if got := verdicts(); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// TestVersionThatCannotBeRead shows bytes that today's rules refuse with what
// they object to, and goes on.
func TestVersionThatCannotBeRead(t *testing.T) {
	w := newWarehouse(t)
	w.write("run.yaml", runYAML("run", "lic", 1, ""))
	w.load("run.yaml")
	first := digest([]byte(runYAML("run", "lic", 1, "")))
	w.write("run.yaml", runYAML("run", "lic", 2, ""))
	w.load("run.yaml")
	db, err := sql.Open("sqlite", w.path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.Exec(`UPDATE document_contents SET content = CAST(replace(CAST(content AS TEXT), 'model: invented', 'modell: invented') AS BLOB) WHERE sha256 = ?`, first)
	if err != nil {
		t.Fatal(err)
	}
	db.Close()
	versions, err := Versions(t.Context(), w.reader(), "run", catalog.DefaultLimits())
	if err != nil || len(versions) != 2 {
		t.Fatalf("%d versions, %v", len(versions), err)
	}
	if old := versions[0]; old.Verdict != nil || len(old.Problems) != 1 || old.Problems[0].Path != "modell" {
		t.Errorf("the old version: %+v", old)
	}
	if now := versions[1]; now.Verdict == nil || now.Compared || now.Changes != nil || len(now.Problems) > 0 {
		t.Errorf("the new version: %+v", now)
	}
}

// A long chain whose head cannot be scored: the check lists every run that it
// has lost, and each step is told, in one pass each.
// The step from an evaluation run shows everything that the run states: what
// no metric of the later run stands for vanishes, at the loads that both have.
func TestStepFromAnEvaluationRun(t *testing.T) {
	w := newWarehouse(t)
	w.write("sources.yaml", registryYAML(map[string]string{"open": "score, redistribute"}))
	w.write("before.yaml", `# Invented for tests; nothing here is measured.
kind: EvaluationRun
name: before
scenario: chat
date: 2026-01-20
points:
  - {concurrency: 4, ttft_ms: 9}
  - {concurrency: 1, ttft_ms: 50.5, itl_ms: 6, e2e_ms: 700, output_tokens_per_sec: 150, input_tokens_per_sec: 0}
`)
	w.write("after.yaml", strings.NewReplacer("id: c1,", "id: first,", "ttft_p50:", "ttft_ms:").Replace(runYAML("after", "open", 48, "supersedes: before\n")))
	w.load("sources.yaml", "before.yaml", "after.yaml")
	r := w.reader()
	chain, err := Find(t.Context(), r, "before")
	if err != nil || chain == nil {
		t.Fatal(chain, err)
	}
	var got []string
	err = chain.Steps(t.Context(), r, chain.Places, func(p *Place, changes []Change) error {
		for _, c := range changes {
			if c.Kind == KindValue || c.Kind == KindPoint || c.Path == "scenario" || c.Path == "date" {
				got = append(got, fmt.Sprintf("%s %s %v %v", c.Kind, c.Path, c.Before, c.After))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(got)
	want := []string{
		"field date 2026-01-20 <nil>", "field scenario chat <nil>", "point points[c4] concurrency 4 <nil>",
		"value points[first].metrics.e2e_ms.value 700 <nil>", "value points[first].metrics.input_tokens_per_sec.value 0 <nil>",
		"value points[first].metrics.itl_ms.value 6 <nil>", "value points[first].metrics.output_tokens_per_sec.value 150 <nil>",
		// The later run defines a metric of that name: the two are not the same.
		"value points[first].metrics.ttft_ms (before).value 50.5 <nil>", "value points[first].metrics.ttft_ms.value <nil> 48",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestLongChain(t *testing.T) {
	const n = 1500
	var runs []*record.Run
	for i := range n {
		r := exactRun(fmt.Sprintf("r%05d", i), float64(i))
		if i > 0 {
			r.Supersedes = runs[i-1].Name
		}
		runs = append(runs, r)
	}
	runs[n-1].Model = ""
	w := newWarehouse(t)
	w.store([]record.Licence{licence("open", "score")}, runs...)
	r := w.reader()
	if lost := column(t, r, "check-superseded-scorable", 1, nil); len(lost) != n-1 {
		t.Errorf("%d runs are lost, want %d", len(lost), n-1)
	}
	chain, err := Find(t.Context(), r, "r00700")
	if err != nil {
		t.Fatal(err)
	}
	steps := 0
	err = chain.Steps(t.Context(), r, chain.Places, func(p *Place, changes []Change) error {
		if p.Number != steps || p.Column != 0 {
			t.Errorf("%s has number %d and column %d, want %d and 0", p.Name, p.Number, p.Column, steps)
		}
		if told := slices.ContainsFunc(changes, func(c Change) bool { return c.Kind == KindValue }); told != (p.Number > 0) {
			t.Errorf("%s: %v", p.Name, changes)
		}
		steps++
		return nil
	})
	if err != nil || steps != n {
		t.Errorf("%d steps, want %d: %v", steps, n, err)
	}
}
