-- Everything that stands against EXACT of a run (:run_id).
SELECT x.code, x.path, x.detail
FROM verdict_reasons AS x
WHERE x.run_id = :run_id
ORDER BY x.path, x.code, x.detail;
