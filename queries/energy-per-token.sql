-- name: energy-per-token
-- summary: the least energy per output token of each model, hardware, precision and lengths, where the measurement is valid
-- param: model text optional  the model
-- param: hardware text optional  the accelerator
-- param: precision text optional  of the weights
-- param: isl integer optional  input length, tokens
-- param: osl integer optional  output length, tokens
-- param: min_interactivity_tok_s real optional  leave out points that are slower, tokens/s/user
-- param: limit_to integer optional  how many points of each, 1 when not given
-- param: accept text optional  flags that do not leave a point out, such as unofficial,gpu_count
-- columns: model, hardware, precision, benchmark_type, isl, osl, energy_j_per_output_token, energy_j_per_input_token, energy_j_per_total_token, power_w_per_gpu, interactivity_p50_tok_s, total_tok_s_per_gpu, concurrency, framework, spec_method, parallelism, gpus, run, point, points, without_energy, left_out
--
-- Valid is what the publisher validated (power_valid 1) and measured over the
-- whole deployment (schema version 2). Slow points take less energy a token, so
-- compare at equal interactivity or under min_interactivity_tok_s. Of the whole
-- deployment is of its GPUs: not of hosts, network or cooling.
-- Compared are rows of InferenceX of the newest run of each line, with points
-- of the same benchmark type only; catalog runs state no energy. points counts
-- what was compared, without_energy the points that keep the limit but have no
-- valid energy, left_out those that have but carry a flag that accept does not
-- name. Where nothing was compared there is no row.
WITH candidates AS MATERIALIZED (
    SELECT
        c.model, c.hardware, c.precision, c.benchmark_type, c.isl, c.osl, c.energy_j_per_output_token AS energy, c.energy_j_per_input_token, c.energy_j_per_total_token,
        c.power_w_per_gpu, c.interactivity_p50_tok_s, c.total_tok_s_per_gpu, c.concurrency, c.framework, c.spec_method, c.parallelism, c.gpus, c.run, c.point, c.position,
        CASE WHEN c.energy_j_per_output_token IS NOT NULL THEN EXISTS (
            SELECT 1 FROM flags AS f WHERE f.run_id = c.run_id AND (f.point_id = c.point_id OR f.point_id IS NULL)
                AND instr(',' || replace(ifnull(:accept, ''), ' ', '') || ',', ',' || f.code || ',') = 0) END AS flagged
    FROM inferencex_latest_runs AS l
    CROSS JOIN curves AS c ON c.run_id = l.run_id
    WHERE (:model IS NULL OR c.model = :model)
      AND (:hardware IS NULL OR c.hardware = :hardware)
      AND (:precision IS NULL OR c.precision = :precision)
      AND (:isl IS NULL OR c.isl = :isl)
      AND (:osl IS NULL OR c.osl = :osl)
      AND (:min_interactivity_tok_s IS NULL OR c.interactivity_p50_tok_s >= :min_interactivity_tok_s)
),
ranked AS (
    SELECT
        n.*,
        row_number() OVER (PARTITION BY model, hardware, precision, benchmark_type, isl, osl ORDER BY flagged IS NOT 0, energy, run, position) AS place,
        sum(flagged IS 0) OVER (PARTITION BY model, hardware, precision, benchmark_type, isl, osl) AS points,
        sum(flagged IS NULL) OVER (PARTITION BY model, hardware, precision, benchmark_type, isl, osl) AS without_energy,
        sum(flagged IS 1) OVER (PARTITION BY model, hardware, precision, benchmark_type, isl, osl) AS left_out
    FROM candidates AS n
)
SELECT
    model,
    hardware,
    precision,
    benchmark_type,
    isl,
    osl,
    energy AS energy_j_per_output_token,
    energy_j_per_input_token,
    energy_j_per_total_token,
    power_w_per_gpu,
    interactivity_p50_tok_s,
    total_tok_s_per_gpu,
    concurrency,
    framework,
    spec_method,
    parallelism,
    gpus,
    run,
    point,
    points,
    without_energy,
    left_out
FROM ranked
WHERE flagged = 0 AND place <= coalesce(:limit_to, 1)
ORDER BY model, hardware, precision, benchmark_type, isl, osl, energy, run, position;
