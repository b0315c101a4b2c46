-- +goose Up
CREATE VIEW supersessions ( -- A loaded run and the head of its chain of supersession.
    run_id,  -- the run
    name,    -- its name
    head,    -- the run that replaces it in the end, itself where nobody supersedes it, NULL in a cycle or where the chain passes through a fork
    depth,   -- steps to the head, 0 for a head, NULL where head is
    problem  -- cycle for a member of one, fork for a run superseded twice, dangling for one that names an absent run, else NULL. The first that holds
) AS
WITH RECURSIVE
forks (name) AS (
    SELECT t.name
    FROM (SELECT supersedes FROM runs WHERE supersedes IS NOT NULL GROUP BY supersedes HAVING count(*) > 1) f
    JOIN runs t ON t.name = f.supersedes
),
walk (name, head, depth) AS (
    SELECT r.name, r.name, 0 FROM runs r WHERE NOT EXISTS (SELECT 1 FROM runs s WHERE s.supersedes = r.name)
    UNION ALL
    SELECT t.name, w.head, w.depth + 1
    FROM walk w
    JOIN runs r ON r.name = w.name
    JOIN runs t ON t.name = r.supersedes
    WHERE t.name NOT IN (SELECT name FROM forks)
)
SELECT r.run_id, r.name, w.head, w.depth,
       CASE WHEN EXISTS (SELECT 1 FROM supersession_cycles c WHERE c.name = r.name) THEN 'cycle'
            WHEN r.name IN (SELECT name FROM forks) THEN 'fork'
            WHEN r.supersedes IS NOT NULL AND NOT EXISTS (SELECT 1 FROM runs t WHERE t.name = r.supersedes) THEN 'dangling' END
FROM runs r
LEFT JOIN walk w ON w.name = r.name;

CREATE VIEW reference_problems ( -- A wrong reference between runs.
    name,   -- the run that states it
    field,  -- supersedes or duplicate_of
    target, -- the run it names. For a fork the run superseded twice, with a row for each run that supersedes it
    problem -- dangling, cycle, fork or not_duplicate (a declared duplicate whose model, hardware, loads or values differ)
) AS
SELECT r.name, 'supersedes', r.supersedes, 'dangling'
FROM runs r WHERE r.supersedes IS NOT NULL AND NOT EXISTS (SELECT 1 FROM runs t WHERE t.name = r.supersedes)
UNION ALL
SELECT r.name, 'supersedes', r.supersedes, 'fork'
FROM runs r
WHERE r.supersedes IN (SELECT s.supersedes FROM runs s WHERE s.supersedes IS NOT NULL GROUP BY s.supersedes HAVING count(*) > 1)
  AND EXISTS (SELECT 1 FROM runs t WHERE t.name = r.supersedes)
UNION ALL
SELECT r.name, 'supersedes', r.supersedes, 'cycle'
FROM supersession_cycles c JOIN runs r ON r.name = c.name
UNION ALL
SELECT r.name, 'duplicate_of', r.duplicate_of, 'dangling'
FROM runs r WHERE r.duplicate_of IS NOT NULL AND NOT EXISTS (SELECT 1 FROM runs t WHERE t.name = r.duplicate_of)
UNION ALL
SELECT r.name, 'duplicate_of', r.duplicate_of, 'cycle'
FROM declaration_components c JOIN runs r ON r.name = c.name WHERE c.in_cycle = 1
UNION ALL
SELECT r.name, 'duplicate_of', r.duplicate_of, 'not_duplicate'
FROM runs r JOIN runs t ON t.name = r.duplicate_of
WHERE r.content_id IS NULL OR r.content_id IS NOT t.content_id;

CREATE VIEW replaced_runs ( -- A run that another loaded run stands for: superseded by it, or declared its duplicate.
    run_id, -- the run
    name    -- its name
) AS
SELECT r.run_id, r.name
FROM runs r
WHERE EXISTS (SELECT 1 FROM runs s WHERE s.supersedes = r.name) OR EXISTS (SELECT 1 FROM runs t WHERE t.name = r.duplicate_of);

CREATE VIEW declared_pairs ( -- Two names that declarations of duplicates connect: one names the other, or both lead to the same.
    name_a, -- a run's name
    name_b  -- another, or the same
) AS
SELECT x.name, y.name FROM declaration_components x JOIN declaration_components y ON y.component = x.component;

CREATE VIEW scorable_runs ( -- A run that may be scored now.
    run_id,     -- the run
    name,       -- its name
    verdict,    -- EXACT or PARTIAL
    resolution, -- STRICT or RESOLVED for EXACT, else NULL
    licence_id  -- the licence that permits it
) AS
SELECT r.run_id, r.name, v.verdict, v.resolution, r.licence_id
FROM runs r
JOIN verdicts v ON v.run_id = r.run_id
WHERE v.verdict IN ('EXACT', 'PARTIAL')
  AND EXISTS (SELECT 1 FROM effective_permits e WHERE e.licence_id = r.licence_id AND e.use = 'score')
  AND NOT EXISTS (SELECT 1 FROM replaced_runs p WHERE p.run_id = r.run_id)
  AND r.hidden_by_attempt IS NULL;

CREATE VIEW unscorable_reasons ( -- Why a run is not in scorable_runs, a row for each reason.
    run_id, -- the run
    name,   -- its name
    code,   -- not_reproducible, licence, superseded or duplicate
    detail  -- the reason in words
) AS
SELECT v.run_id, v.name, 'not_reproducible', 'BLIS cannot build the run (see verdict_reasons)'
FROM verdicts v WHERE v.verdict = 'NOT_REPRODUCIBLE'
UNION ALL
SELECT x.run_id, x.name, 'licence', x.detail FROM verdict_reasons x WHERE x.code = 'licence'
UNION ALL
SELECT r.run_id, r.name, 'superseded', 'superseded by ' || s.names
FROM runs r JOIN (SELECT supersedes, group_concat(name, ', ') AS names FROM (SELECT supersedes, name FROM runs WHERE supersedes IS NOT NULL ORDER BY supersedes, name) GROUP BY supersedes) s ON s.supersedes = r.name
UNION ALL
SELECT r.run_id, r.name, 'duplicate', 'declared a duplicate of ' || t.name || CASE WHEN r.content_id IS NULL OR r.content_id IS NOT t.content_id THEN ', which is not so' ELSE '' END
FROM runs r JOIN runs t ON t.name = r.duplicate_of;

CREATE VIEW calibration_runs ( -- A run that may anchor calibration: scorable, EXACT, and its licence permits derive_coefficients.
    run_id,     -- the run
    name,       -- its name
    verdict,    -- EXACT
    resolution, -- STRICT or RESOLVED
    licence_id  -- the licence that permits it
) AS
SELECT s.run_id, s.name, s.verdict, s.resolution, s.licence_id
FROM scorable_runs s
WHERE s.verdict = 'EXACT'
  AND EXISTS (SELECT 1 FROM effective_permits e WHERE e.licence_id = s.licence_id AND e.use = 'derive_coefficients');
