-- What licences (:licences, a JSON array of ids) permit now, a row for each use.
SELECT e.licence_id, e.use
FROM effective_permits AS e
WHERE e.licence_id IN (SELECT value FROM json_each(:licences))
ORDER BY e.licence_id, e.use;
