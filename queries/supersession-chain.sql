-- name: supersession-chain
-- summary: all runs that supersession connects with a run
-- param: run text  a run of the chain, or an absent one that it names
-- columns: name, supersedes, loaded
--
-- The chain has everything that a run of it supersedes or is superseded by,
-- branches included. A name that is superseded but not loaded has loaded 0.
-- What each run is worth, query scorable-runs tells.
WITH RECURSIVE chain (name) AS (
    SELECT r.name FROM runs AS r WHERE r.name = :run OR r.supersedes = :run
    UNION
    SELECT s.name FROM chain AS c JOIN runs AS s ON s.supersedes = c.name
    UNION
    SELECT r.supersedes FROM chain AS c JOIN runs AS r ON r.name = c.name WHERE r.supersedes IS NOT NULL
)
SELECT c.name, r.supersedes, r.run_id IS NOT NULL AS loaded
FROM chain AS c
LEFT JOIN runs AS r ON r.name = c.name
ORDER BY c.name;
