-- name: reliability
-- summary: the share of InferenceX benchmark jobs that succeeded, by hardware and day
-- param: hardware text optional  the accelerator
-- columns: hardware, date, runs, n_success, total, success_ratio
--
-- Loaded from dumps of the publisher's database. Jobs are summed over the
-- attempts of all workflow runs of the day, runs counts these attempts.
-- success_ratio is n_success by total, NULL where total is 0.
SELECT
    d.hardware,
    d.date,
    d.attempts AS runs,
    d.n_success,
    d.total,
    d.success_ratio
FROM inferencex_daily_reliability AS d
WHERE d.source = 'dump'
  AND (:hardware IS NULL OR d.hardware = :hardware)
ORDER BY d.hardware, d.date;
