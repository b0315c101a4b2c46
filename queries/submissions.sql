-- name: submissions
-- summary: how many InferenceX points were submitted of each configuration and day, as /submissions sums them up
-- param: model text optional  the publisher's model key
-- param: hardware text optional  the accelerator
-- columns: model, hardware, framework, precision, spec_method, disagg, is_multinode, num_prefill_gpu, num_decode_gpu, prefill_tp, prefill_ep, decode_tp, decode_ep, date, total_datapoints, distinct_sequences, distinct_concurrencies, max_concurrency, image, images
--
-- What the operation's summary answers, from the rows that are loaded: a row for
-- each of its thirteen configuration columns and UTC day, newest day first. A
-- point is a row; attempts that a newer one hides, points in which no request
-- succeeded and raw artifacts, which have no day, do not count. A sequence is a
-- pair of lengths, agentic traces without lengths are one. GPU counts are as
-- reported. The reference does not say which image stands where there are
-- several: here the first by name, and images counts them.
SELECT
    x.model,
    x.hardware,
    x.framework,
    x.precision,
    x.spec_method,
    x.disagg,
    x.is_multinode,
    x.num_prefill_gpu,
    x.num_decode_gpu,
    x.prefill_tp,
    x.prefill_ep,
    x.decode_tp,
    x.decode_ep,
    x.date,
    count(*) AS total_datapoints,
    count(DISTINCT ifnull(x.isl, '') || 'x' || ifnull(x.osl, '')) AS distinct_sequences,
    count(DISTINCT x.conc) AS distinct_concurrencies,
    max(x.conc) AS max_concurrency,
    min(x.image) AS image,
    count(DISTINCT x.image) AS images
FROM inferencex_rows AS x
WHERE x.date IS NOT NULL AND x.hidden_by_attempt IS NULL
  AND (:model IS NULL OR x.model = :model)
  AND (:hardware IS NULL OR x.hardware = :hardware)
GROUP BY x.date, x.model, x.hardware, x.framework, x.precision, x.spec_method, x.disagg, x.is_multinode, x.num_prefill_gpu, x.num_decode_gpu,
    x.prefill_tp, x.prefill_ep, x.decode_tp, x.decode_ep
ORDER BY x.date DESC, total_datapoints DESC, x.model, x.hardware, x.framework, x.precision, x.spec_method, x.disagg, x.is_multinode, x.num_prefill_gpu, x.num_decode_gpu,
    x.prefill_tp, x.prefill_ep, x.decode_tp, x.decode_ep;
