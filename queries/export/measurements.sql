-- The measured values of points (position), with the factor from the reported value to the definition's unit.
-- :runs is a JSON array of run ids; the first column is the run's index in it.
SELECT
    j.key,
    p.position,
    v.metric,
    v.value,
    v.reported_value,
    m.scale,
    v.report_label,
    v.reported_key,
    v.label_verified
FROM json_each(:runs) AS j
CROSS JOIN runs AS r ON r.run_id = j.value
JOIN points AS p ON p.run_id = r.run_id
JOIN measurements AS v ON v.point_id = p.point_id
JOIN definition_set_members AS m ON m.definition_set_id = r.definition_set_id AND m.metric = v.metric
ORDER BY j.key, p.position, v.metric;
