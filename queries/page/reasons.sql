-- name: reasons
-- summary: what keeps runs from EXACT: the codes of reasons, with how many runs each concerns
-- columns: origin, code, runs, reasons, alone
--
-- alone counts the runs of which it is the only reason.
WITH
counted (run_id, code, reasons) AS MATERIALIZED (
    SELECT x.run_id, x.code, count(*) FROM verdict_reasons AS x GROUP BY x.run_id, x.code
),
totals (run_id, reasons) AS MATERIALIZED (
    SELECT c.run_id, sum(c.reasons) FROM counted AS c GROUP BY c.run_id
)
SELECT r.origin, c.code, count(*) AS runs, sum(c.reasons) AS reasons, sum(t.reasons = 1) AS alone
FROM counted AS c
JOIN totals AS t ON t.run_id = c.run_id
JOIN runs AS r ON r.run_id = c.run_id
WHERE r.hidden_by_attempt IS NULL
GROUP BY r.origin, c.code
ORDER BY r.origin, runs DESC, c.code;
