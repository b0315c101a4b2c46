-- name: throughput-at-interactivity
-- summary: the highest throughput per GPU at target interactivities, interpolated within runs, of each model, hardware, precision and lengths
-- param: tiers text optional  the targets, tokens/s/user, such as 20,50; 30, 50, 75 and 100 when not given
-- param: model text optional  the model
-- param: hardware text optional  the accelerator
-- param: precision text optional  of the weights
-- param: isl integer optional  input length, tokens
-- param: osl integer optional  output length, tokens
-- param: accept text optional  flags that do not leave a point out, such as unofficial,gpu_count
-- columns: model, hardware, precision, isl, osl, target_tok_s, total_tok_s_per_gpu, interpolated, interactivity_p50_tok_s, framework, engine_version, spec_method, parallelism, run, point, next_point, runs, left_out
--
-- For each target the best of all runs: of a measured point whose
-- interactivity is at least the target, and of the place between two
-- neighbouring loads of one run where interactivity passes the target, at which
-- throughput is interpolated linearly in interactivity (interpolated = 1,
-- between point and next_point). Points of different runs are never joined, and
-- nothing is extrapolated: NULL where no run is as fast as the target. A
-- measured point above the target is a lower bound of what the target allows.
-- Compared are single_turn rows of InferenceX, which one harness measured, of
-- the newest run of each line; older runs, hidden attempts and catalog runs
-- (which define their metrics in their own ways) are left out.
-- total_tok_s_per_gpu counts input and output tokens over all GPUs. runs counts
-- those compared, left_out the points with a flag that accept does not name:
-- their neighbours become neighbours.
WITH targets (target) AS MATERIALIZED (
    SELECT DISTINCT t.value + 0.0 FROM json_each('[' || trim(coalesce(:tiers, '30, 50, 75, 100'), '[] ') || ']') AS t WHERE t.type IN ('integer', 'real') AND t.value > 0 AND t.value < 1e999
),
candidates AS MATERIALIZED (
    SELECT
        c.model, c.hardware, c.precision, c.isl, c.osl, c.interactivity_p50_tok_s AS interactivity, c.total_tok_s_per_gpu AS throughput,
        c.framework, c.engine_version, c.spec_method, c.parallelism, c.run_id, c.run, c.point, c.position,
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
groups AS MATERIALIZED (
    SELECT
        dense_rank() OVER (ORDER BY model, hardware, precision, isl, osl) AS group_id, model, hardware, precision, isl, osl,
        count(DISTINCT CASE WHEN flagged = 0 THEN run_id END) AS runs, sum(flagged) AS left_out
    FROM candidates
    GROUP BY model, hardware, precision, isl, osl
),
curve AS MATERIALIZED (
    SELECT
        g.group_id, n.interactivity, n.throughput, n.framework, n.engine_version, n.spec_method, n.parallelism, n.run, n.point, n.position,
        lead(n.interactivity) OVER run AS next_interactivity, lead(n.throughput) OVER run AS next_throughput, lead(n.point) OVER run AS next_point
    FROM candidates AS n
    JOIN groups AS g ON g.model IS n.model AND g.hardware IS n.hardware AND g.precision IS n.precision AND g.isl IS n.isl AND g.osl IS n.osl
    WHERE n.flagged = 0
    WINDOW run AS (PARTITION BY n.run_id ORDER BY n.position)
),
answers AS (
    SELECT t.target, k.group_id, k.throughput AS answer, 0 AS interpolated, k.interactivity AS at, k.framework, k.engine_version, k.spec_method, k.parallelism, k.run,
        k.point, NULL AS next_point, k.position
    FROM targets AS t
    JOIN curve AS k ON k.interactivity >= t.target
    UNION ALL
    SELECT t.target, k.group_id, k.throughput + (k.next_throughput - k.throughput) * ((t.target - k.interactivity) / (k.next_interactivity - k.interactivity)),
        1, t.target, k.framework, k.engine_version, k.spec_method, k.parallelism, k.run, k.point, k.next_point, k.position
    FROM targets AS t
    JOIN curve AS k ON (k.interactivity > t.target AND k.next_interactivity < t.target) OR (k.interactivity < t.target AND k.next_interactivity > t.target)
),
best AS (
    SELECT a.*, row_number() OVER (PARTITION BY group_id, target ORDER BY answer DESC, interpolated, run, position) AS place
    FROM answers AS a
)
SELECT
    g.model,
    g.hardware,
    g.precision,
    g.isl,
    g.osl,
    t.target AS target_tok_s,
    b.answer AS total_tok_s_per_gpu,
    b.interpolated,
    b.at AS interactivity_p50_tok_s,
    b.framework,
    b.engine_version,
    b.spec_method,
    b.parallelism,
    b.run,
    b.point,
    b.next_point,
    g.runs,
    g.left_out
FROM groups AS g
CROSS JOIN targets AS t
LEFT JOIN best AS b ON b.group_id = g.group_id AND b.target = t.target AND b.place = 1
ORDER BY g.model, g.hardware, g.precision, g.isl, g.osl, t.target;
