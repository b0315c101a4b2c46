-- name: verdict-reasons
-- summary: everything that keeps runs from EXACT, a row for each reason
-- param: run text optional  the run's name
-- param: code text optional  the reason's code, such as mismatch
-- columns: name, code, path, detail
SELECT x.name, x.code, x.path, x.detail
FROM verdict_reasons AS x
WHERE (:run IS NULL OR x.run_id = (SELECT r.run_id FROM runs AS r WHERE r.name = :run))
  AND (:code IS NULL OR x.code = :code)
ORDER BY x.name, x.path, x.code;
