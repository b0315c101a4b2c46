-- The fields in which runs (:names, a JSON array of names) define a metric (:identity), a row for each field and run.
SELECT f.field, r.name, f.value
FROM runs AS r
JOIN definition_set_members AS m ON m.definition_set_id = r.definition_set_id AND m.identity = :identity
JOIN definition_fields AS f ON f.definition_id = m.definition_id
WHERE r.name IN (SELECT value FROM json_each(:names))
ORDER BY f.field, r.name, f.value;
