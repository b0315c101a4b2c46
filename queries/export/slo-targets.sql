-- The goodput targets of traces.
-- :runs is a JSON array of run ids; the first column is the run's index in it.
SELECT
    j.key,
    t.class,
    t.ttft_ms,
    t.itl_ms,
    t.e2e_ms
FROM json_each(:runs) AS j
CROSS JOIN slo_targets AS t ON t.run_id = j.value
ORDER BY j.key, t.class;
