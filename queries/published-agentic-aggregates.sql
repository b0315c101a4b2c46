-- name: published-agentic-aggregates
-- summary: lengths, KV cache use and prefix cache hit rate of traces as the newest capture of /agentic-aggregates that has a benchmark sums them up
-- param: id integer optional  the publisher's id of a benchmark row
-- columns: published_id, metric, mean, p50, p75, p90, p95, p99, n, captured_at
--
-- Four rows for each benchmark, with NULL where the publisher has no samples. isl
-- and osl are tokens, kv_cache_util and prefix_cache_hit_rate from 0 to 1. The query
-- agentic-aggregates computes the same from timelines, histograms and server metrics.
WITH newest AS MATERIALIZED (
    SELECT published_id, sha256, position, captured_at
    FROM (
        SELECT a.published_id, a.sha256, a.position, b.captured_at, row_number() OVER (PARTITION BY a.published_id ORDER BY b.place) AS place
        FROM inferencex_bodies_by_age AS b
        JOIN inferencex_api_agentic_aggregates AS a ON a.sha256 = b.sha256
        WHERE b.operation = 'agentic-aggregates' AND (:id IS NULL OR a.published_id = :id)
    )
    WHERE place = 1
)
SELECT
    x.published_id,
    m.metric,
    CASE m.metric WHEN 'isl' THEN a.isl_mean WHEN 'osl' THEN a.osl_mean WHEN 'kv_cache_util' THEN a.kv_cache_util_mean ELSE a.prefix_cache_hit_rate_mean END AS mean,
    CASE m.metric WHEN 'isl' THEN a.isl_p50 WHEN 'osl' THEN a.osl_p50 WHEN 'kv_cache_util' THEN a.kv_cache_util_p50 ELSE a.prefix_cache_hit_rate_p50 END AS p50,
    CASE m.metric WHEN 'isl' THEN a.isl_p75 WHEN 'osl' THEN a.osl_p75 WHEN 'kv_cache_util' THEN a.kv_cache_util_p75 ELSE a.prefix_cache_hit_rate_p75 END AS p75,
    CASE m.metric WHEN 'isl' THEN a.isl_p90 WHEN 'osl' THEN a.osl_p90 WHEN 'kv_cache_util' THEN a.kv_cache_util_p90 ELSE a.prefix_cache_hit_rate_p90 END AS p90,
    CASE m.metric WHEN 'isl' THEN a.isl_p95 WHEN 'osl' THEN a.osl_p95 WHEN 'kv_cache_util' THEN a.kv_cache_util_p95 ELSE a.prefix_cache_hit_rate_p95 END AS p95,
    CASE m.metric WHEN 'isl' THEN a.isl_p99 WHEN 'osl' THEN a.osl_p99 WHEN 'kv_cache_util' THEN a.kv_cache_util_p99 ELSE a.prefix_cache_hit_rate_p99 END AS p99,
    CASE m.metric WHEN 'isl' THEN a.isl_n WHEN 'osl' THEN a.osl_n WHEN 'kv_cache_util' THEN a.kv_cache_util_n ELSE a.prefix_cache_hit_rate_n END AS n,
    x.captured_at
FROM newest AS x
JOIN inferencex_api_agentic_aggregates AS a ON a.sha256 = x.sha256 AND a.position = x.position
CROSS JOIN (SELECT 'isl' AS metric UNION ALL SELECT 'osl' UNION ALL SELECT 'kv_cache_util' UNION ALL SELECT 'prefix_cache_hit_rate') AS m
ORDER BY x.published_id, m.metric;
