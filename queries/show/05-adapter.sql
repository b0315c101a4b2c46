-- name: 05-adapter
-- summary: adapter
-- param: run text  the run's name
-- columns: name, version, sha256, extraction_method, label_verified
SELECT a.name, a.version, a.sha256, a.extraction_method, a.label_verified
FROM runs AS r JOIN adapters AS a ON a.run_id = r.run_id WHERE r.name = :run
ORDER BY a.name;
