-- name: availability
-- summary: the combinations and days of which InferenceX rows are loaded, as /availability lists them
-- param: model text optional  the publisher's model key
-- param: hardware text optional  the accelerator
-- columns: model, isl, osl, precision, hardware, framework, spec_method, disagg, benchmark_type, date, points
--
-- What the operation answers, from the rows that are loaded: a row for each
-- combination and UTC day, points counts its rows. Attempts that a newer one
-- hides are left out, points in which no request succeeded are no rows, and raw
-- artifacts have no day. The reference does not say whether a combination stays
-- listed when nothing but a hidden attempt measured it: here it does not.
-- inferencex_api_availability has what the publisher lists.
SELECT
    x.model,
    x.isl,
    x.osl,
    x.precision,
    x.hardware,
    x.framework,
    x.spec_method,
    x.disagg,
    x.benchmark_type,
    x.date,
    count(*) AS points
FROM inferencex_rows AS x
WHERE x.date IS NOT NULL AND x.hidden_by_attempt IS NULL
  AND (:model IS NULL OR x.model = :model)
  AND (:hardware IS NULL OR x.hardware = :hardware)
GROUP BY x.model, x.isl, x.osl, x.precision, x.hardware, x.framework, x.spec_method, x.disagg, x.benchmark_type, x.date
ORDER BY x.model, x.isl, x.osl, x.precision, x.hardware, x.framework, x.spec_method, x.disagg, x.benchmark_type, x.date;
