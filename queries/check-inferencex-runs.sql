-- name: check-inferencex-runs
-- summary: InferenceX runs whose derived columns are not what their points make of them
-- columns: finding, subject, detail
WITH made (run_id, engine_version, measured_on, points, last_position) AS (
    SELECT
        p.run_id,
        CASE WHEN count(DISTINCT g.engine_version) = 1 THEN min(g.engine_version) END,
        max(x.date),
        count(*),
        max(p.position)
    FROM points AS p
    JOIN inferencex_points AS x ON x.point_id = p.point_id
    LEFT JOIN inferencex_images AS g ON g.image_id = x.image_id
    GROUP BY p.run_id
),
newest (github_run_id, attempt) AS (
    SELECT i.github_run_id, max(i.run_attempt) FROM inferencex_runs AS i WHERE i.github_run_id IS NOT NULL GROUP BY i.github_run_id
)
SELECT finding, subject, detail
FROM (
    SELECT 'derived' AS finding, r.name AS subject,
        CASE WHEN m.run_id IS NULL THEN 'it has no points'
             WHEN r.engine_version IS NOT m.engine_version THEN 'engine_version is not what its images state'
             WHEN r.measured_on IS NOT m.measured_on THEN 'measured_on is not the newest day of its rows'
             WHEN m.last_position <> m.points - 1 THEN 'its points are not numbered from 0'
             WHEN r.hidden_by_attempt IS NOT (CASE WHEN i.run_attempt < n.attempt THEN n.attempt END) THEN 'hidden_by_attempt is not the newer attempt'
        END AS detail
    FROM inferencex_runs AS i
    JOIN runs AS r ON r.run_id = i.run_id
    LEFT JOIN made AS m ON m.run_id = i.run_id
    LEFT JOIN newest AS n ON n.github_run_id = i.github_run_id
)
WHERE detail IS NOT NULL
ORDER BY subject;
