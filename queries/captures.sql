-- name: captures
-- summary: the requests to the InferenceX API that ledgers of captured folders tell of, and what became of each
-- param: operation text optional  the operation, such as benchmarks
-- param: outcome text optional    complete, unchanged, refused or failed
-- columns: operation, url, started_at, outcome, status, file, size, sha256, loads, first_loaded_at, reason, error
--
-- In the order in which they were made. loads counts how often the file's bytes
-- were read by a load, 0 for those of operations that are not loaded yet.
SELECT
    c.operation,
    c.url,
    c.started_at,
    c.outcome,
    c.status,
    c.file,
    c.size,
    c.sha256,
    count(d.document_id) AS loads,
    min(d.loaded_at) AS first_loaded_at,
    c.reason,
    c.error
FROM inferencex_captures AS c
LEFT JOIN documents AS d ON d.sha256 = c.sha256
WHERE (:operation IS NULL OR c.operation = :operation)
  AND (:outcome IS NULL OR c.outcome = :outcome)
GROUP BY c.url, c.started_at, c.outcome
ORDER BY c.started_at, c.url, c.outcome;
