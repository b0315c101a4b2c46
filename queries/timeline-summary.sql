-- name: timeline-summary
-- summary: captured timelines summed up by phase: requests, tokens, latencies, requests in flight
-- param: id integer optional  the publisher's id of a benchmark row
-- param: capture text optional  the digest of a timeline's capture or its beginning; without it the newest of each id
-- columns: published_id, sha256, phase, requests, cancelled, conversations, sub_agent_requests, first_start_s, last_end_s, requests_per_s, input_tok_s, output_tok_s, ttft_p50_ms, ttft_p90_ms, ttft_p99_ms, tpot_p50_ms, tpot_p90_ms, tpot_p99_ms, mean_in_flight, most_in_flight
--
-- Rates are over the span from the first start to the last end of the phase, which
-- is not the window that the publisher measures. Cancelled requests count in
-- requests and in what is in flight, not in tokens and latencies. Percentiles are
-- linear between two values, as numpy's. mean_in_flight is the time that all
-- requests took divided by the span, most_in_flight the most at one moment; one that
-- ends as another starts is not in flight beside it. Requests that end before they
-- start count as taking no time.
WITH chosen AS MATERIALIZED (
    SELECT published_id, sha256
    FROM inferencex_timelines
    WHERE (:id IS NULL OR published_id = :id)
      AND CASE WHEN :capture IS NULL THEN newest = 1 ELSE substr(sha256, 1, length(:capture)) = :capture END
),
-- A number stands for a capture, for what is sorted below is large.
captures AS MATERIALIZED (
    SELECT sha256, row_number() OVER (ORDER BY sha256) AS capture_number FROM chosen GROUP BY sha256
),
picked AS NOT MATERIALIZED (
    SELECT c.capture_number, q.phase, q.conversation_id, q.agent_depth, q.start_ns, max(q.start_ns, q.end_ns) AS end_ns, q.ttft_ms, q.tpot_ms, q.isl, q.osl, q.cancelled
    FROM captures AS c
    CROSS JOIN inferencex_api_timeline_requests AS q ON q.sha256 = c.sha256
),
phases AS (
    SELECT
        capture_number,
        phase,
        count(*) AS requests,
        sum(cancelled) AS cancelled,
        count(DISTINCT conversation_id) AS conversations,
        sum(agent_depth > 0) AS sub_agent_requests,
        min(start_ns) / 1e9 AS first_start_s,
        max(end_ns) / 1e9 AS last_end_s,
        nullif(max(end_ns) - min(start_ns), 0) / 1e9 AS span_s,
        total(CASE WHEN cancelled = 0 THEN isl END) AS input_tokens,
        total(CASE WHEN cancelled = 0 THEN osl END) AS output_tokens,
        total((end_ns - start_ns) / 1e9) AS busy_s
    FROM picked
    GROUP BY capture_number, phase
),
in_flight AS (
    SELECT capture_number, phase, max(depth) AS most
    FROM (
        SELECT capture_number, phase, sum(step) OVER (PARTITION BY capture_number, phase ORDER BY at, step ROWS UNBOUNDED PRECEDING) AS depth
        FROM (
            SELECT capture_number, phase, start_ns AS at, 1 AS step FROM picked WHERE end_ns > start_ns
            UNION ALL
            SELECT capture_number, phase, end_ns, -1 FROM picked WHERE end_ns > start_ns
        )
    )
    GROUP BY capture_number, phase
),
samples AS (
    SELECT capture_number, phase, 'ttft' AS metric, ttft_ms AS value FROM picked WHERE cancelled = 0 AND ttft_ms IS NOT NULL
    UNION ALL
    SELECT capture_number, phase, 'tpot', tpot_ms FROM picked WHERE cancelled = 0 AND tpot_ms IS NOT NULL
),
ranked AS (
    SELECT
        s.*,
        row_number() OVER (PARTITION BY capture_number, phase, metric ORDER BY value) - 1 AS place,
        count(*) OVER (PARTITION BY capture_number, phase, metric) - 1 AS last
    FROM samples AS s
),
-- The two places that a percentile lies between, and how far it is from the first.
levels AS (
    SELECT
        r.capture_number,
        r.phase,
        r.metric,
        p.percent,
        r.last * p.percent / 100.0 - r.last * p.percent / 100 AS share,
        min(r.value) AS low,
        max(r.value) AS high
    FROM ranked AS r
    CROSS JOIN (SELECT 50 AS percent UNION ALL SELECT 90 UNION ALL SELECT 99) AS p
    WHERE r.place BETWEEN r.last * p.percent / 100 AND r.last * p.percent / 100 + 1
    GROUP BY r.capture_number, r.phase, r.metric, p.percent
),
percentiles AS (
    SELECT
        capture_number,
        phase,
        max(CASE WHEN metric = 'ttft' AND percent = 50 THEN low + (high - low) * share END) AS ttft_p50_ms,
        max(CASE WHEN metric = 'ttft' AND percent = 90 THEN low + (high - low) * share END) AS ttft_p90_ms,
        max(CASE WHEN metric = 'ttft' AND percent = 99 THEN low + (high - low) * share END) AS ttft_p99_ms,
        max(CASE WHEN metric = 'tpot' AND percent = 50 THEN low + (high - low) * share END) AS tpot_p50_ms,
        max(CASE WHEN metric = 'tpot' AND percent = 90 THEN low + (high - low) * share END) AS tpot_p90_ms,
        max(CASE WHEN metric = 'tpot' AND percent = 99 THEN low + (high - low) * share END) AS tpot_p99_ms
    FROM levels
    GROUP BY capture_number, phase
)
SELECT
    c.published_id,
    c.sha256,
    p.phase,
    p.requests,
    p.cancelled,
    p.conversations,
    p.sub_agent_requests,
    p.first_start_s,
    p.last_end_s,
    (p.requests - p.cancelled) / p.span_s AS requests_per_s,
    p.input_tokens / p.span_s AS input_tok_s,
    p.output_tokens / p.span_s AS output_tok_s,
    k.ttft_p50_ms,
    k.ttft_p90_ms,
    k.ttft_p99_ms,
    k.tpot_p50_ms,
    k.tpot_p90_ms,
    k.tpot_p99_ms,
    p.busy_s / p.span_s AS mean_in_flight,
    coalesce(f.most, 0) AS most_in_flight
FROM chosen AS c
JOIN captures AS n ON n.sha256 = c.sha256
JOIN phases AS p ON p.capture_number = n.capture_number
LEFT JOIN in_flight AS f ON f.capture_number = p.capture_number AND f.phase = p.phase
LEFT JOIN percentiles AS k ON k.capture_number = p.capture_number AND k.phase = p.phase
ORDER BY c.published_id, c.sha256, p.first_start_s, p.phase;
