-- The name that a run (:run) gives to a metric (:identity).
SELECT m.metric
FROM runs AS r
JOIN definition_set_members AS m ON m.definition_set_id = r.definition_set_id
WHERE r.name = :run AND m.identity = :identity
ORDER BY m.metric;
