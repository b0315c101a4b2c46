-- name: compare-definitions
-- summary: the fields in which two runs define a metric that both have differently
-- param: a text  a run's name
-- param: b text  another run's name
-- columns: metric_a, metric_b, field, value_a, value_b
--
-- Metrics are matched by identity (formula and statistic), those left by name
-- (see metric_pairs). NULL is not stated, and differs from what is stated.
SELECT p.metric_a, p.metric_b, x.field, x.value AS value_a, y.value AS value_b
FROM runs AS a
JOIN runs AS b ON b.name = :b
JOIN metric_pairs AS p ON p.set_a = a.definition_set_id AND p.set_b = b.definition_set_id
JOIN definition_fields AS x ON x.definition_id = p.definition_a
JOIN definition_fields AS y ON y.definition_id = p.definition_b AND y.field = x.field
WHERE a.name = :a
  AND x.value IS NOT y.value
ORDER BY p.metric_a, p.metric_b, x.field;
