-- name: published-reliability
-- summary: the share of benchmark jobs that succeeded, by hardware and day, as the newest capture of /reliability has it
-- param: hardware text optional  the accelerator
-- columns: hardware, date, runs, n_success, total, success_ratio
--
-- The publisher lists a row for each workflow run: runs counts them, the jobs are
-- summed over them. success_ratio is n_success by total, NULL where total is 0. The
-- query reliability answers the same from dumps.
SELECT
    d.hardware,
    d.date,
    d.attempts AS runs,
    d.n_success,
    d.total,
    d.success_ratio
FROM inferencex_daily_reliability AS d
WHERE d.source = 'capture'
  AND (:hardware IS NULL OR d.hardware = :hardware)
ORDER BY d.hardware, d.date;
