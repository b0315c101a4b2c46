-- name: asked-points
-- summary: which points the captures are about that were asked for by id, such as logs, traces and siblings
-- param: operation text optional  the operation, such as request-timeline
-- param: run text optional        the run's name
-- columns: operation, asked_at, id, certainty, run, point, sha256, rows_sha256
--
-- A row for each id that a request of a ledger names. certainty is newest where the
-- newest capture of benchmark rows that is not later than the request and has the id
-- says so, of digest rows_sha256; candidate where none is known to be not later: then
-- each point that any capture says is listed; unknown where no capture has the id. A
-- row that was set aside has no run. sha256 is that of the capture asked for.
SELECT
    a.operation,
    a.asked_at,
    a.id,
    a.certainty,
    a.run,
    a.point,
    a.sha256,
    a.rows_sha256
FROM inferencex_asked_points AS a
WHERE (:operation IS NULL OR a.operation = :operation)
  AND (:run IS NULL OR a.run = :run)
ORDER BY a.asked_at, a.operation, a.id, a.sha256, a.certainty, a.run, a.point;
