-- +goose Up
CREATE TABLE inferencex_workflow_runs ( -- An attempt of a GitHub workflow run, out of a dump of the publisher's database. Captures bring none: a run need not have its row here.
    github_run_id  INTEGER NOT NULL, -- GitHub's number of the run, as inferencex_runs.github_run_id
    run_attempt    INTEGER NOT NULL, -- the attempt, from 1; 1 where the dump states none
    name           TEXT, -- of the workflow, NULL where unstated
    status         TEXT, -- GitHub's word, such as completed, NULL where unstated
    conclusion     TEXT, -- GitHub's word, such as success or failure, NULL while it runs or where unstated
    head_sha       TEXT, -- the commit that ran, NULL where unstated
    head_branch    TEXT, -- its branch, NULL where unstated
    html_url       TEXT, -- its address as reported, NULL where unstated
    created_at     TEXT, -- RFC 3339 in UTC, NULL where unstated
    run_started_at TEXT, -- when the attempt started, RFC 3339 in UTC, NULL where unstated
    date           TEXT, -- the UTC day that the publisher gives it, YYYY-MM-DD, NULL where unstated
    PRIMARY KEY (github_run_id, run_attempt)
) STRICT, WITHOUT ROWID;

CREATE TABLE inferencex_evaluations ( -- An accuracy evaluation of a configuration, out of a dump: one task at one load. The publisher's row ids are no identity, rows that differ in them alone are one.
    evaluation_id   INTEGER PRIMARY KEY, -- surrogate key
    github_run_id   INTEGER, -- GitHub's number of the run, NULL where the row names none
    run_attempt     INTEGER, -- its attempt, NULL without github_run_id
    config_id       INTEGER NOT NULL REFERENCES inferencex_configs (config_id), -- the configuration, which need not have been measured
    task            TEXT NOT NULL, -- the evaluation's name, such as gsm8k
    date            TEXT NOT NULL, -- UTC day, YYYY-MM-DD
    isl             INTEGER, -- input tokens of the benchmark beside it, NULL where unstated
    osl             INTEGER, -- output tokens of the benchmark beside it, NULL where unstated
    conc            INTEGER, -- requests at a time, NULL where unstated
    lm_eval_version TEXT,    -- the release of the evaluation program, NULL where unstated
    CONSTRAINT inferencex_evaluations_attempt CHECK ((github_run_id IS NULL) = (run_attempt IS NULL))
) STRICT;

CREATE UNIQUE INDEX inferencex_evaluations_by_content ON inferencex_evaluations (
    config_id, task, date, ifnull(github_run_id, 0), ifnull(run_attempt, 0), ifnull(isl, 0), ifnull(osl, 0), ifnull(conc, 0)
);
CREATE INDEX inferencex_evaluations_by_github_run ON inferencex_evaluations (github_run_id, run_attempt);

CREATE TABLE inferencex_evaluation_metrics ( -- A metric of an evaluation: a number or a text, as reported.
    evaluation_id INTEGER NOT NULL REFERENCES inferencex_evaluations (evaluation_id) ON DELETE CASCADE, -- the evaluation
    key           TEXT NOT NULL, -- the publisher's key
    number        REAL, -- the value, an accuracy is a fraction of 1; NULL for a text
    text          TEXT, -- the text, or JSON of a list or object; NULL for a number
    PRIMARY KEY (evaluation_id, key),
    CONSTRAINT inferencex_evaluation_metrics_one CHECK ((number IS NULL) <> (text IS NULL))
) STRICT, WITHOUT ROWID;

CREATE TABLE inferencex_run_stats ( -- How many benchmark jobs of a workflow run succeeded on a hardware, out of a dump. A day has a row for each run: sum them.
    github_run_id INTEGER NOT NULL, -- GitHub's number of the run
    run_attempt   INTEGER NOT NULL, -- its attempt
    hardware      TEXT NOT NULL,    -- the accelerator, canonical name
    date          TEXT NOT NULL,    -- UTC day, YYYY-MM-DD
    n_success     INTEGER NOT NULL, -- jobs that succeeded
    total         INTEGER NOT NULL, -- jobs in all, may be 0: then there is no ratio
    PRIMARY KEY (github_run_id, run_attempt, hardware, date)
) STRICT, WITHOUT ROWID;

CREATE TABLE inferencex_changelog_entries ( -- What a workflow run changed in the publisher's recipes, out of a dump.
    github_run_id INTEGER, -- GitHub's number of the run, NULL where the row names none
    run_attempt   INTEGER, -- its attempt, NULL without github_run_id
    date          TEXT,    -- UTC day, YYYY-MM-DD, NULL where unstated
    base_ref      TEXT,    -- the commit compared from, NULL where unstated
    head_ref      TEXT,    -- the commit compared to, NULL where unstated
    config_keys   TEXT NOT NULL CONSTRAINT inferencex_changelog_entries_keys CHECK (json_valid(config_keys)), -- JSON list of the recipes concerned, in the publisher's order, empty for none
    description   TEXT,    -- what changed, NULL where unstated
    pr_link       TEXT,    -- the address of the pull request, NULL where unstated
    CONSTRAINT inferencex_changelog_entries_attempt CHECK ((github_run_id IS NULL) = (run_attempt IS NULL))
) STRICT;

CREATE UNIQUE INDEX inferencex_changelog_entries_by_content ON inferencex_changelog_entries (
    ifnull(github_run_id, 0), ifnull(run_attempt, 0), ifnull(date, ''), ifnull(base_ref, ''), ifnull(head_ref, ''), config_keys, ifnull(description, '')
);

CREATE TABLE inferencex_availability ( -- What the publisher lists as measured, out of a dump: a combination and a day. It is no evidence that its rows were loaded.
    model          TEXT NOT NULL, -- the publisher's model key
    isl            INTEGER, -- input tokens, NULL for agentic traces
    osl            INTEGER, -- output tokens, NULL for agentic traces
    precision      TEXT NOT NULL, -- of the weights, canonical name
    hardware       TEXT NOT NULL, -- the accelerator, canonical name
    framework      TEXT NOT NULL, -- the serving framework, canonical name
    spec_method    TEXT NOT NULL, -- speculative decoding, none for none
    disagg         INTEGER NOT NULL CONSTRAINT inferencex_availability_disagg CHECK (disagg IN (0, 1)), -- whether prefill and decode run on GPUs of their own
    benchmark_type TEXT NOT NULL, -- single_turn where the row does not state it
    date           TEXT NOT NULL  -- UTC day, YYYY-MM-DD
) STRICT;

CREATE UNIQUE INDEX inferencex_availability_by_content ON inferencex_availability (
    model, hardware, framework, precision, spec_method, disagg, benchmark_type, date, ifnull(isl, 0), ifnull(osl, 0)
);
