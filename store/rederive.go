package store

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"time"

	"github.com/inference-sim/blis-warehouse/migrations"
)

// derivedSince is the last schema that brought a table, or a column of one,
// that loads derive from others. A migration that brings another raises it.
// Digests are looked for instead, see digestMissing.
const derivedSince = 15

// deriveMissing derives what a database that was migrated from one schema to
// another lacks, or notes in user_version that it does.
func deriveMissing(ctx context.Context, db *sql.DB, from, to int64) error {
	missing := 0
	if err := db.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&missing); err != nil {
		return err
	}
	if to < migrations.Latest() {
		if from >= derivedSince && missing == 0 {
			return nil
		}
		_, err := db.ExecContext(ctx, `PRAGMA user_version = 1`)
		return err
	}
	derive := rederive
	if from >= derivedSince && missing == 0 {
		derive = digestMissing
	}
	if err := derive(ctx, db); err != nil {
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
	if err := l.digestStored(); err != nil {
		return err
	}
	if err := l.Finish(); err != nil {
		return err
	}
	return l.session.tx.Commit()
}

// digestMissing makes the digests of what captures brought where there are
// none. A migration that changes what digests cover deletes them all.
func digestMissing(ctx context.Context, db *sql.DB) error {
	l, err := (&Writer{db: db, timeout: time.Second}).Begin(ctx)
	if err != nil {
		return err
	}
	defer l.Rollback()
	runs, err := l.integers(`SELECT run_id FROM inferencex_runs i WHERE NOT EXISTS (SELECT 1 FROM inferencex_run_digests d WHERE d.run_id = i.run_id)`)
	if err != nil {
		return err
	}
	for _, id := range runs {
		l.touched[id] = true
	}
	for _, step := range []func() error{l.digestStored, l.digestTouched, l.digestAllRuns} {
		if err := step(); err != nil {
			return err
		}
	}
	return l.session.tx.Commit()
}

// digestStored makes the digests of all points and tables that have none. Those
// of runs are made of them.
func (l *Load) digestStored() error {
	err := l.eachPointDigest(func(p digestedPoint) error {
		if p.kept != nil {
			return nil
		}
		_, err := l.exec(`INSERT INTO inferencex_row_digests (point_id, digest) VALUES (?, ?)`, p.id, p.is)
		return err
	})
	if err != nil {
		return err
	}
	kept, err := l.tableDigests()
	if err != nil {
		return err
	}
	saveMissing := func(table string, digests map[string]int64) error {
		maps.DeleteFunc(digests, func(part string, _ int64) bool {
			_, known := kept[tablePart{table, part}]
			return known
		})
		return l.saveTableDigests(table, digests)
	}
	digests, err := l.idDigests()
	if err != nil {
		return err
	}
	if err := saveMissing("inferencex_ids", digests); err != nil {
		return err
	}
	return l.eachDigestedTable(func(t digestedTable) error {
		digests, err := l.digestsOfTable(t, nil)
		if err != nil {
			return err
		}
		return saveMissing(t.name, digests)
	})
}
