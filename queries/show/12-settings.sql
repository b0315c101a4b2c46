-- name: 12-settings
-- summary: engine settings
-- param: run text  the run's name
-- columns: pool, setting, value
SELECT s.position AS pool, s.setting, s.value
FROM runs AS r JOIN pool_settings AS s ON s.run_id = r.run_id WHERE r.name = :run
ORDER BY s.position, s.setting;
