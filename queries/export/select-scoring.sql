-- The runs of a verdict (:verdict, EXACT or PARTIAL) that may be exported for
-- scoring, a row each: the view scorable_runs. taken is whether an export that
-- names no runs takes it.
SELECT s.run_id, s.name, r.document_sha256, s.licence_id, l.spdx, l.attribution, 1 AS taken
FROM scorable_runs AS s
JOIN runs AS r ON r.run_id = s.run_id
JOIN licences AS l ON l.licence_id = s.licence_id
WHERE s.verdict = :verdict
ORDER BY s.name;
