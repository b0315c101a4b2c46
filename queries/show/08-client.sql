-- name: 08-client
-- summary: client
-- param: run text  the run's name
-- columns: harness, harness_version, image_digest, seed, num_prompts, burstiness, ramp_up_strategy, ramp_up_start, ramp_up_end, num_warmups, ignore_eos, endpoint, tokenizer_repo, tokenizer_revision, tokenizer_sha256, tokenizer_mode, duration_s, grace_s
SELECT c.harness, c.harness_version, c.image_digest, c.seed, c.num_prompts, c.burstiness, c.ramp_up_strategy, c.ramp_up_start, c.ramp_up_end, c.num_warmups,
    c.ignore_eos, c.endpoint, c.tokenizer_repo, c.tokenizer_revision, c.tokenizer_sha256, c.tokenizer_mode, c.duration_s, c.grace_s
FROM runs AS r JOIN clients AS c ON c.run_id = r.run_id WHERE r.name = :run
ORDER BY r.name;
