package store

import (
	"bytes"
	"context"
	"database/sql"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// oddNames are file names that a URI, a query string or a path could be mistaken in.
var oddNames = []string{
	"w.db", "a b?c#d%41&mode=rw", "?mode=rwc", "#", "%", "%2e%2e", "a%00b", "file:x?vfs=unix-none", ":memory:", "two\nlines", "tab\t", "\xff\xfe",
	"é", "\u202e", "a;b", "a'b\"c", "-rf", "~", "C:", "a\\b", "&cache=shared", "+", "=", "immutable=1",
}

// FuzzFileDSN holds that whatever a file is called, exactly that file is opened
// and nothing is created beside it.
func FuzzFileDSN(f *testing.F) {
	for _, name := range oddNames {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if name == "." || name == ".." || len(name) > 200 || strings.ContainsAny(name, "/\x00") || name == "" {
			return // no name of a file
		}
		dir := t.TempDir()
		template := filepath.Join(t.TempDir(), "template")
		fixture(t, template, "UPDATE runs SET name = 'the file that was named' WHERE run_id = 1")
		content, err := os.ReadFile(template)
		must(t, err)
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, content, 0o666); err != nil {
			return // the file system takes no such name
		}
		r, err := OpenReader(context.Background(), path, ReaderOptions{})
		if err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		rows, err := all(t.Context(), r, "SELECT name FROM runs WHERE run_id = 1", nil)
		if err != nil || rows[0][0] != "the file that was named" {
			t.Fatalf("%q: %v, %v", name, rows, err)
		}
		must(t, r.Close())
		dsn, err := fileDSN(path, url.Values{"mode": {"rw"}})
		must(t, err)
		db, err := sql.Open("sqlite", dsn)
		must(t, err)
		_, err = db.Exec("UPDATE runs SET name = 'written' WHERE run_id = 1")
		must(t, err)
		must(t, db.Close())
		after, err := os.ReadFile(path)
		must(t, err)
		if !bytes.Contains(after, []byte("written")) {
			t.Fatalf("%q: another file was written", name)
		}
		entries, err := os.ReadDir(dir)
		must(t, err)
		if len(entries) != 1 || entries[0].Name() != name {
			t.Fatalf("%q: left %v", name, entries)
		}
	})
}

// FuzzQueryChangesNothing holds that no text makes a Reader change the database
// or its directory, and that the Reader answers afterwards as before.
func FuzzQueryChangesNothing(f *testing.F) {
	for _, s := range writingAttempts {
		f.Add(s)
	}
	for _, s := range []string{"SELECT * FROM runs", "SELECT json(:x)", "VALUES (1)", "PRAGMA integrity_check", "EXPLAIN SELECT 1", "WITH a AS (SELECT 1) SELECT * FROM a", "SELECT $a(b)"} {
		f.Add(s)
	}
	dir := f.TempDir()
	path := filepath.Join(dir, "w.db")
	f.Chdir(dir)
	db, err := sql.Open("sqlite", path)
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range []string{"PRAGMA application_id = 1112295767", "CREATE TABLE runs (run_id INTEGER PRIMARY KEY, name TEXT) STRICT", "INSERT INTO runs VALUES (1, 'a')"} {
		if _, err := db.Exec(s); err != nil {
			f.Fatal(err)
		}
	}
	db.Close()
	before, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := OpenReader(context.Background(), path, ReaderOptions{})
		must(t, err)
		defer r.Close()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if rows, err := r.Query(ctx, text, nil); err == nil {
			for range 1000 {
				if !rows.Next() {
					break
				}
			}
			rows.Close()
		}
		got, err := all(t.Context(), r, "SELECT name FROM runs", nil)
		if err != nil || len(got) != 1 || got[0][0] != "a" {
			t.Fatalf("%q: afterwards %v, %v", text, got, err)
		}
		after, err := os.ReadFile(path)
		must(t, err)
		entries, err := os.ReadDir(dir)
		must(t, err)
		if !bytes.Equal(before, after) || len(entries) != 1 {
			t.Fatalf("%q changed the database or its directory: %v", text, entries)
		}
	})
}

// writingAttempts are statements that would do more than read, by design/traps
// and beyond; none may run. TestReadOnly of the program runs them too.
var writingAttempts = []string{
	"DELETE FROM runs", "INSERT INTO runs VALUES (9, 'x')", "REPLACE INTO runs VALUES (1, 'x')", "UPDATE runs SET name = 'x'", "TRUNCATE runs",
	"WITH x AS (SELECT 1) DELETE FROM runs", "WITH x AS (SELECT 1) INSERT INTO runs SELECT 9, 'x'", "WITH x AS (SELECT 1) UPDATE runs SET name = 'x'",
	"CREATE TABLE t (a)", "CREATE TEMP TABLE t (a)", "CREATE TABLE temp.t AS SELECT 1", "CREATE VIEW v AS SELECT 1", "CREATE TEMP VIEW v AS SELECT 1",
	"CREATE TRIGGER g AFTER INSERT ON runs BEGIN SELECT 1; END", "CREATE INDEX i ON runs (name)", "DROP TABLE runs", "ALTER TABLE runs ADD COLUMN x",
	"CREATE VIRTUAL TABLE f USING fts5(a)", "CREATE VIRTUAL TABLE f USING rtree(a, b, c)", "CREATE VIRTUAL TABLE f USING csv(filename='w.db')",
	"CREATE VIRTUAL TABLE temp.f USING fts5vocab('a', 'row')", "REINDEX", "ANALYZE", "VACUUM", "VACUUM INTO 'new.db'",
	"ATTACH 'new.db' AS n", "ATTACH ':memory:' AS n", "ATTACH '' AS n", "DETACH main", "BEGIN", "BEGIN IMMEDIATE", "COMMIT", "END", "ROLLBACK", "SAVEPOINT s", "RELEASE s",
	"PRAGMA query_only = 0", "PRAGMA query_only(0)", "PRAGMA writable_schema = 1", "PRAGMA writable_schema(RESET)", "PRAGMA journal_mode = WAL", "PRAGMA journal_mode(DELETE)",
	"PRAGMA temp_store_directory = '/tmp'", "PRAGMA data_store_directory = '/tmp'", "PRAGMA temp_store = 1", "PRAGMA user_version = 7", "PRAGMA application_id = 7",
	"PRAGMA schema_version = 7", "PRAGMA auto_vacuum = 1", "PRAGMA incremental_vacuum", "PRAGMA wal_checkpoint", "PRAGMA optimize", "PRAGMA shrink_memory",
	"PRAGMA cache_size = 1000000", "PRAGMA mmap_size = 1000000", "PRAGMA page_size = 512", "PRAGMA encoding = 'UTF-16'", "PRAGMA locking_mode = EXCLUSIVE",
	"PRAGMA trusted_schema = 1", "PRAGMA foreign_keys = 0", "PRAGMA recursive_triggers = 1", "PRAGMA synchronous = 0", "PRAGMA threads = 8", "PRAGMA busy_timeout = 1",
	"PRAGMA hard_heap_limit = 0", "PRAGMA soft_heap_limit = 1", "PRAGMA case_sensitive_like = 1", "PRAGMA legacy_alter_table = 1", "PRAGMA ignore_check_constraints = 1",
	"PRAGMA main.user_version = 7", "PRAGMA temp.user_version = 7", "PRAGMA analysis_limit = 1", "PRAGMA cell_size_check = 0", "PRAGMA reverse_unordered_selects = 1",
	"PRAGMA vdbe_trace = 1", "PRAGMA parser_trace = 1", "PRAGMA hexkey = '00'", "PRAGMA key = 'x'", "PRAGMA rekey = 'x'", "PRAGMA nosuch", "PRAGMA nosuch = 1",
	"SELECT * FROM pragma_query_only(0)", "SELECT * FROM pragma_journal_mode('WAL')", "SELECT * FROM pragma_user_version(7)", "SELECT * FROM pragma_writable_schema(1)",
	"SELECT load_extension('x')", "SELECT readfile('w.db')", "SELECT writefile('new.txt', 'x')", "SELECT edit('x')", "SELECT fts3_tokenizer('simple', x'00')",
	"SELECT * FROM fsdir('.')", "SELECT * FROM csv('w.db')", "SELECT * FROM zipfile('w.db')", "UPDATE sqlite_dbpage SET data = x'00'", "SELECT writefile('a', data) FROM sqlite_dbpage",
	"UPDATE sqlite_schema SET sql = ''", "DELETE FROM sqlite_schema", "INSERT INTO sqlite_temp_schema VALUES (1, 2, 3, 4, 5)",
	"SELECT 1; DELETE FROM runs", "SELECT 1;;\n-- c\n; ATTACH 'new.db' AS n", "SELECT 1\x00; DELETE FROM runs", "; DELETE FROM runs", "/* SELECT */ DELETE FROM runs",
	"SELECT 1 /*; */ ; DELETE FROM runs", "SELECT ';' ; DELETE FROM runs", ".shell touch new", ".open new.db", ".read w.db", "EXPLAIN DELETE FROM runs", "EXPLAIN QUERY PLAN DELETE FROM runs",
	"SELECT 1 INTO OUTFILE 'new.txt'", "COPY runs TO 'new.csv'", "SELECT sqlite_log(1, 'x')", "SELECT * FROM bytecode('DELETE FROM runs')",
}

// TestNoAttemptRuns holds that each of the attempts is refused, not only without effect.
func TestNoAttemptRuns(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	fixture(t, "w.db")
	before := snapshot(t, dir)
	r, err := OpenReader(context.Background(), "w.db", ReaderOptions{})
	must(t, err)
	defer r.Close()
	for _, attempt := range writingAttempts {
		if rows, err := all(t.Context(), r, attempt, nil); err == nil {
			t.Errorf("not refused: %s: %v", attempt, rows)
		}
	}
	if after := snapshot(t, dir); after != before {
		t.Errorf("the directory changed:\n%s\n%s", before, after)
	}
}
