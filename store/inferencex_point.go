package store

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// The fields of a row that are kept as text or integer, in the order of rowFields.
var fieldNames = []string{"date", "image_id", "id", "workflow_run_id", "raw_hardware", "raw_framework", "raw_model", "raw_precision", "raw_spec_method",
	"artifact_digest", "p50_mask", "workers", "power_audit", "power_invalid_reasons", "extra"}

// The indexes in fieldNames of the fields that are merged in a way of their own.
const (
	imageField = 1
	p50Field   = 10
	extraField = 14
)

// rowField returns the value of a field by its index in fieldNames, nil for what the row does not state.
func rowField(field int, row *record.InferenceXRow, image int64) any {
	switch field {
	case 0:
		return text(row.Date)
	case imageField:
		return number(image)
	case 2:
		return optional(row.ID)
	case 3:
		return optional(row.WorkflowRunID)
	case 4:
		return text(row.RawHardware)
	case 5:
		return text(row.RawFramework)
	case 6:
		return text(row.RawModel)
	case 7:
		return text(row.RawPrecision)
	case 8:
		return text(row.RawSpecMethod)
	case 9:
		return text(row.ArtifactDigest)
	case p50Field:
		return number(int64(row.P50))
	case 11:
		return text(row.Workers)
	case 12:
		return text(row.PowerAudit)
	case 13:
		return text(row.PowerInvalidReasons)
	}
	return text(row.Extra)
}

// The statements over inferencex_points name every column of the record, in its order.
var selectPointSQL, updatePointSQL = pointStatements()

func pointStatements() (query, update string) {
	query = "SELECT " + strings.Join(pointNames, ", ") + " FROM inferencex_points WHERE point_id = ?"
	update = "UPDATE inferencex_points SET " + strings.Join(pointNames, " = ?, ") + " = ? WHERE point_id = ?"
	return query, update
}

// pointNames are fieldNames and the metric columns.
var pointNames = func() []string {
	names := slices.Clone(fieldNames)
	for _, c := range record.InferenceXColumns {
		names = append(names, c.Column)
	}
	return names
}()

// ensureKey sees to it that inferencex_keys has the key of a value without a column.
func (l *Load) ensureKey(key string) error {
	if l.inferencex.keys[key] {
		return nil
	}
	unit, why := l.inferencex.rules.RawWhy(key)
	return l.saveKey(RawKey{Key: key, Column: -1, Unit: unit, Why: why})
}

func (l *Load) saveOther(point int64, o record.InferenceXOther) error {
	if err := l.ensureKey(o.Key); err != nil {
		return err
	}
	var value any
	if o.Number == nil {
		value = o.Text // "" is a text here, not an absence
	}
	_, err := l.exec(`
		INSERT INTO inferencex_other_values (point_id, key, number, text) VALUES (?, ?, ?, ?)
		ON CONFLICT (point_id, key) DO UPDATE SET number = excluded.number, text = excluded.text`,
		point, o.Key, optional(o.Number), value)
	return err
}

// mergePoint completes a stored point from a row, metric by metric. changed
// tells whether anything did, filled whether something was given that was not there.
func (l *Load) mergePoint(at *knownPoint, row *record.InferenceXRow, image int64, revisions *[]Revision) (changed, filled bool, err error) {
	point := at.id
	m := pointMerge{stored: make([]any, len(fieldNames)+record.NumInferenceXColumns), revisions: revisions}
	dest := make([]any, len(m.stored))
	for i := range m.stored {
		dest[i] = &m.stored[i]
	}
	if _, err := l.queryRow(selectPointSQL, []any{point}, dest...); err != nil {
		return false, false, err
	}
	for i, name := range fieldNames {
		reported := rowField(i, row, image)
		switch i {
		case p50Field: // it only names the keys of this row's values
		case extraField:
			if err := m.mergeExtra(row.Extra); err != nil {
				return false, false, err
			}
		case imageField:
			if err := l.mergeImage(&m, reported, row.Image); err != nil {
				return false, false, err
			}
		default:
			m.merge(i, name, reported)
		}
	}
	m.mergeColumns(row)
	if m.changed {
		if _, err := l.exec(updatePointSQL, append(m.stored, point)...); err != nil {
			return false, false, err
		}
	}
	for _, o := range row.Other {
		if err := l.mergeOther(point, o, &m); err != nil {
			return false, false, err
		}
	}
	if m.changed || at.holds == 0 {
		if err := l.digestPoint(at, m.stored); err != nil {
			return false, false, err
		}
	}
	return m.changed, m.filled, nil
}

// pointMerge is a stored point that a row completes.
type pointMerge struct {
	stored          []any // fieldNames, then the metric columns
	changed, filled bool
	revisions       *[]Revision
}

// merge takes a reported value over. Nothing reported changes nothing.
func (m *pointMerge) merge(i int, key string, reported any) {
	if reported == nil || reported == m.stored[i] {
		return
	}
	m.replace(key, m.stored[i], reported)
	m.stored[i] = reported
}

// replace notes that a value comes, in place of old where that is not nil.
func (m *pointMerge) replace(key string, old, reported any) {
	m.changed = true
	if old == nil {
		m.filled = true
		return
	}
	*m.revisions = append(*m.revisions, Revision{Key: key, Old: old, New: reported})
}

func (m *pointMerge) mergeColumns(row *record.InferenceXRow) {
	mask, _ := m.stored[p50Field].(int64)
	for i, c := range record.InferenceXColumns {
		if !row.Has[i] {
			continue
		}
		// The key is p50_ only where no row ever said median_, whatever their order.
		if bit := int64(1) << i; row.P50&(1<<i) == 0 {
			mask &^= bit
		} else if m.stored[len(fieldNames)+i] == nil {
			mask |= bit
		}
		m.merge(len(fieldNames)+i, c.Key, row.Known[i])
	}
	if masked := number(mask); masked != m.stored[p50Field] {
		m.stored[p50Field], m.changed, m.filled = masked, true, true
	}
}

// mergeImage merges the image, whose revisions are told by name.
func (l *Load) mergeImage(m *pointMerge, reported any, name string) error {
	old := m.stored[imageField]
	if reported == nil || reported == old {
		return nil
	}
	if old != nil {
		var before string
		if _, err := l.queryRow(`SELECT image FROM inferencex_images WHERE image_id = ?`, []any{old}, &before); err != nil {
			return err
		}
		old = before
	}
	m.replace("image", old, name)
	m.stored[imageField] = reported
	return nil
}

// mergeExtra merges the keys outside the reference one by one.
func (m *pointMerge) mergeExtra(reported string) error {
	stored, _ := m.stored[extraField].(string)
	if reported == "" || reported == stored {
		return nil
	}
	if stored == "" {
		m.merge(extraField, "extra", reported)
		return nil
	}
	before, given := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	if err := json.Unmarshal([]byte(stored), &before); err != nil {
		return fmt.Errorf("keys outside the reference: %w", err)
	}
	if err := json.Unmarshal([]byte(reported), &given); err != nil {
		return fmt.Errorf("keys outside the reference: %w", err)
	}
	for _, key := range slices.Sorted(maps.Keys(given)) {
		switch old, ok := before[key]; {
		case !ok:
			m.replace(key, nil, string(given[key]))
		case string(old) != string(given[key]):
			m.replace(key, string(old), string(given[key]))
		}
		before[key] = given[key]
	}
	merged, err := json.Marshal(before) // keys sorted
	m.stored[extraField] = string(merged)
	return err
}

func (l *Load) mergeOther(point int64, o record.InferenceXOther, m *pointMerge) error {
	var stored any
	found, err := l.queryRow(`SELECT coalesce(number, text) FROM inferencex_other_values WHERE point_id = ? AND key = ?`, []any{point, o.Key}, &stored)
	if err != nil {
		return err
	}
	var reported any = o.Text
	if o.Number != nil {
		reported = *o.Number
	}
	if found && stored == reported {
		return nil
	}
	if !found {
		stored = nil
	}
	m.replace(o.Key, stored, reported)
	return l.saveOther(point, o)
}
