-- name: provenance-gaps
-- summary: settings whose value is contradicted, unverified or unstated, and in how many runs
-- param: setting text optional  the setting, such as block_size
-- param: model text optional  the model
-- columns: setting, runs, gaps, mismatch, unverifiable, unresolved, resolved, match, material, only_obstacle, run_names
--
-- Counted are catalog runs that no loaded run supersedes. runs compare the
-- setting at all; gaps are those in which it keeps them from EXACT: the sources
-- disagree (mismatch), no artifact shows which value ran (unverifiable), or no
-- more than one source states it and no engine rule fixes it (unresolved).
-- resolved and match are no gaps. material counts the gaps that are not known to
-- leave the metrics alone (material yes, unknown or bounded), only_obstacle the
-- runs that would be EXACT but for this setting. run_names are those of
-- the gaps. A setting has a row where it is compared, also without a gap.
WITH current (run_id, name) AS MATERIALIZED (
    SELECT r.run_id, r.name FROM runs AS r
    WHERE r.origin = 'catalog' AND (:model IS NULL OR r.model = :model)
      AND NOT EXISTS (SELECT 1 FROM runs AS s WHERE s.supersedes = r.name)
),
single_reason (run_id) AS MATERIALIZED (
    SELECT x.run_id FROM verdict_reasons AS x GROUP BY x.run_id HAVING count(*) = 1
),
compared AS (
    SELECT
        p.setting, c.name, p.verdict, p.resolved_by, p.material,
        EXISTS (SELECT 1 FROM verdict_reasons AS x WHERE x.run_id = p.run_id AND x.path = 'provenance[' || p.position || ']') AS gap,
        EXISTS (SELECT 1 FROM single_reason AS s WHERE s.run_id = p.run_id) AS single
    FROM current AS c
    JOIN provenance AS p ON p.run_id = c.run_id
    WHERE :setting IS NULL OR p.setting = :setting
)
SELECT
    g.setting,
    count(*) AS runs,
    sum(g.gap) AS gaps,
    sum(g.verdict = 'MISMATCH') AS mismatch,
    sum(g.verdict = 'UNVERIFIABLE') AS unverifiable,
    sum(g.verdict = 'UNSTATED' AND g.resolved_by IS NULL) AS unresolved,
    sum(g.resolved_by IS NOT NULL) AS resolved,
    sum(g.verdict = 'MATCH') AS match,
    sum(g.gap AND g.material <> 'no') AS material,
    sum(g.gap AND g.single) AS only_obstacle,
    (SELECT group_concat(name, ', ') FROM (SELECT n.name FROM compared AS n WHERE n.setting = g.setting AND n.gap = 1 ORDER BY n.name)) AS run_names
FROM compared AS g
GROUP BY g.setting
ORDER BY gaps DESC, g.setting;
