-- +goose Up
CREATE TABLE inferencex_bodies ( -- A capture of an operation of the InferenceX API that is no benchmark rows, and whose rows are kept as it states them. inferencex_captures says where it is from.
    sha256    TEXT NOT NULL PRIMARY KEY, -- digest of its bytes as read, as documents.sha256
    operation TEXT NOT NULL,    -- such as availability
    rows      INTEGER NOT NULL  -- that were stored of it
) STRICT, WITHOUT ROWID;

CREATE INDEX inferencex_bodies_by_operation ON inferencex_bodies (operation);

CREATE TABLE inferencex_api_availability ( -- What a capture of /availability lists as measured: a combination and a day. Known by the capture and the place in it.
    sha256         TEXT NOT NULL REFERENCES inferencex_bodies (sha256), -- the capture
    position       INTEGER NOT NULL, -- of the row in its list, from 1
    model          TEXT NOT NULL, -- the publisher's model key, canonical
    isl            INTEGER, -- input tokens, NULL where unstated (agentic traces have none)
    osl            INTEGER, -- output tokens, NULL where unstated (agentic traces have none)
    precision      TEXT NOT NULL, -- of the weights, canonical name
    hardware       TEXT NOT NULL, -- the accelerator, canonical name
    framework      TEXT NOT NULL, -- the serving framework, canonical name
    spec_method    TEXT, -- speculative decoding, none for none
    disagg         INTEGER NOT NULL CONSTRAINT inferencex_api_availability_disagg CHECK (disagg IN (0, 1)), -- whether prefill and decode run on GPUs of their own, as stated or as the framework's name implies
    benchmark_type TEXT, -- single_turn where the row does not state it
    date           TEXT NOT NULL, -- UTC day, YYYY-MM-DD
    as_written     TEXT CONSTRAINT inferencex_api_availability_as_written CHECK (as_written IS NULL OR json_valid(as_written)), -- JSON object of the texts that the columns hold otherwise (names, times), by the publisher's key, NULL for none
    extra          TEXT CONSTRAINT inferencex_api_availability_extra CHECK (extra IS NULL OR json_valid(extra)), -- JSON object of what has no column, by the publisher's key, NULL for nothing
    PRIMARY KEY (sha256, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE inferencex_api_evaluations ( -- An accuracy evaluation, as a capture of /evaluations states it. The address of its run has no attempt. Rows that differ in published_id alone occur. Known by the capture and the place in it.
    sha256               TEXT NOT NULL REFERENCES inferencex_bodies (sha256), -- the capture
    position             INTEGER NOT NULL, -- of the row in its list, from 1
    published_id         INTEGER, -- the publisher's row id, which may move: no identity, NULL where unstated
    published_config_id  INTEGER, -- the publisher's number of the configuration: no identity, NULL where unstated
    hardware             TEXT NOT NULL, -- the accelerator, canonical name
    framework            TEXT NOT NULL, -- the serving framework, canonical name
    model                TEXT NOT NULL, -- the publisher's model key, canonical
    precision            TEXT NOT NULL, -- of the weights, canonical name
    spec_method          TEXT, -- speculative decoding, none for none
    disagg               INTEGER CONSTRAINT inferencex_api_evaluations_disagg CHECK (disagg IN (0, 1)), -- whether prefill and decode run on GPUs of their own, as stated or as the framework's name implies, NULL where unstated
    is_multinode         INTEGER CONSTRAINT inferencex_api_evaluations_is_multinode CHECK (is_multinode IN (0, 1)), -- whether it spans nodes, NULL where unstated
    prefill_tp           INTEGER, -- tensor parallel width of prefill, NULL where unstated
    prefill_ep           INTEGER, -- expert parallel width of prefill, NULL where unstated
    prefill_dp_attention INTEGER CONSTRAINT inferencex_api_evaluations_prefill_dp_attention CHECK (prefill_dp_attention IN (0, 1)), -- whether attention of prefill is data parallel, NULL where unstated
    prefill_num_workers  INTEGER, -- workers of prefill, NULL where unstated
    decode_tp            INTEGER, -- tensor parallel width of decode, NULL where unstated
    decode_ep            INTEGER, -- expert parallel width of decode, NULL where unstated
    decode_dp_attention  INTEGER CONSTRAINT inferencex_api_evaluations_decode_dp_attention CHECK (decode_dp_attention IN (0, 1)), -- whether attention of decode is data parallel, NULL where unstated
    decode_num_workers   INTEGER, -- workers of decode, NULL where unstated
    num_prefill_gpu      INTEGER, -- GPUs of prefill as reported, shared ones repeated under decode, NULL where unstated
    num_decode_gpu       INTEGER, -- GPUs of decode as reported, NULL where unstated
    task                 TEXT NOT NULL, -- the evaluation's name, such as gsm8k
    date                 TEXT NOT NULL, -- UTC day, YYYY-MM-DD
    isl                  INTEGER, -- input tokens, NULL where unstated (agentic traces have none)
    osl                  INTEGER, -- output tokens, NULL where unstated (agentic traces have none)
    conc                 INTEGER, -- requests at a time, NULL where unstated
    timestamp            TEXT, -- when it was evaluated, RFC 3339 in UTC, NULL where unstated
    run_url              TEXT, -- the address of its workflow run, NULL where unstated
    as_written           TEXT CONSTRAINT inferencex_api_evaluations_as_written CHECK (as_written IS NULL OR json_valid(as_written)), -- JSON object of the texts that the columns hold otherwise (names, times), by the publisher's key, NULL for none
    extra                TEXT CONSTRAINT inferencex_api_evaluations_extra CHECK (extra IS NULL OR json_valid(extra)), -- JSON object of what has no column, by the publisher's key, NULL for nothing
    PRIMARY KEY (sha256, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE inferencex_api_reliability ( -- How many benchmark jobs succeeded, as a capture of /reliability states it: a row for each workflow run of a hardware and day, which no key tells apart. Sum them by day. Known by the capture and the place in it.
    sha256     TEXT NOT NULL REFERENCES inferencex_bodies (sha256), -- the capture
    position   INTEGER NOT NULL, -- of the row in its list, from 1
    hardware   TEXT NOT NULL, -- the accelerator, canonical name
    date       TEXT NOT NULL, -- UTC day, YYYY-MM-DD
    n_success  INTEGER NOT NULL, -- jobs that succeeded
    total      INTEGER NOT NULL, -- jobs in all, may be 0: then there is no ratio
    as_written TEXT CONSTRAINT inferencex_api_reliability_as_written CHECK (as_written IS NULL OR json_valid(as_written)), -- JSON object of the texts that the columns hold otherwise (names, times), by the publisher's key, NULL for none
    extra      TEXT CONSTRAINT inferencex_api_reliability_extra CHECK (extra IS NULL OR json_valid(extra)), -- JSON object of what has no column, by the publisher's key, NULL for nothing
    PRIMARY KEY (sha256, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE inferencex_api_workflow_runs ( -- A workflow run, as a capture of /workflow-info states it. Known by the capture and the place in it.
    sha256        TEXT NOT NULL REFERENCES inferencex_bodies (sha256), -- the capture
    position      INTEGER NOT NULL, -- of the row in its list, from 1
    github_run_id INTEGER NOT NULL, -- GitHub's number of the workflow run
    name          TEXT, -- of the workflow, NULL where unstated
    conclusion    TEXT, -- GitHub's word, such as success, NULL while it runs
    run_attempt   INTEGER, -- its attempt, NULL where unstated
    html_url      TEXT, -- its address, NULL where unstated
    created_at    TEXT, -- RFC 3339 in UTC, NULL where unstated
    date          TEXT, -- UTC day, YYYY-MM-DD, NULL where unstated
    as_written    TEXT CONSTRAINT inferencex_api_workflow_runs_as_written CHECK (as_written IS NULL OR json_valid(as_written)), -- JSON object of the texts that the columns hold otherwise (names, times), by the publisher's key, NULL for none
    extra         TEXT CONSTRAINT inferencex_api_workflow_runs_extra CHECK (extra IS NULL OR json_valid(extra)), -- JSON object of what has no column, by the publisher's key, NULL for nothing
    PRIMARY KEY (sha256, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE inferencex_api_changelogs ( -- What a workflow run changed in the recipes, as a capture of /workflow-info states it. Known by the capture and the place in it.
    sha256        TEXT NOT NULL REFERENCES inferencex_bodies (sha256), -- the capture
    position      INTEGER NOT NULL, -- of the row in its list, from 1
    github_run_id INTEGER, -- GitHub's number of the workflow run, NULL where unstated
    date          TEXT, -- UTC day, YYYY-MM-DD, NULL where unstated
    base_ref      TEXT, -- the commit compared from, NULL where unstated
    head_ref      TEXT, -- the commit compared to, NULL where unstated
    config_keys   TEXT CONSTRAINT inferencex_api_changelogs_config_keys CHECK (config_keys IS NULL OR json_valid(config_keys)), -- JSON list of the recipes concerned, NULL where unstated
    description   TEXT, -- what changed, NULL where unstated
    pr_link       TEXT, -- the address of the pull request, NULL where unstated
    as_written    TEXT CONSTRAINT inferencex_api_changelogs_as_written CHECK (as_written IS NULL OR json_valid(as_written)), -- JSON object of the texts that the columns hold otherwise (names, times), by the publisher's key, NULL for none
    extra         TEXT CONSTRAINT inferencex_api_changelogs_extra CHECK (extra IS NULL OR json_valid(extra)), -- JSON object of what has no column, by the publisher's key, NULL for nothing
    PRIMARY KEY (sha256, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE inferencex_api_configs ( -- A combination that a capture of /workflow-info lists as available. Known by the capture and the place in it.
    sha256         TEXT NOT NULL REFERENCES inferencex_bodies (sha256), -- the capture
    position       INTEGER NOT NULL, -- of the row in its list, from 1
    model          TEXT, -- the publisher's model key, canonical, NULL where unstated
    isl            INTEGER, -- input tokens, NULL where unstated (agentic traces have none)
    osl            INTEGER, -- output tokens, NULL where unstated (agentic traces have none)
    precision      TEXT, -- of the weights, canonical name, NULL where unstated
    hardware       TEXT, -- the accelerator, canonical name, NULL where unstated
    framework      TEXT, -- the serving framework, canonical name, NULL where unstated
    spec_method    TEXT, -- speculative decoding, none for none
    disagg         INTEGER CONSTRAINT inferencex_api_configs_disagg CHECK (disagg IN (0, 1)), -- whether prefill and decode run on GPUs of their own, as stated or as the framework's name implies, NULL where unstated
    benchmark_type TEXT, -- single_turn where the row does not state it
    as_written     TEXT CONSTRAINT inferencex_api_configs_as_written CHECK (as_written IS NULL OR json_valid(as_written)), -- JSON object of the texts that the columns hold otherwise (names, times), by the publisher's key, NULL for none
    extra          TEXT CONSTRAINT inferencex_api_configs_extra CHECK (extra IS NULL OR json_valid(extra)), -- JSON object of what has no column, by the publisher's key, NULL for nothing
    PRIMARY KEY (sha256, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE inferencex_api_run_configs ( -- A combination that a workflow run covered, as a capture of /workflow-info states it. The reference fixes no keys: what has no column is in extra. Known by the capture and the place in it.
    sha256         TEXT NOT NULL REFERENCES inferencex_bodies (sha256), -- the capture
    position       INTEGER NOT NULL, -- of the row in its list, from 1
    github_run_id  INTEGER, -- GitHub's number of the workflow run, NULL where unstated
    model          TEXT, -- the publisher's model key, canonical, NULL where unstated
    isl            INTEGER, -- input tokens, NULL where unstated (agentic traces have none)
    osl            INTEGER, -- output tokens, NULL where unstated (agentic traces have none)
    precision      TEXT, -- of the weights, canonical name, NULL where unstated
    hardware       TEXT, -- the accelerator, canonical name, NULL where unstated
    framework      TEXT, -- the serving framework, canonical name, NULL where unstated
    spec_method    TEXT, -- speculative decoding, none for none
    disagg         INTEGER CONSTRAINT inferencex_api_run_configs_disagg CHECK (disagg IN (0, 1)), -- whether prefill and decode run on GPUs of their own, as stated or as the framework's name implies, NULL where unstated
    benchmark_type TEXT, -- single_turn where the row does not state it
    as_written     TEXT CONSTRAINT inferencex_api_run_configs_as_written CHECK (as_written IS NULL OR json_valid(as_written)), -- JSON object of the texts that the columns hold otherwise (names, times), by the publisher's key, NULL for none
    extra          TEXT CONSTRAINT inferencex_api_run_configs_extra CHECK (extra IS NULL OR json_valid(extra)), -- JSON object of what has no column, by the publisher's key, NULL for nothing
    PRIMARY KEY (sha256, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE inferencex_api_submissions ( -- What was submitted of a configuration on a day, as a capture of /submissions sums it up. Known by the capture and the place in it.
    sha256                 TEXT NOT NULL REFERENCES inferencex_bodies (sha256), -- the capture
    position               INTEGER NOT NULL, -- of the row in its list, from 1
    model                  TEXT NOT NULL, -- the publisher's model key, canonical
    hardware               TEXT NOT NULL, -- the accelerator, canonical name
    framework              TEXT NOT NULL, -- the serving framework, canonical name
    precision              TEXT NOT NULL, -- of the weights, canonical name
    spec_method            TEXT, -- speculative decoding, none for none
    disagg                 INTEGER NOT NULL CONSTRAINT inferencex_api_submissions_disagg CHECK (disagg IN (0, 1)), -- whether prefill and decode run on GPUs of their own, as stated or as the framework's name implies
    is_multinode           INTEGER NOT NULL CONSTRAINT inferencex_api_submissions_is_multinode CHECK (is_multinode IN (0, 1)), -- whether it spans nodes
    num_prefill_gpu        INTEGER NOT NULL, -- GPUs of prefill as reported, shared ones repeated under decode
    num_decode_gpu         INTEGER NOT NULL, -- GPUs of decode as reported
    prefill_tp             INTEGER NOT NULL, -- tensor parallel width of prefill
    prefill_ep             INTEGER NOT NULL, -- expert parallel width of prefill
    decode_tp              INTEGER NOT NULL, -- tensor parallel width of decode
    decode_ep              INTEGER NOT NULL, -- expert parallel width of decode
    date                   TEXT NOT NULL, -- UTC day, YYYY-MM-DD
    total_datapoints       INTEGER NOT NULL, -- points that were submitted
    distinct_sequences     INTEGER NOT NULL, -- pairs of input and output length among them
    distinct_concurrencies INTEGER NOT NULL, -- concurrencies among them
    max_concurrency        INTEGER NOT NULL, -- the highest concurrency
    image                  TEXT, -- the container image, NULL where unstated
    as_written             TEXT CONSTRAINT inferencex_api_submissions_as_written CHECK (as_written IS NULL OR json_valid(as_written)), -- JSON object of the texts that the columns hold otherwise (names, times), by the publisher's key, NULL for none
    extra                  TEXT CONSTRAINT inferencex_api_submissions_extra CHECK (extra IS NULL OR json_valid(extra)), -- JSON object of what has no column, by the publisher's key, NULL for nothing
    PRIMARY KEY (sha256, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE inferencex_api_volume ( -- How many points were submitted of a hardware on a day, as a capture of /submissions states it. Known by the capture and the place in it.
    sha256     TEXT NOT NULL REFERENCES inferencex_bodies (sha256), -- the capture
    position   INTEGER NOT NULL, -- of the row in its list, from 1
    date       TEXT NOT NULL, -- UTC day, YYYY-MM-DD
    hardware   TEXT NOT NULL, -- the accelerator, canonical name
    datapoints INTEGER NOT NULL, -- points that were submitted
    as_written TEXT CONSTRAINT inferencex_api_volume_as_written CHECK (as_written IS NULL OR json_valid(as_written)), -- JSON object of the texts that the columns hold otherwise (names, times), by the publisher's key, NULL for none
    extra      TEXT CONSTRAINT inferencex_api_volume_extra CHECK (extra IS NULL OR json_valid(extra)), -- JSON object of what has no column, by the publisher's key, NULL for nothing
    PRIMARY KEY (sha256, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE inferencex_api_latest_images ( -- The container image last seen of a combination, as a capture of /latest-images states it. Known by the capture and the place in it.
    sha256         TEXT NOT NULL REFERENCES inferencex_bodies (sha256), -- the capture
    position       INTEGER NOT NULL, -- of the row in its list, from 1
    model          TEXT NOT NULL, -- the publisher's model key, canonical
    hardware       TEXT NOT NULL, -- the accelerator, canonical name
    framework      TEXT NOT NULL, -- the serving framework, canonical name
    precision      TEXT NOT NULL, -- of the weights, canonical name
    spec_method    TEXT, -- speculative decoding, none for none
    disagg         INTEGER NOT NULL CONSTRAINT inferencex_api_latest_images_disagg CHECK (disagg IN (0, 1)), -- whether prefill and decode run on GPUs of their own, as stated or as the framework's name implies
    isl            INTEGER, -- input tokens, NULL where unstated (agentic traces have none)
    osl            INTEGER, -- output tokens, NULL where unstated (agentic traces have none)
    benchmark_type TEXT, -- single_turn where the row does not state it
    image          TEXT NOT NULL, -- the container image
    date           TEXT NOT NULL, -- UTC day, YYYY-MM-DD
    as_written     TEXT CONSTRAINT inferencex_api_latest_images_as_written CHECK (as_written IS NULL OR json_valid(as_written)), -- JSON object of the texts that the columns hold otherwise (names, times), by the publisher's key, NULL for none
    extra          TEXT CONSTRAINT inferencex_api_latest_images_extra CHECK (extra IS NULL OR json_valid(extra)), -- JSON object of what has no column, by the publisher's key, NULL for nothing
    PRIMARY KEY (sha256, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE inferencex_api_framework_releases ( -- The newest releases of frameworks, as a capture of /framework-releases states them: a row for each capture, frameworks without a column in extra. Known by the capture and the place in it.
    sha256     TEXT NOT NULL REFERENCES inferencex_bodies (sha256), -- the capture
    position   INTEGER NOT NULL, -- of the row in its list, from 1
    vllm       TEXT, -- the newest release of vLLM, NULL where the publisher could not find it
    sglang     TEXT, -- the newest release of SGLang, NULL where the publisher could not find it
    as_written TEXT CONSTRAINT inferencex_api_framework_releases_as_written CHECK (as_written IS NULL OR json_valid(as_written)), -- JSON object of the texts that the columns hold otherwise (names, times), by the publisher's key, NULL for none
    extra      TEXT CONSTRAINT inferencex_api_framework_releases_extra CHECK (extra IS NULL OR json_valid(extra)), -- JSON object of what has no column, by the publisher's key, NULL for nothing
    PRIMARY KEY (sha256, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE inferencex_api_tco_feeds ( -- The assumptions of a capture of /tco-feed: a row for each capture. Known by the capture and the place in it.
    sha256           TEXT NOT NULL REFERENCES inferencex_bodies (sha256), -- the capture
    position         INTEGER NOT NULL, -- of the row in its list, from 1
    model            TEXT NOT NULL, -- the model as it was asked for, a key or a display name
    db_model_keys    TEXT CONSTRAINT inferencex_api_tco_feeds_db_model_keys CHECK (db_model_keys IS NULL OR json_valid(db_model_keys)), -- JSON list of the model keys behind the name, NULL where unstated
    date             TEXT, -- the UTC day up to which data counts, YYYY-MM-DD, NULL for the newest
    workloads        TEXT CONSTRAINT inferencex_api_tco_feeds_workloads CHECK (workloads IS NULL OR json_valid(workloads)), -- JSON list of ISLxOSL, NULL where unstated
    tiers            TEXT CONSTRAINT inferencex_api_tco_feeds_tiers CHECK (tiers IS NULL OR json_valid(tiers)), -- JSON list of interactivity targets, tokens/s/user, NULL where unstated
    weights          TEXT CONSTRAINT inferencex_api_tco_feeds_weights CHECK (weights IS NULL OR json_valid(weights)), -- JSON list, of the tiers; NULL in the points view
    workload_weights TEXT CONSTRAINT inferencex_api_tco_feeds_workload_weights CHECK (workload_weights IS NULL OR json_valid(workload_weights)), -- JSON list, of the workloads; NULL in the points view
    alpha            REAL, -- the value of an input token in output tokens; NULL in the points view
    as_written       TEXT CONSTRAINT inferencex_api_tco_feeds_as_written CHECK (as_written IS NULL OR json_valid(as_written)), -- JSON object of the texts that the columns hold otherwise (names, times), by the publisher's key, NULL for none
    extra            TEXT CONSTRAINT inferencex_api_tco_feeds_extra CHECK (extra IS NULL OR json_valid(extra)), -- JSON object of what has no column, by the publisher's key, NULL for nothing
    PRIMARY KEY (sha256, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE inferencex_api_tco_rows ( -- A point or score of a capture of /tco-feed, as the publisher computed it. The reference fixes no keys: what has no column is in extra. Known by the capture and the place in it.
    sha256          TEXT NOT NULL REFERENCES inferencex_bodies (sha256), -- the capture
    position        INTEGER NOT NULL, -- of the row in its list, from 1
    hardware        TEXT NOT NULL, -- the accelerator, canonical name
    workload        TEXT, -- ISLxOSL, NULL in the scores view
    tier            REAL, -- the interactivity target, tokens/s/user, NULL in the scores view
    tput_per_gpu    REAL, -- tokens/s/GPU at the target or the point, NULL where there is none
    is_interpolated INTEGER CONSTRAINT inferencex_api_tco_rows_is_interpolated CHECK (is_interpolated IN (0, 1)), -- whether it lies between two measured points, NULL where unstated
    score           REAL, -- the weighted score, NULL in the points view or where it has another key (see extra)
    as_written      TEXT CONSTRAINT inferencex_api_tco_rows_as_written CHECK (as_written IS NULL OR json_valid(as_written)), -- JSON object of the texts that the columns hold otherwise (names, times), by the publisher's key, NULL for none
    extra           TEXT CONSTRAINT inferencex_api_tco_rows_extra CHECK (extra IS NULL OR json_valid(extra)), -- JSON object of what has no column, by the publisher's key, NULL for nothing
    PRIMARY KEY (sha256, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE inferencex_api_sibling_skus ( -- What the points of a capture of /benchmark-siblings have in common: a row for each capture. Known by the capture and the place in it.
    sha256         TEXT NOT NULL REFERENCES inferencex_bodies (sha256), -- the capture
    position       INTEGER NOT NULL, -- of the row in its list, from 1
    hardware       TEXT, -- the accelerator, canonical name, NULL where unstated
    framework      TEXT, -- the serving framework, canonical name, NULL where unstated
    model          TEXT, -- the publisher's model key, canonical, NULL where unstated
    precision      TEXT, -- of the weights, canonical name, NULL where unstated
    spec_method    TEXT, -- speculative decoding, none for none
    benchmark_type TEXT, -- single_turn where the row does not state it
    github_run_id  INTEGER, -- GitHub's number of the workflow run, NULL where unstated
    date           TEXT, -- UTC day, YYYY-MM-DD, NULL where unstated
    dataset_slug   TEXT, -- the data set that was replayed, NULL for none
    as_written     TEXT CONSTRAINT inferencex_api_sibling_skus_as_written CHECK (as_written IS NULL OR json_valid(as_written)), -- JSON object of the texts that the columns hold otherwise (names, times), by the publisher's key, NULL for none
    extra          TEXT CONSTRAINT inferencex_api_sibling_skus_extra CHECK (extra IS NULL OR json_valid(extra)), -- JSON object of what has no column, by the publisher's key, NULL for nothing
    PRIMARY KEY (sha256, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE inferencex_api_siblings ( -- A point of a capture of /benchmark-siblings. The reference fixes no keys: what has no column is in extra. Known by the capture and the place in it.
    sha256               TEXT NOT NULL REFERENCES inferencex_bodies (sha256), -- the capture
    position             INTEGER NOT NULL, -- of the row in its list, from 1
    published_id         INTEGER NOT NULL, -- the publisher's row id, which may move: no identity
    conc                 INTEGER, -- requests at a time, NULL where unstated
    offload_mode         TEXT, -- KV cache offload, off for none, NULL where unstated
    decode_tp            INTEGER, -- tensor parallel width of decode, NULL where unstated
    decode_ep            INTEGER, -- expert parallel width of decode, NULL where unstated
    decode_pp            INTEGER, -- pipeline stages of decode, NULL where unstated
    decode_dcp_size      INTEGER, -- decode context parallel width of decode, NULL where unstated
    decode_pcp_size      INTEGER, -- prefill context parallel width of decode, NULL where unstated
    decode_dp_attention  INTEGER CONSTRAINT inferencex_api_siblings_decode_dp_attention CHECK (decode_dp_attention IN (0, 1)), -- whether attention of decode is data parallel, NULL where unstated
    decode_num_workers   INTEGER, -- workers of decode, NULL where unstated
    prefill_tp           INTEGER, -- tensor parallel width of prefill, NULL where unstated
    prefill_ep           INTEGER, -- expert parallel width of prefill, NULL where unstated
    prefill_pp           INTEGER, -- pipeline stages of prefill, NULL where unstated
    prefill_dcp_size     INTEGER, -- decode context parallel width of prefill, NULL where unstated
    prefill_pcp_size     INTEGER, -- prefill context parallel width of prefill, NULL where unstated
    prefill_dp_attention INTEGER CONSTRAINT inferencex_api_siblings_prefill_dp_attention CHECK (prefill_dp_attention IN (0, 1)), -- whether attention of prefill is data parallel, NULL where unstated
    prefill_num_workers  INTEGER, -- workers of prefill, NULL where unstated
    num_prefill_gpu      INTEGER, -- GPUs of prefill as reported, shared ones repeated under decode, NULL where unstated
    num_decode_gpu       INTEGER, -- GPUs of decode as reported, NULL where unstated
    disagg               INTEGER CONSTRAINT inferencex_api_siblings_disagg CHECK (disagg IN (0, 1)), -- whether prefill and decode run on GPUs of their own, as stated or as the framework's name implies, NULL where unstated
    is_multinode         INTEGER CONSTRAINT inferencex_api_siblings_is_multinode CHECK (is_multinode IN (0, 1)), -- whether it spans nodes, NULL where unstated
    tput_per_gpu         REAL, -- tokens/s/GPU at the target or the point, NULL where there is none
    total_requests       INTEGER, -- requests of the point, NULL where unstated
    is_current           INTEGER CONSTRAINT inferencex_api_siblings_is_current CHECK (is_current IN (0, 1)), -- whether it is the row that was asked for, NULL where unstated
    has_trace            INTEGER CONSTRAINT inferencex_api_siblings_has_trace CHECK (has_trace IN (0, 1)), -- whether a trace of it is stored, NULL where unstated
    as_written           TEXT CONSTRAINT inferencex_api_siblings_as_written CHECK (as_written IS NULL OR json_valid(as_written)), -- JSON object of the texts that the columns hold otherwise (names, times), by the publisher's key, NULL for none
    extra                TEXT CONSTRAINT inferencex_api_siblings_extra CHECK (extra IS NULL OR json_valid(extra)), -- JSON object of what has no column, by the publisher's key, NULL for nothing
    PRIMARY KEY (sha256, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE inferencex_api_evaluation_metrics ( -- A metric of an evaluation of inferencex_api_evaluations: a number or a text, as reported.
    sha256   TEXT NOT NULL,    -- the capture
    position INTEGER NOT NULL, -- of the evaluation in it
    key      TEXT NOT NULL,    -- the publisher's key
    number   REAL, -- the value, an accuracy is a fraction of 1; NULL for a text
    text     TEXT, -- the text, or JSON of a list or object; NULL for a number
    PRIMARY KEY (sha256, position, key),
    FOREIGN KEY (sha256, position) REFERENCES inferencex_api_evaluations (sha256, position),
    CONSTRAINT inferencex_api_evaluation_metrics_one CHECK ((number IS NULL) <> (text IS NULL))
) STRICT, WITHOUT ROWID;

CREATE VIEW inferencex_newest_bodies ( -- The newest capture of each operation: the one that a ledger says came or was confirmed last, of those without a ledger the one that was loaded last, which counts as older. Operations whose captures depend on parameters have one each all the same: see inferencex_captures.params.
    operation,   -- the operation
    sha256,      -- of the capture
    captured_at, -- when it came or was confirmed, RFC 3339 in UTC, NULL where no ledger tells
    loaded_at    -- when it was loaded last, RFC 3339 in UTC
) AS
SELECT operation, sha256, captured_at, loaded_at
FROM (
    SELECT
        b.operation,
        b.sha256,
        c.captured_at,
        d.loaded_at,
        row_number() OVER (PARTITION BY b.operation ORDER BY c.captured_at IS NULL, c.captured_at DESC, d.document_id DESC, b.sha256) AS place
    FROM inferencex_bodies b
    LEFT JOIN (SELECT sha256, max(started_at) AS captured_at FROM inferencex_captures WHERE sha256 IS NOT NULL GROUP BY sha256) c ON c.sha256 = b.sha256
    LEFT JOIN (SELECT sha256, max(document_id) AS document_id, max(loaded_at) AS loaded_at FROM documents GROUP BY sha256) d ON d.sha256 = b.sha256
)
WHERE place = 1;
