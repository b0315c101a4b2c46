-- name: near-duplicates
-- summary: runs whose values at the same loads differ by no more than a tolerance
-- param: tolerance real optional  largest relative difference, 0.01 when not given
-- columns: run_a, run_b, kind, declared, shared_values, largest_difference, point, metric
--
-- Same model, hardware and list of loads, at least one shared metric, every
-- shared value within the tolerance, and neither exact nor overlap. The
-- relative difference of two values is |a - b| / max(|a|, |b|), 0 when both
-- are 0; the tolerance includes its edge, up to the rounding of doubles.
-- largest_difference is at the point and metric named after it.
WITH
reach (tolerance) AS (
    SELECT ifnull(:tolerance, 0.01) * (1 + 1e-9)
),
ragged (content_id) AS (
    SELECT k.content_id FROM content_combinations AS k GROUP BY k.content_id HAVING count(*) > 1
),
-- Points that share a metric share a blocking metric, so near duplicates are
-- close in one at the first load and at the last. Only where points of a run have different
-- metrics the first load may show nothing: those are compared with their block.
candidates (a, b) AS MATERIALIZED (
    SELECT min(x.content_id, y.content_id), max(x.content_id, y.content_id)
    FROM reach AS t
    JOIN content_anchors AS x
    JOIN content_anchors AS y ON y.block = x.block AND y.metric = x.metric AND y.value >= x.value
        AND y.value <= CASE WHEN t.tolerance < 1 THEN x.value / (1 - t.tolerance) * (1 + 1e-9) ELSE 9e999 END
    WHERE y.content_id <> x.content_id
      AND (x.last_value IS NULL OR y.last_value IS NULL OR abs(x.last_value - y.last_value) <= t.tolerance * max(abs(x.last_value), abs(y.last_value)))
    UNION
    SELECT min(c.content_id, d.content_id), max(c.content_id, d.content_id)
    FROM ragged AS g
    JOIN run_contents AS c ON c.content_id = g.content_id
    JOIN run_contents AS d ON d.block = c.block AND d.content_id <> c.content_id
),
pairs (a, b, run_x, run_y, set_x, set_y) AS (
    SELECT c.a, c.b, x.run_id, y.run_id, x.definition_set_id, y.definition_set_id
    FROM candidates AS c
    CROSS JOIN runs AS x ON x.run_id = (SELECT n.run_id FROM runs AS n WHERE n.content_id = c.a ORDER BY n.name LIMIT 1)
    CROSS JOIN runs AS y ON y.run_id = (SELECT n.run_id FROM runs AS n WHERE n.content_id = c.b ORDER BY n.name LIMIT 1)
    WHERE NOT EXISTS (SELECT 1 FROM content_overlaps AS o WHERE o.content_a = c.a AND o.content_b = c.b)
),
-- The first value that differs too much ends the comparison of a pair.
near (a, b, run_x, run_y, set_x, set_y) AS MATERIALIZED (
    SELECT e.a, e.b, e.run_x, e.run_y, e.set_x, e.set_y
    FROM pairs AS e
    WHERE NOT EXISTS (
        SELECT 1
        FROM points AS p
        CROSS JOIN points AS q ON q.run_id = e.run_y AND q.position = p.position
        CROSS JOIN definition_set_members AS i ON i.definition_set_id = e.set_x
        CROSS JOIN definition_set_members AS j ON j.definition_set_id = e.set_y AND j.identity = i.identity
        CROSS JOIN measurements AS x ON x.point_id = p.point_id AND x.metric = i.metric
        CROSS JOIN measurements AS y ON y.point_id = q.point_id AND y.metric = j.metric
        WHERE p.run_id = e.run_x
          AND abs(x.value - y.value) > (SELECT t.tolerance FROM reach AS t) * max(abs(x.value), abs(y.value)))
),
differences (a, b, point, metric, difference) AS MATERIALIZED (
    SELECT n.a, n.b, p.id, i.metric,
           CASE WHEN x.value = y.value THEN 0.0 ELSE abs(x.value - y.value) / max(abs(x.value), abs(y.value)) END
    FROM near AS n
    CROSS JOIN points AS p ON p.run_id = n.run_x
    CROSS JOIN points AS q ON q.run_id = n.run_y AND q.position = p.position
    CROSS JOIN definition_set_members AS i ON i.definition_set_id = n.set_x
    CROSS JOIN definition_set_members AS j ON j.definition_set_id = n.set_y AND j.identity = i.identity
    CROSS JOIN measurements AS x ON x.point_id = p.point_id AND x.metric = i.metric
    CROSS JOIN measurements AS y ON y.point_id = q.point_id AND y.metric = j.metric
),
worst (a, b, shared_values, difference) AS (
    SELECT d.a, d.b, count(*), max(d.difference)
    FROM differences AS d
    GROUP BY d.a, d.b
)
SELECT
    min(ra.name, rb.name) AS run_a,
    max(ra.name, rb.name) AS run_b,
    'near' AS kind,
    EXISTS (SELECT 1 FROM declared_pairs AS d WHERE d.name_a = ra.name AND d.name_b = rb.name) AS declared,
    w.shared_values,
    w.difference AS largest_difference,
    (SELECT d.point FROM differences AS d WHERE d.a = w.a AND d.b = w.b AND d.difference = w.difference ORDER BY d.point, d.metric LIMIT 1) AS point,
    (SELECT d.metric FROM differences AS d WHERE d.a = w.a AND d.b = w.b AND d.difference = w.difference ORDER BY d.point, d.metric LIMIT 1) AS metric
FROM worst AS w
JOIN runs AS ra ON ra.content_id = w.a
JOIN runs AS rb ON rb.content_id = w.b
ORDER BY run_a, run_b;
