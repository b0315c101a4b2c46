-- The KV offloads of deployments, at most a row a run.
-- :runs is a JSON array of run ids; the first column is the run's index in it.
SELECT
    j.key,
    o.eviction_policy,
    o.prefetch_depth,
    o.connector,
    o.spec
FROM json_each(:runs) AS j
CROSS JOIN offloads AS o ON o.run_id = j.value
ORDER BY j.key;
