-- name: duplicate-pairs
-- summary: pairs of runs that measured the same, exactly or as far as they overlap, with the evidence
-- columns: run_a, run_b, kind, declared, shared_values, largest_difference, point, metric, shared_loads, value_a, value_b, definition_differences, licence_a, licence_b
--
-- The columns are those of near-duplicates. Nothing that both have differs, so
-- largest_difference is 0 and point, metric and values are NULL. A set of n
-- copies has n * (n - 1) / 2 pairs: duplicate-groups says the same in n rows.
SELECT
    p.run_a,
    p.run_b,
    p.kind,
    p.declared,
    p.shared_values,
    0.0 AS largest_difference,
    NULL AS point,
    NULL AS metric,
    p.shared_loads,
    NULL AS value_a,
    NULL AS value_b,
    p.definition_differences,
    p.licence_a,
    p.licence_b
FROM duplicate_pairs AS p
ORDER BY p.run_a, p.run_b;
