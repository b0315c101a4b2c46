package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/pressly/goose/v3"

	"github.com/inference-sim/blis-warehouse/migrations"
)

// migrate brings the database to a later schema. Migrations are a transaction
// each, so they run on a copy, which then takes the database's place at once:
// whatever happens, the file is of one schema or of the other. The file as it
// was becomes the backup, byte for byte.
func (w *Writer) migrate(ctx context.Context, schema int64) (err error) {
	unlock, err := w.keepWritersOut(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	temp := w.tempName()
	defer os.Remove(temp) // where it has not become the database
	if err := copyInto(ctx, w.path, temp, w.timeout); err != nil {
		return fmt.Errorf("copy it: %w", err)
	}
	if err := migrateFile(ctx, temp, w.Version, schema); err != nil {
		return err
	}
	if err := likeBefore(temp, w.path); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	backup, err := backupBeside(ctx, w.path, w.Version, w.timeout)
	if err != nil {
		return err
	}
	if err := os.Rename(temp, w.path); err != nil {
		os.Remove(backup)
		return err
	}
	w.Backup = backup
	syncFile(filepath.Dir(w.path)) // best effort: not every file system syncs directories
	return nil
}

// keepWritersOut turns the database to a rollback journal and keeps programs
// that do not know our lock from writing it until unlock.
func (w *Writer) keepWritersOut(ctx context.Context) (unlock func(), err error) {
	db, err := openReadWrite(ctx, w.path, attempt)
	if err != nil {
		return nil, err
	}
	// What is in the log belongs to the file's name, not to the file.
	if err := retryBusy(ctx, w.timeout, func() error { return useJournal(db, w.path) }); err != nil {
		db.Close()
		return nil, waitedFor(err, w.timeout)
	}
	var tx *sql.Tx
	err = retryBusy(ctx, w.timeout, func() (err error) {
		tx, err = db.BeginTx(context.WithoutCancel(ctx), nil)
		return err
	})
	if err == nil && w.Version > 0 {
		// A transaction is no write: a file that is closed to us fails only now.
		// No page is touched, so there is no journal for the new file to be taken for its own.
		_, err = tx.ExecContext(ctx, "DELETE FROM goose_db_version WHERE 0")
		if err != nil {
			tx.Rollback()
		}
	}
	if err != nil {
		db.Close()
		return nil, waitedFor(err, w.timeout)
	}
	return func() {
		tx.Rollback()
		db.Close()
	}, nil
}

// waitedFor says of a lock how long it was waited for.
func waitedFor(err error, timeout time.Duration) error {
	if isBusy(err) {
		return fmt.Errorf("another process is using it; waited %v: %w", timeout, err)
	}
	return err
}

// migrateFile brings the file at path, which nobody else sees, to a later
// schema. What loads derive is derived once this program's schema is reached,
// for it knows no other; until then user_version tells that it is missing.
func migrateFile(ctx context.Context, path string, from, schema int64) error {
	db, err := openReadWrite(ctx, path, time.Second, "journal_mode(MEMORY)", "synchronous(OFF)", loadCache)
	if err != nil {
		return err
	}
	err = migrateTo(ctx, db, schema)
	if err == nil {
		err = deriveMissing(ctx, db, from, schema)
	}
	if err := errors.Join(err, db.Close()); err != nil {
		return err
	}
	return syncFile(path)
}

// migrateTo brings an open database to a later schema and marks it as ours.
func migrateTo(ctx context.Context, db *sql.DB, schema int64) error {
	provider, err := goose.NewProvider(goose.DialectSQLite3, db, migrations.FS(), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return err
	}
	if _, err := provider.UpTo(ctx, schema); err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d", ApplicationID))
	return err
}

// likeBefore gives a new file the permissions of the one that it replaces and,
// where that may be done, its owner.
func likeBefore(file, before string) error {
	info, err := os.Stat(before)
	if err != nil {
		return err
	}
	if of, ok := info.Sys().(*syscall.Stat_t); ok {
		_ = os.Chown(file, int(of.Uid), int(of.Gid))
	}
	return os.Chmod(file, info.Mode().Perm())
}

// backupBeside gives the database at path a second name beside it, under which
// it stays as it is when another file takes its place. A file system without
// links gets a copy.
func backupBeside(ctx context.Context, path string, version int64, timeout time.Duration) (string, error) {
	for i := 0; ; i++ {
		name := fmt.Sprintf("%s.backup-v%d", path, version)
		if i > 0 {
			name = fmt.Sprintf("%s-%d", name, i)
		}
		err := os.Link(path, name)
		if err != nil && !errors.Is(err, fs.ErrExist) {
			err = Backup(ctx, path, name, timeout)
		}
		if !errors.Is(err, fs.ErrExist) || isSame(path, name) { // the same: a migration was killed after this step
			return name, err
		}
	}
}

func isSame(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}
