-- +goose Up
-- The order of runs in a line is found out over as few columns as it needs: at
-- a million points that is half of the time of whatever asks for the newest.
DROP VIEW inferencex_latest_runs;
DROP VIEW inferencex_lines;

CREATE VIEW inferencex_lines ( -- A current run in its line (configuration, benchmark type, lengths and offload mode) and the next newer one. Runs that a newer attempt hides are left out.
    run_id,         -- the run
    name,           -- its name
    config_id,      -- the line's configuration
    benchmark_type, -- the line's benchmark type
    isl,            -- the line's input length, NULL for agentic rows
    osl,            -- the line's output length, NULL for agentic rows
    offload_mode,   -- the line's offload mode
    measured_on,    -- UTC day of the run, NULL for raw artifacts, which count as oldest
    next_name,      -- the next newer run of the line, NULL for the newest
    next_on,        -- the UTC day of that
    next_run_id     -- the surrogate key of that
) AS
SELECT r.run_id, r.name, i.config_id, i.benchmark_type, r.isl, r.osl, i.offload_mode, r.measured_on, n.name, n.measured_on, l.next_run_id
FROM (
    SELECT r.run_id, lead(r.run_id) OVER line AS next_run_id
    FROM runs r JOIN inferencex_runs i ON i.run_id = r.run_id
    WHERE r.hidden_by_attempt IS NULL
    WINDOW line AS (
        PARTITION BY i.config_id, i.benchmark_type, r.isl, r.osl, i.offload_mode
        ORDER BY r.measured_on, julianday(i.run_started_at), i.github_run_id, i.run_attempt, r.name
    )
) l
JOIN runs r ON r.run_id = l.run_id
JOIN inferencex_runs i ON i.run_id = l.run_id
LEFT JOIN runs n ON n.run_id = l.next_run_id;

CREATE VIEW inferencex_latest_runs ( -- The newest whole run of each line (see inferencex_lines). Points of different runs never make one curve.
    run_id,         -- the run
    name,           -- its name
    config_id,      -- the line's configuration
    benchmark_type, -- the line's benchmark type
    isl,            -- the line's input length, NULL for agentic rows
    osl,            -- the line's output length, NULL for agentic rows
    offload_mode,   -- the line's offload mode
    measured_on     -- UTC day of the run, NULL for raw artifacts
) AS
SELECT run_id, name, config_id, benchmark_type, isl, osl, offload_mode, measured_on
FROM inferencex_lines
WHERE next_run_id IS NULL;
CREATE VIEW curve_metrics ( -- The metrics of a definition set that fill columns of curves for a catalog run, by name. The column is of exactly one formula and statistic. NULL where the set has no such metric, or two that differ in more than formula and statistic: neither is picked.
    definition_set_id,      -- the set (see runs.definition_set_id)
    ttft_mean,              -- the name of ttft mean
    ttft_p50,               -- the name of ttft median
    ttft_p90,               -- the name of ttft p90
    ttft_p95,               -- the name of ttft p95
    ttft_p99,               -- the name of ttft p99
    tpot_mean,              -- the name of tpot mean
    tpot_p50,               -- the name of tpot median
    tpot_p90,               -- the name of tpot p90
    tpot_p95,               -- the name of tpot p95
    tpot_p99,               -- the name of tpot p99
    itl_mean,               -- the name of itl mean
    itl_p50,                -- the name of itl median
    itl_p90,                -- the name of itl p90
    itl_p95,                -- the name of itl p95
    itl_p99,                -- the name of itl p99
    e2e_mean,               -- the name of e2el mean
    e2e_p50,                -- the name of e2el median
    e2e_p90,                -- the name of e2el p90
    e2e_p95,                -- the name of e2el p95
    e2e_p99,                -- the name of e2el p99
    interactivity_p50,      -- the name of tpot median where it is over requests: its reciprocal is interactivity
    output_tok_s_per_gpu,   -- the name of output_throughput_per_gpu
    input_tok_s_per_gpu,    -- the name of input_throughput_per_gpu
    total_tok_s_per_gpu,    -- the name of total_token_throughput_per_gpu
    output_tok_s,           -- the name of output_throughput
    input_tok_s,            -- the name of input_throughput
    total_tok_s,            -- the name of total_token_throughput
    requests_per_s,         -- the name of request_throughput
    goodput_requests_per_s, -- the name of request_goodput
    output_gpus,            -- what output_throughput_per_gpu is divided by: all, prefill or decode, NULL where it is none or unstated
    input_gpus              -- the same of input_throughput_per_gpu
) AS
SELECT
    m.definition_set_id,
    max(CASE WHEN m.slot = 0 AND m.identity = 'ttft mean' THEN m.metric END),
    max(CASE WHEN m.slot = 0 AND m.identity = 'ttft median' THEN m.metric END),
    max(CASE WHEN m.slot = 0 AND m.identity = 'ttft p90' THEN m.metric END),
    max(CASE WHEN m.slot = 0 AND m.identity = 'ttft p95' THEN m.metric END),
    max(CASE WHEN m.slot = 0 AND m.identity = 'ttft p99' THEN m.metric END),
    max(CASE WHEN m.slot = 0 AND m.identity = 'tpot mean' THEN m.metric END),
    max(CASE WHEN m.slot = 0 AND m.identity = 'tpot median' THEN m.metric END),
    max(CASE WHEN m.slot = 0 AND m.identity = 'tpot p90' THEN m.metric END),
    max(CASE WHEN m.slot = 0 AND m.identity = 'tpot p95' THEN m.metric END),
    max(CASE WHEN m.slot = 0 AND m.identity = 'tpot p99' THEN m.metric END),
    max(CASE WHEN m.slot = 0 AND m.identity = 'itl mean' THEN m.metric END),
    max(CASE WHEN m.slot = 0 AND m.identity = 'itl median' THEN m.metric END),
    max(CASE WHEN m.slot = 0 AND m.identity = 'itl p90' THEN m.metric END),
    max(CASE WHEN m.slot = 0 AND m.identity = 'itl p95' THEN m.metric END),
    max(CASE WHEN m.slot = 0 AND m.identity = 'itl p99' THEN m.metric END),
    max(CASE WHEN m.slot = 0 AND m.identity = 'e2el mean' THEN m.metric END),
    max(CASE WHEN m.slot = 0 AND m.identity = 'e2el median' THEN m.metric END),
    max(CASE WHEN m.slot = 0 AND m.identity = 'e2el p90' THEN m.metric END),
    max(CASE WHEN m.slot = 0 AND m.identity = 'e2el p95' THEN m.metric END),
    max(CASE WHEN m.slot = 0 AND m.identity = 'e2el p99' THEN m.metric END),
    max(CASE WHEN m.slot = 0 AND m.identity = 'tpot median' AND f.population = 'per_request' THEN m.metric END),
    max(CASE WHEN m.slot = 0 AND m.identity = 'output_throughput_per_gpu' THEN m.metric END),
    max(CASE WHEN m.slot = 0 AND m.identity = 'input_throughput_per_gpu' THEN m.metric END),
    max(CASE WHEN m.slot = 0 AND m.identity = 'total_token_throughput_per_gpu' THEN m.metric END),
    max(CASE WHEN m.slot = 0 AND m.identity = 'output_throughput' THEN m.metric END),
    max(CASE WHEN m.slot = 0 AND m.identity = 'input_throughput' THEN m.metric END),
    max(CASE WHEN m.slot = 0 AND m.identity = 'total_token_throughput' THEN m.metric END),
    max(CASE WHEN m.slot = 0 AND m.identity = 'request_throughput' THEN m.metric END),
    max(CASE WHEN m.slot = 0 AND m.identity = 'request_goodput' THEN m.metric END),
    max(CASE WHEN m.identity = 'output_throughput_per_gpu' THEN f.gpu_scope END),
    max(CASE WHEN m.identity = 'input_throughput_per_gpu' THEN f.gpu_scope END)
FROM definition_set_members m
JOIN definitions f ON f.definition_id = m.definition_id
GROUP BY m.definition_set_id;

CREATE VIEW curves ( -- A point of a run with what analysts ask of it: one row per point of all sources, units in the names. Metrics whose definitions differ in more than formula and statistic share a column: compare definition_set_id, or metric_defs, before values of two sources.
    point_id,                  -- the point
    run_id,                    -- its run
    run,                       -- the run's name
    point,                     -- the point's name in the run
    position,                  -- order in the run, from 0, loads increasing
    origin,                    -- catalog, inferencex or evaluation. An evaluation run defines no metric, so that its metric columns are NULL
    model,                     -- the model that was served, NULL where not stated
    hardware,                  -- the accelerator, NULL where not stated
    engine,                    -- the serving engine, NULL where nothing names it
    engine_version,            -- the engine release that ran, NULL where not stated
    framework,                 -- the serving framework of an inferencex run, which may hold an engine (dynamo-vllm), NULL for others
    precision,                 -- of the weights. For a catalog run the setting quantization as stated, NULL where pools disagree or none states it
    spec_method,               -- speculative decoding, none for none. For a catalog run the setting speculative.method as stated, NULL where pools disagree or none states it
    disagg,                    -- 1 where prefill and decode run on GPUs of their own, 0 where not, NULL where no deployment is stated
    tp,                        -- tensor-parallel width, NULL with several pools (see parallelism) or none, like the three below
    pp,                        -- pipeline-parallel width, NULL where not stated
    dp,                        -- data-parallel width, NULL where not stated
    ep,                        -- expert-parallel width, NULL for a catalog run, where the engine derives it
    gpus,                      -- GPUs in all, NULL where unknown
    prefill_gpus,              -- GPUs that only prefill, NULL without disaggregation or where the split is not stated
    decode_gpus,               -- GPUs that only decode, NULL without disaggregation or where the split is not stated
    parallelism,               -- the pools in words, such as tp8, tp8ep8 or prefill 2xtp4 + decode 1xtp8: workers of a role, widths above 1 (tp always), ep alone where a catalog run enables it, NULL where no deployment is stated
    benchmark_type,            -- single_turn or agentic_traces, NULL but for inferencex
    offload_mode,              -- of an inferencex run, off for none, NULL for others
    workload_kind,             -- shape or trace of a catalog run, NULL for others
    workload,                  -- the shape's name or the trace's data path, NULL where none is stated
    isl,                       -- stated input length, tokens, NULL where not stated
    osl,                       -- stated output length, tokens, NULL where not stated
    concurrency,               -- the client's concurrency cap, NULL where only a rate is stated
    request_rate,              -- offered requests per second, NULL where only a concurrency is stated
    date,                      -- measured_on, else retrieved_on
    measured_on,               -- UTC day of the measurement, NULL where not stated
    retrieved_on,              -- UTC day on which the inputs of a catalog run were fetched, NULL where not stated
    ttft_mean_ms,              -- time to first token, mean, ms
    ttft_p50_ms,               -- time to first token, median, ms
    ttft_p90_ms,               -- time to first token, p90, ms
    ttft_p95_ms,               -- time to first token, p95, ms
    ttft_p99_ms,               -- time to first token, p99, ms
    tpot_mean_ms,              -- time per output token, mean, ms
    tpot_p50_ms,               -- time per output token, median, ms
    tpot_p90_ms,               -- time per output token, p90, ms
    tpot_p95_ms,               -- time per output token, p95, ms
    tpot_p99_ms,               -- time per output token, p99, ms
    itl_mean_ms,               -- gap between tokens or chunks, mean, ms
    itl_p50_ms,                -- gap between tokens or chunks, median, ms
    itl_p90_ms,                -- gap between tokens or chunks, p90, ms
    itl_p95_ms,                -- gap between tokens or chunks, p95, ms
    itl_p99_ms,                -- gap between tokens or chunks, p99, ms
    e2e_mean_ms,               -- time from request to end of response, mean, ms
    e2e_p50_ms,                -- time from request to end of response, median, ms
    e2e_p90_ms,                -- time from request to end of response, p90, ms
    e2e_p95_ms,                -- time from request to end of response, p95, ms
    e2e_p99_ms,                -- time from request to end of response, p99, ms
    interactivity_p50_tok_s,   -- output tokens per second and user, of the median request: as reported by inferencex for single_turn, else the reciprocal of median tpot where that is over requests. NULL for agentic_traces, whose figure means something else (see inferencex_meanings)
    output_tok_s_per_gpu,      -- output tokens per second and GPU. Divided by the GPUs that output_gpus names
    input_tok_s_per_gpu,       -- input tokens per second and GPU. Divided by the GPUs that input_gpus names
    total_tok_s_per_gpu,       -- input and output tokens per second and GPU, over all GPUs. For agentic_traces tokens served from the prefix cache count too
    output_tok_s,              -- output tokens per second of the whole deployment, NULL for inferencex, which states it per GPU
    input_tok_s,               -- input tokens per second of the whole deployment, NULL for inferencex
    total_tok_s,               -- input and output tokens per second of the whole deployment, NULL for inferencex
    requests_per_s,            -- requests per second, NULL for inferencex
    goodput_requests_per_s,    -- requests per second that met their targets, NULL for inferencex. The targets are in slo_targets where the run states a trace
    output_gpus,               -- the GPUs that output_tok_s_per_gpu is divided by: all or decode, NULL where unstated or without a value of inferencex
    input_gpus,                -- the GPUs that input_tok_s_per_gpu is divided by: all or prefill, NULL where unstated or without a value of inferencex
    power_valid,               -- 1 where the publisher validated the power measurement, 0 where that failed, NULL where not stated. Power and energy are NULL unless it is 1
    power_w_per_gpu,           -- mean power, watts per GPU
    energy_j_per_output_token, -- of the whole deployment, joules. NULL unless schema version 2 says that it is, like the three below
    energy_j_per_input_token,  -- of the whole deployment, joules
    energy_j_per_total_token,  -- of the whole deployment, joules per input or output token
    energy_j_per_request,      -- of the whole deployment, joules per successful request
    completed,                 -- requests completed, NULL where not stated
    failed,                    -- requests failed, NULL where not stated
    mean_isl,                  -- mean input tokens actually served, NULL where not stated
    mean_osl,                  -- mean output tokens actually served, NULL where not stated
    kv_utilization,            -- fraction of the KV pool in use, NULL where not stated
    prefix_hit_rate,           -- fraction of prompt tokens served from cache, NULL where not stated
    preemptions,               -- requests evicted and recomputed, NULL where not stated
    noise_seeds,               -- seeds the spread was measured over, NULL where not stated
    noise_cv,                  -- coefficient of variation across them, NULL where not stated
    is_anchor,                 -- 1 for the lowest load of the run, the anchor
    latest,                    -- 1 for the newest inferencex run of its line (see inferencex_lines) and for another run that no loaded run supersedes, else 0
    hidden,                    -- 1 where a newer attempt of the same GitHub run hides the run, else 0
    verdict,                   -- EXACT, PARTIAL or NOT_REPRODUCIBLE, computed
    resolution,                -- STRICT or RESOLVED of an EXACT run, else NULL
    scorable,                  -- 1 for a run of scorable_runs, else 0
    licence_id,                -- the licence that the run cites, NULL for an evaluation run, which cites none
    flags,                     -- how many plausibility flags point at the point or at its whole run, 0 for none and but for inferencex
    flag_codes,                -- their codes by name, NULL for none
    definition_set_id          -- the definitions of its metrics (see metric_defs, and curve_metrics for which of them fills which column)
) AS
SELECT
    p.point_id,
    p.run_id,
    r.name,
    p.id,
    p.position,
    r.origin,
    r.model,
    r.hardware,
    r.engine,
    r.engine_version,
    c.framework,
    CASE WHEN c.config_id IS NULL THEN (SELECT CASE count(DISTINCT s.value) WHEN 1 THEN min(s.value) END FROM pool_settings s WHERE s.run_id = p.run_id AND s.setting = 'quantization') ELSE c.precision END,
    CASE WHEN c.config_id IS NULL THEN (SELECT CASE count(DISTINCT s.value) WHEN 1 THEN min(s.value) END FROM pool_settings s WHERE s.run_id = p.run_id AND s.setting = 'speculative.method') ELSE c.spec_method END,
    CASE WHEN c.config_id IS NULL THEN (SELECT max(q.role <> 'colocated') FROM pools q WHERE q.run_id = p.run_id) ELSE c.disagg END,
    CASE WHEN b.run_id IS NULL THEN a.tp END,
    CASE WHEN b.run_id IS NULL THEN a.pp END,
    CASE WHEN b.run_id IS NULL THEN a.dp END,
    CASE WHEN b.run_id IS NULL THEN a.ep END,
    r.gpus,
    CASE WHEN c.config_id IS NULL THEN (SELECT sum(q.nodes) * r.gpus_per_node FROM pools q WHERE q.run_id = p.run_id AND q.role = 'prefill') WHEN c.disagg = 1 AND i.collapsed = 0 THEN c.num_prefill_gpu END,
    CASE WHEN c.config_id IS NULL THEN (SELECT sum(q.nodes) * r.gpus_per_node FROM pools q WHERE q.run_id = p.run_id AND q.role = 'decode') WHEN c.disagg = 1 AND i.collapsed = 0 THEN c.num_decode_gpu END,
    (
        SELECT group_concat(pool, ' + ')
        FROM (SELECT CASE q.role WHEN 'colocated' THEN '' ELSE q.role || ' ' END || CASE WHEN q.workers >= 1 AND q.role <> 'colocated' THEN q.workers || 'x' ELSE '' END
                     || 'tp' || q.tp || CASE WHEN q.pp > 1 THEN 'pp' || q.pp ELSE '' END || CASE WHEN q.dp > 1 THEN 'dp' || q.dp ELSE '' END
                     || CASE WHEN q.ep > 1 THEN 'ep' || q.ep WHEN q.enable_expert_parallel = 1 THEN 'ep' ELSE '' END
                     || CASE WHEN q.dp_attention = 1 THEN ' dp_attention' ELSE '' END AS pool
              FROM pools q WHERE q.run_id = p.run_id ORDER BY q.position)
    ),
    i.benchmark_type,
    i.offload_mode,
    r.workload_kind,
    r.workload,
    r.isl,
    r.osl,
    p.concurrency,
    p.request_rate,
    coalesce(r.measured_on, r.retrieved_on),
    r.measured_on,
    r.retrieved_on,
    CASE WHEN x.point_id IS NULL THEN (SELECT v.value FROM catalog_values v WHERE v.point_id = p.point_id AND v.metric = d.ttft_mean) ELSE x.mean_ttft * 1000.0 END,
    CASE WHEN x.point_id IS NULL THEN (SELECT v.value FROM catalog_values v WHERE v.point_id = p.point_id AND v.metric = d.ttft_p50) ELSE x.median_ttft * 1000.0 END,
    CASE WHEN x.point_id IS NULL THEN (SELECT v.value FROM catalog_values v WHERE v.point_id = p.point_id AND v.metric = d.ttft_p90) ELSE x.p90_ttft * 1000.0 END,
    CASE WHEN x.point_id IS NULL THEN (SELECT v.value FROM catalog_values v WHERE v.point_id = p.point_id AND v.metric = d.ttft_p95) ELSE x.p95_ttft * 1000.0 END,
    CASE WHEN x.point_id IS NULL THEN (SELECT v.value FROM catalog_values v WHERE v.point_id = p.point_id AND v.metric = d.ttft_p99) ELSE x.p99_ttft * 1000.0 END,
    CASE WHEN x.point_id IS NULL THEN (SELECT v.value FROM catalog_values v WHERE v.point_id = p.point_id AND v.metric = d.tpot_mean) ELSE x.mean_tpot * 1000.0 END,
    CASE WHEN x.point_id IS NULL THEN (SELECT v.value FROM catalog_values v WHERE v.point_id = p.point_id AND v.metric = d.tpot_p50) ELSE x.median_tpot * 1000.0 END,
    CASE WHEN x.point_id IS NULL THEN (SELECT v.value FROM catalog_values v WHERE v.point_id = p.point_id AND v.metric = d.tpot_p90) ELSE x.p90_tpot * 1000.0 END,
    CASE WHEN x.point_id IS NULL THEN (SELECT v.value FROM catalog_values v WHERE v.point_id = p.point_id AND v.metric = d.tpot_p95) ELSE x.p95_tpot * 1000.0 END,
    CASE WHEN x.point_id IS NULL THEN (SELECT v.value FROM catalog_values v WHERE v.point_id = p.point_id AND v.metric = d.tpot_p99) ELSE x.p99_tpot * 1000.0 END,
    CASE WHEN x.point_id IS NULL THEN (SELECT v.value FROM catalog_values v WHERE v.point_id = p.point_id AND v.metric = d.itl_mean) ELSE x.mean_itl * 1000.0 END,
    CASE WHEN x.point_id IS NULL THEN (SELECT v.value FROM catalog_values v WHERE v.point_id = p.point_id AND v.metric = d.itl_p50) ELSE x.median_itl * 1000.0 END,
    CASE WHEN x.point_id IS NULL THEN (SELECT v.value FROM catalog_values v WHERE v.point_id = p.point_id AND v.metric = d.itl_p90) ELSE x.p90_itl * 1000.0 END,
    CASE WHEN x.point_id IS NULL THEN (SELECT v.value FROM catalog_values v WHERE v.point_id = p.point_id AND v.metric = d.itl_p95) ELSE x.p95_itl * 1000.0 END,
    CASE WHEN x.point_id IS NULL THEN (SELECT v.value FROM catalog_values v WHERE v.point_id = p.point_id AND v.metric = d.itl_p99) ELSE x.p99_itl * 1000.0 END,
    CASE WHEN x.point_id IS NULL THEN (SELECT v.value FROM catalog_values v WHERE v.point_id = p.point_id AND v.metric = d.e2e_mean) ELSE x.mean_e2el * 1000.0 END,
    CASE WHEN x.point_id IS NULL THEN (SELECT v.value FROM catalog_values v WHERE v.point_id = p.point_id AND v.metric = d.e2e_p50) ELSE x.median_e2el * 1000.0 END,
    CASE WHEN x.point_id IS NULL THEN (SELECT v.value FROM catalog_values v WHERE v.point_id = p.point_id AND v.metric = d.e2e_p90) ELSE x.p90_e2el * 1000.0 END,
    CASE WHEN x.point_id IS NULL THEN (SELECT v.value FROM catalog_values v WHERE v.point_id = p.point_id AND v.metric = d.e2e_p95) ELSE x.p95_e2el * 1000.0 END,
    CASE WHEN x.point_id IS NULL THEN (SELECT v.value FROM catalog_values v WHERE v.point_id = p.point_id AND v.metric = d.e2e_p99) ELSE x.p99_e2el * 1000.0 END,
    CASE WHEN x.point_id IS NULL THEN 1000.0 / (SELECT nullif(v.value, 0) FROM catalog_values v WHERE v.point_id = p.point_id AND v.metric = d.interactivity_p50) WHEN i.benchmark_type = 'single_turn' THEN coalesce(x.median_intvty, 1.0 / nullif(x.median_tpot, 0)) END,
    CASE WHEN x.point_id IS NULL THEN (SELECT v.value FROM catalog_values v WHERE v.point_id = p.point_id AND v.metric = d.output_tok_s_per_gpu) ELSE x.output_tput_per_gpu END,
    CASE WHEN x.point_id IS NULL THEN (SELECT v.value FROM catalog_values v WHERE v.point_id = p.point_id AND v.metric = d.input_tok_s_per_gpu) ELSE x.input_tput_per_gpu END,
    CASE WHEN x.point_id IS NULL THEN (SELECT v.value FROM catalog_values v WHERE v.point_id = p.point_id AND v.metric = d.total_tok_s_per_gpu) ELSE x.tput_per_gpu END,
    (SELECT v.value FROM catalog_values v WHERE v.point_id = p.point_id AND v.metric = d.output_tok_s),
    (SELECT v.value FROM catalog_values v WHERE v.point_id = p.point_id AND v.metric = d.input_tok_s),
    (SELECT v.value FROM catalog_values v WHERE v.point_id = p.point_id AND v.metric = d.total_tok_s),
    (SELECT v.value FROM catalog_values v WHERE v.point_id = p.point_id AND v.metric = d.requests_per_s),
    (SELECT v.value FROM catalog_values v WHERE v.point_id = p.point_id AND v.metric = d.goodput_requests_per_s),
    CASE WHEN d.output_tok_s_per_gpu IS NOT NULL OR x.output_tput_per_gpu IS NOT NULL THEN d.output_gpus END,
    CASE WHEN d.input_tok_s_per_gpu IS NOT NULL OR x.input_tput_per_gpu IS NOT NULL THEN d.input_gpus END,
    CAST(x.power_valid AS INTEGER),
    w.avg_power_w,
    w.joules_per_output_token,
    w.joules_per_input_token,
    w.joules_per_total_token,
    w.joules_per_successful_query,
    CASE WHEN x.point_id IS NULL THEN p.completed ELSE CAST(x.num_requests_successful AS INTEGER) END,
    CASE WHEN x.point_id IS NULL THEN p.failed ELSE CAST(x.num_requests_total - x.num_requests_successful AS INTEGER) END,
    p.mean_isl,
    p.mean_osl,
    p.kv_utilization,
    p.prefix_hit_rate,
    p.preemptions,
    p.noise_seeds,
    p.noise_cv,
    p.position = 0,
    CASE WHEN i.run_id IS NOT NULL THEN r.run_id IN (SELECT l.run_id FROM inferencex_latest_runs l) ELSE NOT EXISTS (SELECT 1 FROM runs s WHERE s.supersedes = r.name) END,
    r.hidden_by_attempt IS NOT NULL,
    o.verdict,
    o.resolution,
    CASE WHEN EXISTS (SELECT 1 FROM effective_permits e WHERE e.licence_id = r.licence_id AND e.use = 'score') THEN EXISTS (SELECT 1 FROM scorable_runs s WHERE s.run_id = r.run_id) ELSE 0 END,
    nullif(r.licence_id, ''),
    (SELECT count(*) FROM flags f WHERE f.run_id = p.run_id AND (f.point_id = p.point_id OR f.point_id IS NULL)),
    (SELECT group_concat(code, ', ') FROM (SELECT DISTINCT f.code FROM flags f WHERE f.run_id = p.run_id AND (f.point_id = p.point_id OR f.point_id IS NULL) ORDER BY f.code)),
    r.definition_set_id
FROM points p
JOIN runs r ON r.run_id = p.run_id
JOIN verdicts o ON o.run_id = r.run_id
LEFT JOIN curve_metrics d ON d.definition_set_id = r.definition_set_id
LEFT JOIN pools a ON a.run_id = p.run_id AND a.position = 0
LEFT JOIN pools b ON b.run_id = p.run_id AND b.position = 1
LEFT JOIN inferencex_runs i ON i.run_id = p.run_id
LEFT JOIN inferencex_configs c ON c.config_id = i.config_id
LEFT JOIN inferencex_points x ON x.point_id = p.point_id
LEFT JOIN inferencex_power w ON w.point_id = p.point_id;
