-- +goose Up
CREATE TABLE inferencex_configs ( -- A configuration of InferenceX: the 17 columns that the publisher identifies it by, canonical names.
    config_id             INTEGER PRIMARY KEY, -- surrogate key
    hardware              TEXT NOT NULL,    -- the accelerator
    framework             TEXT NOT NULL,    -- the serving framework
    model                 TEXT NOT NULL,    -- the publisher's model key
    precision             TEXT NOT NULL,    -- of the weights
    spec_method           TEXT NOT NULL,    -- speculative decoding, none for none
    disagg                INTEGER NOT NULL CONSTRAINT inferencex_configs_disagg CHECK (disagg IN (0, 1)), -- whether prefill and decode run on GPUs of their own
    is_multinode          INTEGER NOT NULL CONSTRAINT inferencex_configs_is_multinode CHECK (is_multinode IN (0, 1)), -- whether it spans nodes
    prefill_tp            INTEGER NOT NULL, -- tensor-parallel width, of a prefill worker where disaggregated
    prefill_ep            INTEGER NOT NULL, -- expert-parallel width
    prefill_dp_attention  INTEGER NOT NULL CONSTRAINT inferencex_configs_prefill_dp CHECK (prefill_dp_attention IN (0, 1)), -- whether attention is data-parallel
    prefill_num_workers   INTEGER NOT NULL, -- 0 where not disaggregated
    decode_tp             INTEGER NOT NULL, -- tensor-parallel width of a decode worker
    decode_ep             INTEGER NOT NULL, -- expert-parallel width
    decode_dp_attention   INTEGER NOT NULL CONSTRAINT inferencex_configs_decode_dp CHECK (decode_dp_attention IN (0, 1)), -- whether attention is data-parallel
    decode_num_workers    INTEGER NOT NULL, -- 0 where not disaggregated
    num_prefill_gpu       INTEGER NOT NULL, -- as reported: repeats num_decode_gpu where not disaggregated, and may be tp × ep (see runs.gpus)
    num_decode_gpu        INTEGER NOT NULL  -- as reported
) STRICT;

CREATE UNIQUE INDEX inferencex_configs_by_content ON inferencex_configs (
    hardware, framework, model, precision, spec_method, disagg, is_multinode, prefill_tp, prefill_ep, prefill_dp_attention, prefill_num_workers,
    decode_tp, decode_ep, decode_dp_attention, decode_num_workers, num_prefill_gpu, num_decode_gpu
);

CREATE TABLE inferencex_runs ( -- What an InferenceX run is beyond runs: a configuration measured by one attempt of a GitHub run.
    run_id             INTEGER NOT NULL PRIMARY KEY REFERENCES runs (run_id) ON DELETE CASCADE, -- the run
    config_id          INTEGER NOT NULL REFERENCES inferencex_configs (config_id), -- its configuration
    github_run_id      INTEGER,          -- from run_url, NULL where it names none
    run_attempt        INTEGER,          -- from run_url, 1 where it states none, NULL without github_run_id
    run_url            TEXT,             -- as reported, NULL where it is
    run_started_at     TEXT,             -- RFC 3339 in UTC, NULL where no row states it
    benchmark_type     TEXT NOT NULL,    -- single_turn where rows do not state it
    offload_mode       TEXT NOT NULL,    -- off where rows do not state it
    recipe_fingerprint TEXT,             -- NULL where rows do not state it
    official           INTEGER NOT NULL CONSTRAINT inferencex_runs_official CHECK (official IN (0, 1)), -- 1 when run_url lies under the publisher's repository
    collapsed          INTEGER NOT NULL CONSTRAINT inferencex_runs_collapsed CHECK (collapsed IN (0, 1)), -- 1 when a disaggregated row states no split: no workers, and the width of all GPUs for both roles
    artifact_run       TEXT              -- for raw artifacts the name of the directory that groups them into runs, NULL for other rows
) STRICT;

CREATE INDEX inferencex_runs_by_github_run ON inferencex_runs (github_run_id, run_attempt);
CREATE INDEX inferencex_runs_by_config ON inferencex_runs (config_id);

CREATE TABLE inferencex_images ( -- A container image that rows name.
    image_id INTEGER PRIMARY KEY,  -- surrogate key
    image    TEXT NOT NULL UNIQUE, -- as reported
    engine_version TEXT            -- the engine release that its tag states, NULL where it states none
) STRICT;

CREATE TABLE inferencex_points ( -- The benchmark row of a point, its metrics as reported (see inferencex_rows for the whole row). NULL is not reported.
    point_id        INTEGER NOT NULL PRIMARY KEY REFERENCES points (point_id) ON DELETE CASCADE, -- the point
    date            TEXT,    -- UTC day, YYYY-MM-DD, NULL for raw artifacts
    image_id        INTEGER REFERENCES inferencex_images (image_id), -- the image that this row states, NULL where it states none
    id              INTEGER, -- the publisher's row id, not an identity
    workflow_run_id INTEGER, -- the publisher's serial number of the workflow run
    raw_hardware    TEXT,    -- hardware as written, NULL where it is the canonical name
    raw_framework   TEXT,    -- framework as written, NULL where it is the canonical name
    raw_model       TEXT,    -- model as written, NULL where it is the publisher's key
    raw_precision   TEXT,    -- precision as written, NULL where it is the canonical name
    raw_spec_method TEXT,    -- spec_method as written, NULL where it is the canonical name
    artifact_digest TEXT,    -- digest of the canonical row of a raw artifact, NULL for other rows
    p50_mask        INTEGER, -- bit i set: the column with index i was reported as p50_ instead of median_, NULL for none
    mean_ttft                      REAL, -- mean_ttft as reported, seconds
    median_ttft                    REAL, -- median_ttft as reported, seconds
    std_ttft                       REAL, -- std_ttft as reported, seconds
    p75_ttft                       REAL, -- p75_ttft as reported, seconds
    p90_ttft                       REAL, -- p90_ttft as reported, seconds
    p95_ttft                       REAL, -- p95_ttft as reported, seconds
    p99_ttft                       REAL, -- p99_ttft as reported, seconds
    p99_9_ttft                     REAL, -- p99.9_ttft as reported, seconds
    mean_tpot                      REAL, -- mean_tpot as reported, seconds
    median_tpot                    REAL, -- median_tpot as reported, seconds
    std_tpot                       REAL, -- std_tpot as reported, seconds
    p75_tpot                       REAL, -- p75_tpot as reported, seconds
    p90_tpot                       REAL, -- p90_tpot as reported, seconds
    p95_tpot                       REAL, -- p95_tpot as reported, seconds
    p99_tpot                       REAL, -- p99_tpot as reported, seconds
    p99_9_tpot                     REAL, -- p99.9_tpot as reported, seconds
    mean_itl                       REAL, -- mean_itl as reported, seconds
    median_itl                     REAL, -- median_itl as reported, seconds
    std_itl                        REAL, -- std_itl as reported, seconds
    p75_itl                        REAL, -- p75_itl as reported, seconds
    p90_itl                        REAL, -- p90_itl as reported, seconds
    p95_itl                        REAL, -- p95_itl as reported, seconds
    p99_itl                        REAL, -- p99_itl as reported, seconds
    p99_9_itl                      REAL, -- p99.9_itl as reported, seconds
    mean_e2el                      REAL, -- mean_e2el as reported, seconds
    median_e2el                    REAL, -- median_e2el as reported, seconds
    std_e2el                       REAL, -- std_e2el as reported, seconds
    p75_e2el                       REAL, -- p75_e2el as reported, seconds
    p90_e2el                       REAL, -- p90_e2el as reported, seconds
    p95_e2el                       REAL, -- p95_e2el as reported, seconds
    p99_e2el                       REAL, -- p99_e2el as reported, seconds
    p99_9_e2el                     REAL, -- p99.9_e2el as reported, seconds
    mean_intvty                    REAL, -- mean_intvty as reported, tokens/s/user
    median_intvty                  REAL, -- median_intvty as reported, tokens/s/user
    std_intvty                     REAL, -- std_intvty as reported, tokens/s/user
    p75_intvty                     REAL, -- p75_intvty as reported, tokens/s/user
    p90_intvty                     REAL, -- p90_intvty as reported, tokens/s/user
    p95_intvty                     REAL, -- p95_intvty as reported, tokens/s/user
    p99_intvty                     REAL, -- p99_intvty as reported, tokens/s/user
    p99_9_intvty                   REAL, -- p99.9_intvty as reported, tokens/s/user
    tput_per_gpu                   REAL, -- tput_per_gpu as reported, tokens/s per GPU
    input_tput_per_gpu             REAL, -- input_tput_per_gpu as reported, tokens/s per GPU
    output_tput_per_gpu            REAL, -- output_tput_per_gpu as reported, tokens/s per GPU
    power_valid                    REAL, -- power_valid as reported, 1 validated, 0 failed validation
    power_metric_schema_version    REAL, -- power_metric_schema_version as reported, 2: joules are of the whole deployment
    avg_power_w                    REAL, -- avg_power_w as reported, watts per GPU
    prefill_avg_power_w            REAL, -- prefill_avg_power_w as reported, watts per prefill GPU
    decode_avg_power_w             REAL, -- decode_avg_power_w as reported, watts per decode GPU
    joules_per_successful_query    REAL, -- joules_per_successful_query as reported, joules
    joules_per_output_token        REAL, -- joules_per_output_token as reported, joules
    joules_per_total_token         REAL, -- joules_per_total_token as reported, joules
    joules_per_input_token         REAL, -- joules_per_input_token as reported, joules
    prefill_joules_per_input_token REAL, -- prefill_joules_per_input_token as reported, joules
    decode_joules_per_output_token REAL, -- decode_joules_per_output_token as reported, joules
    avg_temp_c                     REAL, -- avg_temp_c as reported, degrees Celsius
    peak_temp_c                    REAL, -- peak_temp_c as reported, degrees Celsius
    avg_util_pct                   REAL, -- avg_util_pct as reported, percent
    avg_mem_used_mb                REAL, -- avg_mem_used_mb as reported, MB
    num_requests_total             REAL, -- num_requests_total as reported, requests
    num_requests_successful        REAL, -- num_requests_successful as reported, requests
    workers               TEXT, -- JSON list, NULL where not reported
    power_audit           TEXT, -- JSON, NULL where not reported
    power_invalid_reasons TEXT, -- JSON, NULL where not reported
    extra                 TEXT  -- JSON object of the keys outside the reference, NULL for none
) STRICT;

CREATE UNIQUE INDEX inferencex_points_by_artifact ON inferencex_points (artifact_digest) WHERE artifact_digest IS NOT NULL;
CREATE INDEX inferencex_points_by_image ON inferencex_points (image_id) WHERE image_id IS NOT NULL;

CREATE TABLE inferencex_keys ( -- What is known of a metric key that is kept raw: those with a column, and others that rows brought. The program keeps it up to date.
    key     TEXT NOT NULL PRIMARY KEY, -- the publisher's key
    slot    INTEGER UNIQUE, -- 1 + the index of its column in inferencex_points, NULL where it has none
    unit    TEXT,           -- unit as reported, NULL where unknown
    why_raw TEXT NOT NULL   -- why it is no metric of a run
) STRICT;

CREATE TABLE inferencex_other_values ( -- A metric of a row without a column of its own: a number or a text attribute.
    point_id INTEGER NOT NULL REFERENCES inferencex_points (point_id) ON DELETE CASCADE, -- the point
    key      TEXT NOT NULL REFERENCES inferencex_keys (key), -- the publisher's key
    number   REAL, -- the value, NULL for a text
    text     TEXT, -- the text, NULL for a number
    PRIMARY KEY (point_id, key),
    CONSTRAINT inferencex_other_values_one CHECK ((number IS NULL) <> (text IS NULL))
) STRICT, WITHOUT ROWID;

CREATE TABLE inferencex_revisions ( -- A value that a point was reported with, where reports differ: the one in effect and those it replaced.
    point_id INTEGER NOT NULL REFERENCES points (point_id) ON DELETE CASCADE, -- the point
    key      TEXT NOT NULL, -- the metric or field
    value    ANY NOT NULL,  -- as reported
    PRIMARY KEY (point_id, key, value)
) STRICT, WITHOUT ROWID;

CREATE TABLE inferencex_run_revisions ( -- A value that rows of a run give for the whole run, where they differ: the one in effect and those it replaced.
    run_id INTEGER NOT NULL REFERENCES runs (run_id) ON DELETE CASCADE, -- the run
    key    TEXT NOT NULL, -- run_url or run_started_at
    value  TEXT NOT NULL, -- as reported
    PRIMARY KEY (run_id, key, value)
) STRICT, WITHOUT ROWID;

CREATE TABLE inferencex_failed_points ( -- A point that was set aside because no request succeeded: it is no point and replaces none.
    run_name TEXT NOT NULL,    -- the run it would belong to, which need not exist
    conc     INTEGER NOT NULL, -- its concurrency
    sha256   TEXT NOT NULL,    -- digest of row
    error    TEXT,             -- the publisher's error text, NULL where none is given
    row      TEXT NOT NULL,    -- the row as JSON
    PRIMARY KEY (run_name, conc, sha256)
) STRICT, WITHOUT ROWID;

CREATE TABLE inferencex_metrics ( -- What a metric key of InferenceX means as a metric of a run, in a context. The program keeps it up to date.
    key       TEXT NOT NULL,    -- the publisher's key (p50_ is read as median_)
    agentic   INTEGER NOT NULL CONSTRAINT inferencex_metrics_agentic CHECK (agentic IN (0, 1)), -- 1 for every benchmark type but single_turn: another client measured
    per_role  INTEGER NOT NULL CONSTRAINT inferencex_metrics_per_role CHECK (per_role IN (0, 1)), -- 1 for disaggregated rows since 2025-11-05: input and output throughput are divided by the GPUs of their role
    metric    TEXT NOT NULL,    -- the metric's name in a run
    scale     REAL NOT NULL,    -- factor from the reported value to the unit
    formula   TEXT NOT NULL,    -- the quantity
    statistic TEXT,             -- NULL for a throughput
    population TEXT,            -- NULL where the publisher does not state it
    denominator TEXT,           -- what a throughput divides by, NULL for a latency
    clock     TEXT,             -- whose timestamps
    start_event TEXT,           -- when a latency starts, NULL where the publisher does not state it
    stop_event TEXT,            -- when a latency stops, NULL where the publisher does not state it
    output_len_source TEXT,     -- where output token counts come from
    percentile_method TEXT,     -- how a percentile interpolates
    unit      TEXT NOT NULL,    -- the definition's unit
    gpu_scope TEXT,             -- which GPUs a per-GPU figure was divided by
    cite      TEXT NOT NULL,    -- where the definition is read from
    PRIMARY KEY (key, agentic, per_role)
) STRICT, WITHOUT ROWID;

CREATE TABLE inferencex_drift ( -- A way in which a capture deviates from the published reference.
    sha256 TEXT NOT NULL,    -- digest of the capture
    kind   TEXT NOT NULL CONSTRAINT inferencex_drift_kind CHECK (kind IN ('key', 'metric', 'type', 'word')), -- a key outside the reference, an unknown metric, a value of another type, or an unknown word
    key    TEXT NOT NULL,    -- the key concerned
    detail TEXT NOT NULL,    -- the type or word found, empty for a key or metric
    path   TEXT NOT NULL,    -- its first position in the capture
    line   INTEGER,          -- the line of its first position, NULL where unknown
    count  INTEGER NOT NULL, -- how often it occurs in the capture
    PRIMARY KEY (sha256, kind, key, detail)
) STRICT, WITHOUT ROWID;

CREATE TABLE inferencex_families ( -- The family of a raw metric key: keys whose meaning changes together (see inferencex_meanings).
    key    TEXT NOT NULL PRIMARY KEY, -- the publisher's key
    family TEXT NOT NULL              -- intvty, std_intvty, joules, power or marker
) STRICT;

INSERT INTO inferencex_families (key, family) VALUES
    ('mean_intvty', 'intvty'), ('median_intvty', 'intvty'), ('p75_intvty', 'intvty'), ('p90_intvty', 'intvty'), ('p95_intvty', 'intvty'),
    ('p99_intvty', 'intvty'), ('p99.9_intvty', 'intvty'), ('std_intvty', 'std_intvty'),
    ('joules_per_successful_query', 'joules'), ('joules_per_output_token', 'joules'), ('joules_per_total_token', 'joules'), ('joules_per_input_token', 'joules'),
    ('prefill_joules_per_input_token', 'power'), ('decode_joules_per_output_token', 'power'), ('avg_power_w', 'power'),
    ('prefill_avg_power_w', 'power'), ('decode_avg_power_w', 'power'), ('avg_temp_c', 'power'), ('peak_temp_c', 'power'), ('avg_util_pct', 'power'),
    ('avg_mem_used_mb', 'power'), ('power_valid', 'marker'), ('power_metric_schema_version', 'marker'), ('num_requests_total', 'marker'),
    ('num_requests_successful', 'marker');

CREATE TABLE inferencex_meanings ( -- What a family of raw keys means under conditions. The first that holds, by position, counts. Two raw values are comparable when key and meaning are the same and comparable is 1.
    family      TEXT NOT NULL,    -- as inferencex_families.family
    position    INTEGER NOT NULL, -- order of trial
    agentic     INTEGER,          -- 1 for every benchmark type but single_turn, 0 for that, NULL for any
    artifact    INTEGER,          -- 1 for raw artifacts, 0 for other rows, NULL for any
    disagg      INTEGER,          -- 1 for disaggregated rows, 0 for others, NULL for any
    versioned   INTEGER,          -- 1 where power_metric_schema_version is 2, 0 where it is not, NULL for any
    power_valid INTEGER,          -- 1 or 0 as the row states, -1 where it states neither, NULL for any
    meaning     TEXT NOT NULL,    -- a word for it
    comparable  INTEGER NOT NULL CONSTRAINT inferencex_meanings_comparable CHECK (comparable IN (0, 1)), -- 1 where values of the same meaning may be compared
    why         TEXT NOT NULL,    -- in words
    PRIMARY KEY (family, position)
) STRICT, WITHOUT ROWID;

INSERT INTO inferencex_meanings (family, position, agentic, artifact, disagg, versioned, power_valid, meaning, comparable, why) VALUES
    ('intvty', 1, 0, NULL, NULL, NULL, NULL, 'reciprocal_of_tpot', 1, 'single-turn interactivity is the reciprocal of the tpot statistic of the same name'),
    ('intvty', 2, 1, 1, NULL, NULL, NULL, 'perhaps_inverted', 0, 'agentic artifacts before July 2026 have inverted percentiles, and an artifact has no date: recompute from itl'),
    ('intvty', 3, 1, 0, NULL, NULL, NULL, 'from_itl', 0, 'agentic interactivity is made from itl, and how changed during 2026'),
    ('std_intvty', 1, NULL, NULL, NULL, NULL, NULL, 'none', 0, 'the reciprocal of a standard deviation means nothing'),
    ('joules', 1, NULL, NULL, NULL, NULL, 0, 'failed_validation', 0, 'the measurement window failed validation: the value is set aside'),
    ('joules', 2, NULL, NULL, NULL, 1, 1, 'whole_deployment', 1, 'schema version 2 defines energy over the whole deployment'),
    ('joules', 3, NULL, NULL, NULL, 1, NULL, 'not_validated', 0, 'schema version 2 defines energy over the whole deployment, but the row states no validation'),
    ('joules', 4, NULL, NULL, 1, 0, NULL, 'ambiguous', 0, 'without schema version 2 a disaggregated row may state the energy of one role'),
    ('joules', 5, NULL, NULL, 0, 0, NULL, 'unversioned', 0, 'energy means the whole deployment only under schema version 2'),
    ('power', 1, NULL, NULL, NULL, NULL, 0, 'failed_validation', 0, 'the measurement window failed validation: the value is set aside'),
    ('power', 2, NULL, NULL, NULL, NULL, 1, 'validated', 1, 'the measurement window was validated'),
    ('power', 3, NULL, NULL, NULL, NULL, -1, 'not_validated', 0, 'the row predates validation'),
    ('marker', 1, NULL, NULL, NULL, NULL, NULL, 'as_named', 1, 'a count or mark that means what its name says');
