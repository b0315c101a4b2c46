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

	"github.com/inference-sim/blis-warehouse/migrations"
)

// WriterOptions says how a database is opened for writing.
type WriterOptions struct {
	Create      bool          // create the database where it does not exist
	New         bool          // refuse a database that exists: fs.ErrExist
	Replace     bool          // build a fresh database, also where one exists, which Publish replaces
	KeepSchema  bool          // refuse an older schema instead of migrating it
	Schema      int64         // the schema version to create or migrate to; 0 is the newest, a database that has a later one keeps it
	BusyTimeout time.Duration // how long to wait for other processes; 0 means DefaultBusyTimeout, less than 0 not at all
}

// Writer is a database opened for writing by this process alone.
//
// A database that does not exist yet is built in a temporary file beside it
// and appears under its name, complete, with Publish; until then nothing is
// there. An existing one of an older schema is backed up and migrated when it
// is opened.
type Writer struct {
	db      *sql.DB
	path    string // where the database is or will be; "" in memory
	temp    string // the temporary file of a fresh database, "" otherwise
	replace bool   // the fresh database takes the place of one that exists
	lock    *lockFile
	timeout time.Duration
	noLog   bool   // the database stays in the rollback journal, for its file system has no log
	log     bool   // the database is in the write-ahead log, see journal.go
	unrest  error  // why it still is after Publish
	Backup  string // the backup that was taken before a migration, "" where none was needed
	Version int64  // the schema version before opening; 0 for a fresh database
}

// OpenWriter opens or creates the database at path.
// A file that is no database, or another program's, is refused and left as it is.
func OpenWriter(ctx context.Context, path string, opts WriterOptions) (w *Writer, err error) {
	if opts.BusyTimeout == 0 {
		opts.BusyTimeout = DefaultBusyTimeout
	}
	if opts.Schema == 0 {
		opts.Schema = migrations.Latest()
	}
	if _, err := os.Stat(filepath.Dir(path)); err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	if _, err := os.Stat(path); err != nil && !opts.Create && !opts.New && !opts.Replace {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	// The lock, the log and a backup lie beside the file itself, whatever link names it.
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	lock, err := acquireLock(ctx, path, opts.BusyTimeout)
	if err != nil {
		return nil, err
	}
	w = &Writer{path: path, lock: lock, timeout: opts.BusyTimeout, noLog: onNetwork(filepath.Dir(path))}
	if err := w.open(ctx, opts); err != nil {
		w.Close()
		return nil, err
	}
	return w, nil
}

// open opens what is at the path, or creates it.
func (w *Writer) open(ctx context.Context, opts WriterOptions) (err error) {
	w.dropLeftovers()
	switch info, err := os.Stat(w.path); {
	case errors.Is(err, os.ErrNotExist) && (opts.Create || opts.New || opts.Replace):
		return w.createTemp(ctx, opts.Schema)
	case err != nil:
		return fmt.Errorf("open %s: %w", w.path, err)
	case opts.Replace:
		if err := replaceable(w.path, info); err != nil {
			return err
		}
		w.replace = true
		return w.createTemp(ctx, opts.Schema)
	case opts.New:
		return fmt.Errorf("create %s: %w", w.path, os.ErrExist)
	case !info.Mode().IsRegular():
		return fmt.Errorf("open %s: not a regular file", w.path)
	}
	if w.Version, err = databaseVersion(ctx, w.path, w.timeout); err != nil {
		return err
	}
	if w.Version < opts.Schema {
		if opts.KeepSchema {
			return fmt.Errorf("%s has schema version %d, this program's is %d: run blis-warehouse migrate first", w.path, w.Version, opts.Schema)
		}
		if err := w.migrate(ctx, opts.Schema); err != nil {
			return fmt.Errorf("migrate %s: %w", w.path, err)
		}
		ctx = context.WithoutCancel(ctx) // it has taken effect: an interrupt comes too late to say otherwise
	}
	if err := oneName(w.path); err != nil {
		return err
	}
	w.db, err = openReadWrite(ctx, w.path, attempt, loadCache, "synchronous(FULL)")
	return err
}

// oneName refuses a file with several names (hard links). The log, a journal
// and our lock lie beside one of them, where who comes by another does not look:
// two loads at once, or a crash, could damage it.
func oneName(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("open %s: %w", path, err)
	}
	if of, ok := info.Sys().(*syscall.Stat_t); ok && of.Nlink > 1 {
		return fmt.Errorf("open %s for a load: the file has %d names (hard links), and what guards a load lies beside one only: load into a copy of it", path, of.Nlink)
	}
	return nil
}

// loadCache is how much of the database a load keeps in memory: with less,
// pages go to the disk and back several times.
const loadCache = "cache_size(-16000)"

// replaceable refuses a file that a fresh database may not take the place of.
// A journal would be taken for the new database's, and damage it.
func replaceable(path string, info os.FileInfo) error {
	if !info.Mode().IsRegular() {
		return fmt.Errorf("replace %s: not a regular file", path)
	}
	for _, suffix := range []string{"-journal", "-wal"} {
		if _, err := os.Lstat(path + suffix); err == nil {
			return fmt.Errorf("replace %s: it was left in the middle of a write, or is being written: %s%s is there", path, path, suffix)
		}
	}
	return nil
}

// OpenMemory opens an empty database in memory, for checks that keep nothing.
func OpenMemory(ctx context.Context) (*Writer, error) {
	query := url.Values{"mode": {"memory"}, "_dqs": {"0"}, "_pragma": {"foreign_keys(1)", "journal_mode(MEMORY)", "synchronous(OFF)"}}
	db, err := openFed((&url.URL{Scheme: "file", Opaque: "scratch", RawQuery: query.Encode()}).String())
	if err != nil {
		return nil, fmt.Errorf("open a database in memory: %w", err)
	}
	db.SetMaxOpenConns(1) // each connection would have a database of its own
	db.SetConnMaxLifetime(0)
	if err := migrateTo(ctx, db, migrations.Latest()); err != nil {
		db.Close()
		return nil, fmt.Errorf("migrate a database in memory: %w", err)
	}
	return &Writer{db: db}, nil
}

func (w *Writer) createTemp(ctx context.Context, schema int64) error {
	if err := noRemains(w.path); err != nil {
		return fmt.Errorf("create %s: %w", w.path, err)
	}
	w.temp = w.tempName()
	f, err := os.OpenFile(w.temp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666) // less the umask, like any file
	if err != nil {
		return fmt.Errorf("create %s: %w", w.path, err)
	}
	f.Close()
	// Nobody else sees this file: it needs no journal of its own, and is synced before it appears.
	w.db, err = openReadWrite(ctx, w.temp, time.Second, "journal_mode(MEMORY)", "synchronous(OFF)", "cache_size(-2000)")
	if err == nil {
		err = migrateTo(ctx, w.db, schema)
	}
	if err != nil {
		return fmt.Errorf("create %s: %w", w.path, err)
	}
	return nil
}

// tempName is the name under which a database is built. It is hidden, and
// dropLeftovers knows it.
func (w *Writer) tempName() string {
	return filepath.Join(filepath.Dir(w.path), fmt.Sprintf(".%s.new-%d", filepath.Base(w.path), os.Getpid()))
}

// dropLeftovers removes what killed loads left of databases that never
// appeared. The lock is held: nobody is at work on them.
func (w *Writer) dropLeftovers() {
	entries, err := os.ReadDir(filepath.Dir(w.path))
	if err != nil {
		return
	}
	for _, e := range entries {
		number, ours := strings.CutPrefix(strings.TrimSuffix(e.Name(), "-journal"), "."+filepath.Base(w.path)+".new-")
		if _, err := strconv.ParseUint(number, 10, 64); ours && err == nil {
			os.Remove(filepath.Join(filepath.Dir(w.path), e.Name()))
		}
	}
}

// openReadWrite opens path with one connection. The page size is for a file that is still empty.
func openReadWrite(ctx context.Context, path string, timeout time.Duration, pragmas ...string) (*sql.DB, error) {
	pragmas = append([]string{"page_size(16384)", "foreign_keys(1)", busyPragma(timeout)}, pragmas...)
	dsn, err := fileDSN(path, url.Values{"mode": {"rw"}, "_txlock": {"immediate"}, "_dqs": {"0"}, "_pragma": pragmas})
	if err != nil {
		return nil, err
	}
	db, err := openFed(dsn)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	db.SetMaxOpenConns(1)
	if err := db.PingContext(ctx); err != nil {
		db.Close()
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	return db, nil
}

// databaseVersion returns the schema version of the database at path, which it
// does not change. It refuses what is no warehouse and what is newer than this program.
func databaseVersion(ctx context.Context, path string, timeout time.Duration) (int64, error) {
	r, err := OpenReader(ctx, path, ReaderOptions{BusyTimeout: timeout})
	if err != nil {
		return 0, err
	}
	defer r.Close()
	version := r.SchemaVersion()
	if version > migrations.Latest() {
		return 0, fmt.Errorf("%s has schema version %d, newer than this program's %d: use a newer blis-warehouse", path, version, migrations.Latest())
	}
	return version, nil
}

// WithReader lets read read what was committed to a fresh database before it
// is published. Writes wait meanwhile.
func (w *Writer) WithReader(ctx context.Context, read func(*Reader) error) error {
	r, err := OpenReader(ctx, w.temp, ReaderOptions{})
	if err != nil {
		return err
	}
	defer r.Close()
	return read(r)
}

// Publish makes a fresh database appear under its name, and turns an existing
// one back to the rollback journal, where Unrest does not tell otherwise.
func (w *Writer) Publish() error {
	if w.temp == "" {
		w.unrest = w.rest(min(w.timeout, restTimeout))
		return nil
	}
	if err := w.db.Close(); err != nil {
		return fmt.Errorf("create %s: %w", w.path, err)
	}
	w.db = nil
	if err := syncFile(w.temp); err != nil {
		return fmt.Errorf("create %s: %w", w.path, err)
	}
	place := placeNew
	if w.replace {
		place = os.Rename
	}
	if err := place(w.temp, w.path); err != nil {
		return fmt.Errorf("create %s: %w", w.path, err)
	}
	w.temp = ""
	syncFile(filepath.Dir(w.path)) // best effort: not every file system syncs directories
	return nil
}

// Unrest says why after Publish the database still is in the write-ahead log:
// most often because other processes are reading it. Until one of them, or the
// next load, puts it to rest, it is its file together with the one beside it
// whose name ends in -wal. nil means that it is one file.
func (w *Writer) Unrest() error { return w.unrest }

// Failed names the database in an error of SQLite that a load ended with.
func (w *Writer) Failed(err error) error {
	if w.path == "" || primaryCode(err) == 0 {
		return err
	}
	return fmt.Errorf("write %s: %w", w.path, err)
}

// recover brings the database back where a rollback could not be finished (the
// disk was full): opening and reading it does, and who may not write it can then read it.
func (w *Writer) recover() {
	if _, err := os.Stat(w.path + "-journal"); err != nil {
		return
	}
	db, err := openReadWrite(context.Background(), w.path, w.timeout)
	if err != nil {
		return // the next who opens it does the same
	}
	defer db.Close()
	var n int
	_ = db.QueryRow("SELECT count(*) FROM sqlite_schema").Scan(&n)
}

// Close closes the database and gives up its lock. A fresh database that was not published is removed.
func (w *Writer) Close() error {
	var err error
	if w.db != nil {
		_ = w.rest(0) // after a load that failed; the next who opens it does the same
		err = w.db.Close()
		w.db = nil
		if w.path != "" && w.temp == "" {
			w.recover()
		}
	}
	if w.temp != "" {
		os.Remove(w.temp)
		os.Remove(w.temp + "-journal")
		w.temp = ""
	}
	w.lock.release()
	return err
}
