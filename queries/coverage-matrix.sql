-- name: coverage-matrix
-- summary: points of each model and workload on each accelerator, with the combinations that nobody measured
-- param: model text optional  the model
-- param: hardware text optional  the accelerator
-- param: gaps integer optional  1 for the combinations without a run only
-- columns: model, workload, isl, osl, hardware, runs, points, fp4, fp8, bf16, int4, other, newest
--
-- A row for each workload of a model and each accelerator that any run names, 0
-- where they do not meet. workload is the benchmark type of InferenceX, of
-- a catalog run the shape or trace. fp4 to int4 count points by precision, other those of
-- other precisions and of catalog runs, which state theirs as an engine setting
-- if at all. newest is the newest day of measurement, of catalog runs of
-- retrieval. Runs that a newer attempt hides are left out, and so are
-- runs without model or hardware; superseded and flagged ones are counted.
WITH measured AS MATERIALIZED (
    SELECT
        r.model, coalesce(i.benchmark_type, r.workload) AS workload, r.isl, r.osl, r.hardware, count(*) AS runs, sum(n.points) AS points,
        sum(CASE WHEN c.precision = 'fp4' THEN n.points ELSE 0 END) AS fp4, sum(CASE WHEN c.precision = 'fp8' THEN n.points ELSE 0 END) AS fp8,
        sum(CASE WHEN c.precision = 'bf16' THEN n.points ELSE 0 END) AS bf16, sum(CASE WHEN c.precision = 'int4' THEN n.points ELSE 0 END) AS int4,
        max(coalesce(r.measured_on, r.retrieved_on)) AS newest
    FROM runs AS r
    JOIN (SELECT p.run_id, count(*) AS points FROM points AS p GROUP BY p.run_id) AS n ON n.run_id = r.run_id
    LEFT JOIN inferencex_runs AS i ON i.run_id = r.run_id
    LEFT JOIN inferencex_configs AS c ON c.config_id = i.config_id
    WHERE r.hidden_by_attempt IS NULL AND r.model IS NOT NULL AND r.hardware IS NOT NULL
    GROUP BY r.model, coalesce(i.benchmark_type, r.workload), r.isl, r.osl, r.hardware
),
workloads AS (SELECT DISTINCT m.model, m.workload, m.isl, m.osl FROM measured AS m WHERE :model IS NULL OR m.model = :model),
accelerators AS (SELECT DISTINCT m.hardware FROM measured AS m WHERE :hardware IS NULL OR m.hardware = :hardware)
SELECT
    w.model,
    w.workload,
    w.isl,
    w.osl,
    a.hardware,
    ifnull(m.runs, 0) AS runs,
    ifnull(m.points, 0) AS points,
    ifnull(m.fp4, 0) AS fp4,
    ifnull(m.fp8, 0) AS fp8,
    ifnull(m.bf16, 0) AS bf16,
    ifnull(m.int4, 0) AS int4,
    ifnull(m.points - m.fp4 - m.fp8 - m.bf16 - m.int4, 0) AS other,
    m.newest
FROM workloads AS w
CROSS JOIN accelerators AS a
LEFT JOIN measured AS m ON m.model = w.model AND m.workload IS w.workload AND m.isl IS w.isl AND m.osl IS w.osl AND m.hardware = a.hardware
WHERE :gaps IS NOT 1 OR m.runs IS NULL
ORDER BY w.model, w.workload, w.isl, w.osl, a.hardware;
