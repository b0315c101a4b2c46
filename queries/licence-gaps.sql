-- name: licence-gaps
-- summary: licences that keep runs from a use, and how many runs each
-- columns: licence_id, status, use, runs, exact_but_for_licence, note
--
-- A row for each licence that runs cite and use that it does not permit now;
-- status is unknown where no registry has the licence. exact_but_for_licence
-- counts the runs that would be EXACT if it permitted score.
SELECT
    r.licence_id,
    CASE WHEN l.licence_id IS NULL THEN 'unknown' WHEN l.withdrawn THEN 'withdrawn' ELSE l.status END AS status,
    u.use,
    count(*) AS runs,
    count(*) FILTER (WHERE (SELECT count(*) FROM verdict_reasons AS x WHERE x.run_id = r.run_id) = 1
        AND EXISTS (SELECT 1 FROM verdict_reasons AS x WHERE x.run_id = r.run_id AND x.code = 'licence')) AS exact_but_for_licence,
    l.note
FROM runs AS r
CROSS JOIN (SELECT 'score' AS use UNION ALL SELECT 'derive_coefficients' UNION ALL SELECT 'redistribute') AS u
LEFT JOIN licences AS l ON l.licence_id = r.licence_id
WHERE NOT EXISTS (SELECT 1 FROM effective_permits AS e WHERE e.licence_id = r.licence_id AND e.use = u.use)
GROUP BY r.licence_id, u.use
ORDER BY r.licence_id, u.use;
