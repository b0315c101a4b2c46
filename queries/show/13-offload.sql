-- name: 13-offload
-- summary: offload
-- param: run text  the run's name
-- columns: eviction_policy, prefetch_depth, connector, spec
SELECT o.eviction_policy, o.prefetch_depth, o.connector, o.spec
FROM runs AS r JOIN offloads AS o ON o.run_id = r.run_id WHERE r.name = :run
ORDER BY r.name;
