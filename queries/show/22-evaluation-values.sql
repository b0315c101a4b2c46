-- name: 22-evaluation-values
-- summary: means without a definition
-- param: run text  the run's name
-- columns: point, output_tokens_per_sec, input_tokens_per_sec, ttft_ms, itl_ms, e2e_ms
SELECT p.id AS point, e.output_tokens_per_sec, e.input_tokens_per_sec, e.ttft_ms, e.itl_ms, e.e2e_ms
FROM runs AS r JOIN points AS p ON p.run_id = r.run_id JOIN evaluation_points AS e ON e.point_id = p.point_id WHERE r.name = :run
ORDER BY p.position;
