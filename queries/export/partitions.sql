-- What runs are partitioned by, a row each.
-- :runs is a JSON array of run ids; the first column is the run's index in it.
SELECT
    j.key,
    r.model,
    r.hardware
FROM json_each(:runs) AS j
CROSS JOIN runs AS r ON r.run_id = j.value
ORDER BY j.key;
