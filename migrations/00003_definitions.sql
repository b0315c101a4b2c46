-- +goose Up
CREATE TABLE definitions ( -- A distinct definition of a metric, shared by all runs that state it (see metric_defs).
    definition_id     INTEGER PRIMARY KEY, -- surrogate key
    formula           TEXT, -- the quantity, NULL where unstated
    statistic         TEXT, -- mean, median, std, max or pNN, NULL where unstated and for a throughput
    population        TEXT CONSTRAINT definitions_population CHECK (population IN ('per_request', 'pooled_chunks', 'pooled_tokens')), -- what the statistic is over, NULL where unstated
    denominator       TEXT, -- what a throughput divides by, NULL where unstated and for a latency
    clock             TEXT CONSTRAINT definitions_clock CHECK (clock IN ('client', 'server')), -- whose timestamps, NULL where unstated
    start_event       TEXT, -- when a latency starts, NULL where unstated
    stop_event        TEXT, -- when a latency stops, NULL where unstated
    output_len_source TEXT, -- where output token counts come from, NULL where unstated
    reasoning_counted_as_content INTEGER CONSTRAINT definitions_reasoning CHECK (reasoning_counted_as_content IN (0, 1)), -- whether reasoning tokens count as output, NULL where unstated
    percentile_method TEXT, -- how a percentile interpolates, NULL where unstated
    unit              TEXT NOT NULL CONSTRAINT definitions_unit CHECK (unit IN ('ms', 'tokens_per_s', 'requests_per_s')), -- the unit of the values
    gpu_scope         TEXT CONSTRAINT definitions_gpu_scope CHECK (gpu_scope IN ('all', 'prefill', 'decode')), -- which GPUs a per-GPU figure was divided by, NULL where it is none or unstated
    cite              TEXT NOT NULL -- where the definition is read from
) STRICT;

CREATE UNIQUE INDEX definitions_by_content ON definitions (
    ifnull(formula, ''), ifnull(statistic, ''), ifnull(population, ''), ifnull(denominator, ''), ifnull(clock, ''),
    ifnull(start_event, ''), ifnull(stop_event, ''), ifnull(output_len_source, ''), ifnull(reasoning_counted_as_content, -1),
    ifnull(percentile_method, ''), unit, ifnull(gpu_scope, ''), cite
);

CREATE TABLE definition_sets ( -- A distinct set of named metric definitions, shared by all runs that use exactly it.
    definition_set_id INTEGER PRIMARY KEY,  -- surrogate key
    sha256            TEXT NOT NULL UNIQUE  -- digest of its members in canonical form
) STRICT;

CREATE TABLE definition_set_members ( -- A metric of a definition set.
    definition_set_id INTEGER NOT NULL REFERENCES definition_sets (definition_set_id), -- the set
    metric            TEXT NOT NULL,    -- the name that the points use
    definition_id     INTEGER NOT NULL REFERENCES definitions (definition_id), -- what it means
    identity          TEXT NOT NULL,    -- what makes it the same metric in a comparison of runs: formula and statistic (p50 and median are one), or the name where the formula is unstated or another metric of the set has the same
    slot              INTEGER NOT NULL, -- 0 for a value in catalog_values, else 1 + the index of the column of inferencex_points that holds it
    reported_key      TEXT,             -- the publisher's key for slot > 0, NULL for slot 0
    scale             REAL NOT NULL,    -- factor from the reported value to the definition's unit, 1000.0 for seconds to ms
    PRIMARY KEY (definition_set_id, metric)
) STRICT, WITHOUT ROWID;

CREATE INDEX definition_set_members_by_definition ON definition_set_members (definition_id);
