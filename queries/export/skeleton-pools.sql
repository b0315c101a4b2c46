-- The pools of runs as InferenceX rows state them.
-- :runs is a JSON array of run ids; the first column is the run's index in it.
SELECT
    j.key,
    p.role,
    p.nodes,
    p.tp,
    p.pp,
    p.dp,
    p.ep,
    p.workers,
    p.dp_attention
FROM json_each(:runs) AS j
CROSS JOIN pools AS p ON p.run_id = j.value
ORDER BY j.key, p.position;
