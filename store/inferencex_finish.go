package store

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// finishInferenceX brings what is derived from all rows of a run up to date:
// definitions, order of points, dates, and which attempts are current.
func (l *Load) finishInferenceX() error {
	if l.inferencex == nil {
		return nil
	}
	if err := l.settleLeft(); err != nil {
		return err
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

// settleLeft removes the runs that lost their last point to another directory,
// and reads anew what the others are known by.
func (l *Load) settleLeft() error {
	for _, id := range l.inferencex.left {
		run := &inferencexRun{id: id, points: map[pointKey]pointAt{}}
		var name string
		var content int64
		found, err := l.queryRow(`
			SELECT r.name, ifnull(r.content_id, 0), i.benchmark_type, c.disagg
			FROM runs r JOIN inferencex_runs i ON i.run_id = r.run_id JOIN inferencex_configs c ON c.config_id = i.config_id WHERE r.run_id = ?`,
			[]any{id}, &name, &content, &run.kind, &run.config.Disagg)
		if err == nil && found {
			err = l.recallRun(run)
		}
		if err != nil {
			return err
		}
		if !found { // it was removed before
			continue
		}
		if len(run.points) > 0 {
			if run.has, err = l.columns(id); err != nil {
				return err
			}
			l.inferencex.runs[name] = run
			continue
		}
		if _, err := l.exec(`DELETE FROM runs WHERE run_id = ?`, id); err != nil {
			return err
		}
		delete(l.inferencex.runs, name)
		delete(l.touched, id)
		if content != 0 {
			l.stale[content] = true
		}
	}
	return nil
}

// columns tells which metric columns the points of a run have.
func (l *Load) columns(run int64) (has [record.NumInferenceXColumns]bool, err error) {
	err = l.query(selectRunSQL, []any{run}, func(scan func(...any) error) error {
		var conc int64
		values := make([]any, record.NumInferenceXColumns)
		dest := []any{&conc}
		for i := range values {
			dest = append(dest, &values[i])
		}
		if err := scan(dest...); err != nil {
			return err
		}
		for i, v := range values {
			has[i] = has[i] || v != nil
		}
		return nil
	})
	return has, err
}

func (l *Load) finishRun(run *inferencexRun) error {
	var date, version any // images that disagree leave the version open
	_, err := l.queryRow(`
		SELECT max(x.date), CASE WHEN count(DISTINCT g.engine_version) = 1 THEN min(g.engine_version) END
		FROM points p JOIN inferencex_points x ON x.point_id = p.point_id LEFT JOIN inferencex_images g ON g.image_id = x.image_id
		WHERE p.run_id = ?`, []any{run.id}, &date, &version)
	if err != nil {
		return err
	}
	day, _ := date.(string)
	set, err := l.inferencexDefinitions(definedBy{run.has, InferenceXContext{BenchmarkType: run.kind, Disagg: run.config.Disagg, Date: day}})
	if err != nil {
		return err
	}
	if _, err := l.exec(`UPDATE runs SET definition_set_id = ?, engine_version = ?, measured_on = ?, gpus = ? WHERE run_id = ?`,
		set, version, date, number(run.gpus), run.id); err != nil {
		return err
	}
	return l.orderPoints(run)
}

// orderPoints numbers the points of a run by load, and names those of raw artifacts.
func (l *Load) orderPoints(run *inferencexRun) error {
	keys := slices.SortedFunc(maps.Keys(run.points), func(a, b pointKey) int {
		return cmp.Or(cmp.Compare(a.conc, b.conc), cmp.Compare(a.digest, b.digest))
	})
	var renamed []pointKey
	for i, key := range keys {
		at := run.points[key]
		name := pointName(key, i == 0 || keys[i-1].conc != key.conc)
		if at.ordinal == int32(i) && at.name == name {
			continue
		}
		// Names are unique within the run: the short one is given when nobody has it any more.
		if name != at.name && key.digest != "" {
			if _, err := l.exec(`UPDATE points SET id = ? WHERE point_id = ?`, pointName(key, false), at.id); err != nil {
				return err
			}
			renamed = append(renamed, key)
		}
		if _, err := l.exec(`UPDATE points SET position = ? WHERE point_id = ?`, i, at.id); err != nil {
			return err
		}
		at.ordinal, at.name = int32(i), name
		run.points[key] = at
	}
	for _, key := range renamed {
		if _, err := l.exec(`UPDATE points SET id = ? WHERE point_id = ?`, run.points[key].name, run.points[key].id); err != nil {
			return err
		}
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
