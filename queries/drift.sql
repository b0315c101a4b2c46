-- name: drift
-- summary: keys, types and words of captures that the published reference does not have
-- columns: kind, key, detail, times, captures, first_seen, first_capture, first_path
--
-- kind is key (outside the reference), metric (an unknown one), type (of a
-- value) or word (a name that is not known). first_seen is when a capture with
-- it was loaded first, first_path where it stands in that capture.
WITH seen (sha256, path, loaded_at) AS (
    SELECT d.sha256, min(d.path), min(d.loaded_at) FROM documents AS d WHERE d.status <> 'rejected' GROUP BY d.sha256
),
ranked AS (
    SELECT
        d.kind, d.key, d.detail, d.count, d.path, s.path AS capture, s.loaded_at,
        row_number() OVER (PARTITION BY d.kind, d.key, d.detail ORDER BY s.loaded_at, s.path, d.sha256) AS place
    FROM inferencex_drift AS d
    LEFT JOIN seen AS s ON s.sha256 = d.sha256
)
SELECT
    kind,
    key,
    detail,
    sum(count) AS times,
    count(*) AS captures,
    max(CASE place WHEN 1 THEN loaded_at END) AS first_seen,
    max(CASE place WHEN 1 THEN capture END) AS first_capture,
    max(CASE place WHEN 1 THEN path END) AS first_path
FROM ranked
GROUP BY kind, key, detail
ORDER BY kind, key, detail;
