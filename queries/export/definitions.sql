-- The definitions of runs' metrics.
-- :runs is a JSON array of run ids; the first column is the run's index in it.
SELECT
    j.key,
    d.metric,
    d.formula,
    d.statistic,
    d.population,
    d.denominator,
    d.clock,
    d.start_event,
    d.stop_event,
    d.output_len_source,
    d.reasoning_counted_as_content,
    d.percentile_method,
    d.unit,
    d.gpu_scope,
    d.cite
FROM json_each(:runs) AS j
CROSS JOIN metric_defs AS d ON d.run_id = j.value
ORDER BY j.key, d.metric;
