-- name: duplicate-pairs
-- summary: pairs of runs that measured the same, exactly or as far as they overlap
-- columns: run_a, run_b, kind, declared, shared_values
SELECT p.run_a, p.run_b, p.kind, p.declared, p.shared_values
FROM duplicate_pairs AS p
ORDER BY p.run_a, p.run_b;
