package store

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestStructureReads holds what views are said to read against SQLite: without a
// table or view, just those views fail that read it, directly or not.
func TestStructureReads(t *testing.T) {
	ctx := t.Context()
	relations, err := Dictionary(ctx)
	must(t, err)
	w, err := OpenMemory(ctx)
	must(t, err)
	defer w.Close()
	kinds, direct := map[string]string{}, map[string][]string{}
	for _, r := range relations {
		s, err := structureIn(ctx, w.db, r.Name)
		must(t, err)
		kinds[r.Name], direct[r.Name] = r.Kind, s.Reads
		if r.Kind == "table" && s.Reads != nil || r.Kind == "view" && s.Reads == nil {
			t.Errorf("%s %s reads %q", r.Kind, r.Name, s.Reads)
		}
		for _, reader := range s.ReadBy {
			other, err := structureIn(ctx, w.db, reader)
			must(t, err)
			if !slices.Contains(other.Reads, r.Name) {
				t.Errorf("%s is read by %s, which does not read it", r.Name, reader)
			}
		}
	}
	var depends func(view, on string) bool
	depends = func(view, on string) bool {
		return slices.ContainsFunc(direct[view], func(r string) bool { return r == on || depends(r, on) })
	}
	found := 0
	for dropped, kind := range kinds {
		exec(t, w, "SAVEPOINT whole", "PRAGMA defer_foreign_keys = on", "DROP "+kind+" "+dropped)
		for view, kind := range kinds {
			if kind != "view" || view == dropped {
				continue
			}
			rows, err := w.db.QueryContext(ctx, "SELECT * FROM "+view+" LIMIT 0")
			if err == nil {
				must(t, rows.Close())
			} else if !strings.Contains(err.Error(), "no such table") {
				t.Fatal(err)
			}
			if (err != nil) != depends(view, dropped) {
				t.Errorf("without %s, %s: %v; it reads %q", dropped, view, err, direct[view])
			}
			if err != nil {
				found++
			}
		}
		exec(t, w, "ROLLBACK TO whole", "RELEASE whole")
	}
	if found < 50 {
		t.Errorf("only %d views depend on something", found)
	}
}

func exec(t *testing.T, w *Writer, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if _, err := w.db.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

func TestStructureOf(t *testing.T) {
	s, err := StructureOf(t.Context(), "points")
	must(t, err)
	if got, want := fmt.Sprint(s.PrimaryKey, s.Unique, s.References), "[point_id] [[run_id id]] [{points [run_id] runs [run_id] true}]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if !slices.Contains(s.Checks, "concurrency IS NOT NULL OR request_rate IS NOT NULL") || !slices.Contains(s.Checks, "kv_utilization BETWEEN 0 AND 1") || len(s.Checks) != strings.Count(s.SQL, " CHECK (") {
		t.Errorf("checks %q", s.Checks)
	}
	if !strings.HasPrefix(s.SQL, "CREATE TABLE points ( -- ") || !strings.HasSuffix(s.SQL, ";\n") {
		t.Errorf("SQL %q", s.SQL)
	}
	runs, err := StructureOf(t.Context(), "runs")
	must(t, err)
	if !slices.ContainsFunc(runs.ReferredBy, func(r Reference) bool { return r.Table == "points" }) ||
		!slices.Contains(runs.Indexes, Index{"runs_by_supersedes", "(supersedes) WHERE supersedes IS NOT NULL"}) ||
		!slices.ContainsFunc(runs.Checks, func(c string) bool { return c == "(origin = 'inferencex') = (document_sha256 IS NULL)" }) {
		t.Errorf("%+v", runs)
	}
	if s, err := StructureOf(t.Context(), "nosuch"); s != nil || err != nil {
		t.Errorf("%v, %v", s, err)
	}
}
