-- name: published-evaluations
-- summary: accuracy evaluations as the newest capture of /evaluations has them, a row for each metric
-- param: model text optional     the publisher's model key
-- param: hardware text optional  the accelerator
-- param: task text optional      the evaluation's name
-- columns: model, hardware, framework, precision, spec_method, disagg, prefill_tp, prefill_ep, decode_tp, decode_ep, isl, osl, conc, task, date, metric, value, text, timestamp, run_url
--
-- value is as reported, an accuracy is a fraction of 1; a metric that is no number
-- has a text instead. Rows that differ in the publisher's ids alone are one; those
-- of configurations that differ in what is not shown are not. The query evaluations
-- answers the same from dumps.
SELECT
    e.model,
    e.hardware,
    e.framework,
    e.precision,
    e.spec_method,
    e.disagg,
    e.prefill_tp,
    e.prefill_ep,
    e.decode_tp,
    e.decode_ep,
    e.isl,
    e.osl,
    e.conc,
    e.task,
    e.date,
    m.key AS metric,
    m.number AS value,
    m.text,
    e.timestamp,
    e.run_url
FROM inferencex_newest_bodies AS b
JOIN inferencex_api_evaluations AS e ON e.sha256 = b.sha256
LEFT JOIN inferencex_api_evaluation_metrics AS m ON m.sha256 = e.sha256 AND m.position = e.position
WHERE b.operation = 'evaluations'
  AND (:model IS NULL OR e.model = :model)
  AND (:hardware IS NULL OR e.hardware = :hardware)
  AND (:task IS NULL OR e.task = :task)
GROUP BY
    e.model, e.hardware, e.framework, e.precision, e.spec_method, e.disagg, e.prefill_tp, e.prefill_ep, e.decode_tp, e.decode_ep, e.isl, e.osl, e.conc, e.task, e.date,
    m.key, m.number, m.text, e.timestamp, e.run_url, e.is_multinode, e.prefill_dp_attention, e.prefill_num_workers, e.decode_dp_attention, e.decode_num_workers,
    e.num_prefill_gpu, e.num_decode_gpu
ORDER BY
    e.model, e.hardware, e.framework, e.precision, e.spec_method, e.disagg, e.prefill_tp, e.prefill_ep, e.decode_tp, e.decode_ep, e.isl, e.osl, e.conc, e.task, e.date,
    m.key, m.number, m.text, e.timestamp, e.run_url, e.is_multinode, e.prefill_dp_attention, e.prefill_num_workers, e.decode_dp_attention, e.decode_num_workers,
    e.num_prefill_gpu, e.num_decode_gpu;
