-- What a run (:run) is worth: its computed verdict, licence, and whether it may be scored.
SELECT
    r.origin,
    v.verdict,
    v.resolution,
    r.licence_id,
    EXISTS (SELECT 1 FROM scorable_runs AS s WHERE s.run_id = (SELECT i.run_id FROM runs AS i WHERE i.name = :run)) AS scorable,
    (SELECT group_concat(code, ', ') FROM (
        SELECT u.code FROM unscorable_reasons AS u WHERE u.run_id = (SELECT i.run_id FROM runs AS i WHERE i.name = :run) ORDER BY u.code)) AS blocked_by,
    r.hidden_by_attempt
FROM runs AS r
JOIN verdicts AS v ON v.run_id = r.run_id
WHERE r.name = :run
ORDER BY r.name;
