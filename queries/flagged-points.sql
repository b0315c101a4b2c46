-- name: flagged-points
-- summary: InferenceX points that a plausibility rule points at, with the numbers
-- param: code text optional  the rule, such as gpu_count
-- param: run text optional  the run's name
-- columns: run, point, code, subject, measured, expected, meaning
--
-- A flag refuses nothing. Rules, thresholds and the reason for each are in the
-- table flag_rules.
SELECT r.name AS run, p.id AS point, f.code, f.subject, f.measured, f.expected, f.meaning
FROM flagged_points AS f
JOIN points AS p ON p.point_id = f.point_id
JOIN runs AS r ON r.run_id = f.run_id
WHERE (:code IS NULL OR f.code = :code)
  AND (:run IS NULL OR r.name = :run)
ORDER BY r.name, p.position, f.code, f.subject;
