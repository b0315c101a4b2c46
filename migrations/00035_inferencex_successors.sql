-- +goose Up
-- Which run of a line comes next is kept: to order all runs of all lines for
-- every question was half of what questions for the newest runs took.
DROP VIEW inferencex_latest_runs;
DROP VIEW inferencex_lines;

CREATE VIEW inferencex_line_order ( -- A current InferenceX run and the next newer one of its line, computed. Loads keep it in inferencex_successors.
    run_id,      -- the run
    config_id,   -- the line's configuration
    next_run_id  -- the next newer run of the line, NULL for the newest
) AS
SELECT r.run_id, i.config_id, lead(r.run_id) OVER line
FROM runs r JOIN inferencex_runs i ON i.run_id = r.run_id
WHERE r.hidden_by_attempt IS NULL
WINDOW line AS (
    PARTITION BY i.config_id, i.benchmark_type, r.isl, r.osl, i.offload_mode
    ORDER BY r.measured_on, julianday(i.run_started_at), i.github_run_id, i.run_attempt, r.name
);

CREATE TABLE inferencex_successors ( -- The rows of inferencex_line_order, kept by each load.
    run_id      INTEGER NOT NULL PRIMARY KEY REFERENCES runs (run_id) ON DELETE CASCADE, -- the run, current
    next_run_id INTEGER -- the next newer run of its line, NULL for the newest
) STRICT;
INSERT INTO inferencex_successors (run_id, next_run_id) SELECT run_id, next_run_id FROM inferencex_line_order;

CREATE VIEW inferencex_lines ( -- A current run in its line (configuration, benchmark type, lengths and offload mode) and the next newer one. Runs that a newer attempt hides are left out.
    run_id,         -- the run
    name,           -- its name
    config_id,      -- the line's configuration
    benchmark_type, -- the line's benchmark type
    isl,            -- the line's input length, NULL for agentic rows
    osl,            -- the line's output length, NULL for agentic rows
    offload_mode,   -- the line's offload mode
    measured_on,    -- UTC day of the run, NULL for raw artifacts, which count as oldest
    next_name,      -- the next newer run of the line, NULL for the newest
    next_on,        -- the UTC day of that
    next_run_id     -- the surrogate key of that
) AS
SELECT r.run_id, r.name, i.config_id, i.benchmark_type, r.isl, r.osl, i.offload_mode, r.measured_on, n.name, n.measured_on, l.next_run_id
FROM inferencex_successors l
JOIN runs r ON r.run_id = l.run_id
JOIN inferencex_runs i ON i.run_id = l.run_id
LEFT JOIN runs n ON n.run_id = l.next_run_id;

CREATE VIEW inferencex_latest_runs ( -- The newest whole run of each line (see inferencex_lines). Points of different runs never make one curve.
    run_id,         -- the run
    name,           -- its name
    config_id,      -- the line's configuration
    benchmark_type, -- the line's benchmark type
    isl,            -- the line's input length, NULL for agentic rows
    osl,            -- the line's output length, NULL for agentic rows
    offload_mode,   -- the line's offload mode
    measured_on     -- UTC day of the run, NULL for raw artifacts
) AS
SELECT run_id, name, config_id, benchmark_type, isl, osl, offload_mode, measured_on
FROM inferencex_lines
WHERE next_run_id IS NULL;
