-- name: log-files
-- summary: the server logs of benchmarks, as /server-log-files lists them and as they are loaded
-- param: benchmark integer optional  the publisher's id of a benchmark
-- columns: published_id, file_name, is_primary, is_listed, captures, characters, is_complete, missing, contradictions
--
-- The logs that the newest list of a benchmark has, and those of which some is
-- loaded: captures, characters and what follows are of what is loaded, captures is
-- 0 where nothing is. is_listed is NULL where no list of the benchmark's logs is
-- loaded. The primary log comes first, the others by name.
WITH
lists AS (
    SELECT CAST(json_extract(c.params, '$.id') AS INTEGER) AS published_id, b.sha256, row_number() OVER (
        PARTITION BY CAST(json_extract(c.params, '$.id') AS INTEGER) ORDER BY c.started_at DESC, b.sha256
    ) AS place
    FROM inferencex_captures AS c
    JOIN inferencex_bodies AS b ON b.sha256 = c.sha256 AND b.operation = c.operation
    WHERE c.operation = 'server-log-files'
),
listed AS (
    SELECT l.published_id, f.file_name, f.position
    FROM lists AS l
    JOIN inferencex_api_server_log_files AS f ON f.sha256 = l.sha256
    WHERE l.place = 1
),
known AS (
    SELECT published_id, file_name FROM listed
    UNION
    SELECT published_id, file_name FROM server_logs
)
SELECT
    k.published_id,
    k.file_name,
    max(ifnull(f.position = 1, 0), ifnull(l.is_primary, 0)) AS is_primary,
    CASE WHEN k.published_id IN (SELECT published_id FROM lists) THEN f.position IS NOT NULL END AS is_listed,
    ifnull(l.captures, 0) AS captures,
    l.characters,
    l.is_complete,
    l.missing,
    l.contradictions
FROM known AS k
LEFT JOIN listed AS f ON f.published_id = k.published_id AND f.file_name = k.file_name
LEFT JOIN server_logs AS l ON l.published_id IS k.published_id AND l.file_name IS k.file_name
WHERE :benchmark IS NULL OR k.published_id = :benchmark
ORDER BY k.published_id IS NULL, k.published_id, is_primary DESC, k.file_name
