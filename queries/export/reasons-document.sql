-- Why runs cannot be written as MeasuredRun documents, a row for each reason:
-- a run of another origin than a catalog has none, and a run whose stated
-- verdict or resolution is no longer the computed one would not load again.
-- :names is a JSON array of runs, NULL for every catalog run.
WITH scope AS (
    SELECT run_id, name, origin
    FROM runs
    WHERE (:names IS NULL AND origin = 'catalog') OR name IN (SELECT value FROM json_each(:names))
)
SELECT s.name, 'no_document' AS code, 'a run of origin ' || s.origin || ' has no MeasuredRun document' AS detail
FROM scope AS s
WHERE s.origin <> 'catalog'
UNION ALL
SELECT s.name, 'stated_verdict', 'it states ' || ifnull(p.stated_verdict, 'no verdict') || ifnull(' ' || p.stated_resolution, '')
       || ' but its computed verdict is ' || p.verdict || ifnull(' ' || p.resolution, '') || ': the document would not load'
FROM scope AS s
JOIN stated_verdict_problems AS p ON p.run_id = s.run_id
ORDER BY 1, 2, 3;
