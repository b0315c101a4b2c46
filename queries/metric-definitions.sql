-- name: metric-definitions
-- summary: the definitions of metrics in use, and how many runs use each
-- param: formula text optional  the quantity, such as ttft
-- columns: formula, statistic, population, denominator, clock, start_event, stop_event, percentile_method, unit, gpu_scope, runs, metrics, cite
--
-- Two values are comparable when their definitions are the same. metrics are
-- the names that runs give it. NULL is unstated.
SELECT
    d.formula,
    d.statistic,
    d.population,
    d.denominator,
    d.clock,
    d.start_event,
    d.stop_event,
    d.percentile_method,
    d.unit,
    d.gpu_scope,
    (SELECT count(*) FROM runs AS r JOIN definition_set_members AS m ON m.definition_set_id = r.definition_set_id
     WHERE m.definition_id = d.definition_id) AS runs,
    (SELECT group_concat(metric, ', ') FROM (SELECT DISTINCT m.metric FROM definition_set_members AS m WHERE m.definition_id = d.definition_id ORDER BY m.metric)) AS metrics,
    d.cite
FROM definitions AS d
WHERE :formula IS NULL OR d.formula = :formula
ORDER BY d.formula, d.statistic, d.population, d.denominator, d.clock, d.start_event, d.stop_event, d.output_len_source,
    d.reasoning_counted_as_content, d.percentile_method, d.unit, d.gpu_scope, d.cite;
