-- name: published-reliability
-- summary: the share of benchmark jobs that succeeded, by hardware and day, as the newest capture of /reliability has it
-- param: hardware text optional  the accelerator
-- columns: hardware, date, runs, n_success, total, success_ratio
--
-- The publisher lists a row for each workflow run: runs counts them, the jobs are
-- summed over them. success_ratio is n_success by total, NULL where total is 0. The
-- query reliability answers the same from dumps.
SELECT
    r.hardware,
    r.date,
    count(*) AS runs,
    sum(r.n_success) AS n_success,
    sum(r.total) AS total,
    1.0 * sum(r.n_success) / nullif(sum(r.total), 0) AS success_ratio
FROM inferencex_newest_bodies AS b
JOIN inferencex_api_reliability AS r ON r.sha256 = b.sha256
WHERE b.operation = 'reliability'
  AND (:hardware IS NULL OR r.hardware = :hardware)
GROUP BY r.hardware, r.date
ORDER BY r.hardware, r.date;
