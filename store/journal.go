package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// A database at rest keeps a rollback journal, for such a file needs nothing
// beside it and can be read from a folder that nobody may write. A load
// cannot: once its changes outgrow the cache, a rollback journal locks readers
// out until the commit. So a load turns to the write-ahead log, beside which
// readers see the old state, and turns back when it has ended.
//
// Both turns need a moment without readers. Into the log a load waits for it,
// up to its busy timeout, and where readers leave none keeps new ones out until
// those that are there have ended (retryFirmly). Back it waits restTimeout;
// readers that stay longer do no harm, and the last of them that may write the
// folder turns back when it closes (Reader.Close), as does the next load.

// restTimeout is how long a load waits after its commit for a moment without
// readers.
const restTimeout = time.Second

// useLog turns the database to the write-ahead log. On a file system of other
// hosts, with which it cannot share the memory that the log needs, the
// rollback journal stays.
func (w *Writer) useLog(ctx context.Context) error {
	if w.log || w.noLog || w.path == "" || w.temp != "" {
		return nil
	}
	var mode string
	err := retryFirmly(ctx, w.timeout, func() error {
		// Were it bound to ctx, an interrupt could hide that the turn was made.
		return w.db.QueryRow("PRAGMA journal_mode = WAL").Scan(&mode)
	})
	if isBusy(err) && w.beingWritten() {
		return w.waitedForWriter()
	}
	if isBusy(err) {
		return fmt.Errorf("%s is being read by another process; waited %v for a moment without readers, which a load needs at its beginning", w.path, w.timeout)
	}
	if err != nil {
		return fmt.Errorf("open %s for a load: %w", w.path, err)
	}
	w.log = mode == "wal" // else SQLite cannot map shared memory here
	return nil
}

// beingWritten tells whether another program has begun to write the database.
func (w *Writer) beingWritten() bool {
	tx, err := w.db.Begin()
	if err != nil {
		return isBusy(err)
	}
	_ = tx.Rollback()
	return false
}

// waitedForWriter says that another program wrote for too long.
func (w *Writer) waitedForWriter() error {
	return fmt.Errorf("%s is being written by another program; waited %v", w.path, w.timeout)
}

// rest turns the database back to the rollback journal. An error says why that
// cannot be done before timeout: the database remains in the log, complete, but
// in two files.
func (w *Writer) rest(timeout time.Duration) error {
	if !w.log {
		return nil
	}
	err := retryBusy(context.Background(), timeout, func() error { return useJournal(w.db, w.path) })
	if err == nil {
		w.log = false
		return nil
	}
	if isBusy(err) {
		return errBeingRead
	}
	return err
}

var errBeingRead = errors.New("other processes are reading it")

// useJournal turns the database at path to the rollback journal, unless it has one.
func useJournal(db *sql.DB, path string) error {
	// A connection that has not yet read does not have the log open: it would
	// turn the database but leave the files of the log.
	var n int
	if err := db.QueryRow("SELECT count(*) FROM sqlite_schema").Scan(&n); err != nil {
		return err
	}
	// What is in the log goes into the database while readers go on, as far as
	// they permit: the turn itself, which keeps them out, must not take long.
	var busy, pages, moved int
	if err := db.QueryRow("PRAGMA wal_checkpoint(PASSIVE)").Scan(&busy, &pages, &moved); err != nil {
		return err
	}
	var mode string
	if err := db.QueryRow("PRAGMA journal_mode = DELETE").Scan(&mode); err != nil {
		return err
	}
	return dropEmptyLog(db, path)
}

// dropEmptyLog removes the files of a log that a reader opened anew between
// two steps of the turn: empty, and nobody's, once nobody else is connected.
func dropEmptyLog(db *sql.DB, path string) error {
	log, err := os.Stat(path + "-wal")
	if err != nil || log.Size() > 0 {
		return nil
	}
	conn, err := db.Conn(context.Background())
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(context.Background(), "BEGIN EXCLUSIVE"); err != nil {
		return err
	}
	var mode string
	if err = conn.QueryRowContext(context.Background(), "PRAGMA journal_mode").Scan(&mode); err == nil && mode == "delete" {
		os.Remove(path + "-shm") // which need not be there
		err = os.Remove(path + "-wal")
	}
	_, errEnd := conn.ExecContext(context.Background(), "ROLLBACK")
	return errors.Join(err, errEnd)
}

// hasLog tells whether a database that is being read is in the write-ahead log.
func hasLog(path string) bool {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	_, err := os.Stat(path + "-wal")
	return err == nil
}

// rest turns a database that a load has left in the log, because it was
// killed or readers were there, back to the rollback journal if that can be
// done at once: nobody loads into it, nobody reads it, and we may write. It is
// for the last reader that closes it.
func rest(path string) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	lock, err := acquireLock(context.Background(), path, 0)
	if err != nil {
		return
	}
	defer lock.release()
	db, err := openReadWrite(context.Background(), path, 0)
	if err != nil {
		return
	}
	defer db.Close()
	_ = useJournal(db, path)
}
