-- The engine settings of pools (position).
-- :runs is a JSON array of run ids; the first column is the run's index in it.
SELECT
    j.key,
    s.position,
    s.setting,
    s.value
FROM json_each(:runs) AS j
CROSS JOIN pool_settings AS s ON s.run_id = j.value
ORDER BY j.key, s.position, s.setting;
