-- name: supersession-heads
-- summary: chains of supersession by their head, and what is wrong with them
-- columns: head, name, depth, problem
--
-- A row for each run that supersedes another, is superseded, or has a problem.
-- head is the run to use; it is NULL in a cycle and below a fork.
SELECT s.head, s.name, s.depth, s.problem
FROM supersessions AS s
JOIN runs AS r ON r.run_id = s.run_id
WHERE s.problem IS NOT NULL OR s.depth > 0 OR r.supersedes IS NOT NULL
ORDER BY s.head IS NULL, s.head, s.depth, s.name;
