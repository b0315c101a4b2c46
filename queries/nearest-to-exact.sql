-- name: nearest-to-exact
-- summary: the runs that the fewest reasons keep from EXACT, and which
-- param: limit integer optional  how many runs, 20 when not given
-- columns: name, verdict, reasons, which
--
-- which names the field or row of each reason with its code. A run that no
-- change of its document can help (a licence that does not permit score) is
-- listed like any other: the reason says so.
WITH nearest (run_id, name, reasons) AS MATERIALIZED (
    SELECT x.run_id, x.name, count(*)
    FROM verdict_reasons AS x
    GROUP BY x.run_id, x.name
    ORDER BY count(*), x.name
    LIMIT ifnull(:limit, 20)
)
SELECT
    n.name,
    v.verdict,
    n.reasons,
    (SELECT group_concat(item, ', ') FROM (
        SELECT y.path || ' (' || y.code || ')' AS item FROM verdict_reasons AS y WHERE y.run_id = n.run_id ORDER BY y.path, y.code)) AS which
FROM nearest AS n
JOIN verdicts AS v ON v.run_id = n.run_id
ORDER BY n.reasons, n.name;
