-- The tiers of KV offloads.
-- :runs is a JSON array of run ids; the first column is the run's index in it.
SELECT
    j.key,
    t.tier,
    t.bytes
FROM json_each(:runs) AS j
CROSS JOIN offload_tiers AS t ON t.run_id = j.value
ORDER BY j.key, t.position;
