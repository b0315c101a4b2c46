-- +goose Up
CREATE TABLE inferencex_api_datasets ( -- A data set of traces, as a capture of /datasets states it. Known by the capture and the place in it.
    sha256               TEXT NOT NULL REFERENCES inferencex_bodies (sha256), -- the capture
    position             INTEGER NOT NULL, -- of the row in its list, from 1
    published_dataset_id TEXT, -- the publisher's id of the data set: no identity, NULL where unstated
    slug                 TEXT NOT NULL, -- the publisher's name of the data set, as in addresses
    label                TEXT, -- its title, NULL where unstated
    variant              TEXT, -- of the data set, NULL where unstated
    description          TEXT, -- what it is, NULL where unstated
    hf_url               TEXT, -- its address at Hugging Face, NULL where unstated
    licence              TEXT, -- the licence that the publisher states for the data set, as written; no entry of a registry, so it permits nothing. NULL where unstated
    conversation_count   INTEGER, -- conversations in it, NULL where unstated
    ingested_at          TEXT, -- when the publisher read it, RFC 3339 in UTC, NULL where unstated
    summary              TEXT CONSTRAINT inferencex_api_datasets_summary CHECK (summary IS NULL OR json_valid(summary)), -- JSON object of totals and means, whose keys the reference does not fix, NULL where unstated
    as_written           TEXT CONSTRAINT inferencex_api_datasets_as_written CHECK (as_written IS NULL OR json_valid(as_written)), -- JSON object of the texts that the columns hold otherwise (names, times), by the publisher's key, NULL for none
    extra                TEXT CONSTRAINT inferencex_api_datasets_extra CHECK (extra IS NULL OR json_valid(extra)), -- JSON object of what has no column, by the publisher's key, NULL for nothing
    PRIMARY KEY (sha256, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE inferencex_api_dataset_details ( -- A data set with its distributions, as a capture of /datasets/{slug} states it: a row for each capture. What is large stands last. Known by the capture and the place in it.
    sha256               TEXT NOT NULL REFERENCES inferencex_bodies (sha256), -- the capture
    position             INTEGER NOT NULL, -- of the row in its list, from 1
    published_dataset_id TEXT, -- the publisher's id of the data set: no identity, NULL where unstated
    slug                 TEXT NOT NULL, -- the publisher's name of the data set, as in addresses
    label                TEXT, -- its title, NULL where unstated
    variant              TEXT, -- of the data set, NULL where unstated
    description          TEXT, -- what it is, NULL where unstated
    hf_url               TEXT, -- its address at Hugging Face, NULL where unstated
    licence              TEXT, -- the licence that the publisher states for the data set, as written; no entry of a registry, so it permits nothing. NULL where unstated
    conversation_count   INTEGER, -- conversations in it, NULL where unstated
    ingested_at          TEXT, -- when the publisher read it, RFC 3339 in UTC, NULL where unstated
    summary              TEXT CONSTRAINT inferencex_api_dataset_details_summary CHECK (summary IS NULL OR json_valid(summary)), -- JSON object of totals and means, whose keys the reference does not fix, NULL where unstated
    as_written           TEXT CONSTRAINT inferencex_api_dataset_details_as_written CHECK (as_written IS NULL OR json_valid(as_written)), -- JSON object of the texts that the columns hold otherwise (names, times), by the publisher's key, NULL for none
    extra                TEXT CONSTRAINT inferencex_api_dataset_details_extra CHECK (extra IS NULL OR json_valid(extra)), -- JSON object of what has no column, by the publisher's key, NULL for nothing
    chart_data           TEXT CONSTRAINT inferencex_api_dataset_details_chart_data CHECK (chart_data IS NULL OR json_valid(chart_data)), -- JSON object of distributions, whose keys the reference does not fix, NULL where unstated
    PRIMARY KEY (sha256, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE inferencex_api_conversation_pages ( -- A capture of /datasets/{slug}/conversations: a row for each capture. Which data set it is of only the capture's address says: inferencex_captures.params. Known by the capture and the place in it.
    sha256     TEXT NOT NULL REFERENCES inferencex_bodies (sha256), -- the capture
    position   INTEGER NOT NULL, -- of the row in its list, from 1
    total      INTEGER NOT NULL, -- conversations that the question fits, on all pages
    as_written TEXT CONSTRAINT inferencex_api_conversation_pages_as_written CHECK (as_written IS NULL OR json_valid(as_written)), -- JSON object of the texts that the columns hold otherwise (names, times), by the publisher's key, NULL for none
    extra      TEXT CONSTRAINT inferencex_api_conversation_pages_extra CHECK (extra IS NULL OR json_valid(extra)), -- JSON object of what has no column, by the publisher's key, NULL for nothing
    PRIMARY KEY (sha256, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE inferencex_api_conversations ( -- A conversation of a data set, as a capture of /datasets/{slug}/conversations counts it. Which data set it is of only the capture's address says: inferencex_captures.params. Known by the capture and the place in it.
    sha256              TEXT NOT NULL REFERENCES inferencex_bodies (sha256), -- the capture
    position            INTEGER NOT NULL, -- of the row in its list, from 1
    conv_id             TEXT NOT NULL, -- the publisher's id of the conversation, within its data set
    models              TEXT CONSTRAINT inferencex_api_conversations_models CHECK (models IS NULL OR json_valid(models)), -- JSON list of the models that answered in it, NULL where unstated
    num_turns           INTEGER, -- turns, NULL where unstated
    num_subagent_groups INTEGER, -- groups of subagents, NULL where unstated
    total_in            INTEGER, -- input tokens of its requests, NULL where unstated
    total_out           INTEGER, -- output tokens of its requests, NULL where unstated
    total_cached        INTEGER, -- input tokens of its requests that a cache could serve, NULL where unstated
    as_written          TEXT CONSTRAINT inferencex_api_conversations_as_written CHECK (as_written IS NULL OR json_valid(as_written)), -- JSON object of the texts that the columns hold otherwise (names, times), by the publisher's key, NULL for none
    extra               TEXT CONSTRAINT inferencex_api_conversations_extra CHECK (extra IS NULL OR json_valid(extra)), -- JSON object of what has no column, by the publisher's key, NULL for nothing
    PRIMARY KEY (sha256, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE inferencex_api_conversation_structures ( -- A conversation with its structure, as a capture of /datasets/{slug}/conversations/{convId} states it: a row for each capture. Which data set it is of only the capture's address says: inferencex_captures.params. What is large stands last. Known by the capture and the place in it.
    sha256              TEXT NOT NULL REFERENCES inferencex_bodies (sha256), -- the capture
    position            INTEGER NOT NULL, -- of the row in its list, from 1
    conv_id             TEXT NOT NULL, -- the publisher's id of the conversation, within its data set
    models              TEXT CONSTRAINT inferencex_api_conversation_structures_models CHECK (models IS NULL OR json_valid(models)), -- JSON list of the models that answered in it, NULL where unstated
    num_turns           INTEGER, -- turns, NULL where unstated
    num_subagent_groups INTEGER, -- groups of subagents, NULL where unstated
    total_in            INTEGER, -- input tokens of its requests, NULL where unstated
    total_out           INTEGER, -- output tokens of its requests, NULL where unstated
    total_cached        INTEGER, -- input tokens of its requests that a cache could serve, NULL where unstated
    as_written          TEXT CONSTRAINT inferencex_api_conversation_structures_as_written CHECK (as_written IS NULL OR json_valid(as_written)), -- JSON object of the texts that the columns hold otherwise (names, times), by the publisher's key, NULL for none
    extra               TEXT CONSTRAINT inferencex_api_conversation_structures_extra CHECK (extra IS NULL OR json_valid(extra)), -- JSON object of what has no column, by the publisher's key, NULL for nothing
    structure           TEXT CONSTRAINT inferencex_api_conversation_structures_structure CHECK (structure IS NULL OR json_valid(structure)), -- JSON object of nested requests, whose keys the reference does not fix, NULL where unstated
    PRIMARY KEY (sha256, position)
) STRICT, WITHOUT ROWID;

CREATE VIEW dataset_licences ( -- The licences that captures state for the data sets of InferenceX: a row for each licence that was ever stated for one. The publisher's word on traces that were replayed, and no licence of measurements: no run refers to it, the licences in effect do not have it, and it permits nothing.
    slug,        -- the publisher's name of the data set
    licence,     -- as the publisher writes it, such as an SPDX identifier, NULL where a capture states none
    captures,    -- how many captures state it
    captured_at  -- when the newest of them came or was confirmed, RFC 3339 in UTC, NULL where no ledger tells
) AS
WITH stated (sha256, slug, licence) AS (
    SELECT sha256, slug, licence FROM inferencex_api_datasets
    UNION
    SELECT sha256, slug, licence FROM inferencex_api_dataset_details
)
SELECT s.slug, s.licence, count(*), max(c.captured_at)
FROM stated s
LEFT JOIN (SELECT sha256, max(started_at) AS captured_at FROM inferencex_captures WHERE sha256 IS NOT NULL GROUP BY sha256) c ON c.sha256 = s.sha256
GROUP BY s.slug, s.licence;

CREATE TABLE inferencex_api_collectivex_datasets ( -- A capture of /collectivex/latest or /collectivex/runs/{runId}, whose responses are alike: a row for each capture. Known by the capture and the place in it.
    sha256     TEXT NOT NULL REFERENCES inferencex_bodies (sha256), -- the capture
    position   INTEGER NOT NULL, -- of the row in its list, from 1
    version    INTEGER NOT NULL, -- of CollectiveX's contract, always 1: others are refused
    as_written TEXT CONSTRAINT inferencex_api_collectivex_datasets_as_written CHECK (as_written IS NULL OR json_valid(as_written)), -- JSON object of the texts that the columns hold otherwise (names, times), by the publisher's key, NULL for none
    extra      TEXT CONSTRAINT inferencex_api_collectivex_datasets_extra CHECK (extra IS NULL OR json_valid(extra)), -- JSON object of what has no column, by the publisher's key, NULL for nothing
    PRIMARY KEY (sha256, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE inferencex_api_collectivex_runs ( -- A run of collective benchmarks, as a capture of /collectivex/latest or /collectivex/runs/{runId} states it: a row for each capture. Known by the capture and the place in it.
    sha256             TEXT NOT NULL REFERENCES inferencex_bodies (sha256), -- the capture
    position           INTEGER NOT NULL, -- of the row in its list, from 1
    github_run_id      INTEGER NOT NULL, -- GitHub's number of the workflow run
    run_attempt        INTEGER, -- its attempt, NULL where unstated
    generated_at       TEXT, -- when its results were put together, RFC 3339 in UTC, NULL where unstated
    conclusion         TEXT, -- GitHub's word, such as success, NULL while it runs
    source_sha         TEXT, -- the commit of the benchmarks, NULL where unstated
    requested_cases    INTEGER, -- cases that were asked for, NULL where unstated
    terminal_cases     INTEGER, -- cases that came to an end, NULL where unstated
    measured_cases     INTEGER, -- cases with a result, NULL where unstated
    unsupported_cases  INTEGER, -- cases that the hardware or library cannot run, NULL where unstated
    failed_cases       INTEGER, -- cases that failed, NULL where unstated
    requested_points   INTEGER, -- points that were asked for, NULL where unstated
    terminal_points    INTEGER, -- points that came to an end, NULL where unstated
    measured_points    INTEGER, -- points with a result, NULL where unstated
    kv_requested_cases INTEGER, -- cases of KV transfer that were asked for, NULL where unstated
    kv_measured_cases  INTEGER, -- cases of KV transfer with a result, NULL where unstated
    covered_skus       TEXT CONSTRAINT inferencex_api_collectivex_runs_covered_skus CHECK (covered_skus IS NULL OR json_valid(covered_skus)), -- JSON list of the accelerators covered, as written, NULL where unstated
    as_written         TEXT CONSTRAINT inferencex_api_collectivex_runs_as_written CHECK (as_written IS NULL OR json_valid(as_written)), -- JSON object of the texts that the columns hold otherwise (names, times), by the publisher's key, NULL for none
    extra              TEXT CONSTRAINT inferencex_api_collectivex_runs_extra CHECK (extra IS NULL OR json_valid(extra)), -- JSON object of what has no column, by the publisher's key, NULL for nothing
    PRIMARY KEY (sha256, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE inferencex_api_collectivex_cases ( -- A case of the coverage of a run of collective benchmarks, whether it was measured or not. The reference fixes no keys: these are of the publisher's code, what has no column is in extra. What is large stands last. Known by the capture and the place in it.
    sha256              TEXT NOT NULL REFERENCES inferencex_bodies (sha256), -- the capture
    position            INTEGER NOT NULL, -- of the row in its list, from 1
    case_id             TEXT NOT NULL, -- the publisher's id of the case
    label               TEXT, -- its title, NULL where unstated
    disposition         TEXT, -- runnable or unsupported, NULL where unstated
    hardware            TEXT, -- the accelerator, canonical name, NULL where unstated
    backend             TEXT, -- the communication library, NULL where unstated
    phase               TEXT, -- decode or prefill, NULL where unstated
    mode                TEXT, -- of the kernel, such as normal or low-latency, NULL where unstated
    precision           TEXT, -- of what is sent, canonical name, NULL where unstated
    ep_size             INTEGER, -- GPUs that exchange, NULL where unstated
    nodes               INTEGER, -- nodes, NULL where unstated
    gpus_per_node       INTEGER, -- GPUs in a node, NULL where unstated
    scale_up_domain     INTEGER, -- GPUs within one fast fabric, NULL where unstated
    scale_up_transport  TEXT, -- what joins GPUs within the fast fabric, NULL where unstated
    scale_out_transport TEXT, -- what joins fast fabrics, NULL where none is needed or stated
    topology_class      TEXT, -- the publisher's name of the topology, NULL where unstated
    outcome             TEXT, -- success, or what came instead, NULL where unstated
    reason              TEXT, -- a word for why there is no result, NULL where there is one or none is stated
    detail              TEXT, -- more about it, NULL where unstated
    as_written          TEXT CONSTRAINT inferencex_api_collectivex_cases_as_written CHECK (as_written IS NULL OR json_valid(as_written)), -- JSON object of the texts that the columns hold otherwise (names, times), by the publisher's key, NULL for none
    extra               TEXT CONSTRAINT inferencex_api_collectivex_cases_extra CHECK (extra IS NULL OR json_valid(extra)), -- JSON object of what has no column, by the publisher's key, NULL for nothing
    points              TEXT CONSTRAINT inferencex_api_collectivex_cases_points CHECK (points IS NULL OR json_valid(points)), -- JSON list of how its points ended, NULL where unstated
    PRIMARY KEY (sha256, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE inferencex_api_collectivex_series ( -- A series of collective benchmarks, measured on one system. The reference fixes no keys: these are of the publisher's code, what has no column is in extra. collectivex_points has its points. What is large stands last. Known by the capture and the place in it.
    sha256              TEXT NOT NULL REFERENCES inferencex_bodies (sha256), -- the capture
    position            INTEGER NOT NULL, -- of the row in its list, from 1
    series_id           TEXT NOT NULL, -- the publisher's id of the series
    hardware            TEXT, -- the accelerator, canonical name, NULL where unstated
    vendor              TEXT, -- who makes the accelerator, NULL where unstated
    backend             TEXT, -- the communication library, NULL where unstated
    phase               TEXT, -- decode or prefill, NULL where unstated
    mode                TEXT, -- of the kernel, such as normal or low-latency, NULL where unstated
    precision           TEXT, -- of what is sent, canonical name, NULL where unstated
    ep_size             INTEGER, -- GPUs that exchange, NULL where unstated
    nodes               INTEGER, -- nodes, NULL where unstated
    gpus_per_node       INTEGER, -- GPUs in a node, NULL where unstated
    scale_up_domain     INTEGER, -- GPUs within one fast fabric, NULL where unstated
    scale_up_transport  TEXT, -- what joins GPUs within the fast fabric, NULL where unstated
    scale_out_transport TEXT, -- what joins fast fabrics, NULL where none is needed or stated
    topology_class      TEXT, -- the publisher's name of the topology, NULL where unstated
    as_written          TEXT CONSTRAINT inferencex_api_collectivex_series_as_written CHECK (as_written IS NULL OR json_valid(as_written)), -- JSON object of the texts that the columns hold otherwise (names, times), by the publisher's key, NULL for none
    extra               TEXT CONSTRAINT inferencex_api_collectivex_series_extra CHECK (extra IS NULL OR json_valid(extra)), -- JSON object of what has no column, by the publisher's key, NULL for nothing
    points              TEXT CONSTRAINT inferencex_api_collectivex_series_points CHECK (points IS NULL OR json_valid(points)), -- JSON list of points, each with components by operation, NULL where unstated
    PRIMARY KEY (sha256, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE inferencex_api_collectivex_kv_cases ( -- A case of KV transfer between two nodes, measured or not. The reference fixes no keys: these are of the publisher's code, what has no column is in extra. What is large stands last. Known by the capture and the place in it.
    sha256              TEXT NOT NULL REFERENCES inferencex_bodies (sha256), -- the capture
    position            INTEGER NOT NULL, -- of the row in its list, from 1
    case_id             TEXT NOT NULL, -- the publisher's id of the case
    label               TEXT, -- its title, NULL where unstated
    disposition         TEXT, -- runnable or unsupported, NULL where unstated
    hardware            TEXT, -- the accelerator, canonical name, NULL where unstated
    vendor              TEXT, -- who makes the accelerator, NULL where unstated
    backend             TEXT, -- the transfer library, NULL where unstated
    fabric              TEXT, -- what the transfer goes over, NULL where unstated
    workload            TEXT, -- the publisher's name of what is sent, NULL where unstated
    precision           TEXT, -- of what is sent, canonical name, NULL where unstated
    ep_size             INTEGER, -- GPUs that exchange, NULL where unstated
    nodes               INTEGER, -- nodes, NULL where unstated
    gpus_per_node       INTEGER, -- GPUs in a node, NULL where unstated
    scale_up_domain     INTEGER, -- GPUs within one fast fabric, NULL where unstated
    scale_up_transport  TEXT, -- what joins GPUs within the fast fabric, NULL where unstated
    scale_out_transport TEXT, -- what joins fast fabrics, NULL where none is needed or stated
    topology_class      TEXT, -- the publisher's name of the topology, NULL where unstated
    outcome             TEXT, -- success, or what came instead, NULL where unstated
    reason              TEXT, -- a word for why there is no result, NULL where there is one or none is stated
    detail              TEXT, -- more about it, NULL where unstated
    as_written          TEXT CONSTRAINT inferencex_api_collectivex_kv_cases_as_written CHECK (as_written IS NULL OR json_valid(as_written)), -- JSON object of the texts that the columns hold otherwise (names, times), by the publisher's key, NULL for none
    extra               TEXT CONSTRAINT inferencex_api_collectivex_kv_cases_extra CHECK (extra IS NULL OR json_valid(extra)), -- JSON object of what has no column, by the publisher's key, NULL for nothing
    rows                TEXT CONSTRAINT inferencex_api_collectivex_kv_cases_rows CHECK (rows IS NULL OR json_valid(rows)), -- JSON list of measured transfers, NULL where unstated
    PRIMARY KEY (sha256, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE inferencex_api_collectivex_lists ( -- A capture of /collectivex/runs: a row for each capture. Known by the capture and the place in it.
    sha256             TEXT NOT NULL REFERENCES inferencex_bodies (sha256), -- the capture
    position           INTEGER NOT NULL, -- of the row in its list, from 1
    version            INTEGER NOT NULL, -- of CollectiveX's contract, always 1: others are refused
    discovery_complete INTEGER CONSTRAINT inferencex_api_collectivex_lists_discovery_complete CHECK (discovery_complete IN (0, 1)), -- whether the publisher has found all its runs, NULL where unstated
    as_written         TEXT CONSTRAINT inferencex_api_collectivex_lists_as_written CHECK (as_written IS NULL OR json_valid(as_written)), -- JSON object of the texts that the columns hold otherwise (names, times), by the publisher's key, NULL for none
    extra              TEXT CONSTRAINT inferencex_api_collectivex_lists_extra CHECK (extra IS NULL OR json_valid(extra)), -- JSON object of what has no column, by the publisher's key, NULL for nothing
    PRIMARY KEY (sha256, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE inferencex_api_collectivex_summaries ( -- A run of collective benchmarks, as a capture of /collectivex/runs sums it up. Known by the capture and the place in it.
    sha256             TEXT NOT NULL REFERENCES inferencex_bodies (sha256), -- the capture
    position           INTEGER NOT NULL, -- of the row in its list, from 1
    github_run_id      INTEGER NOT NULL, -- GitHub's number of the workflow run
    run_attempt        INTEGER, -- its attempt, NULL where unstated
    generated_at       TEXT, -- when its results were put together, RFC 3339 in UTC, NULL where unstated
    conclusion         TEXT, -- GitHub's word, such as success, NULL while it runs
    requested_cases    INTEGER, -- cases that were asked for, NULL where unstated
    measured_cases     INTEGER, -- cases with a result, NULL where unstated
    requested_points   INTEGER, -- points that were asked for, NULL where unstated
    terminal_points    INTEGER, -- points that came to an end, NULL where unstated
    measured_points    INTEGER, -- points with a result, NULL where unstated
    unsupported_points INTEGER, -- points that the hardware or library cannot run, NULL where unstated
    failed_points      INTEGER, -- points that failed, NULL where unstated
    kv_requested_cases INTEGER, -- cases of KV transfer that were asked for, NULL where unstated
    kv_measured_cases  INTEGER, -- cases of KV transfer with a result, NULL where unstated
    covered_skus       TEXT CONSTRAINT inferencex_api_collectivex_summaries_covered_skus CHECK (covered_skus IS NULL OR json_valid(covered_skus)), -- JSON list of the accelerators covered, as written, NULL where unstated
    as_written         TEXT CONSTRAINT inferencex_api_collectivex_summaries_as_written CHECK (as_written IS NULL OR json_valid(as_written)), -- JSON object of the texts that the columns hold otherwise (names, times), by the publisher's key, NULL for none
    extra              TEXT CONSTRAINT inferencex_api_collectivex_summaries_extra CHECK (extra IS NULL OR json_valid(extra)), -- JSON object of what has no column, by the publisher's key, NULL for nothing
    PRIMARY KEY (sha256, position)
) STRICT, WITHOUT ROWID;

CREATE VIEW collectivex_points ( -- The measured points of collective benchmarks, an operation of a point in a row, as captures state them. The publisher computed all of it. The newest capture is not picked: join inferencex_newest_bodies, or choose a run.
    sha256,          -- the capture
    series,          -- position of the series in inferencex_api_collectivex_series
    point,           -- position of the point in its series, from 1
    series_id,       -- the publisher's id of the series
    hardware,        -- the accelerator, canonical name
    backend,         -- the communication library
    phase,           -- decode or prefill
    mode,            -- of the kernel, such as normal or low-latency
    precision,       -- of what is sent, canonical name
    ep_size,         -- GPUs that exchange
    nodes,           -- nodes
    tokens_per_rank, -- tokens of each GPU
    global_tokens,   -- tokens of all GPUs
    operation,       -- such as dispatch, combine or roundtrip
    latency_p50_us,  -- median latency, NULL where it was not measured
    latency_p90_us,  -- 90th percentile, likewise
    latency_p95_us,  -- 95th percentile, likewise
    latency_p99_us,  -- 99th percentile, likewise
    payload_bytes    -- payload of the operation on all GPUs, bytes, NULL where unstated
) AS
SELECT
    s.sha256,
    s.position,
    p.key + 1,
    s.series_id,
    s.hardware,
    s.backend,
    s.phase,
    s.mode,
    s.precision,
    s.ep_size,
    s.nodes,
    json_extract(p.value, '$.tokens_per_rank'),
    json_extract(p.value, '$.global_tokens'),
    c.key,
    json_extract(c.value, '$.latency_us.p50'),
    json_extract(c.value, '$.latency_us.p90'),
    json_extract(c.value, '$.latency_us.p95'),
    json_extract(c.value, '$.latency_us.p99'),
    json_extract(c.value, '$.payload_bytes')
FROM inferencex_api_collectivex_series s
JOIN json_each(s.points) p ON p.type = 'object'
JOIN json_each(p.value, '$.components') c ON c.type = 'object';
