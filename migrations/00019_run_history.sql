-- +goose Up
-- A capture that brought or revised rows of a run is known from this migration on; of earlier loads it is not.
CREATE TABLE inferencex_capture_runs ( -- A run of which a capture brought, completed or revised rows, part of the ledger of loads. Captures loaded before schema version 19 have none.
    run_id      INTEGER NOT NULL REFERENCES runs (run_id) ON DELETE CASCADE, -- the run
    document_id INTEGER NOT NULL REFERENCES documents (document_id), -- the capture, as read by a load
    rows        INTEGER NOT NULL CONSTRAINT inferencex_capture_runs_rows CHECK (rows >= 1), -- rows of it that added, completed or revised a point of the run, or the run itself
    PRIMARY KEY (run_id, document_id)
) STRICT, WITHOUT ROWID;

CREATE VIEW metric_pairs ( -- Two names of a metric that two runs share, by their definition sets: the same identity, or, where neither has a counterpart of its identity, the same name.
    set_a,         -- a definition set (see runs.definition_set_id)
    set_b,         -- another, or the same
    metric_a,      -- the metric's name in set_a
    metric_b,      -- its name in set_b
    definition_a,  -- its definition in set_a
    definition_b,  -- its definition in set_b
    same_identity  -- 1 where the identities are the same, 0 where only the names are
) AS
SELECT x.definition_set_id, y.definition_set_id, x.metric, y.metric, x.definition_id, y.definition_id, 1
FROM definition_set_members x
JOIN definition_set_members y ON y.identity = x.identity
UNION ALL
SELECT x.definition_set_id, y.definition_set_id, x.metric, y.metric, x.definition_id, y.definition_id, 0
FROM definition_set_members x
JOIN definition_set_members y ON y.metric = x.metric AND y.identity <> x.identity
WHERE NOT EXISTS (SELECT 1 FROM definition_set_members o WHERE o.definition_set_id = y.definition_set_id AND o.identity = x.identity)
  AND NOT EXISTS (SELECT 1 FROM definition_set_members o WHERE o.definition_set_id = x.definition_set_id AND o.identity = y.identity);
