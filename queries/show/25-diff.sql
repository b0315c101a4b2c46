-- name: 25-diff
-- summary: differences from BLIS
-- param: run text  the run's name
-- columns: position, path, kind, measured, blis, removable, owner_repo, material, bound, issue
SELECT d.position, d.path, d.kind, d.measured, d.blis, d.removable, d.owner_repo, d.material, d.bound, d.issue
FROM runs AS r JOIN diffs AS d ON d.run_id = r.run_id WHERE r.name = :run
ORDER BY d.position;
