-- +goose Up
CREATE VIEW metric_defs ( -- A metric's definition in a run. NULL is unstated.
    run_id,            -- the run
    metric,            -- the name that the points use
    formula,           -- the quantity, such as ttft or output_throughput
    statistic,         -- mean, median, std, max or pNN, NULL for a throughput
    population,        -- what the statistic is over
    denominator,       -- what a throughput divides by, NULL for a latency
    clock,             -- client or server
    start_event,       -- when a latency starts
    stop_event,        -- when a latency stops
    output_len_source, -- where output token counts come from
    reasoning_counted_as_content, -- 0 or 1, whether reasoning tokens count as output
    percentile_method, -- how a percentile interpolates
    unit,              -- ms, tokens_per_s or requests_per_s
    gpu_scope,         -- all, prefill or decode: what a per-GPU figure was divided by
    cite,              -- where the definition is read from
    definition_id      -- surrogate key of the definition, the same for all runs that state exactly it
) AS
SELECT r.run_id, m.metric, d.formula, d.statistic, d.population, d.denominator, d.clock, d.start_event, d.stop_event, d.output_len_source,
       d.reasoning_counted_as_content, d.percentile_method, d.unit, d.gpu_scope, d.cite, d.definition_id
FROM runs r
JOIN definition_set_members m ON m.definition_set_id = r.definition_set_id
JOIN definitions d ON d.definition_id = m.definition_id;

CREATE VIEW measurements ( -- A measured value that has a definition (see metric_defs).
    point_id,       -- the point
    metric,         -- the metric's name in the run
    value,          -- in the definition's unit: reported_value times its scale
    reported_value, -- the double that the source's text denotes, in the source's unit
    reported_key,   -- the source's key: raw_key of a catalog run (NULL where not stated), the metric's key for inferencex
    report_label,   -- the label that the report gave it, NULL where not stated
    label_verified  -- 0 or 1, whether the label was checked against the definition, NULL where not stated
) AS
SELECT v.point_id, v.metric, v.reported * v.scale, v.reported, v.reported_key, v.report_label, v.label_verified
FROM (
    SELECT p.point_id, m.metric, m.scale,
        CASE m.slot
        WHEN 0 THEN c.value
        WHEN 1 THEN x.mean_ttft
        WHEN 2 THEN x.median_ttft
        WHEN 3 THEN x.std_ttft
        WHEN 4 THEN x.p75_ttft
        WHEN 5 THEN x.p90_ttft
        WHEN 6 THEN x.p95_ttft
        WHEN 7 THEN x.p99_ttft
        WHEN 8 THEN x.p99_9_ttft
        WHEN 9 THEN x.mean_tpot
        WHEN 10 THEN x.median_tpot
        WHEN 11 THEN x.std_tpot
        WHEN 12 THEN x.p75_tpot
        WHEN 13 THEN x.p90_tpot
        WHEN 14 THEN x.p95_tpot
        WHEN 15 THEN x.p99_tpot
        WHEN 16 THEN x.p99_9_tpot
        WHEN 17 THEN x.mean_itl
        WHEN 18 THEN x.median_itl
        WHEN 19 THEN x.std_itl
        WHEN 20 THEN x.p75_itl
        WHEN 21 THEN x.p90_itl
        WHEN 22 THEN x.p95_itl
        WHEN 23 THEN x.p99_itl
        WHEN 24 THEN x.p99_9_itl
        WHEN 25 THEN x.mean_e2el
        WHEN 26 THEN x.median_e2el
        WHEN 27 THEN x.std_e2el
        WHEN 28 THEN x.p75_e2el
        WHEN 29 THEN x.p90_e2el
        WHEN 30 THEN x.p95_e2el
        WHEN 31 THEN x.p99_e2el
        WHEN 32 THEN x.p99_9_e2el
        WHEN 33 THEN x.mean_intvty
        WHEN 34 THEN x.median_intvty
        WHEN 35 THEN x.std_intvty
        WHEN 36 THEN x.p75_intvty
        WHEN 37 THEN x.p90_intvty
        WHEN 38 THEN x.p95_intvty
        WHEN 39 THEN x.p99_intvty
        WHEN 40 THEN x.p99_9_intvty
        WHEN 41 THEN x.tput_per_gpu
        WHEN 42 THEN x.input_tput_per_gpu
        WHEN 43 THEN x.output_tput_per_gpu
        WHEN 44 THEN x.power_valid
        WHEN 45 THEN x.power_metric_schema_version
        WHEN 46 THEN x.avg_power_w
        WHEN 47 THEN x.prefill_avg_power_w
        WHEN 48 THEN x.decode_avg_power_w
        WHEN 49 THEN x.joules_per_successful_query
        WHEN 50 THEN x.joules_per_output_token
        WHEN 51 THEN x.joules_per_total_token
        WHEN 52 THEN x.joules_per_input_token
        WHEN 53 THEN x.prefill_joules_per_input_token
        WHEN 54 THEN x.decode_joules_per_output_token
        WHEN 55 THEN x.avg_temp_c
        WHEN 56 THEN x.peak_temp_c
        WHEN 57 THEN x.avg_util_pct
        WHEN 58 THEN x.avg_mem_used_mb
        WHEN 59 THEN x.num_requests_total
        WHEN 60 THEN x.num_requests_successful
        END AS reported,
        CASE WHEN m.slot = 0 THEN c.raw_key
             WHEN x.p50_mask >> (m.slot - 1) & 1 THEN replace(m.reported_key, 'median_', 'p50_')
             ELSE m.reported_key END AS reported_key,
        c.report_label, c.label_verified
    FROM points p
    JOIN runs r ON r.run_id = p.run_id
    JOIN definition_set_members m ON m.definition_set_id = r.definition_set_id
    LEFT JOIN catalog_values c ON c.point_id = p.point_id AND c.metric = m.metric
    LEFT JOIN inferencex_points x ON x.point_id = p.point_id
) v
WHERE v.reported IS NOT NULL;
