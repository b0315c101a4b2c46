-- +goose Up
CREATE VIEW inferencex_rows ( -- An InferenceX benchmark row, merged over the captures that reported it, names as in the publisher's reference.
    point_id,              -- the point
    run_id,                -- the run
    id,                    -- the publisher's row id, not an identity
    hardware,              -- the accelerator, canonical name
    framework,             -- the serving framework, canonical name
    model,                 -- the publisher's model key
    precision,             -- of the weights, canonical name
    spec_method,           -- speculative decoding, none for none
    disagg,                -- 0 or 1
    is_multinode,          -- 0 or 1
    prefill_tp,            -- tensor-parallel width
    prefill_ep,            -- expert-parallel width
    prefill_dp_attention,  -- 0 or 1
    prefill_num_workers,   -- prefill workers
    decode_tp,             -- tensor-parallel width
    decode_ep,             -- expert-parallel width
    decode_dp_attention,   -- 0 or 1
    decode_num_workers,    -- decode workers
    num_prefill_gpu,       -- as reported (see runs.gpus)
    num_decode_gpu,        -- as reported (see runs.gpus)
    benchmark_type,        -- single_turn or agentic_traces
    isl,                   -- input length, tokens, NULL for agentic rows
    osl,                   -- output length, tokens, NULL for agentic rows
    conc,                  -- concurrency
    offload_mode,          -- off for none
    image,                 -- the container image, filled in from the run's other rows where this row does not state it and they agree
    recipe_fingerprint,    -- NULL where not reported
    workflow_run_id,       -- the publisher's serial number of the workflow run
    github_run_id,         -- from run_url
    run_attempt,           -- from run_url, 1 where it states none
    run_started_at,        -- RFC 3339 in UTC
    date,                  -- UTC day
    run_url,               -- as reported
    official,              -- 1 when run_url lies under the publisher's repository
    hidden_by_attempt,     -- the newer attempt that hides this row, NULL where it is current
    raw_hardware,          -- hardware as written
    raw_framework,         -- framework as written
    raw_model,             -- model as written
    raw_precision,         -- precision as written
    raw_spec_method,       -- spec_method as written
    artifact_digest,       -- digest of the canonical row of a raw artifact, NULL for other rows
    mean_ttft,                       -- as reported, NULL where it is not
    median_ttft,                     -- as reported, NULL where it is not
    std_ttft,                        -- as reported, NULL where it is not
    p75_ttft,                        -- as reported, NULL where it is not
    p90_ttft,                        -- as reported, NULL where it is not
    p95_ttft,                        -- as reported, NULL where it is not
    p99_ttft,                        -- as reported, NULL where it is not
    p99_9_ttft,                      -- as reported, NULL where it is not
    mean_tpot,                       -- as reported, NULL where it is not
    median_tpot,                     -- as reported, NULL where it is not
    std_tpot,                        -- as reported, NULL where it is not
    p75_tpot,                        -- as reported, NULL where it is not
    p90_tpot,                        -- as reported, NULL where it is not
    p95_tpot,                        -- as reported, NULL where it is not
    p99_tpot,                        -- as reported, NULL where it is not
    p99_9_tpot,                      -- as reported, NULL where it is not
    mean_itl,                        -- as reported, NULL where it is not
    median_itl,                      -- as reported, NULL where it is not
    std_itl,                         -- as reported, NULL where it is not
    p75_itl,                         -- as reported, NULL where it is not
    p90_itl,                         -- as reported, NULL where it is not
    p95_itl,                         -- as reported, NULL where it is not
    p99_itl,                         -- as reported, NULL where it is not
    p99_9_itl,                       -- as reported, NULL where it is not
    mean_e2el,                       -- as reported, NULL where it is not
    median_e2el,                     -- as reported, NULL where it is not
    std_e2el,                        -- as reported, NULL where it is not
    p75_e2el,                        -- as reported, NULL where it is not
    p90_e2el,                        -- as reported, NULL where it is not
    p95_e2el,                        -- as reported, NULL where it is not
    p99_e2el,                        -- as reported, NULL where it is not
    p99_9_e2el,                      -- as reported, NULL where it is not
    mean_intvty,                     -- as reported, NULL where it is not
    median_intvty,                   -- as reported, NULL where it is not
    std_intvty,                      -- as reported, NULL where it is not
    p75_intvty,                      -- as reported, NULL where it is not
    p90_intvty,                      -- as reported, NULL where it is not
    p95_intvty,                      -- as reported, NULL where it is not
    p99_intvty,                      -- as reported, NULL where it is not
    p99_9_intvty,                    -- as reported, NULL where it is not
    tput_per_gpu,                    -- as reported, NULL where it is not
    input_tput_per_gpu,              -- as reported, NULL where it is not
    output_tput_per_gpu,             -- as reported, NULL where it is not
    power_valid,                     -- as reported, NULL where it is not
    power_metric_schema_version,     -- as reported, NULL where it is not
    avg_power_w,                     -- as reported, NULL where it is not
    prefill_avg_power_w,             -- as reported, NULL where it is not
    decode_avg_power_w,              -- as reported, NULL where it is not
    joules_per_successful_query,     -- as reported, NULL where it is not
    joules_per_output_token,         -- as reported, NULL where it is not
    joules_per_total_token,          -- as reported, NULL where it is not
    joules_per_input_token,          -- as reported, NULL where it is not
    prefill_joules_per_input_token,  -- as reported, NULL where it is not
    decode_joules_per_output_token,  -- as reported, NULL where it is not
    avg_temp_c,                      -- as reported, NULL where it is not
    peak_temp_c,                     -- as reported, NULL where it is not
    avg_util_pct,                    -- as reported, NULL where it is not
    avg_mem_used_mb,                 -- as reported, NULL where it is not
    num_requests_total,              -- as reported, NULL where it is not
    num_requests_successful,         -- as reported, NULL where it is not
    workers,               -- JSON
    power_audit,           -- JSON
    power_invalid_reasons, -- JSON
    extra                  -- JSON object of the keys outside the reference
) AS
SELECT p.point_id, p.run_id, x.id, c.hardware, c.framework, c.model, c.precision, c.spec_method, c.disagg, c.is_multinode,
    c.prefill_tp, c.prefill_ep, c.prefill_dp_attention, c.prefill_num_workers, c.decode_tp, c.decode_ep, c.decode_dp_attention, c.decode_num_workers,
    c.num_prefill_gpu, c.num_decode_gpu, i.benchmark_type, r.isl, r.osl, p.concurrency, i.offload_mode,
    coalesce(g.image, (
        SELECT min(g2.image) FROM points p2 JOIN inferencex_points x2 ON x2.point_id = p2.point_id JOIN inferencex_images g2 ON g2.image_id = x2.image_id
        WHERE p2.run_id = p.run_id HAVING count(DISTINCT g2.image_id) = 1
    )),
    i.recipe_fingerprint, x.workflow_run_id, i.github_run_id, i.run_attempt, i.run_started_at, x.date, i.run_url, i.official, r.hidden_by_attempt,
    coalesce(x.raw_hardware, c.hardware), coalesce(x.raw_framework, c.framework), coalesce(x.raw_model, c.model),
    coalesce(x.raw_precision, c.precision), coalesce(x.raw_spec_method, c.spec_method), x.artifact_digest,
    x.mean_ttft,
    x.median_ttft,
    x.std_ttft,
    x.p75_ttft,
    x.p90_ttft,
    x.p95_ttft,
    x.p99_ttft,
    x.p99_9_ttft,
    x.mean_tpot,
    x.median_tpot,
    x.std_tpot,
    x.p75_tpot,
    x.p90_tpot,
    x.p95_tpot,
    x.p99_tpot,
    x.p99_9_tpot,
    x.mean_itl,
    x.median_itl,
    x.std_itl,
    x.p75_itl,
    x.p90_itl,
    x.p95_itl,
    x.p99_itl,
    x.p99_9_itl,
    x.mean_e2el,
    x.median_e2el,
    x.std_e2el,
    x.p75_e2el,
    x.p90_e2el,
    x.p95_e2el,
    x.p99_e2el,
    x.p99_9_e2el,
    x.mean_intvty,
    x.median_intvty,
    x.std_intvty,
    x.p75_intvty,
    x.p90_intvty,
    x.p95_intvty,
    x.p99_intvty,
    x.p99_9_intvty,
    x.tput_per_gpu,
    x.input_tput_per_gpu,
    x.output_tput_per_gpu,
    x.power_valid,
    x.power_metric_schema_version,
    x.avg_power_w,
    x.prefill_avg_power_w,
    x.decode_avg_power_w,
    x.joules_per_successful_query,
    x.joules_per_output_token,
    x.joules_per_total_token,
    x.joules_per_input_token,
    x.prefill_joules_per_input_token,
    x.decode_joules_per_output_token,
    x.avg_temp_c,
    x.peak_temp_c,
    x.avg_util_pct,
    x.avg_mem_used_mb,
    x.num_requests_total,
    x.num_requests_successful,
    x.workers, x.power_audit, x.power_invalid_reasons, x.extra
FROM inferencex_points x
JOIN points p ON p.point_id = x.point_id
JOIN runs r ON r.run_id = p.run_id
JOIN inferencex_runs i ON i.run_id = r.run_id
JOIN inferencex_configs c ON c.config_id = i.config_id
LEFT JOIN inferencex_images g ON g.image_id = x.image_id;

CREATE VIEW inferencex_values ( -- A metric of an InferenceX row that is not in measurements: interactivity, power, energy, temperature, unknown keys.
    point_id,       -- the point
    key,            -- the publisher's key
    reported_value, -- as reported: a number, or the text of an attribute
    unit,           -- unit as reported, NULL where unknown
    why_raw,        -- why it is no metric of a run
    meaning,        -- what the key means on this row (see inferencex_meanings), NULL where nothing is known of it
    comparable      -- 1 where values of the same key and meaning may be compared, 0 where not or where nothing is known
) AS
SELECT v.point_id, v.key, v.reported, v.unit, v.why_raw,
    (SELECT m.meaning FROM inferencex_meanings m WHERE m.family = v.family AND m.position = v.trial),
    ifnull((SELECT m.comparable FROM inferencex_meanings m WHERE m.family = v.family AND m.position = v.trial), 0)
FROM (
    SELECT x.point_id, CASE WHEN x.p50_mask >> (k.slot - 1) & 1 THEN replace(k.key, 'median_', 'p50_') ELSE k.key END AS key, k.unit,
        CASE WHEN o.text IS NULL THEN k.why_raw ELSE 'reported as a text, not as a number' END AS why_raw, f.family,
        (SELECT min(m.position) FROM inferencex_meanings m
         WHERE m.family = f.family
           AND (m.agentic IS NULL OR m.agentic = (i.benchmark_type <> 'single_turn'))
           AND (m.artifact IS NULL OR m.artifact = (x.artifact_digest IS NOT NULL))
           AND (m.disagg IS NULL OR m.disagg = c.disagg)
           AND (m.versioned IS NULL OR m.versioned = (x.power_metric_schema_version IS 2))
           AND (m.power_valid IS NULL OR m.power_valid = ifnull(x.power_valid, -1))) AS trial,
        CASE k.slot
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
        ELSE coalesce(o.number, o.text) END AS reported
    FROM inferencex_points x
    CROSS JOIN inferencex_keys k
    JOIN points p ON p.point_id = x.point_id
    JOIN inferencex_runs i ON i.run_id = p.run_id
    JOIN inferencex_configs c ON c.config_id = i.config_id
    LEFT JOIN inferencex_families f ON f.key = k.key
    LEFT JOIN inferencex_other_values o ON o.point_id = x.point_id AND o.key = k.key
) v
WHERE v.reported IS NOT NULL;

CREATE VIEW inferencex_power ( -- Measured power and energy of a point whose measurement window was validated.
    point_id,                    -- the point
    avg_power_w,                 -- mean draw per GPU, watts
    prefill_avg_power_w,         -- the same over prefill workers
    decode_avg_power_w,          -- the same over decode workers
    avg_temp_c,                  -- mean temperature per GPU, degrees Celsius
    peak_temp_c,                 -- highest temperature of a GPU
    avg_util_pct,                -- mean utilisation per GPU, percent
    avg_mem_used_mb,             -- mean memory in use per GPU, MB
    joules_per_successful_query, -- of the whole deployment, NULL unless schema version 2 says so, like the three below
    joules_per_output_token,     -- of the whole deployment
    joules_per_total_token,      -- of the whole deployment
    joules_per_input_token       -- of the whole deployment
) AS
SELECT x.point_id, x.avg_power_w, x.prefill_avg_power_w, x.decode_avg_power_w, x.avg_temp_c, x.peak_temp_c, x.avg_util_pct, x.avg_mem_used_mb,
    CASE x.power_metric_schema_version WHEN 2 THEN x.joules_per_successful_query END,
    CASE x.power_metric_schema_version WHEN 2 THEN x.joules_per_output_token END,
    CASE x.power_metric_schema_version WHEN 2 THEN x.joules_per_total_token END,
    CASE x.power_metric_schema_version WHEN 2 THEN x.joules_per_input_token END
FROM inferencex_points x
WHERE x.power_valid = 1;

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
    next_on         -- the UTC day of that
) AS
SELECT r.run_id, r.name, i.config_id, i.benchmark_type, r.isl, r.osl, i.offload_mode, r.measured_on, lead(r.name) OVER line, lead(r.measured_on) OVER line
FROM runs r JOIN inferencex_runs i ON i.run_id = r.run_id
WHERE r.hidden_by_attempt IS NULL
WINDOW line AS (
    PARTITION BY i.config_id, i.benchmark_type, r.isl, r.osl, i.offload_mode
    ORDER BY r.measured_on, julianday(i.run_started_at), i.github_run_id, i.run_attempt, r.name
);

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
WHERE next_name IS NULL;
