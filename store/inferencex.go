package store

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

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
}

// InferenceXContext is what the meaning of a metric key depends on.
type InferenceXContext struct {
	BenchmarkType string
	Disagg        bool
	Date          string // YYYY-MM-DD, "" for raw artifacts
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
	Describe      func(*record.InferenceXRow) InferenceXRun
	EngineVersion func(image string) string                            // "" where the image states none
	Define        func(column int, c InferenceXContext) (Member, bool) // false for a column that is no metric of a run; Slot need not be set
	RawKeys       []RawKey
	RawWhy        func(key string) (unit, why string) // of a key that is no known column
}

// inferencexState is what a load remembers of the rows it has seen.
type inferencexState struct {
	rules   InferenceXRules
	runs    map[string]*inferencexRun
	configs map[record.InferenceXConfig]int64
	images  map[string]image
	keys    map[string]bool // that inferencex_keys has
	sets    map[definedBy]int64
	files   int32 // captures begun
}

// definedBy is what the definition set of a run follows from.
type definedBy struct {
	has     [record.NumInferenceXColumns]bool
	context InferenceXContext
}

type image struct {
	id      int64
	version string
}

type inferencexRun struct {
	id        int64
	config    record.InferenceXConfig
	kind      string // benchmark_type
	githubRun int64
	runURL    string
	started   string
	points    map[int64]pointAt // by concurrency
	has       [record.NumInferenceXColumns]bool
	versions  map[string]bool // engine versions that its images state
	date      string          // the newest
}

// pointAt is a stored point and where the current load read it last.
type pointAt struct {
	id       int64
	file     int32 // 0 for none in this load
	position int32 // of the row in that file
	ordinal  int32 // the position stored with the point
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
			runs:    map[string]*inferencexRun{},
			configs: map[record.InferenceXConfig]int64{},
			images:  map[string]image{},
			keys:    map[string]bool{},
			sets:    map[definedBy]int64{},
		}
		for _, k := range rules.RawKeys {
			if err := l.saveKey(k); err != nil {
				return fmt.Errorf("store the table of keys: %w", err)
			}
		}
	}
	l.inferencex.rules = rules
	l.inferencex.files++
	return nil
}

func (l *Load) saveKey(k RawKey) error {
	_, err := l.exec(`
		INSERT INTO inferencex_keys (key, slot, unit, why_raw) VALUES (?, ?, ?, ?)
		ON CONFLICT (key) DO UPDATE SET slot = excluded.slot, unit = excluded.unit, why_raw = excluded.why_raw`,
		k.Key, number(k.Column+1), text(k.Unit), k.Why)
	l.inferencex.keys[k.Key] = true
	return err
}

// SaveRow stores a row: a new point, or metrics that complete a point that is
// there. A value that differs from the stored one replaces it and is recorded.
func (l *Load) SaveRow(row *record.InferenceXRow) (RowStatus, []Revision, error) {
	status, revisions, err := l.saveRow(row)
	if err != nil {
		return 0, nil, fmt.Errorf("store row %d: %w", row.Position, err)
	}
	return status, revisions, nil
}

func (l *Load) saveRow(row *record.InferenceXRow) (RowStatus, []Revision, error) {
	described := l.inferencex.rules.Describe(row)
	if row.Failed {
		return RowFailed, nil, l.saveFailed(described.Name, row)
	}
	run, err := l.inferencexRun(described, row)
	if err != nil {
		return 0, nil, err
	}
	var revisions []Revision
	changed, err := l.mergeRun(run, row, &revisions)
	if err != nil {
		return 0, nil, err
	}
	img, err := l.image(row.Image)
	if err != nil {
		return 0, nil, err
	}
	if img.version != "" {
		run.versions[img.version] = true
	}
	run.date = max(run.date, row.Date)
	at, exists := run.points[row.Conc]
	if !exists {
		if at, err = l.insertPoint(run, row, img.id); err != nil {
			return 0, nil, err
		}
	} else {
		updated, err := l.mergePoint(at.id, row, img.id, &revisions)
		if err != nil {
			return 0, nil, err
		}
		changed = changed || updated
	}
	for i := range revisions {
		if at.file == l.inferencex.files {
			revisions[i].Position = int(at.position)
		}
		if err := l.saveRevision(at.id, &revisions[i]); err != nil {
			return 0, nil, err
		}
	}
	for i, has := range row.Has {
		run.has[i] = run.has[i] || has
	}
	at.file, at.position = l.inferencex.files, int32(row.Position)
	run.points[row.Conc] = at
	switch {
	case !exists:
		l.touched[run.id] = true
		return RowAdded, revisions, nil
	case changed:
		l.touched[run.id] = true
		return RowUpdated, revisions, nil
	}
	return RowUnchanged, revisions, nil
}

func (l *Load) saveFailed(run string, row *record.InferenceXRow) error {
	sum := sha256.Sum256([]byte(row.JSON))
	_, err := l.exec(`INSERT INTO inferencex_failed_points (run_name, conc, sha256, error, row) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		run, row.Conc, hex.EncodeToString(sum[:]), text(row.Error), row.JSON)
	return err
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

// inferencexRun returns the run of a row, which it stores where it is new.
func (l *Load) inferencexRun(d InferenceXRun, row *record.InferenceXRow) (*inferencexRun, error) {
	if run, ok := l.inferencex.runs[d.Name]; ok {
		return run, nil
	}
	run := &inferencexRun{
		config: row.Config, kind: row.BenchmarkType, githubRun: row.GitHubRunID,
		points: map[int64]pointAt{}, versions: map[string]bool{},
	}
	var origin string
	found, err := l.queryRow(`SELECT run_id, origin FROM runs WHERE name = ?`, []any{d.Name}, &run.id, &origin)
	if err != nil {
		return nil, err
	}
	switch {
	case !found:
		err = l.insertInferenceXRun(run, d, row)
	case origin != "inferencex":
		err = fmt.Errorf("the %s run %s has the name of this row's run", origin, d.Name)
	default:
		err = l.recallRun(run)
	}
	if err != nil {
		return nil, err
	}
	l.inferencex.runs[d.Name] = run
	return run, nil
}

func (l *Load) insertInferenceXRun(run *inferencexRun, d InferenceXRun, row *record.InferenceXRow) error {
	empty, err := l.definitionSet(nil) // replaced when all rows are in
	if err != nil {
		return err
	}
	var nodes any
	if !row.Config.IsMultinode {
		nodes = 1
	}
	run.id, err = l.insert(`
		INSERT INTO runs (name, origin, admitted_as, source_kind, licence_id, model, engine, hardware, nodes, gpus, isl, osl, harness, definition_set_id)
		VALUES (?, 'inferencex', 'capture', 'inferencex', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		d.Name, InferenceXLicence, text(d.Model), text(d.Engine), text(row.Config.Hardware), nodes, number(d.GPUs),
		optional(row.ISL), optional(row.OSL), text(d.Harness), empty)
	if err != nil {
		return err
	}
	config, err := l.config(row.Config)
	if err != nil {
		return err
	}
	run.runURL, run.started = row.RunURL, row.RunStartedAt
	_, err = l.exec(`
		INSERT INTO inferencex_runs (run_id, config_id, github_run_id, run_attempt, run_url, run_started_at, benchmark_type, offload_mode,
			recipe_fingerprint, official)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		run.id, config, number(row.GitHubRunID), number(row.RunAttempt), text(row.RunURL), text(row.RunStartedAt), row.BenchmarkType, row.OffloadMode,
		text(row.RecipeFingerprint), row.Official)
	return err
}

// recallRun reads what a stored run is known by.
func (l *Load) recallRun(run *inferencexRun) error {
	_, err := l.queryRow(`
		SELECT ifnull(i.run_url, ''), ifnull(i.run_started_at, ''), ifnull(r.measured_on, '')
		FROM runs r JOIN inferencex_runs i ON i.run_id = r.run_id WHERE r.run_id = ?`,
		[]any{run.id}, &run.runURL, &run.started, &run.date)
	if err != nil {
		return err
	}
	err = l.query(`SELECT point_id, position, concurrency FROM points WHERE run_id = ?`, []any{run.id}, func(scan func(...any) error) error {
		var at pointAt
		var conc int64
		if err := scan(&at.id, &at.ordinal, &conc); err != nil {
			return err
		}
		run.points[conc] = at
		return nil
	})
	if err != nil {
		return err
	}
	err = l.query(`
		SELECT DISTINCT g.engine_version FROM points p JOIN inferencex_points x ON x.point_id = p.point_id JOIN inferencex_images g ON g.image_id = x.image_id
		WHERE p.run_id = ? AND g.engine_version IS NOT NULL`, []any{run.id}, func(scan func(...any) error) error {
		var version string
		if err := scan(&version); err != nil {
			return err
		}
		run.versions[version] = true
		return nil
	})
	if err != nil {
		return err
	}
	return l.query(`SELECT m.slot FROM definition_set_members m JOIN runs r ON r.definition_set_id = m.definition_set_id WHERE r.run_id = ?`,
		[]any{run.id}, func(scan func(...any) error) error {
			var slot int
			if err := scan(&slot); err != nil {
				return err
			}
			run.has[slot-1] = true
			return nil
		})
}

// mergeRun completes what a run's rows have in common.
func (l *Load) mergeRun(run *inferencexRun, row *record.InferenceXRow, revisions *[]Revision) (bool, error) {
	a := mergeText("run_url", &run.runURL, row.RunURL, revisions)
	b := mergeText("run_started_at", &run.started, row.RunStartedAt, revisions)
	if !a && !b {
		return false, nil
	}
	_, err := l.exec(`UPDATE inferencex_runs SET run_url = ?, run_started_at = ?, official = ? WHERE run_id = ?`,
		text(run.runURL), text(run.started), row.Official, run.id)
	return true, err
}

// mergeText takes a newly reported text over. Nothing reported changes nothing.
func mergeText(key string, stored *string, reported string, revisions *[]Revision) bool {
	if reported == "" || reported == *stored {
		return false
	}
	if *stored != "" {
		*revisions = append(*revisions, Revision{Key: key, Old: *stored, New: reported})
	}
	*stored = reported
	return true
}

// config returns the key of a configuration, which it stores where it is new.
func (l *Load) config(c record.InferenceXConfig) (int64, error) {
	if id, ok := l.inferencex.configs[c]; ok {
		return id, nil
	}
	values := []any{c.Hardware, c.Framework, c.Model, c.Precision, c.SpecMethod, c.Disagg, c.IsMultinode, c.PrefillTP, c.PrefillEP,
		c.PrefillDPAttention, c.PrefillNumWorkers, c.DecodeTP, c.DecodeEP, c.DecodeDPAttention, c.DecodeNumWorkers, c.NumPrefillGPU, c.NumDecodeGPU}
	var id int64
	found, err := l.queryRow(`
		SELECT config_id FROM inferencex_configs
		WHERE hardware = ? AND framework = ? AND model = ? AND precision = ? AND spec_method = ? AND disagg = ? AND is_multinode = ?
			AND prefill_tp = ? AND prefill_ep = ? AND prefill_dp_attention = ? AND prefill_num_workers = ?
			AND decode_tp = ? AND decode_ep = ? AND decode_dp_attention = ? AND decode_num_workers = ? AND num_prefill_gpu = ? AND num_decode_gpu = ?`,
		values, &id)
	if err == nil && !found {
		id, err = l.insert(`
			INSERT INTO inferencex_configs (hardware, framework, model, precision, spec_method, disagg, is_multinode, prefill_tp, prefill_ep,
				prefill_dp_attention, prefill_num_workers, decode_tp, decode_ep, decode_dp_attention, decode_num_workers, num_prefill_gpu, num_decode_gpu)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, values...)
	}
	if err != nil {
		return 0, err
	}
	l.inferencex.configs[c] = id
	return id, nil
}

// image returns an image, which it stores where it is new; the zero image for "".
func (l *Load) image(name string) (image, error) {
	if name == "" {
		return image{}, nil
	}
	if img, ok := l.inferencex.images[name]; ok {
		return img, nil
	}
	img := image{version: l.inferencex.rules.EngineVersion(name)}
	_, err := l.exec(`INSERT INTO inferencex_images (image, engine_version) VALUES (?, ?) ON CONFLICT (image) DO UPDATE SET engine_version = excluded.engine_version`,
		name, text(img.version))
	if err == nil {
		_, err = l.queryRow(`SELECT image_id FROM inferencex_images WHERE image = ?`, []any{name}, &img.id)
	}
	if err != nil {
		return image{}, err
	}
	l.inferencex.images[name] = img
	return img, nil
}

// The fields of a row that are kept as text or integer, in the order of rowFields.
var fieldNames = []string{"date", "image_id", "id", "workflow_run_id", "raw_hardware", "raw_framework", "raw_model", "raw_precision", "raw_spec_method",
	"artifact_digest", "p50_mask", "workers", "power_audit", "power_invalid_reasons", "extra"}

// p50Field is the index of p50_mask in fieldNames.
const p50Field = 10

// rowFields returns the values of fieldNames, nil for what the row does not state.
func rowFields(row *record.InferenceXRow, image int64) []any {
	return []any{text(row.Date), number(image), optional(row.ID), optional(row.WorkflowRunID), text(row.RawHardware), text(row.RawFramework),
		text(row.RawModel), text(row.RawPrecision), text(row.RawSpecMethod), text(row.ArtifactDigest), number(int64(row.P50)),
		text(row.Workers), text(row.PowerAudit), text(row.PowerInvalidReasons), text(row.Extra)}
}

// The statements over inferencex_points name every column of the record, in its order.
var insertPointSQL, selectPointSQL, updatePointSQL = pointStatements()

func pointStatements() (insert, query, update string) {
	names := slices.Clone(fieldNames)
	for _, c := range record.InferenceXColumns {
		names = append(names, c.Column)
	}
	insert = "INSERT INTO inferencex_points (point_id, " + strings.Join(names, ", ") + ") VALUES (?" + strings.Repeat(", ?", len(names)) + ")"
	query = "SELECT " + strings.Join(names, ", ") + " FROM inferencex_points WHERE point_id = ?"
	update = "UPDATE inferencex_points SET " + strings.Join(names, " = ?, ") + " = ? WHERE point_id = ?"
	return insert, query, update
}

func (l *Load) insertPoint(run *inferencexRun, row *record.InferenceXRow, image int64) (pointAt, error) {
	at := pointAt{ordinal: int32(len(run.points))}
	var err error
	at.id, err = l.insert(`INSERT INTO points (run_id, position, id, concurrency) VALUES (?, ?, ?, ?)`,
		run.id, at.ordinal, "c"+strconv.FormatInt(row.Conc, 10), row.Conc)
	if err != nil {
		return at, err
	}
	args := append([]any{at.id}, rowFields(row, image)...)
	for i, v := range row.Known {
		if row.Has[i] {
			args = append(args, v)
		} else {
			args = append(args, nil)
		}
	}
	if _, err := l.exec(insertPointSQL, args...); err != nil {
		return at, err
	}
	for _, o := range row.Other {
		if err := l.saveOther(at.id, o); err != nil {
			return at, err
		}
	}
	return at, nil
}

func (l *Load) saveOther(point int64, o record.InferenceXOther) error {
	if !l.inferencex.keys[o.Key] {
		unit, why := l.inferencex.rules.RawWhy(o.Key)
		if err := l.saveKey(RawKey{Key: o.Key, Column: -1, Unit: unit, Why: why}); err != nil {
			return err
		}
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

// mergePoint completes a stored point from a row, metric by metric, and returns whether anything changed.
func (l *Load) mergePoint(point int64, row *record.InferenceXRow, image int64, revisions *[]Revision) (bool, error) {
	stored := make([]any, len(fieldNames)+record.NumInferenceXColumns)
	dest := make([]any, len(stored))
	for i := range stored {
		dest[i] = &stored[i]
	}
	if _, err := l.queryRow(selectPointSQL, []any{point}, dest...); err != nil {
		return false, err
	}
	changed := false
	merge := func(i int, key string, reported any) {
		if reported == nil || reported == stored[i] {
			return
		}
		if stored[i] != nil {
			*revisions = append(*revisions, Revision{Key: key, Old: stored[i], New: reported})
		}
		stored[i] = reported
		changed = true
	}
	for i, reported := range rowFields(row, image) {
		if i == p50Field { // it only names the keys of this row's values
			continue
		}
		merge(i, fieldNames[i], reported)
	}
	mask, _ := stored[p50Field].(int64)
	for i, c := range record.InferenceXColumns {
		if !row.Has[i] {
			continue
		}
		// The key is p50_ only where no row ever said median_, whatever their order.
		if bit := int64(1) << i; row.P50&(1<<i) == 0 {
			mask &^= bit
		} else if stored[len(fieldNames)+i] == nil {
			mask |= bit
		}
		merge(len(fieldNames)+i, c.Key, row.Known[i])
	}
	if masked := number(mask); masked != stored[p50Field] {
		stored[p50Field], changed = masked, true
	}
	if changed {
		if _, err := l.exec(updatePointSQL, append(stored, point)...); err != nil {
			return false, err
		}
	}
	for _, o := range row.Other {
		updated, err := l.mergeOther(point, o, revisions)
		if err != nil {
			return false, err
		}
		changed = changed || updated
	}
	return changed, nil
}

func (l *Load) mergeOther(point int64, o record.InferenceXOther, revisions *[]Revision) (bool, error) {
	var stored any
	found, err := l.queryRow(`SELECT coalesce(number, text) FROM inferencex_other_values WHERE point_id = ? AND key = ?`, []any{point, o.Key}, &stored)
	if err != nil {
		return false, err
	}
	var reported any = o.Text
	if o.Number != nil {
		reported = *o.Number
	}
	if found && stored == reported {
		return false, nil
	}
	if found {
		*revisions = append(*revisions, Revision{Key: o.Key, Old: stored, New: reported})
	}
	return true, l.saveOther(point, o)
}

// finishInferenceX brings what is derived from all rows of a run up to date:
// definitions, order of points, dates, and which attempts are current.
func (l *Load) finishInferenceX() error {
	if l.inferencex == nil {
		return nil
	}
	github := map[int64]bool{}
	for name, run := range l.inferencex.runs {
		if !l.touched[run.id] {
			continue
		}
		if err := l.finishRun(run); err != nil {
			return fmt.Errorf("complete run %s: %w", name, err)
		}
		if run.githubRun != 0 {
			github[run.githubRun] = true
		}
	}
	for id := range github {
		if err := l.hideOldAttempts(id); err != nil {
			return fmt.Errorf("order the attempts of GitHub run %d: %w", id, err)
		}
	}
	return nil
}

func (l *Load) finishRun(run *inferencexRun) error {
	set, err := l.inferencexDefinitions(definedBy{run.has, InferenceXContext{BenchmarkType: run.kind, Disagg: run.config.Disagg, Date: run.date}})
	if err != nil {
		return err
	}
	var version string
	if len(run.versions) == 1 { // images that disagree leave it open
		for v := range run.versions {
			version = v
		}
	}
	if _, err := l.exec(`UPDATE runs SET definition_set_id = ?, engine_version = ?, measured_on = ? WHERE run_id = ?`,
		set, text(version), text(run.date), run.id); err != nil {
		return err
	}
	loads := make([]int64, 0, len(run.points))
	for conc := range run.points {
		loads = append(loads, conc)
	}
	slices.Sort(loads)
	for i, conc := range loads {
		at := run.points[conc]
		if at.ordinal == int32(i) {
			continue
		}
		if _, err := l.exec(`UPDATE points SET position = ? WHERE point_id = ?`, i, at.id); err != nil {
			return err
		}
		at.ordinal = int32(i)
		run.points[conc] = at
	}
	return nil
}

// inferencexDefinitions returns the definition set of runs with these columns in this context.
func (l *Load) inferencexDefinitions(by definedBy) (int64, error) {
	if id, ok := l.inferencex.sets[by]; ok {
		return id, nil
	}
	var members []Member
	for column, has := range by.has {
		if !has {
			continue
		}
		if m, ok := l.inferencex.rules.Define(column, by.context); ok {
			m.Slot = column + 1
			members = append(members, m)
		}
	}
	id, err := l.definitionSet(members)
	if err == nil {
		l.inferencex.sets[by] = id
	}
	return id, err
}

// hideOldAttempts marks all runs of older attempts of a GitHub run as hidden by its newest attempt.
func (l *Load) hideOldAttempts(githubRun int64) error {
	type hidden struct{ id, by int64 }
	var changes []hidden
	err := l.query(`
		SELECT r.run_id, CASE WHEN i.run_attempt < newest THEN newest ELSE 0 END, ifnull(r.hidden_by_attempt, 0)
		FROM (SELECT max(run_attempt) AS newest FROM inferencex_runs WHERE github_run_id = ?1)
		JOIN inferencex_runs i ON i.github_run_id = ?1
		JOIN runs r ON r.run_id = i.run_id`, []any{githubRun}, func(scan func(...any) error) error {
		var h hidden
		var was int64
		if err := scan(&h.id, &h.by, &was); err != nil {
			return err
		}
		if h.by != was {
			changes = append(changes, h)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, h := range changes {
		if _, err := l.exec(`UPDATE runs SET hidden_by_attempt = ? WHERE run_id = ?`, number(h.by), h.id); err != nil {
			return err
		}
		l.touched[h.id] = true
	}
	return nil
}
