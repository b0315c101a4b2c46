-- +goose Up
CREATE TABLE inferencex_api_timelines ( -- A timeline of the requests of a benchmark, as a capture of /request-timeline states it: a row for each capture. inferencex_timelines says which benchmark it is of. The publisher computes with doubles, so that times since 1970 are multiples of 256 ns. Known by the capture and the place in it.
    sha256     TEXT NOT NULL REFERENCES inferencex_body_files (sha256), -- the capture
    position   INTEGER NOT NULL, -- of the row in its list, from 1
    version    INTEGER NOT NULL, -- of the publisher's extraction: any is loaded, for the keys say what is there. 6 is the first with replay indices
    start_ns   INTEGER NOT NULL, -- the earliest event, ns since 1970 in UTC: what the times of requests count from
    end_ns     INTEGER NOT NULL, -- the latest end of a request, ns since 1970 in UTC
    duration_s REAL NOT NULL,    -- from the earliest event to the latest end as stated, seconds
    as_written TEXT CONSTRAINT inferencex_api_timelines_as_written CHECK (as_written IS NULL OR json_valid(as_written)), -- JSON object of the texts that the columns hold otherwise (names, times), by the publisher's key, NULL for none
    extra      TEXT CONSTRAINT inferencex_api_timelines_extra CHECK (extra IS NULL OR json_valid(extra)), -- JSON object of what has no column, by the publisher's key, NULL for nothing
    PRIMARY KEY (sha256, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE inferencex_api_timeline_requests ( -- A request of a timeline, as a capture of /request-timeline states it: tens of thousands for each capture, and no view reads them. What its keys mean is told by the publisher's code (InferenceX-app, compute-request-timeline.ts), which reads the records of the client, AIPerf. Times are as stated, also where they contradict each other. Known by the capture and the place in it.
    sha256             TEXT NOT NULL REFERENCES inferencex_body_files (sha256), -- the capture
    position           INTEGER NOT NULL, -- of the row in its list, from 1; the publisher lists requests by their start
    conversation_id    TEXT NOT NULL, -- cid: the conversation that is replayed, that of a sub-agent has an id of its own; unknown where the client recorded none
    replay_index       INTEGER, -- ri: which replay it belongs to, sub-agents included, from 0 in the order of first dispatch: one conversation may be replayed several times at once. NULL where unstated
    turn_index         INTEGER NOT NULL, -- ti: of the turn in its conversation, from 0; 0 also where the client recorded none
    source_trace       TEXT,    -- srcTrace: the trace of the data set that it is from, NULL where unstated
    source_outer_index INTEGER, -- srcOuter: of the request in that trace, NULL where unstated
    source_inner_index INTEGER, -- srcInner: of a sub-agent's request within it, NULL where unstated
    source_kind        TEXT,    -- srcKind: the loader's word for where it is from, such as weka_main, NULL where unstated
    worker_id          TEXT NOT NULL, -- wid: the client's worker that sent it; unknown where none was recorded
    agent_depth        INTEGER NOT NULL, -- ad: 0 for the agent itself, 1 for its sub-agents, and so on
    phase              TEXT NOT NULL, -- warmup or profiling: only the latter is measured; unknown where none was recorded
    credit_ns          INTEGER NOT NULL, -- credit: when the client decided to send it, ns from the timeline's start; its sending where that was not recorded
    start_ns           INTEGER NOT NULL, -- start: when sending began, ns from the timeline's start
    ack_ns             INTEGER, -- ack: when the server first answered, ns from the timeline's start, NULL where unstated
    end_ns             INTEGER NOT NULL, -- end: when the last of the response came, ns from the timeline's start
    ttft_ms            REAL,    -- ttftMs: from sending to the first token, ms, NULL where unstated
    tpot_ms            REAL,    -- tpotMs: per output token after the first, ms, NULL where unstated
    isl                INTEGER, -- input tokens, NULL where unstated
    osl                INTEGER, -- output tokens, NULL where unstated
    cancelled          INTEGER NOT NULL CONSTRAINT inferencex_api_timeline_requests_cancelled CHECK (cancelled IN (0, 1)), -- whether the client cancelled it
    as_written         TEXT CONSTRAINT inferencex_api_timeline_requests_as_written CHECK (as_written IS NULL OR json_valid(as_written)), -- JSON object of the texts that the columns hold otherwise (names, times), by the publisher's key, NULL for none
    extra              TEXT CONSTRAINT inferencex_api_timeline_requests_extra CHECK (extra IS NULL OR json_valid(extra)), -- JSON object of what has no column, by the publisher's key, NULL for nothing
    PRIMARY KEY (sha256, position)
) STRICT, WITHOUT ROWID;

CREATE VIEW inferencex_timelines ( -- The captured timelines and the benchmarks that they are of: a row for each capture and id that a ledger says was asked for. Reads no request.
    sha256,       -- the capture
    published_id, -- the publisher's id of the benchmark row, which locates it in its database and identifies nothing; NULL where no ledger tells
    newest,       -- 1 for the capture of the id that came or was confirmed last; also for each that no ledger tells of
    version,      -- of the publisher's extraction
    requests,     -- requests of the timeline that were stored
    start_ns,     -- the earliest event, ns since 1970 in UTC
    end_ns,       -- the latest end of a request, ns since 1970 in UTC
    duration_s,   -- from the earliest event to the latest end as stated, seconds
    captured_at,  -- when the capture came or was confirmed last, RFC 3339 in UTC, NULL where no ledger tells
    url           -- the address that was asked for, NULL where no ledger tells
) AS
SELECT
    t.sha256,
    c.published_id,
    row_number() OVER (PARTITION BY c.published_id, CASE WHEN c.published_id IS NULL THEN t.sha256 END ORDER BY c.captured_at DESC, t.sha256) = 1,
    t.version,
    b.rows - 1,
    t.start_ns,
    t.end_ns,
    t.duration_s,
    c.captured_at,
    c.url
FROM inferencex_api_timelines t
JOIN inferencex_bodies b ON b.sha256 = t.sha256 AND b.operation = 'request-timeline'
LEFT JOIN (
    SELECT sha256, CAST(json_extract(params, '$.id') AS INTEGER) AS published_id, max(started_at) AS captured_at, min(url) AS url
    FROM inferencex_captures
    WHERE sha256 IS NOT NULL AND operation = 'request-timeline'
    GROUP BY 1, 2
) c ON c.sha256 = t.sha256;
