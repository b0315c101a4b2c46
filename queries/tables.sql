-- name: tables
-- summary: the tables and views of the warehouse, with the number of their columns
-- columns: name, kind, columns
--
-- kind is table or view. The migration tool's own table is left out; the
-- schema command explains every column.
SELECT
    s.name,
    s.type AS kind,
    (SELECT count(*) FROM pragma_table_info(s.name)) AS columns
FROM sqlite_schema AS s
WHERE s.type IN ('table', 'view')
  AND s.name NOT LIKE 'sqlite\_%' ESCAPE '\'
  AND s.name <> 'goose_db_version'
ORDER BY s.name;
