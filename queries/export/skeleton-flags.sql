-- What the plausibility rules point at: points by position, NULL for the whole run.
-- :runs is a JSON array of run ids; the first column is the run's index in it.
SELECT
    j.key,
    p.position,
    f.code,
    u.meaning,
    f.subject,
    f.measured,
    f.expected
FROM json_each(:runs) AS j
CROSS JOIN flags AS f ON f.run_id = j.value
JOIN flag_rules AS u ON u.code = f.code
LEFT JOIN points AS p ON p.point_id = f.point_id
ORDER BY j.key, p.position, f.code, f.subject, f.measured, f.expected;
