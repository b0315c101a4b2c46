-- name: check-references
-- summary: references between runs that are wrong
-- columns: finding, subject, detail
SELECT
    'reference' AS finding,
    p.name AS subject,
    CASE p.problem
        WHEN 'dangling' THEN p.field || ' names ' || p.target || ', which is not loaded'
        WHEN 'cycle' THEN p.field || ' ' || p.target || ' is part of a cycle'
        WHEN 'fork' THEN p.field || ' ' || p.target || ', which another run supersedes too'
        ELSE p.field || ' ' || p.target || ' is false: model, hardware, loads or values differ'
    END AS detail
FROM reference_problems AS p
ORDER BY p.name, p.field, p.problem;
