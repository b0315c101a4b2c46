-- +goose Up
CREATE TABLE points ( -- A load level of a run.
    point_id        INTEGER PRIMARY KEY, -- surrogate key
    run_id          INTEGER NOT NULL REFERENCES runs (run_id) ON DELETE CASCADE, -- the run
    position        INTEGER NOT NULL, -- order in the run, from 0, loads increasing. 0 is the anchor
    id              TEXT NOT NULL,    -- unique within the run, c<concurrency> for inferencex
    concurrency     INTEGER CONSTRAINT points_concurrency CHECK (concurrency >= 1), -- the client's concurrency cap, NULL where only a rate is stated
    request_rate    REAL CONSTRAINT points_request_rate CHECK (request_rate > 0 AND request_rate < 9e999), -- offered requests per second, NULL where only a concurrency is stated
    completed       INTEGER CONSTRAINT points_completed CHECK (completed >= 0), -- requests completed, NULL where not stated
    failed          INTEGER CONSTRAINT points_failed CHECK (failed >= 0), -- requests failed, NULL where not stated
    mean_isl        REAL CONSTRAINT points_mean_isl CHECK (mean_isl >= 0 AND mean_isl < 9e999), -- mean input tokens actually served, NULL where not stated
    mean_osl        REAL CONSTRAINT points_mean_osl CHECK (mean_osl >= 0 AND mean_osl < 9e999), -- mean output tokens actually served, NULL where not stated
    kv_utilization  REAL CONSTRAINT points_kv_utilization CHECK (kv_utilization BETWEEN 0 AND 1), -- fraction of the KV pool in use, NULL where not stated
    prefix_hit_rate REAL CONSTRAINT points_prefix_hit_rate CHECK (prefix_hit_rate BETWEEN 0 AND 1), -- fraction of prompt tokens served from cache, NULL where not stated
    preemptions     INTEGER CONSTRAINT points_preemptions CHECK (preemptions >= 0), -- requests evicted and recomputed, NULL where not stated
    noise_seeds     INTEGER CONSTRAINT points_noise_seeds CHECK (noise_seeds >= 2), -- seeds the spread was measured over, NULL where not stated
    noise_cv        REAL CONSTRAINT points_noise_cv CHECK (noise_cv >= 0 AND noise_cv < 9e999), -- coefficient of variation across them, NULL where not stated
    UNIQUE (run_id, id),
    CONSTRAINT points_load CHECK (concurrency IS NOT NULL OR request_rate IS NOT NULL)
) STRICT;

CREATE TABLE catalog_values ( -- A measured value of a catalog run (see measurements for both sources).
    point_id       INTEGER NOT NULL REFERENCES points (point_id) ON DELETE CASCADE, -- the point
    metric         TEXT NOT NULL, -- the metric's name in the run
    value          REAL NOT NULL CONSTRAINT catalog_values_value CHECK (value >= 0 AND value < 9e999), -- in the definition's unit
    report_label   TEXT,          -- the label that the report gave it, NULL where not stated
    raw_key        TEXT,          -- the key, column or row it was read from, NULL where not stated
    label_verified INTEGER CONSTRAINT catalog_values_label_verified CHECK (label_verified IN (0, 1)), -- whether the label was checked against the definition, NULL where not stated
    PRIMARY KEY (point_id, metric)
) STRICT, WITHOUT ROWID;
