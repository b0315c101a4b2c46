-- name: 20-definitions
-- summary: metric definitions
-- param: run text  the run's name
-- columns: metric, formula, statistic, population, denominator, clock, start_event, stop_event, output_len_source, reasoning_counted_as_content, percentile_method, unit, gpu_scope, cite
SELECT d.metric, d.formula, d.statistic, d.population, d.denominator, d.clock, d.start_event, d.stop_event, d.output_len_source, d.reasoning_counted_as_content,
    d.percentile_method, d.unit, d.gpu_scope, d.cite
FROM runs AS r JOIN metric_defs AS d ON d.run_id = r.run_id WHERE r.name = :run
ORDER BY d.metric;
