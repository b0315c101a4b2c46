-- +goose Up
CREATE TABLE loads ( -- A load command that was committed: the ledger of loads.
    load_id   INTEGER PRIMARY KEY, -- surrogate key, ascending in time
    loaded_at TEXT NOT NULL,       -- when it was committed, RFC 3339 in UTC
    tool      TEXT NOT NULL,       -- version of the program that loaded
    local     INTEGER NOT NULL CONSTRAINT loads_local CHECK (local IN (0, 1)) -- 1 when --local was given
) STRICT;

CREATE TABLE documents ( -- A file that was read by a load, part of the ledger of loads.
    document_id INTEGER PRIMARY KEY, -- surrogate key, ascending in time
    load_id     INTEGER NOT NULL REFERENCES loads (load_id), -- the load that read it
    path        TEXT NOT NULL,    -- the path as it was printed, relative to the working directory of the load where it lay below it
    kind        TEXT,             -- MeasuredRun, MeasurementSources or InferenceX, NULL where it could not be told
    name        TEXT,             -- the run's name, NULL for other kinds or where it could not be read
    sha256      TEXT,             -- digest of its bytes as read (before gunzip), NULL where it was too large to read
    size        INTEGER NOT NULL, -- bytes
    status      TEXT NOT NULL CONSTRAINT documents_status CHECK (status IN ('added', 'updated', 'unchanged', 'rejected', 'partial')), -- what became of it, partial for a capture with refused rows
    loaded_at   TEXT NOT NULL     -- as loads.loaded_at
) STRICT;

CREATE INDEX documents_by_name ON documents (name);
CREATE INDEX documents_by_load ON documents (load_id);

CREATE TABLE problems ( -- A problem of a document that was read, part of the ledger of loads.
    document_id INTEGER NOT NULL REFERENCES documents (document_id), -- the document
    position    INTEGER NOT NULL, -- order within the document, from 0
    severity    TEXT NOT NULL CONSTRAINT problems_severity CHECK (severity IN ('error', 'warning')), -- an error refuses the document (or the row of a capture), a warning does not
    path        TEXT NOT NULL, -- dotted path within the document, empty for the document as a whole
    line        INTEGER,       -- 1-based line, NULL where none is known
    rule        TEXT NOT NULL, -- the name of the rule
    message     TEXT NOT NULL, -- what is wrong and what is allowed
    PRIMARY KEY (document_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE document_contents ( -- The bytes of a run document or licence registry that was stored, old versions included.
    sha256  TEXT NOT NULL PRIMARY KEY, -- digest of content, 64 lower-case hex
    content BLOB NOT NULL              -- the file as it was read
) STRICT;
