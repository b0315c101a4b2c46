-- name: best-throughput
-- summary: the highest throughput per GPU of each model, hardware, precision and lengths, and the configuration that gives it, under limits of ttft and tpot
-- param: model text optional  the model
-- param: max_ttft_ms real optional  leave out points whose ttft is above
-- param: max_tpot_ms real optional  leave out points whose tpot is above
-- param: statistic text optional  what the limits are for, p50 when not given
-- one of: mean, p50, p90, p95, p99
-- param: hardware text optional  the accelerator
-- param: precision text optional  of the weights
-- param: isl integer optional  input length, tokens
-- param: osl integer optional  output length, tokens
-- param: accept text optional  flags that do not leave a point out, such as unofficial,gpu_count
-- columns: model, hardware, precision, isl, osl, total_tokens_per_s_per_gpu, ttft_p50_ms, tpot_p50_ms, run, point, points, left_out, statistic, ttft_ms, tpot_ms, concurrency, framework, engine_version, spec_method, parallelism, gpus
--
-- The best configuration under a service level objective: of the points that
-- keep the limits, the one with the highest throughput. ttft_ms and tpot_ms are
-- at the statistic that the limits are for; a point that does not state it
-- keeps no limit. Limits include their edge.
-- Compared are single_turn rows of InferenceX, which one harness measured, of
-- the newest run of each line; older runs, hidden attempts and catalog runs
-- (which define their metrics in their own ways) are left out.
-- total_tokens_per_s_per_gpu counts input and output tokens over all GPUs.
-- points counts what was compared, left_out the points that met the limits but
-- have a flag that accept does not name; with nothing but these the columns of
-- the best are NULL.
WITH candidates AS MATERIALIZED (
    SELECT
        n.*
    FROM (
        SELECT
            c.model, c.hardware, c.precision, c.isl, c.osl, c.total_tok_s_per_gpu AS throughput, c.ttft_p50_ms, c.tpot_p50_ms,
            c.run, c.point, c.position, c.concurrency, c.framework, c.engine_version, c.spec_method, c.parallelism, c.gpus,
            CASE coalesce(:statistic, 'p50') WHEN 'mean' THEN c.ttft_mean_ms WHEN 'p50' THEN c.ttft_p50_ms WHEN 'p90' THEN c.ttft_p90_ms
                WHEN 'p95' THEN c.ttft_p95_ms WHEN 'p99' THEN c.ttft_p99_ms END AS ttft,
            CASE coalesce(:statistic, 'p50') WHEN 'mean' THEN c.tpot_mean_ms WHEN 'p50' THEN c.tpot_p50_ms WHEN 'p90' THEN c.tpot_p90_ms
                WHEN 'p95' THEN c.tpot_p95_ms WHEN 'p99' THEN c.tpot_p99_ms END AS tpot,
            EXISTS (
            SELECT 1 FROM flags AS f WHERE f.run_id = c.run_id AND (f.point_id = c.point_id OR f.point_id IS NULL)
                AND instr(',' || replace(ifnull(:accept, ''), ' ', '') || ',', ',' || f.code || ',') = 0) AS flagged
        FROM inferencex_latest_runs AS l
        CROSS JOIN curves AS c ON c.run_id = l.run_id
        WHERE c.total_tok_s_per_gpu IS NOT NULL AND l.benchmark_type = 'single_turn'
          AND (:model IS NULL OR c.model = :model)
          AND (:hardware IS NULL OR c.hardware = :hardware)
          AND (:precision IS NULL OR c.precision = :precision)
          AND (:isl IS NULL OR c.isl = :isl)
          AND (:osl IS NULL OR c.osl = :osl)
    ) AS n
    WHERE (:max_ttft_ms IS NULL OR n.ttft <= :max_ttft_ms)
      AND (:max_tpot_ms IS NULL OR n.tpot <= :max_tpot_ms)
),
ranked AS (
    SELECT
        n.*,
        row_number() OVER (PARTITION BY model, hardware, precision, isl, osl ORDER BY flagged, throughput DESC, run, position) AS place,
        sum(1 - flagged) OVER (PARTITION BY model, hardware, precision, isl, osl) AS points,
        sum(flagged) OVER (PARTITION BY model, hardware, precision, isl, osl) AS left_out
    FROM candidates AS n
)
SELECT
    model,
    hardware,
    precision,
    isl,
    osl,
    CASE WHEN flagged = 0 THEN throughput END AS total_tokens_per_s_per_gpu,
    CASE WHEN flagged = 0 THEN ttft_p50_ms END AS ttft_p50_ms,
    CASE WHEN flagged = 0 THEN tpot_p50_ms END AS tpot_p50_ms,
    CASE WHEN flagged = 0 THEN run END AS run,
    CASE WHEN flagged = 0 THEN point END AS point,
    points,
    left_out,
    coalesce(:statistic, 'p50') AS statistic,
    CASE WHEN flagged = 0 THEN ttft END AS ttft_ms,
    CASE WHEN flagged = 0 THEN tpot END AS tpot_ms,
    CASE WHEN flagged = 0 THEN concurrency END AS concurrency,
    CASE WHEN flagged = 0 THEN framework END AS framework,
    CASE WHEN flagged = 0 THEN engine_version END AS engine_version,
    CASE WHEN flagged = 0 THEN spec_method END AS spec_method,
    CASE WHEN flagged = 0 THEN parallelism END AS parallelism,
    CASE WHEN flagged = 0 THEN gpus END AS gpus
FROM ranked
WHERE place = 1
ORDER BY model, hardware, precision, isl, osl;
