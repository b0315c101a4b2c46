-- name: licence-gaps
-- summary: licences that keep runs from a use, and how many runs each
-- columns: licence_id, status, use, runs, exact_but_for_licence, note
--
-- A row for each licence that runs cite and use that it does not permit now;
-- status is unknown where no registry has the licence. exact_but_for_licence
-- counts the runs that would be EXACT if it permitted score. Runs of origin
-- evaluation cite no licence and are not counted.
WITH
kept_back (run_id) AS MATERIALIZED (
    SELECT x.run_id FROM verdict_reasons AS x GROUP BY x.run_id HAVING count(*) = 1 AND min(x.code) = 'licence'
),
cited (licence_id, runs, exact_but_for_licence) AS MATERIALIZED (
    SELECT r.licence_id, count(*), count(k.run_id)
    FROM runs AS r
    LEFT JOIN kept_back AS k ON k.run_id = r.run_id
    WHERE r.origin <> 'evaluation'
    GROUP BY r.licence_id
)
SELECT
    c.licence_id,
    CASE WHEN l.licence_id IS NULL THEN 'unknown' WHEN l.withdrawn THEN 'withdrawn' ELSE l.status END AS status,
    u.use,
    c.runs,
    c.exact_but_for_licence,
    l.note
FROM cited AS c
CROSS JOIN (SELECT 'score' AS use UNION ALL SELECT 'derive_coefficients' UNION ALL SELECT 'redistribute') AS u
LEFT JOIN licences AS l ON l.licence_id = c.licence_id
WHERE NOT EXISTS (SELECT 1 FROM effective_permits AS e WHERE e.licence_id = c.licence_id AND e.use = u.use)
ORDER BY c.licence_id, u.use;
