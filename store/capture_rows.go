package store

import (
	"fmt"
	"slices"
)

// CaptureRows counts what became of the rows of a capture: the first five add
// up to the rows seen. Revised counts rows that replaced a value, Flagged those
// whose point a plausibility rule points at.
type CaptureRows struct{ Added, Updated, Unchanged, Failed, Refused, Revised, Flagged int }

// Sum is the counts of both.
func (r CaptureRows) Sum(other CaptureRows) CaptureRows {
	return CaptureRows{
		Added: r.Added + other.Added, Updated: r.Updated + other.Updated, Unchanged: r.Unchanged + other.Unchanged, Failed: r.Failed + other.Failed,
		Refused: r.Refused + other.Refused, Revised: r.Revised + other.Revised, Flagged: r.Flagged + other.Flagged,
	}
}

// RecordedCapture is a capture as the ledger has it.
type RecordedCapture struct {
	Path          string // as printed
	SHA256        string
	Size          int64
	Load          int64  // key of the load
	Tool          string // version of the program that loaded it
	Status        Status
	ArtifactGroup string // see Reading
	Operation     string // likewise
	Rows          CaptureRows
	// Whole tells that all of it was stored and nothing was the matter with it,
	// and that the ledger says how it was read and what became of its rows.
	Whole bool
}

// LastCaptures returns the captures that were loaded last, up to limit, in the
// order in which they were loaded. Refused ones are among them.
func (l *Load) LastCaptures(limit int) ([]RecordedCapture, error) {
	var last []RecordedCapture
	err := l.query(`
		SELECT d.path, coalesce(d.sha256, ''), d.size, d.load_id, o.tool, d.status, coalesce(g.artifact_group, ''), coalesce(g.operation, ''),
			coalesce(c.added, 0), coalesce(c.updated, 0), coalesce(c.unchanged, 0), coalesce(c.failed, 0), coalesce(c.refused, 0),
			coalesce(c.revised, 0), coalesce(c.flagged, 0),
			d.status IN ('added', 'updated', 'unchanged') AND g.document_id IS NOT NULL AND c.document_id IS NOT NULL
				AND NOT EXISTS (SELECT 1 FROM problems p WHERE p.document_id = d.document_id)
		FROM documents d
		JOIN loads o ON o.load_id = d.load_id
		LEFT JOIN document_readings g ON g.document_id = d.document_id
		LEFT JOIN capture_rows c ON c.document_id = d.document_id
		WHERE d.kind = 'InferenceX'
		ORDER BY d.load_id DESC, g.position DESC, d.document_id DESC
		LIMIT ?`, []any{limit}, func(scan func(dest ...any) error) error {
		var c RecordedCapture
		r := &c.Rows
		if err := scan(&c.Path, &c.SHA256, &c.Size, &c.Load, &c.Tool, &c.Status, &c.ArtifactGroup, &c.Operation,
			&r.Added, &r.Updated, &r.Unchanged, &r.Failed, &r.Refused, &r.Revised, &r.Flagged, &c.Whole); err != nil {
			return err
		}
		last = append(last, c)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the ledger: %w", err)
	}
	slices.Reverse(last)
	return last, nil
}

// Drift returns how a capture deviates from the reference, by kind, key and detail.
func (l *Load) Drift(sha256 string) ([]Drift, error) {
	var all []Drift
	err := l.query(`SELECT kind, key, detail, path, coalesce(line, 0), count FROM inferencex_drift WHERE sha256 = ? ORDER BY kind, key, detail`,
		[]any{sha256}, func(scan func(dest ...any) error) error {
			var d Drift
			if err := scan(&d.Kind, &d.Key, &d.Detail, &d.Path, &d.Line, &d.Count); err != nil {
				return err
			}
			all = append(all, d)
			return nil
		})
	if err != nil {
		return nil, fmt.Errorf("read how the capture deviates: %w", err)
	}
	return all, nil
}

// saveCaptureRows records what became of a capture's rows.
func (l *Load) saveCaptureRows(document int64, r *CaptureRows) error {
	if r == nil {
		return nil
	}
	_, err := l.exec(`
		INSERT INTO capture_rows (document_id, added, updated, unchanged, failed, refused, revised, flagged) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
		document, r.Added, r.Updated, r.Unchanged, r.Failed, r.Refused, r.Revised, r.Flagged)
	return err
}
