-- Runs by their names, with what a document of them does not say.
-- :names is a JSON array of names.
SELECT
    r.run_id,
    r.name,
    r.licence_id,
    r.origin,
    r.definition_set_id
FROM json_each(:names) AS j
CROSS JOIN runs AS r ON r.name = j.value
ORDER BY j.key;
