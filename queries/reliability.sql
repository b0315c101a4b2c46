-- name: reliability
-- summary: the share of InferenceX benchmark jobs that succeeded, by hardware and day
-- param: hardware text optional  the accelerator
-- columns: hardware, date, runs, n_success, total, success_ratio
--
-- Loaded from dumps of the publisher's database. Jobs are summed over the
-- attempts of all workflow runs of the day, runs counts these attempts.
-- success_ratio is n_success by total, NULL where total is 0.
SELECT
    s.hardware,
    s.date,
    count(*) AS runs,
    sum(s.n_success) AS n_success,
    sum(s.total) AS total,
    1.0 * sum(s.n_success) / nullif(sum(s.total), 0) AS success_ratio
FROM inferencex_run_stats AS s
WHERE :hardware IS NULL OR s.hardware = :hardware
GROUP BY s.hardware, s.date
ORDER BY s.hardware, s.date;
