package store

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// What captures and dumps brought and belongs to no run has digests as well,
// one for each part of a table. A load notes the parts that it changes and
// makes their digests anew at its end, so that it reads no more than these.
// The tables of a dump, and those of what keys and images mean, are one part
// each: a dump brings all of it, and what keys and images mean is small.

// digestedTables are the tables, and what tells the part of a row t, "" where
// all rows are one.
var digestedTables = func() []digestedPart {
	all := []digestedPart{
		{"inferencex_api_evaluation_metrics", "t.sha256"},
		{"inferencex_availability", ""},
		{"inferencex_bodies", "t.sha256"},
		{"inferencex_changelog_entries", ""},
		{"inferencex_configs", ""},
		{"inferencex_drift", "t.sha256"},
		{"inferencex_evaluation_metrics", ""},
		{"inferencex_evaluations", ""},
		{"inferencex_failed_points", "t.run_name"},
		{"inferencex_id_captures", "t.sha256"},
		{"inferencex_images", ""},
		{"inferencex_keys", ""},
		{"inferencex_metrics", ""},
		{"inferencex_run_stats", ""},
		{"inferencex_workflow_runs", ""},
	}
	for _, t := range record.InferenceXBodyTables {
		all = append(all, digestedPart{t.Name, "t.sha256"})
	}
	return all
}()

// digestedPart is a line of digestedTables.
type digestedPart struct{ table, part string }

// allRuns has the sum of the digests of all runs (see runDigest). A run that is
// gone took its own digest with it, and what is left of it is its share in this.
var allRuns = tablePart{"inferencex_runs", ""}

// digestAllRuns keeps the sum, where the load may have changed a run.
func (l *Load) digestAllRuns() error {
	if l.inferencex == nil && len(l.touched) == 0 {
		return nil
	}
	sum, err := l.sumOfRuns()
	if err != nil {
		return err
	}
	return l.saveTableDigests(allRuns.table, map[string]int64{allRuns.part: sum})
}

// sumOfRuns is the sum of the kept digests, of 32 bits of each: it does not overflow.
func (l *Load) sumOfRuns() (sum int64, err error) {
	_, err = l.queryRow(`SELECT ifnull(sum(digest & 4294967295), 0) FROM inferencex_run_digests`, nil, &sum)
	return sum, err
}

// tablePart is a part of a table that has a digest.
type tablePart struct{ table, part string }

// changedPart notes that rows of a part were stored or changed.
func (l *Load) changedPart(table, part string) { l.parts[tablePart{table, part}] = true }

// digestParts keeps the digests of the parts that the load changed.
func (l *Load) digestParts() error {
	if len(l.parts) == 0 {
		return nil
	}
	changed := slices.Collect(maps.Keys(l.parts))
	return l.eachDigestedTable(func(t digestedTable) error {
		for _, p := range changed {
			if p.table != t.name {
				continue
			}
			digests, err := l.digestsOfTable(t, &p.part)
			if err != nil {
				return err
			}
			if err := l.saveTableDigests(p.table, digests); err != nil {
				return err
			}
		}
		return nil
	})
}

func (l *Load) saveTableDigests(table string, digests map[string]int64) error {
	for _, part := range slices.Sorted(maps.Keys(digests)) {
		_, err := l.exec(`
			INSERT INTO inferencex_table_digests (table_name, part, digest) VALUES (?, ?, ?)
			ON CONFLICT (table_name, part) DO UPDATE SET digest = excluded.digest`, table, part, digests[part])
		if err != nil {
			return err
		}
	}
	return nil
}

// tableDigests reads the digests that are kept.
func (l *Load) tableDigests() (map[tablePart]int64, error) {
	kept := map[tablePart]int64{}
	err := l.query(`SELECT table_name, part, digest FROM inferencex_table_digests`, nil, func(scan func(...any) error) error {
		var p tablePart
		var digest int64
		err := scan(&p.table, &p.part, &digest)
		kept[p] = digest
		return err
	})
	return kept, err
}

// digestedTable is a table of digestedTables with how its rows are read.
type digestedTable struct {
	logicalTable
	part string
}

func (l *Load) eachDigestedTable(do func(digestedTable) error) error {
	all, err := logicalTables(func(query string) ([]string, error) { return l.texts(query) })
	if err != nil {
		return err
	}
	for _, t := range all {
		for _, d := range digestedTables {
			if d.table != t.name {
				continue
			}
			if err := do(digestedTable{t, d.part}); err != nil {
				return fmt.Errorf("table %s: %w", t.name, err)
			}
		}
	}
	return nil
}

// digestsOfTable are the digests of a table's rows by part, of one part or, for
// nil, of all. A digest is a sum over rows: their order plays no part.
func (l *Load) digestsOfTable(t digestedTable, only *string) (map[string]int64, error) {
	part := t.part
	if part == "" {
		part = "''"
	}
	query := "SELECT " + strings.Join(append([]string{part}, t.terms...), ", ") + ` FROM "` + t.name + `" t`
	var args []any
	if only != nil && t.part != "" {
		query, args = query+" WHERE "+t.part+" = ?", []any{*only}
	}
	digests := map[string]int64{}
	var of string
	values := make([]any, len(t.columns))
	dest := []any{&of}
	for i := range values {
		dest = append(dest, &values[i])
	}
	var room []byte
	err := l.query(query, args, func(scan func(...any) error) (err error) {
		if err = scan(dest...); err != nil {
			return err
		}
		if room, err = appendRow(room[:0], t.columns, values); err != nil {
			return err
		}
		sum := sha256.Sum256(room)
		digests[of] += int64(binary.LittleEndian.Uint64(sum[:]))
		return nil
	})
	return digests, err
}
