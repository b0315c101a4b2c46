-- name: 10-storage
-- summary: cluster storage
-- param: run text  the run's name
-- columns: position, storage
SELECT s.position, s.storage
FROM runs AS r JOIN cluster_storage AS s ON s.run_id = r.run_id WHERE r.name = :run
ORDER BY s.position;
