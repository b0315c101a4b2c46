-- name: 24-provenance
-- summary: provenance
-- param: run text  the run's name
-- columns: position, setting, verdict, report_value, report_ref, report_commit, script_value, script_ref, script_commit, artifact_value, artifact_ref, artifact_commit, blis_value, blis_ref, blis_commit, resolved_by, material, bound, note
SELECT p.position, p.setting, p.verdict, p.report_value, p.report_ref, p.report_commit, p.script_value, p.script_ref, p.script_commit,
    p.artifact_value, p.artifact_ref, p.artifact_commit, p.blis_value, p.blis_ref, p.blis_commit, p.resolved_by, p.material, p.bound, p.note
FROM runs AS r JOIN provenance AS p ON p.run_id = r.run_id WHERE r.name = :run
ORDER BY p.position;
