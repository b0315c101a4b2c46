-- name: 14-tiers
-- summary: offload tiers
-- param: run text  the run's name
-- columns: position, tier, bytes
SELECT t.position, t.tier, t.bytes
FROM runs AS r JOIN offload_tiers AS t ON t.run_id = r.run_id WHERE r.name = :run
ORDER BY t.position;
