package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Backup writes a consistent copy of the database at path to the new file to,
// waiting for other processes for up to timeout. It needs no right to write
// the database. The copy appears complete or not at all; an existing file is
// os.ErrExist.
func Backup(ctx context.Context, path, to string, timeout time.Duration) error {
	if _, err := os.Lstat(to); err == nil {
		return fmt.Errorf("backup to %s: %w", to, os.ErrExist)
	}
	if err := noRemains(to); err != nil {
		return fmt.Errorf("backup to %s: %w", to, err)
	}
	dir, done, err := workFolder(to)
	if err != nil {
		return fmt.Errorf("backup to %s: %w", to, err)
	}
	defer done()
	copied := filepath.Join(dir, "copy")
	if err := copyInto(ctx, path, copied, timeout); err != nil {
		return fmt.Errorf("backup of %s to %s: %w", path, to, err)
	}
	if err := syncFile(copied); err != nil {
		return fmt.Errorf("backup to %s: %w", to, err)
	}
	if err := placeNew(copied, to); err != nil {
		return fmt.Errorf("backup to %s: %w", to, err)
	}
	syncFile(filepath.Dir(to)) // best effort: not every file system syncs directories
	return nil
}

// workFolder makes a folder for a file that is to become to, and removes those
// that killed processes left. A folder is locked for as long as it is in use.
func workFolder(to string) (dir string, done func(), err error) {
	parent, prefix := filepath.Dir(to), "."+filepath.Base(to)+".backup-"
	entries, err := os.ReadDir(parent)
	if err != nil {
		return "", nil, err
	}
	for _, e := range entries {
		number, ours := strings.CutPrefix(e.Name(), prefix)
		if _, err := strconv.ParseUint(number, 10, 64); !ours || err != nil || !e.IsDir() {
			continue
		}
		if f, err := lockFolder(filepath.Join(parent, e.Name())); err == nil {
			for _, name := range []string{"copy", "copy-journal"} { // and nothing that is not ours
				os.Remove(filepath.Join(f.Name(), name))
			}
			os.Remove(f.Name())
			f.Close()
		}
	}
	if dir, err = os.MkdirTemp(parent, prefix+"*"); err != nil {
		return "", nil, err
	}
	f, err := lockFolder(dir)
	if err != nil {
		os.RemoveAll(dir)
		return "", nil, err
	}
	return dir, func() { os.RemoveAll(dir); f.Close() }, nil
}

func lockFolder(dir string) (*os.File, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// copyInto writes a consistent copy of the database at path to the file to.
func copyInto(ctx context.Context, path, to string, timeout time.Duration) error {
	dsn, err := fileDSN(path, url.Values{"mode": {"ro"}, "_dqs": {"0"}, "_pragma": {busyPragma(timeout), "cache_size(-16000)"}})
	if err != nil {
		return err
	}
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return err
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	_, err = db.ExecContext(ctx, "VACUUM INTO ?", to)
	return err
}

// noRemains refuses a name for a new database beside which the journal or log
// of a database lies that is no more: SQLite would take it for the new one's.
func noRemains(path string) error {
	for _, suffix := range []string{"-wal", "-journal"} {
		if info, err := os.Lstat(path + suffix); err == nil && info.Size() > 0 {
			return fmt.Errorf("%s%s is what is left of a database that was there: move it away", path, suffix)
		}
	}
	return nil
}

// placeNew gives a file its name, and never replaces one that has it: a link
// refuses that, a rename would not. Where the file system has no links, the
// name is looked at first.
func placeNew(from, to string) error {
	err := os.Link(from, to)
	if err == nil {
		return os.Remove(from)
	}
	if errors.Is(err, os.ErrExist) {
		return err
	}
	if _, err := os.Lstat(to); err == nil {
		return os.ErrExist
	}
	return os.Rename(from, to)
}

func syncFile(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}
