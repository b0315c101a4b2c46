-- name: licences
-- summary: the licences that runs cite, with what they permit now and what they ask to be said
-- columns: licence_id, title, spdx, status, permits, runs, attribution, evidence
--
-- status is unknown where no registry has the licence. evidence is the URLs of
-- the texts that the entry rests on, parted by spaces.
WITH cited (licence_id, runs) AS (
    SELECT r.licence_id, count(*) FROM runs AS r WHERE r.licence_id <> '' GROUP BY r.licence_id
)
SELECT
    c.licence_id,
    l.title,
    l.spdx,
    CASE WHEN l.licence_id IS NULL THEN 'unknown' WHEN l.withdrawn THEN 'withdrawn' ELSE l.status END AS status,
    (SELECT group_concat(use, ', ') FROM (SELECT e.use FROM effective_permits AS e WHERE e.licence_id = c.licence_id ORDER BY e.use)) AS permits,
    c.runs,
    l.attribution,
    (SELECT group_concat(url, ' ') FROM (SELECT v.url FROM licence_evidence AS v WHERE v.licence_id = c.licence_id ORDER BY v.position)) AS evidence
FROM cited AS c
LEFT JOIN licences AS l ON l.licence_id = c.licence_id
ORDER BY c.licence_id;
