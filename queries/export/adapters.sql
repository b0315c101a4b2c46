-- The extracting code of runs, at most a row each.
-- :runs is a JSON array of run ids; the first column is the run's index in it.
SELECT
    j.key,
    a.name,
    a.version,
    a.sha256,
    a.extraction_method,
    a.label_verified
FROM json_each(:runs) AS j
CROSS JOIN adapters AS a ON a.run_id = j.value
ORDER BY j.key;
