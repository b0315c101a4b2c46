-- What all InferenceX rows of a run state alike beside their measured values:
-- texts, parallel widths and images. A width that is no positive integer is
-- left out, an image stands once for every one that rows name.
-- :runs is a JSON array of run ids; the first column is the run's index in it.
SELECT
    j.key,
    o.key AS attribute,
    CAST(min(o.number) AS INTEGER) AS width,
    min(o.text) AS text
FROM json_each(:runs) AS j
CROSS JOIN points AS p ON p.run_id = j.value
JOIN inferencex_other_values AS o ON o.point_id = p.point_id
WHERE o.text IS NOT NULL
   OR o.key IN ('pp', 'prefill_pp', 'decode_pp', 'pcp_size', 'prefill_pcp_size', 'decode_pcp_size', 'dcp_size', 'prefill_dcp_size', 'decode_dcp_size')
      AND o.number BETWEEN 1 AND 1000000 AND o.number = CAST(o.number AS INTEGER)
GROUP BY j.key, o.key
HAVING count(*) = (SELECT count(*) FROM points AS q WHERE q.run_id = j.value)
   AND min(o.number) IS max(o.number) AND min(o.text) IS max(o.text) AND count(o.text) IN (0, count(*))
UNION ALL
SELECT DISTINCT j.key, 'image', NULL, g.image
FROM json_each(:runs) AS j
CROSS JOIN points AS p ON p.run_id = j.value
JOIN inferencex_points AS x ON x.point_id = p.point_id
JOIN inferencex_images AS g ON g.image_id = x.image_id
ORDER BY 1, 2, 4;
