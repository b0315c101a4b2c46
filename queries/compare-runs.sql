-- name: compare-runs
-- summary: in what two runs differ before any value is compared: what ran, on what, under which load
-- param: a text  a run's name
-- param: b text  another run's name
-- columns: attribute, value_a, value_b
--
-- Only what differs has a row; NULL is not stated. Pools are told by their
-- position, their settings by pool and key. Definitions are compared by
-- compare-definitions.
WITH
sides (side, run_id) AS (
    SELECT 'a', r.run_id FROM runs AS r WHERE r.name = :a
    UNION ALL
    SELECT 'b', r.run_id FROM runs AS r WHERE r.name = :b
),
stated (side, place, attribute, value) AS (
    SELECT s.side, f.place, f.attribute,
        CASE f.attribute
            WHEN 'origin' THEN r.origin
            WHEN 'licence' THEN nullif(r.licence_id, '')
            WHEN 'model' THEN r.model
            WHEN 'precision' THEN g.precision
            WHEN 'spec_method' THEN g.spec_method
            WHEN 'hardware' THEN r.hardware
            WHEN 'fabric' THEN r.fabric
            WHEN 'nodes' THEN r.nodes
            WHEN 'gpus_per_node' THEN r.gpus_per_node
            WHEN 'gpus_per_rack' THEN r.gpus_per_rack
            WHEN 'gpus' THEN r.gpus
            WHEN 'engine' THEN r.engine
            WHEN 'engine_version' THEN r.engine_version
            WHEN 'framework' THEN g.framework
            WHEN 'disaggregated' THEN g.disagg
            WHEN 'deployment' THEN r.deployment_name
            WHEN 'router' THEN r.router_kind
            WHEN 'router config' THEN e.epp_config_sha256
            WHEN 'offload' THEN coalesce(x.offload_mode, (SELECT group_concat(tier, ', ') FROM (SELECT t.tier FROM offload_tiers AS t WHERE t.run_id = r.run_id ORDER BY t.position)))
            WHEN 'pd_transfer' THEN d.connector
            WHEN 'workload_kind' THEN r.workload_kind
            WHEN 'workload' THEN r.workload
            WHEN 'trace sha256' THEN t.sha256
            WHEN 'isl' THEN r.isl
            WHEN 'osl' THEN r.osl
            WHEN 'benchmark_type' THEN x.benchmark_type
            WHEN 'harness' THEN r.harness
            WHEN 'harness_version' THEN r.harness_version
            WHEN 'client image' THEN c.image_digest
            WHEN 'client seed' THEN c.seed
            WHEN 'client num_prompts' THEN c.num_prompts
            WHEN 'client burstiness' THEN c.burstiness
            WHEN 'client ramp_up' THEN c.ramp_up_strategy || ' ' || c.ramp_up_start || ' to ' || c.ramp_up_end
            WHEN 'client num_warmups' THEN c.num_warmups
            WHEN 'client ignore_eos' THEN c.ignore_eos
            WHEN 'client endpoint' THEN c.endpoint
            WHEN 'client tokenizer' THEN c.tokenizer_repo || coalesce(' ' || c.tokenizer_revision, '') || coalesce(' ' || c.tokenizer_sha256, '') || coalesce(' ' || c.tokenizer_mode, '')
            WHEN 'client duration_s' THEN c.duration_s
            WHEN 'client grace_s' THEN c.grace_s
        END
    FROM sides AS s
    JOIN runs AS r ON r.run_id = s.run_id
    LEFT JOIN inferencex_runs AS x ON x.run_id = r.run_id
    LEFT JOIN inferencex_configs AS g ON g.config_id = x.config_id
    LEFT JOIN routers AS e ON e.run_id = r.run_id
    LEFT JOIN pd_transfers AS d ON d.run_id = r.run_id
    LEFT JOIN traces AS t ON t.run_id = r.run_id
    LEFT JOIN clients AS c ON c.run_id = r.run_id
    CROSS JOIN (
        SELECT 1 AS place, 'origin' AS attribute UNION ALL SELECT 2, 'licence' UNION ALL SELECT 3, 'model' UNION ALL SELECT 4, 'precision'
        UNION ALL SELECT 5, 'spec_method' UNION ALL SELECT 6, 'hardware' UNION ALL SELECT 7, 'fabric' UNION ALL SELECT 8, 'nodes'
        UNION ALL SELECT 9, 'gpus_per_node' UNION ALL SELECT 10, 'gpus_per_rack' UNION ALL SELECT 11, 'gpus' UNION ALL SELECT 12, 'engine'
        UNION ALL SELECT 13, 'engine_version' UNION ALL SELECT 14, 'framework' UNION ALL SELECT 15, 'disaggregated' UNION ALL SELECT 16, 'deployment'
        UNION ALL SELECT 30, 'router' UNION ALL SELECT 31, 'router config' UNION ALL SELECT 32, 'offload' UNION ALL SELECT 33, 'pd_transfer'
        UNION ALL SELECT 40, 'workload_kind' UNION ALL SELECT 41, 'workload' UNION ALL SELECT 42, 'trace sha256' UNION ALL SELECT 43, 'isl'
        UNION ALL SELECT 44, 'osl' UNION ALL SELECT 45, 'benchmark_type' UNION ALL SELECT 50, 'harness' UNION ALL SELECT 51, 'harness_version'
        UNION ALL SELECT 52, 'client image' UNION ALL SELECT 53, 'client seed' UNION ALL SELECT 54, 'client num_prompts' UNION ALL SELECT 55, 'client burstiness'
        UNION ALL SELECT 56, 'client ramp_up' UNION ALL SELECT 57, 'client num_warmups' UNION ALL SELECT 58, 'client ignore_eos'
        UNION ALL SELECT 59, 'client endpoint' UNION ALL SELECT 60, 'client tokenizer' UNION ALL SELECT 61, 'client duration_s' UNION ALL SELECT 62, 'client grace_s'
    ) AS f
    UNION ALL
    SELECT s.side, 20, 'pool ' || p.position || ' ' || f.attribute,
        CASE f.attribute
            WHEN 'role' THEN p.role
            WHEN 'nodes' THEN p.nodes
            WHEN 'tp' THEN p.tp
            WHEN 'pp' THEN p.pp
            WHEN 'dp' THEN p.dp
            WHEN 'dp_local' THEN p.dp_local
            WHEN 'pcp' THEN p.pcp
            WHEN 'dcp' THEN p.dcp
            WHEN 'enable_expert_parallel' THEN p.enable_expert_parallel
            WHEN 'ep' THEN p.ep
            WHEN 'workers' THEN p.workers
            WHEN 'dp_attention' THEN p.dp_attention
        END
    FROM sides AS s
    JOIN pools AS p ON p.run_id = s.run_id
    CROSS JOIN (
        SELECT 'role' AS attribute UNION ALL SELECT 'nodes' UNION ALL SELECT 'tp' UNION ALL SELECT 'pp' UNION ALL SELECT 'dp' UNION ALL SELECT 'dp_local'
        UNION ALL SELECT 'pcp' UNION ALL SELECT 'dcp' UNION ALL SELECT 'enable_expert_parallel' UNION ALL SELECT 'ep' UNION ALL SELECT 'workers'
        UNION ALL SELECT 'dp_attention'
    ) AS f
    UNION ALL
    SELECT s.side, 21, 'pool ' || p.position || ' ' || p.setting, p.value
    FROM sides AS s
    JOIN pool_settings AS p ON p.run_id = s.run_id
)
SELECT n.attribute, a.value AS value_a, b.value AS value_b
FROM (SELECT DISTINCT place, attribute FROM stated) AS n
LEFT JOIN stated AS a ON a.side = 'a' AND a.attribute = n.attribute
LEFT JOIN stated AS b ON b.side = 'b' AND b.attribute = n.attribute
WHERE a.value IS NOT b.value
ORDER BY n.place, n.attribute;
