package store

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// What lies where the lock belongs and is no lock is left as it is, and the load refused.
func TestNoLock(t *testing.T) {
	dir := t.TempDir()
	path, victim := filepath.Join(dir, "w.db"), filepath.Join(dir, "victim")
	must(t, os.WriteFile(victim, []byte("precious"), 0o644))
	for _, tt := range []struct {
		what, message string
		make          func(name string) error
	}{
		{"a link", "is a link", func(name string) error { return os.Symlink("victim", name) }},
		{"a link to nothing", "is a link", func(name string) error { return os.Symlink("nothing", name) }},
		{"a text", "no lock of this program", func(name string) error { return os.WriteFile(name, []byte("mine"), 0o644) }},
		{"a long text", "no lock of this program", func(name string) error { return os.WriteFile(name, []byte("1 "+strings.Repeat("x", lockBytes)), 0o644) }},
		{"a folder", "is a directory", func(name string) error { return os.Mkdir(name, 0o755) }},
	} {
		must(t, tt.make(path+".lock"))
		before, err := os.Lstat(path + ".lock")
		must(t, err)
		_, err = OpenWriter(t.Context(), path, WriterOptions{Create: true})
		if err == nil || !strings.Contains(err.Error(), tt.message) {
			t.Errorf("%s: %v", tt.what, err)
		}
		after, err := os.Lstat(path + ".lock")
		if err != nil || !os.SameFile(before, after) || before.Size() != after.Size() {
			t.Errorf("%s: it is not what it was (%v)", tt.what, err)
		}
		must(t, os.RemoveAll(path+".lock"))
	}
	if content, err := os.ReadFile(victim); err != nil || string(content) != "precious" {
		t.Errorf("%q, %v", content, err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("left %v", left)
	}
	// What a killed process left, whole or in part, keeps nobody out.
	for _, left := range []string{"", "123", "4567 2026-01-02T03:04:05Z host\n"} {
		must(t, os.WriteFile(path+".lock", []byte(left), 0o644))
		lock, err := acquireLock(t.Context(), path, time.Second)
		if err != nil {
			t.Fatalf("%q: %v", left, err)
		}
		lock.release()
	}
}

// Only what has the names and the contents of leftovers is removed.
func TestLeftovers(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{".kept.db.backup-7", ".kept.db.backup-8", ".kept.db.backup-mine"} {
		must(t, os.Mkdir(at(name), 0o755))
		must(t, os.WriteFile(filepath.Join(at(name), "copy"), nil, 0o644))
	}
	must(t, os.WriteFile(at(".kept.db.backup-8/mine"), nil, 0o644))
	for _, name := range []string{".w.db.new-7", ".w.db.new-7-journal", ".w.db.new-mine"} {
		must(t, os.WriteFile(at(name), nil, 0o644))
	}
	w, err := OpenWriter(t.Context(), at("w.db"), WriterOptions{Create: true})
	must(t, err)
	must(t, w.Publish())
	must(t, w.Close())
	must(t, Backup(t.Context(), at("w.db"), at("kept.db"), time.Second))
	for name, stays := range map[string]bool{".kept.db.backup-7": false, ".kept.db.backup-8/mine": true, ".kept.db.backup-mine/copy": true,
		".w.db.new-7": false, ".w.db.new-7-journal": false, ".w.db.new-mine": true} {
		if _, err := os.Lstat(at(name)); (err == nil) != stays {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A database with several names is not loaded into, by any of them.
func TestSeveralNames(t *testing.T) {
	w := newWarehouse(t)
	w.load(func(l *Load) { save(t, l, exactRun("a", 1)) })
	other := filepath.Join(filepath.Dir(w.path), "other.db")
	must(t, os.Link(w.path, other))
	before, err := os.ReadFile(w.path)
	must(t, err)
	for _, path := range []string{w.path, other} {
		if _, err := OpenWriter(t.Context(), path, WriterOptions{}); err == nil || !strings.Contains(err.Error(), "2 names") {
			t.Errorf("%s: %v", path, err)
		}
	}
	if after, err := os.ReadFile(w.path); err != nil || string(after) != string(before) {
		t.Errorf("it changed (%v)", err)
	}
	if left, _ := os.ReadDir(filepath.Dir(w.path)); len(left) != 2 {
		t.Errorf("left %v", left)
	}
	must(t, os.Remove(other))
	w.load(func(l *Load) { save(t, l, exactRun("b", 2)) })
}
