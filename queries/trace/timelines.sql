-- The captured timelines that a name means: a published id, or the beginning of a digest.
SELECT sha256, published_id, requests, captured_at
FROM inferencex_timelines
WHERE published_id = :id OR length(:digest) >= 8 AND substr(sha256, 1, length(:digest)) = :digest
ORDER BY sha256, published_id;
