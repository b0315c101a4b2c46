-- +goose Up
CREATE TABLE cluster_storage ( -- A storage tier that a run's cluster lists.
    run_id   INTEGER NOT NULL REFERENCES runs (run_id) ON DELETE CASCADE, -- the run
    position INTEGER NOT NULL, -- order in the document, from 0
    storage  TEXT NOT NULL,    -- the tier's name
    PRIMARY KEY (run_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE pools ( -- A pool of a run's deployment. What an InferenceX row does not state is NULL: its pools alone are no deployment.
    run_id   INTEGER NOT NULL REFERENCES runs (run_id) ON DELETE CASCADE, -- the run
    position INTEGER NOT NULL, -- order in the document, from 0
    role     TEXT NOT NULL CONSTRAINT pools_role CHECK (role IN ('colocated', 'prefill', 'decode')), -- what the pool serves
    nodes    INTEGER CONSTRAINT pools_nodes CHECK (nodes >= 1), -- nodes of the pool, NULL where a row does not state them
    tp       INTEGER CONSTRAINT pools_tp CHECK (tp >= 1), -- tensor-parallel width, NULL where a row does not state it
    pp       INTEGER CONSTRAINT pools_pp CHECK (pp >= 1), -- pipeline-parallel width, NULL where a row does not state it
    dp       INTEGER CONSTRAINT pools_dp CHECK (dp >= 1), -- data-parallel width, NULL where a row does not state it
    dp_local INTEGER,          -- data-parallel ranks on one node, NULL or 0 for unset
    pcp      INTEGER,          -- prefill context-parallel width, NULL, 0 or 1 for off
    dcp      INTEGER,          -- decode context-parallel width, NULL, 0 or 1 for off
    enable_expert_parallel INTEGER CONSTRAINT pools_enable_expert_parallel CHECK (enable_expert_parallel IN (0, 1)), -- NULL where not stated
    ep       INTEGER,          -- expert-parallel width as an InferenceX row states it, NULL for catalog runs, where it is derived
    workers  INTEGER,          -- workers of the role as an InferenceX row states them, NULL for catalog runs
    dp_attention INTEGER CONSTRAINT pools_dp_attention CHECK (dp_attention IN (0, 1)), -- whether attention is data-parallel, NULL for catalog runs
    PRIMARY KEY (run_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE pool_settings ( -- An engine setting that a pool states.
    run_id   INTEGER NOT NULL, -- the run
    position INTEGER NOT NULL, -- the pool
    setting  TEXT NOT NULL,    -- its key, dotted for nested ones (dbo.enable_dbo)
    value    ANY NOT NULL,     -- text, integer or real as the key's type is, 0 or 1 for a boolean
    PRIMARY KEY (run_id, position, setting),
    FOREIGN KEY (run_id, position) REFERENCES pools (run_id, position) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE offloads ( -- The KV offload of a run's deployment.
    run_id          INTEGER NOT NULL PRIMARY KEY REFERENCES runs (run_id) ON DELETE CASCADE, -- the run
    eviction_policy TEXT,    -- NULL where not stated
    prefetch_depth  INTEGER, -- NULL where not stated
    connector       TEXT,    -- NULL where not stated
    spec            TEXT     -- NULL where not stated
) STRICT;

CREATE TABLE offload_tiers ( -- A tier of a KV offload.
    run_id   INTEGER NOT NULL REFERENCES offloads (run_id) ON DELETE CASCADE, -- the run
    position INTEGER NOT NULL, -- order in the document, from 0
    tier     TEXT NOT NULL,    -- its name, among the cluster's storage where that is listed
    bytes    INTEGER NOT NULL CONSTRAINT offload_tiers_bytes CHECK (bytes >= 1), -- its capacity
    PRIMARY KEY (run_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE pd_transfers ( -- The transfer between the prefill and decode pools of a run.
    run_id    INTEGER NOT NULL PRIMARY KEY REFERENCES runs (run_id) ON DELETE CASCADE, -- the run
    connector TEXT -- NULL where not stated
) STRICT;

CREATE TABLE routers ( -- The router in front of a run's deployment.
    run_id            INTEGER NOT NULL PRIMARY KEY REFERENCES runs (run_id) ON DELETE CASCADE, -- the run
    kind              TEXT NOT NULL CONSTRAINT routers_kind CHECK (kind IN ('direct', 'epp')), -- direct, or epp for an endpoint picker
    epp_version       TEXT, -- the picker's version, NULL for direct
    epp_image         TEXT, -- its image, NULL where not stated
    epp_config_path   TEXT, -- its plugin config, NULL for direct
    epp_config_sha256 TEXT, -- digest of the config, NULL for direct
    epp_flow_control  TEXT, -- a summary of the flow-control settings, NULL where not stated
    CONSTRAINT routers_epp CHECK ((kind = 'epp') = (epp_version IS NOT NULL) AND (kind = 'epp') = (epp_config_path IS NOT NULL) AND (kind = 'epp') = (epp_config_sha256 IS NOT NULL))
) STRICT;

CREATE TABLE traces ( -- The trace that reproduces a run's request stream.
    run_id        INTEGER NOT NULL PRIMARY KEY REFERENCES runs (run_id) ON DELETE CASCADE, -- the run
    data          TEXT NOT NULL,    -- the trace's data file
    sha256        TEXT,             -- its digest, NULL where not stated
    rows          INTEGER,          -- its rows, NULL where not stated
    trace_version INTEGER NOT NULL, -- of the header
    time_unit     TEXT NOT NULL,    -- unit of the trace's times
    mode          TEXT NOT NULL CONSTRAINT traces_mode CHECK (mode IN ('real', 'generated', 'replayed')), -- how the trace came about
    workload_seed INTEGER,          -- 0 is a seed, NULL where not stated
    server_type   TEXT,             -- the server it was recorded against, NULL where not stated
    server_model  TEXT,             -- NULL where not stated
    server_tensor_parallel INTEGER, -- NULL where not stated
    server_max_num_seqs    INTEGER, -- NULL where not stated
    server_block_size      INTEGER, -- NULL where not stated
    server_max_model_len   INTEGER, -- NULL where not stated
    server_gpu_memory_utilization REAL -- 0 to 1, NULL where not stated
) STRICT;

CREATE TABLE slo_targets ( -- A goodput target of a request class of a trace.
    run_id   INTEGER NOT NULL REFERENCES traces (run_id) ON DELETE CASCADE, -- the run
    class    TEXT NOT NULL,    -- the request class
    ttft_ms  REAL,             -- NULL where not stated
    itl_ms   REAL,             -- NULL where not stated
    e2e_ms   REAL,             -- NULL where not stated
    PRIMARY KEY (run_id, class)
) STRICT, WITHOUT ROWID;
