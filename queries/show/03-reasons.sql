-- name: 03-reasons
-- summary: reasons against EXACT
-- param: run text  the run's name
-- columns: code, path, detail
SELECT x.code, x.path, x.detail
FROM verdict_reasons AS x WHERE x.run_id = (SELECT r.run_id FROM runs AS r WHERE r.name = :run)
ORDER BY x.path, x.code;
