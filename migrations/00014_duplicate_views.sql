-- +goose Up
CREATE VIEW duplicate_pairs ( -- Two runs that measured the same. Runs hidden by a newer attempt are left out.
    run_a,         -- the name that sorts first
    run_b,         -- the other
    kind,          -- exact (same model, hardware, loads, metrics and values) or overlap (equal in all they share, at least two values)
    declared,      -- 1 when declarations connect the two, else 0
    shared_values  -- values that both have
) AS
SELECT a.name, b.name, 'exact',
       EXISTS (SELECT 1 FROM declared_pairs d WHERE d.name_a = a.name AND d.name_b = b.name),
       c.value_count
FROM runs a
JOIN runs b ON b.content_id = a.content_id AND b.name > a.name
JOIN run_contents c ON c.content_id = a.content_id
UNION ALL
SELECT min(a.name, b.name), max(a.name, b.name), 'overlap',
       EXISTS (SELECT 1 FROM declared_pairs d WHERE d.name_a = a.name AND d.name_b = b.name),
       o.shared_values
FROM content_overlaps o
JOIN runs a ON a.content_id = o.content_a
JOIN runs b ON b.content_id = o.content_b;

CREATE VIEW duplicate_groups ( -- A run in a set of runs that exact and overlap pairs connect.
    group_id, -- the first name of the set
    name,     -- the run
    keep      -- 1 for the run to keep: not superseded and declaring no other, then the better verdict, more provenance rows, more permits, earlier retrieval, the first name
) AS
SELECT group_id, name, place = 1
FROM (
    SELECT first_value(m.name) OVER (PARTITION BY m.set_id ORDER BY m.name) AS group_id,
           m.name,
           count(*) OVER (PARTITION BY m.set_id) AS members,
           row_number() OVER (
               PARTITION BY m.set_id
               ORDER BY m.replaced,
                        CASE v.verdict WHEN 'EXACT' THEN 0 WHEN 'PARTIAL' THEN 1 ELSE 2 END,
                        CASE v.resolution WHEN 'STRICT' THEN 0 WHEN 'RESOLVED' THEN 1 ELSE 2 END,
                        (SELECT count(*) FROM provenance p WHERE p.run_id = m.run_id) DESC,
                        (SELECT count(*) FROM effective_permits e WHERE e.licence_id = m.licence_id) DESC,
                        m.retrieved_utc IS NULL, julianday(m.retrieved_utc), m.name
           ) AS place
    FROM (
        SELECT r.run_id, r.name, r.licence_id, r.retrieved_utc, coalesce(g.group_id, r.content_id) AS set_id,
               r.duplicate_of IS NOT NULL OR EXISTS (SELECT 1 FROM replaced_runs p WHERE p.run_id = r.run_id) AS replaced
        FROM runs r
        LEFT JOIN content_groups g ON g.content_id = r.content_id
        WHERE r.content_id IS NOT NULL
          AND (g.group_id IS NOT NULL OR EXISTS (SELECT 1 FROM runs o WHERE o.content_id = r.content_id AND o.run_id <> r.run_id))
    ) m
    JOIN verdicts v ON v.run_id = m.run_id
)
WHERE members > 1;

CREATE VIEW licence_conflicts ( -- A licence that registries state differently. The one in effect is the one loaded last.
    licence_id, -- the licence
    registry,   -- absolute path of a registry that states it
    sha256,     -- digest of its entry
    in_effect   -- 1 for the registry whose content is in effect, else 0
) AS
SELECT c.licence_id, g.path, c.sha256, l.registry_id IS c.registry_id
FROM licence_claims c
JOIN registries g ON g.registry_id = c.registry_id
LEFT JOIN licences l ON l.licence_id = c.licence_id
WHERE (SELECT count(DISTINCT d.sha256) FROM licence_claims d WHERE d.licence_id = c.licence_id) > 1;

CREATE VIEW licence_problems ( -- A run whose licence does not carry how the run came into the warehouse.
    name,       -- the run
    licence_id, -- the licence it cites
    problem,    -- unknown, withdrawn, or the use that is not permitted: redistribute for a catalog run, score for one loaded with --local
    severity    -- finding for a run loaded from a catalog, note for lone files and inferencex
) AS
SELECT r.name, r.licence_id,
       CASE WHEN l.licence_id IS NULL THEN 'unknown' WHEN l.withdrawn THEN 'withdrawn' WHEN r.admitted_as = 'local' THEN 'score' ELSE 'redistribute' END,
       CASE WHEN r.admitted_as IN ('catalog', 'local') THEN 'finding' ELSE 'note' END
FROM runs r
LEFT JOIN licences l ON l.licence_id = r.licence_id
WHERE l.licence_id IS NULL OR l.withdrawn = 1
   OR (r.admitted_as = 'catalog' AND NOT EXISTS (SELECT 1 FROM effective_permits e WHERE e.licence_id = r.licence_id AND e.use = 'redistribute'))
   OR (r.admitted_as = 'local' AND NOT EXISTS (SELECT 1 FROM effective_permits e WHERE e.licence_id = r.licence_id AND e.use = 'score'));
