-- name: metric-names
-- summary: the names that runs give their metrics, and which of them are one metric in a comparison
-- columns: metric, identity, runs
--
-- identity is formula and statistic (p50 and median are one), or the name where
-- the formula is unstated or another metric of the run has the same.
SELECT m.metric, m.identity, count(*) AS runs
FROM definition_set_members AS m
JOIN runs AS r ON r.definition_set_id = m.definition_set_id
GROUP BY m.metric, m.identity
ORDER BY m.metric, m.identity;
