-- name: submission-volume
-- summary: how many InferenceX points were submitted of each hardware and day, as the volume of /submissions has it
-- param: hardware text optional  the accelerator
-- columns: date, hardware, datapoints
--
-- The points that the query submissions counts, by UTC day and hardware.
SELECT
    x.date,
    x.hardware,
    count(*) AS datapoints
FROM inferencex_rows AS x
WHERE x.date IS NOT NULL AND x.hidden_by_attempt IS NULL
  AND (:hardware IS NULL OR x.hardware = :hardware)
GROUP BY x.date, x.hardware
ORDER BY x.date, x.hardware;
