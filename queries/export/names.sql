-- The names of all runs.
SELECT name FROM runs ORDER BY name;
