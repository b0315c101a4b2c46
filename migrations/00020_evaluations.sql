-- +goose Up
CREATE TABLE evaluation_runs ( -- What an EvaluationRun document states beside its points. Its run is in runs with origin evaluation, an empty licence_id and source_kind, and measured_on the day of date; its harness and versions are there too.
    run_id   INTEGER NOT NULL PRIMARY KEY REFERENCES runs (run_id) ON DELETE CASCADE, -- the run
    scenario TEXT, -- the scenario that was evaluated, a name, NULL where not stated
    date     TEXT  -- when it was measured, YYYY-MM-DD or RFC 3339 in UTC as the document states it, NULL where not stated
) STRICT;

CREATE TABLE evaluation_points ( -- The values of a point of an EvaluationRun document: means that it does not define. They are not in measurements, which have definitions. The load, the requests and what else the document states of the point are in points, prefix_cache_hit_rate as prefix_hit_rate.
    point_id              INTEGER NOT NULL PRIMARY KEY REFERENCES points (point_id) ON DELETE CASCADE, -- the point
    output_tokens_per_sec REAL CONSTRAINT evaluation_points_output CHECK (output_tokens_per_sec >= 0 AND output_tokens_per_sec < 9e999), -- output tokens per second, NULL where not stated
    input_tokens_per_sec  REAL CONSTRAINT evaluation_points_input CHECK (input_tokens_per_sec >= 0 AND input_tokens_per_sec < 9e999), -- input tokens per second, NULL where not stated
    ttft_ms               REAL CONSTRAINT evaluation_points_ttft CHECK (ttft_ms >= 0 AND ttft_ms < 9e999), -- mean time to first token, ms, NULL where not stated
    itl_ms                REAL CONSTRAINT evaluation_points_itl CHECK (itl_ms >= 0 AND itl_ms < 9e999), -- mean inter-token latency, ms, NULL where not stated
    e2e_ms                REAL CONSTRAINT evaluation_points_e2e CHECK (e2e_ms >= 0 AND e2e_ms < 9e999) -- mean end-to-end latency, ms, NULL where not stated
) STRICT;

DROP VIEW verdict_reasons;

CREATE VIEW verdict_reasons ( -- A reason against EXACT. A run without one is EXACT.
    run_id, -- the run
    name,   -- its name
    code,   -- missing_model, missing_engine_version, missing_cluster, missing_deployment, missing_workload or not_expressible (these make NOT_REPRODUCIBLE), diff, mismatch, unverifiable, unresolved, incomplete_definition, missing_harness or licence (these keep it from EXACT)
    path,   -- the field or row that is the reason
    detail  -- the reason in words
) AS
SELECT run_id, name, 'missing_model', 'model',
       CASE origin WHEN 'evaluation' THEN 'an EvaluationRun states no model' ELSE 'the model that was served is not stated' END
FROM runs WHERE model IS NULL
UNION ALL
SELECT run_id, name, 'missing_engine_version', 'engine_version', 'the engine release that ran is not stated' FROM runs WHERE engine_version IS NULL
UNION ALL
SELECT run_id, name, 'missing_cluster', 'cluster',
       CASE WHEN origin = 'evaluation' THEN 'an EvaluationRun states no cluster'
            WHEN hardware IS NULL THEN 'no cluster is stated' ELSE 'the cluster is not stated: hardware ' || hardware || ' alone does not say nodes and GPUs per node' END
FROM runs WHERE hardware IS NULL OR nodes IS NULL OR gpus_per_node IS NULL
UNION ALL
SELECT run_id, name, 'missing_deployment', 'deployment',
       CASE origin WHEN 'evaluation' THEN 'an EvaluationRun states no deployment' ELSE 'no deployment is stated' END
FROM runs WHERE deployment_name IS NULL
UNION ALL
SELECT run_id, name, 'missing_workload', 'workload',
       CASE origin WHEN 'evaluation' THEN 'an EvaluationRun states no workload: a scenario is a name, which reproduces no request stream'
                   ELSE 'no workload is stated that reproduces the request stream' END
FROM runs WHERE workload_kind IS NULL
UNION ALL
SELECT run_id, name, 'missing_harness', CASE origin WHEN 'evaluation' THEN 'harness' ELSE 'client.harness' END, 'the load generator is not recorded' FROM runs WHERE harness IS NULL
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
SELECT r.run_id, r.name, 'incomplete_definition', 'metric_defs', 'an EvaluationRun defines none of its values: they are means, over what and by which clock it does not say'
FROM evaluation_runs e JOIN runs r ON r.run_id = e.run_id
UNION ALL
SELECT r.run_id, r.name, 'licence', 'source.license_ref',
       CASE WHEN r.origin = 'evaluation' THEN 'an EvaluationRun states no licence, so that nothing is permitted'
            WHEN l.licence_id IS NULL THEN 'licence ' || r.licence_id || ' is unknown: no loaded registry has it'
            WHEN l.withdrawn THEN 'licence ' || r.licence_id || ' is withdrawn: its registry no longer has it'
            WHEN l.status <> 'verified' THEN 'licence ' || r.licence_id || ' is ' || l.status || coalesce(': ' || l.note, '')
            ELSE 'licence ' || r.licence_id || ' does not permit score' END
FROM runs r LEFT JOIN licences l ON l.licence_id = r.licence_id
WHERE NOT EXISTS (SELECT 1 FROM effective_permits e WHERE e.licence_id = r.licence_id AND e.use = 'score');

DROP VIEW licence_problems;

CREATE VIEW licence_problems ( -- A run whose licence does not carry how the run came into the warehouse. An evaluation run cites no licence and is not among them.
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
WHERE r.origin <> 'evaluation'
  AND (l.licence_id IS NULL OR l.withdrawn = 1
   OR (r.admitted_as = 'catalog' AND NOT EXISTS (SELECT 1 FROM effective_permits e WHERE e.licence_id = r.licence_id AND e.use = 'redistribute'))
   OR (r.admitted_as = 'local' AND NOT EXISTS (SELECT 1 FROM effective_permits e WHERE e.licence_id = r.licence_id AND e.use = 'score')));
