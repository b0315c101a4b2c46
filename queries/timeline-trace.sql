-- name: timeline-trace
-- summary: the requests of a captured timeline as the rows of a BLIS workload trace (TraceV2)
-- param: capture text  the digest of the capture, all of it
-- param: phase text optional  the phase, warmup, profiling or what else the timeline states, or all; profiling when not given
-- columns: request_id, client_id, tenant_id, slo_class, session_id, round_index, prefix_group, prefix_length, streaming, input_tokens, output_tokens, text_tokens, image_tokens, audio_tokens, video_tokens, reason_ratio, model, deadline_us, server_input_tokens, arrival_time_us, send_time_us, first_chunk_time_us, last_chunk_time_us, num_chunks, status, error_message, finish_reason
--
-- What the command trace writes, which finds the capture, refuses times that
-- contradict each other, and adds the header. Rows are in the order of arrival, those
-- of warmup first. Where each column is from, and why some are always empty or 0, is
-- told in the documentation, exports.md.
WITH picked AS NOT MATERIALIZED (
    SELECT
        q.*,
        q.conversation_id || CASE WHEN q.replay_index IS NULL THEN '' ELSE '#' || q.replay_index END AS session_id,
        CASE WHEN q.cancelled = 1 THEN 'cancelled' WHEN ifnull(q.osl, 0) < 1 THEN 'no output tokens stated' ELSE '' END AS unfinished
    FROM inferencex_api_timeline_requests AS q
    WHERE q.sha256 = :capture
      AND (coalesce(:phase, 'profiling') = 'all' OR q.phase = coalesce(:phase, 'profiling'))
)
SELECT
    row_number() OVER (ORDER BY p.phase <> 'warmup', p.credit_ns, p.start_ns, p.position) - 1 AS request_id,
    p.worker_id AS client_id,
    '' AS tenant_id,
    '' AS slo_class,
    p.session_id,
    row_number() OVER (PARTITION BY p.session_id ORDER BY p.turn_index, p.start_ns, p.position) - 1 AS round_index,
    '' AS prefix_group,
    0 AS prefix_length,
    CASE WHEN EXISTS (SELECT 1 FROM picked WHERE ttft_ms IS NOT NULL) THEN 'true' ELSE 'false' END AS streaming,
    ifnull(p.isl, 0) AS input_tokens,
    ifnull(p.osl, 0) AS output_tokens,
    0 AS text_tokens,
    0 AS image_tokens,
    0 AS audio_tokens,
    0 AS video_tokens,
    0 AS reason_ratio,
    '' AS model,
    0 AS deadline_us,
    0 AS server_input_tokens,
    p.credit_ns / 1000 AS arrival_time_us,
    p.start_ns / 1000 AS send_time_us,
    CASE WHEN p.ttft_ms IS NULL THEN 0 ELSE min(p.start_ns + CAST(round(p.ttft_ms * 1e6) AS INTEGER), p.end_ns) / 1000 END AS first_chunk_time_us,
    CASE WHEN p.cancelled = 1 THEN 0 ELSE p.end_ns / 1000 END AS last_chunk_time_us,
    0 AS num_chunks,
    CASE p.unfinished WHEN '' THEN 'ok' ELSE 'incomplete' END AS status,
    p.unfinished AS error_message,
    '' AS finish_reason
FROM picked AS p
ORDER BY request_id;
