-- name: run-names
-- summary: the names of all runs
-- columns: name
SELECT r.name
FROM runs AS r
ORDER BY r.name;
