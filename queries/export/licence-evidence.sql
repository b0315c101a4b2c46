-- The quotations that registry entries (:licences, a JSON array of ids) rest on.
SELECT v.licence_id, v.url, v.quote, v.location
FROM licence_evidence AS v
WHERE v.licence_id IN (SELECT value FROM json_each(:licences))
ORDER BY v.licence_id, v.position;
