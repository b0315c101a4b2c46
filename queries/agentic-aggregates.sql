-- name: agentic-aggregates
-- summary: lengths, KV cache use and prefix cache hit rate of traces, mean and percentiles, from captured timelines or histograms and server metrics, as /agentic-aggregates computes them
-- param: id integer optional  the publisher's id of a benchmark row
-- columns: published_id, metric, mean, p50, p75, p90, p95, p99, n, source, captured_at
--
-- A row for each metric of a benchmark, from the newest captures. isl and osl are
-- tokens, of the requests of request-timeline in the phase profiling, or of no recorded
-- phase, that were not cancelled; where no timeline is loaded of trace-histograms, which
-- count all requests, those of warm-up and cancelled ones too. kv_cache_util and
-- prefix_cache_hit_rate are from 0 to 1, of the series kvCacheUsage and
-- prefixCacheHitRate of trace-server-metrics, from the first request of profiling on
-- where a timeline is loaded that has a warm-up, of the whole series else. Percentiles
-- lie linearly between two values, as numpy's; values that are no numbers do not count;
-- all are NULL and n is 0 where there is none. So the publisher's code has it
-- (InferenceX-app, agentic-aggregates.ts, agentic-shared.ts and trace-histograms.ts).
-- From timelines isl and osl must be its own. Its other two may differ: it computes them
-- from each scrape of the profiling phase, while the series bring the scrapes of several
-- engines onto common times (compute-chart-series.ts).
WITH timelines AS MATERIALIZED (
    SELECT published_id, sha256, start_ns, captured_at
    FROM inferencex_timelines
    WHERE newest = 1 AND published_id IS NOT NULL AND (:id IS NULL OR published_id = :id)
),
-- When profiling began, of timelines that have a warm-up.
profiling AS MATERIALIZED (
    SELECT t.published_id, t.start_ns + min(CASE q.phase WHEN 'profiling' THEN q.start_ns END) AS began_ns
    FROM timelines AS t
    CROSS JOIN inferencex_api_timeline_requests AS q ON q.sha256 = t.sha256 AND q.phase IN ('warmup', 'profiling')
    GROUP BY t.published_id, t.start_ns
    HAVING max(q.phase = 'warmup') = 1
),
histograms AS MATERIALIZED (
    SELECT published_id, sha256, captured_at
    FROM (
        SELECT h.published_id, h.sha256, b.captured_at, row_number() OVER (PARTITION BY h.published_id ORDER BY b.place) AS place
        FROM inferencex_bodies_by_age AS b
        JOIN inferencex_api_trace_histograms AS h ON h.sha256 = b.sha256
        WHERE b.operation = 'trace-histograms' AND (:id IS NULL OR h.published_id = :id)
    )
    WHERE place = 1 AND published_id NOT IN (SELECT published_id FROM timelines)
),
servers AS MATERIALIZED (
    SELECT s.published_id, s.sha256, s.captured_at, (p.began_ns - w.start_ns) / 1e9 AS from_s
    FROM (
        SELECT m.published_id, m.sha256, b.captured_at, row_number() OVER (PARTITION BY m.published_id ORDER BY b.place) AS place
        FROM inferencex_bodies_by_age AS b
        JOIN inferencex_api_server_metrics_meta AS m ON m.sha256 = b.sha256
        WHERE b.operation = 'trace-server-metrics' AND m.published_id IS NOT NULL AND (:id IS NULL OR m.published_id = :id)
    ) AS s
    LEFT JOIN inferencex_api_server_metrics AS w ON w.sha256 = s.sha256
    LEFT JOIN profiling AS p ON p.published_id = s.published_id
    WHERE s.place = 1
),
sources AS (
    SELECT t.published_id, l.metric, 'request-timeline' AS source, t.sha256, NULL AS from_s, t.captured_at
    FROM timelines AS t CROSS JOIN (SELECT 'isl' AS metric UNION ALL SELECT 'osl') AS l
    UNION ALL
    SELECT h.published_id, l.metric, 'trace-histograms', h.sha256, NULL, h.captured_at
    FROM histograms AS h CROSS JOIN (SELECT 'isl' AS metric UNION ALL SELECT 'osl') AS l
    UNION ALL
    SELECT s.published_id, m.metric, 'trace-server-metrics', s.sha256, s.from_s, s.captured_at
    FROM servers AS s CROSS JOIN (SELECT 'kv_cache_util' AS metric UNION ALL SELECT 'prefix_cache_hit_rate') AS m
),
-- Samples are sorted metric by metric, for those of all benchmarks together are too many.
computed AS MATERIALIZED (
    SELECT
        s.published_id,
        s.metric,
        s.source,
        s.captured_at,
        (
            SELECT json_object('n', max(n), 'mean', CASE WHEN count(*) > 0 THEN printf('%!.17g', max(mean)) END, 'percentiles', json_group_object(percent, printf('%!.17g', percentile)))
            FROM (
                -- The two places that a percentile lies between, and how far it is from the first.
                SELECT
                    p.percent,
                    r.last + 1 AS n,
                    r.mean,
                    min(r.value) + (max(r.value) - min(r.value)) * (r.last * p.percent / 100.0 - r.last * p.percent / 100) AS percentile
                FROM (
                    SELECT value, row_number() OVER (ORDER BY value) - 1 AS place, count(*) OVER () - 1 AS last, avg(value) OVER () AS mean
                    FROM (
                        SELECT CASE s.metric WHEN 'isl' THEN q.isl ELSE q.osl END AS value
                        FROM inferencex_api_timeline_requests AS q
                        WHERE s.source = 'request-timeline' AND q.sha256 = s.sha256 AND q.phase IN ('profiling', 'unknown') AND q.cancelled = 0
                        UNION ALL
                        SELECT h.tokens
                        FROM trace_samples AS h
                        WHERE s.source = 'trace-histograms' AND h.sha256 = s.sha256 AND h.published_id = s.published_id AND h.length = s.metric
                        UNION ALL
                        SELECT coalesce(max(CASE WHEN m.key = 'value' THEN m.value END), max(m.value))
                        FROM server_metric_samples AS m
                        WHERE s.source = 'trace-server-metrics' AND m.sha256 = s.sha256 AND m.series = CASE s.metric WHEN 'kv_cache_util' THEN 'kvCacheUsage' ELSE 'prefixCacheHitRate' END
                          AND m.key IN ('value', 'v') AND typeof(m.value) IN ('integer', 'real') AND (s.from_s IS NULL OR m.t_s >= s.from_s)
                        GROUP BY m.position, m.sample
                    )
                    WHERE value IS NOT NULL
                ) AS r
                CROSS JOIN (SELECT 50 AS percent UNION ALL SELECT 75 UNION ALL SELECT 90 UNION ALL SELECT 95 UNION ALL SELECT 99) AS p
                WHERE r.place BETWEEN r.last * p.percent / 100 AND r.last * p.percent / 100 + 1
                GROUP BY p.percent
            )
        ) AS found
    FROM sources AS s
)
SELECT
    published_id,
    metric,
    CAST(json_extract(found, '$.mean') AS REAL) AS mean,
    CAST(json_extract(found, '$.percentiles.50') AS REAL) AS p50,
    CAST(json_extract(found, '$.percentiles.75') AS REAL) AS p75,
    CAST(json_extract(found, '$.percentiles.90') AS REAL) AS p90,
    CAST(json_extract(found, '$.percentiles.95') AS REAL) AS p95,
    CAST(json_extract(found, '$.percentiles.99') AS REAL) AS p99,
    coalesce(json_extract(found, '$.n'), 0) AS n,
    source,
    captured_at
FROM computed
ORDER BY published_id, metric;
