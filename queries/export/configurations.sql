-- What InferenceX rows state of runs' configurations, at most a row a run.
-- :runs is a JSON array of run ids; the first column is the run's index in it.
SELECT
    j.key,
    c.framework,
    c.precision,
    c.spec_method,
    i.run_url
FROM json_each(:runs) AS j
CROSS JOIN inferencex_runs AS i ON i.run_id = j.value
JOIN inferencex_configs AS c ON c.config_id = i.config_id
ORDER BY j.key;
