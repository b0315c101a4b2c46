-- The phases of a captured timeline and how many requests each has.
SELECT phase, count(*) AS requests
FROM inferencex_api_timeline_requests
WHERE sha256 = :capture
GROUP BY phase
ORDER BY min(start_ns), phase;
