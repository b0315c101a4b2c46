-- Why runs may not be exported for scoring in the tier of a verdict (:verdict,
-- EXACT or PARTIAL), a row for each reason: those of unscorable_reasons, and
-- tier for a scorable run of the other verdict.
-- :names is a JSON array of runs, NULL for every catalog run.
WITH scope AS (
    SELECT run_id, name
    FROM runs
    WHERE (:names IS NULL AND origin = 'catalog') OR name IN (SELECT value FROM json_each(:names))
)
SELECT s.name, u.code, u.detail
FROM scope AS s
JOIN unscorable_reasons AS u ON u.run_id = s.run_id
UNION ALL
SELECT s.name, 'tier', 'its verdict is ' || c.verdict || ': --tier ' || lower(c.verdict) || ' takes it'
FROM scope AS s
JOIN scorable_runs AS c ON c.run_id = s.run_id
WHERE c.verdict <> :verdict
ORDER BY 1, 2, 3;
