-- Why the runs that come from no catalog are not redistributed, summed up: a
-- row for each origin with the number of runs.
SELECT r.origin, 'not_catalog' AS code, 'only catalog runs are taken unless runs are named' AS detail, count(*) AS runs
FROM runs AS r
WHERE r.origin <> 'catalog'
GROUP BY r.origin
ORDER BY r.origin;
