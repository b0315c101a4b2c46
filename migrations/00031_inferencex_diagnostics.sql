-- +goose Up
CREATE TABLE inferencex_api_agentic_aggregates ( -- What a capture of /agentic-aggregates sums up of the traces of a benchmark. The query published-agentic-aggregates has it a metric in a row, agentic-aggregates computes it from what else was captured. Known by the capture and the place in it.
    sha256                     TEXT NOT NULL REFERENCES inferencex_body_files (sha256), -- the capture
    position                   INTEGER NOT NULL, -- of the member in the body, from 1
    published_id               INTEGER NOT NULL, -- the publisher's id of the benchmark row, which names the member: it locates the row in its database and identifies nothing
    isl_mean                   REAL, -- mean of the input lengths of requests, tokens, NULL where the publisher has none
    isl_p50                    REAL, -- median of the input lengths of requests, tokens, NULL where the publisher has none
    isl_p75                    REAL, -- 75th percentile of the input lengths of requests, tokens, NULL where the publisher has none
    isl_p90                    REAL, -- 90th percentile of the input lengths of requests, tokens, NULL where the publisher has none
    isl_p95                    REAL, -- 95th percentile of the input lengths of requests, tokens, NULL where the publisher has none
    isl_p99                    REAL, -- 99th percentile of the input lengths of requests, tokens, NULL where the publisher has none
    isl_n                      INTEGER, -- samples of the input lengths of requests, NULL where the publisher has none
    osl_mean                   REAL, -- mean of the output lengths of requests, tokens, NULL where the publisher has none
    osl_p50                    REAL, -- median of the output lengths of requests, tokens, NULL where the publisher has none
    osl_p75                    REAL, -- 75th percentile of the output lengths of requests, tokens, NULL where the publisher has none
    osl_p90                    REAL, -- 90th percentile of the output lengths of requests, tokens, NULL where the publisher has none
    osl_p95                    REAL, -- 95th percentile of the output lengths of requests, tokens, NULL where the publisher has none
    osl_p99                    REAL, -- 99th percentile of the output lengths of requests, tokens, NULL where the publisher has none
    osl_n                      INTEGER, -- samples of the output lengths of requests, NULL where the publisher has none
    kv_cache_util_mean         REAL, -- mean of the share of the KV cache in use, from 0 to 1, NULL where the publisher has none
    kv_cache_util_p50          REAL, -- median of the share of the KV cache in use, from 0 to 1, NULL where the publisher has none
    kv_cache_util_p75          REAL, -- 75th percentile of the share of the KV cache in use, from 0 to 1, NULL where the publisher has none
    kv_cache_util_p90          REAL, -- 90th percentile of the share of the KV cache in use, from 0 to 1, NULL where the publisher has none
    kv_cache_util_p95          REAL, -- 95th percentile of the share of the KV cache in use, from 0 to 1, NULL where the publisher has none
    kv_cache_util_p99          REAL, -- 99th percentile of the share of the KV cache in use, from 0 to 1, NULL where the publisher has none
    kv_cache_util_n            INTEGER, -- samples of the share of the KV cache in use, NULL where the publisher has none
    prefix_cache_hit_rate_mean REAL, -- mean of the share of prompt tokens that the prefix cache served, from 0 to 1, NULL where the publisher has none
    prefix_cache_hit_rate_p50  REAL, -- median of the share of prompt tokens that the prefix cache served, from 0 to 1, NULL where the publisher has none
    prefix_cache_hit_rate_p75  REAL, -- 75th percentile of the share of prompt tokens that the prefix cache served, from 0 to 1, NULL where the publisher has none
    prefix_cache_hit_rate_p90  REAL, -- 90th percentile of the share of prompt tokens that the prefix cache served, from 0 to 1, NULL where the publisher has none
    prefix_cache_hit_rate_p95  REAL, -- 95th percentile of the share of prompt tokens that the prefix cache served, from 0 to 1, NULL where the publisher has none
    prefix_cache_hit_rate_p99  REAL, -- 99th percentile of the share of prompt tokens that the prefix cache served, from 0 to 1, NULL where the publisher has none
    prefix_cache_hit_rate_n    INTEGER, -- samples of the share of prompt tokens that the prefix cache served, NULL where the publisher has none
    as_written                 TEXT CONSTRAINT inferencex_api_agentic_aggregates_as_written CHECK (as_written IS NULL OR json_valid(as_written)), -- JSON object of the texts that the columns hold otherwise (names, times), by the publisher's key, NULL for none
    extra                      TEXT CONSTRAINT inferencex_api_agentic_aggregates_extra CHECK (extra IS NULL OR json_valid(extra)), -- JSON object of what has no column, by the publisher's key, NULL for nothing
    PRIMARY KEY (sha256, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE inferencex_api_derived_agentic_metrics ( -- What a capture of /derived-agentic-metrics states of a benchmark: interactivity that counts the wait for the first token, output tokens of a request by its whole latency, of the slow tail. Known by the capture and the place in it.
    sha256              TEXT NOT NULL REFERENCES inferencex_body_files (sha256), -- the capture
    position            INTEGER NOT NULL, -- of the member in the body, from 1
    published_id        INTEGER NOT NULL, -- the publisher's id of the benchmark row, which names the member: it locates the row in its database and identifies nothing
    p75_e2e_norm_intvty REAL, -- 1 by the 75th percentile of seconds per output token, tokens/s/user, NULL where the publisher has none
    p90_e2e_norm_intvty REAL, -- 1 by the 90th percentile of seconds per output token, tokens/s/user, NULL where the publisher has none
    as_written          TEXT CONSTRAINT inferencex_api_derived_agentic_metrics_as_written CHECK (as_written IS NULL OR json_valid(as_written)), -- JSON object of the texts that the columns hold otherwise (names, times), by the publisher's key, NULL for none
    extra               TEXT CONSTRAINT inferencex_api_derived_agentic_metrics_extra CHECK (extra IS NULL OR json_valid(extra)), -- JSON object of what has no column, by the publisher's key, NULL for nothing
    PRIMARY KEY (sha256, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE inferencex_api_trace_histograms ( -- The lengths of requests that a capture of /trace-histograms states of a benchmark, unsorted: of all requests of its timeline, those of the warm-up and cancelled ones too, as the publisher's code has it (InferenceX-app, trace-histograms.ts). trace_samples has them as rows. What is large stands last. Known by the capture and the place in it.
    sha256       TEXT NOT NULL REFERENCES inferencex_body_files (sha256), -- the capture
    position     INTEGER NOT NULL, -- of the member in the body, from 1
    published_id INTEGER NOT NULL, -- the publisher's id of the benchmark row, which names the member: it locates the row in its database and identifies nothing
    isl_count    INTEGER, -- input lengths in isl_samples that are numbers, NULL where unstated
    osl_count    INTEGER, -- output lengths in osl_samples that are numbers, NULL where unstated
    as_written   TEXT CONSTRAINT inferencex_api_trace_histograms_as_written CHECK (as_written IS NULL OR json_valid(as_written)), -- JSON object of the texts that the columns hold otherwise (names, times), by the publisher's key, NULL for none
    extra        TEXT CONSTRAINT inferencex_api_trace_histograms_extra CHECK (extra IS NULL OR json_valid(extra)), -- JSON object of what has no column, by the publisher's key, NULL for nothing
    isl_samples  TEXT CONSTRAINT inferencex_api_trace_histograms_isl_samples CHECK (isl_samples IS NULL OR json_valid(isl_samples)), -- JSON list of input lengths of requests, NULL where unstated
    osl_samples  TEXT CONSTRAINT inferencex_api_trace_histograms_osl_samples CHECK (osl_samples IS NULL OR json_valid(osl_samples)), -- JSON list of output lengths of requests, NULL where unstated
    PRIMARY KEY (sha256, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE inferencex_api_log_availability ( -- Of which benchmarks a capture of /log-availability says that server logs are stored. The publisher lists only those that have some: which were asked for is in inferencex_captures.params. Known by the capture and the place in it.
    sha256       TEXT NOT NULL REFERENCES inferencex_body_files (sha256), -- the capture
    position     INTEGER NOT NULL, -- of the member in the body, from 1
    published_id INTEGER NOT NULL, -- the publisher's id of the benchmark row, which names the member: it locates the row in its database and identifies nothing
    available    INTEGER NOT NULL CONSTRAINT inferencex_api_log_availability_available CHECK (available IN (0, 1)), -- whether server logs are stored
    as_written   TEXT CONSTRAINT inferencex_api_log_availability_as_written CHECK (as_written IS NULL OR json_valid(as_written)), -- JSON object of the texts that the columns hold otherwise (names, times), by the publisher's key, NULL for none
    extra        TEXT CONSTRAINT inferencex_api_log_availability_extra CHECK (extra IS NULL OR json_valid(extra)), -- JSON object of what has no column, by the publisher's key, NULL for nothing
    PRIMARY KEY (sha256, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE inferencex_api_trace_availability ( -- Of which benchmarks a capture of /trace-availability says that traces are stored. The publisher lists only those that have some: which were asked for is in inferencex_captures.params. Known by the capture and the place in it.
    sha256       TEXT NOT NULL REFERENCES inferencex_body_files (sha256), -- the capture
    position     INTEGER NOT NULL, -- of the member in the body, from 1
    published_id INTEGER NOT NULL, -- the publisher's id of the benchmark row, which names the member: it locates the row in its database and identifies nothing
    available    INTEGER NOT NULL CONSTRAINT inferencex_api_trace_availability_available CHECK (available IN (0, 1)), -- whether traces are stored
    as_written   TEXT CONSTRAINT inferencex_api_trace_availability_as_written CHECK (as_written IS NULL OR json_valid(as_written)), -- JSON object of the texts that the columns hold otherwise (names, times), by the publisher's key, NULL for none
    extra        TEXT CONSTRAINT inferencex_api_trace_availability_extra CHECK (extra IS NULL OR json_valid(extra)), -- JSON object of what has no column, by the publisher's key, NULL for nothing
    PRIMARY KEY (sha256, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE inferencex_api_server_metrics ( -- The window of the server metrics of a benchmark, as a capture of /trace-server-metrics states it: a row for each capture. Its benchmark is in inferencex_api_server_metrics_meta, its series in inferencex_api_server_series. Known by the capture and the place in it.
    sha256               TEXT NOT NULL REFERENCES inferencex_body_files (sha256), -- the capture
    position             INTEGER NOT NULL, -- of the row in its list, from 1
    start_ns             INTEGER, -- the first scrape, warm-up included: what t of the points counts from. ns since 1970 in UTC, which the publisher rounds to a double, NULL where unstated
    end_ns               INTEGER, -- the end of the last scrape, ns since 1970 in UTC, NULL where unstated
    duration_s           REAL, -- from the first to the last, seconds, NULL where unstated
    timeslices           INTEGER, -- scrapes of the series that has most, about one a second, NULL where unstated
    kv_cache_pool_tokens REAL, -- what the KV caches of all engines hold, tokens, NULL where the publisher does not know it
    as_written           TEXT CONSTRAINT inferencex_api_server_metrics_as_written CHECK (as_written IS NULL OR json_valid(as_written)), -- JSON object of the texts that the columns hold otherwise (names, times), by the publisher's key, NULL for none
    extra                TEXT CONSTRAINT inferencex_api_server_metrics_extra CHECK (extra IS NULL OR json_valid(extra)), -- JSON object of what has no column, by the publisher's key, NULL for nothing
    PRIMARY KEY (sha256, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE inferencex_api_server_metrics_meta ( -- The benchmark that server metrics are of, as a capture of /trace-server-metrics states it: a row for each capture. The reference fixes no keys: these are of the publisher's code (InferenceX-app, trace-server-metrics.ts), what has no column is in extra. Known by the capture and the place in it.
    sha256                     TEXT NOT NULL REFERENCES inferencex_body_files (sha256), -- the capture
    position                   INTEGER NOT NULL, -- of the row in its list, from 1
    published_id               INTEGER, -- the publisher's id of the benchmark row: it locates the row in its database and identifies nothing, NULL where unstated
    hardware                   TEXT, -- the accelerator, canonical name, NULL where unstated
    framework                  TEXT, -- the serving framework, canonical name, NULL where unstated
    model                      TEXT, -- the publisher's model key, canonical, NULL where unstated
    precision                  TEXT, -- of the weights, canonical name, NULL where unstated
    spec_method                TEXT, -- speculative decoding, none for none
    disagg                     INTEGER CONSTRAINT inferencex_api_server_metrics_meta_disagg CHECK (disagg IN (0, 1)), -- whether prefill and decode run on GPUs of their own, as stated or as the framework's name implies, NULL where unstated
    is_multinode               INTEGER CONSTRAINT inferencex_api_server_metrics_meta_is_multinode CHECK (is_multinode IN (0, 1)), -- whether it spans nodes, NULL where unstated
    conc                       INTEGER, -- requests at a time, NULL where unstated
    offload_mode               TEXT, -- on or off, NULL where unstated
    kv_offloading              TEXT, -- where the KV cache is offloaded to, NULL where unstated
    kv_offload_backend         TEXT, -- what offloads it, NULL where unstated
    kv_offload_backend_version TEXT, -- its version, NULL where unstated
    kv_p2p_transfer            TEXT, -- what transfers the KV cache between workers, NULL where unstated
    router_name                TEXT, -- the router, NULL where unstated
    router_version             TEXT, -- its version, NULL where unstated
    isl                        INTEGER, -- input tokens, NULL where unstated (agentic traces have none)
    osl                        INTEGER, -- output tokens, NULL where unstated (agentic traces have none)
    benchmark_type             TEXT, -- as stated, such as agentic_traces, NULL where unstated
    date                       TEXT, -- UTC day, YYYY-MM-DD, NULL where unstated
    run_url                    TEXT, -- the address of its workflow run, NULL where unstated
    server_gpu_cache_hit_rate  REAL, -- share of prompt tokens that the cache in GPU memory served over the whole run, from 0 to 1, NULL where unstated
    server_cpu_cache_hit_rate  REAL, -- share of prompt tokens that the cache in host memory served over the whole run, from 0 to 1, NULL where unstated
    as_written                 TEXT CONSTRAINT inferencex_api_server_metrics_meta_as_written CHECK (as_written IS NULL OR json_valid(as_written)), -- JSON object of the texts that the columns hold otherwise (names, times), by the publisher's key, NULL for none
    extra                      TEXT CONSTRAINT inferencex_api_server_metrics_meta_extra CHECK (extra IS NULL OR json_valid(extra)), -- JSON object of what has no column, by the publisher's key, NULL for nothing
    PRIMARY KEY (sha256, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE inferencex_api_server_series ( -- A series of server metrics, as a capture of /trace-server-metrics states it. server_metric_samples has the points as rows. What the series are is told by the publisher's code (InferenceX-app, compute-chart-series.ts): means over engines of what is a share, sums over engines of what is counted. What is large stands last. Known by the capture and the place in it.
    sha256     TEXT NOT NULL REFERENCES inferencex_body_files (sha256), -- the capture
    position   INTEGER NOT NULL, -- of the series in the body, from 1
    series     TEXT NOT NULL, -- the publisher's key: kvCacheUsage, hostKvCacheUsage and kvCacheUsageByEngine are shares of a KV cache in use and prefixCacheHitRate is one of prompt tokens, from 0 to 1; queueDepth counts requests; prefillTps, decodeTps, prefixCacheHitsTps and promptTokensBySource are tokens per second
    label      TEXT, -- the source of promptTokensBySource (engine labels of kvCacheUsageByEngine likewise), NULL where the series has none
    samples    INTEGER, -- points in it, NULL where unstated
    as_written TEXT CONSTRAINT inferencex_api_server_series_as_written CHECK (as_written IS NULL OR json_valid(as_written)), -- JSON object of the texts that the columns hold otherwise (names, times), by the publisher's key, NULL for none
    extra      TEXT CONSTRAINT inferencex_api_server_series_extra CHECK (extra IS NULL OR json_valid(extra)), -- JSON object of what has no column, by the publisher's key, NULL for nothing
    points     TEXT CONSTRAINT inferencex_api_server_series_points CHECK (points IS NULL OR json_valid(points)), -- JSON list of objects: t is in seconds from the window's start, the others are the values (value, or running, waiting and total of queueDepth), NULL where unstated
    PRIMARY KEY (sha256, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE inferencex_api_server_metric_sources ( -- A server or worker whose metrics are kept by themselves, as a capture of /trace-server-metrics describes it. The reference fixes no keys: these are of the publisher's code, what has no column is in extra. Known by the capture and the place in it.
    sha256       TEXT NOT NULL REFERENCES inferencex_body_files (sha256), -- the capture
    position     INTEGER NOT NULL, -- of the row in its list, from 1
    source_id    TEXT, -- the publisher's id of it, NULL where unstated
    adapter      TEXT, -- how the publisher read it, such as dynamo, NULL where unstated
    role         TEXT, -- such as router, prefill or decode, NULL where unstated
    endpoint_url TEXT, -- where the metrics were scraped, NULL where unstated
    native_role  TEXT, -- its role in the words of the framework, NULL where unstated
    worker_id    TEXT, -- the worker, NULL where unstated
    dp_rank      TEXT, -- its data parallel rank, NULL where unstated
    engine       TEXT, -- its engine, NULL where unstated
    as_written   TEXT CONSTRAINT inferencex_api_server_metric_sources_as_written CHECK (as_written IS NULL OR json_valid(as_written)), -- JSON object of the texts that the columns hold otherwise (names, times), by the publisher's key, NULL for none
    extra        TEXT CONSTRAINT inferencex_api_server_metric_sources_extra CHECK (extra IS NULL OR json_valid(extra)), -- JSON object of what has no column, by the publisher's key, NULL for nothing
    PRIMARY KEY (sha256, position)
) STRICT, WITHOUT ROWID;

CREATE VIEW trace_samples ( -- The lengths of requests of benchmarks, a sample in a row, as captures of /trace-histograms state them. The newest capture of a benchmark is not picked.
    sha256,       -- the capture
    published_id, -- the publisher's id of the benchmark row
    length,       -- isl or osl
    sample,       -- position in its list, from 1: the two lists need not be of the same requests
    tokens        -- the length, tokens
) AS
SELECT h.sha256, h.published_id, 'isl', s.key + 1, s.value
FROM inferencex_api_trace_histograms h
JOIN json_each(h.isl_samples) s ON s.type IN ('integer', 'real')
UNION ALL
SELECT h.sha256, h.published_id, 'osl', s.key + 1, s.value
FROM inferencex_api_trace_histograms h
JOIN json_each(h.osl_samples) s ON s.type IN ('integer', 'real');

CREATE VIEW server_metric_samples ( -- The points of server metrics, a value in a row, as captures of /trace-server-metrics state them. The newest capture of a benchmark is not picked.
    sha256,       -- the capture
    published_id, -- the publisher's id of the benchmark row, NULL where unstated
    series,       -- the publisher's key of the series, see inferencex_api_server_series
    label,        -- the source or engine, NULL where the series has none
    position,     -- of the series in the capture, which tells apart those of one name
    sample,       -- position of the point in its series, from 1
    t_s,          -- when it was scraped, seconds from the window's start, NULL where unstated
    key,          -- of the value: value (v in the reference's example), or running, waiting and total; NULL where the point has none
    value         -- a share from 0 to 1, a number of requests, or a rate of tokens, by its series; JSON where it is no number
) AS
SELECT s.sha256, m.published_id, s.series, s.label, s.position, p.key + 1, json_extract(p.value, '$.t'), k.key, k.value
FROM inferencex_api_server_series s
LEFT JOIN inferencex_api_server_metrics_meta m ON m.sha256 = s.sha256
JOIN json_each(s.points) p
LEFT JOIN json_each(p.value) k ON k.key <> 't';

DROP VIEW inferencex_newest_bodies;

CREATE VIEW inferencex_bodies_by_age ( -- The captures of each operation from the newest on: the one that a ledger says came or was confirmed last is the first, those without a ledger are older, of them the one that was loaded last is the first. Of what is asked for point by point, the newest that has a point is the one of the least place.
    operation,   -- the operation
    sha256,      -- of the capture
    place,       -- 1 for the newest of the operation
    captured_at, -- when it came or was confirmed as an answer of the operation, RFC 3339 in UTC, NULL where no ledger tells
    loaded_at    -- when it was loaded last, RFC 3339 in UTC
) AS
SELECT
    b.operation,
    b.sha256,
    row_number() OVER (PARTITION BY b.operation ORDER BY c.captured_at IS NULL, c.captured_at DESC, d.document_id DESC, b.sha256),
    c.captured_at,
    d.loaded_at
FROM inferencex_bodies b
LEFT JOIN (
    SELECT sha256, CASE operation WHEN 'collectivex-latest' THEN 'collectivex-run' ELSE operation END AS operation, max(started_at) AS captured_at
    FROM inferencex_captures
    WHERE sha256 IS NOT NULL
    GROUP BY 1, 2
) c ON c.sha256 = b.sha256 AND c.operation = b.operation
LEFT JOIN (SELECT sha256, max(document_id) AS document_id, max(loaded_at) AS loaded_at FROM documents GROUP BY sha256) d ON d.sha256 = b.sha256;

CREATE VIEW inferencex_newest_bodies ( -- The newest capture of each operation, see inferencex_bodies_by_age. Operations whose captures depend on parameters have one each all the same: see inferencex_captures.params.
    operation,   -- the operation
    sha256,      -- of the capture
    captured_at, -- when it came or was confirmed as an answer of the operation, RFC 3339 in UTC, NULL where no ledger tells
    loaded_at    -- when it was loaded last, RFC 3339 in UTC
) AS
SELECT operation, sha256, captured_at, loaded_at
FROM inferencex_bodies_by_age
WHERE place = 1;
