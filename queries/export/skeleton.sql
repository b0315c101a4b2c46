-- A run and what its InferenceX rows state of it as a whole, a row; none where
-- no run has the name (:run). catalog_model is NULL where the publisher's key
-- has no certain name in the catalog.
SELECT
    r.run_id,
    r.origin,
    r.licence_id,
    r.gpus,
    r.hidden_by_attempt,
    CASE WHEN r.model <> c.model THEN r.model END AS catalog_model,
    c.model,
    c.framework,
    c.precision,
    c.spec_method,
    i.github_run_id,
    i.run_url,
    i.benchmark_type,
    i.offload_mode,
    i.recipe_fingerprint,
    i.collapsed
FROM runs AS r
LEFT JOIN inferencex_runs AS i ON i.run_id = r.run_id
LEFT JOIN inferencex_configs AS c ON c.config_id = i.config_id
WHERE r.name = :run
ORDER BY r.name;
