-- name: pareto-frontier
-- summary: the points that no other beats in both throughput per GPU and interactivity, of each model, hardware, precision and lengths
-- param: model text optional  the model
-- param: hardware text optional  the accelerator
-- param: precision text optional  of the weights
-- param: isl integer optional  input length, tokens
-- param: osl integer optional  output length, tokens
-- param: accept text optional  flags that do not leave a point out, such as unofficial,gpu_count
-- columns: model, hardware, precision, isl, osl, interactivity_p50_tok_s, total_tok_s_per_gpu, concurrency, framework, engine_version, spec_method, parallelism, gpus, ttft_p50_ms, run, point, points, left_out
--
-- A point is on the frontier when no other of its model, hardware, precision
-- and lengths has at least its interactivity and at least its throughput and
-- more of one of them: more is better of both. Two points that are equal in
-- both stand both. Configurations compete: engine, parallelism, speculative
-- decoding and disaggregation may differ from point to point.
-- Compared are single_turn rows of InferenceX, which one harness measured, of
-- the newest run of each line; older runs and hidden attempts are left out, and
-- so are catalog runs, each of which defines its metrics in its own way.
-- total_tok_s_per_gpu counts input and output tokens over all GPUs. points
-- counts what was compared, left_out the points with a flag that accept does
-- not name; a point without either figure is in neither. With nothing but flagged
-- points there is one row, and the columns of the point are NULL.
WITH candidates AS MATERIALIZED (
    SELECT
        c.model, c.hardware, c.precision, c.isl, c.osl, c.interactivity_p50_tok_s AS interactivity, c.total_tok_s_per_gpu AS throughput, c.concurrency,
        c.framework, c.engine_version, c.spec_method, c.parallelism, c.gpus, c.ttft_p50_ms, c.run, c.point, c.position,
        EXISTS (
            SELECT 1 FROM flags AS f WHERE f.run_id = c.run_id AND (f.point_id = c.point_id OR f.point_id IS NULL)
                AND instr(',' || replace(ifnull(:accept, ''), ' ', '') || ',', ',' || f.code || ',') = 0) AS flagged
    FROM inferencex_latest_runs AS l
    CROSS JOIN curves AS c ON c.run_id = l.run_id
    WHERE l.benchmark_type = 'single_turn' AND c.interactivity_p50_tok_s IS NOT NULL AND c.total_tok_s_per_gpu IS NOT NULL
      AND (:model IS NULL OR c.model = :model)
      AND (:hardware IS NULL OR c.hardware = :hardware)
      AND (:precision IS NULL OR c.precision = :precision)
      AND (:isl IS NULL OR c.isl = :isl)
      AND (:osl IS NULL OR c.osl = :osl)
),
ranked AS (
    SELECT
        n.*,
        max(CASE WHEN flagged = 0 THEN throughput END)
            OVER (PARTITION BY model, hardware, precision, isl, osl ORDER BY interactivity DESC GROUPS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS of_faster,
        max(CASE WHEN flagged = 0 THEN throughput END) OVER (PARTITION BY model, hardware, precision, isl, osl, interactivity) AS of_as_fast,
        row_number() OVER (PARTITION BY model, hardware, precision, isl, osl ORDER BY flagged, run, position) AS place,
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
    CASE WHEN flagged = 0 THEN interactivity END AS interactivity_p50_tok_s,
    CASE WHEN flagged = 0 THEN throughput END AS total_tok_s_per_gpu,
    CASE WHEN flagged = 0 THEN concurrency END AS concurrency,
    CASE WHEN flagged = 0 THEN framework END AS framework,
    CASE WHEN flagged = 0 THEN engine_version END AS engine_version,
    CASE WHEN flagged = 0 THEN spec_method END AS spec_method,
    CASE WHEN flagged = 0 THEN parallelism END AS parallelism,
    CASE WHEN flagged = 0 THEN gpus END AS gpus,
    CASE WHEN flagged = 0 THEN ttft_p50_ms END AS ttft_p50_ms,
    CASE WHEN flagged = 0 THEN run END AS run,
    CASE WHEN flagged = 0 THEN point END AS point,
    points,
    left_out
FROM ranked
WHERE CASE WHEN flagged = 0 THEN throughput = of_as_fast AND (of_faster IS NULL OR throughput > of_faster) ELSE points = 0 AND place = 1 END
ORDER BY model, hardware, precision, isl, osl, interactivity DESC, run, position;
