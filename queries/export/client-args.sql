-- The elements of the load generators' commands.
-- :runs is a JSON array of run ids; the first column is the run's index in it.
SELECT
    j.key,
    a.arg
FROM json_each(:runs) AS j
CROSS JOIN client_args AS a ON a.run_id = j.value
ORDER BY j.key, a.position;
