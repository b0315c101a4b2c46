-- +goose Up
CREATE TABLE run_contents ( -- A distinct measured content: model, hardware, loads and values. Runs that share one are exact duplicates.
    content_id  INTEGER PRIMARY KEY,  -- surrogate key
    signature   TEXT NOT NULL UNIQUE, -- digest of the content, units made equal, metrics by their formula and statistic
    block       TEXT NOT NULL,        -- digest of model, hardware and list of loads
    value_count INTEGER NOT NULL      -- values in it
) STRICT;

CREATE INDEX run_contents_by_block ON run_contents (block);

CREATE TABLE runs ( -- A measured sweep: one deployment measured at several load levels.
    run_id            INTEGER PRIMARY KEY,  -- surrogate key
    name              TEXT NOT NULL UNIQUE, -- the run's identity
    origin            TEXT NOT NULL CONSTRAINT runs_origin CHECK (origin IN ('catalog', 'inferencex', 'evaluation')), -- catalog for MeasuredRun documents, inferencex for benchmark rows
    admitted_as       TEXT NOT NULL CONSTRAINT runs_admitted_as CHECK (admitted_as IN ('catalog', 'local', 'file', 'capture')), -- how it came: in a catalog, in a catalog under --local, as a lone file, in a capture
    document_sha256   TEXT REFERENCES document_contents (sha256), -- the document it was read from, NULL for inferencex
    schema_version    INTEGER,       -- of the document, NULL for inferencex
    source_kind       TEXT NOT NULL, -- the publisher
    licence_id        TEXT NOT NULL, -- the licence it cites, which need not be known (see licences)
    model             TEXT,          -- the catalog model that was served, NULL where not stated
    engine            TEXT,          -- the serving engine, NULL where nothing names it
    engine_version    TEXT,          -- the engine release that ran, NULL where not stated
    hardware          TEXT,          -- the accelerator, NULL where no cluster is stated
    fabric            TEXT,          -- between nodes, NULL where not stated
    nodes             INTEGER,       -- nodes of the cluster, NULL where not stated
    gpus_per_node     INTEGER,       -- NULL where not stated
    gpus_per_rack     INTEGER,       -- NULL where not stated, 0 for unset
    gpus              INTEGER,       -- GPUs in all: nodes × gpus_per_node, for inferencex derived from the parallel layout. NULL where unknown
    deployment_name   TEXT,          -- NULL where no deployment is stated
    router_kind       TEXT CONSTRAINT runs_router_kind CHECK (router_kind IN ('direct', 'epp')), -- NULL where no router is stated
    workload_kind     TEXT CONSTRAINT runs_workload_kind CHECK (workload_kind IN ('shape', 'trace')), -- NULL where no workload is stated
    workload          TEXT,          -- the shape's name or the trace's data path, NULL where none is stated
    isl               INTEGER,       -- stated input length, tokens, NULL where not stated
    osl               INTEGER,       -- stated output length, tokens, NULL where not stated
    harness           TEXT,          -- the load generator, NULL where not recorded
    harness_version   TEXT,          -- NULL where not recorded
    stated_verdict    TEXT CONSTRAINT runs_stated_verdict CHECK (stated_verdict IN ('EXACT', 'PARTIAL', 'NOT_REPRODUCIBLE')), -- what the document claims, NULL where it claims nothing
    stated_resolution TEXT CONSTRAINT runs_stated_resolution CHECK (stated_resolution IN ('STRICT', 'RESOLVED')), -- what the document claims, NULL where it claims nothing
    duplicate_of      TEXT,          -- the run it declares itself a duplicate of, which need not be loaded
    supersedes        TEXT,          -- the run it replaces, which need not be loaded
    measured_on       TEXT,          -- UTC day of the measurement, YYYY-MM-DD, NULL for catalog runs
    retrieved_on      TEXT,          -- UTC day of retrieved_utc, NULL where not stated
    retrieved_utc     TEXT,          -- when the inputs were fetched, RFC 3339 in UTC, NULL where not stated
    hidden_by_attempt INTEGER,       -- the newer attempt of the same GitHub run that hides this one, NULL where it is current
    definition_set_id INTEGER NOT NULL REFERENCES definition_sets (definition_set_id), -- the definitions of its metrics (see metric_defs)
    content_id        INTEGER REFERENCES run_contents (content_id), -- what it measured, NULL without model or hardware and for a run hidden by a newer attempt: such a run duplicates nothing
    CONSTRAINT runs_document CHECK ((origin = 'inferencex') = (document_sha256 IS NULL)),
    CONSTRAINT runs_references CHECK (duplicate_of IS NOT name AND supersedes IS NOT name)
) STRICT;

CREATE INDEX runs_by_supersedes ON runs (supersedes) WHERE supersedes IS NOT NULL;
CREATE INDEX runs_by_duplicate_of ON runs (duplicate_of) WHERE duplicate_of IS NOT NULL;
CREATE INDEX runs_by_licence ON runs (licence_id);
CREATE INDEX runs_by_definition_set ON runs (definition_set_id);
CREATE INDEX runs_by_content ON runs (content_id, name) WHERE content_id IS NOT NULL;
CREATE INDEX runs_by_model ON runs (model, hardware, engine, engine_version);

CREATE TABLE run_versions ( -- A version of a catalog run that was stored at some time, the one in effect included (runs.document_sha256).
    name   TEXT NOT NULL, -- the run's name
    sha256 TEXT NOT NULL REFERENCES document_contents (sha256), -- the document
    PRIMARY KEY (name, sha256)
) STRICT, WITHOUT ROWID;

CREATE TABLE adapters ( -- The extracting code of a catalog run and how it read the values.
    run_id            INTEGER NOT NULL PRIMARY KEY REFERENCES runs (run_id) ON DELETE CASCADE, -- the run
    name              TEXT NOT NULL, -- the adapter's path or name
    version           TEXT NOT NULL, -- its version
    sha256            TEXT NOT NULL, -- digest of its source
    extraction_method TEXT NOT NULL, -- how values were read
    label_verified    INTEGER CONSTRAINT adapters_label_verified CHECK (label_verified IN (0, 1)) -- whether each metric label was checked, NULL where not stated
) STRICT;

CREATE TABLE selectors ( -- What was read: a literal name, column or row id.
    run_id   INTEGER NOT NULL REFERENCES runs (run_id) ON DELETE CASCADE, -- the run
    position INTEGER NOT NULL, -- order in the document, from 0
    selector TEXT NOT NULL,    -- its text, which may be empty
    PRIMARY KEY (run_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE source_inputs ( -- A file that a run was read from.
    run_id      INTEGER NOT NULL REFERENCES runs (run_id) ON DELETE CASCADE, -- the run
    position    INTEGER NOT NULL, -- order in the document, from 0
    role        TEXT NOT NULL,    -- what the file is to the run
    url         TEXT,             -- where it was fetched from, NULL where not stated (then path is)
    repo        TEXT,             -- the repository holding it, NULL where not stated
    commit_id   TEXT,             -- the commit it was read at, NULL where not stated
    path        TEXT,             -- its path in the repository or the local store, NULL where not stated
    git_blob    TEXT,             -- its git blob id, NULL where not stated
    size        INTEGER CONSTRAINT source_inputs_size CHECK (size >= 0), -- bytes, NULL where not stated
    sha256      TEXT NOT NULL,    -- its digest
    fetched_utc TEXT,             -- when it was fetched, RFC 3339 in UTC, NULL where not stated
    note        TEXT,             -- NULL where not stated
    PRIMARY KEY (run_id, position),
    CONSTRAINT source_inputs_place CHECK (url IS NOT NULL OR path IS NOT NULL)
) STRICT, WITHOUT ROWID;

CREATE INDEX source_inputs_by_sha256 ON source_inputs (sha256);

CREATE TABLE clients ( -- The load generator of a catalog run.
    run_id             INTEGER NOT NULL PRIMARY KEY REFERENCES runs (run_id) ON DELETE CASCADE, -- the run
    harness            TEXT,    -- the load generator, NULL where not recorded
    harness_version    TEXT,    -- NULL where not recorded
    image_digest       TEXT,    -- the client image, pinned, NULL where not recorded
    seed               INTEGER, -- the client seed, 0 is a seed, NULL where not recorded
    num_prompts        INTEGER, -- requests per level
    burstiness         REAL,    -- gamma shape of the arrivals, 1 is Poisson
    ramp_up_strategy   TEXT,    -- linear or exponential, NULL without a ramp
    ramp_up_start      REAL,    -- requests per second
    ramp_up_end        REAL,    -- requests per second
    num_warmups        INTEGER, -- warm-up requests, excluded from the metrics
    ignore_eos         INTEGER CONSTRAINT clients_ignore_eos CHECK (ignore_eos IN (0, 1)), -- whether output ran to max_tokens regardless of EOS
    endpoint           TEXT,    -- the API endpoint, such as completions or chat
    tokenizer_repo     TEXT,    -- NULL without a tokenizer
    tokenizer_revision TEXT,    -- the revision it was read at
    tokenizer_sha256   TEXT,    -- digest of the tokenizer files
    tokenizer_mode     TEXT,    -- the tokenizer mode
    duration_s         REAL,    -- measurement duration per level, seconds
    grace_s            REAL     -- grace period after the duration, seconds
) STRICT;

CREATE TABLE client_args ( -- An element of the load generator's command as recorded.
    run_id   INTEGER NOT NULL REFERENCES runs (run_id) ON DELETE CASCADE, -- the run
    position INTEGER NOT NULL, -- order in argv, from 0
    arg      TEXT NOT NULL,    -- its text, which may be empty
    PRIMARY KEY (run_id, position)
) STRICT, WITHOUT ROWID;
