-- The pools of runs' deployments. What an InferenceX row states of its layout is no deployment.
-- :runs is a JSON array of run ids; the first column is the run's index in it.
SELECT
    j.key,
    p.role,
    p.nodes,
    p.tp,
    p.pp,
    p.dp,
    p.dp_local,
    p.pcp,
    p.dcp,
    p.enable_expert_parallel
FROM json_each(:runs) AS j
CROSS JOIN runs AS r ON r.run_id = j.value AND r.deployment_name IS NOT NULL
CROSS JOIN pools AS p ON p.run_id = r.run_id
ORDER BY j.key, p.position;
