-- name: figures
-- summary: the newest runs whose curves belong on one picture, with the metrics that they share
-- columns: model, benchmark_type, isl, osl, workload, y, x, run, hardware, precision, points, runs_of_figure, points_of_figure
--
-- A picture is a model under one workload with two metrics of the view curves.
-- A run is on the picture of the first pair of metrics that two of its points
-- have, and on none where there is no such pair. Pictures with more points come
-- first, and on each the run with the most points of every hardware and precision.
WITH
paired (run_id, run, model, hardware, precision, benchmark_type, isl, osl, workload, a, b, c, d, e) AS MATERIALIZED (
    SELECT p.run_id, p.run, p.model, p.hardware, p.precision, p.benchmark_type, p.isl, p.osl, p.workload,
        sum(p.total_tok_s_per_gpu IS NOT NULL AND p.interactivity_p50_tok_s IS NOT NULL),
        sum(p.output_tok_s IS NOT NULL AND p.ttft_p50_ms IS NOT NULL),
        sum(p.output_tok_s IS NOT NULL AND p.ttft_mean_ms IS NOT NULL),
        sum(p.output_tok_s IS NOT NULL AND p.tpot_p50_ms IS NOT NULL),
        sum(p.output_tok_s IS NOT NULL AND p.tpot_mean_ms IS NOT NULL)
    FROM curves AS p
    WHERE p.latest = 1 AND p.hidden = 0
    GROUP BY p.run_id, p.run, p.model, p.hardware, p.precision, p.benchmark_type, p.isl, p.osl, p.workload
),
axes (run_id, y, x, points) AS MATERIALIZED (
    SELECT q.run_id,
        CASE WHEN q.a > 1 THEN 'total_tok_s_per_gpu' ELSE 'output_tok_s' END,
        CASE WHEN q.a > 1 THEN 'interactivity_p50_tok_s' WHEN q.b > 1 THEN 'ttft_p50_ms' WHEN q.c > 1 THEN 'ttft_mean_ms' WHEN q.d > 1 THEN 'tpot_p50_ms' ELSE 'tpot_mean_ms' END,
        CASE WHEN q.a > 1 THEN q.a WHEN q.b > 1 THEN q.b WHEN q.c > 1 THEN q.c WHEN q.d > 1 THEN q.d ELSE q.e END
    FROM paired AS q
    WHERE max(q.a, q.b, q.c, q.d, q.e) > 1
),
placed (model, benchmark_type, isl, osl, workload, y, x, run, hardware, precision, points, nth, runs_of_figure, points_of_figure) AS (
    SELECT q.model, q.benchmark_type, q.isl, q.osl, q.workload, s.y, s.x, q.run, q.hardware, q.precision, s.points,
        row_number() OVER (PARTITION BY q.model, q.benchmark_type, q.isl, q.osl, q.workload, s.y, s.x, q.hardware, q.precision ORDER BY s.points DESC, q.run),
        count(*) OVER (PARTITION BY q.model, q.benchmark_type, q.isl, q.osl, q.workload, s.y, s.x),
        sum(s.points) OVER (PARTITION BY q.model, q.benchmark_type, q.isl, q.osl, q.workload, s.y, s.x)
    FROM axes AS s
    JOIN paired AS q ON q.run_id = s.run_id
)
SELECT p.model, p.benchmark_type, p.isl, p.osl, p.workload, p.y, p.x, p.run, p.hardware, p.precision, p.points, p.runs_of_figure, p.points_of_figure
FROM placed AS p
ORDER BY p.points_of_figure DESC, p.model, p.benchmark_type, p.isl, p.osl, p.workload, p.y, p.x, p.nth, p.points DESC, p.run;
