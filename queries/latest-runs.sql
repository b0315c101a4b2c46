-- name: latest-runs
-- summary: the newest InferenceX run of each line, today or as of a day
-- param: as_of day optional  a UTC day, YYYY-MM-DD: runs measured later do not count
-- param: model text optional  the model
-- param: hardware text optional  the accelerator
-- columns: name, model, hardware, framework, precision, spec_method, benchmark_type, isl, osl, offload_mode, measured_on, points, flagged
--
-- A line is a configuration with benchmark type, lengths and offload mode. The
-- whole run is taken: points of different runs never make one curve. flagged
-- counts the points that a plausibility rule points at. Raw artifacts have no
-- day and count as oldest; as of a day they are left out. Runs that a newer
-- attempt hides are left out whenever that was measured.
SELECT
    l.name,
    r.model,
    r.hardware,
    c.framework,
    c.precision,
    c.spec_method,
    l.benchmark_type,
    l.isl,
    l.osl,
    l.offload_mode,
    l.measured_on,
    (SELECT count(*) FROM points AS p WHERE p.run_id = l.run_id) AS points,
    (SELECT count(*) FROM points AS p WHERE p.run_id = l.run_id AND (
        EXISTS (SELECT 1 FROM flags AS f WHERE f.point_id = p.point_id) OR EXISTS (SELECT 1 FROM flags AS f WHERE f.run_id = p.run_id AND f.point_id IS NULL))) AS flagged
FROM inferencex_lines AS l
JOIN runs AS r ON r.run_id = l.run_id
JOIN inferencex_configs AS c ON c.config_id = l.config_id
WHERE CASE WHEN :as_of IS NULL THEN l.next_name IS NULL
           ELSE l.measured_on <= :as_of AND (l.next_on IS NULL OR l.next_on > :as_of) END
  AND (:model IS NULL OR r.model = :model)
  AND (:hardware IS NULL OR r.hardware = :hardware)
ORDER BY r.model, r.hardware, c.framework, c.precision, l.name;
