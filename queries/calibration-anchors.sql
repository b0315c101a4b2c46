-- name: calibration-anchors
-- summary: the EXACT runs that may anchor calibration, and under which licence
-- columns: name, resolution, model, hardware, engine_version, points, licence_id, spdx, attribution
SELECT
    c.name,
    c.resolution,
    r.model,
    r.hardware,
    r.engine_version,
    (SELECT count(*) FROM points AS p WHERE p.run_id = c.run_id) AS points,
    c.licence_id,
    l.spdx,
    l.attribution
FROM calibration_runs AS c
JOIN runs AS r ON r.run_id = c.run_id
JOIN licences AS l ON l.licence_id = c.licence_id
ORDER BY c.name;
