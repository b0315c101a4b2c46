-- +goose Up
-- The same bytes may answer several operations: an empty list, or the same files of
-- two of them. What a capture is of is known by both, so that the tables of rows,
-- which name the bytes, need a table of those.
DROP VIEW inferencex_newest_bodies;
DROP INDEX inferencex_bodies_by_operation;
PRAGMA defer_foreign_keys = on;

-- What refers to the table follows its name.
ALTER TABLE inferencex_bodies RENAME TO inferencex_body_files;

CREATE TABLE inferencex_bodies ( -- What a capture of the InferenceX API that is no benchmark rows answers: its rows are kept as it states them. Known by the bytes and the operation, for an empty list or object may be an answer of several. inferencex_captures says where it is from.
    sha256    TEXT NOT NULL,    -- digest of its bytes as read, as documents.sha256
    operation TEXT NOT NULL,    -- such as availability: as the content tells, or where it does not, as the ledger of its folder does
    rows      INTEGER NOT NULL, -- that were stored of it, 0 for an empty list or object
    PRIMARY KEY (sha256, operation),
    FOREIGN KEY (sha256) REFERENCES inferencex_body_files (sha256)
) STRICT, WITHOUT ROWID;

INSERT INTO inferencex_bodies (sha256, operation, rows) SELECT sha256, operation, rows FROM inferencex_body_files;

DROP TABLE inferencex_body_files;

CREATE TABLE inferencex_body_files ( -- The bytes of a capture of the InferenceX API that is no benchmark rows: what inferencex_bodies and the tables of rows refer to.
    sha256 TEXT NOT NULL PRIMARY KEY -- digest of its bytes as read, as documents.sha256
) STRICT, WITHOUT ROWID;

INSERT INTO inferencex_body_files (sha256) SELECT sha256 FROM inferencex_bodies;

CREATE INDEX inferencex_bodies_by_operation ON inferencex_bodies (operation);

CREATE VIEW inferencex_newest_bodies ( -- The newest capture of each operation: the one that a ledger says came or was confirmed last, of those without a ledger the one that was loaded last, which counts as older. Operations whose captures depend on parameters have one each all the same: see inferencex_captures.params.
    operation,   -- the operation
    sha256,      -- of the capture
    captured_at, -- when it came or was confirmed as an answer of the operation, RFC 3339 in UTC, NULL where no ledger tells
    loaded_at    -- when it was loaded last, RFC 3339 in UTC
) AS
SELECT operation, sha256, captured_at, loaded_at
FROM (
    SELECT
        b.operation,
        b.sha256,
        c.captured_at,
        d.loaded_at,
        row_number() OVER (PARTITION BY b.operation ORDER BY c.captured_at IS NULL, c.captured_at DESC, d.document_id DESC, b.sha256) AS place
    FROM inferencex_bodies b
    LEFT JOIN (
        SELECT sha256, CASE operation WHEN 'collectivex-latest' THEN 'collectivex-run' ELSE operation END AS operation, max(started_at) AS captured_at
        FROM inferencex_captures
        WHERE sha256 IS NOT NULL
        GROUP BY 1, 2
    ) c ON c.sha256 = b.sha256 AND c.operation = b.operation
    LEFT JOIN (SELECT sha256, max(document_id) AS document_id, max(loaded_at) AS loaded_at FROM documents GROUP BY sha256) d ON d.sha256 = b.sha256
)
WHERE place = 1;

-- A copy, for renaming a table reads the whole schema again, in every fresh database.
CREATE TABLE document_readings_before AS SELECT * FROM document_readings;
DROP TABLE document_readings;

CREATE TABLE document_readings ( -- How a load read a file, as far as the file itself does not tell: what it takes to do the load again. Part of the ledger of loads. Loads of programs before schema 21 have none.
    document_id    INTEGER NOT NULL PRIMARY KEY REFERENCES documents (document_id), -- the file
    position       INTEGER NOT NULL, -- its place in the order in which the load took its files, from 0: registries, then other documents, then captures
    admitted_as    TEXT CONSTRAINT document_readings_admitted_as CHECK (admitted_as IN ('catalog', 'local', 'file')), -- as what a run document was judged (see runs.admitted_as), NULL for other kinds
    registry_path  TEXT, -- the absolute path of a licence registry, which is its identity (see registries.path), NULL for other kinds
    artifact_group TEXT, -- the name of the directory that groups raw artifacts of it into runs (see inferencex_runs.artifact_run), NULL for other kinds than files of InferenceX
    operation      TEXT  -- of the InferenceX API, as which the ledger of its folder had the file read because its content does not tell, NULL where it does
) STRICT;

INSERT INTO document_readings (document_id, position, admitted_as, registry_path, artifact_group, operation)
SELECT document_id, position, admitted_as, registry_path, artifact_group, NULL FROM document_readings_before;

DROP TABLE document_readings_before;
