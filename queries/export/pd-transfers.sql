-- The transfers between prefill and decode pools, at most a row a run.
-- :runs is a JSON array of run ids; the first column is the run's index in it.
SELECT
    j.key,
    t.connector
FROM json_each(:runs) AS j
CROSS JOIN pd_transfers AS t ON t.run_id = j.value
ORDER BY j.key;
