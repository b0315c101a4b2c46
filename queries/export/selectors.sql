-- What was read of the sources of runs.
-- :runs is a JSON array of run ids; the first column is the run's index in it.
SELECT
    j.key,
    s.selector
FROM json_each(:runs) AS j
CROSS JOIN selectors AS s ON s.run_id = j.value
ORDER BY j.key, s.position;
