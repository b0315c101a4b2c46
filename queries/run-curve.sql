-- name: run-curve
-- summary: latency and throughput of a run at each load, a row for each metric
-- param: run text  the run's name
-- param: metric text optional  one metric, such as ttft_p50
-- columns: point, concurrency, request_rate, metric, value, unit, ratio_to_anchor
--
-- The first point is the anchor. ratio_to_anchor is the value divided by the
-- anchor's, NULL where the anchor has none or has 0, or where the quotient is
-- beyond a double.
SELECT
    p.id AS point,
    p.concurrency,
    p.request_rate,
    d.metric,
    m.value,
    d.unit,
    nullif(m.value / nullif((
        SELECT a.value FROM points AS q JOIN measurements AS a ON a.point_id = q.point_id
        WHERE q.run_id = r.run_id AND q.position = 0 AND a.metric = d.metric), 0), 9e999) AS ratio_to_anchor
FROM runs AS r
JOIN metric_defs AS d ON d.run_id = r.run_id
JOIN points AS p ON p.run_id = r.run_id
JOIN measurements AS m ON m.point_id = p.point_id AND m.metric = d.metric
WHERE r.name = :run
  AND (:metric IS NULL OR d.metric = :metric)
ORDER BY d.metric, p.position;
