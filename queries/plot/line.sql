-- The runs of a line (see inferencex_lines) that a run (:run) is one of, the oldest first; of another run those that supersession connects in one chain.
WITH RECURSIVE
of_line (run_id, name, measured_on) AS (
    SELECT o.run_id, o.name, o.measured_on
    FROM inferencex_lines AS l
    JOIN inferencex_lines AS o ON o.config_id = l.config_id AND o.benchmark_type IS l.benchmark_type AND o.isl IS l.isl AND o.osl IS l.osl AND o.offload_mode IS l.offload_mode
    WHERE l.name = :run
),
older (run_id, name, supersedes, depth) AS (
    SELECT r.run_id, r.name, r.supersedes, 0 FROM runs AS r WHERE r.name = :run AND r.origin <> 'inferencex'
    UNION
    SELECT r.run_id, r.name, r.supersedes, o.depth - 1 FROM older AS o JOIN runs AS r ON r.name = o.supersedes WHERE o.depth > -1000
),
newer (run_id, name, depth) AS (
    SELECT r.run_id, r.name, 0 FROM runs AS r WHERE r.name = :run AND r.origin <> 'inferencex'
    UNION
    SELECT r.run_id, r.name, n.depth + 1 FROM newer AS n JOIN runs AS r ON r.supersedes = n.name WHERE n.depth < 1000
)
SELECT l.name, l.measured_on AS date, 0 AS step FROM of_line AS l
UNION
SELECT x.name, coalesce(r.measured_on, r.retrieved_on), max(x.depth)
FROM (SELECT o.run_id, o.name, o.depth FROM older AS o UNION SELECT n.run_id, n.name, n.depth FROM newer AS n) AS x
JOIN runs AS r ON r.run_id = x.run_id
GROUP BY x.name
ORDER BY date, step, name;
