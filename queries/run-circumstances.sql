-- name: run-circumstances
-- summary: how reliable the hardware was on the day of a result, and how old the image was that it was measured with
-- param: run text optional       the run's name; without it the newest run of each line
-- param: model text optional     the publisher's model key
-- param: hardware text optional  the accelerator
-- columns: run, model, hardware, framework, precision, spec_method, benchmark_type, isl, osl, measured_on, image, images, image_first_on, image_last_on, image_age_days, newest_image, newest_image_on, newest_image_days, engine_version, newest_release, is_newest_release, jobs, jobs_succeeded, success_ratio, reliability_source
--
-- image is the one that the run's rows name, of several the first by name: images
-- counts them. image_first_on and image_last_on are the first and last day of any
-- loaded row that names it, image_age_days the days from the first to the day of the
-- run: its release may be older. newest_image is what a row of the same model,
-- hardware, framework, precision, speculative decoding, disaggregation, lengths and
-- benchmark type names last, loaded or of the newest capture of /latest-images, of
-- several on that day the run's own and else the first by name; newest_image_days are
-- the days from the run to that, 0 where the run has it, NULL where one of the two is
-- unknown. newest_release is what the newest capture of /framework-releases says of
-- the run's engine, and is_newest_release whether the image states it, NULL where
-- either is unknown; releases have no day. jobs, jobs_succeeded and success_ratio are
-- the benchmark jobs of the hardware on the day of the run, of the newest capture of
-- /reliability or else of dumps; the ratio is NULL where there were none.
WITH chosen AS MATERIALIZED (
    SELECT r.run_id, r.name, r.engine, r.engine_version, r.measured_on, r.isl, r.osl, i.benchmark_type, c.model, c.hardware, c.framework, c.precision, c.spec_method, c.disagg
    FROM runs AS r
    JOIN inferencex_runs AS i ON i.run_id = r.run_id
    JOIN inferencex_configs AS c ON c.config_id = i.config_id
    WHERE CASE WHEN :run IS NULL THEN r.run_id IN (SELECT l.run_id FROM inferencex_latest_runs AS l) ELSE r.name = :run END
      AND (:model IS NULL OR c.model = :model)
      AND (:hardware IS NULL OR c.hardware = :hardware)
),
images_of AS MATERIALIZED (
    SELECT h.run_id, min(g.image) AS image, count(DISTINCT g.image) AS images
    FROM chosen AS h
    JOIN points AS p ON p.run_id = h.run_id
    JOIN inferencex_points AS x ON x.point_id = p.point_id
    JOIN inferencex_images AS g ON g.image_id = x.image_id
    GROUP BY h.run_id
),
seen AS MATERIALIZED (
    SELECT g.image, min(x.date) AS first_on, max(x.date) AS last_on
    FROM inferencex_points AS x
    JOIN inferencex_images AS g ON g.image_id = x.image_id
    GROUP BY g.image
),
named AS (
    SELECT c.model, c.hardware, c.framework, c.precision, c.spec_method, c.disagg, r.isl, r.osl, i.benchmark_type, g.image, x.date
    FROM inferencex_points AS x
    JOIN inferencex_images AS g ON g.image_id = x.image_id
    JOIN points AS p ON p.point_id = x.point_id
    JOIN runs AS r ON r.run_id = p.run_id
    JOIN inferencex_runs AS i ON i.run_id = r.run_id
    JOIN inferencex_configs AS c ON c.config_id = i.config_id
    WHERE r.hidden_by_attempt IS NULL AND x.date IS NOT NULL
    UNION
    SELECT a.model, a.hardware, a.framework, a.precision, a.spec_method, a.disagg, a.isl, a.osl, a.benchmark_type, a.image, a.date
    FROM inferencex_newest_bodies AS b
    JOIN inferencex_api_latest_images AS a ON a.sha256 = b.sha256
    WHERE b.operation = 'latest-images'
),
newest AS MATERIALIZED (
    SELECT
        h.run_id, n.image, n.date,
        row_number() OVER (PARTITION BY h.run_id ORDER BY n.date DESC, n.image = o.image DESC, n.image) AS place
    FROM chosen AS h
    JOIN named AS n ON n.model = h.model AND n.hardware = h.hardware AND n.framework = h.framework AND n.precision = h.precision AND n.spec_method IS h.spec_method
        AND n.disagg = h.disagg AND n.isl IS h.isl AND n.osl IS h.osl AND n.benchmark_type = h.benchmark_type
    LEFT JOIN images_of AS o ON o.run_id = h.run_id
),
releases AS MATERIALIZED (
    SELECT r.vllm, r.sglang, r.extra
    FROM inferencex_newest_bodies AS b
    JOIN inferencex_api_framework_releases AS r ON r.sha256 = b.sha256
    WHERE b.operation = 'framework-releases'
),
released AS (
    SELECT
        h.run_id,
        (SELECT CASE h.engine WHEN 'vllm' THEN r.vllm WHEN 'sglang' THEN r.sglang ELSE json_extract(r.extra, '$."' || h.engine || '"') END FROM releases AS r) AS release
    FROM chosen AS h
),
jobs AS MATERIALIZED (
    SELECT d.*, row_number() OVER (PARTITION BY d.hardware, d.date ORDER BY d.source) AS place
    FROM inferencex_daily_reliability AS d
)
SELECT
    h.name AS run,
    h.model,
    h.hardware,
    h.framework,
    h.precision,
    h.spec_method,
    h.benchmark_type,
    h.isl,
    h.osl,
    h.measured_on,
    o.image,
    o.images,
    s.first_on AS image_first_on,
    s.last_on AS image_last_on,
    CAST(julianday(h.measured_on) - julianday(s.first_on) AS INTEGER) AS image_age_days,
    n.image AS newest_image,
    n.date AS newest_image_on,
    CASE WHEN n.image = o.image THEN 0 WHEN o.image IS NOT NULL THEN CAST(julianday(n.date) - julianday(h.measured_on) AS INTEGER) END AS newest_image_days,
    h.engine_version,
    v.release AS newest_release,
    ltrim(h.engine_version, 'v') = ltrim(v.release, 'v') AS is_newest_release,
    d.total AS jobs,
    d.n_success AS jobs_succeeded,
    d.success_ratio,
    d.source AS reliability_source
FROM chosen AS h
LEFT JOIN images_of AS o ON o.run_id = h.run_id
LEFT JOIN seen AS s ON s.image = o.image
LEFT JOIN newest AS n ON n.run_id = h.run_id AND n.place = 1
LEFT JOIN released AS v ON v.run_id = h.run_id
LEFT JOIN jobs AS d ON d.hardware = h.hardware AND d.date = h.measured_on AND d.place = 1
ORDER BY h.model, h.hardware, h.framework, h.precision, h.measured_on, h.name;
