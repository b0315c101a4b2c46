package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/pressly/goose/v3"

	"github.com/inference-sim/blis-warehouse/migrations"
)

// WriterOptions says how a database is opened for writing.
type WriterOptions struct {
	Create      bool          // create the database where it does not exist
	New         bool          // refuse a database that exists: fs.ErrExist
	Replace     bool          // build a fresh database, also where one exists, which Publish replaces
	KeepSchema  bool          // refuse an older schema instead of migrating it
	BusyTimeout time.Duration // how long to wait for another writer; 0 means 5 s
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
	Backup  string // the backup that was taken before a migration, "" where none was needed
	Version int64  // the schema version before opening; 0 for a fresh database
}

// OpenWriter opens or creates the database at path.
// A file that is no database, or another program's, is refused and left as it is.
func OpenWriter(ctx context.Context, path string, opts WriterOptions) (w *Writer, err error) {
	timeout := opts.BusyTimeout
	if timeout == 0 {
		timeout = 5 * time.Second
	}
	if _, err := os.Stat(filepath.Dir(path)); err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	if _, err := os.Stat(path); err != nil && !opts.Create && !opts.New && !opts.Replace {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	lock, err := acquireLock(ctx, path, timeout)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			lock.release()
		}
	}()
	w = &Writer{path: path, lock: lock}
	switch info, err := os.Stat(path); {
	case errors.Is(err, os.ErrNotExist):
		if !opts.Create && !opts.New && !opts.Replace {
			return nil, fmt.Errorf("open %s: %w", path, err)
		}
		return w, w.createTemp(ctx)
	case err != nil:
		return nil, fmt.Errorf("open %s: %w", path, err)
	case opts.Replace:
		if err := replaceable(path, info); err != nil {
			return nil, err
		}
		w.replace = true
		return w, w.createTemp(ctx)
	case opts.New:
		return nil, fmt.Errorf("create %s: %w", path, os.ErrExist)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("open %s: not a regular file", path)
	}
	if w.Version, err = databaseVersion(path); err != nil {
		return nil, err
	}
	if w.Version < migrations.Latest() {
		if opts.KeepSchema {
			return nil, fmt.Errorf("%s has schema version %d, this program's is %d: run blis-warehouse migrate first", path, w.Version, migrations.Latest())
		}
		if w.Backup, err = backupBeside(ctx, path, w.Version); err != nil {
			return nil, err
		}
	}
	if w.db, err = openReadWrite(ctx, path, timeout, "synchronous(NORMAL)"); err != nil {
		return nil, err
	}
	if w.Version < migrations.Latest() {
		if err := migrate(ctx, w.db); err != nil {
			w.db.Close()
			return nil, fmt.Errorf("migrate %s: %w; the backup is %s", path, err, w.Backup)
		}
	}
	return w, nil
}

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
	if err := migrate(ctx, db); err != nil {
		db.Close()
		return nil, fmt.Errorf("migrate a database in memory: %w", err)
	}
	return &Writer{db: db}, nil
}

func (w *Writer) createTemp(ctx context.Context) error {
	w.dropLeftovers()
	w.temp = filepath.Join(filepath.Dir(w.path), fmt.Sprintf(".%s.new-%d", filepath.Base(w.path), os.Getpid()))
	f, err := os.OpenFile(w.temp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666) // less the umask, like any file
	if err != nil {
		return fmt.Errorf("create %s: %w", w.path, err)
	}
	f.Close()
	// Nobody else sees this file: it needs no journal of its own, and is synced before it appears.
	w.db, err = openReadWrite(ctx, w.temp, time.Second, "journal_mode(MEMORY)", "synchronous(OFF)", "cache_size(-2000)")
	if err == nil {
		err = migrate(ctx, w.db)
	}
	if err != nil {
		w.Close()
		return fmt.Errorf("create %s: %w", w.path, err)
	}
	return nil
}

// dropLeftovers removes what killed loads left of databases that never
// appeared. The lock is held: nobody is at work on them.
func (w *Writer) dropLeftovers() {
	entries, err := os.ReadDir(filepath.Dir(w.path))
	if err != nil {
		return
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "."+filepath.Base(w.path)+".new-") {
			os.Remove(filepath.Join(filepath.Dir(w.path), e.Name()))
		}
	}
}

// openReadWrite opens path with one connection. The page size is for a file that is still empty.
func openReadWrite(ctx context.Context, path string, timeout time.Duration, pragmas ...string) (*sql.DB, error) {
	pragmas = append([]string{"page_size(16384)", "foreign_keys(1)", fmt.Sprintf("busy_timeout(%d)", timeout.Milliseconds())}, pragmas...)
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

// migrate brings an open database to the newest schema and marks it as ours.
func migrate(ctx context.Context, db *sql.DB) error {
	provider, err := goose.NewProvider(goose.DialectSQLite3, db, migrations.FS(), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return err
	}
	if _, err := provider.Up(ctx); err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d", ApplicationID))
	return err
}

// databaseVersion returns the schema version of the database at path, which it
// does not change. It refuses what is no warehouse and what is newer than this program.
func databaseVersion(path string) (int64, error) {
	r, err := OpenReader(path, ReaderOptions{})
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

// backupBeside copies the database at path to a new file beside it.
func backupBeside(ctx context.Context, path string, version int64) (string, error) {
	for i := 0; ; i++ {
		name := fmt.Sprintf("%s.backup-v%d", path, version)
		if i > 0 {
			name = fmt.Sprintf("%s-%d", name, i)
		}
		err := Backup(ctx, path, name)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		return name, err
	}
}

// Backup writes a consistent copy of the database at path to the new file to.
// The copy appears complete or not at all; an existing file is os.ErrExist.
func Backup(ctx context.Context, path, to string) error {
	if _, err := os.Lstat(to); err == nil {
		return fmt.Errorf("backup to %s: %w", to, os.ErrExist)
	}
	dir, err := os.MkdirTemp(filepath.Dir(to), "."+filepath.Base(to)+".new-*")
	if err != nil {
		return fmt.Errorf("backup to %s: %w", to, err)
	}
	defer os.RemoveAll(dir)
	db, err := openReadWrite(ctx, path, 5*time.Second, "synchronous(NORMAL)")
	if err != nil {
		return fmt.Errorf("backup of %s: %w", path, err)
	}
	defer db.Close()
	copied := filepath.Join(dir, "copy")
	if _, err := db.ExecContext(ctx, "VACUUM INTO ?", copied); err != nil {
		return fmt.Errorf("backup of %s: %w", path, err)
	}
	if err := syncFile(copied); err != nil {
		return fmt.Errorf("backup to %s: %w", to, err)
	}
	if err := placeNew(copied, to); err != nil {
		return fmt.Errorf("backup to %s: %w", to, err)
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

// WithReader lets read read what was committed to a fresh database before it
// is published. Writes wait meanwhile.
func (w *Writer) WithReader(read func(*Reader) error) error {
	r, err := OpenReader(w.temp, ReaderOptions{})
	if err != nil {
		return err
	}
	defer r.Close()
	return read(r)
}

// Publish makes a fresh database appear under its name. For an existing one it does nothing.
func (w *Writer) Publish() error {
	if w.temp == "" {
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

// recover brings the database back where a rollback could not be finished (the
// disk was full): opening and reading it does, and who may not write it can then read it.
func (w *Writer) recover() {
	if _, err := os.Stat(w.path + "-journal"); err != nil {
		return
	}
	db, err := openReadWrite(context.Background(), w.path, 5*time.Second)
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
		err = w.db.Close()
		w.db = nil
	}
	if w.path != "" && w.temp == "" {
		w.recover()
	}
	if w.temp != "" {
		os.Remove(w.temp)
		os.Remove(w.temp + "-journal")
		w.temp = ""
	}
	w.lock.release()
	return err
}
