package store

import (
	"bytes"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/inference-sim/blis-warehouse/migrations"
	"github.com/inference-sim/blis-warehouse/store/record"
)

// databaseOf makes a database of an earlier schema that holds what that schema
// can hold of a database of this one.
func databaseOf(t *testing.T, path string, version int64, full string) (rows int) {
	t.Helper()
	databaseAt(t, path, version)
	db, err := sql.Open("sqlite", path)
	must(t, err)
	defer db.Close()
	db.SetMaxOpenConns(1)
	exec := func(query string, args ...any) int {
		r, err := db.Exec(query, args...)
		if err != nil {
			t.Fatalf("schema %d: %s: %v", version, query, err)
		}
		n, err := r.RowsAffected()
		must(t, err)
		return int(n)
	}
	exec(`ATTACH ? AS filled`, full)
	for _, table := range column(t, db, `SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'goose_db_version' ORDER BY rowid`) {
		columns := column(t, db, `SELECT '"' || name || '"' FROM pragma_table_info('`+table+`', 'main') WHERE name IN (SELECT name FROM pragma_table_info('`+table+`', 'filled'))`)
		list := strings.Join(columns, ", ")
		exec(`DELETE FROM main.` + table) // what a migration puts there is in the filled one too
		rows += exec(`INSERT INTO main.` + table + ` (` + list + `) SELECT ` + list + ` FROM filled.` + table)
	}
	if version >= 25 { // it holds no digests of what it cannot hold
		exec(`DELETE FROM main.inferencex_table_digests WHERE table_name NOT IN (SELECT name FROM main.sqlite_schema)`)
	}
	return rows
}

func column(t *testing.T, db *sql.DB, query string, args ...any) (texts []string) {
	t.Helper()
	rows, err := db.Query(query, args...)
	must(t, err)
	defer rows.Close()
	for rows.Next() {
		var s string
		must(t, rows.Scan(&s))
		texts = append(texts, s)
	}
	must(t, rows.Err())
	return texts
}

// A database of every released schema migrates, holds what it held, passes the
// comparison of what is derived, and goes back to its very bytes from the backup.
func TestMigrationFromEverySchema(t *testing.T) {
	full := newWarehouse(t)
	full.load(func(l *Load) {
		save(t, l, exactRun("a", 1))
		save(t, l, exactRun("b", 1)) // a duplicate of a
		save(t, l, exactRun("c", 2))
		reliability := record.InferenceXBodies("reliability")[""]
		must(t, l.BeginBody("00aa", "reliability"))
		_, err := l.SaveTableRow(&record.InferenceXBodyRow{InferenceXPlace: record.InferenceXPlace{Position: 1}, Of: reliability, SHA256: "00aa", Values: []any{"h200", "2026-01-02", 3, 4}})
		must(t, err)
		must(t, l.EndBody("00aa", "reliability", 1))
	})
	want := full.rows(`SELECT name FROM runs ORDER BY name`)
	if len(want) != 3 {
		t.Fatalf("runs %q", want)
	}
	filled := 0
	for version := int64(1); version < migrations.Latest(); version++ {
		t.Run(fmt.Sprint("schema ", version), func(t *testing.T) {
			w := &warehouse{t, filepath.Join(t.TempDir(), "w.db")}
			if databaseOf(t, w.path, version, full.path) > 0 {
				filled++
			}
			must(t, os.Chmod(w.path, 0o640))
			before, err := os.ReadFile(w.path)
			must(t, err)
			runs := version >= 4 // from there on the schema holds runs
			writer, err := OpenWriter(t.Context(), w.path, WriterOptions{})
			must(t, err)
			must(t, writer.Publish())
			must(t, writer.Close())
			if writer.Version != version || writer.Backup != fmt.Sprintf("%s.backup-v%d", w.path, version) {
				t.Errorf("schema %d, backup %s", writer.Version, writer.Backup)
			}
			if runs {
				w.want(`SELECT name FROM runs ORDER BY name`, want...)
			}
			if version >= 27 { // from there on bodies
				w.want(`SELECT sha256, operation, rows FROM inferencex_bodies JOIN inferencex_body_files USING (sha256) JOIN inferencex_api_reliability USING (sha256)`, "00aa|reliability|1")
			}
			if version >= 6 { // from there on values, so what is derived is that of the full one
				for _, query := range []string{
					`SELECT signature, value_count FROM run_contents ORDER BY 1`,
					`SELECT count(*) FROM content_keys`, `SELECT metric FROM blocking_metrics ORDER BY 1`,
					`SELECT name, verdict FROM verdicts WHERE :version >= 7 ORDER BY 1`,
				} {
					query = strings.ReplaceAll(query, ":version", fmt.Sprint(version))
					if got, want := w.rows(query), full.rows(query); !slices.Equal(got, want) {
						t.Errorf("%s: got %q, want %q", query, got, want)
					}
				}
			}
			w.want(`PRAGMA integrity_check`, "ok")
			w.want(`PRAGMA foreign_key_check`)
			findings, err := CheckDerived(t.Context(), w.path)
			must(t, err)
			for _, f := range findings {
				t.Errorf("derived: %s: %s", f.Subject, f.Detail)
			}
			info, err := os.Stat(w.path)
			must(t, err)
			if info.Mode().Perm() != 0o640 {
				t.Errorf("mode %v", info.Mode())
			}
			must(t, os.Rename(writer.Backup, w.path))
			after, err := os.ReadFile(w.path)
			must(t, err)
			if !bytes.Equal(before, after) {
				t.Error("the backup is not what the database was")
			}
			if left, _ := os.ReadDir(filepath.Dir(w.path)); len(left) != 1 {
				t.Errorf("left %v", left)
			}
		})
	}
	if filled < 14 {
		t.Errorf("only %d of the earlier schemas held something", filled)
	}
}

// A migration by steps ends where one in a single step does.
func TestMigrationInSteps(t *testing.T) {
	full := newWarehouse(t)
	full.load(func(l *Load) { save(t, l, exactRun("a", 1)) })
	w := &warehouse{t, filepath.Join(t.TempDir(), "w.db")}
	databaseOf(t, w.path, 8, full.path)
	for _, schema := range []int64{12, 12, 16, 0} {
		writer, err := OpenWriter(t.Context(), w.path, WriterOptions{Schema: schema})
		must(t, err)
		must(t, writer.Close())
	}
	w.want(`SELECT name, verdict FROM verdicts`, full.rows(`SELECT name, verdict FROM verdicts`)...)
	findings, err := CheckDerived(t.Context(), w.path)
	if err != nil || len(findings) > 0 {
		t.Errorf("%v, %v", findings, err)
	}
}
