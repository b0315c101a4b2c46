-- name: duplicate-groups
-- summary: sets of runs that measured the same, with the run to keep of each, why, and what authors should declare
-- columns: group_id, name, keep, verdict, duplicate_of, supersedes, keep_reason, relation, licence, declaration
--
-- Exact and overlap pairs connect a set; group_id is its first name. The run to
-- keep comes first, with the criterion that sets it apart from the next best.
-- relation is how another run relates to it: exact, overlap, or connected,
-- through others only. declaration is the line to paste into the run's
-- document. It names the best run of exactly the same content, which need not
-- be the run to keep, for only an exact pair makes a declaration true.
SELECT g.group_id, g.name, g.keep, v.verdict, r.duplicate_of, r.supersedes, g.keep_reason, g.relation, g.licence, g.declaration
FROM duplicate_groups AS g
JOIN runs AS r ON r.name = g.name
JOIN verdicts AS v ON v.run_id = r.run_id
ORDER BY g.group_id, g.keep DESC, g.name;
