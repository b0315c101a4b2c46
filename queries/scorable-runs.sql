-- name: scorable-runs
-- summary: every run with whether it may be scored, and what blocks it
-- param: origin text optional  what the runs come from
-- one of: catalog, inferencex, evaluation
-- param: model text optional  the model
-- columns: name, scorable, verdict, resolution, licence_id, blocked_by
--
-- scorable is 1 for a run of scorable_runs. blocked_by lists what stands
-- against the others: not_reproducible, licence, superseded, duplicate.
-- licence_id is NULL for a run of origin evaluation, which cites none.
SELECT
    v.name,
    s.run_id IS NOT NULL AS scorable,
    v.verdict,
    v.resolution,
    nullif(r.licence_id, '') AS licence_id,
    (SELECT group_concat(code, ', ') FROM (SELECT u.code FROM unscorable_reasons AS u WHERE u.run_id = v.run_id ORDER BY u.code)) AS blocked_by
FROM verdicts AS v
JOIN runs AS r ON r.run_id = v.run_id
LEFT JOIN scorable_runs AS s ON s.run_id = v.run_id
WHERE (:origin IS NULL OR r.origin = :origin)
  AND (:model IS NULL OR r.model = :model)
ORDER BY scorable DESC, v.name;
