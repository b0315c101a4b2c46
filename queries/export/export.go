// Package export takes runs out of the warehouse for those who score and fit
// with them: as rows that stand on their own (lines of JSON, csv, Parquet), in
// the files of the scorers, or as documents.
//
// It decides what may leave (Select), writes it (Format) and says what left,
// what did not and why (Manifest). It opens no file and prints nothing. The one
// design choice is that a purpose is a view of the database: nothing here
// decides anew whether a run may be scored, so that an export and the query
// beside it cannot differ.
//
// SQL lives in this folder's .sql files, one statement each. Runs are read a
// batch at a time, so memory does not grow with the measured values; only the
// lists of runs that a manifest holds grow with the warehouse.
package export

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"

	"github.com/inference-sim/blis-warehouse/store"
)

// Purpose is what an export is for. It decides which permit of a run's licence
// is needed.
type Purpose string

// The purposes.
const (
	Calibration    Purpose = "calibration"    // the view calibration_runs: EXACT, permits derive_coefficients
	Scoring        Purpose = "scoring"        // the view scorable_runs, one tier of it: permits score
	Redistribution Purpose = "redistribution" // permits redistribute, whatever the verdict
)

// Purposes are all purposes.
func Purposes() []string {
	return []string{string(Calibration), string(Scoring), string(Redistribution)}
}

// Tier is the part of the scorable runs that a scoring export holds: the two
// are never mixed.
type Tier string

// The tiers.
const (
	Exact   Tier = "exact"   // verdict EXACT
	Partial Tier = "partial" // verdict PARTIAL
)

// Tiers are all tiers.
func Tiers() []string { return []string{string(Exact), string(Partial)} }

//go:embed *.sql
var files embed.FS

// query runs the statement of a file and calls each for every row.
func query(ctx context.Context, r *store.Reader, name string, params map[string]any, each func(c *cells) error) error {
	text, err := files.ReadFile(name + ".sql")
	if err != nil {
		return err
	}
	rows, err := r.Query(ctx, string(text), params)
	if err != nil {
		return fmt.Errorf("export %s: %w", name, err)
	}
	var c cells
	for values, err := range rows.All() {
		if err != nil {
			return fmt.Errorf("export %s: %w", name, err)
		}
		c = cells{values: values}
		if err := each(&c); err != nil {
			return err
		}
		if err := c.done(); err != nil {
			return fmt.Errorf("export %s: %w", name, err)
		}
	}
	return nil
}

// Names are the names of all runs in the warehouse, sorted.
func Names(ctx context.Context, r *store.Reader) ([]string, error) {
	var names []string
	err := query(ctx, r, "names", nil, func(c *cells) error {
		names = append(names, c.text())
		return nil
	})
	return names, err
}

// array is a list as a parameter of a statement: a JSON array.
func array[T string | int64](list []T) (string, error) {
	b, err := json.Marshal(list)
	return string(b), err
}
