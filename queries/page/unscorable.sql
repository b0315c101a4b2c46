-- name: unscorable
-- summary: what keeps runs from being scored, with how many runs each concerns
-- columns: origin, code, runs
SELECT r.origin, u.code, count(DISTINCT u.run_id) AS runs
FROM unscorable_reasons AS u
JOIN runs AS r ON r.run_id = u.run_id
WHERE r.hidden_by_attempt IS NULL
GROUP BY r.origin, u.code
ORDER BY r.origin, runs DESC, u.code;
