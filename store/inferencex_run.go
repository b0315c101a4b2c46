package store

import (
	"fmt"
	"strings"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// inferencexRun returns the run of a row.
func (l *Load) inferencexRun(d *InferenceXRun, row *record.InferenceXRow) (*inferencexRun, error) {
	if run, ok := l.inferencex.runs[d.Name]; ok {
		return run, nil
	}
	run := &inferencexRun{kind: row.BenchmarkType, disagg: row.Config.Disagg, githubRun: row.GitHubRunID}
	var origin string
	var set int64
	var found bool
	var err error
	if !l.inferencex.fresh {
		found, err = l.queryRow(`
			SELECT r.run_id, r.origin, ifnull(i.run_url, ''), ifnull(i.run_started_at, ''), ifnull(i.official, 0), ifnull(r.gpus, 0), r.definition_set_id
			FROM runs r LEFT JOIN inferencex_runs i ON i.run_id = r.run_id WHERE r.name = ?`,
			[]any{d.Name}, &run.id, &origin, &run.runURL, &run.started, &run.official, &run.gpus, &set)
	}
	switch {
	case err != nil:
	case !found:
		err = l.addRun(run, d, row)
	case origin != "inferencex":
		err = fmt.Errorf("%w: %s is a %s run", ErrNameTaken, d.Name, origin)
	default:
		err = l.recallRun(run, set)
	}
	if err != nil {
		return nil, err
	}
	l.inferencex.runs[d.Name] = run
	return run, nil
}

// addRun gives a run its key. Flush stores it.
func (l *Load) addRun(run *inferencexRun, d *InferenceXRun, row *record.InferenceXRow) error {
	config, err := l.config(row.Config)
	if err != nil {
		return err
	}
	in := &l.inferencex.incoming
	run.id, run.incoming = in.nextRun, true
	in.nextRun++
	run.gpus = d.GPUs
	run.last = l.inferencex.number(row)
	run.runURL, run.started, run.official = row.RunURL, row.RunStartedAt, row.Official
	l.inferencex.moved[config] = true
	in.runs = append(in.runs, incomingRun{run: run, row: row, described: *d, config: config})
	return nil
}

// recallRun reads which points a stored run of a definition set has.
func (l *Load) recallRun(run *inferencexRun, set int64) (err error) {
	if run.columns, err = l.columnsOfSet(set); err != nil {
		return err
	}
	return l.query(`
		SELECT p.point_id, p.position, instr(p.id, '-') > 0, p.concurrency, ifnull(x.artifact_digest, ''), ifnull(d.digest, 0)
		FROM points p JOIN inferencex_points x ON x.point_id = p.point_id LEFT JOIN inferencex_row_digests d ON d.point_id = p.point_id
		WHERE p.run_id = ?`, []any{run.id}, func(scan func(...any) error) error {
		var stored knownPoint
		var digest string
		if err := scan(&stored.id, &stored.ordinal, &stored.long, &stored.conc, &digest, &stored.holds); err != nil {
			return err
		}
		stored.artifact = artifactOf(digest)
		at, _ := run.point(int64(stored.conc), stored.artifact)
		*at = stored
		return nil
	})
}

// columnsOfSet are the columns that the runs of a definition set have a definition for.
func (l *Load) columnsOfSet(set int64) (columns columnSet, err error) {
	if columns, ok := l.inferencex.setColumns[set]; ok {
		return columns, nil
	}
	slots, err := l.integers(`SELECT slot FROM definition_set_members WHERE definition_set_id = ?`, set)
	for _, slot := range slots {
		columns |= 1 << (slot - 1)
	}
	l.inferencex.setColumns[set] = columns
	return columns, err
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
	if run.incoming {
		if err := l.Flush(); err != nil {
			return false, err
		}
	}
	for i := range outcome.RunRevisions {
		r := &outcome.RunRevisions[i]
		r.Position = l.inferencex.positionHere(run.last)
		for _, value := range []any{r.Old, r.New} {
			_, err := l.exec(`INSERT INTO inferencex_run_revisions (run_id, key, value) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`, run.id, r.Key, value)
			if err != nil {
				return false, err
			}
		}
	}
	run.last = l.inferencex.number(row)
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

// configColumns are the columns of inferencex_configs that tell a configuration, in the order of configValues.
var configColumns = []string{"hardware", "framework", "model", "precision", "spec_method", "disagg", "is_multinode", "prefill_tp", "prefill_ep",
	"prefill_dp_attention", "prefill_num_workers", "decode_tp", "decode_ep", "decode_dp_attention", "decode_num_workers", "num_prefill_gpu", "num_decode_gpu"}

func configValues(c *record.InferenceXConfig) []any {
	return []any{c.Hardware, c.Framework, c.Model, c.Precision, c.SpecMethod, c.Disagg, c.IsMultinode, c.PrefillTP, c.PrefillEP,
		c.PrefillDPAttention, c.PrefillNumWorkers, c.DecodeTP, c.DecodeEP, c.DecodeDPAttention, c.DecodeNumWorkers, c.NumPrefillGPU, c.NumDecodeGPU}
}

var (
	selectConfigSQL = "SELECT config_id FROM inferencex_configs WHERE " + strings.Join(configColumns, " = ? AND ") + " = ?"
	insertConfigSQL = "INSERT INTO inferencex_configs (" + strings.Join(configColumns, ", ") + ") VALUES (?" + strings.Repeat(", ?", len(configColumns)-1) + ")"
)

// storedConfig returns the key of a configuration that is stored at once where it is new.
func (l *Load) storedConfig(c record.InferenceXConfig) (int64, error) {
	id, err := l.config(c)
	if err != nil {
		return 0, err
	}
	s, err := l.own()
	if err != nil {
		return 0, err
	}
	return id, l.inferencex.incoming.storeConfigs(s)
}

// config returns the key of a configuration. Where none was stored before the
// load, a new one is stored with the rows that are on their way.
func (l *Load) config(c record.InferenceXConfig) (int64, error) {
	if id, ok := l.inferencex.configs[c]; ok {
		return id, nil
	}
	var id int64
	var found bool
	var err error
	if in := &l.inferencex.incoming; in.nextConfig > 0 {
		id = in.nextConfig
		in.nextConfig++
		in.configs = append(in.configs, incomingConfig{id, c})
	} else if found, err = l.queryRow(selectConfigSQL, configValues(&c), &id); err == nil && !found {
		id, err = l.insert(insertConfigSQL, configValues(&c)...)
	}
	if err != nil {
		return 0, err
	}
	if !found {
		l.changedPart("inferencex_configs", "")
	}
	l.inferencex.configs[c] = id
	return id, nil
}

// image returns the image of a name, which it stores where it is new; none for "".
func (l *Load) image(name string) (img image, err error) {
	if name == "" {
		return image{}, nil
	}
	if img, ok := l.inferencex.images[name]; ok {
		return img, nil
	}
	img.version = l.inferencex.rules.EngineVersion(name)
	l.changedPart("inferencex_images", "")
	_, err = l.exec(`INSERT INTO inferencex_images (image, engine_version) VALUES (?, ?) ON CONFLICT (image) DO UPDATE SET engine_version = excluded.engine_version`,
		name, text(img.version))
	if err == nil {
		_, err = l.queryRow(`SELECT image_id FROM inferencex_images WHERE image = ?`, []any{name}, &img.id)
	}
	if err == nil {
		l.inferencex.images[name] = img
	}
	return img, err
}
