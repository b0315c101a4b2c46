-- name: 21-points
-- summary: points
-- param: run text  the run's name
-- columns: position, id, concurrency, request_rate, completed, failed, mean_isl, mean_osl, kv_utilization, prefix_hit_rate, preemptions, noise_seeds, noise_cv
SELECT p.position, p.id, p.concurrency, p.request_rate, p.completed, p.failed, p.mean_isl, p.mean_osl, p.kv_utilization, p.prefix_hit_rate, p.preemptions,
    p.noise_seeds, p.noise_cv
FROM runs AS r JOIN points AS p ON p.run_id = r.run_id WHERE r.name = :run
ORDER BY p.position;
