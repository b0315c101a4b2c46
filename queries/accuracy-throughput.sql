-- name: accuracy-throughput
-- summary: the scores of accuracy evaluations beside the throughput of the configuration that was evaluated, so that what is fast and wrong shows
-- param: model text optional     the publisher's model key
-- param: hardware text optional  the accelerator
-- param: task text optional      the evaluation's name
-- param: metric text optional    the score's key, such as em_strict
-- param: min_below real optional  only scores that are at least that far below the best, as a fraction of 1
-- columns: model, hardware, framework, precision, spec_method, disagg, prefill_tp, prefill_ep, decode_tp, decode_ep, task, metric, value, standard_error, samples, best_value, below_best, source, evaluated_on, eval_conc, run, benchmark_type, isl, osl, offload_mode, measured_on, same_github_run, points, best_tok_s_per_gpu, best_conc, tok_s_per_gpu_at_eval_conc
--
-- Of dumps and of the newest capture of /evaluations, of each configuration, task,
-- metric and concurrency the newest evaluation. best_value is the best that any
-- evaluation of the same model, task and metric has, below_best is best_value less
-- value; both are NULL for perplexities and bits per byte, of which less is better.
-- A run is of the evaluated configuration where hardware, framework, model, precision,
-- speculative decoding, disaggregation, widths and data-parallel attention agree, and
-- where disaggregated the workers, as far as the evaluation states them; the counts of
-- GPUs do not take part, for the publisher counts them in several ways. Of each line
-- (see inferencex_lines) stands the run of the evaluated GitHub run, same_github_run
-- is 1, or else the newest. Throughput is input and output tokens per second and GPU;
-- the best over the run's points, flagged ones too, with its concurrency, and that at
-- the evaluation's concurrency, NULL where it was not measured. An evaluation without
-- a run has one row, with NULL for it.
WITH ranked AS (
    SELECT
        s.*,
        CASE WHEN s.metric NOT LIKE '%perplexity%' AND s.metric NOT LIKE '%bits_per_byte%' THEN max(s.value) OVER (PARTITION BY s.model, s.task, s.metric) END AS best_value,
        dense_rank() OVER (
            PARTITION BY s.hardware, s.framework, s.model, s.precision, s.spec_method, s.disagg, s.prefill_tp, s.prefill_ep, s.prefill_dp_attention, s.prefill_num_workers,
                s.decode_tp, s.decode_ep, s.decode_dp_attention, s.decode_num_workers, s.isl, s.osl, s.conc, s.task, s.metric
            ORDER BY s.date DESC, s.github_run_id DESC
        ) AS age
    FROM inferencex_scores AS s
    WHERE (:model IS NULL OR s.model = :model)
      AND (:task IS NULL OR s.task = :task)
      AND (:metric IS NULL OR s.metric = :metric)
),
scores AS MATERIALIZED (
    SELECT row_number() OVER () AS score_id, r.*
    FROM ranked AS r
    WHERE r.age = 1
      AND (:hardware IS NULL OR r.hardware = :hardware)
      AND (:min_below IS NULL OR r.best_value - r.value >= :min_below)
),
lines AS MATERIALIZED (
    SELECT l.*, i.github_run_id
    FROM inferencex_lines AS l
    JOIN inferencex_runs AS i ON i.run_id = l.run_id
),
evaluated AS (
    SELECT
        s.score_id, l.run_id, l.name, l.benchmark_type, l.isl, l.osl, l.offload_mode, l.measured_on, l.github_run_id IS s.github_run_id AND s.github_run_id IS NOT NULL AS same_github_run,
        row_number() OVER (
            PARTITION BY s.score_id, l.config_id, l.benchmark_type, l.isl, l.osl, l.offload_mode
            ORDER BY l.github_run_id IS s.github_run_id AND s.github_run_id IS NOT NULL DESC, l.next_run_id IS NULL DESC, l.measured_on DESC, l.name DESC
        ) AS place
    FROM scores AS s
    JOIN inferencex_configs AS c ON c.hardware = s.hardware AND c.framework = s.framework AND c.model = s.model AND c.precision = s.precision AND c.spec_method IS s.spec_method
        AND c.disagg = ifnull(s.disagg, c.disagg)
        AND c.prefill_tp = ifnull(s.prefill_tp, c.prefill_tp) AND c.prefill_ep = ifnull(s.prefill_ep, c.prefill_ep)
        AND c.decode_tp = ifnull(s.decode_tp, c.decode_tp) AND c.decode_ep = ifnull(s.decode_ep, c.decode_ep)
        AND c.prefill_dp_attention = ifnull(s.prefill_dp_attention, c.prefill_dp_attention) AND c.decode_dp_attention = ifnull(s.decode_dp_attention, c.decode_dp_attention)
        AND (c.disagg = 0 OR c.prefill_num_workers = ifnull(s.prefill_num_workers, c.prefill_num_workers) AND c.decode_num_workers = ifnull(s.decode_num_workers, c.decode_num_workers))
    JOIN lines AS l ON l.config_id = c.config_id
),
measured AS MATERIALIZED (
    SELECT k.run_id, k.concurrency, k.total_tok_s_per_gpu, row_number() OVER (PARTITION BY k.run_id ORDER BY k.total_tok_s_per_gpu DESC, k.concurrency) AS place
    FROM (SELECT DISTINCT run_id FROM evaluated WHERE place = 1) AS e
    CROSS JOIN curves AS k ON k.run_id = e.run_id
)
SELECT
    s.model,
    s.hardware,
    s.framework,
    s.precision,
    s.spec_method,
    s.disagg,
    s.prefill_tp,
    s.prefill_ep,
    s.decode_tp,
    s.decode_ep,
    s.task,
    s.metric,
    s.value,
    s.standard_error,
    s.samples,
    s.best_value,
    s.best_value - s.value AS below_best,
    s.source,
    s.date AS evaluated_on,
    s.conc AS eval_conc,
    e.name AS run,
    e.benchmark_type,
    e.isl,
    e.osl,
    e.offload_mode,
    e.measured_on,
    e.same_github_run,
    CASE WHEN e.run_id IS NOT NULL THEN (SELECT count(*) FROM measured AS m WHERE m.run_id = e.run_id) END AS points,
    (SELECT m.total_tok_s_per_gpu FROM measured AS m WHERE m.run_id = e.run_id AND m.place = 1) AS best_tok_s_per_gpu,
    (SELECT m.concurrency FROM measured AS m WHERE m.run_id = e.run_id AND m.place = 1 AND m.total_tok_s_per_gpu IS NOT NULL) AS best_conc,
    (SELECT max(m.total_tok_s_per_gpu) FROM measured AS m WHERE m.run_id = e.run_id AND m.concurrency = s.conc) AS tok_s_per_gpu_at_eval_conc
FROM scores AS s
LEFT JOIN evaluated AS e ON e.score_id = s.score_id AND e.place = 1
ORDER BY
    s.model, s.task, s.metric, below_best DESC, s.hardware, s.framework, s.precision, s.spec_method, s.disagg, s.prefill_tp, s.prefill_ep, s.decode_tp, s.decode_ep,
    s.prefill_dp_attention, s.prefill_num_workers, s.decode_dp_attention, s.decode_num_workers, s.isl, s.osl, s.conc, s.value, s.standard_error, s.samples, e.name;
