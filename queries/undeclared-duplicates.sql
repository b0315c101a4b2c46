-- name: undeclared-duplicates
-- summary: runs that should declare which run they duplicate exactly, and do not
-- columns: run_a, run_b, shared_values, keep, declaration
--
-- Each such run once, beside the run that it should name, keep: the best of
-- the runs with exactly its content. run_a is the first name of the two.
-- Two exact duplicates that no declaration connects exist only where this
-- returns rows, and when each run states its declaration, none are left.
SELECT
    min(g.name, k.content_best) AS run_a,
    max(g.name, k.content_best) AS run_b,
    c.value_count AS shared_values,
    k.content_best AS keep,
    g.declaration
FROM duplicate_groups AS g
JOIN keep_order AS k ON k.name = g.name
JOIN run_contents AS c ON c.content_id = k.content_id
WHERE g.declaration IS NOT NULL
ORDER BY run_a, run_b;
