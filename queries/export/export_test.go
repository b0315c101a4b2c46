package export

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/inference-sim/blis-warehouse/loader"
	"github.com/inference-sim/blis-warehouse/loader/catalog"
	"github.com/inference-sim/blis-warehouse/migrations"
	"github.com/inference-sim/blis-warehouse/store"
)

var update = flag.Bool("update", false, "write the golden files")

// warehouse loads paths into a fresh database and opens it for reading.
func warehouse(t *testing.T, paths ...string) *store.Reader {
	t.Helper()
	path := filepath.Join(t.TempDir(), "w.db")
	load(t, path, paths...)
	return open(t, path)
}

// load loads paths into the database at path, without any problem.
func load(t *testing.T, path string, paths ...string) {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	w, err := store.OpenWriter(t.Context(), path, store.WriterOptions{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	report, err := loader.Load(t.Context(), w, paths, loader.Options{WorkDir: dir, Tool: "test", Now: time.Unix(0, 0), Limits: catalog.DefaultLimits()})
	if err == nil {
		err = w.Publish()
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range report.Documents {
		for _, p := range d.Problems {
			t.Errorf("%s:%d: %s: %s", d.File, p.Line, p.Path, p.Message)
		}
	}
}

func open(t testing.TB, path string) *store.Reader {
	t.Helper()
	r, err := store.OpenReader(t.Context(), path, store.ReaderOptions{SchemaVersion: migrations.Latest()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// chosen are the names of the runs that leave.
func (s *Selection) chosen() string {
	var names []string
	for _, run := range s.Runs {
		names = append(names, run.Name)
	}
	return strings.Join(names, " ")
}

// codes are the runs and codes of a list of left-out runs.
func codes(list []LeftOut) string {
	var all []string
	for _, run := range list {
		var codes []string
		for _, r := range run.Reasons {
			codes = append(codes, r.Code)
		}
		all = append(all, run.Name+":"+strings.Join(slices.Compact(codes), ","))
	}
	return strings.Join(all, " ")
}

func TestSelect(t *testing.T) {
	r := warehouse(t, "testdata/catalog", "testdata/inferencex.json")
	for _, test := range []struct {
		name                   string
		req                    Request
		runs, refused, leftOut string
		sums                   string
	}{
		{
			name: "calibration", req: Request{Purpose: Calibration},
			runs:    "invented-exact",
			leftOut: "invented-copy:duplicate,licence invented-old:superseded invented-partial:diff invented-scored:licence invented-unbuildable:missing_cluster,missing_deployment,missing_engine_version,missing_model,missing_workload",
			sums:    "licence not_reproducible",
		},
		{
			name: "scoring exact", req: Request{Purpose: Scoring, Tier: Exact},
			runs:    "invented-exact invented-scored",
			leftOut: "invented-copy:duplicate invented-old:superseded invented-partial:tier invented-unbuildable:not_reproducible",
			sums:    "licence not_reproducible",
		},
		{
			name: "scoring partial", req: Request{Purpose: Scoring, Tier: Partial},
			runs:    "invented-partial",
			leftOut: "invented-copy:duplicate invented-exact:tier invented-old:superseded invented-scored:tier invented-unbuildable:not_reproducible",
			sums:    "licence not_reproducible",
		},
		{
			name: "redistribution", req: Request{Purpose: Redistribution},
			runs:    "invented-exact invented-partial invented-scored invented-unbuildable",
			leftOut: "invented-copy:duplicate invented-old:superseded",
			sums:    "not_catalog",
		},
		{
			name: "superseded runs are redistributed by name", req: Request{Purpose: Redistribution, Runs: []string{"invented-copy", "invented-old"}},
			runs: "invented-copy invented-old",
		},
		{
			name: "all reasons of all runs", req: Request{Purpose: Calibration, Runs: []string{"invented-copy", "invented-exact", "invented-partial", "nosuch"}},
			runs:    "invented-exact",
			refused: "invented-copy:duplicate,licence invented-partial:diff nosuch:no_such_run",
		},
		{
			name: "the other tier", req: Request{Purpose: Scoring, Tier: Exact, Runs: []string{"invented-partial"}},
			refused: "invented-partial:tier",
		},
		{
			name: "InferenceX", req: Request{Purpose: Redistribution, Runs: []string{inferenceXRun(t, r)}},
			refused: inferenceXRun(t, r) + ":licence",
		},
		{
			name: "InferenceX as a document", req: Request{Purpose: Redistribution, Runs: []string{inferenceXRun(t, r)}, Documents: true},
			refused: inferenceXRun(t, r) + ":licence,no_document",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, err := Select(t.Context(), r, test.req)
			if err != nil {
				t.Fatal(err)
			}
			var sums []string
			for _, sum := range s.Sums {
				if sum.Runs != 1 || sum.Origin != "inferencex" {
					t.Errorf("%+v", sum)
				}
				sums = append(sums, sum.Code)
			}
			for what, pair := range map[string][2]string{
				"runs": {s.chosen(), test.runs}, "refused": {codes(s.Refused), test.refused},
				"left out": {codes(s.LeftOut), test.leftOut}, "sums": {strings.Join(sums, " "), test.sums},
			} {
				if pair[0] != pair[1] {
					t.Errorf("%s: %s\nwant %s", what, pair[0], pair[1])
				}
			}
		})
	}
}

// inferenceXRun is the name of the run of the capture.
func inferenceXRun(t *testing.T, r *store.Reader) string {
	t.Helper()
	names, err := Names(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(names, func(name string) bool { return !strings.HasPrefix(name, "invented-") })
	if i < 0 {
		t.Fatal("no run of InferenceX")
	}
	return names[i]
}

// TestInferenceXByName holds that a run of InferenceX leaves where a registry
// permits it, in µs that are exact though it is reported in seconds.
func TestInferenceXByName(t *testing.T) {
	r := warehouse(t, "testdata/inferencex.json", "testdata/changed/inferencex.yaml")
	rows, _ := exported(t, r, Request{Purpose: Redistribution, Runs: []string{inferenceXRun(t, r)}})
	for _, want := range []string{`"metric":"ttft_p50"`, `"value_us":4350,`, `"document_sha256":null`, `"licence_id":"inferencex"`, `"inputs":[]`,
		`"pools":[{"role":"colocated","nodes":1,"tp":8,"pp":null,"dp":null,"dp_local":null,"pcp":null,"dcp":null,"enable_expert_parallel":null,"expert_parallel_width":1,"engine":{},"workers":0,"dp_attention":false}]`,
		`"workload":{"shape":null,"trace_data":null,"trace_sha256":null,"isl":1024,"osl":1024}`} {
		if !bytes.Contains(rows, []byte(want)) {
			t.Errorf("no %s in %s", want, rows)
		}
	}
	if rows, _ := exported(t, r, Request{Purpose: Redistribution}); len(rows) > 0 {
		t.Errorf("it leaves without being named: %s", rows)
	}
}

// TestStatedVerdict holds that a run whose stated verdict no longer holds does
// not become a document, which nobody could load.
func TestStatedVerdict(t *testing.T) {
	path := filepath.Join(t.TempDir(), "w.db")
	load(t, path, "testdata/catalog")
	load(t, path, "testdata/changed/sources.yaml")
	r := open(t, path)
	for _, test := range []struct {
		documents bool
		runs      string
	}{
		{false, "invented-exact invented-partial invented-scored invented-unbuildable"},
		{true, "invented-partial invented-scored invented-unbuildable"},
	} {
		s, err := Select(t.Context(), r, Request{Purpose: Redistribution, Documents: test.documents})
		if err != nil {
			t.Fatal(err)
		}
		if s.chosen() != test.runs {
			t.Errorf("documents %v: %s, want %s", test.documents, s.chosen(), test.runs)
		}
	}
}

func TestRowsGolden(t *testing.T) {
	r := warehouse(t, "testdata/catalog")
	rows, manifest := exported(t, r, Request{Purpose: Redistribution, Runs: []string{"invented-exact", "invented-unbuildable"}})
	golden(t, "rows.jsonl", rows)
	golden(t, "manifest.json", manifest)
	var ids []string
	for line := range bytes.Lines(rows) {
		var row struct {
			RowID string `json:"row_id"`
		}
		if err := json.Unmarshal(line, &row); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		ids = append(ids, row.RowID)
	}
	want := []string{
		"invented-exact/1/tps", "invented-exact/1/ttft%2Fp50", "invented-exact/c%2F4/7", "invented-exact/c%2F4/tps", "invented-exact/c%2F4/ttft%2Fp50",
		"invented-unbuildable/r1/itl", "invented-unbuildable/r2/itl",
	}
	if !slices.Equal(ids, want) {
		t.Errorf("rows %q, want %q", ids, want)
	}
}

// exported are the rows of a request and their manifest.
func exported(t *testing.T, r *store.Reader, req Request) (rows, manifest []byte) {
	t.Helper()
	s, err := Select(t.Context(), r, req)
	if err != nil {
		t.Fatal(err)
	}
	return written(t, r, "jsonl", s)
}

// written are the bytes of a selection in a format that is one file, and its
// manifest.
func written(t *testing.T, r *store.Reader, format string, s *Selection) (content, manifest []byte) {
	t.Helper()
	files := memory{}
	out, err := FormatNamed(format).Write(t.Context(), r, s, Options{}, files.create)
	if err != nil {
		t.Fatal(err)
	}
	content = files[""].Bytes()
	var m bytes.Buffer
	if err := NewManifest(s, Output{Format: format, Name: "x." + format, SHA256: "0", Size: int64(len(content)), Outcome: out}, "test", 1).Write(&m); err != nil {
		t.Fatal(err)
	}
	return content, m.Bytes()
}

// memory are files by path.
type memory map[string]*memoryFile

type memoryFile struct {
	bytes.Buffer
	closed bool
}

func (f *memoryFile) Close() error {
	f.closed = true
	return nil
}

func (m memory) create(path string) (io.WriteCloser, error) {
	if m[path] != nil {
		return nil, fmt.Errorf("%q is created twice", path)
	}
	for other, f := range m {
		if !f.closed {
			return nil, fmt.Errorf("%q is created while %q is open", path, other)
		}
	}
	m[path] = &memoryFile{}
	return m[path], nil
}

// save writes the files into a folder; all must have been closed.
func (m memory) save(t *testing.T, dir string) {
	t.Helper()
	for path, f := range m {
		if !f.closed {
			t.Fatalf("%s was not closed", path)
		}
		name := filepath.Join(dir, filepath.FromSlash(path))
		err := os.MkdirAll(filepath.Dir(name), 0o777)
		if err == nil {
			err = os.WriteFile(name, f.Bytes(), 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", "golden", name)
	if *update {
		if err := os.WriteFile(path, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs (-update writes it); got:\n%s", path, got)
	}
}

// TestStatements holds that every statement says what it returns and has an
// order.
func TestStatements(t *testing.T) {
	entries, err := files.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		text, err := files.ReadFile(e.Name())
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.HasPrefix(text, []byte("-- ")) || !bytes.Contains(text, []byte("\nORDER BY ")) && !bytes.Contains(text, []byte(" ORDER BY name;")) {
			t.Errorf("%s: no comment or no ORDER BY", e.Name())
		}
	}
}

// TestBatches holds that runs of all batches come out whole and in order.
func TestBatches(t *testing.T) {
	dir := t.TempDir()
	text, err := os.ReadFile("testdata/catalog/measurements/invented/invented-partial.yaml")
	if err != nil {
		t.Fatal(err)
	}
	const n = 2*batchSize + 1
	for i := range n {
		name := fmt.Sprintf("invented-%03d", i)
		content := bytes.Replace(text, []byte("invented-partial"), []byte(name), 1)
		if err := os.WriteFile(filepath.Join(dir, name+".yaml"), content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	r := warehouse(t, dir, "testdata/catalog/measurements/sources.yaml")
	rows, _ := exported(t, r, Request{Purpose: Redistribution})
	i := 0
	for line := range bytes.Lines(rows) {
		if want := fmt.Sprintf(`{"row_id":"invented-%03d/r%d/itl",`, i/2, i%2+1); !bytes.HasPrefix(line, []byte(want)) {
			t.Fatalf("line %d is %.60s, want %s", i, line, want)
		}
		i++
	}
	if i != 2*n {
		t.Errorf("%d rows, want %d", i, 2*n)
	}
}

// TestDocumentsLoadToTheSameRows loads what was exported into a fresh database
// and compares every table of facts.
func TestDocumentsLoadToTheSameRows(t *testing.T) {
	r := warehouse(t, "testdata/catalog")
	names, err := Names(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Select(t.Context(), r, Request{Purpose: Redistribution, Runs: names, Documents: true})
	if err != nil || len(s.Refused) > 0 {
		t.Fatal(err, s.Refused)
	}
	dir := t.TempDir()
	files := memory{}
	if _, err := FormatNamed("yaml").Write(t.Context(), r, s, Options{}, files.create); err != nil {
		t.Fatal(err)
	}
	files.save(t, dir)
	want, got := facts(t, r), facts(t, warehouse(t, dir))
	for table, rows := range want {
		if len(rows) == 0 {
			t.Errorf("%s: the fixture has no rows", table)
		}
		if !slices.Equal(rows, got[table]) {
			t.Errorf("%s:\n%s\nwant\n%s", table, strings.Join(got[table], "\n"), strings.Join(rows, "\n"))
		}
	}
}

// facts are the rows of every table that a MeasuredRun or a registry fills, in words: surrogate
// keys and what depends on the document's bytes or place are left out, and a
// row names its run.
func facts(t *testing.T, r *store.Reader) map[string][]string {
	t.Helper()
	tables := map[string][]string{}
	for _, row := range result(t, r, `
		SELECT s.name FROM sqlite_schema AS s
		WHERE s.type = 'table' AND (s.name IN ('runs', 'catalog_values', 'licences', 'licence_permits', 'licence_evidence')
			OR EXISTS (SELECT 1 FROM pragma_table_info(s.name) WHERE name = 'run_id') AND s.name NOT LIKE 'inferencex%' AND s.name NOT IN ('flags', 'evaluation_runs'))
		UNION ALL SELECT 'metric_defs' UNION ALL SELECT 'verdicts'
		ORDER BY 1`) {
		table := row
		columns := strings.Split(result(t, r, fmt.Sprintf(`
			SELECT group_concat('t.' || name, ', ') FROM pragma_table_info('%s')
			WHERE name NOT IN ('run_id', 'point_id', 'admitted_as', 'document_sha256', 'definition_set_id', 'definition_id', 'content_id', 'registry_id')`, table))[0], ", ")
		from := " FROM " + table + " AS t"
		switch {
		case table == "catalog_values":
			from = ", r.name, p.position" + from + " JOIN points AS p ON p.point_id = t.point_id JOIN runs AS r ON r.run_id = p.run_id"
		case !strings.HasPrefix(table, "licence"):
			from = ", r.name" + from + " JOIN runs AS r ON r.run_id = t.run_id"
		}
		rows := result(t, r, "SELECT "+strings.Join(columns, ", ")+from)
		slices.Sort(rows)
		tables[table] = rows
	}
	return tables
}

// result are the rows of a statement, as text.
func result(t *testing.T, r *store.Reader, sql string) []string {
	t.Helper()
	rows, err := r.Query(context.Background(), sql, nil)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	var all []string
	for row, err := range rows.All() {
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		var b strings.Builder
		for i, v := range row {
			if i > 0 {
				b.WriteByte('|')
			}
			if s, ok := v.(string); ok && len(row) == 1 {
				b.WriteString(s)
			} else {
				fmt.Fprintf(&b, "%#v", v)
			}
		}
		all = append(all, b.String())
	}
	return all
}
