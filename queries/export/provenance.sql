-- The settings of runs compared across sources.
-- :runs is a JSON array of run ids; the first column is the run's index in it.
SELECT
    j.key,
    p.setting,
    p.report_value,
    p.report_ref,
    p.report_commit,
    p.script_value,
    p.script_ref,
    p.script_commit,
    p.artifact_value,
    p.artifact_ref,
    p.artifact_commit,
    p.blis_value,
    p.blis_ref,
    p.blis_commit,
    p.verdict,
    p.resolved_by,
    p.material,
    p.bound,
    p.note
FROM json_each(:runs) AS j
CROSS JOIN provenance AS p ON p.run_id = j.value
ORDER BY j.key, p.position;
