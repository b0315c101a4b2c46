-- name: tco-feed
-- summary: throughput per GPU on the Pareto frontier of each model, hardware and workload at target interactivities, or its weighted score, as /tco-feed computes them
-- param: view text optional  points, a row for each hardware, workload and target, or scores, a row for each hardware; points when not given
-- param: model text optional  the publisher's model key
-- param: workloads text optional  a JSON list of ISLxOSL, ["1024x1024", "8192x1024"] when not given
-- param: tiers text optional  the targets, tokens/s/user, a JSON list, [30, 50, 75, 100] when not given
-- param: as_of day optional  a UTC day, YYYY-MM-DD: runs measured later do not count
-- param: tokens text optional  which tokens throughput counts, output or total; output when not given
-- param: weights text optional  of the targets, a JSON list, see below for the default
-- param: workload_weights text optional  of the workloads, a JSON list, equal when not given
-- param: alpha real optional  the value of an input token in output tokens, 0.25 when not given
-- columns: model, hardware, workload, tier_tok_s, tok_s_per_gpu, is_interpolated, frontier_points, frontier_min_tok_s, frontier_max_tok_s, oldest_on, newest_on, flagged_points, score_tok_s_per_gpu, workloads, unreached_tiers
--
-- The frontier of a model, hardware and workload are the single_turn points of
-- the newest run of each line that no other beats in both interactivity and
-- throughput, whatever framework, precision and parallelism they have. Between
-- two of them throughput follows a monotone cubic (Steffen 1990, with the slopes
-- of d3's curveMonotoneX at the ends). A target below the slowest point has that
-- point's throughput, a lower bound. Beyond the fastest it is NULL.
-- A score is the sum over workloads of weight × (sum over targets of weight ×
-- throughput) × (1 + alpha × ISL / OSL). Weights are normalised to a sum of 1,
-- those of workloads over the workloads that the hardware has points of; a target
-- beyond the frontier counts as 0, and unreached_tiers counts these. Without
-- weights the default targets have [0.35, 0.4, 0.2, 0.05], others equal ones.
-- What is no positive target or no ISLxOSL is left out, a weight that is missing
-- or negative is 0, and where no weight is left the score is NULL.
-- The reference names the parameters and says frontier, interpolated and
-- normalised; it leaves open the curve, what lies outside the frontier, the
-- default weights and which tokens tput_per_gpu counts. What stands here follows
-- what the publisher's site does, but for NULL, where it shows 0, and rounding,
-- which it does to three digits. Output throughput is as reported: of
-- disaggregated rows per decode GPU, so that hardware which serves that way looks
-- better than it is; total is over all GPUs of every row, but then leave alpha
-- at 0. Plausibility flags leave nothing out, flagged_points counts the frontier's
-- points that have one. The query throughput-at-interactivity is stricter: it
-- never joins points of different runs, and leaves flagged points out.
WITH workload AS MATERIALIZED (
    SELECT w.key, w.isl, w.osl, CASE WHEN :workload_weights IS NULL THEN 1.0 WHEN v.type IN ('integer', 'real') AND v.value >= 0 THEN v.value + 0.0 ELSE 0.0 END AS weight
    FROM (
        SELECT key, CAST(substr(value, 1, instr(value, 'x') - 1) AS INTEGER) AS isl, CAST(substr(value, instr(value, 'x') + 1) AS INTEGER) AS osl
        FROM json_each(coalesce(:workloads, '["1024x1024", "8192x1024"]'))
        WHERE type = 'text' AND value GLOB '[1-9]*x[1-9]*' AND value NOT GLOB '*[^0-9x]*' AND value NOT GLOB '*x*x*'
    ) AS w
    LEFT JOIN json_each(:workload_weights) AS v ON v.key = w.key
),
tier AS MATERIALIZED (
    SELECT key, target, weight / nullif(sum(weight) OVER (), 0) AS weight
    FROM (
        SELECT t.key, t.value + 0.0 AS target,
            CASE WHEN d.weights IS NULL THEN 1.0 WHEN v.type IN ('integer', 'real') AND v.value >= 0 THEN v.value + 0.0 ELSE 0.0 END AS weight
        FROM (
            SELECT l.tiers, coalesce(:weights, CASE WHEN json(l.tiers) = '[30,50,75,100]' THEN '[0.35, 0.4, 0.2, 0.05]' END) AS weights
            FROM (SELECT coalesce(:tiers, '[30, 50, 75, 100]') AS tiers) AS l
        ) AS d
        CROSS JOIN json_each(d.tiers) AS t
        LEFT JOIN json_each(d.weights) AS v ON v.key = t.key
        WHERE t.type IN ('integer', 'real') AND t.value > 0
    )
),
candidates AS MATERIALIZED (
    SELECT w.key AS workload_key, g.model, g.hardware, c.run_id, c.run, c.point_id, c.position, l.measured_on, c.interactivity_p50_tok_s AS x,
        CASE coalesce(:tokens, 'output') WHEN 'output' THEN c.output_tok_s_per_gpu WHEN 'total' THEN c.total_tok_s_per_gpu END AS y
    FROM inferencex_lines AS l
    JOIN workload AS w ON w.isl = l.isl AND w.osl = l.osl
    JOIN inferencex_configs AS g ON g.config_id = l.config_id
    CROSS JOIN curves AS c ON c.run_id = l.run_id
    WHERE l.benchmark_type = 'single_turn' AND l.measured_on IS NOT NULL
      AND CASE WHEN :as_of IS NULL THEN l.next_run_id IS NULL ELSE l.measured_on <= :as_of AND (l.next_on IS NULL OR l.next_on > :as_of) END
      AND (:model IS NULL OR g.model = :model)
),
ranked AS (
    SELECT
        n.*,
        max(y) OVER (PARTITION BY model, hardware, workload_key ORDER BY x DESC GROUPS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS of_faster,
        row_number() OVER (PARTITION BY model, hardware, workload_key, x ORDER BY y DESC, run, position) AS place
    FROM candidates AS n
    WHERE x > 0 AND y > 0
),
knots AS (
    SELECT model, hardware, workload_key, run_id, point_id, measured_on, x, y,
        lag(x) OVER line AS x0, lag(y) OVER line AS y0, lead(x) OVER line AS x1, lead(y) OVER line AS y1
    FROM ranked
    WHERE place = 1 AND (of_faster IS NULL OR y > of_faster)
    WINDOW line AS (PARTITION BY model, hardware, workload_key ORDER BY x)
),
secants AS (
    SELECT k.*, (y - y0) / (x - x0) AS s0, (y1 - y) / (x1 - x) AS s1
    FROM knots AS k
),
-- All secants of a frontier fall, so that the least steep is the greatest.
inner_slopes AS (
    SELECT k.*, max(2 * s0, 2 * s1, (s0 * (x1 - x) + s1 * (x - x0)) / (x1 - x0)) AS inner_slope
    FROM secants AS k
),
slopes AS (
    SELECT model, hardware, workload_key, x, y, x1, y1, coalesce(inner_slope, (3 * s1 - lead(inner_slope) OVER line) / 2, (3 * s0 - lag(inner_slope) OVER line) / 2, s1, s0) AS slope
    FROM inner_slopes
    WINDOW line AS (PARTITION BY model, hardware, workload_key ORDER BY x)
),
spans AS MATERIALIZED (
    SELECT model, hardware, workload_key, x, y, x1, y1, x1 - x AS width, slope, lead(slope) OVER (PARTITION BY model, hardware, workload_key ORDER BY x) AS slope1
    FROM slopes
),
frontiers AS MATERIALIZED (
    SELECT model, hardware, workload_key, count(*) AS frontier_points, min(x) AS x_min, max(x) AS x_max, max(y) AS y_max, min(measured_on) AS oldest_on, max(measured_on) AS newest_on,
        sum(EXISTS (SELECT 1 FROM flags AS f WHERE f.run_id = k.run_id AND (f.point_id = k.point_id OR f.point_id IS NULL))) AS flagged_points
    FROM knots AS k
    GROUP BY model, hardware, workload_key
),
feed AS MATERIALIZED (
    SELECT
        f.*, t.key AS tier_key, t.target, t.weight,
        CASE
            WHEN t.target <= f.x_min THEN f.y_max
            WHEN t.target = s.x THEN s.y
            ELSE s.y + (t.target - s.x) * (s.slope + (t.target - s.x) / s.width * (
                3 * (s.y1 - s.y) / s.width - 2 * s.slope - s.slope1 + (t.target - s.x) / s.width * (s.slope + s.slope1 - 2 * (s.y1 - s.y) / s.width)))
        END AS answer,
        t.target > s.x AND t.target < s.x1 AS between_knots
    FROM frontiers AS f
    CROSS JOIN tier AS t
    LEFT JOIN spans AS s ON s.model = f.model AND s.hardware = f.hardware AND s.workload_key = f.workload_key
        AND s.x <= t.target AND (s.x1 > t.target OR s.x1 IS NULL AND s.x = t.target)
),
workload_scores AS (
    SELECT
        d.model, d.hardware, sum(d.weight * coalesce(d.answer, 0)) * (1 + coalesce(:alpha, 0.25) * w.isl / w.osl) AS score, w.weight,
        d.frontier_points, d.x_min, d.x_max, d.oldest_on, d.newest_on, d.flagged_points, sum(d.answer IS NULL) AS unreached
    FROM feed AS d
    JOIN workload AS w ON w.key = d.workload_key
    GROUP BY d.model, d.hardware, d.workload_key
),
answers AS (
    SELECT
        d.model, d.hardware, w.isl || 'x' || w.osl AS workload, d.target, d.answer, ifnull(d.between_knots, 0) AS is_interpolated, d.frontier_points, d.x_min, d.x_max,
        d.oldest_on, d.newest_on, d.flagged_points, NULL AS score, NULL AS workloads, NULL AS unreached, d.workload_key, d.tier_key
    FROM feed AS d
    JOIN workload AS w ON w.key = d.workload_key
    WHERE coalesce(:view, 'points') = 'points'
    UNION ALL
    SELECT
        model, hardware, NULL, NULL, NULL, NULL, sum(frontier_points), min(x_min), max(x_max), min(oldest_on), max(newest_on), sum(flagged_points),
        sum(weight * score) / nullif(sum(weight), 0), count(*), sum(unreached), NULL, NULL
    FROM workload_scores
    WHERE :view = 'scores'
    GROUP BY model, hardware
)
SELECT
    model,
    hardware,
    workload,
    target AS tier_tok_s,
    answer AS tok_s_per_gpu,
    is_interpolated,
    frontier_points,
    x_min AS frontier_min_tok_s,
    x_max AS frontier_max_tok_s,
    oldest_on,
    newest_on,
    flagged_points,
    score AS score_tok_s_per_gpu,
    workloads,
    unreached AS unreached_tiers
FROM answers
ORDER BY model, hardware, workload_key, tier_key;
