-- +goose Up
CREATE TABLE inferencex_id_captures ( -- A capture of benchmark rows, of the API or a dump, whose ids are in inferencex_ids: each that states ids and was loaded since there is that table.
    capture_id INTEGER PRIMARY KEY,     -- surrogate key
    sha256     TEXT NOT NULL UNIQUE,    -- digest of its bytes as read, as documents.sha256
    ids        INTEGER NOT NULL         -- how many rows of inferencex_ids it has
) STRICT;

CREATE TABLE inferencex_ids ( -- Which point the publisher's id of a benchmark row meant in a capture. Ids locate rows and identify nothing: rows move, and the same id may be another point in another capture.
    capture_id INTEGER NOT NULL, -- the capture, of inferencex_id_captures
    id         INTEGER NOT NULL, -- the publisher's row id
    point_id   INTEGER NOT NULL, -- the point, 0 for a row that was set aside because none of its requests succeeded. Not declared as a reference: no point with an id is ever removed, and looking would cost each that is
    PRIMARY KEY (capture_id, id, point_id)
) STRICT, WITHOUT ROWID;

CREATE VIEW inferencex_id_points ( -- Which point an id meant, in each capture that has it. Ask for an id: without one it is all rows of all captures.
    id,          -- the publisher's row id
    sha256,      -- of the capture of benchmark rows
    captured_at, -- when it came or was confirmed, RFC 3339 in UTC: a row for each time that a ledger tells, NULL where none does
    run_id,      -- the run, NULL for a row that was set aside
    point_id,    -- the point, NULL for a row that was set aside
    run,         -- the run's name
    point        -- the point's id within its run
) AS
SELECT i.id, c.sha256, l.started_at, p.run_id, p.point_id, r.name, p.id
FROM inferencex_id_captures c
CROSS JOIN inferencex_ids i ON i.capture_id = c.capture_id -- in this order: captures are few
LEFT JOIN inferencex_captures l ON l.sha256 = c.sha256
LEFT JOIN points p ON p.point_id = i.point_id
LEFT JOIN runs r ON r.run_id = p.run_id;

CREATE VIEW inferencex_asked_points ( -- What the captures that were asked for by id (logs, traces, aggregates, siblings) are about: for each id that a request of a ledger names the point that it meant then.
    sha256,       -- of the capture that was asked for by id
    operation,    -- such as request-timeline
    asked_at,     -- when, RFC 3339 in UTC
    id,           -- the publisher's row id that was asked for
    certainty,    -- newest: as the newest capture of benchmark rows says that is not later and has the id; candidate: no such capture is known to be, and these are all points that it is elsewhere; unknown: no capture of benchmark rows has the id
    rows_sha256,  -- of the capture of benchmark rows, NULL for candidates, of which several captures may tell
    run_id,       -- the run, NULL for a row that was set aside and where the point is unknown
    point_id,     -- the point, likewise
    run,          -- the run's name, likewise
    point         -- the point's id within its run, likewise
) AS
WITH asked (sha256, operation, asked_at, id) AS (
    SELECT l.sha256, l.operation, l.started_at, j.value
    FROM inferencex_captures l
    JOIN json_each(CASE
        WHEN json_type(l.params, '$.id') IS NOT NULL AND json_valid('[' || json_extract(l.params, '$.id') || ']') THEN '[' || json_extract(l.params, '$.id') || ']'
        WHEN json_type(l.params, '$.ids') IS NOT NULL AND json_valid('[' || json_extract(l.params, '$.ids') || ']') THEN '[' || json_extract(l.params, '$.ids') || ']'
        ELSE '[]'
    END) j ON j.type = 'integer'
    WHERE l.sha256 IS NOT NULL
    GROUP BY l.sha256, l.operation, l.started_at, j.value
),
found AS (
    SELECT
        a.sha256, a.operation, a.asked_at, a.id,
        (
            SELECT c.capture_id
            FROM inferencex_id_captures c
            CROSS JOIN inferencex_captures l ON l.sha256 = c.sha256 AND l.started_at <= a.asked_at
            CROSS JOIN inferencex_ids i ON i.capture_id = c.capture_id AND i.id = a.id
            ORDER BY l.started_at DESC, c.sha256
            LIMIT 1
        ) AS capture_id
    FROM asked a
),
meant AS (
    SELECT f.sha256, f.operation, f.asked_at, f.id, 'newest' AS certainty, c.sha256 AS rows_sha256, i.point_id
    FROM found f
    JOIN inferencex_id_captures c ON c.capture_id = f.capture_id
    JOIN inferencex_ids i ON i.capture_id = f.capture_id AND i.id = f.id
    UNION ALL
    SELECT DISTINCT f.sha256, f.operation, f.asked_at, f.id, 'candidate', NULL, i.point_id
    FROM found f
    CROSS JOIN inferencex_id_captures c
    CROSS JOIN inferencex_ids i ON i.capture_id = c.capture_id AND i.id = f.id
    WHERE f.capture_id IS NULL
    UNION ALL
    SELECT f.sha256, f.operation, f.asked_at, f.id, 'unknown', NULL, NULL
    FROM found f
    WHERE f.capture_id IS NULL
      AND NOT EXISTS (SELECT 1 FROM inferencex_id_captures c CROSS JOIN inferencex_ids i ON i.capture_id = c.capture_id AND i.id = f.id)
)
SELECT m.sha256, m.operation, m.asked_at, m.id, m.certainty, m.rows_sha256, p.run_id, p.point_id, r.name, p.id
FROM meant m
LEFT JOIN points p ON p.point_id = m.point_id
LEFT JOIN runs r ON r.run_id = p.run_id;
