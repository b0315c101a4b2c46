-- +goose Up
CREATE TABLE provenance ( -- A setting of a run compared across the sources that state it.
    run_id          INTEGER NOT NULL REFERENCES runs (run_id) ON DELETE CASCADE, -- the run
    position        INTEGER NOT NULL, -- order in the document, from 0
    setting         TEXT NOT NULL,    -- the setting
    report_value    TEXT, -- the report's value, NULL where the report does not state it
    report_ref      TEXT, -- where the report states it
    report_commit   TEXT, -- the commit it was read at
    script_value    TEXT, -- the producing script's value, NULL where it does not state it
    script_ref      TEXT, -- where the script states it
    script_commit   TEXT, -- the commit it was read at
    artifact_value  TEXT, -- the run artifact's value, NULL where it does not state it
    artifact_ref    TEXT, -- where the artifact states it
    artifact_commit TEXT, -- the commit it was read at
    blis_value      TEXT, -- the value BLIS uses, NULL where none is stated
    blis_ref        TEXT, -- where BLIS states it
    blis_commit     TEXT, -- the commit it was read at
    verdict         TEXT NOT NULL CONSTRAINT provenance_verdict CHECK (verdict IN ('MATCH', 'MISMATCH', 'UNSTATED', 'UNVERIFIABLE')), -- what the comparison shows
    resolved_by     TEXT, -- the engine rule that fixes an UNSTATED value, NULL where none does
    material        TEXT NOT NULL CONSTRAINT provenance_material CHECK (material IN ('yes', 'no', 'unknown', 'bounded')), -- whether it can move a metric
    bound           TEXT, -- how far it can move a metric, only for bounded
    note            TEXT, -- NULL where not stated
    PRIMARY KEY (run_id, position),
    CONSTRAINT provenance_resolved_by CHECK (resolved_by IS NULL OR verdict = 'UNSTATED'),
    CONSTRAINT provenance_bound CHECK ((material = 'bounded') = (bound IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE TABLE diffs ( -- A difference between a run's configuration and the one BLIS would simulate.
    run_id     INTEGER NOT NULL REFERENCES runs (run_id) ON DELETE CASCADE, -- the run
    position   INTEGER NOT NULL, -- order in the document, from 0
    path       TEXT NOT NULL, -- the field that differs
    measured   TEXT,          -- the measured value, NULL where not stated
    blis       TEXT,          -- the value BLIS uses, NULL where not stated
    kind       TEXT NOT NULL CONSTRAINT diffs_kind CHECK (kind IN ('not_expressible', 'not_modelled', 'conflict', 'unresolved', 'approximated')), -- why it differs
    removable  INTEGER CONSTRAINT diffs_removable CHECK (removable IN (0, 1)), -- whether a change in owner_repo would close it, NULL where not stated
    owner_repo TEXT,          -- the repository that owns the change, NULL where not stated
    material   TEXT NOT NULL CONSTRAINT diffs_material CHECK (material IN ('yes', 'no', 'unknown', 'bounded')), -- whether it can move a metric
    bound      TEXT,          -- how far it can move a metric, only for bounded
    issue      TEXT,          -- the issue tracking it, NULL where not stated
    PRIMARY KEY (run_id, position),
    CONSTRAINT diffs_owner_repo CHECK (removable IS NOT 1 OR owner_repo IS NOT NULL),
    CONSTRAINT diffs_bound CHECK ((material = 'bounded') = (bound IS NOT NULL))
) STRICT, WITHOUT ROWID;
