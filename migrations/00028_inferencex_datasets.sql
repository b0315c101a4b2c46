-- +goose Up
CREATE TABLE inferencex_api_datasets ( -- A data set of traces, as a capture of /datasets states it. Known by the capture and the place in it.
    sha256               TEXT NOT NULL REFERENCES inferencex_bodies (sha256), -- the capture
    position             INTEGER NOT NULL, -- of the row in its list, from 1
    published_dataset_id TEXT, -- the publisher's id of the data set: no identity, NULL where unstated
    slug                 TEXT NOT NULL, -- the publisher's name of the data set, as in addresses
    label                TEXT, -- its title, NULL where unstated
    variant              TEXT, -- of the data set, NULL where unstated
    description          TEXT, -- what it is, NULL where unstated
    hf_url               TEXT, -- its address at Hugging Face, NULL where unstated
    licence              TEXT, -- the licence that the publisher states for the data set, as written; no entry of a registry, so it permits nothing. NULL where unstated
    conversation_count   INTEGER, -- conversations in it, NULL where unstated
    ingested_at          TEXT, -- when the publisher read it, RFC 3339 in UTC, NULL where unstated
    summary              TEXT CONSTRAINT inferencex_api_datasets_summary CHECK (json_valid(summary)), -- JSON object of totals and means, whose keys the reference does not fix, NULL where unstated
    as_written           TEXT CONSTRAINT inferencex_api_datasets_as_written CHECK (json_valid(as_written)), -- JSON object of the texts that the columns hold otherwise (names, times), by the publisher's key, NULL for none
    extra                TEXT CONSTRAINT inferencex_api_datasets_extra CHECK (json_valid(extra)), -- JSON object of what has no column, by the publisher's key, NULL for nothing
    PRIMARY KEY (sha256, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE inferencex_api_dataset_details ( -- A data set with its distributions, as a capture of /datasets/{slug} states it: a row for each capture. What is large stands last. Known by the capture and the place in it.
    sha256               TEXT NOT NULL REFERENCES inferencex_bodies (sha256), -- the capture
    position             INTEGER NOT NULL, -- of the row in its list, from 1
    published_dataset_id TEXT, -- the publisher's id of the data set: no identity, NULL where unstated
    slug                 TEXT NOT NULL, -- the publisher's name of the data set, as in addresses
    label                TEXT, -- its title, NULL where unstated
    variant              TEXT, -- of the data set, NULL where unstated
    description          TEXT, -- what it is, NULL where unstated
    hf_url               TEXT, -- its address at Hugging Face, NULL where unstated
    licence              TEXT, -- the licence that the publisher states for the data set, as written; no entry of a registry, so it permits nothing. NULL where unstated
    conversation_count   INTEGER, -- conversations in it, NULL where unstated
    ingested_at          TEXT, -- when the publisher read it, RFC 3339 in UTC, NULL where unstated
    summary              TEXT CONSTRAINT inferencex_api_dataset_details_summary CHECK (json_valid(summary)), -- JSON object of totals and means, whose keys the reference does not fix, NULL where unstated
    as_written           TEXT CONSTRAINT inferencex_api_dataset_details_as_written CHECK (json_valid(as_written)), -- JSON object of the texts that the columns hold otherwise (names, times), by the publisher's key, NULL for none
    extra                TEXT CONSTRAINT inferencex_api_dataset_details_extra CHECK (json_valid(extra)), -- JSON object of what has no column, by the publisher's key, NULL for nothing
    chart_data           TEXT CONSTRAINT inferencex_api_dataset_details_chart_data CHECK (json_valid(chart_data)), -- JSON object of distributions, whose keys the reference does not fix, NULL where unstated
    PRIMARY KEY (sha256, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE inferencex_api_conversation_pages ( -- A capture of /datasets/{slug}/conversations: a row for each capture. Which data set it is of only the capture's address says: inferencex_captures.params. Known by the capture and the place in it.
    sha256     TEXT NOT NULL REFERENCES inferencex_bodies (sha256), -- the capture
    position   INTEGER NOT NULL, -- of the row in its list, from 1
    total      INTEGER NOT NULL, -- conversations that the question fits, on all pages
    as_written TEXT CONSTRAINT inferencex_api_conversation_pages_as_written CHECK (json_valid(as_written)), -- JSON object of the texts that the columns hold otherwise (names, times), by the publisher's key, NULL for none
    extra      TEXT CONSTRAINT inferencex_api_conversation_pages_extra CHECK (json_valid(extra)), -- JSON object of what has no column, by the publisher's key, NULL for nothing
    PRIMARY KEY (sha256, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE inferencex_api_conversations ( -- A conversation of a data set, as a capture of /datasets/{slug}/conversations counts it. Which data set it is of only the capture's address says: inferencex_captures.params. Known by the capture and the place in it.
    sha256              TEXT NOT NULL REFERENCES inferencex_bodies (sha256), -- the capture
    position            INTEGER NOT NULL, -- of the row in its list, from 1
    conv_id             TEXT NOT NULL, -- the publisher's id of the conversation, within its data set
    models              TEXT CONSTRAINT inferencex_api_conversations_models CHECK (json_valid(models)), -- JSON list of the models that answered in it, NULL where unstated
    num_turns           INTEGER, -- turns, NULL where unstated
    num_subagent_groups INTEGER, -- groups of subagents, NULL where unstated
    total_in            INTEGER, -- input tokens of its requests, NULL where unstated
    total_out           INTEGER, -- output tokens of its requests, NULL where unstated
    total_cached        INTEGER, -- input tokens that a cache could serve, NULL where unstated
    as_written          TEXT CONSTRAINT inferencex_api_conversations_as_written CHECK (json_valid(as_written)), -- JSON object of the texts that the columns hold otherwise (names, times), by the publisher's key, NULL for none
    extra               TEXT CONSTRAINT inferencex_api_conversations_extra CHECK (json_valid(extra)), -- JSON object of what has no column, by the publisher's key, NULL for nothing
    PRIMARY KEY (sha256, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE inferencex_api_conversation_structures ( -- A conversation with its structure, as a capture of /datasets/{slug}/conversations/{convId} states it: a row for each capture. Which data set it is of only the capture's address says: inferencex_captures.params. What is large stands last. Known by the capture and the place in it.
    sha256              TEXT NOT NULL REFERENCES inferencex_bodies (sha256), -- the capture
    position            INTEGER NOT NULL, -- of the row in its list, from 1
    conv_id             TEXT NOT NULL, -- the publisher's id of the conversation, within its data set
    models              TEXT CONSTRAINT inferencex_api_conversation_structures_models CHECK (json_valid(models)), -- JSON list of the models that answered in it, NULL where unstated
    num_turns           INTEGER, -- turns, NULL where unstated
    num_subagent_groups INTEGER, -- groups of subagents, NULL where unstated
    total_in            INTEGER, -- input tokens of its requests, NULL where unstated
    total_out           INTEGER, -- output tokens of its requests, NULL where unstated
    total_cached        INTEGER, -- input tokens that a cache could serve, NULL where unstated
    as_written          TEXT CONSTRAINT inferencex_api_conversation_structures_as_written CHECK (json_valid(as_written)), -- JSON object of the texts that the columns hold otherwise (names, times), by the publisher's key, NULL for none
    extra               TEXT CONSTRAINT inferencex_api_conversation_structures_extra CHECK (json_valid(extra)), -- JSON object of what has no column, by the publisher's key, NULL for nothing
    structure           TEXT CONSTRAINT inferencex_api_conversation_structures_structure CHECK (json_valid(structure)), -- JSON object of nested requests, whose keys the reference does not fix, NULL where unstated
    PRIMARY KEY (sha256, position)
) STRICT, WITHOUT ROWID;

CREATE VIEW dataset_licences ( -- The licences that captures state for the data sets of InferenceX: a row for each licence that was ever stated for one. The publisher's word on traces that were replayed, and no licence of measurements: no run refers to it, the licences in effect do not have it, and it permits nothing.
    slug,        -- the publisher's name of the data set
    licence,     -- as the publisher writes it, such as an SPDX identifier, NULL where a capture states none
    captures,    -- how many captures state it
    captured_at  -- when the newest of them came or was confirmed, RFC 3339 in UTC, NULL where no ledger tells
) AS
WITH stated (sha256, slug, licence) AS (
    SELECT sha256, slug, licence FROM inferencex_api_datasets
    UNION
    SELECT sha256, slug, licence FROM inferencex_api_dataset_details
)
SELECT s.slug, s.licence, count(*), max(c.captured_at)
FROM stated s
LEFT JOIN (SELECT sha256, max(started_at) AS captured_at FROM inferencex_captures WHERE sha256 IS NOT NULL GROUP BY sha256) c ON c.sha256 = s.sha256
GROUP BY s.slug, s.licence;
