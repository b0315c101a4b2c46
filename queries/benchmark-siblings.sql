-- name: benchmark-siblings
-- summary: the points of a run's workflow run that share its hardware, framework, model, precision, speculative decoding and benchmark type, as /benchmark-siblings lists them
-- param: run text  the run's name
-- param: point text optional  a point of the run, which is_current then marks
-- columns: run, point, published_id, isl, osl, conc, offload_mode, decode_tp, decode_ep, decode_dp_attention, decode_num_workers, prefill_tp, prefill_ep, prefill_dp_attention, prefill_num_workers, num_prefill_gpu, num_decode_gpu, disagg, is_multinode, total_tok_s_per_gpu, total_requests, is_current
--
-- The operation is asked with the publisher's id of a row, which is no identity:
-- here with a run and a point of it. A workflow run is one attempt of a GitHub
-- run, of rows without an address those of the day, of raw artifacts those of the
-- directory. total_tok_s_per_gpu is the publisher's tput_per_gpu, input and output
-- tokens over all GPUs. What benchmark rows do not state is not here: pipeline
-- and context parallel widths, the data set, and whether a trace is stored.
SELECT
    s.name AS run,
    p.id AS point,
    x.id AS published_id,
    x.isl,
    x.osl,
    x.conc,
    x.offload_mode,
    x.decode_tp,
    x.decode_ep,
    x.decode_dp_attention,
    x.decode_num_workers,
    x.prefill_tp,
    x.prefill_ep,
    x.prefill_dp_attention,
    x.prefill_num_workers,
    x.num_prefill_gpu,
    x.num_decode_gpu,
    x.disagg,
    x.is_multinode,
    x.tput_per_gpu AS total_tok_s_per_gpu,
    x.num_requests_total AS total_requests,
    s.run_id = r.run_id AND p.id IS :point AS is_current
FROM runs AS r
JOIN inferencex_runs AS i ON i.run_id = r.run_id
JOIN inferencex_configs AS c ON c.config_id = i.config_id
JOIN inferencex_configs AS d ON d.hardware = c.hardware AND d.framework = c.framework AND d.model = c.model AND d.precision = c.precision AND d.spec_method = c.spec_method
JOIN inferencex_runs AS j ON j.config_id = d.config_id AND j.benchmark_type = i.benchmark_type
    AND j.github_run_id IS i.github_run_id AND j.run_attempt IS i.run_attempt AND j.artifact_run IS i.artifact_run
JOIN runs AS s ON s.run_id = j.run_id AND (i.github_run_id IS NOT NULL OR s.measured_on IS r.measured_on)
JOIN points AS p ON p.run_id = s.run_id
JOIN inferencex_rows AS x ON x.point_id = p.point_id
WHERE r.name = :run
ORDER BY x.decode_tp, x.decode_ep, x.offload_mode, x.isl, x.osl, x.conc, s.name, p.position;
