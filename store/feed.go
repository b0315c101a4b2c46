package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"

	"modernc.org/sqlite"
	"modernc.org/sqlite/vtab"
)

// A feed hands rows in memory to a statement, so that one
// INSERT … SELECT … FROM temp.feed stores a whole batch. Of the public ways
// into the engine it is the cheapest: a row costs no statement of its own, and
// a value no binding (docs/performance.md has the figures).
//
// To SQLite it is a virtual table whose columns are c0, c1 and so on.
type feed struct {
	rows   int
	column func(row, column int) driver.Value
}

// feedColumns is the number of columns of a feed, as many as the widest statement reads.
const feedColumns = 80

// feedNames are the names of a feed's columns.
var feedNames = func() (names [feedColumns]string) {
	for i := range names {
		names[i] = fmt.Sprintf("c%d", i)
	}
	return names
}()

// feedDriver is the SQLite driver with a feed of its own.
type feedDriver struct {
	sqlite *sqlite.Driver
	feed   *feed
	dsn    string
}

// openFed opens a database whose connections can read from a feed.
func openFed(dsn string) (*sql.DB, error) {
	d := &feedDriver{sqlite: &sqlite.Driver{}, feed: &feed{}, dsn: dsn}
	if err := d.sqlite.RegisterModule("feed", feedModule{d.feed}); err != nil {
		return nil, err
	}
	return sql.OpenDB(d), nil
}

// Open opens a connection to the database of a data source name.
func (d *feedDriver) Open(dsn string) (driver.Conn, error) { return d.sqlite.Open(dsn) }

// Connect opens a connection.
func (d *feedDriver) Connect(context.Context) (driver.Conn, error) { return d.Open(d.dsn) }

// Driver returns the driver itself.
func (d *feedDriver) Driver() driver.Driver { return d }

// feed runs a statement that reads n rows from temp.feed; column gives their values.
func (s *session) feed(statement string, n int, column func(row, column int) driver.Value) error {
	if n == 0 {
		return nil
	}
	if s.source == nil {
		d, ok := s.db.Driver().(*feedDriver)
		if !ok {
			return errors.New("the database was not opened for writing")
		}
		if _, err := s.exec(`CREATE VIRTUAL TABLE IF NOT EXISTS temp.feed USING feed`); err != nil {
			return err
		}
		s.source = d.feed
	}
	s.source.rows, s.source.column = n, column
	_, err := s.exec(statement)
	s.source.rows, s.source.column = 0, nil
	return err
}

// feed runs a statement as session.feed does.
func (l *Load) feed(statement string, n int, column func(row, column int) driver.Value) error {
	s, err := l.own()
	if err != nil {
		return err
	}
	return s.feed(statement, n, column)
}

// feedInto is the statement that inserts a feed's rows into columns of a table.
func feedInto(table string, columns ...string) string {
	return "INSERT INTO " + table + " (" + strings.Join(columns, ", ") + ") SELECT " + strings.Join(feedNames[:len(columns)], ", ") + " FROM temp.feed"
}

// feedModule makes the virtual table of a feed.
type feedModule struct{ feed *feed }

// Create declares the table.
func (m feedModule) Create(c vtab.Context, args []string) (vtab.Table, error) {
	return m.Connect(c, args)
}

// Connect declares the table.
func (m feedModule) Connect(c vtab.Context, _ []string) (vtab.Table, error) {
	return feedTable(m), c.Declare("CREATE TABLE feed (" + strings.Join(feedNames[:], ", ") + ")")
}

// feedTable is read from its first row to its last, and in no other way.
type feedTable struct{ feed *feed }

// BestIndex has no index to offer.
func (feedTable) BestIndex(*vtab.IndexInfo) error { return nil }

// Open returns a cursor.
func (t feedTable) Open() (vtab.Cursor, error) { return &feedCursor{feed: t.feed}, nil }

// Disconnect holds nothing to give up.
func (feedTable) Disconnect() error { return nil }

// Destroy holds nothing to remove.
func (feedTable) Destroy() error { return nil }

// feedCursor is a place in a feed.
type feedCursor struct {
	feed *feed
	row  int
}

// Filter goes to the first row.
func (c *feedCursor) Filter(int, string, []vtab.Value) error {
	c.row = 0
	return nil
}

// Next goes to the next row.
func (c *feedCursor) Next() error {
	c.row++
	return nil
}

// Eof tells whether the rows are at their end.
func (c *feedCursor) Eof() bool { return c.row >= c.feed.rows }

// Column returns a value of the row.
func (c *feedCursor) Column(n int) (vtab.Value, error) { return c.feed.column(c.row, n), nil }

// Rowid returns the row's number.
func (c *feedCursor) Rowid() (int64, error) { return int64(c.row), nil }

// Close holds nothing to give up.
func (c *feedCursor) Close() error { return nil }
