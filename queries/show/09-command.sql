-- name: 09-command
-- summary: client command
-- param: run text  the run's name
-- columns: position, arg
SELECT a.position, a.arg
FROM runs AS r JOIN client_args AS a ON a.run_id = r.run_id WHERE r.name = :run
ORDER BY a.position;
