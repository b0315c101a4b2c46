-- name: 11-pools
-- summary: pools
-- param: run text  the run's name
-- columns: position, role, nodes, tp, pp, dp, dp_local, pcp, dcp, enable_expert_parallel
SELECT p.position, p.role, p.nodes, p.tp, p.pp, p.dp, p.dp_local, p.pcp, p.dcp, p.enable_expert_parallel
FROM runs AS r JOIN pools AS p ON p.run_id = r.run_id WHERE r.name = :run
ORDER BY p.position;
