-- name: evaluation-points
-- summary: the points of EvaluationRun documents: means without a definition, and what supersedes them
-- param: run text optional  the run's name
-- param: scenario text optional  the scenario
-- columns: run, scenario, measured_on, engine_version, concurrency, completed, output_tokens_per_sec, input_tokens_per_sec, ttft_ms, itl_ms, e2e_ms, mean_isl, mean_osl, kv_utilization, prefix_hit_rate, preemptions, superseded_by
--
-- Nothing says what the means are over or which clock measured them: they
-- compare with no metric of another run, and are never scored.
SELECT
    r.name AS run,
    e.scenario,
    r.measured_on,
    r.engine_version,
    p.concurrency,
    p.completed,
    v.output_tokens_per_sec,
    v.input_tokens_per_sec,
    v.ttft_ms,
    v.itl_ms,
    v.e2e_ms,
    p.mean_isl,
    p.mean_osl,
    p.kv_utilization,
    p.prefix_hit_rate,
    p.preemptions,
    (SELECT group_concat(name, ', ') FROM (SELECT s.name FROM runs AS s WHERE s.supersedes = r.name ORDER BY s.name)) AS superseded_by
FROM evaluation_runs AS e
JOIN runs AS r ON r.run_id = e.run_id
JOIN points AS p ON p.run_id = r.run_id
JOIN evaluation_points AS v ON v.point_id = p.point_id
WHERE (:run IS NULL OR r.name = :run)
  AND (:scenario IS NULL OR e.scenario = :scenario)
ORDER BY r.name, p.position;
