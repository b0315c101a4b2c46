package store

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"
)

// loadOne loads a run into an existing database, in the log or without it.
func (w *warehouse) loadOne(name string, noLog bool, timeout time.Duration) error {
	w.t.Helper()
	writer, err := OpenWriter(w.t.Context(), w.path, WriterOptions{BusyTimeout: timeout})
	must(w.t, err)
	defer writer.Close()
	writer.noLog = noLog
	l, err := writer.Begin(w.t.Context())
	if err != nil {
		return err
	}
	defer l.Rollback()
	if writer.log == noLog {
		w.t.Errorf("in the log: %v", writer.log)
	}
	save(w.t, l, exactRun(name, 1))
	must(w.t, l.Finish())
	if err := l.Commit(Ledger{LoadedAt: time.Unix(0, 0), Tool: "test"}); err != nil {
		return err
	}
	must(w.t, writer.Publish())
	return writer.Unrest()
}

// Where a file system has no log, a load does without: its commit waits for
// readers to go, and fails, leaving the very bytes, where they do not.
func TestLoadWithoutALog(t *testing.T) {
	w := newWarehouse(t)
	w.load(func(l *Load) { save(t, l, exactRun("a", 1)) })
	before, err := os.ReadFile(w.path)
	must(t, err)
	r, err := OpenReader(t.Context(), w.path, ReaderOptions{})
	must(t, err)
	if err := w.loadOne("b", true, 200*time.Millisecond); err == nil || !strings.Contains(err.Error(), "kept reading") {
		t.Errorf("a load while a reader stays: %v", err)
	}
	if after, err := os.ReadFile(w.path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the database changed (%v)", err)
	}
	gone := time.AfterFunc(300*time.Millisecond, func() { r.Close() })
	defer gone.Stop()
	must(t, w.loadOne("b", true, time.Minute))
	w.want(`SELECT name FROM runs ORDER BY name`, "a", "b")
	must(t, w.loadOne("c", false, time.Minute))
	w.want(`SELECT name FROM runs ORDER BY name`, "a", "b", "c")
}
