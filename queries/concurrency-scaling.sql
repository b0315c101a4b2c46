-- name: concurrency-scaling
-- summary: how the throughput of runs grows with the load, with the knee and the saturation of each
-- param: run text optional  one run's name, also of an old or hidden run
-- param: model text optional  the model
-- param: hardware text optional  the accelerator
-- param: knee real optional  the elasticity below which a curve bends, 0.5 when not given
-- param: saturation real optional  the share of the run's maximum at which it is saturated, 0.95 when not given
-- columns: run, model, hardware, parallelism, point, load, load_unit, metric, throughput_tok_s, share_of_max, elasticity, knee, saturation, flags
--
-- Each run is compared with itself only. load is the concurrency where every
-- point states it and it changes, else the request rate. metric is the
-- first of total_tok_s_per_gpu, output_tok_s_per_gpu, total_tok_s and
-- output_tok_s that the run states; throughput_tok_s is in tokens/s, per GPU
-- where metric says so. Points without it or without load are left out, flagged
-- ones are not: flags counts theirs.
-- elasticity is by how much throughput grew since the load before, as a share
-- of by how much load grew: 1 is in proportion, 0 not at all. knee is 1 at the
-- first load with an elasticity below the parameter, saturation 1 at the first
-- with at least that share of the run's maximum. Where that is the run's last
-- load, more load may give more.
-- Without run: the newest run of each line of InferenceX and catalog runs that
-- nothing supersedes.
WITH points AS MATERIALIZED (
    SELECT
        c.run_id, c.run, c.model, c.hardware, c.parallelism, c.point, c.position, c.concurrency, c.request_rate, c.flags,
        c.total_tok_s_per_gpu, c.output_tok_s_per_gpu, c.total_tok_s, c.output_tok_s
    FROM curves AS c
    WHERE CASE WHEN :run IS NULL THEN c.latest = 1 ELSE c.run = :run END
      AND (:model IS NULL OR c.model = :model)
      AND (:hardware IS NULL OR c.hardware = :hardware)
),
shapes AS MATERIALIZED (
    SELECT
        run_id,
        count(concurrency) = count(*) AND (min(concurrency) < max(concurrency) OR count(request_rate) < count(*)) AS by_concurrency,
        CASE WHEN count(total_tok_s_per_gpu) > 0 THEN 'total_tok_s_per_gpu' WHEN count(output_tok_s_per_gpu) > 0 THEN 'output_tok_s_per_gpu'
            WHEN count(total_tok_s) > 0 THEN 'total_tok_s' WHEN count(output_tok_s) > 0 THEN 'output_tok_s' END AS metric
    FROM points
    GROUP BY run_id
),
curve AS (
    SELECT
        p.*, s.metric,
        CASE WHEN s.by_concurrency THEN 'requests in flight' ELSE 'requests_per_s' END AS load_unit,
        CASE WHEN s.by_concurrency THEN p.concurrency ELSE p.request_rate END AS load,
        CASE s.metric WHEN 'total_tok_s_per_gpu' THEN p.total_tok_s_per_gpu WHEN 'output_tok_s_per_gpu' THEN p.output_tok_s_per_gpu
            WHEN 'total_tok_s' THEN p.total_tok_s WHEN 'output_tok_s' THEN p.output_tok_s END AS throughput
    FROM points AS p
    JOIN shapes AS s ON s.run_id = p.run_id
),
steps AS (
    SELECT
        k.*,
        k.throughput / nullif(max(k.throughput) OVER (PARTITION BY k.run_id), 0) AS share_of_max,
        (k.throughput / nullif(lag(k.throughput) OVER loads, 0) - 1) / nullif(k.load * 1.0 / lag(k.load) OVER loads - 1, 0) AS elasticity
    FROM curve AS k
    WHERE k.throughput IS NOT NULL AND k.load IS NOT NULL
    WINDOW loads AS (PARTITION BY k.run_id ORDER BY k.position)
)
SELECT
    run,
    model,
    hardware,
    parallelism,
    point,
    load,
    load_unit,
    metric,
    throughput AS throughput_tok_s,
    share_of_max,
    elasticity,
    position IS min(CASE WHEN elasticity < coalesce(:knee, 0.5) THEN position END) OVER (PARTITION BY run_id) AS knee,
    position IS min(CASE WHEN share_of_max >= coalesce(:saturation, 0.95) THEN position END) OVER (PARTITION BY run_id) AS saturation,
    flags
FROM steps
ORDER BY run, position;
