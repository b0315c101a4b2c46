-- name: coverage
-- summary: runs and points by model, hardware and engine version
-- param: origin text optional  what the runs come from
-- one of: catalog, inferencex, evaluation
-- columns: model, hardware, engine, engine_version, runs, points, newest
--
-- newest is the newest day of measurement, of catalog runs of retrieval. Runs
-- that a newer attempt hides are left out. A run of origin evaluation states
-- neither model nor hardware.
WITH sizes (run_id, points) AS (
    SELECT p.run_id, count(*) FROM points AS p GROUP BY p.run_id
)
SELECT
    r.model,
    r.hardware,
    r.engine,
    r.engine_version,
    count(*) AS runs,
    sum(s.points) AS points,
    max(coalesce(r.measured_on, r.retrieved_on)) AS newest
FROM runs AS r
JOIN sizes AS s ON s.run_id = r.run_id
WHERE r.hidden_by_attempt IS NULL
  AND (:origin IS NULL OR r.origin = :origin)
GROUP BY r.model, r.hardware, r.engine, r.engine_version
ORDER BY r.model, r.hardware, r.engine, r.engine_version;
