-- The load levels of runs.
-- :runs is a JSON array of run ids; the first column is the run's index in it.
SELECT
    j.key,
    p.id,
    p.concurrency,
    p.request_rate,
    p.completed,
    p.failed,
    p.mean_isl,
    p.mean_osl,
    p.kv_utilization,
    p.prefix_hit_rate,
    p.preemptions,
    p.noise_seeds,
    p.noise_cv
FROM json_each(:runs) AS j
CROSS JOIN points AS p ON p.run_id = j.value
ORDER BY j.key, p.position;
