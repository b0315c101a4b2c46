-- name: 01-run
-- summary: run
-- param: run text  the run's name
-- columns: name, origin, source_kind, licence_id, admitted_as, model, engine, engine_version, hardware, fabric, nodes, gpus_per_node, gpus_per_rack, gpus, deployment, router_kind, workload_kind, workload, isl, osl, stated_verdict, stated_resolution, duplicate_of, supersedes, measured_on, retrieved_utc, hidden_by_attempt, document_sha256
SELECT r.name, r.origin, nullif(r.source_kind, '') AS source_kind, nullif(r.licence_id, '') AS licence_id, r.admitted_as, r.model, r.engine, r.engine_version, r.hardware, r.fabric, r.nodes, r.gpus_per_node,
    r.gpus_per_rack, r.gpus, r.deployment_name AS deployment, r.router_kind, r.workload_kind, r.workload, r.isl, r.osl, r.stated_verdict, r.stated_resolution,
    r.duplicate_of, r.supersedes, r.measured_on, r.retrieved_utc, r.hidden_by_attempt, r.document_sha256
FROM runs AS r WHERE r.name = :run
ORDER BY r.name;
