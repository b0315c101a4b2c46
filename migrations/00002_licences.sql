-- +goose Up
CREATE TABLE registries ( -- A licence registry that was loaded, identified by its file's path.
    registry_id INTEGER PRIMARY KEY, -- surrogate key
    path        TEXT NOT NULL UNIQUE, -- absolute path of its file
    sha256      TEXT NOT NULL REFERENCES document_contents (sha256) -- its version in effect
) STRICT;

CREATE TABLE registry_versions ( -- A version of a licence registry that was stored at some time, the one in effect included.
    path   TEXT NOT NULL, -- absolute path of its file
    sha256 TEXT NOT NULL REFERENCES document_contents (sha256), -- the document
    PRIMARY KEY (path, sha256)
) STRICT, WITHOUT ROWID;

CREATE TABLE licences ( -- A licence registry entry.
    licence_id  TEXT NOT NULL PRIMARY KEY, -- the slug that a run's license_ref names
    title       TEXT NOT NULL, -- what the source is
    spdx        TEXT,          -- SPDX identifier that the evidence states, NULL where none is stated
    status      TEXT NOT NULL CONSTRAINT licences_status CHECK (status IN ('verified', 'unverified', 'refused')), -- only a verified entry permits anything
    attribution TEXT,          -- what a use must carry, NULL for nothing
    note        TEXT,          -- why an entry is unverified or refused
    withdrawn   INTEGER NOT NULL DEFAULT 0 CONSTRAINT licences_withdrawn CHECK (withdrawn IN (0, 1)), -- 1 when its registry no longer has it while runs cite it, it then permits nothing
    registry_id INTEGER REFERENCES registries (registry_id) -- the registry whose content this is, NULL for the entry that the loader adds for InferenceX
) STRICT;

CREATE TABLE licence_permits ( -- A use that a registry entry permits, in effect only while the entry is verified and not withdrawn (see effective_permits).
    licence_id TEXT NOT NULL REFERENCES licences (licence_id) ON DELETE CASCADE, -- the entry
    use        TEXT NOT NULL CONSTRAINT licence_permits_use CHECK (use IN ('score', 'derive_coefficients', 'redistribute')), -- the use
    PRIMARY KEY (licence_id, use)
) STRICT, WITHOUT ROWID;

CREATE TABLE licence_evidence ( -- A quotation of the terms of a registry entry.
    licence_id TEXT NOT NULL REFERENCES licences (licence_id) ON DELETE CASCADE, -- the entry
    position   INTEGER NOT NULL, -- order in the entry, from 0
    url        TEXT NOT NULL,    -- where the terms are
    quote      TEXT NOT NULL,    -- the text that states them
    location   TEXT NOT NULL,    -- where the quoted text is
    PRIMARY KEY (licence_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE licence_claims ( -- A registry's statement about a licence: two claims of one licence with different digests are a conflict (see licence_conflicts).
    licence_id  TEXT NOT NULL,   -- the slug, not necessarily in licences
    registry_id INTEGER NOT NULL REFERENCES registries (registry_id), -- the registry that states it
    sha256      TEXT NOT NULL,   -- digest of entry
    entry       TEXT NOT NULL,   -- the entry's content as JSON in canonical form: it comes back into effect when a registry that overrode it drops its own
    PRIMARY KEY (licence_id, registry_id)
) STRICT, WITHOUT ROWID;
