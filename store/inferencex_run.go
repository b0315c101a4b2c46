package store

import (
	"fmt"
	"strings"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// inferencexRun returns the run of a row, which it stores where it is new.
func (l *Load) inferencexRun(d InferenceXRun, row *record.InferenceXRow) (*inferencexRun, error) {
	if run, ok := l.inferencex.runs[d.Name]; ok {
		return run, nil
	}
	run := &inferencexRun{
		config: row.Config, kind: row.BenchmarkType, githubRun: row.GitHubRunID,
		points: map[pointKey]pointAt{},
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
		err = fmt.Errorf("%w: %s is a %s run", ErrNameTaken, d.Name, origin)
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
	run.gpus = d.GPUs
	run.file, run.position = l.inferencex.files, int32(row.Position)
	run.runURL, run.started, run.official = row.RunURL, row.RunStartedAt, row.Official
	_, err = l.exec(`
		INSERT INTO inferencex_runs (run_id, config_id, github_run_id, run_attempt, run_url, run_started_at, benchmark_type, offload_mode,
			recipe_fingerprint, official, collapsed, artifact_run)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		run.id, config, number(row.GitHubRunID), number(row.RunAttempt), text(row.RunURL), text(row.RunStartedAt), row.BenchmarkType, row.OffloadMode,
		text(row.RecipeFingerprint), row.Official, d.Collapsed, text(row.ArtifactRun))
	if err != nil {
		return err
	}
	return l.insertRowPools(run.id, &row.Config)
}

// insertRowPools stores what a configuration states of the deployment. It
// states no pipeline or data-parallel width and no layout over nodes, so these
// stay NULL: the pools alone are no deployment that BLIS could build.
func (l *Load) insertRowPools(run int64, c *record.InferenceXConfig) error {
	type pool struct {
		role            string
		tp, ep, workers int64
		dpAttention     bool
	}
	pools := []pool{{"colocated", c.DecodeTP, c.DecodeEP, c.DecodeNumWorkers, c.DecodeDPAttention}}
	if c.Disagg {
		pools = []pool{
			{"prefill", c.PrefillTP, c.PrefillEP, c.PrefillNumWorkers, c.PrefillDPAttention},
			{"decode", c.DecodeTP, c.DecodeEP, c.DecodeNumWorkers, c.DecodeDPAttention},
		}
	}
	for i, p := range pools {
		var nodes any
		if !c.IsMultinode && len(pools) == 1 {
			nodes = 1
		}
		_, err := l.exec(`INSERT INTO pools (run_id, position, role, nodes, tp, ep, workers, dp_attention) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
			run, i, p.role, nodes, number(p.tp), number(p.ep), p.workers, p.dpAttention)
		if err != nil {
			return err
		}
	}
	return nil
}

// recallRun reads what a stored run is known by.
func (l *Load) recallRun(run *inferencexRun) error {
	_, err := l.queryRow(`
		SELECT ifnull(i.run_url, ''), ifnull(i.run_started_at, ''), i.official, ifnull(r.gpus, 0)
		FROM runs r JOIN inferencex_runs i ON i.run_id = r.run_id WHERE r.run_id = ?`,
		[]any{run.id}, &run.runURL, &run.started, &run.official, &run.gpus)
	if err != nil {
		return err
	}
	err = l.query(`
		SELECT p.point_id, p.position, p.id, p.concurrency, ifnull(x.artifact_digest, '')
		FROM points p JOIN inferencex_points x ON x.point_id = p.point_id WHERE p.run_id = ?`, []any{run.id}, func(scan func(...any) error) error {
		var at pointAt
		var key pointKey
		if err := scan(&at.id, &at.ordinal, &at.name, &key.conc, &key.digest); err != nil {
			return err
		}
		run.points[key] = at
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
func (l *Load) mergeRun(run *inferencexRun, row *record.InferenceXRow, outcome *RowOutcome) (bool, error) {
	revisions := &outcome.RunRevisions
	a := false
	switch {
	case strings.HasPrefix(run.runURL, row.RunURL+"/"): // the same attempt, written without it
	case run.runURL != "" && strings.HasPrefix(row.RunURL, run.runURL+"/"):
		run.runURL, a = row.RunURL, true
	default:
		a = mergeText("run_url", &run.runURL, row.RunURL, revisions)
	}
	b := mergeText("run_started_at", &run.started, row.RunStartedAt, revisions)
	if !a && !b {
		return false, nil
	}
	if a {
		run.official = row.Official
	}
	for i := range outcome.RunRevisions {
		r := &outcome.RunRevisions[i]
		if run.file == l.inferencex.files {
			r.Position = int(run.position)
		}
		for _, value := range []any{r.Old, r.New} {
			_, err := l.exec(`INSERT INTO inferencex_run_revisions (run_id, key, value) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`, run.id, r.Key, value)
			if err != nil {
				return false, err
			}
		}
	}
	run.file, run.position = l.inferencex.files, int32(row.Position)
	_, err := l.exec(`UPDATE inferencex_runs SET run_url = ?, run_started_at = ?, official = ? WHERE run_id = ?`,
		text(run.runURL), text(run.started), run.official, run.id)
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

// image returns the key of an image, which it stores where it is new; 0 for "".
func (l *Load) image(name string) (id int64, err error) {
	if name == "" {
		return 0, nil
	}
	if id, ok := l.inferencex.images[name]; ok {
		return id, nil
	}
	_, err = l.exec(`INSERT INTO inferencex_images (image, engine_version) VALUES (?, ?) ON CONFLICT (image) DO UPDATE SET engine_version = excluded.engine_version`,
		name, text(l.inferencex.rules.EngineVersion(name)))
	if err == nil {
		_, err = l.queryRow(`SELECT image_id FROM inferencex_images WHERE image = ?`, []any{name}, &id)
	}
	if err == nil {
		l.inferencex.images[name] = id
	}
	return id, err
}
