package store

import (
	"context"
	"database/sql"
)

// session is the transaction of a load with its prepared statements. Incoming
// rows are stored by a goroutine of its own, beside the load; so that only one
// of the two is in the database, that goroutine is given the session, and the
// load comes to it by own alone.
type session struct {
	tx     *sql.Tx
	ctx    context.Context
	db     *sql.DB
	stmts  map[string]*sql.Stmt
	source *feed // what temp.feed reads, nil before the first
}

// own waits until no rows are being stored beside the load and returns its session.
func (l *Load) own() (*session, error) {
	if err := l.await(); err != nil {
		return nil, err
	}
	return l.session, nil
}

// await waits until no rows are being stored beside the load. Once storing has
// failed it always returns that error.
func (l *Load) await() error {
	if l.storing != nil {
		l.failed = <-l.storing
		l.storing = nil
	}
	return l.failed
}

// beside has the session used by a goroutine of its own, until which is done the load waits for it.
func (l *Load) beside(use func(*session) error) error {
	s, err := l.own()
	if err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- use(s) }()
	l.storing = done
	return nil
}

func (l *Load) exec(text string, args ...any) (sql.Result, error) {
	s, err := l.own()
	if err != nil {
		return nil, err
	}
	return s.exec(text, args...)
}

// insert runs an INSERT and returns the new row's key.
func (l *Load) insert(text string, args ...any) (int64, error) {
	r, err := l.exec(text, args...)
	if err != nil {
		return 0, err
	}
	return r.LastInsertId()
}

func (l *Load) queryRow(text string, args []any, dest ...any) (found bool, err error) {
	s, err := l.own()
	if err != nil {
		return false, err
	}
	return s.queryRow(text, args, dest...)
}

// query calls each for every row of a query; each scans it.
func (l *Load) query(text string, args []any, each func(scan func(dest ...any) error) error) error {
	s, err := l.own()
	if err != nil {
		return err
	}
	return s.query(text, args, each)
}

// stmt returns the prepared statement of a constant text.
func (s *session) stmt(text string) (*sql.Stmt, error) {
	if stmt, ok := s.stmts[text]; ok {
		return stmt, nil
	}
	stmt, err := s.tx.PrepareContext(s.ctx, text)
	if err != nil {
		return nil, err
	}
	s.stmts[text] = stmt
	return stmt, nil
}

func (s *session) exec(text string, args ...any) (sql.Result, error) {
	stmt, err := s.stmt(text)
	if err != nil {
		return nil, err
	}
	return stmt.ExecContext(s.ctx, args...)
}

func (s *session) queryRow(text string, args []any, dest ...any) (found bool, err error) {
	stmt, err := s.stmt(text)
	if err != nil {
		return false, err
	}
	err = stmt.QueryRowContext(s.ctx, args...).Scan(dest...)
	if err == sql.ErrNoRows {
		return false, nil
	}
	return err == nil, err
}

func (s *session) query(text string, args []any, each func(scan func(dest ...any) error) error) error {
	stmt, err := s.stmt(text)
	if err != nil {
		return err
	}
	rows, err := stmt.QueryContext(s.ctx, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := each(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}
