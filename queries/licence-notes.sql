-- name: licence-notes
-- summary: lone run files and InferenceX runs whose licence is unknown or withdrawn, by licence
-- columns: licence_id, problem, runs
SELECT p.licence_id, p.problem, count(*) AS runs
FROM licence_problems AS p
WHERE p.severity = 'note'
GROUP BY p.licence_id, p.problem
ORDER BY p.licence_id, p.problem;
