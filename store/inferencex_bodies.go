package store

import (
	"strings"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// bodyInserts are the statements that store a row of a body, by table. They are made
// of names in this program only, of record.InferenceXBodyTables, never of data.
var bodyInserts = func() map[string]string {
	inserts := map[string]string{}
	for _, t := range record.InferenceXBodyTables {
		names := []string{"sha256", "position"}
		for _, c := range t.Columns {
			names = append(names, c.Name)
		}
		if !t.Bare() {
			names = append(names, "as_written", "extra")
		}
		inserts[t.Name] = "INSERT INTO " + t.Name + " (" + strings.Join(names, ", ") + ") VALUES (?" + strings.Repeat(", ?", len(names)-1) + ")"
	}
	return inserts
}()

// HasBody tells whether the rows of a capture with this digest are stored as those of the operation.
func (l *Load) HasBody(sha256, operation string) (bool, error) {
	var one int64
	return l.queryRow(`SELECT 1 FROM inferencex_bodies WHERE sha256 = ? AND operation = ?`, []any{sha256, operation}, &one)
}

// BeginBody begins to store the rows of a capture, which is known by its digest
// and operation: an empty list is the answer of several.
func (l *Load) BeginBody(sha256, operation string) error {
	l.changedPart("inferencex_bodies", sha256)
	if _, err := l.exec(`INSERT INTO inferencex_body_files (sha256) VALUES (?) ON CONFLICT DO NOTHING`, sha256); err != nil {
		return err
	}
	_, err := l.exec(`INSERT INTO inferencex_bodies (sha256, operation, rows) VALUES (?, ?, 0)`, sha256, operation)
	return err
}

// EndBody notes how many rows of a capture were stored.
func (l *Load) EndBody(sha256, operation string, rows int) error {
	_, err := l.exec(`UPDATE inferencex_bodies SET rows = ? WHERE sha256 = ? AND operation = ?`, rows, sha256, operation)
	return err
}

// saveBodyRow stores a row of the capture that was begun.
func (l *Load) saveBodyRow(r *record.InferenceXBodyRow) error {
	l.changedPart(r.Of.Name, r.SHA256)
	if len(r.Metrics) > 0 {
		l.changedPart("inferencex_api_evaluation_metrics", r.SHA256)
	}
	args := append([]any{r.SHA256, r.Position}, r.Values...)
	if !r.Of.Bare() {
		args = append(args, text(r.AsWritten), text(r.Extra))
	}
	if _, err := l.exec(bodyInserts[r.Of.Name], args...); err != nil {
		return err
	}
	for _, m := range r.Metrics {
		var words any // NULL beside a number; a text may be empty
		if m.Number == nil {
			words = m.Text
		}
		_, err := l.exec(`INSERT INTO inferencex_api_evaluation_metrics (sha256, position, key, number, text) VALUES (?, ?, ?, ?, ?)`,
			r.SHA256, r.Position, m.Key, optional(m.Number), words)
		if err != nil {
			return err
		}
	}
	return nil
}
