-- name: run-collectives
-- summary: what collective benchmarks say of the exchange between a run's experts: latencies at its hardware, expert-parallel width and nodes
-- param: run text                 the run's name
-- param: operation text optional  such as dispatch, combine or roundtrip
-- columns: run, role, hardware, ep, nodes, dp_attention, concurrencies, backend, mode, precision, series_nodes, tokens_per_rank, global_tokens, operation, latency_p50_us, latency_p99_us, payload_bytes, tpot_p50_ms_lowest, tpot_p50_ms_highest, series_id
--
-- Of the newest capture of /collectivex: the series of the run's hardware with as many
-- exchanging GPUs as the pool's expert-parallel width, which has to be 2 or more, and
-- as many nodes as the pool, where its rows state them: NULL nodes leave that open, and
-- series_nodes tells them apart. A prefill pool has series of phase prefill, a decode
-- pool those of phase decode, a pool that serves both has both, and a series without a
-- phase fits all. Backend, mode and precision of what is sent are the series' own: rows
-- of benchmarks do not state theirs. concurrencies are how many loads the run was
-- measured at; tpot_p50_ms of these, lowest and highest, is what latencies of a decode
-- step, once or twice a layer, are part of. Nothing here was measured in the run.
WITH pool AS MATERIALIZED (
    SELECT
        r.run_id, r.name, q.role, r.hardware, q.ep, q.nodes, q.dp_attention,
        (SELECT count(*) FROM curves AS k WHERE k.run_id = r.run_id) AS concurrencies,
        (SELECT min(k.tpot_p50_ms) FROM curves AS k WHERE k.run_id = r.run_id) AS lowest,
        (SELECT max(k.tpot_p50_ms) FROM curves AS k WHERE k.run_id = r.run_id) AS highest
    FROM runs AS r
    JOIN pools AS q ON q.run_id = r.run_id
    WHERE r.name = :run AND q.ep >= 2
)
SELECT
    q.name AS run,
    q.role,
    q.hardware,
    q.ep,
    q.nodes,
    q.dp_attention,
    q.concurrencies,
    x.backend,
    x.mode,
    x.precision,
    x.nodes AS series_nodes,
    x.tokens_per_rank,
    x.global_tokens,
    x.operation,
    x.latency_p50_us,
    x.latency_p99_us,
    x.payload_bytes,
    q.lowest AS tpot_p50_ms_lowest,
    q.highest AS tpot_p50_ms_highest,
    x.series_id
FROM pool AS q
JOIN inferencex_newest_bodies AS b ON b.operation = 'collectivex-run'
JOIN collectivex_points AS x ON x.sha256 = b.sha256 AND x.hardware = q.hardware AND x.ep_size = q.ep AND (q.nodes IS NULL OR x.nodes IS NULL OR x.nodes = q.nodes)
    AND (q.role = 'colocated' OR x.phase IS NULL OR x.phase = q.role)
WHERE :operation IS NULL OR x.operation = :operation
ORDER BY q.role, x.phase, x.backend, x.mode, x.precision, x.nodes, x.operation, x.tokens_per_rank, x.series, x.point;
