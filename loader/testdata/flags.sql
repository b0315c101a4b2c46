-- The plausibility rules as SQL over the rows, an oracle for the flags that a load stores:
-- run_id, point_id, code, subject, measured, expected.
SELECT r.run_id, NULL, 'gpu_count', CASE WHEN c.num_prefill_gpu NOT IN (0, r.gpus) THEN 'num_prefill_gpu' ELSE 'num_decode_gpu' END,
       CASE WHEN c.num_prefill_gpu NOT IN (0, r.gpus) THEN c.num_prefill_gpu ELSE c.num_decode_gpu END + 0.0, r.gpus + 0.0
FROM runs r JOIN inferencex_runs i ON i.run_id = r.run_id JOIN inferencex_configs c ON c.config_id = i.config_id
WHERE (c.disagg = 0 OR i.collapsed = 1 AND c.num_prefill_gpu + c.num_decode_gpu <> r.gpus)
  AND (c.num_prefill_gpu NOT IN (0, r.gpus) OR c.num_decode_gpu NOT IN (0, r.gpus))
UNION ALL
SELECT i.run_id, NULL, 'collapsed_topology', 'prefill_tp, decode_tp', c.prefill_tp + 0.0, NULL
FROM inferencex_runs i JOIN inferencex_configs c ON c.config_id = i.config_id WHERE i.collapsed = 1
UNION ALL
SELECT i.run_id, NULL, 'unofficial', 'run_url', NULL, NULL FROM inferencex_runs i WHERE i.official = 0
UNION ALL
SELECT i.run_id, NULL, 'two_images', 'image', (
    SELECT count(DISTINCT x.image_id) FROM points p JOIN inferencex_points x ON x.point_id = p.point_id WHERE p.run_id = i.run_id) + 0.0, 1.0
FROM inferencex_runs i
WHERE (SELECT count(DISTINCT x.image_id) FROM points p JOIN inferencex_points x ON x.point_id = p.point_id WHERE p.run_id = i.run_id) > 1
UNION ALL
SELECT p.run_id, p.point_id, 'intvty_tpot', 'median_intvty, median_tpot', x.median_intvty * x.median_tpot, 1.0
FROM points p JOIN inferencex_points x ON x.point_id = p.point_id JOIN inferencex_runs i ON i.run_id = p.run_id
WHERE i.benchmark_type = 'single_turn'
  AND abs(x.median_intvty * x.median_tpot - 1) > (SELECT threshold FROM flag_rules WHERE code = 'intvty_tpot')
UNION ALL
SELECT p.run_id, p.point_id, 'ttft_above_e2el', CASE WHEN x.median_ttft > x.median_e2el THEN 'median_ttft' WHEN x.mean_ttft > x.mean_e2el THEN 'mean_ttft' ELSE 'p99_ttft' END,
       CASE WHEN x.median_ttft > x.median_e2el THEN x.median_ttft WHEN x.mean_ttft > x.mean_e2el THEN x.mean_ttft ELSE x.p99_ttft END,
       CASE WHEN x.median_ttft > x.median_e2el THEN x.median_e2el WHEN x.mean_ttft > x.mean_e2el THEN x.mean_e2el ELSE x.p99_e2el END
FROM points p JOIN inferencex_points x ON x.point_id = p.point_id
WHERE x.median_ttft > x.median_e2el OR x.mean_ttft > x.mean_e2el OR x.p99_ttft > x.p99_e2el
UNION ALL
SELECT p.run_id, p.point_id, 'parts_and_total', 'input_tput_per_gpu, output_tput_per_gpu', x.input_tput_per_gpu + x.output_tput_per_gpu, x.tput_per_gpu
FROM points p JOIN inferencex_points x ON x.point_id = p.point_id JOIN inferencex_runs i ON i.run_id = p.run_id
JOIN inferencex_configs c ON c.config_id = i.config_id
WHERE c.disagg = 0 AND i.benchmark_type = 'single_turn'
  AND abs(x.input_tput_per_gpu + x.output_tput_per_gpu - x.tput_per_gpu) > (SELECT threshold FROM flag_rules WHERE code = 'parts_and_total') * x.tput_per_gpu
UNION ALL
SELECT p.run_id, p.point_id, 'hung', 'p99_e2el, median_e2el', x.p99_e2el, x.median_e2el
FROM points p JOIN inferencex_points x ON x.point_id = p.point_id
WHERE x.p99_e2el > (SELECT threshold FROM flag_rules WHERE code = 'hung') * x.median_e2el
UNION ALL
SELECT p.run_id, p.point_id, 'far_from_neighbours', 'tput_per_gpu', x.tput_per_gpu,
       CASE WHEN x.tput_per_gpu > a.tput_per_gpu THEN max(a.tput_per_gpu, b.tput_per_gpu) ELSE min(a.tput_per_gpu, b.tput_per_gpu) END
FROM points p
JOIN inferencex_points x ON x.point_id = p.point_id
JOIN points q ON q.run_id = p.run_id AND q.position = p.position - 1
JOIN inferencex_points a ON a.point_id = q.point_id
JOIN points s ON s.run_id = p.run_id AND s.position = p.position + 1
JOIN inferencex_points b ON b.point_id = s.point_id
WHERE x.tput_per_gpu > (SELECT threshold FROM flag_rules WHERE code = 'far_from_neighbours') * max(a.tput_per_gpu, b.tput_per_gpu)
   OR x.tput_per_gpu * (SELECT threshold FROM flag_rules WHERE code = 'far_from_neighbours') < min(a.tput_per_gpu, b.tput_per_gpu)
UNION ALL
SELECT v.run_id, v.point_id, 'negative', v.subject, v.lowest, 0.0
FROM (
    SELECT v.run_id, v.point_id, v.lowest,
        CASE
            WHEN x.mean_ttft = v.lowest THEN 'mean_ttft'
            WHEN x.median_ttft = v.lowest THEN 'median_ttft'
            WHEN x.std_ttft = v.lowest THEN 'std_ttft'
            WHEN x.p75_ttft = v.lowest THEN 'p75_ttft'
            WHEN x.p90_ttft = v.lowest THEN 'p90_ttft'
            WHEN x.p95_ttft = v.lowest THEN 'p95_ttft'
            WHEN x.p99_ttft = v.lowest THEN 'p99_ttft'
            WHEN x.p99_9_ttft = v.lowest THEN 'p99.9_ttft'
            WHEN x.mean_tpot = v.lowest THEN 'mean_tpot'
            WHEN x.median_tpot = v.lowest THEN 'median_tpot'
            WHEN x.std_tpot = v.lowest THEN 'std_tpot'
            WHEN x.p75_tpot = v.lowest THEN 'p75_tpot'
            WHEN x.p90_tpot = v.lowest THEN 'p90_tpot'
            WHEN x.p95_tpot = v.lowest THEN 'p95_tpot'
            WHEN x.p99_tpot = v.lowest THEN 'p99_tpot'
            WHEN x.p99_9_tpot = v.lowest THEN 'p99.9_tpot'
            WHEN x.mean_itl = v.lowest THEN 'mean_itl'
            WHEN x.median_itl = v.lowest THEN 'median_itl'
            WHEN x.std_itl = v.lowest THEN 'std_itl'
            WHEN x.p75_itl = v.lowest THEN 'p75_itl'
            WHEN x.p90_itl = v.lowest THEN 'p90_itl'
            WHEN x.p95_itl = v.lowest THEN 'p95_itl'
            WHEN x.p99_itl = v.lowest THEN 'p99_itl'
            WHEN x.p99_9_itl = v.lowest THEN 'p99.9_itl'
            WHEN x.mean_e2el = v.lowest THEN 'mean_e2el'
            WHEN x.median_e2el = v.lowest THEN 'median_e2el'
            WHEN x.std_e2el = v.lowest THEN 'std_e2el'
            WHEN x.p75_e2el = v.lowest THEN 'p75_e2el'
            WHEN x.p90_e2el = v.lowest THEN 'p90_e2el'
            WHEN x.p95_e2el = v.lowest THEN 'p95_e2el'
            WHEN x.p99_e2el = v.lowest THEN 'p99_e2el'
            WHEN x.p99_9_e2el = v.lowest THEN 'p99.9_e2el'
            WHEN x.tput_per_gpu = v.lowest THEN 'tput_per_gpu'
            WHEN x.input_tput_per_gpu = v.lowest THEN 'input_tput_per_gpu'
            WHEN x.output_tput_per_gpu = v.lowest THEN 'output_tput_per_gpu' END AS subject
    FROM (
        SELECT p.run_id, p.point_id,
            min(ifnull(x.mean_ttft, 0), ifnull(x.median_ttft, 0), ifnull(x.std_ttft, 0), ifnull(x.p75_ttft, 0), ifnull(x.p90_ttft, 0), ifnull(x.p95_ttft, 0), ifnull(x.p99_ttft, 0), ifnull(x.p99_9_ttft, 0), ifnull(x.mean_tpot, 0), ifnull(x.median_tpot, 0), ifnull(x.std_tpot, 0), ifnull(x.p75_tpot, 0), ifnull(x.p90_tpot, 0), ifnull(x.p95_tpot, 0), ifnull(x.p99_tpot, 0), ifnull(x.p99_9_tpot, 0), ifnull(x.mean_itl, 0), ifnull(x.median_itl, 0), ifnull(x.std_itl, 0), ifnull(x.p75_itl, 0), ifnull(x.p90_itl, 0), ifnull(x.p95_itl, 0), ifnull(x.p99_itl, 0), ifnull(x.p99_9_itl, 0), ifnull(x.mean_e2el, 0), ifnull(x.median_e2el, 0), ifnull(x.std_e2el, 0), ifnull(x.p75_e2el, 0), ifnull(x.p90_e2el, 0), ifnull(x.p95_e2el, 0), ifnull(x.p99_e2el, 0), ifnull(x.p99_9_e2el, 0), ifnull(x.tput_per_gpu, 0), ifnull(x.input_tput_per_gpu, 0), ifnull(x.output_tput_per_gpu, 0)) AS lowest
        FROM points p JOIN inferencex_points x ON x.point_id = p.point_id
    ) v JOIN inferencex_points x ON x.point_id = v.point_id
    WHERE v.lowest < 0
) v
UNION ALL
SELECT p.run_id, p.point_id, 'percentile_order',
       CASE WHEN x.p75_ttft < ifnull(x.median_ttft, -9e999) THEN 'p75_ttft' WHEN x.p90_ttft < max(ifnull(x.median_ttft, -9e999), ifnull(x.p75_ttft, -9e999)) THEN 'p90_ttft' WHEN x.p95_ttft < max(ifnull(x.median_ttft, -9e999), ifnull(x.p75_ttft, -9e999), ifnull(x.p90_ttft, -9e999)) THEN 'p95_ttft' WHEN x.p99_ttft < max(ifnull(x.median_ttft, -9e999), ifnull(x.p75_ttft, -9e999), ifnull(x.p90_ttft, -9e999), ifnull(x.p95_ttft, -9e999)) THEN 'p99_ttft' WHEN x.p99_9_ttft < max(ifnull(x.median_ttft, -9e999), ifnull(x.p75_ttft, -9e999), ifnull(x.p90_ttft, -9e999), ifnull(x.p95_ttft, -9e999), ifnull(x.p99_ttft, -9e999)) THEN 'p99.9_ttft' END,
       CASE WHEN x.p75_ttft < ifnull(x.median_ttft, -9e999) THEN x.p75_ttft WHEN x.p90_ttft < max(ifnull(x.median_ttft, -9e999), ifnull(x.p75_ttft, -9e999)) THEN x.p90_ttft WHEN x.p95_ttft < max(ifnull(x.median_ttft, -9e999), ifnull(x.p75_ttft, -9e999), ifnull(x.p90_ttft, -9e999)) THEN x.p95_ttft WHEN x.p99_ttft < max(ifnull(x.median_ttft, -9e999), ifnull(x.p75_ttft, -9e999), ifnull(x.p90_ttft, -9e999), ifnull(x.p95_ttft, -9e999)) THEN x.p99_ttft WHEN x.p99_9_ttft < max(ifnull(x.median_ttft, -9e999), ifnull(x.p75_ttft, -9e999), ifnull(x.p90_ttft, -9e999), ifnull(x.p95_ttft, -9e999), ifnull(x.p99_ttft, -9e999)) THEN x.p99_9_ttft END,
       CASE WHEN x.p75_ttft < ifnull(x.median_ttft, -9e999) THEN ifnull(x.median_ttft, -9e999) WHEN x.p90_ttft < max(ifnull(x.median_ttft, -9e999), ifnull(x.p75_ttft, -9e999)) THEN max(ifnull(x.median_ttft, -9e999), ifnull(x.p75_ttft, -9e999)) WHEN x.p95_ttft < max(ifnull(x.median_ttft, -9e999), ifnull(x.p75_ttft, -9e999), ifnull(x.p90_ttft, -9e999)) THEN max(ifnull(x.median_ttft, -9e999), ifnull(x.p75_ttft, -9e999), ifnull(x.p90_ttft, -9e999)) WHEN x.p99_ttft < max(ifnull(x.median_ttft, -9e999), ifnull(x.p75_ttft, -9e999), ifnull(x.p90_ttft, -9e999), ifnull(x.p95_ttft, -9e999)) THEN max(ifnull(x.median_ttft, -9e999), ifnull(x.p75_ttft, -9e999), ifnull(x.p90_ttft, -9e999), ifnull(x.p95_ttft, -9e999)) WHEN x.p99_9_ttft < max(ifnull(x.median_ttft, -9e999), ifnull(x.p75_ttft, -9e999), ifnull(x.p90_ttft, -9e999), ifnull(x.p95_ttft, -9e999), ifnull(x.p99_ttft, -9e999)) THEN max(ifnull(x.median_ttft, -9e999), ifnull(x.p75_ttft, -9e999), ifnull(x.p90_ttft, -9e999), ifnull(x.p95_ttft, -9e999), ifnull(x.p99_ttft, -9e999)) END
FROM points p JOIN inferencex_points x ON x.point_id = p.point_id
WHERE x.p75_ttft < ifnull(x.median_ttft, -9e999)
   OR x.p90_ttft < max(ifnull(x.median_ttft, -9e999), ifnull(x.p75_ttft, -9e999))
   OR x.p95_ttft < max(ifnull(x.median_ttft, -9e999), ifnull(x.p75_ttft, -9e999), ifnull(x.p90_ttft, -9e999))
   OR x.p99_ttft < max(ifnull(x.median_ttft, -9e999), ifnull(x.p75_ttft, -9e999), ifnull(x.p90_ttft, -9e999), ifnull(x.p95_ttft, -9e999))
   OR x.p99_9_ttft < max(ifnull(x.median_ttft, -9e999), ifnull(x.p75_ttft, -9e999), ifnull(x.p90_ttft, -9e999), ifnull(x.p95_ttft, -9e999), ifnull(x.p99_ttft, -9e999))
UNION ALL
SELECT p.run_id, p.point_id, 'percentile_order',
       CASE WHEN x.p75_tpot < ifnull(x.median_tpot, -9e999) THEN 'p75_tpot' WHEN x.p90_tpot < max(ifnull(x.median_tpot, -9e999), ifnull(x.p75_tpot, -9e999)) THEN 'p90_tpot' WHEN x.p95_tpot < max(ifnull(x.median_tpot, -9e999), ifnull(x.p75_tpot, -9e999), ifnull(x.p90_tpot, -9e999)) THEN 'p95_tpot' WHEN x.p99_tpot < max(ifnull(x.median_tpot, -9e999), ifnull(x.p75_tpot, -9e999), ifnull(x.p90_tpot, -9e999), ifnull(x.p95_tpot, -9e999)) THEN 'p99_tpot' WHEN x.p99_9_tpot < max(ifnull(x.median_tpot, -9e999), ifnull(x.p75_tpot, -9e999), ifnull(x.p90_tpot, -9e999), ifnull(x.p95_tpot, -9e999), ifnull(x.p99_tpot, -9e999)) THEN 'p99.9_tpot' END,
       CASE WHEN x.p75_tpot < ifnull(x.median_tpot, -9e999) THEN x.p75_tpot WHEN x.p90_tpot < max(ifnull(x.median_tpot, -9e999), ifnull(x.p75_tpot, -9e999)) THEN x.p90_tpot WHEN x.p95_tpot < max(ifnull(x.median_tpot, -9e999), ifnull(x.p75_tpot, -9e999), ifnull(x.p90_tpot, -9e999)) THEN x.p95_tpot WHEN x.p99_tpot < max(ifnull(x.median_tpot, -9e999), ifnull(x.p75_tpot, -9e999), ifnull(x.p90_tpot, -9e999), ifnull(x.p95_tpot, -9e999)) THEN x.p99_tpot WHEN x.p99_9_tpot < max(ifnull(x.median_tpot, -9e999), ifnull(x.p75_tpot, -9e999), ifnull(x.p90_tpot, -9e999), ifnull(x.p95_tpot, -9e999), ifnull(x.p99_tpot, -9e999)) THEN x.p99_9_tpot END,
       CASE WHEN x.p75_tpot < ifnull(x.median_tpot, -9e999) THEN ifnull(x.median_tpot, -9e999) WHEN x.p90_tpot < max(ifnull(x.median_tpot, -9e999), ifnull(x.p75_tpot, -9e999)) THEN max(ifnull(x.median_tpot, -9e999), ifnull(x.p75_tpot, -9e999)) WHEN x.p95_tpot < max(ifnull(x.median_tpot, -9e999), ifnull(x.p75_tpot, -9e999), ifnull(x.p90_tpot, -9e999)) THEN max(ifnull(x.median_tpot, -9e999), ifnull(x.p75_tpot, -9e999), ifnull(x.p90_tpot, -9e999)) WHEN x.p99_tpot < max(ifnull(x.median_tpot, -9e999), ifnull(x.p75_tpot, -9e999), ifnull(x.p90_tpot, -9e999), ifnull(x.p95_tpot, -9e999)) THEN max(ifnull(x.median_tpot, -9e999), ifnull(x.p75_tpot, -9e999), ifnull(x.p90_tpot, -9e999), ifnull(x.p95_tpot, -9e999)) WHEN x.p99_9_tpot < max(ifnull(x.median_tpot, -9e999), ifnull(x.p75_tpot, -9e999), ifnull(x.p90_tpot, -9e999), ifnull(x.p95_tpot, -9e999), ifnull(x.p99_tpot, -9e999)) THEN max(ifnull(x.median_tpot, -9e999), ifnull(x.p75_tpot, -9e999), ifnull(x.p90_tpot, -9e999), ifnull(x.p95_tpot, -9e999), ifnull(x.p99_tpot, -9e999)) END
FROM points p JOIN inferencex_points x ON x.point_id = p.point_id
WHERE x.p75_tpot < ifnull(x.median_tpot, -9e999)
   OR x.p90_tpot < max(ifnull(x.median_tpot, -9e999), ifnull(x.p75_tpot, -9e999))
   OR x.p95_tpot < max(ifnull(x.median_tpot, -9e999), ifnull(x.p75_tpot, -9e999), ifnull(x.p90_tpot, -9e999))
   OR x.p99_tpot < max(ifnull(x.median_tpot, -9e999), ifnull(x.p75_tpot, -9e999), ifnull(x.p90_tpot, -9e999), ifnull(x.p95_tpot, -9e999))
   OR x.p99_9_tpot < max(ifnull(x.median_tpot, -9e999), ifnull(x.p75_tpot, -9e999), ifnull(x.p90_tpot, -9e999), ifnull(x.p95_tpot, -9e999), ifnull(x.p99_tpot, -9e999))
UNION ALL
SELECT p.run_id, p.point_id, 'percentile_order',
       CASE WHEN x.p75_itl < ifnull(x.median_itl, -9e999) THEN 'p75_itl' WHEN x.p90_itl < max(ifnull(x.median_itl, -9e999), ifnull(x.p75_itl, -9e999)) THEN 'p90_itl' WHEN x.p95_itl < max(ifnull(x.median_itl, -9e999), ifnull(x.p75_itl, -9e999), ifnull(x.p90_itl, -9e999)) THEN 'p95_itl' WHEN x.p99_itl < max(ifnull(x.median_itl, -9e999), ifnull(x.p75_itl, -9e999), ifnull(x.p90_itl, -9e999), ifnull(x.p95_itl, -9e999)) THEN 'p99_itl' WHEN x.p99_9_itl < max(ifnull(x.median_itl, -9e999), ifnull(x.p75_itl, -9e999), ifnull(x.p90_itl, -9e999), ifnull(x.p95_itl, -9e999), ifnull(x.p99_itl, -9e999)) THEN 'p99.9_itl' END,
       CASE WHEN x.p75_itl < ifnull(x.median_itl, -9e999) THEN x.p75_itl WHEN x.p90_itl < max(ifnull(x.median_itl, -9e999), ifnull(x.p75_itl, -9e999)) THEN x.p90_itl WHEN x.p95_itl < max(ifnull(x.median_itl, -9e999), ifnull(x.p75_itl, -9e999), ifnull(x.p90_itl, -9e999)) THEN x.p95_itl WHEN x.p99_itl < max(ifnull(x.median_itl, -9e999), ifnull(x.p75_itl, -9e999), ifnull(x.p90_itl, -9e999), ifnull(x.p95_itl, -9e999)) THEN x.p99_itl WHEN x.p99_9_itl < max(ifnull(x.median_itl, -9e999), ifnull(x.p75_itl, -9e999), ifnull(x.p90_itl, -9e999), ifnull(x.p95_itl, -9e999), ifnull(x.p99_itl, -9e999)) THEN x.p99_9_itl END,
       CASE WHEN x.p75_itl < ifnull(x.median_itl, -9e999) THEN ifnull(x.median_itl, -9e999) WHEN x.p90_itl < max(ifnull(x.median_itl, -9e999), ifnull(x.p75_itl, -9e999)) THEN max(ifnull(x.median_itl, -9e999), ifnull(x.p75_itl, -9e999)) WHEN x.p95_itl < max(ifnull(x.median_itl, -9e999), ifnull(x.p75_itl, -9e999), ifnull(x.p90_itl, -9e999)) THEN max(ifnull(x.median_itl, -9e999), ifnull(x.p75_itl, -9e999), ifnull(x.p90_itl, -9e999)) WHEN x.p99_itl < max(ifnull(x.median_itl, -9e999), ifnull(x.p75_itl, -9e999), ifnull(x.p90_itl, -9e999), ifnull(x.p95_itl, -9e999)) THEN max(ifnull(x.median_itl, -9e999), ifnull(x.p75_itl, -9e999), ifnull(x.p90_itl, -9e999), ifnull(x.p95_itl, -9e999)) WHEN x.p99_9_itl < max(ifnull(x.median_itl, -9e999), ifnull(x.p75_itl, -9e999), ifnull(x.p90_itl, -9e999), ifnull(x.p95_itl, -9e999), ifnull(x.p99_itl, -9e999)) THEN max(ifnull(x.median_itl, -9e999), ifnull(x.p75_itl, -9e999), ifnull(x.p90_itl, -9e999), ifnull(x.p95_itl, -9e999), ifnull(x.p99_itl, -9e999)) END
FROM points p JOIN inferencex_points x ON x.point_id = p.point_id
WHERE x.p75_itl < ifnull(x.median_itl, -9e999)
   OR x.p90_itl < max(ifnull(x.median_itl, -9e999), ifnull(x.p75_itl, -9e999))
   OR x.p95_itl < max(ifnull(x.median_itl, -9e999), ifnull(x.p75_itl, -9e999), ifnull(x.p90_itl, -9e999))
   OR x.p99_itl < max(ifnull(x.median_itl, -9e999), ifnull(x.p75_itl, -9e999), ifnull(x.p90_itl, -9e999), ifnull(x.p95_itl, -9e999))
   OR x.p99_9_itl < max(ifnull(x.median_itl, -9e999), ifnull(x.p75_itl, -9e999), ifnull(x.p90_itl, -9e999), ifnull(x.p95_itl, -9e999), ifnull(x.p99_itl, -9e999))
UNION ALL
SELECT p.run_id, p.point_id, 'percentile_order',
       CASE WHEN x.p75_e2el < ifnull(x.median_e2el, -9e999) THEN 'p75_e2el' WHEN x.p90_e2el < max(ifnull(x.median_e2el, -9e999), ifnull(x.p75_e2el, -9e999)) THEN 'p90_e2el' WHEN x.p95_e2el < max(ifnull(x.median_e2el, -9e999), ifnull(x.p75_e2el, -9e999), ifnull(x.p90_e2el, -9e999)) THEN 'p95_e2el' WHEN x.p99_e2el < max(ifnull(x.median_e2el, -9e999), ifnull(x.p75_e2el, -9e999), ifnull(x.p90_e2el, -9e999), ifnull(x.p95_e2el, -9e999)) THEN 'p99_e2el' WHEN x.p99_9_e2el < max(ifnull(x.median_e2el, -9e999), ifnull(x.p75_e2el, -9e999), ifnull(x.p90_e2el, -9e999), ifnull(x.p95_e2el, -9e999), ifnull(x.p99_e2el, -9e999)) THEN 'p99.9_e2el' END,
       CASE WHEN x.p75_e2el < ifnull(x.median_e2el, -9e999) THEN x.p75_e2el WHEN x.p90_e2el < max(ifnull(x.median_e2el, -9e999), ifnull(x.p75_e2el, -9e999)) THEN x.p90_e2el WHEN x.p95_e2el < max(ifnull(x.median_e2el, -9e999), ifnull(x.p75_e2el, -9e999), ifnull(x.p90_e2el, -9e999)) THEN x.p95_e2el WHEN x.p99_e2el < max(ifnull(x.median_e2el, -9e999), ifnull(x.p75_e2el, -9e999), ifnull(x.p90_e2el, -9e999), ifnull(x.p95_e2el, -9e999)) THEN x.p99_e2el WHEN x.p99_9_e2el < max(ifnull(x.median_e2el, -9e999), ifnull(x.p75_e2el, -9e999), ifnull(x.p90_e2el, -9e999), ifnull(x.p95_e2el, -9e999), ifnull(x.p99_e2el, -9e999)) THEN x.p99_9_e2el END,
       CASE WHEN x.p75_e2el < ifnull(x.median_e2el, -9e999) THEN ifnull(x.median_e2el, -9e999) WHEN x.p90_e2el < max(ifnull(x.median_e2el, -9e999), ifnull(x.p75_e2el, -9e999)) THEN max(ifnull(x.median_e2el, -9e999), ifnull(x.p75_e2el, -9e999)) WHEN x.p95_e2el < max(ifnull(x.median_e2el, -9e999), ifnull(x.p75_e2el, -9e999), ifnull(x.p90_e2el, -9e999)) THEN max(ifnull(x.median_e2el, -9e999), ifnull(x.p75_e2el, -9e999), ifnull(x.p90_e2el, -9e999)) WHEN x.p99_e2el < max(ifnull(x.median_e2el, -9e999), ifnull(x.p75_e2el, -9e999), ifnull(x.p90_e2el, -9e999), ifnull(x.p95_e2el, -9e999)) THEN max(ifnull(x.median_e2el, -9e999), ifnull(x.p75_e2el, -9e999), ifnull(x.p90_e2el, -9e999), ifnull(x.p95_e2el, -9e999)) WHEN x.p99_9_e2el < max(ifnull(x.median_e2el, -9e999), ifnull(x.p75_e2el, -9e999), ifnull(x.p90_e2el, -9e999), ifnull(x.p95_e2el, -9e999), ifnull(x.p99_e2el, -9e999)) THEN max(ifnull(x.median_e2el, -9e999), ifnull(x.p75_e2el, -9e999), ifnull(x.p90_e2el, -9e999), ifnull(x.p95_e2el, -9e999), ifnull(x.p99_e2el, -9e999)) END
FROM points p JOIN inferencex_points x ON x.point_id = p.point_id
WHERE x.p75_e2el < ifnull(x.median_e2el, -9e999)
   OR x.p90_e2el < max(ifnull(x.median_e2el, -9e999), ifnull(x.p75_e2el, -9e999))
   OR x.p95_e2el < max(ifnull(x.median_e2el, -9e999), ifnull(x.p75_e2el, -9e999), ifnull(x.p90_e2el, -9e999))
   OR x.p99_e2el < max(ifnull(x.median_e2el, -9e999), ifnull(x.p75_e2el, -9e999), ifnull(x.p90_e2el, -9e999), ifnull(x.p95_e2el, -9e999))
   OR x.p99_9_e2el < max(ifnull(x.median_e2el, -9e999), ifnull(x.p75_e2el, -9e999), ifnull(x.p90_e2el, -9e999), ifnull(x.p95_e2el, -9e999), ifnull(x.p99_e2el, -9e999))
