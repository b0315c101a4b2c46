-- name: undeclared-duplicates
-- summary: exact duplicates that no declaration connects, with the run to keep
-- columns: run_a, run_b, shared_values, keep
--
-- keep is the run to keep of the set that both belong to: the other should
-- state duplicate_of, or go.
SELECT
    p.run_a,
    p.run_b,
    p.shared_values,
    (SELECT k.name FROM duplicate_groups AS g JOIN duplicate_groups AS k ON k.group_id = g.group_id AND k.keep = 1 WHERE g.name = p.run_a) AS keep
FROM duplicate_pairs AS p
WHERE p.kind = 'exact' AND p.declared = 0
ORDER BY p.run_a, p.run_b;
