-- The files that runs were read from.
-- :runs is a JSON array of run ids; the first column is the run's index in it.
SELECT
    j.key,
    i.role,
    i.url,
    i.repo,
    i.commit_id,
    i.path,
    i.git_blob,
    i.size,
    i.sha256,
    i.fetched_utc,
    i.note
FROM json_each(:runs) AS j
CROSS JOIN source_inputs AS i ON i.run_id = j.value
ORDER BY j.key, i.position;
