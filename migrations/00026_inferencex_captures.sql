-- +goose Up
CREATE TABLE inferencex_captures ( -- A request to the InferenceX API that came to an end, as the ledger of a captured folder has it: where captures are from. Part of the ledger of loads. A file's loads are the documents with its sha256.
    url              TEXT NOT NULL, -- the address that was asked for, without credentials
    started_at       TEXT NOT NULL, -- when the last attempt began, RFC 3339 in UTC
    outcome          TEXT NOT NULL CONSTRAINT inferencex_captures_outcome CHECK (outcome IN ('complete', 'unchanged', 'refused', 'failed')), -- complete: the file holds the response; unchanged: the server said that the file is still what it would answer (304); refused: 4xx; failed: no usable response
    load_id          INTEGER NOT NULL REFERENCES loads (load_id), -- the first load that read it
    operation        TEXT NOT NULL, -- what was asked for, such as benchmarks
    params           TEXT NOT NULL CONSTRAINT inferencex_captures_params CHECK (json_valid(params)), -- JSON object of the parameters of path and query
    final_url        TEXT,          -- where the server redirected to within its host, NULL where it did not
    duration_ms      INTEGER NOT NULL, -- of the last attempt, ms
    attempts         INTEGER NOT NULL, -- how many there were
    status           INTEGER,       -- of HTTP, NULL where there was no response
    file             TEXT,          -- the name of the file in its folder, NULL where there is none
    size             INTEGER,       -- bytes of the file, NULL where there is none
    sha256           TEXT,          -- digest of the file's bytes, 64 lower-case hex, NULL where there is none: documents.sha256 of the loads that read it
    wire_size        INTEGER NOT NULL, -- of the body as it came, compressed or not, bytes, 0 where no body was read
    content_type     TEXT,          -- header of the response, as received, NULL where it was not sent
    content_encoding TEXT,          -- likewise; the file is decompressed
    etag             TEXT,          -- likewise
    last_modified    TEXT,          -- likewise
    date             TEXT,          -- likewise: the server's clock
    reason           TEXT,          -- a word for why there is no response, NULL where there is one
    error            TEXT,          -- what the server or the network said, bounded, NULL where there is a response
    PRIMARY KEY (url, started_at, outcome),
    CONSTRAINT inferencex_captures_file CHECK ((file IS NULL) = (sha256 IS NULL) AND (file IS NULL) = (size IS NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX inferencex_captures_by_sha256 ON inferencex_captures (sha256) WHERE sha256 IS NOT NULL;
CREATE INDEX inferencex_captures_by_load ON inferencex_captures (load_id);
