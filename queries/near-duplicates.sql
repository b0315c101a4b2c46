-- name: near-duplicates
-- summary: runs whose values at the same loads differ by no more than a tolerance
-- param: tolerance real optional  largest relative difference, 0.01 when not given
-- param: absolute real optional  difference that is near whatever the relative one, in the metric's unit, 0 when not given
-- param: tolerances text optional  tolerance of single metrics, a JSON object such as {"ttft_p50": 0.02}
-- param: absolutes text optional  absolute of single metrics, a JSON object such as {"ttft_p50": 5}
-- param: contents integer optional  1 for a row for each two contents instead of each two runs
-- columns: run_a, run_b, kind, declared, shared_values, largest_difference, point, metric, shared_loads, value_a, value_b, definition_differences, licence_a, licence_b, copies_a, copies_b
--
-- Same model, hardware and list of loads, at least one shared metric, every
-- shared value within the relative or within the absolute tolerance, and
-- neither exact nor overlap. The relative difference of two values is
-- |a - b| / max(|a|, |b|), 0 when both are 0. Tolerances include their edge, up
-- to the rounding of doubles: one part in 10^12 of the larger value.
-- A metric is named as any run names it, or by its identity (ttft median); what
-- is given for it comes before what is given for all, and of two figures for
-- one metric the smaller counts.
-- largest_difference is at the point and metric named after it, where run_a has
-- value_a and run_b value_b, in the unit of the definition. copies_a and copies_b are how many runs
-- measured exactly what run_a and run_b did, themselves included; with
-- contents = 1 the first by name stands for them.
WITH
given (identity, relative, absolute) AS (
    SELECT m.identity, t.value, NULL FROM json_each(:tolerances) AS t JOIN definition_set_members AS m ON m.metric = t.key OR m.identity = t.key
    UNION
    SELECT m.identity, NULL, t.value FROM json_each(:absolutes) AS t JOIN definition_set_members AS m ON m.metric = t.key OR m.identity = t.key
),
limits (identity, relative, absolute) AS MATERIALIZED (
    SELECT i.identity,
           coalesce((SELECT min(g.relative) FROM given AS g WHERE g.identity = i.identity), :tolerance, 0.01),
           coalesce((SELECT min(g.absolute) FROM given AS g WHERE g.identity = i.identity), :absolute, 0.0)
    FROM (SELECT DISTINCT m.identity FROM definition_set_members AS m) AS i
),
-- Where all contents of a block have one blocking metric at their first load, that finds all that the others do.
everywhere (block, metric) AS MATERIALIZED (
    SELECT m.block, min(m.metric)
    FROM (SELECT a.block, a.metric, count(*) AS contents FROM content_anchors AS a GROUP BY a.block, a.metric) AS m
    JOIN (SELECT c.block, count(*) AS contents FROM run_contents AS c GROUP BY c.block) AS b ON b.block = m.block
    WHERE m.contents = b.contents
    GROUP BY m.block
),
guides (block, metric) AS MATERIALIZED (
    SELECT e.block, e.metric FROM everywhere AS e
    UNION
    SELECT a.block, a.metric FROM content_anchors AS a WHERE a.block NOT IN (SELECT e.block FROM everywhere AS e)
),
-- Two values can only be near if the larger is at most this far: the same as
-- below solved for the larger, a little wider.
anchors (block, metric, value, furthest, last_value, content_id) AS (
    SELECT a.block, a.metric, a.value,
           CASE WHEN t.relative < 0.999999
                THEN max(a.value + t.absolute, a.value / (1 - t.relative - 1e-9), a.value + t.relative * abs(a.value)) + 1e-9 * (abs(a.value) + t.absolute)
                ELSE 9e999 END,
           a.last_value, a.content_id
    FROM guides AS g
    CROSS JOIN content_anchors AS a ON a.block = g.block AND a.metric = g.metric
    CROSS JOIN limits AS t ON t.identity = a.metric
),
ragged (content_id) AS MATERIALIZED (
    SELECT k.content_id FROM content_combinations AS k GROUP BY k.content_id HAVING count(*) > 1
),
-- Points that share a metric share a blocking metric, so contents that share a
-- metric at their first load show it there whether they are near. Only where
-- points of a run have different metrics the first loads may share none while
-- later ones do: such contents are found by what their first loads have.
first_loads (block, metrics, content_id) AS MATERIALIZED (
    SELECT c.block,
           ifnull((SELECT group_concat(metric, char(10)) FROM (SELECT a.metric FROM content_anchors AS a WHERE a.content_id = c.content_id ORDER BY a.metric)), ''),
           c.content_id
    FROM run_contents AS c
    WHERE c.block IN (SELECT d.block FROM ragged AS g JOIN run_contents AS d ON d.content_id = g.content_id)
),
kinds (block, metrics, content_id) AS MATERIALIZED (
    SELECT f.block, f.metrics, min(f.content_id) FROM first_loads AS f GROUP BY f.block, f.metrics
),
apart (block, metrics_x, metrics_y) AS (
    SELECT x.block, x.metrics, y.metrics
    FROM kinds AS x
    JOIN kinds AS y ON y.block = x.block AND y.metrics >= x.metrics
    WHERE NOT EXISTS (SELECT 1 FROM content_anchors AS u CROSS JOIN content_anchors AS v ON v.content_id = y.content_id AND v.metric = u.metric WHERE u.content_id = x.content_id)
),
close (a, b) AS (
    SELECT min(x.content_id, y.content_id), max(x.content_id, y.content_id)
    FROM anchors AS x
    CROSS JOIN content_anchors AS y ON y.block = x.block AND y.metric = x.metric AND y.value >= x.value AND y.value <= x.furthest
    CROSS JOIN limits AS t ON t.identity = x.metric
    WHERE y.content_id <> x.content_id
      AND (x.last_value IS NULL OR y.last_value IS NULL
           OR abs(x.last_value - y.last_value) <= max(t.absolute, t.relative * max(abs(x.last_value), abs(y.last_value))) + 1e-9 * max(abs(x.last_value), abs(y.last_value)))
    UNION
    SELECT min(x.content_id, y.content_id), max(x.content_id, y.content_id)
    FROM apart AS p
    JOIN first_loads AS x ON x.block = p.block AND x.metrics = p.metrics_x
    JOIN first_loads AS y ON y.block = p.block AND y.metrics = p.metrics_y AND y.content_id <> x.content_id
    WHERE x.content_id IN (SELECT g.content_id FROM ragged AS g) OR y.content_id IN (SELECT g.content_id FROM ragged AS g)
),
-- Close in one blocking metric, they must be close in the others that both have at the first load.
candidates (a, b) AS (
    SELECT c.a, c.b
    FROM close AS c
    WHERE NOT EXISTS (
        SELECT 1
        FROM content_anchors AS x
        CROSS JOIN content_anchors AS y ON y.content_id = c.b AND y.metric = x.metric
        CROSS JOIN limits AS t ON t.identity = x.metric
        WHERE x.content_id = c.a
          AND abs(x.value - y.value) > max(t.absolute, t.relative * max(abs(x.value), abs(y.value))) + 1e-9 * max(abs(x.value), abs(y.value)))
),
-- The first by name stands for the runs of a content; of two contents, x is the one whose stands first.
pairs (x, y, run_x, run_y, set_x, set_y) AS MATERIALIZED (
    SELECT CASE WHEN m.name < n.name THEN c.a ELSE c.b END, CASE WHEN m.name < n.name THEN c.b ELSE c.a END,
           CASE WHEN m.name < n.name THEN m.run_id ELSE n.run_id END, CASE WHEN m.name < n.name THEN n.run_id ELSE m.run_id END,
           CASE WHEN m.name < n.name THEN m.definition_set_id ELSE n.definition_set_id END, CASE WHEN m.name < n.name THEN n.definition_set_id ELSE m.definition_set_id END
    FROM candidates AS c
    CROSS JOIN runs AS m ON m.run_id = (SELECT r.run_id FROM runs AS r WHERE r.content_id = c.a ORDER BY r.name LIMIT 1)
    CROSS JOIN runs AS n ON n.run_id = (SELECT r.run_id FROM runs AS r WHERE r.content_id = c.b ORDER BY r.name LIMIT 1)
    WHERE NOT EXISTS (SELECT 1 FROM content_overlaps AS o WHERE o.content_a = c.a AND o.content_b = c.b)
),
shared_metrics (set_x, set_y, identity, metric_x, metric_y, relative, absolute) AS MATERIALIZED (
    SELECT s.set_x, s.set_y, i.identity, i.metric, j.metric, t.relative, t.absolute
    FROM (SELECT DISTINCT e.set_x, e.set_y FROM pairs AS e) AS s
    CROSS JOIN definition_set_members AS i ON i.definition_set_id = s.set_x
    CROSS JOIN definition_set_members AS j ON j.definition_set_id = s.set_y AND j.identity = i.identity
    CROSS JOIN limits AS t ON t.identity = i.identity
),
-- The first value that differs too much ends the comparison of a pair.
near (x, y, run_x, run_y, set_x, set_y) AS MATERIALIZED (
    SELECT e.x, e.y, e.run_x, e.run_y, e.set_x, e.set_y
    FROM pairs AS e
    WHERE NOT EXISTS (
        SELECT 1
        FROM points AS p
        CROSS JOIN points AS q ON q.run_id = e.run_y AND q.position = p.position
        CROSS JOIN shared_metrics AS s ON s.set_x = e.set_x AND s.set_y = e.set_y
        CROSS JOIN measurements AS x ON x.point_id = p.point_id AND x.metric = s.metric_x
        CROSS JOIN measurements AS y ON y.point_id = q.point_id AND y.metric = s.metric_y
        WHERE p.run_id = e.run_x
          AND abs(x.value - y.value) > max(s.absolute, s.relative * max(abs(x.value), abs(y.value))) + 1e-12 * max(abs(x.value), abs(y.value)))
),
differences (x, y, position, identity, value_x, value_y, difference) AS (
    SELECT n.x, n.y, p.position, s.identity, x.value, y.value,
           CASE WHEN x.value = y.value THEN 0.0 ELSE abs(x.value - y.value) / max(abs(x.value), abs(y.value)) END
    FROM near AS n
    CROSS JOIN points AS p ON p.run_id = n.run_x
    CROSS JOIN points AS q ON q.run_id = n.run_y AND q.position = p.position
    CROSS JOIN shared_metrics AS s ON s.set_x = n.set_x AND s.set_y = n.set_y
    CROSS JOIN measurements AS x ON x.point_id = p.point_id AND x.metric = s.metric_x
    CROSS JOIN measurements AS y ON y.point_id = q.point_id AND y.metric = s.metric_y
),
worst (x, y, shared_values, difference, position, identity, value_x, value_y, copies_x, copies_y) AS MATERIALIZED (
    SELECT d.x, d.y, d.shared_values, d.difference, d.position, d.identity, d.value_x, d.value_y,
           (SELECT count(*) FROM runs AS r WHERE r.content_id = d.x), (SELECT count(*) FROM runs AS r WHERE r.content_id = d.y)
    FROM (SELECT f.*, count(*) OVER (PARTITION BY f.x, f.y) AS shared_values,
                 row_number() OVER (PARTITION BY f.x, f.y ORDER BY f.difference DESC, f.position, f.identity) AS place
          FROM differences AS f) AS d
    WHERE d.place = 1
),
-- Each pair of contents from either side, for the run whose name comes first may have either.
sides (content, other, shared_values, difference, position, identity, value, other_value, copies, other_copies) AS MATERIALIZED (
    SELECT w.x, w.y, w.shared_values, w.difference, w.position, w.identity, w.value_x, w.value_y, w.copies_x, w.copies_y FROM worst AS w
    UNION ALL
    SELECT w.y, w.x, w.shared_values, w.difference, w.position, w.identity, w.value_y, w.value_x, w.copies_y, w.copies_x FROM worst AS w
)
SELECT
    a.name AS run_a,
    b.name AS run_b,
    'near' AS kind,
    e.declared,
    s.shared_values,
    s.difference AS largest_difference,
    (SELECT p.id FROM points AS p WHERE p.run_id = a.run_id AND p.position = s.position) AS point,
    (SELECT m.metric FROM definition_set_members AS m WHERE m.definition_set_id = a.definition_set_id AND m.identity = s.identity) AS metric,
    e.shared_loads,
    s.value AS value_a,
    s.other_value AS value_b,
    e.definition_differences,
    e.licence_a,
    e.licence_b,
    s.copies AS copies_a,
    s.other_copies AS copies_b
FROM sides AS s
CROSS JOIN runs AS a ON a.content_id = s.content
CROSS JOIN runs AS b ON b.content_id = s.other AND b.name > a.name
CROSS JOIN run_comparisons AS e ON e.run_a = a.run_id AND e.run_b = b.run_id
WHERE (:contents IS NOT 1 OR a.name = (SELECT min(r.name) FROM runs AS r WHERE r.content_id = s.content))
  AND (:contents IS NOT 1 OR b.name = (SELECT min(r.name) FROM runs AS r WHERE r.content_id = s.other))
ORDER BY run_a, run_b;
