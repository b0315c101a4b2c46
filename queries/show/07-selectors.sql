-- name: 07-selectors
-- summary: selectors
-- param: run text  the run's name
-- columns: position, selector
SELECT s.position, s.selector
FROM runs AS r JOIN selectors AS s ON s.run_id = r.run_id WHERE r.name = :run
ORDER BY s.position;
