package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// warehouse is a database in a temporary file, loaded step by step.
type warehouse struct {
	t    *testing.T
	path string
}

func newWarehouse(t *testing.T) *warehouse {
	t.Helper()
	return &warehouse{t, filepath.Join(t.TempDir(), "w.db")}
}

// load runs steps in one load, and checks the derived tables afterwards.
func (w *warehouse) load(steps func(l *Load)) {
	w.t.Helper()
	ctx := context.Background()
	writer, err := OpenWriter(ctx, w.path, WriterOptions{Create: true})
	if err != nil {
		w.t.Fatal(err)
	}
	defer writer.Close()
	l, err := writer.Begin(ctx)
	if err != nil {
		w.t.Fatal(err)
	}
	defer l.Rollback()
	steps(l)
	if err := l.Finish(); err != nil {
		w.t.Fatal(err)
	}
	if err := l.Commit(Ledger{LoadedAt: time.Unix(0, 0), Tool: "test"}); err != nil {
		w.t.Fatal(err)
	}
	if err := writer.Publish(); err != nil {
		w.t.Fatal(err)
	}
	findings, err := CheckDerived(ctx, w.path)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, f := range findings {
		w.t.Errorf("derived: %s: %s", f.Subject, f.Detail)
	}
}

// rows returns the rows of a query, each as text with columns parted by |.
func (w *warehouse) rows(query string) []string {
	w.t.Helper()
	db, err := sql.Open("sqlite", w.path)
	if err != nil {
		w.t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query(query)
	if err != nil {
		w.t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		w.t.Fatal(err)
	}
	var all []string
	for rows.Next() {
		values := make([]any, len(columns))
		dest := make([]any, len(columns))
		for i := range values {
			dest[i] = &values[i]
		}
		if err := rows.Scan(dest...); err != nil {
			w.t.Fatal(err)
		}
		cells := make([]string, len(values))
		for i, v := range values {
			if v == nil {
				v = ""
			}
			cells[i] = fmt.Sprint(v)
		}
		all = append(all, strings.Join(cells, "|"))
	}
	if err := rows.Err(); err != nil {
		w.t.Fatalf("%s: %v", query, err)
	}
	return all
}

func (w *warehouse) want(query string, rows ...string) {
	w.t.Helper()
	if got := w.rows(query); !slices.Equal(got, rows) {
		w.t.Errorf("%s\ngot  %q\nwant %q", query, got, rows)
	}
}

// openLicence permits everything.
func openLicence(id string) record.Licence {
	return record.Licence{ID: id, Title: "invented", License: "Apache-2.0", Status: "verified", Permits: []string{"score", "derive_coefficients", "redistribute"},
		Evidence: []record.Evidence{{URL: "https://example.org/terms", Quote: "invented", Location: "LICENSE:1"}}}
}

// exactRun is an invented run that is EXACT under a licence that permits score:
// at each load one value of ttft_p50, in ms.
func exactRun(name string, ttft ...float64) *record.Run {
	r := &record.Run{
		Name: name, SchemaVersion: 1, Model: "invented-model", EngineVersion: "1.0",
		Source: record.Source{Kind: "vllm_bench", Adapter: record.Adapter{Name: "a", Version: "1", SHA256: strings.Repeat("a", 64)},
			Inputs:     []record.Input{{Role: "report", Path: "report.json", SHA256: strings.Repeat("b", 64)}},
			Extraction: record.Extraction{Method: "json"}, LicenseRef: "open"},
		Cluster: &record.Cluster{Hardware: "h100", Nodes: 1, GPUsPerNode: 8},
		Deployment: &record.Deployment{Name: "d", Pools: []record.Pool{
			{Role: "colocated", Nodes: 1, Parallel: record.Parallel{TP: 8, PP: 1, DP: 1}}}},
		Workload: &record.Workload{Shape: "chat"},
		Client:   record.Client{Harness: "vllm bench serve"},
		MetricDefs: []record.MetricDef{{Name: "ttft_p50", Formula: "ttft", Statistic: "median", Population: "per_request", Clock: "client",
			Unit: "ms", Cite: "invented:1"}},
	}
	for i, v := range ttft {
		conc := int64(1) << i
		r.Points = append(r.Points, record.Point{ID: fmt.Sprintf("c%d", conc), Concurrency: &conc, Metrics: []record.Value{{Metric: "ttft_p50", Value: v}}})
	}
	return r
}

// save stores a run under a digest made from its content, and wants it accepted.
func save(t *testing.T, l *Load, r *record.Run) Status {
	t.Helper()
	content, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	status, claim, err := l.SaveRun(&RunDocument{Run: r, Content: content, SHA256: digestOf(content), As: AsFile})
	if err != nil {
		t.Fatal(err)
	}
	if claim != nil {
		t.Fatalf("%s: %+v", r.Name, *claim)
	}
	return status
}

func apply(t *testing.T, l *Load, path string, licences ...record.Licence) Status {
	t.Helper()
	content := fmt.Appendf(nil, "%#v", licences)
	status, err := l.ApplyRegistry(path, digestOf(content), content, &record.Registry{Sources: licences})
	if err != nil {
		t.Fatal(err)
	}
	return status
}

func TestSaveRun(t *testing.T) {
	w := newWarehouse(t)
	w.load(func(l *Load) {
		apply(t, l, "/r/sources.yaml", openLicence("open"))
		if got := save(t, l, exactRun("a", 1, 2)); got != Added {
			t.Errorf("first: %s", got)
		}
		if got := save(t, l, exactRun("b", 3)); got != Added {
			t.Errorf("second: %s", got)
		}
	})
	id := w.rows(`SELECT run_id FROM runs WHERE name = 'a'`)
	w.load(func(l *Load) {
		if got := save(t, l, exactRun("a", 1, 2)); got != Unchanged {
			t.Errorf("same bytes: %s", got)
		}
		if got := save(t, l, exactRun("b", 3, 4, 5)); got != Updated {
			t.Errorf("other bytes: %s", got)
		}
	})
	w.want(`SELECT r.name, p.id, m.value FROM runs r JOIN points p USING (run_id) JOIN measurements m USING (point_id) ORDER BY r.name, p.position`,
		"a|c1|1", "a|c2|2", "b|c1|3", "b|c2|4", "b|c4|5")
	w.want(`SELECT run_id FROM runs WHERE name = 'a'`, id...)
	w.want(`SELECT name, count(*) FROM run_versions GROUP BY name`, "a|1", "b|2")
	w.want(`SELECT count(*) FROM document_contents`, "4")
	w.want(`SELECT name, verdict, resolution FROM verdicts ORDER BY name`, "a|EXACT|STRICT", "b|EXACT|STRICT")
}

func TestFalseClaimStoresNothing(t *testing.T) {
	w := newWarehouse(t)
	w.load(func(l *Load) {
		apply(t, l, "/r/sources.yaml", openLicence("open"))
		save(t, l, exactRun("a", 1))
	})
	w.load(func(l *Load) {
		r := exactRun("a", 7)
		r.Verdict, r.Resolution = "EXACT", "STRICT"
		r.Model = "" // NOT_REPRODUCIBLE
		status, claim, err := l.SaveRun(&RunDocument{Run: r, Content: []byte("x"), SHA256: digestOf([]byte("x")), As: AsFile})
		if err != nil {
			t.Fatal(err)
		}
		if status != Rejected || claim == nil || claim.Path != "verdict" || claim.Verdict != "NOT_REPRODUCIBLE" || len(claim.Reasons) != 1 {
			t.Errorf("status %s, claim %+v", status, claim)
		}
		r.Model, r.Resolution = "invented-model", "RESOLVED"
		_, claim, err = l.SaveRun(&RunDocument{Run: r, Content: []byte("y"), SHA256: digestOf([]byte("y")), As: AsFile})
		if err != nil || claim == nil || claim.Path != "resolution" || claim.Resolution != "STRICT" {
			t.Errorf("claim %+v, %v", claim, err)
		}
	})
	w.want(`SELECT m.value FROM measurements m`, "1")
	w.want(`SELECT count(*) FROM document_contents`, "2")
}

func TestRegistry(t *testing.T) {
	w := newWarehouse(t)
	refused := record.Licence{ID: "open", Title: "invented", Status: "refused", Note: "invented"}
	w.load(func(l *Load) {
		if got := apply(t, l, "/r/sources.yaml", openLicence("open"), openLicence("unused")); got != Added {
			t.Errorf("first: %s", got)
		}
		save(t, l, exactRun("a", 1))
	})
	w.want(`SELECT verdict FROM verdicts`, "EXACT")
	w.load(func(l *Load) {
		if got := apply(t, l, "/r/sources.yaml", refused); got != Updated {
			t.Errorf("changed: %s", got)
		}
	})
	w.want(`SELECT verdict FROM verdicts`, "PARTIAL")
	w.want(`SELECT licence_id, status, withdrawn FROM licences`, "open|refused|0") // unused has no run: it is gone
	w.load(func(l *Load) { apply(t, l, "/other/sources.yaml", openLicence("open")) })
	w.want(`SELECT licence_id, registry, in_effect FROM licence_conflicts ORDER BY registry`, "open|/other/sources.yaml|1", "open|/r/sources.yaml|0")
	w.want(`SELECT verdict FROM verdicts`, "EXACT")
	// When the registry in effect drops it, what another states comes back.
	w.load(func(l *Load) { apply(t, l, "/other/sources.yaml") })
	w.want(`SELECT licence_id, status, withdrawn FROM licences`, "open|refused|0")
	w.load(func(l *Load) {
		apply(t, l, "/other/sources.yaml", openLicence("open"))
		apply(t, l, "/r/sources.yaml")
		apply(t, l, "/other/sources.yaml")
	})
	w.want(`SELECT licence_id, status, withdrawn FROM licences`, "open|verified|1")
	w.want(`SELECT code, detail FROM verdict_reasons`, "licence|licence open is withdrawn: its registry no longer has it")
	w.want(`SELECT name, problem, severity FROM licence_problems`, "a|withdrawn|note")
	w.load(func(l *Load) { apply(t, l, "/other/sources.yaml", openLicence("open")) })
	w.want(`SELECT verdict FROM verdicts`, "EXACT")
}

func TestAdmissionOnlyBecomesStricter(t *testing.T) {
	w := newWarehouse(t)
	for _, step := range []struct{ as, want Admission }{{AsFile, AsFile}, {AsCatalog, AsCatalog}, {AsLocal, AsCatalog}, {AsFile, AsCatalog}} {
		w.load(func(l *Load) {
			if _, _, err := l.SaveRun(&RunDocument{Run: exactRun("a", 1), Content: []byte("x"), SHA256: digestOf([]byte("x")), As: step.as}); err != nil {
				t.Fatal(err)
			}
		})
		w.want(`SELECT admitted_as FROM runs`, string(step.want))
	}
}

func TestEngineIsNamedByServerOrImage(t *testing.T) {
	for _, c := range []struct{ server, image, want string }{
		{"vllm", "", "vllm"},
		{"", "vllm/vllm-openai@sha256:0", "vllm"},
		{"", "lmsysorg/sglang@sha256:0", "sglang"},
		{"", "registry.example.org/client@sha256:0", ""},
		{"sglang", "vllm/vllm-openai@sha256:0", "sglang"},
		{"", "", ""},
	} {
		r := exactRun("a", 1)
		r.Workload = &record.Workload{Trace: &record.Trace{Server: &record.TraceServer{Type: c.server}}}
		r.Client.ImageDigest = c.image
		if got := servingEngine(r); got != c.want {
			t.Errorf("server %q, image %q: %q, want %q", c.server, c.image, got, c.want)
		}
	}
}

func digestOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
