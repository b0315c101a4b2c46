-- +goose Up
CREATE VIEW inferencex_scores ( -- The scores of accuracy evaluations, a metric in a row: of dumps, and of the newest capture of /evaluations. An evaluation that both have, or a capture has twice under other ids, is one row. What is no score (n_eff, standard errors, texts) is not here but beside the score that it belongs to.
    source,               -- dump, capture or both
    hardware,             -- the accelerator, canonical name
    framework,            -- the serving framework, canonical name
    model,                -- the publisher's model key
    precision,            -- of the weights, canonical name
    spec_method,          -- speculative decoding, none for none
    disagg,               -- 0 or 1, NULL where unstated
    prefill_tp,           -- tensor-parallel width, NULL where unstated
    prefill_ep,           -- expert-parallel width, NULL where unstated
    prefill_dp_attention, -- 0 or 1, NULL where unstated
    prefill_num_workers,  -- prefill workers, NULL where unstated
    decode_tp,            -- tensor-parallel width, NULL where unstated
    decode_ep,            -- expert-parallel width, NULL where unstated
    decode_dp_attention,  -- 0 or 1, NULL where unstated
    decode_num_workers,   -- decode workers, NULL where unstated
    isl,                  -- input tokens, NULL where unstated
    osl,                  -- output tokens, NULL where unstated
    conc,                 -- requests at a time, NULL where unstated
    task,                 -- the evaluation's name
    date,                 -- UTC day of the evaluation
    github_run_id,        -- the GitHub run that evaluated, NULL where unstated
    metric,               -- the publisher's key of the score
    value,                -- the score as reported, an accuracy is a fraction of 1
    standard_error,       -- of the score, in its unit, NULL where unstated
    samples               -- how many samples it is over, NULL where unstated
) AS
WITH stated AS (
    SELECT
        'dump' AS source, c.hardware, c.framework, c.model, c.precision, c.spec_method, c.disagg, c.prefill_tp, c.prefill_ep, c.prefill_dp_attention, c.prefill_num_workers,
        c.decode_tp, c.decode_ep, c.decode_dp_attention, c.decode_num_workers, e.isl, e.osl, e.conc, e.task, e.date, e.github_run_id, m.key AS metric, m.number AS value,
        (SELECT s.number FROM inferencex_evaluation_metrics s WHERE s.evaluation_id = e.evaluation_id AND s.key = m.key || '_se') AS standard_error,
        (SELECT s.number FROM inferencex_evaluation_metrics s WHERE s.evaluation_id = e.evaluation_id AND s.key = 'n_eff') AS samples
    FROM inferencex_evaluations e
    JOIN inferencex_configs c ON c.config_id = e.config_id
    JOIN inferencex_evaluation_metrics m ON m.evaluation_id = e.evaluation_id
    UNION ALL
    SELECT
        'capture', e.hardware, e.framework, e.model, e.precision, e.spec_method, e.disagg, e.prefill_tp, e.prefill_ep, e.prefill_dp_attention, e.prefill_num_workers,
        e.decode_tp, e.decode_ep, e.decode_dp_attention, e.decode_num_workers, e.isl, e.osl, e.conc, e.task, e.date,
        nullif(CAST(substr(e.run_url, instr(e.run_url, '/actions/runs/') + 14) AS INTEGER), 0), -- the cast ends at what is no digit
        m.key, m.number,
        (SELECT s.number FROM inferencex_api_evaluation_metrics s WHERE s.sha256 = e.sha256 AND s.position = e.position AND s.key = m.key || '_se'),
        (SELECT s.number FROM inferencex_api_evaluation_metrics s WHERE s.sha256 = e.sha256 AND s.position = e.position AND s.key = 'n_eff')
    FROM inferencex_newest_bodies b
    JOIN inferencex_api_evaluations e ON e.sha256 = b.sha256
    JOIN inferencex_api_evaluation_metrics m ON m.sha256 = e.sha256 AND m.position = e.position
    WHERE b.operation = 'evaluations'
)
SELECT
    CASE WHEN min(source) = max(source) THEN min(source) ELSE 'both' END, hardware, framework, model, precision, spec_method, disagg, prefill_tp, prefill_ep,
    prefill_dp_attention, prefill_num_workers, decode_tp, decode_ep, decode_dp_attention, decode_num_workers, isl, osl, conc, task, date, github_run_id, metric, value,
    standard_error, samples
FROM stated
WHERE value IS NOT NULL AND metric <> 'n_eff' AND substr(metric, -3) <> '_se'
GROUP BY
    hardware, framework, model, precision, spec_method, disagg, prefill_tp, prefill_ep, prefill_dp_attention, prefill_num_workers, decode_tp, decode_ep,
    decode_dp_attention, decode_num_workers, isl, osl, conc, task, date, github_run_id, metric, value, standard_error, samples;

CREATE VIEW inferencex_daily_reliability ( -- How many benchmark jobs of a hardware and day succeeded, of dumps and of the newest capture of /reliability, which are the same jobs told twice.
    source,       -- dump or capture
    hardware,     -- the accelerator, canonical name
    date,         -- UTC day
    attempts,     -- of workflow runs, that the jobs are of
    n_success,    -- jobs that succeeded
    total,        -- jobs in all
    success_ratio -- n_success by total, NULL where total is 0
) AS
SELECT source, hardware, date, count(*), sum(n_success), sum(total), 1.0 * sum(n_success) / nullif(sum(total), 0)
FROM (
    SELECT 'dump' AS source, hardware, date, n_success, total FROM inferencex_run_stats
    UNION ALL
    SELECT 'capture', r.hardware, r.date, r.n_success, r.total
    FROM inferencex_newest_bodies b
    JOIN inferencex_api_reliability r ON r.sha256 = b.sha256
    WHERE b.operation = 'reliability'
)
GROUP BY source, hardware, date;
