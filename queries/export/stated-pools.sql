-- The pools of runs that state no deployment, as InferenceX rows state them: a
-- layout that is not enough for a deployment.
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
CROSS JOIN runs AS r ON r.run_id = j.value AND r.deployment_name IS NULL
CROSS JOIN pools AS p ON p.run_id = r.run_id
ORDER BY j.key, p.position;
