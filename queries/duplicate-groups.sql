-- name: duplicate-groups
-- summary: sets of runs that measured the same, with the run to keep of each
-- columns: group_id, name, keep, verdict, duplicate_of, supersedes
--
-- Exact and overlap pairs connect a set; group_id is its first name.
SELECT g.group_id, g.name, g.keep, v.verdict, r.duplicate_of, r.supersedes
FROM duplicate_groups AS g
JOIN runs AS r ON r.name = g.name
JOIN verdicts AS v ON v.run_id = r.run_id
ORDER BY g.group_id, g.keep DESC, g.name;
