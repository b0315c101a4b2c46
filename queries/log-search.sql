-- name: log-search
-- summary: where a text stands in the server logs that are loaded, with what is around it, as /server-log-search answers
-- param: text text  what to search for, literally
-- param: benchmark integer optional  the publisher's id of a benchmark
-- param: file text optional  the log, relative to the root of the run's artifacts
-- param: limit integer optional  how many matches at most, 50 when not given
-- param: context integer optional  how many characters before and behind a match, 120 when not given
-- columns: published_id, file_name, first_character, before_text, match_text, after_text, is_complete, contradictions
--
-- The 26 letters A to Z match in either case, every other character only itself:
-- é is not É here, while the publisher's database may take them for one. No
-- character has another meaning: % _ * \ are plain. first_character counts
-- characters (Unicode code points) from 0. Matches do not overlap: the search goes
-- on behind each.
-- before_text begins behind the match before at the earliest, for that is where
-- the publisher's search goes on; where a range of a log is missing, neither text
-- reaches across, and no match does. Logs are searched in the order of their
-- benchmarks, of each the primary log first, then by name.
-- is_complete is 0 where some of the log is not loaded, which is not searched, and
-- contradictions counts the places in which captures of it differ: there the
-- search reads one of them (see server_log_contradictions).
-- A NUL reads as U+2400.
WITH RECURSIVE
pieces AS MATERIALIZED ( -- of all logs in the order of the search, place counts them and log the logs
    SELECT
        row_number() OVER (ORDER BY published_id IS NULL, published_id, is_primary DESC, file_name, first_character) AS place,
        dense_rank() OVER (ORDER BY published_id IS NULL, published_id, is_primary DESC, file_name) AS log,
        published_id,
        file_name,
        stretch,
        first_character AS begins,
        characters,
        first_character - piece_from AS skipped,
        sha256,
        position
    FROM server_log_pieces
    WHERE characters > 0 AND (:benchmark IS NULL OR published_id = :benchmark) AND (:file IS NULL OR file_name = :file)
),
-- A row is a step of the search: at a character of a piece (read of it may be more
-- than it has, where a match went beyond), found is NULL before it is searched, and
-- then where the match is from there on, 0 for none. behind is the end of the
-- last match in the log.
search (place, read, found, behind, matches) AS (
    SELECT 1, 0, NULL, 0, 0
    UNION ALL
    SELECT
        CASE WHEN s.found IS NULL AND s.read >= p.characters THEN s.place + 1 ELSE s.place END,
        CASE
            WHEN s.found > 0 THEN s.read + s.found - 1 + length(:text)
            WHEN s.found = 0 THEN p.characters
            WHEN s.read >= p.characters THEN s.read - p.characters
            ELSE s.read
        END,
        CASE WHEN s.found IS NULL AND s.read < p.characters THEN instr(
            lower((
                SELECT substr(t.text, p.skipped + s.read + 1)
                FROM inferencex_api_server_log_pieces AS t
                WHERE t.sha256 = p.sha256 AND t.position = p.position
            ) || CASE WHEN length(:text) = 1 OR n.place IS NULL THEN '' WHEN n.characters >= length(:text) - 1 THEN (
                SELECT substr(t.text, n.skipped + 1, length(:text) - 1)
                FROM inferencex_api_server_log_pieces AS t
                WHERE t.sha256 = n.sha256 AND t.position = n.position
            ) ELSE (
                SELECT substr(group_concat(following, ''), 1, length(:text) - 1)
                FROM (
                    SELECT substr(t.text, f.skipped + 1) AS following
                    FROM pieces AS f
                    JOIN inferencex_api_server_log_pieces AS t ON t.sha256 = f.sha256 AND t.position = f.position
                    WHERE f.place > p.place AND f.log = p.log AND f.stretch = p.stretch AND f.begins < p.begins + p.characters + length(:text) - 1
                    ORDER BY f.place
                )
            ) END),
            lower(:text)
        ) END,
        CASE WHEN s.found > 0 THEN p.begins + s.read + s.found - 1 + length(:text) WHEN s.found IS NULL AND s.read >= p.characters AND n.log IS NULL THEN 0 ELSE s.behind END,
        s.matches + ifnull(s.found > 0, 0)
    FROM search AS s
    JOIN pieces AS p ON p.place = s.place
    LEFT JOIN pieces AS n ON n.place = s.place + 1 AND n.log = p.log AND n.stretch = p.stretch
    WHERE s.matches < ifnull(:limit, 50) AND length(:text) > 0
),
matched AS (
    SELECT p.*, p.begins + s.read + s.found - 1 AS first_character, s.behind
    FROM search AS s
    JOIN pieces AS p ON p.place = s.place
    WHERE s.found > 0
),
ranges AS ( -- what is shown of the logs
    SELECT *, 0 AS from_match, max(behind, first_character - max(ifnull(:context, 120), 0)) AS shown_from, first_character AS shown_end FROM matched
    UNION ALL
    SELECT *, 1, first_character, first_character + length(:text) + max(ifnull(:context, 120), 0) FROM matched
),
texts AS (
    SELECT
        r.log,
        r.published_id,
        r.file_name,
        r.first_character,
        r.from_match,
        CASE WHEN r.shown_from >= r.begins AND r.shown_end <= r.begins + r.characters THEN ( -- mostly it is within the piece of the match
            SELECT substr(t.text, r.skipped + 1 + r.shown_from - r.begins, r.shown_end - r.shown_from)
            FROM inferencex_api_server_log_pieces AS t
            WHERE t.sha256 = r.sha256 AND t.position = r.position
        ) ELSE (
            SELECT group_concat(part, '')
            FROM (
                SELECT substr(t.text, p.skipped + 1 + max(r.shown_from - p.begins, 0), min(r.shown_end - p.begins, p.characters) - max(r.shown_from - p.begins, 0)) AS part
                FROM pieces AS p
                JOIN inferencex_api_server_log_pieces AS t ON t.sha256 = p.sha256 AND t.position = p.position
                WHERE p.log = r.log AND p.stretch = r.stretch AND p.begins < r.shown_end AND p.begins + p.characters > r.shown_from
                ORDER BY p.place
            )
        ) END AS text
    FROM ranges AS r
)
SELECT
    t.published_id,
    t.file_name,
    t.first_character,
    ifnull(max(CASE WHEN t.from_match = 0 THEN t.text END), '') AS before_text,
    max(CASE WHEN t.from_match = 1 THEN substr(t.text, 1, length(:text)) END) AS match_text,
    max(CASE WHEN t.from_match = 1 THEN substr(t.text, length(:text) + 1) END) AS after_text,
    l.is_complete,
    l.contradictions
FROM texts AS t
JOIN server_logs AS l ON l.published_id IS t.published_id AND l.file_name IS t.file_name
GROUP BY t.log, t.first_character
ORDER BY t.log, t.first_character
