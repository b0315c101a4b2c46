-- name: run-captures
-- summary: the captures that brought, completed or revised rows of a run from InferenceX
-- param: run text  the run's name
-- columns: load_id, loaded_at, path, sha256, rows
--
-- In the order in which they were read. Captures that were loaded before
-- schema version 19 are not known; one that stated what was known already is
-- not listed.
SELECT d.load_id, d.loaded_at, d.path, d.sha256, c.rows
FROM runs AS r
JOIN inferencex_capture_runs AS c ON c.run_id = r.run_id
JOIN documents AS d ON d.document_id = c.document_id
WHERE r.name = :run
ORDER BY d.load_id, d.document_id;
