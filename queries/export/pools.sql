-- The pools of runs' deployments.
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
CROSS JOIN pools AS p ON p.run_id = j.value
ORDER BY j.key, p.position;
