-- name: evaluations
-- summary: accuracy evaluations of InferenceX configurations, a row for each metric
-- param: model text optional     the publisher's model key
-- param: hardware text optional  the accelerator
-- param: task text optional      the evaluation's name
-- columns: model, hardware, framework, precision, spec_method, disagg, prefill_tp, decode_tp, conc, task, date, metric, value, text, lm_eval_version, github_run_id, run_attempt
--
-- Loaded from dumps of the publisher's database. value is as reported, an
-- accuracy is a fraction of 1; a metric that is no number has a text instead.
-- An evaluation without metrics has one row, with NULL for the metric. All
-- attempts of a workflow run are listed.
SELECT
    c.model,
    c.hardware,
    c.framework,
    c.precision,
    c.spec_method,
    c.disagg,
    c.prefill_tp,
    c.decode_tp,
    e.conc,
    e.task,
    e.date,
    m.key AS metric,
    m.number AS value,
    m.text,
    e.lm_eval_version,
    e.github_run_id,
    e.run_attempt
FROM inferencex_evaluations AS e
JOIN inferencex_configs AS c ON c.config_id = e.config_id
LEFT JOIN inferencex_evaluation_metrics AS m ON m.evaluation_id = e.evaluation_id
WHERE (:model IS NULL OR c.model = :model)
  AND (:hardware IS NULL OR c.hardware = :hardware)
  AND (:task IS NULL OR e.task = :task)
ORDER BY
    c.model, c.hardware, c.framework, c.precision, c.spec_method, c.disagg, e.task, e.date, e.conc, e.github_run_id, e.run_attempt, e.config_id,
    e.isl, e.osl, m.key;
