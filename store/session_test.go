package store

import (
	"context"
	"errors"
	"testing"
)

// TestBeside finds that what is stored beside a load is done before the load
// itself is in the database again, and that its failure is what the load ends with.
func TestBeside(t *testing.T) {
	w, err := OpenMemory(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	l, err := w.Begin(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer l.Rollback()
	entered := make(chan bool)
	err = l.beside(func(s *session) error {
		<-entered
		_, err := s.exec(`INSERT INTO definition_sets (sha256) VALUES ('invented')`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	close(entered)
	var n int
	if _, err := l.queryRow(`SELECT count(*) FROM definition_sets`, nil, &n); err != nil || n != 1 {
		t.Errorf("the load finds %d of 1 row, %v", n, err)
	}
	failure := errors.New("invented")
	if err := l.beside(func(*session) error { return failure }); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := l.exec(`DELETE FROM definition_sets`); !errors.Is(err, failure) {
			t.Errorf("after a failure the load goes on: %v", err)
		}
	}
	if err := l.Commit(Ledger{}); !errors.Is(err, failure) {
		t.Errorf("after a failure the load is committed: %v", err)
	}
}
