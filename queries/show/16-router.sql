-- name: 16-router
-- summary: router
-- param: run text  the run's name
-- columns: kind, epp_version, epp_image, epp_config_path, epp_config_sha256, epp_flow_control
SELECT o.kind, o.epp_version, o.epp_image, o.epp_config_path, o.epp_config_sha256, o.epp_flow_control
FROM runs AS r JOIN routers AS o ON o.run_id = r.run_id WHERE r.name = :run
ORDER BY r.name;
