-- Runs with their computed verdict, a row each.
-- :runs is a JSON array of run ids; the first column is the run's index in it.
SELECT
    j.key,
    r.name,
    r.document_sha256,
    r.schema_version,
    r.source_kind,
    r.licence_id,
    r.model,
    r.engine,
    r.engine_version,
    r.hardware,
    r.fabric,
    r.nodes,
    r.gpus_per_node,
    r.gpus_per_rack,
    r.deployment_name,
    r.workload_kind,
    r.workload,
    r.harness,
    r.harness_version,
    v.verdict,
    v.resolution,
    r.stated_verdict,
    r.stated_resolution,
    r.duplicate_of,
    r.supersedes,
    r.retrieved_utc,
    r.origin,
    r.isl,
    r.osl,
    r.measured_on,
    r.retrieved_on
FROM json_each(:runs) AS j
CROSS JOIN runs AS r ON r.run_id = j.value
JOIN verdicts AS v ON v.run_id = r.run_id
ORDER BY j.key;
