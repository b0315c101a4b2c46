-- name: check-licences
-- summary: catalog runs whose licence is unknown, withdrawn, or no longer permits what admitted them
-- columns: finding, subject, detail
SELECT
    'licence' AS finding,
    p.name AS subject,
    'licence ' || p.licence_id || CASE p.problem
        WHEN 'unknown' THEN ' is in no registry'
        WHEN 'withdrawn' THEN ' is withdrawn: its registry no longer has it'
        ELSE ' does not permit ' || p.problem
    END AS detail
FROM licence_problems AS p
WHERE p.severity = 'finding'
ORDER BY p.name;
