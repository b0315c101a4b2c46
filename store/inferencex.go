package store

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// InferenceXLicence is the licence that every run from InferenceX cites.
const InferenceXLicence = "inferencex"

// InferenceXRun is what the run of a row is called and what the warehouse's own vocabulary says of it.
type InferenceXRun struct {
	Name    string
	Model   string // the catalog's name where it is certain, else the publisher's key
	Engine  string // the serving engine under the framework
	Harness string // "" where unknown
	GPUs    int64
	// Collapsed is set for a disaggregated row that states no split into prefill and decode.
	Collapsed bool
	Digest    int64 // RowDigest of the row
}

// InferenceXContext is what the meaning of a metric key depends on.
type InferenceXContext struct {
	Agentic bool // another client than that of single_turn measured
	PerRole bool // input and output throughput are divided by the GPUs of their role
}

// MetricMeaning is what a metric key means in a context.
type MetricMeaning struct {
	Member
	InferenceXContext
}

// RawKey is a metric key that is kept as reported.
type RawKey struct {
	Key    string
	Column int // index in record.InferenceXColumns, -1 for none
	Unit   string
	Why    string
}

// InferenceXRules are the loader's readings of names and metrics, which the store applies but does not know.
type InferenceXRules struct {
	EngineVersion func(image string) string                                              // "" where the image states none
	Context       func(benchmarkType string, disagg bool, date string) InferenceXContext // date is YYYY-MM-DD, "" for raw artifacts
	Define        func(column int, c InferenceXContext) (Member, bool)                   // false for a column that is no metric of a run; Slot need not be set
	Metrics       []MetricMeaning
	RawKeys       []RawKey
	RawWhy        func(key string) (unit, why string) // of a key that is no known column
}

// inferencexState is what a load remembers of the rows it has seen.
type inferencexState struct {
	rules      InferenceXRules
	runs       map[string]*inferencexRun
	configs    map[record.InferenceXConfig]int64
	images     map[string]image
	keys       map[string]bool // that inferencex_keys has
	sets       map[definedBy]int64
	setColumns map[int64]columnSet // by definition set
	setDigests map[int64]string    // by definition set
	incoming   incomingRows
	attempts   map[int64]bool            // GitHub runs that the load brought runs of, 0 for none
	fresh      bool                      // no run was stored before the first capture
	before     rowNumber                 // rows of the captures before the current one
	rows       rowNumber                 // rows of all captures
	replaced   map[int64]*replacedValues // by point or negative run, of the current capture
	changed    map[int64]int             // rows of the current capture that changed a run, by run
	left       []int64                   // runs that lost a point to another directory's run
	ids        captureIDs                // of the current capture
	moved      map[int64]bool            // configurations that got or lost a run
}

// image is a stored image.
type image struct {
	id      int64  // 0 for none
	version string // the engine version that it states, "" for none
}

// RowStatus is what became of a row.
type RowStatus int

// What becomes of a row.
const (
	RowAdded RowStatus = iota
	RowUpdated
	RowUnchanged
	RowFailed // set aside: no request succeeded
)

// replacedValues are the values that a capture replaced at a point, as they
// were before it. A capture that contradicts itself may end where it began.
type replacedValues struct {
	before    map[string]any // by key
	completed bool           // it also gave what was not there
	rows      int            // rows that were counted as updating the point
}

// RowOutcome is what became of a row.
type RowOutcome struct {
	Status    RowStatus
	Point     int64 // the key of its point, 0 for a failed one
	New       bool  // of a failed one: it was not known
	Revisions []Revision
	// RunRevisions are values for the whole run, which any of its rows may have given before.
	RunRevisions []Revision
}

// Revision is a value that a row reports differently from what was stored; the row's value is stored now.
type Revision struct {
	Key      string
	Old, New any
	Position int // of the row in the same capture that gave Old, 0 where another capture did
}

// BeginCapture announces that the rows that follow come from one more capture.
func (l *Load) BeginCapture(rules InferenceXRules) error {
	if l.inferencex == nil {
		l.inferencex = &inferencexState{
			runs:       map[string]*inferencexRun{},
			configs:    map[record.InferenceXConfig]int64{},
			moved:      map[int64]bool{},
			images:     map[string]image{},
			keys:       map[string]bool{},
			sets:       map[definedBy]int64{},
			setColumns: map[int64]columnSet{},
			setDigests: map[int64]string{},
			attempts:   map[int64]bool{},
		}
		if err := l.saveMeanings(rules); err != nil {
			return fmt.Errorf("store the tables of keys: %w", err)
		}
		if err := l.beginIncoming(); err != nil {
			return fmt.Errorf("look at what is stored: %w", err)
		}
	}
	l.inferencex.rules = rules
	l.inferencex.before = l.inferencex.rows
	l.inferencex.replaced = map[int64]*replacedValues{}
	l.inferencex.changed = map[int64]int{}
	return l.forgetIDs()
}

// CaptureRuns returns the runs of which the capture that was begun last has
// brought, completed or revised rows, each with how many. It is for the ledger.
func (l *Load) CaptureRuns() map[int64]int { return l.inferencex.changed }

// EndCapture hands on what is not stored yet and returns how many rows that were counted as updating their point
// left it as it was before the capture: the capture contradicts itself and its
// last word was stored already.
func (l *Load) EndCapture() (undone int, err error) {
	if err := l.Flush(); err != nil {
		return 0, err
	}
	for _, r := range l.inferencex.replaced {
		if len(r.before) == 0 && !r.completed {
			undone += r.rows
		}
	}
	return undone, nil
}

// noteReplaced keeps account of what a row that was counted as an update did to
// a point that was there, or to its run (under its negative key).
func (x *inferencexState) noteReplaced(subject int64, revisions []Revision, completed bool) {
	r := x.replaced[subject]
	if r == nil {
		if len(revisions) == 0 { // a completion replaces nothing: there is nothing to undo
			return
		}
		r = &replacedValues{before: map[string]any{}}
		x.replaced[subject] = r
	}
	r.rows++
	r.completed = r.completed || completed
	for _, v := range revisions {
		first, known := r.before[v.Key]
		switch {
		case !known:
			r.before[v.Key] = v.Old
		case first == v.New:
			delete(r.before, v.Key)
		}
	}
}

// saveMeanings brings the tables of what keys mean up to date.
func (l *Load) saveMeanings(rules InferenceXRules) error {
	for _, k := range rules.RawKeys {
		if err := l.saveKey(k); err != nil {
			return err
		}
	}
	l.changedPart("inferencex_metrics", "")
	if _, err := l.exec(`DELETE FROM inferencex_metrics`); err != nil {
		return err
	}
	for _, m := range rules.Metrics {
		d := m.Def
		_, err := l.exec(`
			INSERT INTO inferencex_metrics (key, agentic, per_role, metric, scale, formula, statistic, population, denominator, clock,
				start_event, stop_event, output_len_source, percentile_method, unit, gpu_scope, cite)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			m.ReportedKey, m.Agentic, m.PerRole, d.Name, m.Scale, d.Formula, text(d.Statistic), text(d.Population), text(d.Denominator), text(d.Clock),
			text(d.StartEvent), text(d.StopEvent), text(d.OutputLenSource), text(d.PercentileMethod), d.Unit, text(d.GPUScope), d.Cite)
		if err != nil {
			return err
		}
	}
	return nil
}

// Drift is a way in which a capture deviates from the published reference.
type Drift struct {
	Kind, Key, Detail, Path string
	Line, Count             int
}

// SaveDrift records how a capture deviates from the reference.
func (l *Load) SaveDrift(sha256 string, drifts []Drift) error {
	for _, d := range drifts {
		l.changedPart("inferencex_drift", sha256)
		_, err := l.exec(`
			INSERT INTO inferencex_drift (sha256, kind, key, detail, path, line, count) VALUES (?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (sha256, kind, key, detail) DO UPDATE SET path = excluded.path, line = excluded.line, count = excluded.count`,
			sha256, d.Kind, d.Key, d.Detail, d.Path, number(d.Line), d.Count)
		if err != nil {
			return fmt.Errorf("store how the capture deviates: %w", err)
		}
	}
	return nil
}

func (l *Load) saveKey(k RawKey) error {
	l.changedPart("inferencex_keys", "")
	_, err := l.exec(`
		INSERT INTO inferencex_keys (key, slot, unit, why_raw) VALUES (?, ?, ?, ?)
		ON CONFLICT (key) DO UPDATE SET slot = excluded.slot, unit = excluded.unit, why_raw = excluded.why_raw`,
		k.Key, number(k.Column+1), text(k.Unit), k.Why)
	l.inferencex.keys[k.Key] = true
	return err
}

// SaveRow stores a row of the run that it is described by: a new point, or
// metrics that complete a point that is there. A value that differs from the
// stored one replaces it and is recorded.
//
// A new point is handed on by Flush or before: until the Flush after that the row must not be written to.
func (l *Load) SaveRow(row *record.InferenceXRow, described InferenceXRun) (RowOutcome, error) {
	outcome, err := l.saveRow(row, &described)
	if err == nil {
		err = l.noteID(row, outcome.Point)
	}
	if err != nil {
		return RowOutcome{}, fmt.Errorf("store row %d: %w", row.Position, err)
	}
	return outcome, nil
}

func (l *Load) saveRow(row *record.InferenceXRow, described *InferenceXRun) (RowOutcome, error) {
	if row.Failed {
		isNew, err := l.saveFailed(described.Name, row)
		return RowOutcome{Status: RowFailed, New: isNew}, err
	}
	if row.ArtifactDigest != "" {
		if err := l.Flush(); err != nil { // it is looked for among the stored
			return RowOutcome{}, err
		}
		point, err := l.settleArtifact(described.Name, row)
		if err != nil || point != 0 {
			return RowOutcome{Status: RowUnchanged, Point: point}, err
		}
	}
	run, err := l.inferencexRun(described, row)
	if err != nil {
		return RowOutcome{}, err
	}
	img, err := l.image(row.Image)
	if err != nil {
		return RowOutcome{}, err
	}
	if described.GPUs > run.gpus {
		run.gpus = described.GPUs
		l.touch(run)
	}
	run.columns |= columnsOf(row)
	outcome, at, err := l.savePoint(run, row, described.Digest, img)
	if err != nil {
		return RowOutcome{}, err
	}
	for i := range outcome.Revisions {
		outcome.Revisions[i].Position = l.inferencex.positionHere(at.last)
		if err := l.saveRevision(at.id, &outcome.Revisions[i]); err != nil {
			return RowOutcome{}, err
		}
	}
	at.last = l.inferencex.number(row)
	if outcome.Status != RowUnchanged {
		l.touch(run)
		l.inferencex.changed[run.id]++
	}
	return outcome, nil
}

// number is the number of a row of the current capture.
func (x *inferencexState) number(row *record.InferenceXRow) rowNumber {
	n := x.before + rowNumber(row.Position)
	x.rows = max(x.rows, n)
	return n
}

// positionHere is the position of a row in the current capture, 0 where another one gave it.
func (x *inferencexState) positionHere(n rowNumber) int { return int(max(0, n-x.before)) }

// touch notes that what is derived from a run's rows has to be made anew. For
// a run that is not stored yet all of it will be.
func (l *Load) touch(run *inferencexRun) {
	if !run.incoming {
		l.touched[run.id] = true
	}
}

// savePoint stores a row as a new point of its run, or merges it into the one that is there.
func (l *Load) savePoint(run *inferencexRun, row *record.InferenceXRow, digest int64, img image) (outcome RowOutcome, at *knownPoint, err error) {
	runChanged, err := l.mergeRun(run, row, &outcome)
	if err != nil {
		return outcome, at, err
	}
	artifact := artifactOf(row.ArtifactDigest)
	if i, found := run.find(row.Conc, artifact); found && run.points[i].holds != digest && l.inferencex.incoming.has(run.points[i].id) {
		if err := l.Flush(); err != nil {
			return outcome, nil, err
		}
	}
	at, exists := run.point(row.Conc, artifact)
	outcome.Point = at.id
	if !exists {
		at.holds = digest
		outcome.Point, err = l.addPoint(run, at, row, img)
		return outcome, at, err
	}
	var merged, filled bool
	if at.holds != digest || digest == 0 {
		if merged, filled, err = l.mergePoint(at, row, img.id, &outcome.Revisions); err != nil {
			return outcome, at, err
		}
	}
	switch {
	case merged:
		outcome.Status = RowUpdated
		l.inferencex.noteReplaced(outcome.Point, outcome.Revisions, filled)
	case runChanged:
		outcome.Status = RowUpdated
		l.inferencex.noteReplaced(-run.id, outcome.RunRevisions, len(outcome.RunRevisions) == 0)
	default:
		outcome.Status = RowUnchanged
	}
	return outcome, at, err
}

func (l *Load) saveFailed(run string, row *record.InferenceXRow) (isNew bool, err error) {
	sum := sha256.Sum256([]byte(row.JSON))
	r, err := l.exec(`INSERT INTO inferencex_failed_points (run_name, conc, sha256, error, row) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		run, row.Conc, hex.EncodeToString(sum[:]), text(row.Error), row.JSON)
	if err != nil {
		return false, err
	}
	n, err := r.RowsAffected()
	if n > 0 {
		l.changedPart("inferencex_failed_points", run)
	}
	return n > 0, err
}

func (l *Load) saveRevision(point int64, r *Revision) error {
	for _, value := range []any{r.Old, r.New} {
		_, err := l.exec(`INSERT INTO inferencex_revisions (point_id, key, value) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`, point, r.Key, value)
		if err != nil {
			return err
		}
	}
	return nil
}
