-- name: false-declarations
-- summary: runs that declare themselves duplicates of a run that measured something else
-- columns: name, duplicate_of
SELECT p.name, p.target AS duplicate_of
FROM reference_problems AS p
WHERE p.problem = 'not_duplicate'
ORDER BY p.name;
