-- name: explain
-- summary: why a run has its verdict, why it is or is not scorable, and what would make it EXACT
-- param: run text  the run's name
-- columns: aspect, code, path, detail, remedy
--
-- aspect is verdict (code is the verdict, detail the resolution), against EXACT
-- (a reason each, remedy says what would remove it), stated (a claim that does
-- not hold), scorable or not scorable, calibration or no calibration,
-- duplicate (the first 20 of a kind, then how many more) and supersession. No rows: there is no such run.
WITH
it (run_id, name, origin, licence_id) AS (
    SELECT r.run_id, r.name, r.origin, r.licence_id FROM runs AS r WHERE r.name = :run
),
partners (partner, kind, shared_values, declared, place) AS (
    SELECT d.partner, d.kind, d.shared_values, d.declared, row_number() OVER (PARTITION BY d.kind ORDER BY d.partner)
    FROM duplicate_partners AS d WHERE d.name = :run
),
lines (place, aspect, code, path, detail, remedy) AS (
    SELECT 1, 'verdict', v.verdict, NULL, v.resolution, NULL
    FROM it JOIN verdicts AS v ON v.run_id = it.run_id
    UNION ALL
    SELECT 2, 'against EXACT', x.code, x.path, x.detail,
        CASE CASE WHEN it.origin = 'evaluation' AND x.code NOT IN ('missing_engine_version', 'missing_harness') THEN 'evaluation' ELSE x.code END
            WHEN 'evaluation' THEN 'record the run as a MeasuredRun, which can state it, and let that supersede this one'
            WHEN 'missing_model' THEN 'state model: the catalog model that was served'
            WHEN 'missing_engine_version' THEN 'state engine_version: the engine release that ran'
            WHEN 'missing_cluster' THEN 'state cluster: hardware, nodes and gpus_per_node'
            WHEN 'missing_deployment' THEN 'state deployment: the pools with their parallel layout'
            WHEN 'missing_workload' THEN 'state workload: the shape or trace that reproduces the requests'
            WHEN 'not_expressible' THEN 'nothing in this document: BLIS must learn to express the field, then the entry can go'
            WHEN 'diff' THEN 'close the difference, ' || CASE (SELECT d.removable FROM diffs AS d WHERE d.run_id = it.run_id AND 'diff[' || d.position || ']' = x.path)
                WHEN 1 THEN 'by the change in its owner_repo, ' ELSE '' END || 'then remove the entry'
            WHEN 'mismatch' THEN 'find out which source is right, make BLIS use that value, and record the row as MATCH'
            WHEN 'unverifiable' THEN 'find a run artifact that shows the value, and record the row as MATCH'
            WHEN 'unresolved' THEN 'find the engine rule, at the pinned version, that fixes the value, and state it as resolved_by'
            WHEN 'incomplete_definition' THEN 'state what is missing, from the harness that computed the metric'
            WHEN 'missing_harness' THEN 'state ' || x.path || ': the load generator'
            WHEN 'licence' THEN 'load a registry with a verified entry for the licence that permits score'
        END
    FROM it, verdict_reasons AS x WHERE x.run_id = (SELECT i.run_id FROM it AS i)
    UNION ALL
    SELECT 3, 'stated', coalesce(s.stated_verdict, s.stated_resolution), s.path,
        'the document states ' || coalesce(s.stated_verdict, '') || coalesce(' ' || s.stated_resolution, '') || ', which no longer is the computed verdict',
        'correct the stated verdict, or the registry'
    FROM it JOIN stated_verdict_problems AS s ON s.run_id = it.run_id
    UNION ALL
    SELECT 4, 'scorable', NULL, NULL, 'under licence ' || s.licence_id, NULL
    FROM it JOIN scorable_runs AS s ON s.run_id = it.run_id
    UNION ALL
    SELECT 4, 'not scorable', u.code, NULL, u.detail, NULL
    FROM unscorable_reasons AS u WHERE u.run_id = (SELECT it.run_id FROM it)
    UNION ALL
    SELECT 5, 'calibration', NULL, NULL, 'may anchor calibration under licence ' || c.licence_id, NULL
    FROM it JOIN calibration_runs AS c ON c.run_id = it.run_id
    UNION ALL
    SELECT 5, 'no calibration', NULL, NULL,
        CASE WHEN s.run_id IS NULL THEN 'only a scorable run may anchor calibration'
             WHEN s.verdict <> 'EXACT' THEN 'only an EXACT run may anchor calibration'
             ELSE 'licence ' || it.licence_id || ' does not permit derive_coefficients' END,
        NULL
    FROM it LEFT JOIN scorable_runs AS s ON s.run_id = it.run_id
    WHERE NOT EXISTS (SELECT 1 FROM calibration_runs AS c WHERE c.run_id = it.run_id)
    UNION ALL
    SELECT 6, 'duplicate', p.kind, p.partner, p.shared_values || ' equal values, ' || CASE p.declared WHEN 1 THEN 'declared' ELSE 'not declared' END, NULL
    FROM partners AS p WHERE p.place <= 20
    UNION ALL
    SELECT 6.5, 'duplicate', p.kind, NULL, count(*) || ' more ' || p.kind || ' (see duplicates --groups)', NULL
    FROM partners AS p WHERE p.place > 20 GROUP BY p.kind
    UNION ALL
    SELECT 7, 'supersession', coalesce(s.problem, CASE WHEN s.depth = 0 THEN 'head' ELSE 'superseded' END), s.head,
        CASE WHEN s.problem = 'cycle' THEN 'its chain leads back to itself'
             WHEN s.problem = 'fork' THEN 'several runs supersede it'
             WHEN s.problem = 'dangling' THEN 'it supersedes a run that is not loaded'
             WHEN s.depth = 0 THEN 'it supersedes ' || r.supersedes
             WHEN s.head IS NULL THEN 'its chain passes through a run that several supersede'
             ELSE s.head || ' replaces it, ' || s.depth || CASE s.depth WHEN 1 THEN ' step' ELSE ' steps' END || ' away' END,
        NULL
    FROM it JOIN supersessions AS s ON s.run_id = it.run_id JOIN runs AS r ON r.run_id = it.run_id
    WHERE s.problem IS NOT NULL OR s.depth IS NULL OR s.depth > 0 OR r.supersedes IS NOT NULL
)
SELECT aspect, code, path, detail, remedy
FROM lines
ORDER BY place, path, code, detail;
