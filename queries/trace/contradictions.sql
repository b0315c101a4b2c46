-- The requests of a captured timeline whose times cannot be those of a request: by what is wrong, how many and the first.
-- A microsecond is given: the publisher rounds times to 256 ns.
SELECT reason, count(*) AS requests, min(position) AS first
FROM (
    SELECT
        position,
        CASE
            WHEN credit_ns < 0 OR start_ns < 0 THEN 'begins before the timeline does'
            WHEN end_ns < start_ns THEN 'ends before it starts'
            WHEN ttft_ms < 0 THEN 'has a negative time to first token'
            WHEN ttft_ms * 1e6 > end_ns - start_ns + 1000.0 THEN 'has its first token after its end'
        END AS reason
    FROM inferencex_api_timeline_requests
    WHERE sha256 = :capture AND (:phase = 'all' OR phase = :phase)
)
WHERE reason IS NOT NULL
GROUP BY reason
ORDER BY min(position), reason;
