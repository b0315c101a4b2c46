-- name: summary
-- summary: what the database holds, a row for each count
-- columns: what, number
--
-- Runs that a newer attempt of the same GitHub run hides are counted apart,
-- and in no count after that.
WITH
seen (run_id, origin) AS MATERIALIZED (SELECT r.run_id, r.origin FROM runs AS r WHERE r.hidden_by_attempt IS NULL),
by_origin (origin, runs) AS MATERIALIZED (SELECT s.origin, count(*) FROM seen AS s GROUP BY s.origin),
by_verdict (verdict, runs) AS MATERIALIZED (SELECT v.verdict, count(*) FROM verdicts AS v JOIN seen AS s ON s.run_id = v.run_id GROUP BY v.verdict),
counts (position, what, number) AS (
    SELECT 1, 'runs', (SELECT count(*) FROM seen)
    UNION ALL SELECT 2, 'runs of catalogs', coalesce((SELECT b.runs FROM by_origin AS b WHERE b.origin = 'catalog'), 0)
    UNION ALL SELECT 3, 'runs of InferenceX', coalesce((SELECT b.runs FROM by_origin AS b WHERE b.origin = 'inferencex'), 0)
    UNION ALL SELECT 4, 'runs of EvaluationRun documents', coalesce((SELECT b.runs FROM by_origin AS b WHERE b.origin = 'evaluation'), 0)
    UNION ALL SELECT 5, 'runs hidden by a newer attempt', (SELECT count(*) FROM runs AS r WHERE r.hidden_by_attempt IS NOT NULL)
    UNION ALL SELECT 6, 'points', (SELECT count(*) FROM points AS p JOIN seen AS s ON s.run_id = p.run_id)
    UNION ALL SELECT 7, 'runs that are EXACT', coalesce((SELECT b.runs FROM by_verdict AS b WHERE b.verdict = 'EXACT'), 0)
    UNION ALL SELECT 8, 'runs that are PARTIAL', coalesce((SELECT b.runs FROM by_verdict AS b WHERE b.verdict = 'PARTIAL'), 0)
    UNION ALL SELECT 9, 'runs that are NOT_REPRODUCIBLE', coalesce((SELECT b.runs FROM by_verdict AS b WHERE b.verdict = 'NOT_REPRODUCIBLE'), 0)
    UNION ALL SELECT 10, 'runs that may be scored', (SELECT count(*) FROM scorable_runs)
    UNION ALL SELECT 11, 'runs that may anchor calibration', (SELECT count(*) FROM calibration_runs)
    UNION ALL SELECT 12, 'models', (SELECT count(DISTINCT r.model) FROM runs AS r JOIN seen AS s ON s.run_id = r.run_id)
    UNION ALL SELECT 13, 'kinds of hardware', (SELECT count(DISTINCT r.hardware) FROM runs AS r JOIN seen AS s ON s.run_id = r.run_id)
    UNION ALL SELECT 14, 'licences that runs cite', (SELECT count(DISTINCT nullif(r.licence_id, '')) FROM runs AS r JOIN seen AS s ON s.run_id = r.run_id)
    UNION ALL SELECT 15, 'points that a plausibility rule points at', (SELECT count(DISTINCT f.point_id) FROM flagged_points AS f)
)
SELECT c.what, c.number FROM counts AS c ORDER BY c.position;
