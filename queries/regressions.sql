-- name: regressions
-- summary: what became worse from a run to the next of its line, at the same load
-- param: threshold real optional  the relative change from which on it counts, 0.05 when not given
-- param: metric text optional  the metric, all when not given
-- one of: total_tok_s_per_gpu, output_tok_s, goodput_requests_per_s, ttft_p50_ms, ttft_p99_ms, tpot_p50_ms, tpot_p99_ms, itl_p99_ms, e2e_p99_ms
-- param: model text optional  the model
-- param: hardware text optional  the accelerator
-- param: since day optional  a UTC day, YYYY-MM-DD: only changes by runs of that day or later
-- param: improvements integer optional  1 for what became better as well
-- param: accept text optional  flags that do not leave a point out, such as unofficial,gpu_count
-- columns: model, hardware, parallelism, concurrency, request_rate, metric, before, after, change, worse, date_before, date_after, engine_version_before, engine_version_after, run_before, run_after, noise_cv_before, noise_cv_after
--
-- Compared are, at equal concurrency and request rate, successive runs of a
-- line of InferenceX (see inferencex_lines), and a catalog run with the one it
-- supersedes where both have the same definitions; where they differ nothing is
-- compared. Metrics: total_tok_s_per_gpu, output_tok_s and
-- goodput_requests_per_s, of which less is worse; ttft_p50_ms, ttft_p99_ms,
-- tpot_p50_ms, tpot_p99_ms, itl_p99_ms and e2e_p99_ms, of which more is worse.
-- change is (after - before) / before; before and after are in the unit that
-- the metric's name ends in. A change counts when it is above the threshold
-- and, where noise is stated, above twice the root of the sum of the squares of
-- both coefficients of variation. Hidden attempts and points with a flag that
-- accept does not name are left out. dates are of measurement, of catalog runs
-- of retrieval.
WITH pairs (run_before, run_after) AS MATERIALIZED (
    SELECT l.run_id, l.next_run_id FROM inferencex_lines AS l WHERE l.next_run_id IS NOT NULL AND (:since IS NULL OR l.next_on >= :since)
    UNION ALL
    SELECT t.run_id, s.run_id FROM runs AS s JOIN runs AS t ON t.name = s.supersedes AND t.definition_set_id = s.definition_set_id
    WHERE s.origin = 'catalog' AND t.origin = 'catalog' AND (:since IS NULL OR s.retrieved_on >= :since)
),
steps AS (
    SELECT
        a.model, a.hardware, a.parallelism, a.concurrency, a.request_rate, m.metric, m.sign, b.date AS date_before, a.date AS date_after,
        b.engine_version AS engine_version_before, a.engine_version AS engine_version_after, b.run AS run_before, a.run AS run_after, a.position,
        b.noise_cv AS noise_cv_before, a.noise_cv AS noise_cv_after, b.run_id AS run_id_before, b.point_id AS point_id_before, a.run_id, a.point_id,
        CASE m.metric WHEN 'total_tok_s_per_gpu' THEN b.total_tok_s_per_gpu WHEN 'output_tok_s' THEN b.output_tok_s
            WHEN 'goodput_requests_per_s' THEN b.goodput_requests_per_s WHEN 'ttft_p50_ms' THEN b.ttft_p50_ms WHEN 'ttft_p99_ms' THEN b.ttft_p99_ms
            WHEN 'tpot_p50_ms' THEN b.tpot_p50_ms WHEN 'tpot_p99_ms' THEN b.tpot_p99_ms WHEN 'itl_p99_ms' THEN b.itl_p99_ms WHEN 'e2e_p99_ms' THEN b.e2e_p99_ms END AS before,
        CASE m.metric WHEN 'total_tok_s_per_gpu' THEN a.total_tok_s_per_gpu WHEN 'output_tok_s' THEN a.output_tok_s
            WHEN 'goodput_requests_per_s' THEN a.goodput_requests_per_s WHEN 'ttft_p50_ms' THEN a.ttft_p50_ms WHEN 'ttft_p99_ms' THEN a.ttft_p99_ms
            WHEN 'tpot_p50_ms' THEN a.tpot_p50_ms WHEN 'tpot_p99_ms' THEN a.tpot_p99_ms WHEN 'itl_p99_ms' THEN a.itl_p99_ms WHEN 'e2e_p99_ms' THEN a.e2e_p99_ms END AS after
    FROM pairs AS p
    CROSS JOIN curves AS a ON a.run_id = p.run_after
    CROSS JOIN curves AS b ON b.run_id = p.run_before AND b.concurrency IS a.concurrency AND b.request_rate IS a.request_rate
    CROSS JOIN (
        SELECT 'total_tok_s_per_gpu' AS metric, -1 AS sign UNION ALL SELECT 'output_tok_s', -1 UNION ALL SELECT 'goodput_requests_per_s', -1
        UNION ALL SELECT 'ttft_p50_ms', 1 UNION ALL SELECT 'ttft_p99_ms', 1 UNION ALL SELECT 'tpot_p50_ms', 1 UNION ALL SELECT 'tpot_p99_ms', 1
        UNION ALL SELECT 'itl_p99_ms', 1 UNION ALL SELECT 'e2e_p99_ms', 1
    ) AS m
    WHERE (:metric IS NULL OR m.metric = :metric)
      AND (:model IS NULL OR a.model = :model)
      AND (:hardware IS NULL OR a.hardware = :hardware)
),
changes AS (
    SELECT s.*, (s.after - s.before) / s.before AS change
    FROM steps AS s
    WHERE s.before > 0 AND s.after IS NOT NULL
)
SELECT
    model,
    hardware,
    parallelism,
    concurrency,
    request_rate,
    metric,
    before,
    after,
    change,
    change * sign > 0 AS worse,
    date_before,
    date_after,
    engine_version_before,
    engine_version_after,
    run_before,
    run_after,
    noise_cv_before,
    noise_cv_after
FROM changes AS c
WHERE abs(change) > coalesce(:threshold, 0.05)
  AND (change * sign > 0 OR :improvements = 1)
  AND change * change > 4 * (ifnull(noise_cv_before * noise_cv_before, 0) + ifnull(noise_cv_after * noise_cv_after, 0))
  AND NOT EXISTS (
      SELECT 1 FROM flags AS f
      WHERE (f.run_id = c.run_id AND (f.point_id = c.point_id OR f.point_id IS NULL)
          OR f.run_id = c.run_id_before AND (f.point_id = c.point_id_before OR f.point_id IS NULL))
        AND instr(',' || replace(ifnull(:accept, ''), ' ', '') || ',', ',' || f.code || ',') = 0)
ORDER BY date_after, run_after, position, metric, run_before;
