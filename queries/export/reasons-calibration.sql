-- Why runs may not be exported for calibration, a row for each reason: every
-- reason against EXACT (see verdict_reasons), a licence that permits something
-- but not derive_coefficients, and what else keeps a run from being scored.
-- :names is a JSON array of runs, NULL for every catalog run.
WITH scope AS (
    SELECT run_id, name, licence_id
    FROM runs
    WHERE (:names IS NULL AND origin = 'catalog') OR name IN (SELECT value FROM json_each(:names))
)
SELECT s.name, x.code, x.path || ': ' || x.detail AS detail
FROM scope AS s
JOIN verdict_reasons AS x ON x.run_id = s.run_id
UNION ALL
SELECT s.name, 'licence', 'source.license_ref: licence ' || s.licence_id || ' does not permit derive_coefficients'
FROM scope AS s
WHERE EXISTS (SELECT 1 FROM effective_permits AS e WHERE e.licence_id = s.licence_id)
  AND NOT EXISTS (SELECT 1 FROM effective_permits AS e WHERE e.licence_id = s.licence_id AND e.use = 'derive_coefficients')
UNION ALL
SELECT s.name, u.code, u.detail
FROM scope AS s
JOIN unscorable_reasons AS u ON u.run_id = s.run_id
WHERE u.code IN ('superseded', 'duplicate')
ORDER BY 1, 2, 3;
