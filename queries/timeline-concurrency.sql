-- name: timeline-concurrency
-- summary: requests in flight over time, as captured timelines have them
-- param: id integer optional  the publisher's id of a benchmark row
-- param: capture text optional  the digest of a timeline's capture or its beginning; without it the newest of each id
-- param: step_s real optional  the seconds that a row is of, 10 when not given, a thousandth at least
-- columns: published_id, sha256, from_s, started, ended, in_flight, mean_in_flight
--
-- from_s counts from the timeline's start. in_flight is at that moment,
-- mean_in_flight over the seconds of the row. Requests of all phases count, for the
-- server has them all. A row in which none started or ended is left out: nothing
-- changes in it. Requests that end before they start are left out.
WITH chosen AS MATERIALIZED (
    SELECT published_id, sha256
    FROM inferencex_timelines
    WHERE (:id IS NULL OR published_id = :id)
      AND CASE WHEN :capture IS NULL THEN newest = 1 ELSE substr(sha256, 1, length(:capture)) = :capture END
),
captures AS MATERIALIZED (
    SELECT sha256, row_number() OVER (ORDER BY sha256) AS capture_number, max(CAST(coalesce(:step_s, 10) * 1e9 AS INTEGER), 1000000) AS width
    FROM chosen
    GROUP BY sha256
),
events AS (
    SELECT c.capture_number, c.width, q.start_ns AS at, 1 AS step
    FROM captures AS c
    CROSS JOIN inferencex_api_timeline_requests AS q ON q.sha256 = c.sha256
    WHERE q.end_ns >= q.start_ns
    UNION ALL
    SELECT c.capture_number, c.width, q.end_ns, -1
    FROM captures AS c
    CROSS JOIN inferencex_api_timeline_requests AS q ON q.sha256 = c.sha256
    WHERE q.end_ns >= q.start_ns
),
-- What starts in a row is in flight for the rest of it, what ends is not. Integer
-- division is towards 0, a row before the start is rounded down.
steps AS (
    SELECT
        capture_number,
        width,
        at / width - (at < 0 AND at % width <> 0) AS place,
        sum(step = 1) AS started,
        sum(step = -1) AS ended,
        total(step * (1 - (at - (at / width - (at < 0 AND at % width <> 0)) * width) * 1.0 / width)) AS share
    FROM events
    GROUP BY capture_number, place
),
running AS (
    SELECT
        s.*,
        sum(started - ended) OVER (PARTITION BY capture_number ORDER BY place ROWS UNBOUNDED PRECEDING) - (started - ended) AS in_flight
    FROM steps AS s
)
SELECT
    c.published_id,
    c.sha256,
    r.place * (r.width / 1e9) AS from_s,
    r.started,
    r.ended,
    r.in_flight,
    r.in_flight + r.share AS mean_in_flight
FROM chosen AS c
JOIN captures AS n ON n.sha256 = c.sha256
JOIN running AS r ON r.capture_number = n.capture_number
ORDER BY c.published_id, c.sha256, r.place;
