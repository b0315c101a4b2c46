-- name: licence-terms
-- summary: the licences that registries state or runs cite, what they permit and demand, and how many runs cite each
-- columns: licence_id, title, spdx, status, permits, attribution, terms, note, sources, runs
--
-- status is unknown where no registry has the licence, withdrawn where its
-- registry no longer has it. permits are the uses in effect now, terms the
-- first page that is quoted as evidence, sources the publishers of the runs.
-- Runs of origin evaluation cite no licence and are not counted.
WITH
cited (licence_id, source_kind, runs) AS MATERIALIZED (
    SELECT r.licence_id, r.source_kind, count(*)
    FROM runs AS r
    WHERE r.origin <> 'evaluation'
    GROUP BY r.licence_id, r.source_kind
),
named (licence_id) AS (
    SELECT licence_id FROM licences UNION SELECT licence_id FROM cited
)
SELECT
    n.licence_id,
    l.title,
    l.spdx,
    CASE WHEN l.licence_id IS NULL THEN 'unknown' WHEN l.withdrawn THEN 'withdrawn' ELSE l.status END AS status,
    (SELECT group_concat(use, ' ') FROM (SELECT e.use FROM effective_permits AS e WHERE e.licence_id = n.licence_id ORDER BY e.use)) AS permits,
    l.attribution,
    (SELECT e.url FROM licence_evidence AS e WHERE e.licence_id = n.licence_id ORDER BY e.position LIMIT 1) AS terms,
    l.note,
    (SELECT group_concat(source_kind, ' ') FROM (SELECT c.source_kind FROM cited AS c WHERE c.licence_id = n.licence_id ORDER BY c.source_kind)) AS sources,
    (SELECT ifnull(sum(c.runs), 0) FROM cited AS c WHERE c.licence_id = n.licence_id) AS runs
FROM named AS n
LEFT JOIN licences AS l ON l.licence_id = n.licence_id
ORDER BY n.licence_id;
