package store

import (
	"fmt"
	"strings"
)

// A fresh database that a large capture fills gets the indexes that tell
// nothing apart (all that are not unique) after the rows: to sort the entries
// once is cheaper than to find a place for each.

// lateIndex is an index that was dropped and will be made again.
type lateIndex struct{ name, sql string }

// filledTables are the tables that a capture fills.
var filledTables = []string{"runs", "inferencex_runs", "inferencex_points", "run_contents", "content_keys", "content_anchors", "content_combinations", "flags"}

// deferIndexes drops the indexes of the tables that a capture fills, until restoreIndexes.
func (l *Load) deferIndexes() error {
	err := l.query(`SELECT name, sql, tbl_name FROM sqlite_schema WHERE type = 'index' AND sql NOT LIKE 'CREATE UNIQUE%' ORDER BY rowid`, nil,
		func(scan func(...any) error) error {
			var index lateIndex
			var table string
			if err := scan(&index.name, &index.sql, &table); err != nil {
				return err
			}
			for _, t := range filledTables {
				if t == table {
					l.late = append(l.late, index)
				}
			}
			return nil
		})
	if err != nil {
		return err
	}
	s, err := l.own()
	if err != nil {
		return err
	}
	for _, index := range l.late {
		if _, err := s.tx.ExecContext(l.ctx, `DROP INDEX "`+strings.ReplaceAll(index.name, `"`, `""`)+`"`); err != nil {
			return fmt.Errorf("drop index %s: %w", index.name, err)
		}
	}
	return nil
}

// restoreIndexes makes the indexes again that deferIndexes dropped.
func (l *Load) restoreIndexes() error {
	s, err := l.own()
	if err != nil {
		return err
	}
	for _, index := range l.late {
		if _, err := s.tx.ExecContext(l.ctx, index.sql); err != nil {
			return fmt.Errorf("make index %s: %w", index.name, err)
		}
	}
	l.late = nil
	return nil
}
