-- The points that the query pareto-frontier compares, those on the frontier included, and those with flags left out.
SELECT c.run, c.point, c.hardware, c.precision, c.isl, c.osl, c.interactivity_p50_tok_s, c.total_tok_s_per_gpu, c.concurrency, c.framework, c.engine_version, c.parallelism
FROM inferencex_latest_runs AS l
CROSS JOIN curves AS c ON c.run_id = l.run_id
WHERE l.benchmark_type = 'single_turn' AND c.interactivity_p50_tok_s IS NOT NULL AND c.total_tok_s_per_gpu IS NOT NULL
  AND (:model IS NULL OR c.model = :model)
  AND (:hardware IS NULL OR c.hardware = :hardware)
  AND (:precision IS NULL OR c.precision = :precision)
  AND (:isl IS NULL OR c.isl = :isl)
  AND (:osl IS NULL OR c.osl = :osl)
  AND NOT EXISTS (
      SELECT 1 FROM flags AS f WHERE f.run_id = c.run_id AND (f.point_id = c.point_id OR f.point_id IS NULL)
          AND instr(',' || replace(ifnull(:accept, ''), ' ', '') || ',', ',' || f.code || ',') = 0)
ORDER BY c.hardware, c.precision, c.isl, c.osl, c.interactivity_p50_tok_s DESC, c.total_tok_s_per_gpu, c.run, c.position;
