-- name: 06-inputs
-- summary: source inputs
-- param: run text  the run's name
-- columns: position, role, url, repo, commit_id, path, git_blob, size, sha256, fetched_utc, note
SELECT i.position, i.role, i.url, i.repo, i.commit_id, i.path, i.git_blob, i.size, i.sha256, i.fetched_utc, i.note
FROM runs AS r JOIN source_inputs AS i ON i.run_id = r.run_id WHERE r.name = :run
ORDER BY i.position;
