-- name: latest-images
-- summary: the container image that InferenceX rows name last, of each combination and pair of lengths, as /latest-images lists them
-- param: model text optional  the publisher's model key
-- param: hardware text optional  the accelerator
-- columns: model, hardware, framework, precision, spec_method, disagg, isl, osl, benchmark_type, image, date, run, images
--
-- The newest run whose rows name an image, in the order of the view
-- inferencex_lines: day, start, GitHub run, attempt. Rows without an image count
-- in nothing, so that date is the day on which the image was last seen and not
-- the day of the newest row. Parallelism, offload mode and recipe may differ
-- within a combination: images counts the images of date. The reference does not
-- say which of several stands: here that of the newest run, of one run the first
-- by name. Attempts that a newer one hides and raw artifacts, which have no day,
-- are left out.
WITH seen AS (
    SELECT
        x.model, x.hardware, x.framework, x.precision, x.spec_method, x.disagg, x.isl, x.osl, x.benchmark_type, x.image, x.date, r.name AS run,
        row_number() OVER (line ORDER BY x.date DESC, julianday(x.run_started_at) DESC, x.github_run_id DESC, x.run_attempt DESC, r.name DESC, x.image) AS place,
        dense_rank() OVER (line ORDER BY x.date DESC) AS day_place,
        dense_rank() OVER (line ORDER BY x.date DESC, x.image) AS image_place
    FROM inferencex_rows AS x
    JOIN runs AS r ON r.run_id = x.run_id
    WHERE x.image IS NOT NULL AND x.date IS NOT NULL AND x.hidden_by_attempt IS NULL
      AND (:model IS NULL OR x.model = :model)
      AND (:hardware IS NULL OR x.hardware = :hardware)
    WINDOW line AS (PARTITION BY x.model, x.hardware, x.framework, x.precision, x.spec_method, x.disagg, x.isl, x.osl, x.benchmark_type)
)
SELECT
    model,
    hardware,
    framework,
    precision,
    spec_method,
    disagg,
    isl,
    osl,
    benchmark_type,
    max(CASE WHEN place = 1 THEN image END) AS image,
    date,
    max(CASE WHEN place = 1 THEN run END) AS run,
    max(image_place) AS images
FROM seen
WHERE day_place = 1
GROUP BY model, hardware, framework, precision, spec_method, disagg, isl, osl, benchmark_type, date
ORDER BY model, hardware, framework, precision, spec_method, disagg, isl, osl, benchmark_type;
