-- The requests that InferenceX rows count, by point (position), NULL where they do not.
-- :runs is a JSON array of run ids; the first column is the run's index in it.
SELECT
    j.key,
    p.position,
    x.num_requests_total,
    x.num_requests_successful
FROM json_each(:runs) AS j
CROSS JOIN points AS p ON p.run_id = j.value
JOIN inferencex_points AS x ON x.point_id = p.point_id
ORDER BY j.key, p.position;
