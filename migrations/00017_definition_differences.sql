-- +goose Up
CREATE VIEW definition_fields ( -- A field of a metric's definition in the form that definitions are compared in. Whose text it is (cite) is none.
    definition_id, -- the definition
    field,         -- formula, statistic, population, denominator, clock, start_event, stop_event, output_len_source, reasoning_counted_as_content, percentile_method, unit or gpu_scope
    value          -- what it states, NULL where it states nothing. p50 is median, p99.0 is p99, and a median has no percentile_method
) AS
WITH
fields (field) AS (
    VALUES ('formula'), ('statistic'), ('population'), ('denominator'), ('clock'), ('start_event'), ('stop_event'), ('output_len_source'),
           ('reasoning_counted_as_content'), ('percentile_method'), ('unit'), ('gpu_scope')
)
SELECT d.definition_id, f.field,
       CASE f.field
       WHEN 'formula' THEN d.formula
       WHEN 'statistic' THEN CASE WHEN d.statistic GLOB 'p[0-9]*'
                                  THEN CASE CAST(substr(d.statistic, 2) AS REAL) WHEN 50 THEN 'median' ELSE 'p' || printf('%.10g', CAST(substr(d.statistic, 2) AS REAL)) END
                                  ELSE d.statistic END
       WHEN 'population' THEN d.population
       WHEN 'denominator' THEN d.denominator
       WHEN 'clock' THEN d.clock
       WHEN 'start_event' THEN d.start_event
       WHEN 'stop_event' THEN d.stop_event
       WHEN 'output_len_source' THEN d.output_len_source
       WHEN 'reasoning_counted_as_content' THEN CASE d.reasoning_counted_as_content WHEN 1 THEN 'true' WHEN 0 THEN 'false' END
       WHEN 'percentile_method' THEN CASE WHEN d.statistic = 'median' OR CAST(substr(d.statistic, 2) AS REAL) = 50 THEN NULL ELSE d.percentile_method END
       WHEN 'unit' THEN d.unit
       WHEN 'gpu_scope' THEN d.gpu_scope
       END
FROM definitions d
CROSS JOIN fields f;

CREATE VIEW definition_differences ( -- A field in which two definition sets define the same metric differently. Whose text it is (cite) does not count, and an unstated field differs from a stated one.
    set_a,    -- a definition set (see runs.definition_set_id)
    set_b,    -- another
    identity, -- what makes the metric the same in a comparison (see definition_set_members.identity)
    metric_a, -- its name in set_a
    metric_b, -- its name in set_b
    field,    -- as definition_fields.field
    value_a,  -- what set_a states, NULL where it states nothing
    value_b   -- what set_b states, NULL where it states nothing
) AS
SELECT x.definition_set_id, y.definition_set_id, x.identity, x.metric, y.metric, a.field, a.value, b.value
FROM definition_set_members x
JOIN definition_set_members y ON y.identity = x.identity AND y.definition_id <> x.definition_id
JOIN definition_fields a ON a.definition_id = x.definition_id
JOIN definition_fields b ON b.definition_id = y.definition_id AND b.field = a.field
WHERE a.value IS NOT b.value;
