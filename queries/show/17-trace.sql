-- name: 17-trace
-- summary: trace
-- param: run text  the run's name
-- columns: data, sha256, rows, trace_version, time_unit, mode, workload_seed, server_type, server_model, server_tensor_parallel, server_max_num_seqs, server_block_size, server_max_model_len, server_gpu_memory_utilization
SELECT t.data, t.sha256, t.rows, t.trace_version, t.time_unit, t.mode, t.workload_seed, t.server_type, t.server_model, t.server_tensor_parallel,
    t.server_max_num_seqs, t.server_block_size, t.server_max_model_len, t.server_gpu_memory_utilization
FROM runs AS r JOIN traces AS t ON t.run_id = r.run_id WHERE r.name = :run
ORDER BY r.name;
