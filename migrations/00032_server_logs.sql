-- +goose Up
CREATE TABLE inferencex_api_server_log_files ( -- A log that is kept of a benchmark, as a capture of /server-log-files lists it. Which benchmark it is of is in inferencex_captures.params. Known by the capture and the place in it.
    sha256    TEXT NOT NULL REFERENCES inferencex_body_files (sha256), -- the capture
    position  INTEGER NOT NULL, -- in the list, from 1: the first is the primary log
    file_name TEXT NOT NULL, -- relative to the root of the run's artifacts
    PRIMARY KEY (sha256, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE inferencex_api_server_logs ( -- A server log or a chunk of one, as a capture of /server-log has it: a row for each capture, the text is in inferencex_api_server_log_pieces. Places in a log are counted in characters (Unicode code points), as the publisher's database does.
    sha256          TEXT NOT NULL REFERENCES inferencex_body_files (sha256), -- the capture
    position        INTEGER NOT NULL, -- always 1
    published_id    INTEGER, -- the publisher's id of the benchmark, NULL in a text attachment, which does not say: see inferencex_captures.params
    file_name       TEXT, -- of the log, NULL where it is no chunk: see inferencex_captures.params
    first_character INTEGER, -- of a chunk: its place in the log, from 0; NULL of a whole log
    next_character  INTEGER, -- of a chunk: where the next one begins, as stated, NULL of the last and of a whole log
    characters      INTEGER NOT NULL, -- of the text, also where a piece of it was refused
    as_written      TEXT CONSTRAINT inferencex_api_server_logs_as_written CHECK (as_written IS NULL OR json_valid(as_written)), -- JSON object of the texts that the columns hold otherwise, by the publisher's key, NULL for none
    extra           TEXT CONSTRAINT inferencex_api_server_logs_extra CHECK (extra IS NULL OR json_valid(extra)), -- JSON object of what has no column, by the publisher's key, NULL for nothing
    PRIMARY KEY (sha256, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE inferencex_api_server_log_pieces ( -- A piece of the text of a server log's capture, of at most 16384 characters, up to the end of a line where there is one. Known by the capture and the place in it.
    sha256          TEXT NOT NULL REFERENCES inferencex_body_files (sha256), -- the capture
    position        INTEGER NOT NULL, -- of the piece, from 1; one that carries a credential is refused
    first_character INTEGER NOT NULL, -- its place in the capture's text, in characters (Unicode code points) from 0
    characters      INTEGER NOT NULL, -- how many it has
    nuls            TEXT CONSTRAINT inferencex_api_server_log_pieces_nuls CHECK (nuls IS NULL OR json_valid(nuls)), -- JSON list of the characters of the piece, from 0, that are NUL: the text has U+2400 there, for a NUL would end it; NULL for none
    text            TEXT NOT NULL, -- exactly as published but for NUL, control characters included
    PRIMARY KEY (sha256, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE inferencex_api_server_log_searches ( -- A search in the logs of a benchmark, as a capture of /server-log-search answers it: a row for each capture.
    sha256        TEXT NOT NULL REFERENCES inferencex_body_files (sha256), -- the capture
    position      INTEGER NOT NULL, -- always 1
    published_id  INTEGER NOT NULL, -- the publisher's id of the benchmark
    searched_text TEXT NOT NULL, -- what was searched for, literally, without regard to case
    truncated     INTEGER NOT NULL CONSTRAINT inferencex_api_server_log_searches_truncated CHECK (truncated IN (0, 1)), -- whether there are more matches than are listed
    as_written    TEXT CONSTRAINT inferencex_api_server_log_searches_as_written CHECK (as_written IS NULL OR json_valid(as_written)), -- JSON object of the texts that the columns hold otherwise, by the publisher's key, NULL for none
    extra         TEXT CONSTRAINT inferencex_api_server_log_searches_extra CHECK (extra IS NULL OR json_valid(extra)), -- JSON object of what has no column, by the publisher's key, NULL for nothing
    PRIMARY KEY (sha256, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE inferencex_api_server_log_matches ( -- A match of a search in the logs of a benchmark, as a capture of /server-log-search lists it. Known by the capture and the place in it.
    sha256          TEXT NOT NULL REFERENCES inferencex_body_files (sha256), -- the capture
    position        INTEGER NOT NULL, -- of the match in its list, from 1
    file_name       TEXT NOT NULL, -- of the log
    first_character INTEGER NOT NULL, -- of the match in the log, in characters from 0
    before_text     TEXT, -- what stands before it, NULL where unstated
    match_text      TEXT NOT NULL, -- as the log has it
    after_text      TEXT, -- what stands behind it, NULL where unstated
    as_written      TEXT CONSTRAINT inferencex_api_server_log_matches_as_written CHECK (as_written IS NULL OR json_valid(as_written)), -- JSON object of the texts that the columns hold otherwise, by the publisher's key, NULL for none
    extra           TEXT CONSTRAINT inferencex_api_server_log_matches_extra CHECK (extra IS NULL OR json_valid(extra)), -- JSON object of what has no column, by the publisher's key, NULL for nothing
    PRIMARY KEY (sha256, position)
) STRICT, WITHOUT ROWID;

CREATE VIEW server_log_captures ( -- What each capture of /server-log is of: a log, or a chunk of one. The same bytes may be of several benchmarks.
    published_id,    -- the publisher's id of the benchmark, which is no identity: rows move. As the capture states it, else as its ledger does, NULL where neither does
    file_name,       -- the log, as the capture states it, else as its ledger does, else the primary one of the newest list of the benchmark's logs; NULL where none tells
    is_primary,      -- 1 where it is the benchmark's primary log, as far as is known
    sha256,          -- of the capture
    first_character, -- of the capture, in the log, in characters (Unicode code points) from 0
    end_character,   -- behind its last one
    is_last          -- 1 where the log ends there
) AS
WITH
asked AS (
    SELECT DISTINCT
        operation,
        sha256,
        CASE WHEN json_extract(params, '$.id') GLOB '[1-9]*' AND json_extract(params, '$.id') NOT GLOB '*[^0-9]*' THEN CAST(json_extract(params, '$.id') AS INTEGER) END AS published_id,
        json_extract(params, '$.file') AS file_name,
        started_at
    FROM inferencex_captures
    WHERE operation IN ('server-log', 'server-log-files') AND sha256 IS NOT NULL
),
primaries AS (
    SELECT published_id, file_name
    FROM (
        SELECT a.published_id, f.file_name, row_number() OVER (PARTITION BY a.published_id ORDER BY a.started_at DESC, a.sha256) AS place
        FROM asked a
        JOIN inferencex_api_server_log_files f ON f.sha256 = a.sha256 AND f.position = 1
        WHERE a.operation = 'server-log-files'
    )
    WHERE place = 1
),
named AS (
    SELECT
        l.sha256,
        ifnull(l.published_id, a.published_id) AS published_id,
        ifnull(l.file_name, a.file_name) AS file_name,
        l.file_name IS NULL AND a.sha256 IS NOT NULL AND a.file_name IS NULL AS unnamed, -- the primary one was asked for
        ifnull(l.first_character, 0) AS first_character,
        ifnull(l.first_character, 0) + l.characters AS end_character,
        l.first_character IS NULL OR l.next_character IS NULL AS is_last
    FROM inferencex_api_server_logs l
    LEFT JOIN asked a ON a.operation = 'server-log' AND a.sha256 = l.sha256 AND (l.published_id IS NULL OR a.published_id = l.published_id)
        AND (l.file_name IS NULL OR a.file_name IS NULL OR a.file_name = l.file_name)
)
SELECT
    n.published_id,
    ifnull(n.file_name, CASE WHEN n.unnamed THEN p.file_name END) AS file_name,
    max(n.unnamed OR ifnull(n.file_name = p.file_name, 0)),
    n.sha256,
    n.first_character,
    n.end_character,
    n.is_last
FROM named n
LEFT JOIN primaries p ON p.published_id = n.published_id
GROUP BY n.published_id, 2, n.sha256, n.first_character, n.end_character, n.is_last;

CREATE VIEW server_log_pieces ( -- The pieces that make up each server log, of all its captures, in their order: each adds what those before it do not reach, so that no character is there twice. Their text is in inferencex_api_server_log_pieces.
    published_id,    -- the publisher's id of the benchmark, NULL where it is not known
    file_name,       -- the log, NULL where it is not known
    is_primary,      -- 1 where it is the benchmark's primary log, as far as is known
    missing_from,    -- how far those before it reach, in the log, in characters from 0: what is between there and first_character is missing
    first_character, -- of what the piece adds, in the log
    characters,      -- that it adds, 0 where those before it reach as far
    stretch,         -- how many gaps there are before it: pieces of the same stretch join
    piece_from,      -- of the whole piece, in the log: less than first_character where it overlaps those before it
    piece_end,       -- behind the whole piece
    sha256,          -- of the capture
    position         -- of the piece in it
) AS
SELECT
    published_id,
    file_name,
    max(is_primary) OVER (PARTITION BY published_id, file_name),
    reach,
    max(piece_from, reach),
    max(piece_end - max(piece_from, reach), 0),
    sum(piece_from > reach) OVER (PARTITION BY published_id, file_name ORDER BY piece_from, piece_end DESC, sha256, position),
    piece_from,
    piece_end,
    sha256,
    position
FROM (
    SELECT
        *,
        ifnull(max(piece_end) OVER (
            PARTITION BY published_id, file_name ORDER BY piece_from, piece_end DESC, sha256, position ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ), 0) AS reach
    FROM (
        SELECT c.published_id, c.file_name, c.is_primary, c.first_character + p.first_character AS piece_from, c.first_character + p.first_character + p.characters AS piece_end, p.sha256, p.position
        FROM server_log_captures c
        JOIN inferencex_api_server_log_pieces p ON p.sha256 = c.sha256
    )
);

CREATE VIEW server_log_contradictions ( -- Where two captures of a server log say different things of it: texts that differ where both have some, or ends. One of them is older than the other, or they are of different logs that no ledger tells apart.
    published_id,    -- the publisher's id of the benchmark, NULL where it is not known
    file_name,       -- the log, NULL where it is not known
    what,            -- text, where the texts differ, or end, where a capture goes on behind the end that the other states
    first_character, -- of the place in the log, in characters from 0: of what both have of a piece, or the end that the first states
    end_character,   -- behind it, or how far the other goes
    sha256,          -- of the one capture
    other_sha256     -- of the other
) AS
WITH
pieces AS MATERIALIZED (SELECT * FROM server_log_pieces)
SELECT o.published_id, o.file_name, 'text', max(o.piece_from, e.piece_from), min(o.piece_end, e.piece_end), min(o.sha256, e.sha256), max(o.sha256, e.sha256)
FROM pieces o
JOIN pieces e ON e.published_id IS o.published_id AND e.file_name IS o.file_name AND e.piece_from < o.piece_end AND e.piece_end > o.piece_from AND e.sha256 <> o.sha256
    AND (e.piece_from < o.piece_from OR e.piece_from = o.piece_from AND (e.piece_end > o.piece_end OR e.piece_end = o.piece_end AND e.sha256 < o.sha256))
JOIN inferencex_api_server_log_pieces ot ON ot.sha256 = o.sha256 AND ot.position = o.position
JOIN inferencex_api_server_log_pieces et ON et.sha256 = e.sha256 AND et.position = e.position
WHERE o.piece_from < o.missing_from -- it overlaps some before it
    AND (substr(ot.text, max(o.piece_from, e.piece_from) - o.piece_from + 1, min(o.piece_end, e.piece_end) - max(o.piece_from, e.piece_from))
        <> substr(et.text, max(o.piece_from, e.piece_from) - e.piece_from + 1, min(o.piece_end, e.piece_end) - max(o.piece_from, e.piece_from)))
UNION ALL
SELECT l.published_id, l.file_name, 'end', l.end_character, o.end_character, l.sha256, o.sha256
FROM server_log_captures l
JOIN server_log_captures o ON o.published_id IS l.published_id AND o.file_name IS l.file_name AND o.end_character > l.end_character
WHERE l.is_last AND o.first_character < o.end_character;

CREATE VIEW server_logs ( -- The server logs that captures of /server-log have, a row for each log of a benchmark, whether it was captured whole or in chunks.
    published_id,   -- the publisher's id of the benchmark, which is no identity: rows move. NULL where neither the capture nor a ledger tells
    file_name,      -- the log, relative to the root of the run's artifacts, NULL where neither the captures nor a ledger tells
    is_primary,     -- 1 where it is the benchmark's primary log, as far as is known
    captures,       -- how many have some of it
    characters,     -- how many the log has (Unicode code points), NULL where no capture has its end
    is_complete,    -- 1 where all of it is there
    missing,        -- JSON list of the ranges that are not there, each its first character and the one behind its last, which is null where the end is not known
    contradictions, -- how many places captures differ in, see server_log_contradictions: then there is no text
    text            -- all of it, NULL where it is not complete or contradicted. NULs read as U+2400: see inferencex_api_server_log_pieces.nuls
) AS
WITH
ends AS (
    SELECT
        published_id,
        file_name,
        max(is_primary) AS is_primary,
        count(*) AS captures,
        min(CASE WHEN is_last AND (end_character > first_character OR first_character = 0) THEN end_character END) AS end_character,
        min(CASE WHEN is_last THEN end_character END) AS end_at_most -- a chunk of no characters may be of far behind the end
    FROM server_log_captures
    GROUP BY published_id, file_name
),
gaps AS (
    SELECT published_id, file_name, missing_from, first_character FROM server_log_pieces WHERE first_character > missing_from AND characters > 0
),
reaches AS (
    SELECT published_id, file_name, max(piece_end) AS reach FROM server_log_pieces GROUP BY published_id, file_name
),
lengths AS (
    SELECT
        e.published_id,
        e.file_name,
        e.is_primary,
        e.captures,
        ifnull(e.end_character, CASE WHEN e.end_at_most = r.reach THEN r.reach END) AS characters,
        ifnull(r.reach, 0) AS reach
    FROM ends e
    LEFT JOIN reaches r ON r.published_id IS e.published_id AND r.file_name IS e.file_name
),
missed AS (
    SELECT published_id, file_name, json_group_array(json_array(missing_from, first_character)) AS missing
    FROM (
        SELECT published_id, file_name, missing_from, first_character FROM gaps
        UNION ALL
        SELECT published_id, file_name, reach, characters FROM lengths WHERE characters IS NULL OR characters > reach
        ORDER BY 1, 2, 3
    )
    GROUP BY published_id, file_name
),
contradicted AS (
    SELECT published_id, file_name, count(*) AS contradictions FROM server_log_contradictions GROUP BY published_id, file_name
),
states AS (
    SELECT l.published_id, l.file_name, l.is_primary, l.captures, l.characters, m.missing IS NULL AS is_complete, ifnull(m.missing, '[]') AS missing, ifnull(c.contradictions, 0) AS contradictions
    FROM lengths l
    LEFT JOIN missed m ON m.published_id IS l.published_id AND m.file_name IS l.file_name
    LEFT JOIN contradicted c ON c.published_id IS l.published_id AND c.file_name IS l.file_name
)
SELECT
    s.published_id,
    s.file_name,
    s.is_primary,
    s.captures,
    s.characters,
    s.is_complete,
    s.missing,
    s.contradictions,
    CASE WHEN s.is_complete AND s.contradictions = 0 THEN ifnull((
        SELECT group_concat(added, '')
        FROM (
            SELECT substr(t.text, p.first_character - p.piece_from + 1) AS added
            FROM server_log_pieces p
            JOIN inferencex_api_server_log_pieces t ON t.sha256 = p.sha256 AND t.position = p.position
            WHERE p.published_id IS s.published_id AND p.file_name IS s.file_name AND p.characters > 0
            ORDER BY p.first_character
        )
    ), '') END
FROM states s;
