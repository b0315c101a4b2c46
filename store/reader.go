package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"modernc.org/libc"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/inference-sim/blis-warehouse/queries/statement"
)

// ApplicationID marks a SQLite file as a warehouse ("BLIW", PRAGMA
// application_id).
const ApplicationID = 0x424c4957

// SQLiteVersion is the version of the SQLite built into the program.
const SQLiteVersion = sqlite3.SQLITE_VERSION

// maxValueBytes bounds a string, a blob and a row, so that one expression
// cannot take all memory.
const maxValueBytes = 256 << 20

// ReaderOptions says what a Reader accepts.
type ReaderOptions struct {
	// SchemaVersion is the one the program works with; 0 takes any.
	SchemaVersion int64
	// BusyTimeout is how long to wait for a process that keeps readers out;
	// 0 means DefaultBusyTimeout, less than 0 not at all.
	BusyTimeout time.Duration
}

// Reader reads an existing warehouse and can do nothing else: the file is
// opened read-only and an authorizer refuses every statement that is not a
// plain read, ATTACH and VACUUM INTO included. All reads of a Reader see the
// database as it was when it was opened. It is for one goroutine at a time.
type Reader struct {
	path    string
	conn    driver.Conn
	engine  engine
	refused string // what the authorizer refused while the last statement was compiled
	version int64
	naming  bool // names are being listed for an error; where that fails too, they are not
}

// OpenReader opens the database at path. The end of ctx ends a wait for a
// lock. It creates nothing, and it changes nothing with one exception: after a
// crash in the middle of a write it lets SQLite restore the database from the
// journal that the write left, for until then the file cannot be read. The error says in a sentence what is wrong and
// wraps fs.ErrNotExist when there is no file: no file, not a regular file, not
// SQLite, another application's database, a schema older than
// opts.SchemaVersion (migrate helps) or newer (only a newer program does).
func OpenReader(ctx context.Context, path string, opts ReaderOptions) (*Reader, error) {
	if err := checkFile(path); err != nil {
		return nil, err
	}
	if opts.BusyTimeout == 0 {
		opts.BusyTimeout = DefaultBusyTimeout
	}
	r, err := open(ctx, path, opts)
	if !errors.Is(err, errUnfinishedWrite) {
		return r, err
	}
	if err := restore(ctx, path, opts.BusyTimeout); err != nil {
		return nil, fmt.Errorf("%s: %w and cannot be restored: %w", path, errUnfinishedWrite, err)
	}
	return open(ctx, path, opts)
}

// errUnfinishedWrite is a database that SQLite must restore before it can be
// read.
var errUnfinishedWrite = errors.New("the database was left in the middle of a write")

func open(ctx context.Context, path string, opts ReaderOptions) (*Reader, error) {
	r := &Reader{path: path}
	if err := r.connect(ctx, opts.BusyTimeout); err != nil {
		return nil, err
	}
	if err := r.checkDatabase(ctx, opts); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// restore reads the database at path once with the right to write, upon which
// SQLite rolls back an unfinished write.
func restore(ctx context.Context, path string, timeout time.Duration) error {
	dsn, err := fileDSN(path, url.Values{"mode": {"rw"}, "_pragma": {busyPragma(timeout), "schema_version"}})
	if err != nil {
		return err
	}
	connector, err := sqlite.NewConnector(dsn)
	if err != nil {
		return err
	}
	conn, err := connector.Connect(ctx)
	if err != nil {
		return err
	}
	return conn.Close()
}

// checkFile looks at the file from outside, for SQLite would take a missing
// or empty file for an empty database.
func checkFile(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &missingError{path}
	case err != nil:
		return fmt.Errorf("open database: %w", err)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a database: it is not a regular file", path)
	case info.Size() == 0:
		return fmt.Errorf("%s is not a warehouse: the file is empty", path)
	}
	return nil
}

// missingError is a database file that does not exist.
type missingError struct{ path string }

func (e *missingError) Error() string {
	return fmt.Sprintf("there is no database %s: load creates one, --db names another", e.path)
}

func (e *missingError) Unwrap() error { return fs.ErrNotExist }

func (r *Reader) connect(ctx context.Context, timeout time.Duration) error {
	dsn, err := fileDSN(r.path, url.Values{
		"mode":        {"ro"},
		"_query_only": {"1"},
		"_dqs":        {"0"}, // "nosuch" is an unknown column, not a text
		"_defensive":  {"1"},
		"_error_rc":   {"1"},
		"_pragma":     {busyPragma(timeout), "trusted_schema(0)", "temp_store(memory)"},
	})
	if err != nil {
		return err
	}
	connector, err := sqlite.NewConnector(dsn)
	if err != nil {
		return fmt.Errorf("open database %s: %w", r.path, err)
	}
	if r.conn, err = connector.Connect(ctx); err != nil {
		return fmt.Errorf("open database %s: %w", r.path, err)
	}
	if err := r.restrict(ctx); err != nil {
		return errors.Join(fmt.Errorf("open database %s: %w", r.path, err), r.conn.Close())
	}
	return nil
}

// fileDSN is the name by which the driver opens the existing file at path.
func fileDSN(path string, query url.Values) (string, error) {
	// An absolute path cannot be taken for the host part of the URI.
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("open database: %w", err)
	}
	return (&url.URL{Scheme: "file", Path: abs, RawQuery: query.Encode()}).String(), nil
}

// restrict begins the transaction that gives all reads one snapshot, then
// takes from the connection what reading does not need.
func (r *Reader) restrict(ctx context.Context) error {
	execer, ok := r.conn.(driver.ExecerContext)
	if !ok {
		return fmt.Errorf("the SQLite driver has no ExecContext")
	}
	if _, err := execer.ExecContext(ctx, "BEGIN", nil); err != nil {
		return err
	}
	var err error
	if r.engine, err = engineOf(r.conn); err != nil {
		return err
	}
	r.engine.limit(sqlite3.SQLITE_LIMIT_LENGTH, maxValueBytes)
	r.engine.limit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
	registerer, ok := r.conn.(sqlite.AuthorizerRegisterer)
	if !ok {
		return fmt.Errorf("the SQLite driver has no authorizer")
	}
	return registerer.RegisterAuthorizer(r.authorize)
}

// checkDatabase refuses what is not a warehouse of the wanted version.
func (r *Reader) checkDatabase(ctx context.Context, opts ReaderOptions) error {
	id, err := r.integer(ctx, "PRAGMA application_id")
	if err != nil {
		return r.openError(err)
	}
	if id != ApplicationID {
		return fmt.Errorf("%s is not a warehouse: it is another application's SQLite database (application_id 0x%08x)", r.path, uint32(id))
	}
	if r.version, err = r.schemaVersion(ctx); err != nil {
		return r.openError(err)
	}
	switch {
	case opts.SchemaVersion == 0 || r.version == opts.SchemaVersion:
		return nil
	case r.version < opts.SchemaVersion:
		return fmt.Errorf("%s has schema version %d, older than this program's %d: run migrate first", r.path, r.version, opts.SchemaVersion)
	default:
		return fmt.Errorf("%s has schema version %d, newer than this program's %d: use a newer blis-warehouse", r.path, r.version, opts.SchemaVersion)
	}
}

// schemaVersion is the highest applied migration, 0 for none.
func (r *Reader) schemaVersion(ctx context.Context) (int64, error) {
	tables, err := r.integer(ctx, "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'goose_db_version'")
	if err != nil || tables == 0 {
		return 0, err
	}
	return r.integer(ctx, "SELECT ifnull(max(version_id), 0) FROM goose_db_version WHERE is_applied")
}

// openError puts the first failed read of a file into a sentence.
func (r *Reader) openError(err error) error {
	switch primaryCode(err) {
	case sqlite3.SQLITE_NOTADB:
		return fmt.Errorf("%s is not an SQLite database", r.path)
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN:
		return fmt.Errorf("read database %s: %w: %w", r.path, err, errUnfinishedWrite)
	case sqlite3.SQLITE_BUSY:
		return fmt.Errorf("%s is being written by another program: try again when it has finished", r.path)
	}
	return fmt.Errorf("read database %s: %w", r.path, err)
}

// integer is the single value of a statement of our own.
func (r *Reader) integer(ctx context.Context, sql string) (int64, error) {
	rows, err := r.Query(ctx, sql, nil)
	if err != nil {
		return 0, err
	}
	for row, err := range rows.All() {
		if err != nil {
			return 0, err
		}
		if n, ok := row[0].(int64); ok {
			return n, nil
		}
		return 0, fmt.Errorf("%s: %v is not an integer", sql, row[0])
	}
	return 0, fmt.Errorf("%s: no row", sql)
}

// Path is the path the Reader was opened with.
func (r *Reader) Path() string { return r.path }

// SchemaVersion is the database's schema version, 0 when it has no tables yet.
func (r *Reader) SchemaVersion() int64 { return r.version }

// Close closes the database. All Rows must be closed or exhausted before. A
// database that a load could not turn back to the rollback journal, because it
// was being read or the load was killed, is turned back by the last Reader that
// closes it, where that may write.
func (r *Reader) Close() error {
	logged := hasLog(r.path) // then it has one beside it, if only because we read it
	err := r.conn.Close()
	r.engine.close()
	if logged {
		rest(r.path)
	}
	return err
}

// verbs are the first words of the statements that only read.
var verbs = []string{"SELECT", "WITH", "VALUES", "EXPLAIN", "PRAGMA"}

// Query runs the one reading statement in sql. The keys of params are the
// names of its parameters without the leading colon; the values are int64,
// float64, string, []byte or nil. Every parameter of the statement needs a
// value and every value a parameter. When ctx ends, the statement is
// interrupted and the error is ctx's. What is wrong with the statement itself
// is a *QueryError.
func (r *Reader) Query(ctx context.Context, sql string, params map[string]any) (*Rows, error) {
	st, err := statement.Parse(sql)
	if err != nil {
		return nil, parseError(sql, err)
	}
	if !slices.Contains(verbs, st.Verb()) {
		return nil, &QueryError{SQL: sql, Offset: st.Start, Message: "only reading statements are run (" + strings.Join(verbs, ", ") + ")",
			Unknown: st.Verb(), Known: verbs}
	}
	args, err := bind(sql, st.Params, params)
	if err != nil {
		return nil, err
	}
	return r.prepare(ctx, sql, st.Text, st.Start, args)
}

// PlanStep is a step of the plan by which SQLite runs a statement.
type PlanStep struct {
	ID     int64  // of the step in its plan; not consecutive
	Parent int64  // the step that it is part of, 0 for none
	Detail string // SQLite's own words, such as "SCAN runs"
}

// planned are the first words of the statements that have a plan.
var planned = []string{"SELECT", "WITH", "VALUES"}

// Plan is how SQLite would run the one reading statement in sql, in its own
// order. It runs nothing, so the statement's parameters need no values. What is
// wrong with the statement is a *QueryError, as in Query.
func (r *Reader) Plan(ctx context.Context, sql string) ([]PlanStep, error) {
	st, err := statement.Parse(sql)
	if err != nil {
		return nil, parseError(sql, err)
	}
	if !slices.Contains(planned, st.Verb()) {
		return nil, &QueryError{SQL: sql, Offset: st.Start, Message: "only these statements have a plan: " + strings.Join(planned, ", "), Unknown: st.Verb(), Known: planned}
	}
	args := make([]driver.NamedValue, len(st.Params))
	for i, name := range st.Params {
		args[i] = driver.NamedValue{Name: name, Ordinal: i + 1}
	}
	const explain = "EXPLAIN QUERY PLAN "
	rows, err := r.prepare(ctx, sql, explain+st.Text, st.Start-len(explain), args)
	if err != nil {
		return nil, err
	}
	var steps []PlanStep
	for row, err := range rows.All() {
		if err != nil {
			return nil, err
		}
		id, _ := row[0].(int64)
		parent, _ := row[1].(int64)
		detail, _ := row[3].(string)
		steps = append(steps, PlanStep{ID: id, Parent: parent, Detail: detail})
	}
	return steps, nil
}

// prepare compiles text, whose offset in sql is start, and starts it.
func (r *Reader) prepare(ctx context.Context, sql, text string, start int, args []driver.NamedValue) (*Rows, error) {
	preparer, ok := r.conn.(driver.ConnPrepareContext)
	if !ok {
		return nil, fmt.Errorf("the SQLite driver has no PrepareContext")
	}
	r.refused = ""
	prepared, err := preparer.PrepareContext(ctx, text)
	if err != nil {
		err = r.queryError(ctx, sql, start, err)
		if e, ok := errors.AsType[*QueryError](err); ok && e.Message == "incomplete input" {
			e.Offset = start + len(text)
		}
		return nil, err
	}
	return r.start(ctx, sql, start, prepared, args)
}

// start runs a prepared statement up to its first row.
func (r *Reader) start(ctx context.Context, sql string, offset int, prepared driver.Stmt, args []driver.NamedValue) (*Rows, error) {
	queryer, ok := prepared.(driver.StmtQueryContext)
	if !ok {
		return nil, errors.Join(fmt.Errorf("the SQLite driver has no QueryContext"), prepared.Close())
	}
	rows, err := queryer.QueryContext(ctx, args)
	if err != nil {
		err = r.queryError(ctx, sql, offset, err)
		// What closing reports of a failed statement is the same failure.
		_ = prepared.Close()
		return nil, err
	}
	fail := func(err error) error { return r.queryError(ctx, sql, offset, err) }
	n := len(rows.Columns())
	return &Rows{
		prepared: prepared,
		rows:     rows,
		fail:     fail,
		release:  r.interruptOnDone(ctx),
		cells:    make([]driver.Value, n),
		values:   make([]any, n),
	}, nil
}

// interruptOnDone interrupts whatever the connection runs once ctx is done:
// the driver watches ctx only up to the first row. The returned function ends
// the watch; no interrupt happens after it has returned.
func (r *Reader) interruptOnDone(ctx context.Context) func() {
	finished := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		r.engine.interrupt()
		close(finished)
	})
	return func() {
		if !stop() {
			<-finished
		}
	}
}

// bind matches the parameters of the statement in sql with values.
func bind(sql string, names []string, params map[string]any) ([]driver.NamedValue, error) {
	var missing []string
	args := make([]driver.NamedValue, 0, len(names))
	for i, name := range names {
		value, ok := params[name]
		if !ok {
			missing = append(missing, ":"+name)
			continue
		}
		args = append(args, driver.NamedValue{Name: name, Ordinal: i + 1, Value: value})
	}
	var unused []string
	for name := range params {
		if !slices.Contains(names, name) {
			unused = append(unused, ":"+name)
		}
	}
	slices.Sort(unused)
	var wrong []string
	offset := -1
	if missing != nil {
		wrong = append(wrong, "no value for parameter "+strings.Join(missing, ", "))
		offset = parameterOffset(sql, missing[0][1:])
	}
	if unused != nil {
		wrong = append(wrong, "the statement has no parameter "+strings.Join(unused, ", "))
	}
	if wrong != nil {
		return nil, &QueryError{SQL: sql, Offset: offset, Message: strings.Join(wrong, "; ")}
	}
	return args, nil
}

// parameterOffset is where sql first names a parameter.
func parameterOffset(sql, name string) int {
	for tok := range statement.Tokens(sql) {
		if tok.Kind == statement.Parameter && sql[tok.Start+1:tok.End] == name {
			return tok.Start
		}
	}
	return -1
}

// Rows is the result of a statement, read row by row.
type Rows struct {
	prepared driver.Stmt
	rows     driver.Rows
	fail     func(error) error
	release  func() // ends the watch over the context
	cells    []driver.Value
	values   []any
	err      error
	closed   bool
}

// Columns are the names of the result's columns, not necessarily distinct; a
// statement without a result has none.
func (r *Rows) Columns() []string { return r.rows.Columns() }

// Next reads the next row for Values. At the end or after an error, which Err
// tells apart, it closes Rows and is false.
func (r *Rows) Next() bool {
	if r.closed {
		return false
	}
	if err := r.rows.Next(r.cells); err != nil {
		if err != io.EOF {
			r.err = r.fail(err)
		}
		r.Close()
		return false
	}
	for i, cell := range r.cells {
		r.values[i] = plain(cell)
	}
	return true
}

// Values is the row that Next read: int64, float64 (perhaps infinite, never
// NaN), string, []byte, or nil for NULL. The next row overwrites the slice.
func (r *Rows) Values() []any { return r.values }

// Err is the error that ended Next, nil at the end of the result.
func (r *Rows) Err() error { return r.err }

// All yields the rows that are left, as Values, and at last the error, if
// there is one. It closes Rows, also when the loop is left early.
func (r *Rows) All() iter.Seq2[[]any, error] {
	return func(yield func([]any, error) bool) {
		defer r.Close()
		for r.Next() {
			if !yield(r.values, nil) {
				return
			}
		}
		if r.err != nil {
			yield(nil, r.err)
		}
	}
}

// Close ends the statement; it may be called again.
func (r *Rows) Close() error {
	if r.closed {
		return nil
	}
	r.closed = true
	r.release()
	// A statement that failed reports its failure once more when it is closed.
	_ = r.rows.Close()
	_ = r.prepared.Close()
	return nil
}

// plain undoes the driver's reading of columns declared TIMESTAMP, which only
// goose's own table has: their text comes back in the form SQLite writes.
func plain(v driver.Value) any {
	switch v := v.(type) {
	case time.Time:
		return v.Format("2006-01-02 15:04:05.999999999")
	case bool:
		if v {
			return int64(1)
		}
		return int64(0)
	}
	return v
}

// QueryError is a statement that SQLite or the Reader refuses.
type QueryError struct {
	SQL     string // the whole text
	Offset  int    // byte offset of the trouble in SQL, -1 when unknown
	Message string
	Code    int      // SQLite's extended result code, 0 when the Reader refused the text itself
	Unknown string   // the table, column, function or verb that does not exist, if that is the trouble
	Known   []string // names that do exist where Unknown was looked for
	// Elsewhere are tables and views, by name, that have a column Unknown and
	// are not where the statement looks for it.
	Elsewhere []string
	// Choices are the columns that an ambiguous name may mean.
	Choices []string
}

func (e *QueryError) Error() string { return e.Message }

// parseError is a text that is not one statement.
func parseError(sql string, err error) error {
	if e, ok := errors.AsType[*statement.Error](err); ok {
		return &QueryError{SQL: sql, Offset: e.Offset, Message: e.Message}
	}
	return &QueryError{SQL: sql, Offset: -1, Message: err.Error()}
}

// queryError is err, which the driver reported of the statement at offset
// start of sql, in our words. The end of ctx stays what it is.
func (r *Reader) queryError(ctx context.Context, sql string, start int, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	sqliteErr, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return fmt.Errorf("run statement: %w", err)
	}
	e := &QueryError{SQL: sql, Offset: -1, Message: r.engine.message(sqliteErr), Code: sqliteErr.Code()}
	if offset := r.engine.errorOffset(); offset >= 0 {
		e.Offset = start + offset
	}
	switch code := e.Code & 0xff; {
	case r.refused != "":
		e.Message = "the warehouse is only read here: " + r.refused + " is refused"
	case code == sqlite3.SQLITE_BUSY:
		e.Message = "the database is being written by another program: try again when it has finished"
	case code == sqlite3.SQLITE_NOMEM:
		e.Message = "the statement needs more memory than it may have"
	case code == sqlite3.SQLITE_TOOBIG:
		e.Message = fmt.Sprintf("a value is longer than %d MiB", maxValueBytes>>20)
	default:
		r.addKnown(ctx, e)
	}
	return e
}

// texts is the first column of a statement of our own.
func (r *Reader) texts(ctx context.Context, sql string) ([]string, error) {
	rows, err := r.Query(ctx, sql, nil)
	if err != nil {
		return nil, err
	}
	var texts []string
	for row, err := range rows.All() {
		if err != nil {
			return nil, err
		}
		if text, ok := row[0].(string); ok {
			texts = append(texts, text)
		}
	}
	return texts, nil
}

// authorize lets a statement be compiled if all it does is reading.
func (r *Reader) authorize(action sqlite.AuthorizerActionCode, arg1, arg2, _, _ string) sqlite.AuthorizerReturnCode {
	switch action {
	case sqlite.AuthSelect, sqlite.AuthRead, sqlite.AuthRecursive:
		return sqlite.AuthorizerOK
	case sqlite.AuthFunction:
		if !slices.Contains(fileFunctions, strings.ToLower(arg2)) {
			return sqlite.AuthorizerOK
		}
		r.refused = "function " + arg2
	case sqlite.AuthPragma:
		name := strings.ToLower(arg1)
		if slices.Contains(describingPragmas, name) || arg2 == "" && slices.Contains(statePragmas, name) {
			return sqlite.AuthorizerOK
		}
		r.refused = "PRAGMA " + arg1
	default:
		r.refused = actionName(action)
	}
	return sqlite.AuthorizerDeny
}

// fileFunctions are the SQL functions, of SQLite or of its shell and
// extensions, that reach outside the database.
var fileFunctions = []string{"load_extension", "readfile", "writefile", "edit", "fsdir", "lsmode", "zipfile", "fts3_tokenizer", "sqlite_log"}

// describingPragmas describe or check the database; their argument says what.
var describingPragmas = []string{
	"table_info", "table_xinfo", "table_list", "index_list", "index_info", "index_xinfo",
	"foreign_key_list", "foreign_key_check", "integrity_check", "quick_check",
	"compile_options", "function_list", "collation_list", "module_list", "pragma_list", "database_list",
}

// statePragmas are settings that may be read; an argument would set them.
var statePragmas = []string{"application_id", "schema_version", "user_version", "page_size", "page_count", "freelist_count", "encoding"}

func actionName(action sqlite.AuthorizerActionCode) string {
	switch action {
	case sqlite.AuthInsert:
		return "INSERT"
	case sqlite.AuthUpdate:
		return "UPDATE"
	case sqlite.AuthDelete:
		return "DELETE"
	case sqlite.AuthAttach, sqlite.AuthDetach:
		return "ATTACH"
	case sqlite.AuthTransaction, sqlite.AuthSavepoint:
		return "a transaction"
	}
	return "a change of the database"
}

// engine is the SQLite connection below the driver. The driver has no way of
// its own to interrupt a statement between two rows, to bound the size of a
// value without database/sql, or to tell where in a text an error lies.
type engine struct {
	tls *libc.TLS
	db  uintptr
}

// engineOf finds the connection's handle, an unexported field of the driver's
// type.
func engineOf(conn driver.Conn) (engine, error) {
	v := reflect.ValueOf(conn)
	if v.Kind() == reflect.Pointer && v.Elem().Kind() == reflect.Struct {
		if db := v.Elem().FieldByName("db"); db.IsValid() && db.Kind() == reflect.Uintptr && db.Uint() != 0 {
			return engine{tls: libc.NewTLS(), db: uintptr(db.Uint())}, nil
		}
	}
	return engine{}, fmt.Errorf("the SQLite driver's %T has no handle", conn)
}

// LimitMemory bounds the memory that SQLite takes in this process, in bytes; a
// statement that needs more fails. There is one bound for all connections, for
// SQLite has no other, and it must be set before the first is opened: from then
// on SQLite, which is built not to count its memory, does not begin to. Setting
// the same bound again changes nothing.
func LimitMemory(bytes int64) error {
	memoryBound.Lock()
	defer memoryBound.Unlock()
	if memoryBound.bytes == bytes {
		return nil
	}
	tls := libc.NewTLS()
	defer tls.Close()
	on := libc.NewVaList(int32(1))
	if on == 0 {
		return fmt.Errorf("limit the memory of SQLite: no memory")
	}
	defer libc.Xfree(tls, on)
	if code := sqlite3.Xsqlite3_config(tls, sqlite3.SQLITE_CONFIG_MEMSTATUS, on); code != sqlite3.SQLITE_OK {
		return fmt.Errorf("limit the memory of SQLite: it is in use (%d)", code)
	}
	sqlite3.Xsqlite3_hard_heap_limit64(tls, bytes)
	memoryBound.bytes = bytes
	return nil
}

// memoryBound is the bound that LimitMemory has set, 0 for none. It is SQLite's
// own for the whole process.
var memoryBound struct {
	sync.Mutex
	bytes int64
}

func (e engine) limit(id, value int32) { sqlite3.Xsqlite3_limit(e.tls, e.db, id, value) }

// interrupt ends the running statements; any goroutine may call it.
func (e engine) interrupt() { sqlite3.Xsqlite3_interrupt(e.tls, e.db) }

// errorOffset is where the statement that just failed to compile is wrong, in
// bytes of its text, -1 when SQLite does not know.
func (e engine) errorOffset() int { return int(sqlite3.Xsqlite3_error_offset(e.tls, e.db)) }

// message is what SQLite says of err, without the description of its code that
// the driver puts before it and the number it puts after it.
func (e engine) message(err *sqlite.Error) string {
	described := libc.GoString(sqlite3.Xsqlite3_errstr(e.tls, int32(err.Code())))
	message, _, _ := strings.Cut(err.Error(), fmt.Sprintf(" (%d)", err.Code()))
	return strings.TrimPrefix(message, described+": ")
}

func (e engine) close() {
	if e.tls != nil {
		e.tls.Close()
	}
}
