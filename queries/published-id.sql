-- name: published-id
-- summary: which points the publisher's id of a benchmark row has meant, and which of them it meant at a time
-- param: id integer           the publisher's row id
-- param: at text optional     a time, RFC 3339 in UTC as ledgers have it; without it the newest capture
-- columns: id, run, point, captures, first_captured_at, last_captured_at, is_meant
--
-- An id is no identity: rows move, and the same id may be another point in another
-- capture. captures counts those that say so, API or dump; the times are those at
-- which a ledger says that one came or was confirmed, NULL where none does. is_meant
-- is 1 for what the newest capture with the id says that is not later than :at, 0 for
-- what it does not, and NULL where no capture is known to be: then each is a candidate.
-- A row that was set aside, because none of its requests succeeded, has no run.
WITH meant AS (
    SELECT sha256
    FROM inferencex_id_points
    WHERE id = :id AND (captured_at <= :at OR :at IS NULL AND captured_at IS NOT NULL)
    ORDER BY captured_at DESC, sha256
    LIMIT 1
)
SELECT
    i.id,
    i.run,
    i.point,
    count(DISTINCT i.sha256) AS captures,
    min(i.captured_at) AS first_captured_at,
    max(i.captured_at) AS last_captured_at,
    CASE WHEN EXISTS (SELECT 1 FROM meant) THEN max(i.sha256 IN (SELECT m.sha256 FROM meant AS m)) END AS is_meant
FROM inferencex_id_points AS i
WHERE i.id = :id
GROUP BY i.id, i.point_id
ORDER BY is_meant DESC, last_captured_at DESC, i.run, i.point;
