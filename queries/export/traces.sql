-- The traces that reproduce runs' request streams, at most a row a run.
-- :runs is a JSON array of run ids; the first column is the run's index in it.
SELECT
    j.key,
    t.data,
    t.sha256,
    t.rows,
    t.trace_version,
    t.time_unit,
    t.mode,
    t.workload_seed,
    t.server_type,
    t.server_model,
    t.server_tensor_parallel,
    t.server_max_num_seqs,
    t.server_block_size,
    t.server_max_model_len,
    t.server_gpu_memory_utilization
FROM json_each(:runs) AS j
CROSS JOIN traces AS t ON t.run_id = j.value
ORDER BY j.key;
