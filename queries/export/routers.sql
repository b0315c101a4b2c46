-- The routers of runs, at most a row each.
-- :runs is a JSON array of run ids; the first column is the run's index in it.
SELECT
    j.key,
    r.kind,
    r.epp_version,
    r.epp_image,
    r.epp_config_path,
    r.epp_config_sha256,
    r.epp_flow_control
FROM json_each(:runs) AS j
CROSS JOIN routers AS r ON r.run_id = j.value
ORDER BY j.key;
