-- name: engine-versions
-- summary: what changed with an engine's release: ratios at the same configuration and load
-- param: model text optional  the model
-- param: hardware text optional  the accelerator
-- param: engine text optional  the serving engine
-- param: accept text optional  flags that do not leave a point out, such as unofficial,gpu_count
-- columns: model, hardware, engine, version_before, version_after, metric, loads, median_ratio, lowest_ratio, highest_ratio, worse, better
--
-- Compared are, at equal concurrency, successive runs of a line of InferenceX
-- (see inferencex_lines) whose images state different releases. A ratio is the
-- value after divided by the value before, so that of total_tok_s_per_gpu more
-- than 1 is better, of ttft_p50_ms and tpot_p50_ms less. loads counts the
-- ratios, worse and better those that are off by more than 0.02 either way. The
-- recipe may have changed together with the release: nothing here says which of
-- the two it was. A release may be older than the one measured before it. Runs
-- whose image states no release, hidden attempts, catalog runs, and points with
-- a flag that accept does not name are left out.
WITH releases AS MATERIALIZED (
    SELECT
        b.run_id AS run_before, a.run_id AS run_after, a.model, a.hardware, a.engine, b.engine_version AS version_before, a.engine_version AS version_after,
        dense_rank() OVER (ORDER BY a.model, a.hardware, a.engine, b.engine_version, a.engine_version) AS change_id
    FROM inferencex_lines AS l
    JOIN runs AS b ON b.run_id = l.run_id
    JOIN runs AS a ON a.run_id = l.next_run_id
    WHERE a.engine_version <> b.engine_version
      AND (:model IS NULL OR a.model = :model)
      AND (:hardware IS NULL OR a.hardware = :hardware)
      AND (:engine IS NULL OR a.engine = :engine)
),
loads AS (
    SELECT
        r.change_id, c.total_tok_s_per_gpu / nullif(b.total_tok_s_per_gpu, 0) AS throughput, c.ttft_p50_ms / nullif(b.ttft_p50_ms, 0) AS ttft,
        c.tpot_p50_ms / nullif(b.tpot_p50_ms, 0) AS tpot
    FROM releases AS r
    CROSS JOIN curves AS c ON c.run_id = r.run_after
    CROSS JOIN curves AS b ON b.run_id = r.run_before AND b.concurrency = c.concurrency
    WHERE NOT EXISTS (
            SELECT 1 FROM flags AS f WHERE f.run_id = c.run_id AND (f.point_id = c.point_id OR f.point_id IS NULL)
                AND instr(',' || replace(ifnull(:accept, ''), ' ', '') || ',', ',' || f.code || ',') = 0)
      AND NOT EXISTS (
            SELECT 1 FROM flags AS f WHERE f.run_id = b.run_id AND (f.point_id = b.point_id OR f.point_id IS NULL)
                AND instr(',' || replace(ifnull(:accept, ''), ' ', '') || ',', ',' || f.code || ',') = 0)
),
ratios AS (
    SELECT k.change_id, m.metric, m.sign, CASE m.metric WHEN 'total_tok_s_per_gpu' THEN k.throughput WHEN 'ttft_p50_ms' THEN k.ttft ELSE k.tpot END AS ratio
    FROM loads AS k
    CROSS JOIN (SELECT 'total_tok_s_per_gpu' AS metric, 1 AS sign UNION ALL SELECT 'ttft_p50_ms', -1 UNION ALL SELECT 'tpot_p50_ms', -1) AS m
),
placed AS (
    SELECT q.*, row_number() OVER by_ratio AS place, count(*) OVER by_ratio AS loads
    FROM ratios AS q
    WHERE q.ratio IS NOT NULL
    WINDOW by_ratio AS (PARTITION BY change_id, metric ORDER BY ratio ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
),
changes AS MATERIALIZED (
    SELECT
        change_id, metric, loads, avg(CASE WHEN place IN ((loads + 1) / 2, loads / 2 + 1) THEN ratio END) AS median_ratio, min(ratio) AS lowest_ratio,
        max(ratio) AS highest_ratio, sum((ratio - 1) * sign < -0.02) AS worse, sum((ratio - 1) * sign > 0.02) AS better
    FROM placed
    GROUP BY change_id, metric, loads
)
SELECT
    r.model,
    r.hardware,
    r.engine,
    r.version_before,
    r.version_after,
    g.metric,
    g.loads,
    g.median_ratio,
    g.lowest_ratio,
    g.highest_ratio,
    g.worse,
    g.better
FROM changes AS g
JOIN (SELECT DISTINCT change_id, model, hardware, engine, version_before, version_after FROM releases) AS r ON r.change_id = g.change_id
ORDER BY r.model, r.hardware, r.engine, r.version_before, r.version_after, g.metric;
