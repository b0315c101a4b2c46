-- name: flag-counts
-- summary: how many points and runs each plausibility rule points at
-- columns: code, points, runs, threshold, unit, meaning, why
WITH
sizes (run_id, points) AS (
    SELECT p.run_id, count(*) FROM points AS p GROUP BY p.run_id
),
counted (code, points, runs) AS (
    SELECT
        f.code,
        count(DISTINCT f.point_id) + sum(CASE WHEN f.point_id IS NULL THEN s.points ELSE 0 END),
        count(DISTINCT f.run_id)
    FROM flags AS f
    LEFT JOIN sizes AS s ON s.run_id = f.run_id AND f.point_id IS NULL
    GROUP BY f.code
)
SELECT
    u.code,
    ifnull(c.points, 0) AS points,
    ifnull(c.runs, 0) AS runs,
    u.threshold,
    u.unit,
    u.meaning,
    u.why
FROM flag_rules AS u
LEFT JOIN counted AS c ON c.code = u.code
ORDER BY u.code;
