-- name: flag-counts
-- summary: how many points and runs each plausibility rule points at
-- columns: code, points, runs, threshold, unit, meaning, why
SELECT
    u.code,
    (SELECT count(*) FROM (SELECT DISTINCT f.point_id FROM flagged_points AS f WHERE f.code = u.code)) AS points,
    (SELECT count(DISTINCT f.run_id) FROM flags AS f WHERE f.code = u.code) AS runs,
    u.threshold,
    u.unit,
    u.meaning,
    u.why
FROM flag_rules AS u
ORDER BY u.code;
