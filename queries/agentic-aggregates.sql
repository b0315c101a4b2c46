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
    SELECT h.published_id, l.length AS metric, 'trace-histograms' AS source, h.captured_at
    FROM histograms AS h CROSS JOIN (SELECT 'isl' AS length UNION ALL SELECT 'osl') AS l
    UNION ALL
    SELECT t.published_id, l.length, 'request-timeline', t.captured_at
    FROM timelines AS t CROSS JOIN (SELECT 'isl' AS length UNION ALL SELECT 'osl') AS l
    UNION ALL
    SELECT s.published_id, m.metric, 'trace-server-metrics', s.captured_at
    FROM servers AS s CROSS JOIN (SELECT 'kv_cache_util' AS metric UNION ALL SELECT 'prefix_cache_hit_rate') AS m
),
samples AS (
    SELECT h.published_id, s.length AS metric, s.tokens AS value
    FROM histograms AS h
    JOIN trace_samples AS s ON s.sha256 = h.sha256 AND s.published_id = h.published_id
    UNION ALL
    SELECT t.published_id, l.length, CASE l.length WHEN 'isl' THEN q.isl ELSE q.osl END
    FROM timelines AS t
    CROSS JOIN inferencex_api_timeline_requests AS q ON q.sha256 = t.sha256 AND q.phase IN ('profiling', 'unknown') AND q.cancelled = 0
    CROSS JOIN (SELECT 'isl' AS length UNION ALL SELECT 'osl') AS l
    UNION ALL
    SELECT published_id, metric, coalesce(stated, example)
    FROM (
        SELECT
            s.published_id,
            CASE p.series WHEN 'kvCacheUsage' THEN 'kv_cache_util' ELSE 'prefix_cache_hit_rate' END AS metric,
            max(CASE WHEN p.key = 'value' THEN p.value END) AS stated,
            max(CASE WHEN p.key = 'v' THEN p.value END) AS example
        FROM servers AS s
        JOIN server_metric_samples AS p ON p.sha256 = s.sha256 AND p.series IN ('kvCacheUsage', 'prefixCacheHitRate') AND typeof(p.value) IN ('integer', 'real')
        WHERE s.from_s IS NULL OR p.t_s >= s.from_s
        GROUP BY s.published_id, p.series, p.position, p.sample
    )
),
ranked AS MATERIALIZED (
    SELECT
        s.*,
        row_number() OVER (PARTITION BY published_id, metric ORDER BY value) - 1 AS place,
        count(*) OVER (PARTITION BY published_id, metric) - 1 AS last
    FROM samples AS s
    WHERE value IS NOT NULL
),
-- The two places that a percentile lies between, and how far it is from the first.
levels AS (
    SELECT
        r.published_id,
        r.metric,
        p.percent,
        r.last + 1 AS n,
        avg(r.value) AS mean,
        r.last * p.percent / 100.0 - r.last * p.percent / 100 AS share,
        max(CASE WHEN r.place = r.last * p.percent / 100 THEN r.value END) AS low,
        max(CASE WHEN r.place = min(r.last * p.percent / 100 + 1, r.last) THEN r.value END) AS high
    FROM (SELECT 50 AS percent UNION ALL SELECT 75 UNION ALL SELECT 90 UNION ALL SELECT 95 UNION ALL SELECT 99) AS p
    CROSS JOIN ranked AS r
    GROUP BY r.published_id, r.metric, p.percent
)
SELECT
    s.published_id,
    s.metric,
    max(l.mean) AS mean,
    max(CASE WHEN l.percent = 50 THEN l.low + (l.high - l.low) * l.share END) AS p50,
    max(CASE WHEN l.percent = 75 THEN l.low + (l.high - l.low) * l.share END) AS p75,
    max(CASE WHEN l.percent = 90 THEN l.low + (l.high - l.low) * l.share END) AS p90,
    max(CASE WHEN l.percent = 95 THEN l.low + (l.high - l.low) * l.share END) AS p95,
    max(CASE WHEN l.percent = 99 THEN l.low + (l.high - l.low) * l.share END) AS p99,
    coalesce(max(l.n), 0) AS n,
    s.source,
    s.captured_at
FROM sources AS s
LEFT JOIN levels AS l ON l.published_id = s.published_id AND l.metric = s.metric
GROUP BY s.published_id, s.metric, s.source, s.captured_at
ORDER BY s.published_id, s.metric;
