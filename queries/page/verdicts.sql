-- name: verdicts
-- summary: how many runs have each verdict, by origin
-- columns: origin, verdict, resolution, runs
SELECT r.origin, v.verdict, v.resolution, count(*) AS runs
FROM runs AS r
JOIN verdicts AS v ON v.run_id = r.run_id
WHERE r.hidden_by_attempt IS NULL
GROUP BY r.origin, v.verdict, v.resolution
ORDER BY r.origin, v.verdict, v.resolution;
