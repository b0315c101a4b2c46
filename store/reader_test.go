package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// fixture writes a small database with our application id at path and runs
// more statements in it.
func fixture(t *testing.T, path string, more ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, stmt := range append([]string{
		fmt.Sprintf("PRAGMA application_id = %d", ApplicationID),
		"CREATE TABLE runs (run_id INTEGER PRIMARY KEY, name TEXT NOT NULL, isl INTEGER) STRICT",
		"INSERT INTO runs VALUES (1, 'a', 1024), (2, 'b', NULL)",
	}, more...) {
		if _, err := db.Exec(stmt); err != nil {
			t.Fatalf("%s: %v", stmt, err)
		}
	}
}

func openFixture(t *testing.T, more ...string) *Reader {
	t.Helper()
	path := filepath.Join(t.TempDir(), "w.db")
	fixture(t, path, more...)
	r, err := OpenReader(t.Context(), path, ReaderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// all is every row of a statement, copied.
func all(ctx context.Context, r *Reader, sql string, params map[string]any) ([][]any, error) {
	rows, err := r.Query(ctx, sql, params)
	if err != nil {
		return nil, err
	}
	var result [][]any
	for row, err := range rows.All() {
		if err != nil {
			return result, err
		}
		result = append(result, slices.Clone(row))
	}
	return result, nil
}

func TestOpenReaderRefuses(t *testing.T) {
	goose := []string{
		"CREATE TABLE goose_db_version (id INTEGER PRIMARY KEY AUTOINCREMENT, version_id INTEGER NOT NULL, is_applied INTEGER NOT NULL, tstamp TIMESTAMP DEFAULT (datetime('now')))",
		"INSERT INTO goose_db_version (version_id, is_applied) VALUES (0, 1), (1, 1), (7, 1), (9, 0)",
	}
	for _, tt := range []struct {
		name, want string
		opts       ReaderOptions
		make       func(t *testing.T, path string)
	}{
		{"missing file", "there is no database w.db: load creates one, --db names another", ReaderOptions{}, func(*testing.T, string) {}},
		{"directory", "w.db is not a database: it is not a regular file", ReaderOptions{}, func(t *testing.T, path string) { must(t, os.Mkdir(path, 0o777)) }},
		{"empty file", "w.db is not a warehouse: the file is empty", ReaderOptions{}, func(t *testing.T, path string) { must(t, os.WriteFile(path, nil, 0o666)) }},
		{"text file", "w.db is not an SQLite database", ReaderOptions{}, func(t *testing.T, path string) {
			must(t, os.WriteFile(path, []byte(strings.Repeat("hello\n", 500)), 0o666))
		}},
		{"short text file", "w.db is not an SQLite database", ReaderOptions{}, func(t *testing.T, path string) { must(t, os.WriteFile(path, []byte("hello\n"), 0o666)) }},
		{"foreign database", "w.db is not a warehouse: it is another application's SQLite database (application_id 0x00000007)", ReaderOptions{}, func(t *testing.T, path string) {
			fixture(t, path, "PRAGMA application_id = 7")
		}},
		{"no schema", "w.db has schema version 0, older than this program's 7: run migrate first", ReaderOptions{SchemaVersion: 7}, func(t *testing.T, path string) { fixture(t, path) }},
		{"older schema", "w.db has schema version 7, older than this program's 8: run migrate first", ReaderOptions{SchemaVersion: 8}, func(t *testing.T, path string) { fixture(t, path, goose...) }},
		{"newer schema", "w.db has schema version 7, newer than this program's 6: use a newer blis-warehouse", ReaderOptions{SchemaVersion: 6}, func(t *testing.T, path string) { fixture(t, path, goose...) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			t.Chdir(dir)
			tt.make(t, "w.db")
			before := snapshot(t, dir)
			r, err := OpenReader(t.Context(), "w.db", tt.opts)
			if err == nil {
				r.Close()
				t.Fatal("opened")
			}
			if err.Error() != tt.want {
				t.Errorf("got  %s\nwant %s", err, tt.want)
			}
			if missing := tt.name == "missing file"; errors.Is(err, fs.ErrNotExist) != missing {
				t.Errorf("fs.ErrNotExist: %v", !missing)
			}
			if after := snapshot(t, dir); after != before {
				t.Errorf("the directory changed:\n%s\n%s", before, after)
			}
		})
	}
	t.Run("the wanted schema", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "w.db")
		fixture(t, path, goose...)
		r, err := OpenReader(t.Context(), path, ReaderOptions{SchemaVersion: 7})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		if r.SchemaVersion() != 7 {
			t.Errorf("schema version %d", r.SchemaVersion())
		}
		rows, err := all(t.Context(), r, "SELECT tstamp, CAST(tstamp AS TEXT) || '' FROM goose_db_version", nil)
		if err != nil || rows[0][0] != rows[0][1] {
			t.Errorf("a TIMESTAMP column reads %v, %v", rows, err)
		}
	})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// snapshot describes every file under dir: name, mode, content.
func snapshot(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		fmt.Fprintf(&b, "%s %s %x\n", path, d.Type(), sha256.Sum256(content))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestOpenReaderTakesAnyPath(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, path := range []string{"a b?c.db", "100%41.db", "x#y.db", "é;&=.db", "file:z.db", filepath.Join(dir, "abs.db"), ".//rel.db", "-.db"} {
		// The fixture is written under a plain name: the writing driver would
		// misread these.
		fixture(t, "plain.db")
		must(t, os.Rename("plain.db", path))
		before := snapshot(t, dir)
		r, err := OpenReader(t.Context(), path, ReaderOptions{})
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		must(t, r.Close())
		if after := snapshot(t, dir); after != before {
			t.Errorf("%s: the directory changed", path)
		}
	}
}

// TestQueryCannotWrite tries every way to change something that we know.
func TestQueryCannotWrite(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	fixture(t, "w.db", "CREATE VIEW v AS SELECT name FROM runs", "CREATE VIRTUAL TABLE f USING fts5(x)")
	before := snapshot(t, dir)
	r, err := OpenReader(t.Context(), "w.db", ReaderOptions{})
	must(t, err)
	defer r.Close()
	for _, attempt := range []string{
		"INSERT INTO runs VALUES (3, 'c', 1)",
		"INSERT INTO runs VALUES (3, 'c', 1) RETURNING run_id",
		"REPLACE INTO runs VALUES (1, 'c', 1)",
		"UPDATE runs SET name = 'x'",
		"DELETE FROM runs",
		"WITH x AS (SELECT 1) DELETE FROM runs",
		"WITH x(a) AS (SELECT 9) INSERT INTO runs SELECT a, 'x', 1 FROM x",
		"WITH x(a) AS (SELECT 9) UPDATE runs SET name = 'x' RETURNING name",
		"CREATE TABLE t (a)",
		"CREATE TEMP TABLE t (a)",
		"CREATE TABLE t AS SELECT * FROM runs",
		"CREATE TEMP VIEW t AS SELECT 1",
		"CREATE VIEW t AS SELECT 1",
		"CREATE INDEX i ON runs (name)",
		"CREATE TRIGGER g AFTER INSERT ON runs BEGIN SELECT 1; END",
		"CREATE VIRTUAL TABLE t USING fts5(x)",
		"DROP TABLE runs",
		"DROP VIEW v",
		"ALTER TABLE runs ADD COLUMN x",
		"ATTACH 'new.db' AS n",
		"ATTACH ':memory:' AS n",
		"ATTACH 'file:new.db?mode=rwc' AS n",
		"DETACH main",
		"VACUUM",
		"VACUUM INTO 'copy.db'",
		"REINDEX", "ANALYZE",
		"BEGIN", "BEGIN IMMEDIATE", "COMMIT", "ROLLBACK", "SAVEPOINT s", "RELEASE s",
		"PRAGMA query_only = 0",
		"PRAGMA query_only(0)",
		"PRAGMA main.query_only = off",
		"PRAGMA journal_mode = WAL",
		"PRAGMA journal_mode",
		"PRAGMA writable_schema = 1",
		"PRAGMA user_version = 5",
		"PRAGMA application_id = 5",
		"PRAGMA schema_version = 5",
		"PRAGMA encoding = 'UTF-16'",
		"PRAGMA page_size = 512",
		"PRAGMA temp_store_directory = '.'",
		"PRAGMA data_store_directory = '.'",
		"PRAGMA trusted_schema = 1",
		"PRAGMA busy_timeout = 0",
		"PRAGMA hard_heap_limit = 1",
		"PRAGMA wal_checkpoint",
		"PRAGMA incremental_vacuum",
		"PRAGMA optimize",
		"PRAGMA locking_mode = EXCLUSIVE",
		"PRAGMA synchronous = OFF",
		"PRAGMA foreign_keys = 0",
		"PRAGMA case_sensitive_like = 1",
		"PRAGMA shrink_memory",
		"PRAGMA nosuch",
		"EXPLAIN DELETE FROM runs",
		"SELECT load_extension('x.so')",
		"SELECT LOAD_EXTENSION('x.so', 'y')",
		"SELECT writefile('new.txt', 'x')",
		"SELECT readfile('w.db')",
		"SELECT edit('x')",
		"SELECT fts3_tokenizer('simple', x'00')",
		"SELECT * FROM fsdir('.')",
		"SELECT * FROM pragma_query_only(0)",
		"SELECT * FROM pragma_journal_mode('WAL')",
		"SELECT 1; DELETE FROM runs",
		"SELECT 1;;\n-- c\n; ATTACH 'new.db' AS n",
		"SELECT 1\x00; DELETE FROM runs",
		"; DELETE FROM runs",
		"/* SELECT */ DELETE FROM runs",
	} {
		if rows, err := all(t.Context(), r, attempt, nil); err == nil {
			t.Errorf("not refused: %s: %v", attempt, rows)
		}
	}
	if after := snapshot(t, dir); after != before {
		t.Errorf("the directory changed:\n%s\n%s", before, after)
	}
	if rows, err := all(t.Context(), r, "SELECT count(*) FROM runs", nil); err != nil || rows[0][0] != int64(2) {
		t.Errorf("after all that: %v, %v", rows, err)
	}
}

func TestQueryReads(t *testing.T) {
	r := openFixture(t)
	for _, tt := range []struct {
		sql    string
		params map[string]any
		want   string
	}{
		{"SELECT 1, 2.5, 'x', x'00ff', NULL", nil, "[[1 2.5 x [0 255] <nil>]]"},
		{"SELECT typeof(x'') || typeof('')", nil, "[[blobtext]]"},
		{"SELECT 9223372036854775807, -9e999", nil, "[[9223372036854775807 -Inf]]"},
		{"SELECT name FROM runs WHERE isl > :min ORDER BY name; -- end", map[string]any{"min": int64(5)}, "[[a]]"},
		{"SELECT :a, @a, $b", map[string]any{"a": "x", "b": nil}, "[[x x <nil>]]"},
		{"WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 3) SELECT sum(x) FROM c", nil, "[[6]]"},
		{"VALUES (1), (2)", nil, "[[1] [2]]"},
		{"PRAGMA user_version", nil, "[[0]]"},
		{"PRAGMA integrity_check", nil, "[[ok]]"},
		{"PRAGMA foreign_key_check", nil, "[]"},
		{"SELECT name FROM pragma_table_info('runs') ORDER BY cid", nil, "[[run_id] [name] [isl]]"},
		{"SELECT value FROM json_each('[1,2]')", nil, "[[1] [2]]"},
		{"SELECT name FROM runs WHERE 0", nil, "[]"},
	} {
		rows, err := all(t.Context(), r, tt.sql, tt.params)
		if got := fmt.Sprint(rows); err != nil || got != tt.want {
			t.Errorf("%s: got %s, %v", tt.sql, got, err)
		}
	}
	if rows, err := all(t.Context(), r, "EXPLAIN QUERY PLAN SELECT * FROM runs", nil); err != nil || len(rows) == 0 {
		t.Errorf("EXPLAIN QUERY PLAN: %v, %v", rows, err)
	}
	rows, err := r.Query(t.Context(), "SELECT name AS n, 1 AS n, isl FROM runs WHERE 0", nil)
	must(t, err)
	if got := rows.Columns(); !slices.Equal(got, []string{"n", "n", "isl"}) {
		t.Errorf("columns %q", got)
	}
	must(t, rows.Close())
	must(t, rows.Close())
}

func TestQueryErrors(t *testing.T) {
	r := openFixture(t)
	for _, tt := range []struct {
		sql, message, at, unknown, known string
	}{
		{"-- c\nSELECT *\nFROM runz", "no such table: runz", "runz", "runz", "runs"},
		{"SELECT r.nam FROM runs AS r", "no such column: r.nam", "r.nam", "nam", "name"},
		{"SELECT \"nam\" FROM runs", `no such column: "nam" - should this be a string literal in single-quotes?`, "\"nam\"", "nam", "name"},
		{"SELECT medium(isl) FROM runs", "no such function: medium", "medium", "medium", "max"},
		{"SELECT 'FORM', 1 FORM runs", `near "runs": syntax error`, "runs", "", ""},
		{"SELECT FROM", `near "FROM": syntax error`, "FROM", "", ""},
		{"SELECT (1", "incomplete input", "", "", ""},
		{"SELECT 1; SELECT 2", "more than one statement: only one is run at a time", "SELECT 2", "", ""},
		{"", "no SQL statement", "", "", ""},
		{"SELEC 1", "only reading statements are run (SELECT, WITH, VALUES, EXPLAIN, PRAGMA)", "SELEC 1", "SELEC", "SELECT"},
		{"ATTACH 'x' AS y", "only reading statements are run (SELECT, WITH, VALUES, EXPLAIN, PRAGMA)", "ATTACH", "ATTACH", "WITH"},
		{"SELECT runz.name AS runz\nFROM (SELECT 1), runz", "no such table: runz", "runz", "runz", "runs"},
		{"SELECT abs(1, 2)", "wrong number of arguments to function abs()", "abs(", "", ""},
		{"WITH x AS (SELECT 1) DELETE FROM runs", "the warehouse is only read here: DELETE is refused", "", "", ""},
		{"SELECT abs(-9223372036854775807 - 1)", "integer overflow", "", "", ""},
		{"SELECT json(:x)", "malformed JSON", "", "", ""},
		{"SELECT zeroblob(500000000)", "a value is longer than 256 MiB", "", "", ""},
	} {
		params := map[string]any{}
		if strings.Contains(tt.sql, ":x") {
			params["x"] = "{"
		}
		_, err := all(t.Context(), r, tt.sql, params)
		e, ok := errors.AsType[*QueryError](err)
		if !ok {
			t.Errorf("%s: got %v", tt.sql, err)
			continue
		}
		if e.Message != tt.message || e.Unknown != tt.unknown {
			t.Errorf("%s: message %q, unknown %q", tt.sql, e.Message, e.Unknown)
		}
		if strings.Contains(tt.sql, "AS runz") && e.Offset != strings.LastIndex(tt.sql, "runz") {
			t.Errorf("%s: offset %d", tt.sql, e.Offset)
		}
		if e.Message == "incomplete input" {
			if e.Offset != len(tt.sql) {
				t.Errorf("%s: offset %d", tt.sql, e.Offset)
			}
			continue
		}
		if tt.at == "" != (e.Offset < 0) || tt.at != "" && !strings.HasPrefix(tt.sql[e.Offset:], tt.at) {
			t.Errorf("%s: offset %d", tt.sql, e.Offset)
		}
		if tt.known != "" && !slices.Contains(e.Known, tt.known) {
			t.Errorf("%s: known %q", tt.sql, e.Known)
		}
	}
}

// TestQueryErrorColumns holds which names an error about a column comes with: the
// columns of the relation that it is looked for in, the other relations that
// have it, and what an ambiguous one may mean.
func TestQueryErrorColumns(t *testing.T) {
	r := openFixture(t, "CREATE TABLE points (point_id INTEGER PRIMARY KEY, run_id INTEGER, load INTEGER) STRICT", "CREATE VIEW loads AS SELECT load, run_id FROM points")
	for _, tt := range []struct{ sql, known, elsewhere, choices string }{
		{"SELECT nam FROM runs", "isl name run_id", "", ""},
		{"SELECT nam FROM runs AS r JOIN points p USING (run_id)", "isl load name point_id run_id", "", ""},
		{"SELECT r.nam FROM runs AS r JOIN points p USING (run_id)", "isl name run_id", "", ""},
		{"SELECT runs.nam FROM runs WHERE name = 'points'", "isl name run_id", "", ""},
		{"SELECT load FROM \"runs\" -- points", "isl name run_id", "loads points", ""},
		{"SELECT p.name FROM runs r, points p", "load point_id run_id", "runs", ""},
		{"WITH c AS (SELECT 1 AS n) SELECT c.m FROM c", "isl load name point_id run_id", "", ""},
		{"SELECT run_id FROM runs r JOIN points", "", "", "r.run_id points.run_id"},
		{"SELECT points.load, run_id FROM points, runs AS r, loads", "", "", "points.run_id r.run_id loads.run_id"},
	} {
		_, err := all(t.Context(), r, tt.sql, nil)
		e, ok := errors.AsType[*QueryError](err)
		if !ok {
			t.Errorf("%s: got %v", tt.sql, err)
			continue
		}
		if known, elsewhere, choices := strings.Join(e.Known, " "), strings.Join(e.Elsewhere, " "), strings.Join(e.Choices, " "); known != tt.known || elsewhere != tt.elsewhere || choices != tt.choices {
			t.Errorf("%s: %v: known %q, elsewhere %q, choices %q", tt.sql, err, known, elsewhere, choices)
		}
		if e.Offset < 0 {
			t.Errorf("%s: no offset", tt.sql)
		}
	}
}

func TestQueryParameters(t *testing.T) {
	r := openFixture(t)
	for _, tt := range []struct {
		params map[string]any
		want   string
	}{
		{nil, "no value for parameter :b, :a"},
		{map[string]any{"a": int64(1)}, "no value for parameter :b"},
		{map[string]any{"a": int64(1), "b": int64(1), "d": nil, "c": nil}, "the statement has no parameter :c, :d"},
	} {
		_, err := all(t.Context(), r, "SELECT :b, :a", tt.params)
		if err == nil || err.Error() != tt.want {
			t.Errorf("%v: got %v", tt.params, err)
		}
	}
}

// TestQueryEndsWithContext holds that an endless statement stops, whether it
// is endless before its first row or after.
func TestQueryEndsWithContext(t *testing.T) {
	const endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) "
	for name, sql := range map[string]string{
		"before the first row": endless + "SELECT count(*) FROM c",
		"between rows":         endless + "SELECT 0 UNION ALL SELECT count(*) FROM c",
		"with endless rows":    endless + "SELECT x FROM c",
	} {
		t.Run(name, func(t *testing.T) {
			r := openFixture(t)
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			if _, err := all(ctx, r, sql, nil); !errors.Is(err, context.DeadlineExceeded) {
				t.Fatalf("got %v", err)
			}
			if rows, err := all(t.Context(), r, "SELECT count(*) FROM runs", nil); err != nil || rows[0][0] != int64(2) {
				t.Errorf("the next statement: %v, %v", rows, err)
			}
		})
	}
}

// TestReaderSeesOneSnapshot holds that a Reader does not see what is written
// after it was opened, and does not stop the writer for good.
func TestReaderSeesOneSnapshot(t *testing.T) {
	path := filepath.Join(t.TempDir(), "w.db")
	fixture(t, path)
	r, err := OpenReader(t.Context(), path, ReaderOptions{})
	must(t, err)
	rows, err := r.Query(t.Context(), "SELECT run_id FROM runs ORDER BY run_id", nil)
	must(t, err)
	for range rows.All() {
		inner, err := all(t.Context(), r, "SELECT count(*) FROM runs", nil)
		if err != nil || inner[0][0] != int64(2) {
			t.Errorf("a statement inside another: %v, %v", inner, err)
		}
	}
	db, err := sql.Open("sqlite", path)
	must(t, err)
	defer db.Close()
	if _, err := db.Exec("DELETE FROM runs"); err == nil {
		t.Error("a writer committed under an open reader")
	}
	must(t, r.Close())
	if _, err := db.Exec("DELETE FROM runs"); err != nil {
		t.Errorf("after the reader was closed: %v", err)
	}
}

// TestOpenReaderAfterCrash holds that a database whose writer died is read as
// it was before the write.
func TestOpenReaderAfterCrash(t *testing.T) {
	t.Chdir(t.TempDir())
	fixture(t, "w.db")
	db, err := sql.Open("sqlite", "w.db?_pragma=cache_size(1)")
	must(t, err)
	db.SetMaxOpenConns(1)
	defer db.Close()
	for _, stmt := range []string{"BEGIN", "UPDATE runs SET name = hex(zeroblob(50000))"} {
		_, err := db.Exec(stmt)
		must(t, err)
	}
	crashed := t.TempDir()
	for _, name := range []string{"w.db", "w.db-journal"} {
		content, err := os.ReadFile(name)
		must(t, err)
		must(t, os.WriteFile(filepath.Join(crashed, name), content, 0o666))
	}
	t.Chdir(crashed)
	if _, err := open(t.Context(), "w.db", ReaderOptions{}); !errors.Is(err, errUnfinishedWrite) {
		t.Fatalf("the database needs no restoring: %v", err)
	}
	r, err := OpenReader(t.Context(), "w.db", ReaderOptions{})
	must(t, err)
	defer r.Close()
	if rows, err := all(t.Context(), r, "SELECT name FROM runs ORDER BY run_id", nil); err != nil || fmt.Sprint(rows) != "[[a] [b]]" {
		t.Errorf("got %v, %v", rows, err)
	}
}

// TestBrokenView holds that a view that names what does not exist, as a damaged
// schema may, ends a statement that meets it, and not the program that wants
// to tell which names there are.
func TestBrokenView(t *testing.T) {
	t.Chdir(t.TempDir())
	fixture(t, "w.db", "CREATE VIEW broken AS SELECT d.iind FROM runs AS d")
	r, err := OpenReader(t.Context(), "w.db", ReaderOptions{})
	must(t, err)
	defer r.Close()
	for _, query := range []string{"SELECT * FROM broken", "SELECT nosuch FROM runs"} {
		if rows, err := all(t.Context(), r, query, nil); err == nil || !strings.Contains(err.Error(), "no such column") {
			t.Errorf("%s: %v, %v", query, rows, err)
		}
	}
}
