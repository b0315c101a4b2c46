-- The runs that may be exported for calibration, a row each: the view
-- calibration_runs. taken is whether an export that names no runs takes it.
SELECT c.run_id, c.name, r.document_sha256, c.licence_id, l.spdx, l.attribution, 1 AS taken
FROM calibration_runs AS c
JOIN runs AS r ON r.run_id = c.run_id
JOIN licences AS l ON l.licence_id = c.licence_id
ORDER BY c.name;
