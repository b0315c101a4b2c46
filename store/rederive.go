package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/inference-sim/blis-warehouse/migrations"
)

// derivedSince is the last schema that brought a table, or a column of one,
// that loads derive from others. A migration that brings another raises it,
// unless it may be empty, as inferencex_row_digests may.
const derivedSince = 15

// deriveMissing derives what a database that was migrated from one schema to
// another lacks, or notes in user_version that it does.
func deriveMissing(ctx context.Context, db *sql.DB, from, to int64) error {
	missing := 0
	if err := db.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&missing); err != nil {
		return err
	}
	if from >= derivedSince && missing == 0 {
		return nil
	}
	if to < migrations.Latest() {
		_, err := db.ExecContext(ctx, `PRAGMA user_version = 1`)
		return err
	}
	if err := rederive(ctx, db); err != nil {
		return fmt.Errorf("derive what the new schema needs: %w", err)
	}
	_, err := db.ExecContext(ctx, `PRAGMA user_version = 0`)
	return err
}

// rederive fills the derived tables of a database that was migrated from a
// schema in which not all of them were.
func rederive(ctx context.Context, db *sql.DB) error {
	l, err := (&Writer{db: db, timeout: time.Second}).Begin(ctx)
	if err != nil {
		return err
	}
	defer l.Rollback()
	for _, statement := range []string{
		`UPDATE runs SET content_id = NULL`,
		`DELETE FROM content_groups`,
		`DELETE FROM content_overlaps`,
		`DELETE FROM content_keys`,
		`DELETE FROM content_anchors`,
		`DELETE FROM content_combinations`,
		`DELETE FROM metric_combinations`,
		`DELETE FROM blocking_metrics`,
		`DELETE FROM run_contents`,
		`DELETE FROM flags`,
	} {
		if _, err := l.exec(statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	runs, err := l.integers(`SELECT run_id FROM runs`)
	if err != nil {
		return err
	}
	for _, id := range runs {
		l.touched[id] = true
	}
	l.references = true
	if err := l.judgeTouched(); err != nil {
		return err
	}
	if err := l.Finish(); err != nil {
		return err
	}
	return l.tx.Commit()
}
