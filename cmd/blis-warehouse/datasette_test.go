package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/inference-sim/blis-warehouse/migrations"
	"github.com/inference-sim/blis-warehouse/queries"
	"github.com/inference-sim/blis-warehouse/store"
)

// loadDemo loads all of the demonstration data that is valid into a new database.
func loadDemo(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "demo.db")
	const demo = "../../testdata/demo/"
	runProgram(t, "load", "--db", path, demo+"catalog", demo+"files/demo-lone-file.yaml", demo+"captures", demo+"evaluations")
	return path
}

// runProgram runs the program, which must end with 0, and returns its standard output.
func runProgram(t *testing.T, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := run(args, strings.NewReader(""), &stdout, &stderr); code != exitDone {
		t.Fatalf("%q: exit code %d\n%s", args, code, stderr.Bytes())
	}
	return stdout.String()
}

// documentedMembers are the members that datasette's manual names on each level
// (pages Metadata, Facets, Canned queries).
var documentedMembers = map[string][]string{
	"file":     {"title", "description", "description_html", "source", "source_url", "license", "license_url", "about", "about_url", "custom_units", "databases"},
	"database": {"title", "description", "description_html", "source", "source_url", "license", "license_url", "about", "about_url", "tables", "queries"},
	"table": {"title", "description", "description_html", "source", "source_url", "license", "license_url", "about", "about_url", "columns", "units", "sort", "sort_desc",
		"size", "sortable_columns", "label_column", "hidden", "facets", "facet_size", "fts_table", "fts_pk", "searchmode"},
	"query": {"title", "description", "description_html", "sql", "params", "fragment", "hide_sql"},
}

// TestMetadataMembers holds that the metadata has documented members of
// documented types only, and every table, view, column and query.
func TestMetadataMembers(t *testing.T) {
	path := loadDemo(t)
	text := runProgram(t, "metadata", "--db", path, "--name", "w")
	if again := runProgram(t, "metadata", "--db", path, "--name", "w"); again != text {
		t.Error("the same database gives other bytes")
	}
	object := func(level string, v any) map[string]any {
		m, ok := v.(map[string]any)
		if !ok {
			t.Fatalf("%s: %T is no object", level, v)
		}
		for key, value := range m {
			if !slices.Contains(documentedMembers[level], key) {
				t.Errorf("%s: datasette's manual names no %s", level, key)
			}
			switch key {
			case "hidden":
				if value != true {
					t.Errorf("%s: hidden is %v", level, value)
				}
			case "facets", "params", "custom_units":
				for _, e := range value.([]any) {
					_ = e.(string)
				}
			case "columns", "units":
				for _, e := range value.(map[string]any) {
					_ = e.(string)
				}
			case "databases", "tables", "queries":
				_ = value.(map[string]any)
			default:
				_ = value.(string)
			}
		}
		return m
	}
	var decoded any
	if err := json.Unmarshal([]byte(text), &decoded); err != nil {
		t.Fatal(err)
	}
	file := object("file", decoded)
	database := object("database", file["databases"].(map[string]any)["w"])
	tables := database["tables"].(map[string]any)
	relations, err := store.Dictionary(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(tables) != len(relations)+1 {
		t.Errorf("%d tables, the data dictionary has %d and goose one", len(tables), len(relations))
	}
	known := map[string][]string{"goose_db_version": nil}
	for _, r := range relations {
		table := object("table", tables[r.Name])
		columns := table["columns"].(map[string]any)
		for _, c := range r.Columns {
			known[r.Name] = append(known[r.Name], c.Name)
			if got, _ := columns[c.Name].(string); !strings.HasPrefix(got, c.Meaning) || (c.Unit != "") != strings.HasSuffix(got, "["+c.Unit+"]") {
				t.Errorf("%s.%s: described as %q", r.Name, c.Name, got)
			}
			units, _ := table["units"].(map[string]any)
			if _, ok := units[c.Name]; ok != (c.Unit != "" && c.Unit != "°C" && c.Unit != "%") {
				t.Errorf("%s.%s of unit %q: unit given: %v", r.Name, c.Name, c.Unit, ok)
			}
		}
		if table["description"] != r.Meaning {
			t.Errorf("%s: described as %q", r.Name, table["description"])
		}
	}
	for name, b := range browsed() {
		for _, c := range append([]string{b.sort, b.sortDesc, b.label}, b.facets...) {
			if c != "" && !slices.Contains(known[name], c) {
				t.Errorf("there is no column %s.%s to browse by", name, c)
			}
		}
		if slices.Contains(inner(), name) {
			t.Errorf("%s is to be browsed, and hidden", name)
		}
	}
	for _, name := range inner() {
		if known[name] == nil {
			t.Errorf("there is no table %s to hide", name)
		}
	}
	shown := database["queries"].(map[string]any)
	if len(shown) != len(queries.All()) {
		t.Errorf("%d queries, the program has %d", len(shown), len(queries.All()))
	}
	for name := range shown {
		object("query", shown[name])
	}
	if got := file["license"]; got != "Apache-2.0, CC-BY-NC-ND-4.0, CC-BY-ND-4.0, refused (demo-refused), unverified (inferencex)" {
		t.Errorf("license is %v", got)
	}
}

// TestCannedQueries holds that datasette, which gives every value as text and
// an empty text for a field that was left empty, gets the rows that the query
// has.
func TestCannedQueries(t *testing.T) {
	r, err := store.OpenReader(t.Context(), loadDemo(t), store.ReaderOptions{SchemaVersion: migrations.Latest()})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	samples := map[string]any{"run": "demo-h100-tp4", "a": "demo-h100-tp8", "b": "demo-h100-tp4"}
	given := map[string]any{"limit": int64(2), "max_ttft_ms": 300.0, "max_tpot_ms": 20.0, "tolerance": 0.05, "absolute": 1.0, "as_of": "2026-05-10",
		"origin": "inferencex", "formula": "ttft", "metric": "ttft_p50", "code": "mismatch", "scenario": "none"}
	rows := func(name, text string, values map[string]any) string {
		rows, err := r.Query(t.Context(), text, values)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		defer rows.Close()
		var b strings.Builder
		for row, err := range rows.All() {
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			fmt.Fprintf(&b, "%q\n", row)
		}
		return b.String()
	}
	differ := 0 // queries for which the optional values matter
	for _, q := range queries.All() {
		canned := cannedQuery(q)
		var before string
		for _, all := range []bool{false, true} {
			values, texts := map[string]any{}, map[string]any{}
			for _, p := range q.Params {
				values[p.Name], texts[p.Name] = nil, ""
				if v, ok := samples[p.Name]; ok {
					values[p.Name], texts[p.Name] = v, fmt.Sprint(v)
				} else if v, ok := given[p.Name]; ok && all {
					values[p.Name], texts[p.Name] = v, fmt.Sprint(v)
				} else if !p.Optional {
					values[p.Name], texts[p.Name] = "demo", "demo"
				}
			}
			want, got := rows(q.Name, q.Text, values), rows(q.Name, canned.SQL, texts)
			if got != want {
				t.Errorf("%s: datasette gets\n%s\nthe query has\n%s", q.Name, got, want)
			}
			if all && want != before {
				differ++
			}
			before = want
		}
		if canned.Title == "" || strings.HasPrefix(canned.SQL, "--") || len(canned.Params) != len(q.Params) {
			t.Errorf("%s: %+v", q.Name, canned)
		}
	}
	if differ < 4 {
		t.Errorf("the optional values mattered for %d queries only", differ)
	}
}

// TestLicencesHTML holds that nothing that a registry states becomes HTML.
func TestLicencesHTML(t *testing.T) {
	evil := `<script>alert("x")</script>&'`
	got := licencesHTML([]citedLicence{{id: evil, title: evil, spdx: evil, status: evil, permits: evil, attribution: evil, terms: "https://example.org/" + evil, note: evil, sources: evil, runs: 1}})
	if strings.Contains(got, "<script") || strings.Contains(got, `"x"`) || strings.Count(got, "&lt;script&gt;") != 9 || !strings.Contains(got, "cited by 1 run.") {
		t.Error(got)
	}
	none := licenceHTML(citedLicence{id: "x", status: "unknown", runs: 2})
	if want := "<strong>x</strong>, cited by 2 runs. Status: unknown. Permits nothing."; none != want {
		t.Errorf("got %s, want %s", none, want)
	}
}

func TestDatabaseName(t *testing.T) {
	for path, want := range map[string]string{"warehouse.db": "warehouse", "a/b.c.db": "b.c", "x": "x", ".db": ".db"} {
		if got := databaseName(path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}
