-- The runs that may be redistributed, a row each. taken is whether an export
-- that names no runs takes it: a catalog run that is neither superseded by a
-- loaded run nor declared a duplicate of one.
SELECT r.run_id, r.name, r.document_sha256, r.licence_id, l.spdx, l.attribution,
       r.origin = 'catalog'
           AND NOT EXISTS (SELECT 1 FROM runs AS s WHERE s.supersedes = r.name)
           AND NOT EXISTS (SELECT 1 FROM runs AS t WHERE t.name = r.duplicate_of) AS taken
FROM runs AS r
JOIN licences AS l ON l.licence_id = r.licence_id
WHERE EXISTS (SELECT 1 FROM effective_permits AS e WHERE e.licence_id = r.licence_id AND e.use = 'redistribute')
ORDER BY r.name;
