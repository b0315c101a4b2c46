-- name: check-stated-verdicts
-- summary: runs whose stated verdict or resolution is not the computed one
-- columns: finding, subject, detail
SELECT
    'stated verdict' AS finding,
    s.name AS subject,
    'states ' || coalesce(s.stated_verdict, 'no verdict') || coalesce(' (' || s.stated_resolution || ')', '')
        || ', computed is ' || s.verdict || coalesce(' (' || s.resolution || ')', '') AS detail
FROM stated_verdict_problems AS s
ORDER BY s.name;
