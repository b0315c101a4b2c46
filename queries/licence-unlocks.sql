-- name: licence-unlocks
-- summary: the runs that a change of their licence would free, for which use and to which verdict
-- param: licence_id text optional  one licence
-- param: use text optional  the use that is freed
-- one of: scoring, calibration, redistribution
-- columns: licence_id, status, use, needs, run, model, hardware, verdict, verdict_then, attribution
--
-- A row for each run and use that nothing but the licence stands against. needs
-- are the permits that the licence would have to give, verified: score for
-- scoring (EXACT and PARTIAL runs); score and derive_coefficients for
-- calibration (EXACT runs); redistribute for redistribution (catalog runs).
-- verdict_then is the verdict with them. Left out, because no licence frees
-- them: runs that are NOT_REPRODUCIBLE (for scoring and calibration),
-- superseded, declared duplicates, hidden by a newer attempt, and runs of origin
-- evaluation. status is unknown where no registry has the licence.
-- licence-gaps counts runs by licence.
WITH current AS MATERIALIZED (
    SELECT
        r.name, r.licence_id, r.model, r.hardware, r.origin, v.verdict,
        CASE WHEN v.verdict = 'PARTIAL' AND NOT EXISTS (SELECT 1 FROM verdict_reasons AS x WHERE x.run_id = r.run_id AND x.code <> 'licence') THEN 'EXACT'
            ELSE v.verdict END AS verdict_then,
        EXISTS (SELECT 1 FROM effective_permits AS e WHERE e.licence_id = r.licence_id AND e.use = 'score') AS score,
        EXISTS (SELECT 1 FROM effective_permits AS e WHERE e.licence_id = r.licence_id AND e.use = 'derive_coefficients') AS derive,
        EXISTS (SELECT 1 FROM effective_permits AS e WHERE e.licence_id = r.licence_id AND e.use = 'redistribute') AS redistribute
    FROM runs AS r
    JOIN verdicts AS v ON v.run_id = r.run_id
    WHERE r.origin <> 'evaluation' AND r.hidden_by_attempt IS NULL
      AND (r.origin = 'catalog' OR v.verdict <> 'NOT_REPRODUCIBLE')
      AND (:licence_id IS NULL OR r.licence_id = :licence_id)
      AND NOT EXISTS (SELECT 1 FROM replaced_runs AS p WHERE p.run_id = r.run_id)
),
freed AS (
    SELECT c.*, 'scoring' AS use, 'score' AS needs FROM current AS c WHERE c.score = 0 AND c.verdict_then <> 'NOT_REPRODUCIBLE'
    UNION ALL
    SELECT c.*, 'calibration', substr(CASE WHEN c.score = 0 THEN ', score' ELSE '' END || CASE WHEN c.derive = 0 THEN ', derive_coefficients' ELSE '' END, 3)
    FROM current AS c WHERE (c.score = 0 OR c.derive = 0) AND c.verdict_then = 'EXACT'
    UNION ALL
    SELECT c.*, 'redistribution', 'redistribute' FROM current AS c WHERE c.redistribute = 0 AND c.origin = 'catalog'
)
SELECT
    f.licence_id,
    CASE WHEN l.licence_id IS NULL THEN 'unknown' WHEN l.withdrawn THEN 'withdrawn' ELSE l.status END AS status,
    f.use,
    f.needs,
    f.name AS run,
    f.model,
    f.hardware,
    f.verdict,
    f.verdict_then,
    l.attribution
FROM freed AS f
LEFT JOIN licences AS l ON l.licence_id = f.licence_id
WHERE :use IS NULL OR f.use = :use
ORDER BY f.licence_id, f.use, f.name;
