-- name: goodput
-- summary: goodput of runs that state it, with its targets and what it is divided by
-- param: run text optional  one run's name, also of a superseded run
-- param: model text optional  the model
-- param: hardware text optional  the accelerator
-- columns: run, model, hardware, parallelism, point, concurrency, request_rate, goodput_requests_per_s, share_of_offered, requests_per_s, highest, targets, denominator, population, clock, verdict
--
-- Goodput is requests per second that met their targets. targets are those that
-- the run's trace states for its request classes, ms, NULL where it states none:
-- then nobody can say what was met. 0 is no target and not listed. Goodputs of
-- different targets or denominators are not comparable. share_of_offered is
-- goodput divided by the offered request rate, NULL where only a concurrency is
-- stated. highest is 1 at the highest goodput of a run, the lowest load where
-- several have it. InferenceX states no goodput. Superseded runs are left out
-- unless named.
WITH stated AS MATERIALIZED (
    SELECT c.*
    FROM curves AS c
    WHERE c.goodput_requests_per_s IS NOT NULL AND c.origin = 'catalog'
      AND CASE WHEN :run IS NULL THEN c.latest = 1 ELSE c.run = :run END
      AND (:model IS NULL OR c.model = :model)
      AND (:hardware IS NULL OR c.hardware = :hardware)
)
SELECT
    s.run,
    s.model,
    s.hardware,
    s.parallelism,
    s.point,
    s.concurrency,
    s.request_rate,
    s.goodput_requests_per_s,
    s.goodput_requests_per_s / s.request_rate AS share_of_offered,
    s.requests_per_s,
    row_number() OVER (PARTITION BY s.run_id ORDER BY s.goodput_requests_per_s DESC, s.position) = 1 AS highest,
    (SELECT group_concat(target, '; ') FROM (
        SELECT t.class || ':' || CASE WHEN t.ttft_ms > 0 THEN ' ttft ' || printf('%.15g', t.ttft_ms) ELSE '' END || CASE WHEN t.itl_ms > 0 THEN ' itl ' || printf('%.15g', t.itl_ms) ELSE '' END || CASE WHEN t.e2e_ms > 0 THEN ' e2e ' || printf('%.15g', t.e2e_ms) ELSE '' END AS target
        FROM slo_targets AS t WHERE t.run_id = s.run_id ORDER BY t.class)) AS targets,
    d.denominator,
    d.population,
    d.clock,
    s.verdict
FROM stated AS s
JOIN curve_metrics AS k ON k.definition_set_id = s.definition_set_id
JOIN metric_defs AS d ON d.run_id = s.run_id AND d.metric = k.goodput_requests_per_s
ORDER BY s.run, s.position;
