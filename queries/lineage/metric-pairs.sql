-- The names that two definition sets (:set_a, :set_b) give to the metrics that both have.
SELECT p.metric_a, p.metric_b
FROM metric_pairs AS p
WHERE p.set_a = :set_a
  AND p.set_b = :set_b
ORDER BY p.metric_a, p.metric_b;
