-- name: outliers
-- summary: InferenceX points far from the median of repeated measurements of their configuration and load
-- param: threshold real optional  the modified z score from which on a value is an outlier, 3.5 when not given
-- param: min_deviation real optional  the relative deviation from the median that an outlier has at least, 0.05 when not given
-- param: min_points integer optional  how many points a median needs, 5 when not given
-- param: across integer optional  1 to compare points of all configurations of a model, hardware, precision, lengths and concurrency
-- param: metric text optional  the metric, total_tok_s_per_gpu when not given
-- one of: total_tok_s_per_gpu, ttft_p50_ms, tpot_p50_ms, e2e_p50_ms
-- param: model text optional  the model
-- param: hardware text optional  the accelerator
-- columns: model, hardware, precision, isl, osl, concurrency, metric, value, median, mad, z, points, framework, parallelism, spec_method, engine_version, measured_on, run, point, flag_codes
--
-- z is 0.6745 * (value - median) / mad, where mad is the median of the absolute
-- deviations from the median: the modified z score of Iglewicz and Hoaglin,
-- whose bound is 3.5. One wild value moves neither median. Where half of the
-- values are equal mad is 0, and nothing is told; where they are nearly equal
-- min_deviation keeps trifles out. A change for good looks like outliers too as
-- long as fewer than half of the values have it: see regressions.
-- Compared are points of one model, hardware, precision, benchmark type,
-- lengths and concurrency, and but for across = 1 of one framework, spec
-- method, parallelism and offload mode: what differs then is the day, the
-- release and the recipe. value, median and mad are in the unit that the
-- metric's name ends in. All runs count, older ones too, but not hidden
-- attempts; flagged points count, and flag_codes says what is known of them.
-- Catalog runs are left out: each defines its metrics in its own way.
WITH pools (run_id, pool_id) AS MATERIALIZED (
    SELECT
        c.run_id,
        dense_rank() OVER (
            ORDER BY c.model, c.hardware, c.precision, c.benchmark_type, c.isl, c.osl,
                CASE WHEN :across IS NOT 1 THEN c.framework END, CASE WHEN :across IS NOT 1 THEN c.spec_method END,
                CASE WHEN :across IS NOT 1 THEN c.parallelism END, CASE WHEN :across IS NOT 1 THEN c.offload_mode END)
    FROM curves AS c
    WHERE c.origin = 'inferencex' AND c.hidden = 0 AND c.is_anchor = 1
      AND (:model IS NULL OR c.model = :model)
      AND (:hardware IS NULL OR c.hardware = :hardware)
),
samples AS (
    SELECT
        n.pool_id, c.concurrency, c.point_id,
        CASE coalesce(:metric, 'total_tok_s_per_gpu') WHEN 'total_tok_s_per_gpu' THEN c.total_tok_s_per_gpu WHEN 'ttft_p50_ms' THEN c.ttft_p50_ms
            WHEN 'tpot_p50_ms' THEN c.tpot_p50_ms WHEN 'e2e_p50_ms' THEN c.e2e_p50_ms END AS value
    FROM pools AS n
    CROSS JOIN curves AS c ON c.run_id = n.run_id
),
placed AS (
    SELECT s.*, row_number() OVER by_value AS place, count(*) OVER by_value AS points
    FROM samples AS s
    WHERE s.value IS NOT NULL
    WINDOW by_value AS (PARTITION BY pool_id, concurrency ORDER BY value ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
),
deviations AS (
    SELECT p.*, avg(CASE WHEN place IN ((points + 1) / 2, points / 2 + 1) THEN value END) OVER (PARTITION BY pool_id, concurrency) AS median
    FROM placed AS p
    WHERE p.points >= coalesce(:min_points, 5)
),
deviated AS (
    SELECT d.*, row_number() OVER (PARTITION BY pool_id, concurrency ORDER BY abs(value - median)) AS deviation_place
    FROM deviations AS d
),
scored AS (
    SELECT d.*, avg(CASE WHEN deviation_place IN ((points + 1) / 2, points / 2 + 1) THEN abs(value - median) END) OVER (PARTITION BY pool_id, concurrency) AS mad
    FROM deviated AS d
),
far AS MATERIALIZED (
    SELECT s.*, 0.6745 * (s.value - s.median) / s.mad AS z
    FROM scored AS s
    WHERE s.mad > 0 AND abs(s.value - s.median) >= coalesce(:min_deviation, 0.05) * s.median
      AND abs(0.6745 * (s.value - s.median) / s.mad) > coalesce(:threshold, 3.5)
)
SELECT
    c.model,
    c.hardware,
    c.precision,
    c.isl,
    c.osl,
    c.concurrency,
    coalesce(:metric, 'total_tok_s_per_gpu') AS metric,
    o.value,
    o.median,
    o.mad,
    o.z,
    o.points,
    c.framework,
    c.parallelism,
    c.spec_method,
    c.engine_version,
    c.measured_on,
    c.run,
    c.point,
    c.flag_codes
FROM far AS o
CROSS JOIN curves AS c ON c.point_id = o.point_id
ORDER BY abs(o.z) DESC, c.run, c.position;
