-- name: inferencex-revisions
-- summary: values that captures reported differently, with the one in effect
-- param: run text optional  only of this run
-- columns: run, point, key, value, in_effect
--
-- in_effect is 1 for the value that the warehouse shows now, NULL for fields of
-- a point that are not metrics. point is NULL for a value of the whole run.
SELECT run, point, key, value, in_effect
FROM (
    SELECT
        r.name AS run,
        p.position,
        p.id AS point,
        v.key,
        v.value,
        coalesce(
            (SELECT m.reported_value = v.value FROM measurements AS m WHERE m.point_id = v.point_id AND replace(m.reported_key, 'p50_', 'median_') = v.key),
            (SELECT i.reported_value = v.value FROM inferencex_values AS i WHERE i.point_id = v.point_id AND i.key = v.key)) AS in_effect
    FROM inferencex_revisions AS v
    JOIN points AS p ON p.point_id = v.point_id
    JOIN runs AS r ON r.run_id = p.run_id
    WHERE :run IS NULL OR r.name = :run
    UNION ALL
    SELECT r.name, NULL, NULL, v.key, v.value, v.value = CASE v.key WHEN 'run_url' THEN i.run_url ELSE i.run_started_at END
    FROM inferencex_run_revisions AS v
    JOIN runs AS r ON r.run_id = v.run_id
    JOIN inferencex_runs AS i ON i.run_id = v.run_id
    WHERE :run IS NULL OR r.name = :run
)
ORDER BY run, position, key, value;
