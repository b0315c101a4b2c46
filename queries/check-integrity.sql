-- name: check-integrity
-- summary: damage that SQLite finds in the file, and rows that point to nothing
-- columns: finding, subject, detail
SELECT finding, subject, detail
FROM (
    SELECT 'integrity' AS finding, 'database' AS subject, i.integrity_check AS detail
    FROM pragma_integrity_check AS i
    WHERE i.integrity_check <> 'ok'
    UNION ALL
    SELECT 'foreign key', f."table", 'row ' || ifnull(f.rowid, '(none)') || ' points to no row of ' || f.parent
    FROM pragma_foreign_key_check AS f
)
ORDER BY finding, subject, detail;
