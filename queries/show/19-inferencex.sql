-- name: 19-inferencex
-- summary: InferenceX
-- param: run text  the run's name
-- columns: github_run_id, run_attempt, run_url, run_started_at, benchmark_type, offload_mode, recipe_fingerprint, official, framework, model, precision, spec_method, disagg, is_multinode, prefill_tp, prefill_ep, prefill_dp_attention, prefill_num_workers, decode_tp, decode_ep, decode_dp_attention, decode_num_workers, num_prefill_gpu, num_decode_gpu
SELECT i.github_run_id, i.run_attempt, i.run_url, i.run_started_at, i.benchmark_type, i.offload_mode, i.recipe_fingerprint, i.official,
    c.framework, c.model, c.precision, c.spec_method, c.disagg, c.is_multinode, c.prefill_tp, c.prefill_ep, c.prefill_dp_attention, c.prefill_num_workers,
    c.decode_tp, c.decode_ep, c.decode_dp_attention, c.decode_num_workers, c.num_prefill_gpu, c.num_decode_gpu
FROM runs AS r JOIN inferencex_runs AS i ON i.run_id = r.run_id JOIN inferencex_configs AS c ON c.config_id = i.config_id WHERE r.name = :run
ORDER BY r.name;
