-- +goose Up
-- A load finds flags out while it has the rows in memory: the view that
-- computed them a second time, and much more slowly, goes.
DROP VIEW computed_flags;
DROP VIEW flagged_points;
DROP INDEX flags_by_run;
DROP INDEX flags_by_point;
DROP INDEX flags_by_code;
ALTER TABLE flags RENAME TO flags_before;

CREATE TABLE flags ( -- A point or run of InferenceX that a plausibility rule points at. Derived, kept by each load (see flag_rules).
    run_id   INTEGER NOT NULL REFERENCES runs (run_id) ON DELETE CASCADE, -- the run
    point_id INTEGER REFERENCES points (point_id) ON DELETE CASCADE,      -- the point, NULL where the whole run is meant
    code     TEXT NOT NULL REFERENCES flag_rules (code), -- the rule
    subject  TEXT NOT NULL, -- the key or keys concerned
    measured REAL,          -- the number that is implausible, NULL where there is none
    expected REAL           -- the number it was held against, NULL where there is none
) STRICT;

INSERT INTO flags (run_id, point_id, code, subject, measured, expected)
SELECT run_id, point_id, code, subject, measured, expected FROM flags_before;
DROP TABLE flags_before;

CREATE INDEX flags_by_run ON flags (run_id);
CREATE INDEX flags_by_point ON flags (point_id) WHERE point_id IS NOT NULL;
CREATE INDEX flags_by_code ON flags (code);

CREATE VIEW flagged_points ( -- A point that a plausibility rule points at, itself or with its whole run.
    point_id, -- the point
    run_id,   -- its run
    code,     -- the rule
    subject,  -- the key or keys concerned
    measured, -- the number that is implausible, NULL where there is none
    expected, -- the number it was held against, NULL where there is none
    meaning   -- what the flag says
) AS
SELECT f.point_id, f.run_id, f.code, f.subject, f.measured, f.expected, u.meaning
FROM flags f JOIN flag_rules u ON u.code = f.code
WHERE f.point_id IS NOT NULL
UNION ALL
SELECT p.point_id, f.run_id, f.code, f.subject, f.measured, f.expected, u.meaning
FROM flags f JOIN points p ON p.run_id = f.run_id JOIN flag_rules u ON u.code = f.code
WHERE f.point_id IS NULL;

CREATE TABLE inferencex_row_digests ( -- A digest of all that the row of a point holds, by which a row that is loaded again is known at once. Derived, kept by each load.
    point_id INTEGER NOT NULL PRIMARY KEY REFERENCES inferencex_points (point_id) ON DELETE CASCADE, -- the point
    digest   INTEGER NOT NULL -- of its row in inferencex_points and of its other values
) STRICT;
