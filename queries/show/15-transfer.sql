-- name: 15-transfer
-- summary: prefill to decode transfer
-- param: run text  the run's name
-- columns: connector
SELECT t.connector
FROM runs AS r JOIN pd_transfers AS t ON t.run_id = r.run_id WHERE r.name = :run
ORDER BY r.name;
