-- +goose Up
CREATE TABLE capture_rows ( -- What a load did with the rows of a capture, part of the ledger of loads. Captures loaded before schema version 23, and those of a rebuilt database, have none.
    document_id INTEGER NOT NULL PRIMARY KEY REFERENCES documents (document_id), -- the capture, as read by a load
    added       INTEGER NOT NULL, -- rows that became a new point
    updated     INTEGER NOT NULL, -- rows that completed or revised a point
    unchanged   INTEGER NOT NULL, -- rows that said what was stored
    failed      INTEGER NOT NULL, -- rows without a successful request, set aside
    refused     INTEGER NOT NULL, -- rows that break a rule (see problems)
    revised     INTEGER NOT NULL, -- rows, counted above, that replaced a value
    flagged     INTEGER NOT NULL  -- rows, counted above, whose point a plausibility rule pointed at when the load ended
) STRICT;
