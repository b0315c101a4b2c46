-- name: check-superseded-scorable
-- summary: superseded runs that could be scored, of chains in which no run can
-- columns: finding, subject, detail
--
-- A chain is everything that supersession connects, branches and cycles
-- included. Each run listed would be scorable if nothing superseded it: the
-- chain has lost what it had to score against.
WITH RECURSIVE
-- What may be scored, and from there all that it is connected with: each name once, however long the chain is.
served (name) AS (
    SELECT s.name FROM runs AS r JOIN scorable_runs AS s ON s.run_id = r.run_id WHERE r.supersedes IS NOT NULL
    UNION
    SELECT s.name FROM served AS c JOIN runs AS s ON s.supersedes = c.name
    UNION
    SELECT r.supersedes FROM served AS c JOIN runs AS r ON r.name = c.name WHERE r.supersedes IS NOT NULL
),
lost (run_id, name, head) AS (
    SELECT r.run_id, r.name, h.head
    FROM (SELECT DISTINCT s.supersedes AS name FROM runs AS s WHERE s.supersedes IS NOT NULL) AS x
    JOIN runs AS r ON r.name = x.name
    JOIN supersessions AS h ON h.run_id = r.run_id
    WHERE x.name NOT IN (SELECT name FROM served)
      AND r.hidden_by_attempt IS NULL
      AND NOT EXISTS (SELECT 1 FROM unscorable_reasons AS u WHERE u.run_id = r.run_id AND u.code <> 'superseded')
),
-- Why the heads may not be scored, each once.
heads (name, blocked_by) AS (
    SELECT x.head, coalesce(
        (SELECT group_concat(code, ', ') FROM (SELECT u.code FROM unscorable_reasons AS u WHERE u.run_id = t.run_id ORDER BY u.code)),
        'attempt ' || t.hidden_by_attempt || ' hides it')
    FROM (SELECT DISTINCT l.head FROM lost AS l WHERE l.head IS NOT NULL) AS x
    JOIN runs AS t ON t.name = x.head
)
SELECT
    'superseded' AS finding,
    l.name AS subject,
    'no run of its chain may be scored; this one could be, but is '
        || (SELECT u.detail FROM unscorable_reasons AS u WHERE u.run_id = l.run_id AND u.code = 'superseded')
        || CASE WHEN l.head IS NULL THEN '; the chain has no single head' ELSE '; the head ' || h.name || ' may not be: ' || h.blocked_by END AS detail
FROM lost AS l
LEFT JOIN heads AS h ON h.name = l.head
ORDER BY l.name;
