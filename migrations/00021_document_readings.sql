-- +goose Up
CREATE TABLE document_readings ( -- How a load read a file, as far as the file itself does not tell: what it takes to do the load again. Part of the ledger of loads. Loads of programs before schema 21 have none.
    document_id    INTEGER NOT NULL PRIMARY KEY REFERENCES documents (document_id), -- the file
    position       INTEGER NOT NULL, -- its place in the order in which the load took its files, from 0: registries, then other documents, then captures
    admitted_as    TEXT CONSTRAINT document_readings_admitted_as CHECK (admitted_as IN ('catalog', 'local', 'file')), -- as what a run document was judged (see runs.admitted_as), NULL for other kinds
    registry_path  TEXT, -- the absolute path of a licence registry, which is its identity (see registries.path), NULL for other kinds
    artifact_group TEXT  -- the name of the directory that groups raw artifacts of it into runs (see inferencex_runs.artifact_run), NULL for other kinds than files of InferenceX
) STRICT;
