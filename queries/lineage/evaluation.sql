-- What an evaluation run (:run_id) alone states: its scenario and date, and the means of each point.
SELECT e.scenario, e.date, v.output_tokens_per_sec, v.input_tokens_per_sec, v.ttft_ms, v.itl_ms, v.e2e_ms
FROM evaluation_runs AS e
JOIN points AS p ON p.run_id = e.run_id
JOIN evaluation_points AS v ON v.point_id = p.point_id
WHERE e.run_id = :run_id
ORDER BY p.position;
