-- +goose Up
CREATE TABLE flag_rules ( -- A plausibility rule for InferenceX rows, with its threshold. A flag refuses nothing.
    code      TEXT NOT NULL PRIMARY KEY, -- what flags carry
    meaning   TEXT NOT NULL, -- what a flag says
    threshold REAL,          -- the bound, NULL where the rule has none
    unit      TEXT,          -- what the threshold is measured in, NULL without one
    why       TEXT NOT NULL  -- why the rule is there and the threshold where it is
) STRICT;

INSERT INTO flag_rules (code, meaning, threshold, unit, why) VALUES
    ('gpu_count', 'a reported GPU count is not the one that the parallel layout gives', NULL, NULL,
     'with expert parallelism the publisher shows tp times ep, 64 for a box of 8 GPUs; per-GPU figures are over the real number'),
    ('collapsed_topology', 'a disaggregated row states no split into prefill and decode', NULL, NULL,
     'rows of 2025 show no workers and the width of all GPUs for both roles: their per-role figures cannot be placed'),
    ('intvty_tpot', 'median_intvty times median_tpot is not 1', 0.01, 'relative difference',
     'single-turn interactivity is the reciprocal of tpot; in captures both agree to the last digits, so one percent is already another quantity'),
    ('percentile_order', 'a percentile is below a lower one of the same quantity', NULL, NULL,
     'percentiles of one sample rise; measured means one of them is of something else'),
    ('negative', 'a latency or throughput is below 0', NULL, NULL,
     'no time and no rate can be'),
    ('ttft_above_e2el', 'the first token came after the whole response', NULL, NULL,
     'the same statistic of ttft cannot exceed that of e2el'),
    ('parts_and_total', 'input and output throughput per GPU do not add up to the total', 0.01, 'relative difference',
     'they are over the same GPUs where prefill and decode share them; in captures they agree to the last digits'),
    ('two_images', 'rows of one run name different images', NULL, NULL,
     'one run is one deployment: two images mean that two were put together'),
    ('far_from_neighbours', 'throughput per GPU is far from both neighbouring loads, on the same side', 2, 'ratio',
     'a curve bends, it does not jump: of 457 inner points of the May 2026 captures two are a factor of 2 away from both neighbours'),
    ('unofficial', 'the run lies outside the publisher''s repository', NULL, NULL,
     'forks publish under the same form without the publisher''s review'),
    ('hung', 'the slowest hundredth of requests took many times the median', 10, 'ratio',
     'lengths differ by a small factor, so p99 of e2el stays within a few medians unless requests hung');

CREATE TABLE flags ( -- A point or run of InferenceX that a plausibility rule points at. Derived, kept by each load (see computed_flags).
    run_id   INTEGER NOT NULL REFERENCES runs (run_id) ON DELETE CASCADE, -- the run
    point_id INTEGER REFERENCES points (point_id) ON DELETE CASCADE,      -- the point, NULL where the whole run is meant
    code     TEXT NOT NULL REFERENCES flag_rules (code), -- the rule
    subject  TEXT NOT NULL, -- the key or keys concerned
    measured REAL,          -- the number that is implausible, NULL where there is none
    expected REAL           -- the number it was held against, NULL where there is none
) STRICT;

CREATE INDEX flags_by_run ON flags (run_id);
CREATE INDEX flags_by_point ON flags (point_id) WHERE point_id IS NOT NULL;
CREATE INDEX flags_by_code ON flags (code);

CREATE VIEW computed_flags ( -- What the rules point at, computed from the rows: what the table flags holds.
    run_id,   -- the run
    point_id, -- the point, NULL where the whole run is meant
    code,     -- the rule
    subject,  -- the key or keys concerned
    measured, -- the number that is implausible, NULL where there is none
    expected  -- the number it was held against, NULL where there is none
) AS
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
   OR x.p99_9_e2el < max(ifnull(x.median_e2el, -9e999), ifnull(x.p75_e2el, -9e999), ifnull(x.p90_e2el, -9e999), ifnull(x.p95_e2el, -9e999), ifnull(x.p99_e2el, -9e999));

CREATE VIEW flagged_points ( -- A point that a plausibility rule points at, itself or with its whole run.
    point_id, -- the point
    run_id,   -- its run
    code,     -- the rule
    subject,  -- the key or keys concerned
    measured, -- the number that is implausible, NULL where there is none
    expected, -- the number it was held against, NULL where there is none
    meaning   -- what the flag says
) AS
SELECT f.point_id, f.run_id, f.code, f.subject, f.measured, f.expected, u.meaning
FROM flags f JOIN flag_rules u ON u.code = f.code
WHERE f.point_id IS NOT NULL
UNION ALL
SELECT p.point_id, f.run_id, f.code, f.subject, f.measured, f.expected, u.meaning
FROM flags f JOIN points p ON p.run_id = f.run_id JOIN flag_rules u ON u.code = f.code
WHERE f.point_id IS NULL;
