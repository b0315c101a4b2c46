-- The differences between runs' configurations and BLIS's.
-- :runs is a JSON array of run ids; the first column is the run's index in it.
SELECT
    j.key,
    d.path,
    d.measured,
    d.blis,
    d.kind,
    d.removable,
    d.owner_repo,
    d.material,
    d.bound,
    d.issue
FROM json_each(:runs) AS j
CROSS JOIN diffs AS d ON d.run_id = j.value
ORDER BY j.key, d.position;
