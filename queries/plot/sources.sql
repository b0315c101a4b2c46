-- The licences that runs (:names, a JSON array of names) cite, with what they ask to be said.
SELECT nullif(r.licence_id, '') AS licence_id, l.spdx, l.attribution, count(*) AS runs, min(coalesce(r.measured_on, r.retrieved_on)) AS first, max(coalesce(r.measured_on, r.retrieved_on)) AS last
FROM runs AS r
LEFT JOIN licences AS l ON l.licence_id = r.licence_id
WHERE r.name IN (SELECT value FROM json_each(:names))
GROUP BY nullif(r.licence_id, ''), l.spdx, l.attribution
ORDER BY licence_id;
