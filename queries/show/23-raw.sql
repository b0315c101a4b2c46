-- name: 23-raw
-- summary: values kept as reported
-- param: run text  the run's name
-- columns: point, key, reported_value, unit, why_raw
SELECT p.id AS point, i.key, i.reported_value, i.unit, i.why_raw
FROM runs AS r JOIN points AS p ON p.run_id = r.run_id JOIN inferencex_values AS i ON i.point_id = p.point_id WHERE r.name = :run
ORDER BY p.position, i.key;
