-- The points of runs (:names, a JSON array of names) with what pictures need of them.
SELECT
    c.run, c.point, c.position, c.origin, c.model, c.hardware, c.engine, c.engine_version, c.framework, c.precision, c.spec_method, c.parallelism, c.gpus,
    c.isl, c.osl, c.workload, c.benchmark_type, c.concurrency, c.request_rate, c.date, c.verdict, c.flags, c.licence_id, c.noise_cv, c.noise_seeds,
    c.ttft_mean_ms, c.ttft_p50_ms, c.ttft_p90_ms, c.ttft_p95_ms, c.ttft_p99_ms,
    c.tpot_mean_ms, c.tpot_p50_ms, c.tpot_p90_ms, c.tpot_p95_ms, c.tpot_p99_ms,
    c.itl_mean_ms, c.itl_p50_ms, c.itl_p90_ms, c.itl_p95_ms, c.itl_p99_ms,
    c.e2e_mean_ms, c.e2e_p50_ms, c.e2e_p90_ms, c.e2e_p95_ms, c.e2e_p99_ms,
    c.interactivity_p50_tok_s, c.output_tok_s_per_gpu, c.total_tok_s_per_gpu, c.input_tok_s_per_gpu, c.output_tok_s, c.total_tok_s, c.input_tok_s,
    c.requests_per_s, c.goodput_requests_per_s, c.power_w_per_gpu, c.energy_j_per_output_token, c.energy_j_per_total_token, c.energy_j_per_request
FROM curves AS c
WHERE c.run IN (SELECT value FROM json_each(:names))
ORDER BY c.run, c.position;
