-- +goose Up
CREATE TABLE inferencex_run_digests ( -- A digest of all that is stored of a run from InferenceX, by which check tells what was changed since. Derived, kept by each load.
    run_id INTEGER NOT NULL PRIMARY KEY REFERENCES runs (run_id) ON DELETE CASCADE, -- the run
    digest INTEGER NOT NULL -- of its fields, configuration, pools, points and revisions, and of its points' digests (see inferencex_row_digests)
) STRICT;

CREATE TABLE inferencex_table_digests ( -- A digest of rows that captures and dumps brought and that belong to no run, and, as inferencex_runs, the sum of the digests of all runs, by which check tells what was changed since. Derived, kept by each load.
    table_name TEXT NOT NULL,    -- the table
    part       TEXT NOT NULL,    -- which rows of it: those of a capture's digest or of a run's name, empty for all
    digest     INTEGER NOT NULL, -- of these rows
    PRIMARY KEY (table_name, part)
) STRICT, WITHOUT ROWID;
