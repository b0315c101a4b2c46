-- The load generators of runs, at most a row each.
-- :runs is a JSON array of run ids; the first column is the run's index in it.
SELECT
    j.key,
    c.harness,
    c.harness_version,
    c.image_digest,
    c.seed,
    c.num_prompts,
    c.burstiness,
    c.ramp_up_strategy,
    c.ramp_up_start,
    c.ramp_up_end,
    c.num_warmups,
    c.ignore_eos,
    c.endpoint,
    c.tokenizer_repo,
    c.tokenizer_revision,
    c.tokenizer_sha256,
    c.tokenizer_mode,
    c.duration_s,
    c.grace_s
FROM json_each(:runs) AS j
CROSS JOIN clients AS c ON c.run_id = j.value
ORDER BY j.key;
