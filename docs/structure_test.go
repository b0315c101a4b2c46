package docs_test

import (
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/inference-sim/blis-warehouse/migrations"
	"github.com/inference-sim/blis-warehouse/queries"
	"github.com/inference-sim/blis-warehouse/queries/statement"
	"github.com/inference-sim/blis-warehouse/store"
)

const module = "github.com/inference-sim/blis-warehouse/"

// mayImport are the packages of ours that each directory's packages may import.
// A directory that is not listed is an error: decide where it belongs.
var mayImport = map[string][]string{
	"bench":                     {"bench/invented"},
	"bench/invented":            {},
	"cmd/blis-warehouse":        {"loader", "loader/catalog", "loader/fetch", "loader/fetch/ledger", "loader/inferencex", "migrations", "queries", "queries/export", "queries/lineage", "queries/page", "queries/plot", "queries/statement", "queries/trace", "queries/visible", "store", "store/record"},
	"docs":                      {},
	"loader":                    {"loader/catalog", "loader/catalog/credential", "loader/fetch/ledger", "loader/inferencex", "store", "store/record"},
	"loader/catalog":            {"loader/catalog/credential", "store/record"},
	"loader/catalog/credential": {},
	"loader/fetch":              {"loader/catalog/credential", "loader/fetch/ledger"},
	"loader/fetch/ledger":       {},
	"loader/inferencex":         {"store/record"},
	"migrations":                {},
	"queries":                   {"queries/statement"},
	"queries/difference":        {"store/record"},
	"queries/export":            {"queries", "queries/statement", "queries/visible", "store", "store/record"},
	"queries/lineage":           {"loader/catalog", "queries", "queries/difference", "queries/export", "store", "store/record"},
	"queries/page":              {"queries", "queries/plot", "queries/visible", "store"},
	"queries/plot":              {"queries", "queries/visible", "store"},
	"queries/statement":         {},
	"queries/trace":             {"queries", "store"},
	"queries/visible":           {},
	"store":                     {"migrations", "queries/statement", "store/record"},
	"store/record":              {},
}

// withoutSQL are the packages that know no database.
var withoutSQL = []string{"loader", "loader/catalog", "loader/catalog/credential", "loader/fetch", "loader/fetch/ledger", "loader/inferencex", "migrations", "queries", "queries/difference", "queries/statement", "queries/visible", "store/record"}

// TestImportDirection holds that data and imports go one way: from the
// commands to the loader to the store to the migrations.
func TestImportDirection(t *testing.T) {
	seen := map[string]bool{}
	err := filepath.WalkDir("..", func(p string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && p != ".." && (strings.HasPrefix(e.Name(), ".") || e.Name() == "testdata" || e.Name() == "bin") {
			return fs.SkipDir
		}
		if e.IsDir() || filepath.Ext(p) != ".go" || strings.HasSuffix(p, "_test.go") {
			return nil
		}
		dir := filepath.ToSlash(filepath.Dir(strings.TrimPrefix(p, "../")))
		allowed, ok := mayImport[dir]
		if !ok {
			t.Errorf("%s: the directory has no place in the order of packages", p)
		}
		seen[dir] = true
		file, err := parser.ParseFile(token.NewFileSet(), p, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, i := range file.Imports {
			name, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return err
			}
			if ours, ok := strings.CutPrefix(name, module); ok && !slices.Contains(allowed, ours) {
				t.Errorf("%s imports %s", p, ours)
			}
			if (strings.HasPrefix(name, "database/sql") || strings.HasPrefix(name, "modernc.org/")) && slices.Contains(withoutSQL, dir) {
				t.Errorf("%s imports %s", p, name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(seen) < 8 {
		t.Errorf("only %d packages were found", len(seen))
	}
}

// TestDocumented holds that every command is explained in docs/contract.md,
// every shipped query, table and view is named in the documents, and every
// problem rule of the loader is listed in docs/rules.md or docs/inferencex.md.
func TestDocumented(t *testing.T) {
	contract := read(t, "docs/contract.md")
	for _, name := range commandNames(t) {
		if !strings.Contains(contract, "### `"+name) {
			t.Errorf("docs/contract.md has no section on the command %s", name)
		}
	}
	readme := read(t, "README.md")
	for _, q := range append(queries.All(), queries.Checks()...) {
		if !strings.Contains(readme, code(q.Name)) {
			t.Errorf("README.md does not name the query %s", q.Name)
		}
	}
	for dir, doc := range map[string]string{"loader": "docs/rules.md", "loader/inferencex": "docs/inferencex.md"} {
		rules := rulesIn(t, dir)
		if len(rules) < 4 {
			t.Errorf("only %d rules were found in %s: %q", len(rules), dir, rules)
		}
		for _, rule := range rules {
			if !strings.Contains(read(t, doc), code(rule)) {
				t.Errorf("%s does not explain the rule %s of %s", doc, rule, dir)
			}
		}
	}
}

// rulesIn are the names of the rules that a package's source gives to
// problems: the third argument of what makes one, the field of one, or a
// variable called rule.
func rulesIn(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob("../" + dir + "/*.go")
	if err != nil {
		t.Fatal(err)
	}
	var rules []string
	literal := func(e ast.Expr) {
		if l, ok := e.(*ast.BasicLit); ok && l.Kind == token.STRING {
			rule, err := strconv.Unquote(l.Value)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasSuffix(rule, "-") { // the beginning of a name that is put together
				rules = append(rules, rule)
			}
		}
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if s, ok := n.Fun.(*ast.SelectorExpr); ok && len(n.Args) > 3 && (s.Sel.Name == "refuse" || s.Sel.Name == "problem") {
					literal(n.Args[2])
				}
			case *ast.AssignStmt:
				if k, ok := n.Lhs[0].(*ast.Ident); ok && k.Name == "rule" {
					literal(n.Rhs[0])
				}
			case *ast.KeyValueExpr:
				if k, ok := n.Key.(*ast.Ident); ok && strings.EqualFold(k.Name, "rule") {
					literal(n.Value)
				}
			case *ast.CompositeLit:
				if k, ok := n.Type.(*ast.Ident); ok && k.Name == "fileError" {
					literal(n.Elts[1])
				}
			}
			return true
		})
	}
	slices.Sort(rules)
	return slices.Compact(rules)
}

// demoDatabase loads all of the demonstration data that is valid.
func demoDatabase(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "demo.db")
	run(t, "load", "--db", path, "testdata/demo/catalog", "testdata/demo/files/demo-lone-file.yaml",
		"testdata/demo/captures/benchmarks.json", "testdata/demo/captures/benchmarks-history.json", "testdata/demo/series", "testdata/demo/evaluations")
	return path
}

// shippedQuery is a query with values for its parameters.
type shippedQuery struct {
	queries.Query
	values map[string]any
}

// shippedQueries are all queries of the program, those of show and export
// included, with values that the demonstration data has.
func shippedQueries(t *testing.T) []shippedQuery {
	t.Helper()
	all := append(append(queries.All(), queries.Checks()...), queries.Sections()...)
	var files []string
	for _, dir := range []string{"export", "lineage", "page", "plot", "trace"} {
		found, err := filepath.Glob("../queries/" + dir + "/*.sql")
		if err != nil || len(found) == 0 {
			t.Fatalf("the queries of %s: %v", dir, err)
		}
		files = append(files, found...)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		st, err := statement.Parse(string(content))
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		q := queries.Query{Name: strings.TrimPrefix(file, "../"), Text: string(content)} // without header, so without columns
		for _, p := range st.Params {
			q.Params = append(q.Params, queries.Param{Name: p})
		}
		all = append(all, q)
	}
	samples := map[string]any{"run": "demo-h100-tp4", "name": "demo-h100-tp4", "runs": "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]",
		"licences": `["demo-open","demo-score"]`, "names": `["demo-h100-tp4","demo-h100-tp8"]`, "verdict": "EXACT", "run_id": int64(1), "set_a": int64(1), "set_b": int64(1),
		"identity": "ttft median", "a": "inferencex-100000001-1-070791e3156b", "b": "demo-h100-tp8", "licence": "demo-open", "accept": "unofficial"}
	var shipped []shippedQuery
	for _, q := range all {
		values := map[string]any{}
		for _, p := range q.Params {
			switch v, ok := samples[p.Name]; {
			case ok:
				values[p.Name] = v
			case p.Optional:
				values[p.Name] = nil
			default:
				values[p.Name] = ""
			}
		}
		shipped = append(shipped, shippedQuery{q, values})
	}
	return shipped
}

// TestQueryColumns holds that every query's header names the columns it returns.
func TestQueryColumns(t *testing.T) {
	r, err := store.OpenReader(t.Context(), demoDatabase(t), store.ReaderOptions{SchemaVersion: migrations.Latest()})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var empty []string
	for _, q := range shippedQueries(t) {
		columns, n := queryResult(t, r, q)
		if q.Columns != nil && !slices.Equal(columns, q.Columns) {
			t.Errorf("%s: returns %q, declares %q", q.Name, columns, q.Columns)
		}
		if n == 0 && !q.Check() {
			empty = append(empty, q.Name)
		}
	}
	if want := slices.Sorted(slices.Values(emptyOnDemo)); !slices.Equal(slices.Sorted(slices.Values(empty)), want) {
		t.Errorf("these queries return nothing on the demonstration data:\n%q\nexpected are\n%q", slices.Sorted(slices.Values(empty)), want)
	}
}

// emptyOnDemo are the queries that need not return anything on the
// demonstration data, with the values of shippedQueries. Every other query has
// something to show there.
var emptyOnDemo = []string{
	"18-evaluation", "22-evaluation-values", "evaluation-points", // demo-h100-tp4 is no evaluation run
	"false-declarations", "licence-notes", // nothing is wrong with the demonstration data
	"evaluations", "reliability", // they are of a dump
	"captures", "asked-points", "published-id", "accuracy-throughput", "published-evaluations", "published-reliability", // which captures of those operations bring
	"flagged-points", "19-inferencex", "23-raw", "goodput", // the run that stands for all is one of the catalog, and states no goodput
	"10-storage", "13-offload", "14-tiers", "15-transfer", "17-trace", "18-slo", // which has none of these
	"queries/export/reasons-document.sql", "queries/export/reasons-redistribution.sql", // and may leave
	"inferencex-revisions", "run-captures", "benchmark-siblings", "run-circumstances", "run-collectives", // and comes from no capture
	"agentic-aggregates", "published-agentic-aggregates", // which diagnostics bring
	"derived-agentic-metrics", "timeline-concurrency", "timeline-summary", "timeline-trace", "queries/trace/contradictions.sql", "queries/trace/phases.sql", "queries/trace/timelines.sql", // which captured timelines bring
	"log-files", "log-search", // and has no server logs
	"queries/plot/pareto-points.sql",                                         // no model is called ""
	"queries/lineage/evaluation.sql", "queries/lineage/version-contents.sql", // there is no version with the digest ""
}

func queryResult(t *testing.T, r *store.Reader, q shippedQuery) (columns []string, n int) {
	t.Helper()
	rows, err := r.Query(context.Background(), q.Text, q.values)
	if err != nil {
		t.Fatalf("%s: %v", q.Name, err)
	}
	defer rows.Close()
	for _, err := range rows.All() {
		if err != nil {
			t.Fatalf("%s: %v", q.Name, err)
		}
		n++
	}
	return rows.Columns(), n
}

// TestStockShell runs every view and every query unchanged in the sqlite3
// shell, and compares the columns and the number of rows.
func TestStockShell(t *testing.T) {
	shell, err := exec.LookPath("sqlite3")
	if err != nil {
		t.Skip("NOT RUN: there is no sqlite3 shell on PATH, so nothing holds that views and queries work without this program")
	}
	path := demoDatabase(t)
	r, err := store.OpenReader(t.Context(), path, store.ReaderOptions{SchemaVersion: migrations.Latest()})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	all := shippedQueries(t)
	relations, err := store.Dictionary(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, rel := range relations {
		q := queries.Query{Name: rel.Kind + " " + rel.Name, Text: "SELECT * FROM " + rel.Name + ";\n"}
		for _, c := range rel.Columns {
			q.Columns = append(q.Columns, c.Name)
		}
		all = append(all, shippedQuery{q, nil})
	}
	for _, q := range all {
		columns, want := queryResult(t, r, q)
		if q.Columns != nil && !slices.Equal(columns, q.Columns) {
			t.Errorf("%s: has columns %q, documented are %q", q.Name, columns, q.Columns)
		}
		got, err := runShell(t, shell, path, q)
		if err != nil {
			t.Errorf("%s: %v", q.Name, err)
			continue
		}
		if len(got) != want {
			t.Errorf("%s: %d rows in the stock shell, %d in the program", q.Name, len(got), want)
		}
		for _, row := range got[:min(1, len(got))] {
			for _, c := range columns {
				if _, ok := row[c]; !ok {
					t.Errorf("%s: the stock shell has no column %s", q.Name, c)
				}
			}
		}
	}
}

// TestStockShellFindsNothingWrong holds that the shell's own checks pass over a
// database that has rows of every kind: a constraint may mean something else to
// an older SQLite (json_valid(NULL) is 0 up to 3.44).
func TestStockShellFindsNothingWrong(t *testing.T) {
	shell, err := exec.LookPath("sqlite3")
	if err != nil {
		t.Skip("NOT RUN: there is no sqlite3 shell on PATH, so nothing holds that it finds a database whole")
	}
	path := demoDatabase(t)
	run(t, "load", "--db", path, "testdata/demo/fetched", "loader/testdata/bodies", "loader/testdata/asked")
	out, err := exec.CommandContext(t.Context(), shell, "-batch", "-init", "/dev/null", path, "PRAGMA integrity_check; PRAGMA foreign_key_check").CombinedOutput()
	if err != nil || string(out) != "ok\n" {
		t.Errorf("%v: %.400s", err, out)
	}
}

// runShell runs a query in the sqlite3 shell and returns its rows.
func runShell(t *testing.T, shell, path string, q shippedQuery) ([]map[string]any, error) {
	t.Helper()
	var input strings.Builder
	input.WriteString(".bail on\n.mode json\n.parameter init\n")
	for name, v := range q.values {
		switch v := v.(type) {
		case nil: // a parameter that is not set is NULL
		case string:
			fmt.Fprintf(&input, ".parameter set :%s \"'%s'\"\n", name, strings.ReplaceAll(v, `"`, `\"`))
		default:
			fmt.Fprintf(&input, ".parameter set :%s %v\n", name, v)
		}
	}
	input.WriteString(q.Text)
	cmd := exec.CommandContext(t.Context(), shell, "-batch", "-init", "/dev/null", path)
	cmd.Stdin = strings.NewReader(input.String())
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil || stderr.Len() > 0 {
		return nil, fmt.Errorf("%v: %s", err, stderr.String())
	}
	var rows []map[string]any
	if len(out) > 0 {
		if err := json.Unmarshal(out, &rows); err != nil {
			return nil, fmt.Errorf("%w: %.300s", err, out)
		}
	}
	return rows, nil
}
