package store

import (
	"fmt"
	"runtime/debug"

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
	for name, run := range l.inferencex.runs {
		if !l.touched[run.id] {
			continue
		}
		if err := l.finishRun(run); err != nil {
			return fmt.Errorf("complete run %s: %w", name, err)
		}
		l.inferencex.attempts[run.githubRun] = true
	}
	for id := range l.inferencex.attempts {
		if err := l.hideOldAttempts(id); err != nil {
			return fmt.Errorf("order the attempts of GitHub run %d: %w", id, err)
		}
	}
	return nil
}

// endCaptures stores what the captures brought and is not stored yet.
func (l *Load) endCaptures() error {
	if l.inferencex == nil {
		return nil
	}
	if err := l.Flush(); err != nil {
		return err
	}
	if err := l.finder.storeKeys(); err != nil {
		return err
	}
	const large = 1 << 18 // rows, of which some tens of megabytes of garbage are left
	if l.late != nil && l.inferencex.rows > large {
		debug.FreeOSMemory() // the engine takes as much to sort
	}
	return l.restoreIndexes()
}

// settleLeft removes the runs that lost their last point to another directory,
// and reads anew what the others are known by.
func (l *Load) settleLeft() error {
	for _, id := range l.inferencex.left {
		run := &inferencexRun{id: id}
		var name string
		var content, set, config int64
		found, err := l.queryRow(`
			SELECT r.name, ifnull(r.content_id, 0), i.benchmark_type, c.disagg, ifnull(i.run_url, ''), ifnull(i.run_started_at, ''), i.official,
				ifnull(r.gpus, 0), r.definition_set_id, i.config_id
			FROM runs r JOIN inferencex_runs i ON i.run_id = r.run_id JOIN inferencex_configs c ON c.config_id = i.config_id WHERE r.run_id = ?`,
			[]any{id}, &name, &content, &run.kind, &run.disagg, &run.runURL, &run.started, &run.official, &run.gpus, &set, &config)
		if err == nil && found {
			err = l.recallRun(run, set)
		}
		if err != nil {
			return err
		}
		if !found { // it was removed before
			continue
		}
		if len(run.points) > 0 {
			run.columns = 0
			err := l.readPoints(id, func(p *storedPoint) error {
				run.columns |= p.columns
				return nil
			})
			if err != nil {
				return err
			}
			l.inferencex.runs[name] = run
			continue
		}
		if _, err := l.exec(`DELETE FROM runs WHERE run_id = ?`, id); err != nil {
			return err
		}
		l.inferencex.moved[config] = true
		delete(l.inferencex.runs, name)
		delete(l.touched, id)
		if content != 0 {
			l.stale[content] = true
		}
	}
	return nil
}

func (l *Load) finishRun(run *inferencexRun) error {
	var facts runFacts
	err := l.query(`
		SELECT ifnull(x.date, ''), ifnull(g.engine_version, '')
		FROM points p JOIN inferencex_points x ON x.point_id = p.point_id LEFT JOIN inferencex_images g ON g.image_id = x.image_id
		WHERE p.run_id = ?`, []any{run.id}, func(scan func(...any) error) error {
		var day, version string
		if err := scan(&day, &version); err != nil {
			return err
		}
		facts.add(day, version)
		return nil
	})
	if err != nil {
		return err
	}
	set, err := l.inferencexDefinitions(definedBy{run.columns, l.inferencex.rules.Context(run.kind, run.disagg, facts.day)})
	if err != nil {
		return err
	}
	if _, err := l.exec(`UPDATE runs SET definition_set_id = ?, engine_version = ?, measured_on = ?, gpus = ? WHERE run_id = ?`,
		set, text(facts.engineVersion()), text(facts.day), number(run.gpus), run.id); err != nil {
		return err
	}
	return l.orderPoints(run)
}

// orderPoints numbers the points of a run by load, and names those of raw artifacts.
func (l *Load) orderPoints(run *inferencexRun) error {
	var renamed []int
	for i := range run.points {
		at := &run.points[i]
		long := i > 0 && run.points[i-1].conc == at.conc
		if at.ordinal == int32(i) && at.long == long {
			continue
		}
		// Names are unique within the run: the short one is given when nobody has it any more.
		if long != at.long {
			if err := l.renamePoint(at, true); err != nil {
				return err
			}
			renamed = append(renamed, i)
		}
		if _, err := l.exec(`UPDATE points SET position = ? WHERE point_id = ?`, i, at.id); err != nil {
			return err
		}
		at.ordinal, at.long = int32(i), long
	}
	for _, i := range renamed {
		if err := l.renamePoint(&run.points[i], run.points[i].long); err != nil {
			return err
		}
	}
	return nil
}

func (l *Load) renamePoint(at *knownPoint, long bool) error {
	_, err := l.exec(`UPDATE points SET id = ? WHERE point_id = ?`, pointName(int64(at.conc), at.artifact, long), at.id)
	return err
}

// definedBy is what the definition set of a run follows from.
type definedBy struct {
	columns columnSet
	context InferenceXContext
}

// inferencexDefinitions returns the definition set of runs with these columns in this context.
func (l *Load) inferencexDefinitions(by definedBy) (int64, error) {
	if id, ok := l.inferencex.sets[by]; ok {
		return id, nil
	}
	var members []Member
	for column := range record.NumInferenceXColumns {
		if !by.columns.has(column) {
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
		FROM (SELECT max(run_attempt) AS newest, min(run_attempt) AS oldest FROM inferencex_runs WHERE github_run_id = ?1)
		JOIN inferencex_runs i ON i.github_run_id = ?1
		JOIN runs r ON r.run_id = i.run_id
		WHERE newest > oldest`, []any{githubRun}, func(scan func(...any) error) error {
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
