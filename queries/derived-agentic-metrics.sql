-- name: derived-agentic-metrics
-- summary: e2e normalised interactivity of the benchmarks of which a timeline is loaded, the 75th and 90th percentile, as /derived-agentic-metrics computes them
-- param: id integer optional  the publisher's id of a benchmark row
-- param: capture text optional  the digest of a timeline's capture or its beginning; without it the newest of each id
-- columns: published_id, sha256, captured_at, requests, counted, p75_e2e_norm_intvty, p90_e2e_norm_intvty
--
-- Of each request the time from sending to the end of the response, divided by its
-- output tokens: the percentile is of these (between two values linearly, as numpy
-- does), and what stands here is its inverse, tokens/s of a user. So p90 is what 9
-- of 10 requests reach, and below p75: the slow tail, not the fast one. counted are
-- requests of the phase profiling, or of which no phase was recorded, that were not
-- cancelled and have a positive duration, TTFT and number of input and of output
-- tokens. NULL where there is none. So the publisher's code has it (InferenceX-app,
-- derived-agentic-metrics.ts and agentic-shared.ts). It divides the client's
-- request_latency, which the timeline does not state: end minus start differs from
-- it by what came after the last token, and by the publisher's rounding to 256 ns.
WITH chosen AS MATERIALIZED (
    SELECT published_id, sha256, captured_at, requests
    FROM inferencex_timelines
    WHERE (:id IS NULL OR published_id = :id)
      AND CASE WHEN :capture IS NULL THEN newest = 1 ELSE substr(sha256, 1, length(:capture)) = :capture END
),
-- A number stands for a capture, for what is sorted below is large.
captures AS MATERIALIZED (
    SELECT sha256, row_number() OVER (ORDER BY sha256) AS capture_number FROM chosen GROUP BY sha256
),
ranked AS (
    SELECT
        capture_number,
        s_per_token,
        row_number() OVER (PARTITION BY capture_number ORDER BY s_per_token) - 1 AS place,
        count(*) OVER (PARTITION BY capture_number) - 1 AS last
    FROM (
        SELECT c.capture_number, (q.end_ns - q.start_ns) / 1e9 / q.osl AS s_per_token
        FROM captures AS c
        CROSS JOIN inferencex_api_timeline_requests AS q ON q.sha256 = c.sha256
        WHERE q.phase IN ('profiling', 'unknown') AND q.cancelled = 0
          AND q.end_ns > q.start_ns AND q.ttft_ms > 0 AND q.isl > 0 AND q.osl > 0
    )
),
-- The two places that a percentile lies between, and how far it is from the first.
levels AS (
    SELECT
        r.capture_number,
        p.percent,
        r.last + 1 AS counted,
        r.last * p.percent / 100.0 - r.last * p.percent / 100 AS share,
        min(r.s_per_token) AS low,
        max(r.s_per_token) AS high
    FROM ranked AS r
    CROSS JOIN (SELECT 75 AS percent UNION ALL SELECT 90) AS p
    WHERE r.place BETWEEN r.last * p.percent / 100 AND r.last * p.percent / 100 + 1
    GROUP BY r.capture_number, p.percent
)
SELECT
    c.published_id,
    c.sha256,
    c.captured_at,
    c.requests,
    coalesce(max(l.counted), 0) AS counted,
    max(CASE WHEN l.percent = 75 THEN 1 / (l.low + (l.high - l.low) * l.share) END) AS p75_e2e_norm_intvty,
    max(CASE WHEN l.percent = 90 THEN 1 / (l.low + (l.high - l.low) * l.share) END) AS p90_e2e_norm_intvty
FROM chosen AS c
JOIN captures AS n ON n.sha256 = c.sha256
LEFT JOIN levels AS l ON l.capture_number = n.capture_number
GROUP BY c.published_id, c.sha256
ORDER BY c.published_id, c.sha256;
