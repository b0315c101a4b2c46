-- Why the runs that come from no catalog are in no calibration or scoring
-- export, summed up: a row for each origin and reason with the number of runs.
-- A run can have several reasons.
SELECT r.origin, u.code, u.detail, count(*) AS runs
FROM unscorable_reasons AS u
JOIN runs AS r ON r.run_id = u.run_id
WHERE r.origin <> 'catalog'
GROUP BY r.origin, u.code, u.detail
ORDER BY r.origin, u.code, u.detail;
