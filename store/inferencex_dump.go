package store

import (
	"database/sql"
	"fmt"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// SaveTableRow stores a row of a dump that is no benchmark row, and tells
// whether that changed anything. Of two values for one thing the later is kept;
// a value that is not stated replaces none. A row of an operation's body is stored
// as it is: BeginBody comes before it.
func (l *Load) SaveTableRow(row record.InferenceXTableRow) (changed bool, err error) {
	var tables []string // that it is stored in
	switch r := row.(type) {
	case *record.InferenceXWorkflowRun:
		tables = []string{"inferencex_workflow_runs"}
		changed, err = l.saveWorkflowRun(r)
	case *record.InferenceXEvaluation:
		tables = []string{"inferencex_evaluations", "inferencex_evaluation_metrics"}
		changed, err = l.saveEvaluation(r)
	case *record.InferenceXRunStats:
		tables = []string{"inferencex_run_stats"}
		changed, err = l.saveRunStats(r)
	case *record.InferenceXChangelogEntry:
		tables = []string{"inferencex_changelog_entries"}
		changed, err = l.saveChangelogEntry(r)
	case *record.InferenceXAvailability:
		tables = []string{"inferencex_availability"}
		changed, err = l.saveAvailability(r)
	case *record.InferenceXBodyRow:
		changed, err = true, l.saveBodyRow(r) // which notes the parts that it changes
	default:
		err = fmt.Errorf("a %T has no table", row)
	}
	if err != nil {
		at := row.Place()
		return false, fmt.Errorf("store row %d of %s: %w", at.Position, at.Table, err)
	}
	if changed {
		for _, table := range tables {
			l.changedPart(table, "")
		}
	}
	return changed, nil
}

// anyRow tells whether a statement changed a row.
func anyRow(r sql.Result, err error) (bool, error) {
	if err != nil {
		return false, err
	}
	n, err := r.RowsAffected()
	return n > 0, err
}

func (l *Load) saveWorkflowRun(r *record.InferenceXWorkflowRun) (changed bool, err error) {
	return anyRow(l.exec(`
		INSERT INTO inferencex_workflow_runs AS t (github_run_id, run_attempt, name, status, conclusion, head_sha, head_branch, html_url,
			created_at, run_started_at, date)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (github_run_id, run_attempt) DO UPDATE SET
			name = ifnull(excluded.name, t.name), status = ifnull(excluded.status, t.status), conclusion = ifnull(excluded.conclusion, t.conclusion),
			head_sha = ifnull(excluded.head_sha, t.head_sha), head_branch = ifnull(excluded.head_branch, t.head_branch),
			html_url = ifnull(excluded.html_url, t.html_url), created_at = ifnull(excluded.created_at, t.created_at),
			run_started_at = ifnull(excluded.run_started_at, t.run_started_at), date = ifnull(excluded.date, t.date)
		WHERE ifnull(excluded.name, t.name) IS NOT t.name OR ifnull(excluded.status, t.status) IS NOT t.status
			OR ifnull(excluded.conclusion, t.conclusion) IS NOT t.conclusion OR ifnull(excluded.head_sha, t.head_sha) IS NOT t.head_sha
			OR ifnull(excluded.head_branch, t.head_branch) IS NOT t.head_branch OR ifnull(excluded.html_url, t.html_url) IS NOT t.html_url
			OR ifnull(excluded.created_at, t.created_at) IS NOT t.created_at OR ifnull(excluded.run_started_at, t.run_started_at) IS NOT t.run_started_at
			OR ifnull(excluded.date, t.date) IS NOT t.date`,
		r.GitHubRunID, r.RunAttempt, text(r.Name), text(r.Status), text(r.Conclusion), text(r.HeadSHA), text(r.HeadBranch), text(r.HTMLURL),
		text(r.CreatedAt), text(r.RunStartedAt), text(r.Date)))
}

func (l *Load) saveEvaluation(r *record.InferenceXEvaluation) (changed bool, err error) {
	config, err := l.storedConfig(r.Config)
	if err != nil {
		return false, err
	}
	changed, err = anyRow(l.exec(`
		INSERT INTO inferencex_evaluations AS t (github_run_id, run_attempt, config_id, task, date, isl, osl, conc, lm_eval_version)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (config_id, task, date, ifnull(github_run_id, 0), ifnull(run_attempt, 0), ifnull(isl, 0), ifnull(osl, 0), ifnull(conc, 0))
		DO UPDATE SET lm_eval_version = excluded.lm_eval_version
		WHERE excluded.lm_eval_version IS NOT NULL AND excluded.lm_eval_version IS NOT t.lm_eval_version`,
		number(r.GitHubRunID), number(r.RunAttempt), config, r.Task, r.Date, optional(r.ISL), optional(r.OSL), optional(r.Conc), text(r.LMEvalVersion)))
	if err != nil {
		return false, err
	}
	var id int64
	_, err = l.queryRow(`
		SELECT evaluation_id FROM inferencex_evaluations
		WHERE config_id = ? AND task = ? AND date = ? AND ifnull(github_run_id, 0) = ? AND ifnull(run_attempt, 0) = ?
			AND ifnull(isl, 0) = ifnull(?, 0) AND ifnull(osl, 0) = ifnull(?, 0) AND ifnull(conc, 0) = ifnull(?, 0)`,
		[]any{config, r.Task, r.Date, r.GitHubRunID, r.RunAttempt, optional(r.ISL), optional(r.OSL), optional(r.Conc)}, &id)
	if err != nil {
		return false, err
	}
	for _, m := range r.Metrics {
		c, err := l.saveEvaluationMetric(id, m)
		if err != nil {
			return false, err
		}
		changed = changed || c
	}
	return changed, nil
}

func (l *Load) saveEvaluationMetric(evaluation int64, m record.InferenceXOther) (changed bool, err error) {
	var words any // NULL beside a number; a text may be empty
	if m.Number == nil {
		words = m.Text
	}
	return anyRow(l.exec(`
		INSERT INTO inferencex_evaluation_metrics AS t (evaluation_id, key, number, text) VALUES (?, ?, ?, ?)
		ON CONFLICT (evaluation_id, key) DO UPDATE SET number = excluded.number, text = excluded.text
		WHERE excluded.number IS NOT t.number OR excluded.text IS NOT t.text`,
		evaluation, m.Key, optional(m.Number), words))
}

func (l *Load) saveRunStats(r *record.InferenceXRunStats) (changed bool, err error) {
	return anyRow(l.exec(`
		INSERT INTO inferencex_run_stats AS t (github_run_id, run_attempt, hardware, date, n_success, total) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (github_run_id, run_attempt, hardware, date) DO UPDATE SET n_success = excluded.n_success, total = excluded.total
		WHERE excluded.n_success <> t.n_success OR excluded.total <> t.total`,
		r.GitHubRunID, r.RunAttempt, r.Hardware, r.Date, r.Success, r.Total))
}

func (l *Load) saveChangelogEntry(r *record.InferenceXChangelogEntry) (changed bool, err error) {
	return anyRow(l.exec(`
		INSERT INTO inferencex_changelog_entries AS t (github_run_id, run_attempt, date, base_ref, head_ref, config_keys, description, pr_link)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (ifnull(github_run_id, 0), ifnull(run_attempt, 0), ifnull(date, ''), ifnull(base_ref, ''), ifnull(head_ref, ''), config_keys,
			ifnull(description, ''))
		DO UPDATE SET pr_link = excluded.pr_link
		WHERE excluded.pr_link IS NOT NULL AND excluded.pr_link IS NOT t.pr_link`,
		number(r.GitHubRunID), number(r.RunAttempt), text(r.Date), text(r.BaseRef), text(r.HeadRef), r.ConfigKeys, text(r.Description), text(r.PullLink)))
}

func (l *Load) saveAvailability(r *record.InferenceXAvailability) (changed bool, err error) {
	return anyRow(l.exec(`
		INSERT INTO inferencex_availability (model, isl, osl, precision, hardware, framework, spec_method, disagg, benchmark_type, date)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		r.Model, optional(r.ISL), optional(r.OSL), r.Precision, r.Hardware, r.Framework, r.SpecMethod, r.Disagg, r.BenchmarkType, r.Date))
}
