-- name: 18-slo
-- summary: goodput targets
-- param: run text  the run's name
-- columns: class, ttft_ms, itl_ms, e2e_ms
SELECT s.class, s.ttft_ms, s.itl_ms, s.e2e_ms
FROM runs AS r JOIN slo_targets AS s ON s.run_id = r.run_id WHERE r.name = :run
ORDER BY s.class;
