-- name: reasons
-- summary: what keeps runs from EXACT: the codes of reasons, with how many runs each concerns
-- columns: origin, code, runs, reasons, alone, first_runs
--
-- alone counts the runs of which it is the only reason. first_runs are the
-- first three by name; verdict-reasons with a code lists all.
WITH
counted (run_id, code, reasons) AS MATERIALIZED (
    SELECT x.run_id, x.code, count(*) FROM verdict_reasons AS x GROUP BY x.run_id, x.code
),
totals (run_id, reasons) AS MATERIALIZED (
    SELECT c.run_id, sum(c.reasons) FROM counted AS c GROUP BY c.run_id
),
concerned (origin, code, name, reasons, total, nth) AS MATERIALIZED (
    SELECT r.origin, c.code, r.name, c.reasons, t.reasons, row_number() OVER (PARTITION BY r.origin, c.code ORDER BY r.name)
    FROM counted AS c
    JOIN totals AS t ON t.run_id = c.run_id
    JOIN runs AS r ON r.run_id = c.run_id
    WHERE r.hidden_by_attempt IS NULL
),
first (origin, code, name) AS MATERIALIZED (SELECT d.origin, d.code, d.name FROM concerned AS d WHERE d.nth <= 3)
SELECT
    d.origin,
    d.code,
    count(*) AS runs,
    sum(d.reasons) AS reasons,
    sum(d.total = 1) AS alone,
    (SELECT group_concat(name, ', ') FROM (SELECT f.name FROM first AS f WHERE f.origin = d.origin AND f.code = d.code ORDER BY f.name)) AS first_runs
FROM concerned AS d
GROUP BY d.origin, d.code
ORDER BY d.origin, runs DESC, d.code;
