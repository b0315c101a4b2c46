-- name: best-throughput
-- summary: the highest throughput per GPU of each model, hardware, precision and lengths, flagged points left out
-- param: model text optional  the model
-- param: max_ttft_ms real optional  leave out points whose median ttft is above
-- param: max_tpot_ms real optional  leave out points whose median tpot is above
-- columns: model, hardware, precision, isl, osl, total_tokens_per_s_per_gpu, ttft_p50_ms, tpot_p50_ms, run, point, points, left_out
--
-- Newest run of each line only. total_tokens_per_s_per_gpu counts input and
-- output tokens. points counts what was compared, left_out the points that met
-- the limits but that a plausibility rule points at.
WITH candidates AS MATERIALIZED (
    SELECT
        r.model, r.hardware, c.precision, r.isl, r.osl, x.tput_per_gpu AS throughput, x.median_ttft * 1000 AS ttft, x.median_tpot * 1000 AS tpot,
        r.name AS run, p.id AS point, p.position,
        EXISTS (SELECT 1 FROM flags AS f WHERE f.point_id = p.point_id)
            OR EXISTS (SELECT 1 FROM flags AS f WHERE f.run_id = p.run_id AND f.point_id IS NULL) AS flagged
    FROM inferencex_latest_runs AS l
    JOIN runs AS r ON r.run_id = l.run_id
    JOIN inferencex_configs AS c ON c.config_id = l.config_id
    JOIN points AS p ON p.run_id = r.run_id
    JOIN inferencex_points AS x ON x.point_id = p.point_id
    WHERE x.tput_per_gpu IS NOT NULL AND l.benchmark_type = 'single_turn'
      AND (:model IS NULL OR r.model = :model)
      AND (:max_ttft_ms IS NULL OR x.median_ttft * 1000 <= :max_ttft_ms)
      AND (:max_tpot_ms IS NULL OR x.median_tpot * 1000 <= :max_tpot_ms)
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
    CASE WHEN flagged = 0 THEN ttft END AS ttft_p50_ms,
    CASE WHEN flagged = 0 THEN tpot END AS tpot_p50_ms,
    CASE WHEN flagged = 0 THEN run END AS run,
    CASE WHEN flagged = 0 THEN point END AS point,
    points,
    left_out
FROM ranked
WHERE place = 1
ORDER BY model, hardware, precision, isl, osl;
