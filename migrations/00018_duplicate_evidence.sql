-- +goose Up
DROP VIEW duplicate_groups;
DROP VIEW duplicate_pairs;
DROP VIEW declared_pairs;

CREATE VIEW content_metrics ( -- The metrics that some point of a measured content has.
    content_id, -- the content
    metrics     -- their identities, sorted, a line feed before and after each
) AS
SELECT k.content_id, char(10) || c.metrics || char(10)
FROM content_combinations k
JOIN metric_combinations c ON c.combination_id = k.combination_id;

CREATE VIEW run_comparisons ( -- What two runs of one model and hardware have in common besides values. Ask for two runs: all pairs are many.
    run_a,        -- a run
    run_b,        -- another
    declared,     -- 1 when declarations connect the two (one names the other as duplicate_of, or both lead to the same), else 0
    shared_loads, -- loads that both have, each counted once
    definition_differences, -- how they define metrics differently that both measured, such as "ttft_p50: clock (client, not stated)", parted by "; " and sorted. What run_a calls the metric, then the field, what run_a states, what run_b states. NULL where nothing differs
    licence_a,    -- the licence that run_a cites
    licence_b     -- the licence that run_b cites
) AS
SELECT a.run_id, b.run_id,
       ifnull((SELECT x.component FROM declaration_components x WHERE x.name = a.name) = (SELECT y.component FROM declaration_components y WHERE y.name = b.name), 0),
       (SELECT count(*) FROM (SELECT p.concurrency, p.request_rate FROM points p WHERE p.run_id = a.run_id
                              INTERSECT SELECT q.concurrency, q.request_rate FROM points q WHERE q.run_id = b.run_id)),
       CASE WHEN a.definition_set_id <> b.definition_set_id THEN (
           SELECT group_concat(line, '; ')
           FROM (SELECT d.metric_a || ': ' || d.field || ' (' || coalesce(d.value_a, 'not stated') || ', ' || coalesce(d.value_b, 'not stated') || ')' AS line
                 FROM definition_differences d
                 WHERE d.set_a = a.definition_set_id AND d.set_b = b.definition_set_id
                   AND EXISTS (SELECT 1 FROM content_metrics m WHERE m.content_id = a.content_id AND instr(m.metrics, char(10) || d.identity || char(10)) > 0)
                   AND EXISTS (SELECT 1 FROM content_metrics m WHERE m.content_id = b.content_id AND instr(m.metrics, char(10) || d.identity || char(10)) > 0)
                 ORDER BY d.metric_a, d.field)
       ) END,
       a.licence_id, b.licence_id
FROM runs a
CROSS JOIN runs b
WHERE b.model = a.model AND b.hardware = a.hardware AND b.run_id <> a.run_id;

CREATE VIEW duplicate_partners ( -- A run and another that measured the same, exactly or as far as they overlap: each pair twice, once from either side. Runs hidden by a newer attempt are left out.
    name,          -- the run
    partner,       -- the other
    kind,          -- exact (same model, hardware, loads, metrics and values) or overlap (equal in all they share, at least two values)
    declared,      -- 1 when declarations connect the two, else 0
    shared_values, -- values that both have, all equal
    shared_loads,  -- loads that both have
    definition_differences, -- how they define shared metrics differently (see run_comparisons), NULL where they do not
    licence,         -- the licence that the run cites
    partner_licence  -- the licence that the other cites
) AS
SELECT a.name, b.name, 'exact', e.declared,
       (SELECT c.value_count FROM run_contents c WHERE c.content_id = a.content_id), e.shared_loads, e.definition_differences, e.licence_a, e.licence_b
FROM runs a
CROSS JOIN runs b ON b.content_id = a.content_id AND b.name <> a.name
CROSS JOIN run_comparisons e ON e.run_a = a.run_id AND e.run_b = b.run_id
UNION ALL
SELECT a.name, b.name, 'overlap', e.declared, o.shared_values, e.shared_loads, e.definition_differences, e.licence_a, e.licence_b
FROM runs a
CROSS JOIN content_overlaps o ON o.content_a = a.content_id
CROSS JOIN runs b ON b.content_id = o.content_b
CROSS JOIN run_comparisons e ON e.run_a = a.run_id AND e.run_b = b.run_id
UNION ALL
SELECT a.name, b.name, 'overlap', e.declared, o.shared_values, e.shared_loads, e.definition_differences, e.licence_a, e.licence_b
FROM runs a
CROSS JOIN content_overlaps o ON o.content_b = a.content_id
CROSS JOIN runs b ON b.content_id = o.content_a
CROSS JOIN run_comparisons e ON e.run_a = a.run_id AND e.run_b = b.run_id;

CREATE VIEW duplicate_pairs ( -- Two runs that measured the same, exactly or as far as they overlap. Runs hidden by a newer attempt are left out.
    run_a,         -- the name that sorts first
    run_b,         -- the other
    kind,          -- exact (same model, hardware, loads, metrics and values) or overlap (equal in all they share, at least two values)
    declared,      -- 1 when declarations connect the two, else 0
    shared_values, -- values that both have, all equal
    shared_loads,  -- loads that both have
    definition_differences, -- how they define shared metrics differently (see run_comparisons), NULL where they do not
    licence_a,     -- the licence that run_a cites
    licence_b      -- the licence that run_b cites
) AS
SELECT name, partner, kind, declared, shared_values, shared_loads, definition_differences, licence, partner_licence
FROM duplicate_partners
WHERE partner > name;

CREATE VIEW keep_criteria ( -- A run that duplicates others, and what decides which of them to keep, in the order of the columns.
    run_id,     -- the run
    name,       -- its name, the last criterion: the first wins
    set_id,     -- the set that exact and overlap pairs connect it with
    content_id, -- what it measured: runs of one content are exact duplicates
    licence_id, -- the licence it cites
    replaced,   -- 0 for a run that neither is superseded nor declares another, which wins, else 1
    verdict,    -- the computed verdict
    verdict_rank,     -- 0 EXACT, 1 PARTIAL, 2 NOT_REPRODUCIBLE: the lower wins
    resolution_rank,  -- 0 STRICT, 1 RESOLVED, 2 for runs that are not EXACT: the lower wins
    provenance_rows,  -- rows of provenance: more win
    permits,          -- uses that its licence permits now: more win
    retrieved_utc,    -- when its inputs were fetched, RFC 3339 in UTC, NULL where not stated
    retrieved_day     -- the same as a Julian day: the earlier wins, and any before NULL
) AS
SELECT r.run_id, r.name, coalesce(g.group_id, r.content_id), r.content_id, r.licence_id,
       r.duplicate_of IS NOT NULL OR EXISTS (SELECT 1 FROM replaced_runs p WHERE p.run_id = r.run_id),
       v.verdict,
       CASE v.verdict WHEN 'EXACT' THEN 0 WHEN 'PARTIAL' THEN 1 ELSE 2 END,
       CASE v.resolution WHEN 'STRICT' THEN 0 WHEN 'RESOLVED' THEN 1 ELSE 2 END,
       (SELECT count(*) FROM provenance p WHERE p.run_id = r.run_id),
       (SELECT count(*) FROM effective_permits e WHERE e.licence_id = r.licence_id),
       r.retrieved_utc, julianday(r.retrieved_utc)
FROM (SELECT content_id FROM runs WHERE content_id IS NOT NULL GROUP BY content_id HAVING count(*) > 1
      UNION SELECT content_id FROM content_groups) c
CROSS JOIN runs r ON r.content_id = c.content_id
LEFT JOIN content_groups g ON g.content_id = r.content_id
CROSS JOIN verdicts v ON v.run_id = r.run_id;

CREATE VIEW keep_order ( -- A run that duplicates others in the order in which such runs are kept.
    run_id,         -- the run
    name,           -- its name
    set_id,         -- the set that exact and overlap pairs connect it with
    content_id,     -- what it measured
    place,          -- its place among the runs of the set, 1 is the run to keep
    group_id,       -- the first name of the set
    kept,           -- the run to keep of the set
    kept_content,   -- what that measured
    content_best,   -- the first in this order of the runs with the same content
    content_best_id, -- its run_id
    reason          -- the first criterion that sets it apart from the next run of the set, NULL for the last
) AS
SELECT run_id, name, set_id, content_id,
       row_number() OVER best, min(name) OVER (PARTITION BY set_id), first_value(name) OVER best, first_value(content_id) OVER best,
       first_value(name) OVER same, first_value(run_id) OVER same,
       CASE WHEN lead(name) OVER best IS NULL THEN NULL
            WHEN replaced <> lead(replaced) OVER best THEN 'neither superseded nor a declared duplicate'
            WHEN verdict_rank <> lead(verdict_rank) OVER best THEN 'better verdict: ' || verdict || ' before ' || lead(verdict) OVER best
            WHEN resolution_rank <> lead(resolution_rank) OVER best THEN 'better resolution: STRICT before RESOLVED'
            WHEN provenance_rows <> lead(provenance_rows) OVER best THEN 'more provenance rows: ' || provenance_rows || ' before ' || lead(provenance_rows) OVER best
            WHEN permits <> lead(permits) OVER best THEN 'licence with more permits: ' || permits || ' before ' || lead(permits) OVER best
            WHEN retrieved_day IS NOT lead(retrieved_day) OVER best THEN 'earlier retrieval: ' || retrieved_utc || ' before ' || coalesce(lead(retrieved_utc) OVER best, 'one not stated')
            ELSE 'first by name' END
FROM (
    SELECT *, row_number() OVER (
               ORDER BY replaced, verdict_rank, resolution_rank, provenance_rows DESC, permits DESC, retrieved_day IS NULL, retrieved_day, name) AS place
    FROM keep_criteria
)
WINDOW best AS (PARTITION BY set_id ORDER BY place), same AS (PARTITION BY content_id ORDER BY place);

CREATE VIEW duplicate_groups ( -- A run in a set of runs that exact and overlap pairs connect.
    group_id,    -- the first name of the set
    name,        -- the run
    keep,        -- 1 for the run to keep: not superseded and declaring no other, then the better verdict, STRICT before RESOLVED, more provenance rows, more permits, earlier retrieval, the first name
    keep_reason, -- of the run to keep, what first sets it apart from the next best of the set, NULL for the others
    relation,    -- of the others, how they relate to the run to keep: exact or overlap, connected where only through others. NULL for the run to keep
    licence,     -- the licence it cites
    declaration  -- the line that its document should have, "duplicate_of: NAME" with the best run of exactly its content. NULL for that run, where no other run has its content, and where its declarations already say so
) AS
SELECT k.group_id, k.name, k.place = 1, CASE WHEN k.place = 1 THEN k.reason END,
       CASE WHEN k.place = 1 THEN NULL
            WHEN k.content_id = k.kept_content THEN 'exact'
            WHEN EXISTS (SELECT 1 FROM content_overlaps o WHERE o.content_a = min(k.content_id, k.kept_content) AND o.content_b = max(k.content_id, k.kept_content)) THEN 'overlap'
            ELSE 'connected' END,
       r.licence_id,
       CASE WHEN k.run_id = k.content_best_id THEN NULL
            WHEN (SELECT e.declared FROM run_comparisons e WHERE e.run_a = k.run_id AND e.run_b = k.content_best_id) = 1 THEN NULL
            WHEN r.duplicate_of IS NOT NULL AND NOT EXISTS (SELECT 1 FROM reference_problems p WHERE p.name = k.name AND p.field = 'duplicate_of') THEN NULL
            -- A name that YAML would read as a number or another value stands in quotes.
            WHEN k.content_best GLOB '[a-z]*' AND k.content_best NOT IN ('null', 'true', 'false', 'yes', 'no', 'on', 'off', 'y', 'n') THEN 'duplicate_of: ' || k.content_best
            ELSE 'duplicate_of: "' || k.content_best || '"' END
FROM keep_order k
JOIN runs r ON r.run_id = k.run_id;
