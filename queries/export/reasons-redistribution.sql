-- Why runs are not redistributed, a row for each reason: a licence that permits
-- nothing or not redistribute and, where no runs are named, being superseded by
-- a loaded run or declared a duplicate of one.
-- :names is a JSON array of runs, NULL for every catalog run.
WITH scope AS (
    SELECT run_id, name, licence_id
    FROM runs
    WHERE (:names IS NULL AND origin = 'catalog') OR name IN (SELECT value FROM json_each(:names))
)
SELECT s.name, x.code, x.detail
FROM scope AS s
JOIN verdict_reasons AS x ON x.run_id = s.run_id
WHERE x.code = 'licence'
  AND NOT EXISTS (SELECT 1 FROM effective_permits AS e WHERE e.licence_id = s.licence_id)
UNION ALL
SELECT s.name, 'licence', 'licence ' || s.licence_id || ' does not permit redistribute'
FROM scope AS s
WHERE EXISTS (SELECT 1 FROM effective_permits AS e WHERE e.licence_id = s.licence_id)
  AND NOT EXISTS (SELECT 1 FROM effective_permits AS e WHERE e.licence_id = s.licence_id AND e.use = 'redistribute')
UNION ALL
SELECT s.name, u.code, u.detail
FROM scope AS s
JOIN unscorable_reasons AS u ON u.run_id = s.run_id
WHERE u.code IN ('superseded', 'duplicate') AND :names IS NULL
ORDER BY 1, 2, 3;
