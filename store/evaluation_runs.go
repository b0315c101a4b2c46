package store

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// EvaluationRunDocument is a checked evaluation run with the document it was read from.
type EvaluationRunDocument struct {
	Evaluation *record.EvaluationRun
	Content    []byte
	SHA256     string
}

// ErrMeasured is an evaluation run with the name of a MeasuredRun. It does not
// replace it, for it says less; a MeasuredRun does replace an evaluation run.
var ErrMeasured = errors.New("a MeasuredRun has this name")

// SaveEvaluationRun stores an evaluation run, replacing an earlier version of it.
// A name that a run of another origin has is ErrMeasured or ErrNameTaken.
func (l *Load) SaveEvaluationRun(doc *EvaluationRunDocument) (Status, error) {
	status, err := l.saveEvaluationRun(doc)
	if err != nil {
		return "", fmt.Errorf("store evaluation run %s: %w", doc.Evaluation.Name, err)
	}
	return status, nil
}

func (l *Load) saveEvaluationRun(doc *EvaluationRunDocument) (Status, error) {
	var (
		runID          any
		origin, sha256 string
	)
	found, err := l.queryRow(`SELECT run_id, origin, ifnull(document_sha256, '') FROM runs WHERE name = ?`, []any{doc.Evaluation.Name}, &runID, &origin, &sha256)
	switch {
	case err != nil:
		return "", err
	case found && origin == "catalog":
		return "", ErrMeasured
	case found && origin != "evaluation":
		return "", ErrNameTaken
	case found && sha256 == doc.SHA256:
		return Unchanged, nil
	}
	if err := l.replaceEvaluationRun(runID, doc); err != nil {
		return "", err
	}
	if found {
		return Updated, nil
	}
	return Added, nil
}

// replaceEvaluationRun writes an evaluation run under the key of the one it
// replaces, nil for none. It has neither a content to compare nor references,
// so that nothing is derived from it.
func (l *Load) replaceEvaluationRun(old any, doc *EvaluationRunDocument) error {
	e := doc.Evaluation
	if err := l.replaceVersion(old, e.Name, doc.SHA256, doc.Content); err != nil {
		return err
	}
	none, err := l.definitionSet(nil)
	if err != nil {
		return err
	}
	var measuredOn any
	if e.Date != "" {
		measuredOn = e.Date[:len("2006-01-02")]
	}
	id, err := l.insert(`
		INSERT INTO runs (run_id, name, origin, admitted_as, document_sha256, source_kind, licence_id, engine_version, harness, harness_version,
			measured_on, definition_set_id)
		VALUES (?, ?, 'evaluation', ?, ?, '', '', ?, ?, ?, ?, ?)`,
		old, e.Name, string(AsFile), doc.SHA256, text(e.EngineVersion), text(e.Harness), text(e.HarnessVersion), measuredOn, none)
	if err != nil {
		return err
	}
	if _, err := l.exec(`INSERT INTO evaluation_runs (run_id, scenario, date) VALUES (?, ?, ?)`, id, text(e.Scenario), text(e.Date)); err != nil {
		return err
	}
	return l.insertEvaluationPoints(id, e.Points)
}

// insertEvaluationPoints stores the points by increasing load, whatever their
// order in the document.
func (l *Load) insertEvaluationPoints(id int64, points []record.EvaluationPoint) error {
	sorted := slices.SortedFunc(slices.Values(points), func(a, b record.EvaluationPoint) int { return cmp.Compare(a.Concurrency, b.Concurrency) })
	for i := range sorted {
		p := &sorted[i]
		point, err := l.insert(`
			INSERT INTO points (run_id, position, id, concurrency, completed, mean_isl, mean_osl, kv_utilization, prefix_hit_rate, preemptions)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			id, i, fmt.Sprintf("c%d", p.Concurrency), p.Concurrency, optional(p.CompletedRequests), optional(p.MeanISL), optional(p.MeanOSL),
			optional(p.KVUtilization), optional(p.PrefixCacheHitRate), optional(p.Preemptions))
		if err != nil {
			return err
		}
		_, err = l.exec(`
			INSERT INTO evaluation_points (point_id, output_tokens_per_sec, input_tokens_per_sec, ttft_ms, itl_ms, e2e_ms)
			VALUES (?, ?, ?, ?, ?, ?)`,
			point, optional(p.OutputTokensPerSec), optional(p.InputTokensPerSec), optional(p.TTFTMs), optional(p.ITLMs), optional(p.E2EMs))
		if err != nil {
			return err
		}
	}
	return nil
}
