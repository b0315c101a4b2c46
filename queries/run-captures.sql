-- name: run-captures
-- summary: the captures that brought, completed or revised rows of a run from InferenceX
-- param: run text  the run's name
-- columns: load_id, loaded_at, path, sha256, rows, url, captured_at, confirmed_at
--
-- In the order in which they were read. Captures that were loaded before
-- schema version 19 are not known; one that stated what was known already is
-- not listed. url, captured_at and confirmed_at are what the ledger of a captured
-- folder says of these bytes: where they are from, when they first came, and when
-- the server last gave or confirmed them; NULL where no ledger tells of them.
SELECT d.load_id, d.loaded_at, d.path, d.sha256, c.rows, p.url, p.captured_at, p.confirmed_at
FROM runs AS r
JOIN inferencex_capture_runs AS c ON c.run_id = r.run_id
JOIN documents AS d ON d.document_id = c.document_id
LEFT JOIN (
    SELECT sha256, min(url) AS url, min(started_at) AS captured_at, max(started_at) AS confirmed_at
    FROM inferencex_captures
    WHERE sha256 IS NOT NULL
    GROUP BY sha256
) AS p ON p.sha256 = d.sha256
WHERE r.name = :run
ORDER BY d.load_id, d.document_id;
