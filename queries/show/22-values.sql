-- name: 22-values
-- summary: values
-- param: run text  the run's name
-- columns: point, metric, value, unit, reported_value, reported_key, report_label, label_verified
SELECT p.id AS point, d.metric, m.value, d.unit, m.reported_value, m.reported_key, m.report_label, m.label_verified
FROM runs AS r JOIN metric_defs AS d ON d.run_id = r.run_id JOIN points AS p ON p.run_id = r.run_id
JOIN measurements AS m ON m.point_id = p.point_id AND m.metric = d.metric WHERE r.name = :run
ORDER BY p.position, d.metric;
