-- name: inferencex-revisions
-- summary: values that captures reported differently, with the one in effect
-- columns: run, point, key, value, in_effect
--
-- in_effect is 1 for the value that the warehouse shows now, NULL for fields
-- that are not metrics.
SELECT
    r.name AS run,
    p.id AS point,
    v.key,
    v.value,
    coalesce(
        (SELECT m.reported_value = v.value FROM measurements AS m WHERE m.point_id = v.point_id AND replace(m.reported_key, 'p50_', 'median_') = v.key),
        (SELECT i.reported_value = v.value FROM inferencex_values AS i WHERE i.point_id = v.point_id AND i.key = v.key)) AS in_effect
FROM inferencex_revisions AS v
JOIN points AS p ON p.point_id = v.point_id
JOIN runs AS r ON r.run_id = p.run_id
ORDER BY r.name, p.position, v.key, v.value;
