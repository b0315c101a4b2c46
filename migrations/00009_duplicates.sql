-- +goose Up
CREATE TABLE content_keys ( -- A blocking key of a measured content: two contents that overlap share one. Derived, kept by each load.
    key        INTEGER NOT NULL, -- hash of model, hardware, load, metric and value of a point
    content_id INTEGER NOT NULL REFERENCES run_contents (content_id) ON DELETE CASCADE, -- the content
    PRIMARY KEY (key, content_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX content_keys_by_content ON content_keys (content_id);

CREATE TABLE content_anchors ( -- The value of a blocking metric at the first load of a measured content: near duplicates lie close to each other here. Derived, kept by each load.
    block      TEXT NOT NULL,    -- as run_contents.block
    metric     TEXT NOT NULL,    -- the metric's identity
    value      REAL NOT NULL,    -- in the definition's unit
    last_value REAL,             -- of the same metric at the last load, NULL where that has none
    content_id INTEGER NOT NULL REFERENCES run_contents (content_id) ON DELETE CASCADE, -- the content
    PRIMARY KEY (block, metric, value, content_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX content_anchors_by_content ON content_anchors (content_id);

CREATE TABLE metric_combinations ( -- A set of metrics that some point has, by which blocking keys are chosen. Derived, kept by each load.
    combination_id INTEGER PRIMARY KEY,  -- surrogate key
    metrics        TEXT NOT NULL UNIQUE  -- identities (formula and statistic, or the name) joined by line feeds, sorted
) STRICT;

CREATE TABLE content_combinations ( -- A set of metrics that some point of a measured content has. Derived, kept by each load.
    content_id     INTEGER NOT NULL REFERENCES run_contents (content_id) ON DELETE CASCADE, -- the content
    combination_id INTEGER NOT NULL REFERENCES metric_combinations (combination_id), -- the set
    PRIMARY KEY (content_id, combination_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX content_combinations_by_combination ON content_combinations (combination_id);

CREATE TABLE blocking_metrics ( -- A metric that blocking keys are made of: any two combinations that share a metric share one of these. Derived, kept by each load.
    metric TEXT NOT NULL PRIMARY KEY -- the metric's identity
) STRICT;

CREATE TABLE content_overlaps ( -- Two measured contents that overlap without being equal. Derived, kept by each load (see duplicate_pairs).
    content_a     INTEGER NOT NULL REFERENCES run_contents (content_id) ON DELETE CASCADE, -- the content with the smaller key
    content_b     INTEGER NOT NULL REFERENCES run_contents (content_id) ON DELETE CASCADE, -- the other
    shared_values INTEGER NOT NULL, -- values at shared loads of metrics that both have, all equal
    PRIMARY KEY (content_a, content_b),
    CONSTRAINT content_overlaps_order CHECK (content_a < content_b),
    CONSTRAINT content_overlaps_values CHECK (shared_values >= 2)
) STRICT, WITHOUT ROWID;

CREATE INDEX content_overlaps_by_b ON content_overlaps (content_b);

CREATE TABLE content_groups ( -- A measured content that overlaps others, and the set it belongs to. Derived, kept by each load (see duplicate_groups).
    content_id INTEGER NOT NULL PRIMARY KEY REFERENCES run_contents (content_id) ON DELETE CASCADE, -- the content
    group_id   INTEGER NOT NULL -- the smallest content_id that overlaps connect it with
) STRICT;

CREATE INDEX content_groups_by_group ON content_groups (group_id);

CREATE TABLE declaration_components ( -- A name that duplicate_of declarations mention, and the set of names they connect it with. Derived, kept by each load.
    name      TEXT NOT NULL PRIMARY KEY, -- a run's name, loaded or not
    component TEXT NOT NULL,             -- the first name of the set
    in_cycle  INTEGER NOT NULL CONSTRAINT declaration_components_in_cycle CHECK (in_cycle IN (0, 1)) -- 1 when its declarations lead back to itself
) STRICT;

CREATE TABLE supersession_cycles ( -- A run whose chain of supersession leads back to itself. Derived, kept by each load.
    name TEXT NOT NULL PRIMARY KEY -- the run
) STRICT;
