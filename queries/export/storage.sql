-- The storage tiers of runs' clusters.
-- :runs is a JSON array of run ids; the first column is the run's index in it.
SELECT
    j.key,
    s.storage
FROM json_each(:runs) AS j
CROSS JOIN cluster_storage AS s ON s.run_id = j.value
ORDER BY j.key, s.position;
