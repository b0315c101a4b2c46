package store

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pressly/goose/v3"

	"github.com/inference-sim/blis-warehouse/migrations"
)

// databaseAt makes a database of an earlier schema.
func databaseAt(t *testing.T, path string, version int64) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	provider, err := goose.NewProvider(goose.DialectSQLite3, db, migrations.FS(), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := provider.UpTo(t.Context(), version); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(fmt.Sprintf("PRAGMA application_id = %d", ApplicationID)); err != nil {
		t.Fatal(err)
	}
}

// versionBefore is the version of the migration before another: numbers need not follow one another.
func versionBefore(t *testing.T, version int64) (before int64) {
	t.Helper()
	names, err := fs.Glob(migrations.FS(), "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		var number int64
		if _, err := fmt.Sscanf(name, "%d_", &number); err != nil {
			t.Fatal(err)
		}
		if number < version {
			before = max(before, number)
		}
	}
	return before
}

// An older database is backed up and migrated; the backup is what it was.
func TestMigrationTakesABackup(t *testing.T) {
	path := filepath.Join(t.TempDir(), "w.db")
	old := versionBefore(t, migrations.Latest())
	databaseAt(t, path, old)
	if _, err := OpenWriter(t.Context(), path, WriterOptions{KeepSchema: true}); err == nil || !strings.Contains(err.Error(), "migrate") {
		t.Errorf("a dry run on an older schema: %v", err)
	}
	if _, err := OpenReader(t.Context(), path, ReaderOptions{SchemaVersion: migrations.Latest()}); err == nil || !strings.Contains(err.Error(), "migrate") {
		t.Errorf("reading an older schema: %v", err)
	}
	w, err := OpenWriter(t.Context(), path, WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if w.Version != old || w.Backup == "" {
		t.Errorf("version %d, backup %q", w.Version, w.Backup)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]int64{path: migrations.Latest(), w.Backup: old} {
		r, err := OpenReader(t.Context(), file, ReaderOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if r.SchemaVersion() != want {
			t.Errorf("%s has schema %d, want %d", file, r.SchemaVersion(), want)
		}
		r.Close()
	}
	// A second migration finds the name of the backup taken.
	databaseAt(t, filepath.Join(filepath.Dir(path), "again.db"), old)
	if err := os.Rename(filepath.Join(filepath.Dir(path), "again.db"), path); err != nil {
		t.Fatal(err)
	}
	again, err := OpenWriter(t.Context(), path, WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if again.Backup == w.Backup || again.Backup == "" {
		t.Errorf("backups %q and %q", w.Backup, again.Backup)
	}
}

// What is no warehouse of ours is refused and left as it is.
func TestForeignFilesAreLeftAlone(t *testing.T) {
	dir := t.TempDir()
	foreign := filepath.Join(dir, "foreign.db")
	db, err := sql.Open("sqlite", foreign)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("CREATE TABLE mine (x)"); err != nil {
		t.Fatal(err)
	}
	db.Close()
	newer := filepath.Join(dir, "newer.db")
	databaseAt(t, newer, migrations.Latest())
	if db, err = sql.Open("sqlite", newer); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, 1)"); err != nil {
		t.Fatal(err)
	}
	db.Close()
	text := filepath.Join(dir, "text.db")
	if err := os.WriteFile(text, []byte("no database at all, but long enough to be looked at for a header"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{foreign, newer, text} {
		before, _ := os.ReadFile(path)
		if _, err := OpenWriter(t.Context(), path, WriterOptions{Create: true}); err == nil {
			t.Errorf("%s was opened", path)
		}
		if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
			t.Errorf("%s changed", path)
		}
	}
	entries, _ := os.ReadDir(dir)
	if len(entries) != 3 {
		t.Errorf("left %v", entries)
	}
}

// Of several first loads at once each is kept: they wait for each other.
func TestFirstLoadsAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "w.db")
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			w, err := OpenWriter(context.Background(), path, WriterOptions{Create: true, BusyTimeout: 30 * time.Second})
			if err != nil {
				t.Error(err)
				return
			}
			defer w.Close()
			l, err := w.Begin(context.Background())
			if err != nil {
				t.Error(err)
				return
			}
			defer l.Rollback()
			save(t, l, exactRun(fmt.Sprint("r", i), float64(i+1)))
			if err := l.Finish(); err != nil {
				t.Error(err)
			}
			if err := l.Commit(Ledger{LoadedAt: time.Unix(0, 0), Tool: "test"}); err != nil {
				t.Error(err)
			}
			if err := w.Publish(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	w := &warehouse{t, path}
	w.want(`SELECT name FROM runs ORDER BY name`, "r0", "r1", "r2", "r3")
	if entries, _ := os.ReadDir(filepath.Dir(path)); len(entries) != 1 {
		t.Errorf("left %v", entries)
	}
}

// Who waits for the lock in vain is told who has it.
func TestLockNamesItsOwner(t *testing.T) {
	path := filepath.Join(t.TempDir(), "w.db")
	w, err := OpenWriter(t.Context(), path, WriterOptions{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	_, err = OpenWriter(t.Context(), path, WriterOptions{Create: true, BusyTimeout: 50 * time.Millisecond})
	if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("process %d", os.Getpid())) {
		t.Errorf("%v", err)
	}
}

func TestBackup(t *testing.T) {
	w := newWarehouse(t)
	w.load(func(l *Load) { save(t, l, exactRun("a", 1)) })
	to := filepath.Join(filepath.Dir(w.path), "copy.db")
	if err := Backup(t.Context(), w.path, to, DefaultBusyTimeout); err != nil {
		t.Fatal(err)
	}
	(&warehouse{t, to}).want(`SELECT name FROM runs`, "a")
	if err := Backup(t.Context(), w.path, to, DefaultBusyTimeout); err == nil {
		t.Error("a backup replaced a file")
	}
	if entries, _ := os.ReadDir(filepath.Dir(to)); len(entries) != 2 {
		t.Errorf("left %v", entries)
	}
}

// A log or journal that a deleted database left is not taken for that of a new one.
func TestRemainsAreNotTaken(t *testing.T) {
	for _, suffix := range []string{"-wal", "-journal"} {
		path := filepath.Join(t.TempDir(), "w.db")
		must(t, os.WriteFile(path+suffix, []byte("what is left"), 0o600))
		_, err := OpenWriter(t.Context(), path, WriterOptions{Create: true})
		if err == nil || !strings.Contains(err.Error(), "w.db"+suffix) {
			t.Errorf("a new database beside %s: %v", suffix, err)
		}
		w := newWarehouse(t)
		w.load(func(l *Load) { save(t, l, exactRun("a", 1)) })
		if err := Backup(t.Context(), w.path, path, DefaultBusyTimeout); err == nil || !strings.Contains(err.Error(), "w.db"+suffix) {
			t.Errorf("a backup beside %s: %v", suffix, err)
		}
		if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 1 {
			t.Errorf("left %v", left)
		}
	}
}
