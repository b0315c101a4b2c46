-- The registry entries of licences (:licences, a JSON array of ids), a row each.
SELECT l.licence_id, l.title, l.spdx, l.status, l.attribution, l.note
FROM licences AS l
WHERE l.licence_id IN (SELECT value FROM json_each(:licences))
ORDER BY l.licence_id;
