-- The bytes of a document (:sha256) that is or was a version of a run (:run).
SELECT c.content
FROM run_versions AS v
JOIN document_contents AS c ON c.sha256 = v.sha256
WHERE v.name = :run
  AND v.sha256 = :sha256
ORDER BY c.sha256;
