-- name: 02-verdict
-- summary: verdict
-- param: run text  the run's name
-- columns: verdict, resolution, scorable
SELECT v.verdict, v.resolution, EXISTS (SELECT 1 FROM scorable_runs AS s WHERE s.run_id = v.run_id) AS scorable
FROM verdicts AS v WHERE v.name = :run
ORDER BY v.name;
