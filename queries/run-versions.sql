-- name: run-versions
-- summary: every time a load read a document of a run, with what became of it
-- param: run text  the run's name
-- columns: load_id, loaded_at, path, status, sha256, size, kept, in_effect
--
-- In the order of the loads. kept is 1 where the bytes are in document_contents
-- as a version of the run, in_effect is 1 where the run is read from them now.
-- A kept version that no load of the ledger read comes first, without a load.
SELECT load_id, loaded_at, path, status, sha256, size, kept, in_effect
FROM (
    SELECT
        d.load_id,
        d.document_id,
        d.loaded_at,
        d.path,
        d.status,
        d.sha256,
        d.size,
        EXISTS (SELECT 1 FROM run_versions AS v WHERE v.name = d.name AND v.sha256 = d.sha256) AS kept,
        EXISTS (SELECT 1 FROM runs AS r WHERE r.name = d.name AND r.document_sha256 = d.sha256) AS in_effect
    FROM documents AS d
    WHERE d.name = :run
    UNION ALL
    SELECT
        NULL,
        NULL,
        NULL,
        NULL,
        NULL,
        v.sha256,
        length(c.content),
        1,
        EXISTS (SELECT 1 FROM runs AS r WHERE r.name = v.name AND r.document_sha256 = v.sha256)
    FROM run_versions AS v
    JOIN document_contents AS c ON c.sha256 = v.sha256
    WHERE v.name = :run
      AND NOT EXISTS (SELECT 1 FROM documents AS d WHERE d.name = v.name AND d.sha256 = v.sha256 AND d.status <> 'rejected')
)
ORDER BY load_id, document_id, sha256;
