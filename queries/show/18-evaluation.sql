-- name: 18-evaluation
-- summary: evaluation
-- param: run text  the run's name
-- columns: scenario, date, harness, harness_version
SELECT e.scenario, e.date, r.harness, r.harness_version
FROM runs AS r JOIN evaluation_runs AS e ON e.run_id = r.run_id WHERE r.name = :run
ORDER BY r.name;
