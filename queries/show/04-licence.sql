-- name: 04-licence
-- summary: licence
-- param: run text  the run's name
-- columns: licence_id, title, spdx, status, withdrawn, permits, attribution, note
SELECT l.licence_id, l.title, l.spdx, l.status, l.withdrawn,
    (SELECT group_concat(use, ', ') FROM (SELECT e.use FROM effective_permits AS e WHERE e.licence_id = l.licence_id ORDER BY e.use)) AS permits,
    l.attribution, l.note
FROM runs AS r JOIN licences AS l ON l.licence_id = r.licence_id WHERE r.name = :run
ORDER BY l.licence_id;
