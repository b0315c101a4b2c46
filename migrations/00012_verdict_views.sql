-- +goose Up
CREATE VIEW effective_permits ( -- A use that a licence permits now: its entry is verified and not withdrawn.
    licence_id, -- the licence
    use         -- score, derive_coefficients or redistribute
) AS
SELECT p.licence_id, p.use
FROM licence_permits p
JOIN licences l ON l.licence_id = p.licence_id
WHERE l.status = 'verified' AND l.withdrawn = 0;

CREATE VIEW verdict_reasons ( -- A reason against EXACT. A run without one is EXACT.
    run_id, -- the run
    name,   -- its name
    code,   -- missing_model, missing_engine_version, missing_cluster, missing_deployment, missing_workload or not_expressible (these make NOT_REPRODUCIBLE), diff, mismatch, unverifiable, unresolved, incomplete_definition, missing_harness or licence (these keep it from EXACT)
    path,   -- the field or row that is the reason
    detail  -- the reason in words
) AS
SELECT run_id, name, 'missing_model', 'model', 'the model that was served is not stated' FROM runs WHERE model IS NULL
UNION ALL
SELECT run_id, name, 'missing_engine_version', 'engine_version', 'the engine release that ran is not stated' FROM runs WHERE engine_version IS NULL
UNION ALL
SELECT run_id, name, 'missing_cluster', 'cluster',
       CASE WHEN hardware IS NULL THEN 'no cluster is stated' ELSE 'the cluster is not stated: hardware ' || hardware || ' alone does not say nodes and GPUs per node' END
FROM runs WHERE hardware IS NULL OR nodes IS NULL OR gpus_per_node IS NULL
UNION ALL
SELECT run_id, name, 'missing_deployment', 'deployment', 'no deployment is stated' FROM runs WHERE deployment_name IS NULL
UNION ALL
SELECT run_id, name, 'missing_workload', 'workload', 'no workload is stated that reproduces the request stream' FROM runs WHERE workload_kind IS NULL
UNION ALL
SELECT run_id, name, 'missing_harness', 'client.harness', 'the load generator is not recorded' FROM runs WHERE harness IS NULL
UNION ALL
SELECT r.run_id, r.name, CASE d.kind WHEN 'not_expressible' THEN 'not_expressible' ELSE 'diff' END, 'diff[' || d.position || ']',
       d.path || ': ' || d.kind || coalesce(', measured ' || d.measured, '') || coalesce(', BLIS uses ' || d.blis, '')
       || CASE WHEN d.removable THEN ', removable in ' || d.owner_repo ELSE '' END || coalesce(' (' || d.issue || ')', '')
FROM diffs d JOIN runs r ON r.run_id = d.run_id
UNION ALL
SELECT r.run_id, r.name, CASE p.verdict WHEN 'MISMATCH' THEN 'mismatch' WHEN 'UNVERIFIABLE' THEN 'unverifiable' ELSE 'unresolved' END, 'provenance[' || p.position || ']',
       p.setting || CASE p.verdict WHEN 'MISMATCH' THEN ': the sources disagree' WHEN 'UNVERIFIABLE' THEN ': no artifact shows which value ran' ELSE ': stated by no more than one source and resolved by no rule' END
       || coalesce(', report ' || p.report_value, '') || coalesce(', script ' || p.script_value, '')
       || coalesce(', artifact ' || p.artifact_value, '') || coalesce(', BLIS ' || p.blis_value, '')
FROM provenance p JOIN runs r ON r.run_id = p.run_id
WHERE p.verdict IN ('MISMATCH', 'UNVERIFIABLE') OR (p.verdict = 'UNSTATED' AND p.resolved_by IS NULL)
UNION ALL
SELECT r.run_id, r.name, 'incomplete_definition', 'metric_defs.' || m.metric,
       'not stated: ' || substr(
           CASE WHEN d.formula IS NULL THEN ', formula' ELSE '' END
           || CASE WHEN d.population IS NULL THEN ', population' ELSE '' END
           || CASE WHEN d.clock IS NULL THEN ', clock' ELSE '' END
           || CASE WHEN d.unit = 'ms' AND d.statistic IS NULL THEN ', statistic' ELSE '' END
           || CASE WHEN d.unit <> 'ms' AND d.denominator IS NULL THEN ', denominator' ELSE '' END, 3)
FROM runs r
JOIN definition_set_members m ON m.definition_set_id = r.definition_set_id
JOIN definitions d ON d.definition_id = m.definition_id
WHERE d.formula IS NULL OR d.population IS NULL OR d.clock IS NULL OR (d.unit = 'ms' AND d.statistic IS NULL) OR (d.unit <> 'ms' AND d.denominator IS NULL)
UNION ALL
SELECT r.run_id, r.name, 'licence', 'source.license_ref',
       CASE WHEN l.licence_id IS NULL THEN 'licence ' || r.licence_id || ' is unknown: no loaded registry has it'
            WHEN l.withdrawn THEN 'licence ' || r.licence_id || ' is withdrawn: its registry no longer has it'
            WHEN l.status <> 'verified' THEN 'licence ' || r.licence_id || ' is ' || l.status || coalesce(': ' || l.note, '')
            ELSE 'licence ' || r.licence_id || ' does not permit score' END
FROM runs r LEFT JOIN licences l ON l.licence_id = r.licence_id
WHERE NOT EXISTS (SELECT 1 FROM effective_permits e WHERE e.licence_id = r.licence_id AND e.use = 'score');

CREATE VIEW verdicts ( -- A run's computed verdict.
    run_id,    -- the run
    name,      -- its name
    verdict,   -- EXACT, PARTIAL or NOT_REPRODUCIBLE
    resolution -- of an EXACT run: RESOLVED when a rule resolved some setting, else STRICT. NULL for others
) AS
SELECT run_id, name, verdict,
       CASE WHEN verdict = 'EXACT' THEN
           CASE WHEN EXISTS (SELECT 1 FROM provenance p WHERE p.run_id = v.run_id AND p.resolved_by IS NOT NULL) THEN 'RESOLVED' ELSE 'STRICT' END
       END
FROM (
    SELECT r.run_id, r.name,
           CASE WHEN EXISTS (SELECT 1 FROM verdict_reasons x WHERE x.run_id = r.run_id AND x.code IN
                         ('missing_model', 'missing_engine_version', 'missing_cluster', 'missing_deployment', 'missing_workload', 'not_expressible')) THEN 'NOT_REPRODUCIBLE'
                WHEN EXISTS (SELECT 1 FROM verdict_reasons x WHERE x.run_id = r.run_id) THEN 'PARTIAL'
                ELSE 'EXACT' END AS verdict
    FROM runs r
) v;

CREATE VIEW stated_verdict_problems ( -- A run whose stated verdict or resolution is not the computed one.
    run_id,            -- the run
    name,              -- its name
    path,              -- verdict or resolution: the claim that is wrong
    stated_verdict,    -- what the document claims, NULL where it claims nothing
    stated_resolution, -- what the document claims, NULL where it claims nothing
    verdict,           -- the computed one
    resolution         -- the computed one
) AS
SELECT r.run_id, r.name, CASE WHEN r.stated_verdict <> v.verdict THEN 'verdict' ELSE 'resolution' END, r.stated_verdict, r.stated_resolution, v.verdict, v.resolution
FROM runs r
JOIN verdicts v ON v.run_id = r.run_id
WHERE (r.stated_verdict IS NOT NULL AND r.stated_verdict <> v.verdict)
   OR (r.stated_resolution IS NOT NULL AND r.stated_resolution IS NOT v.resolution);
