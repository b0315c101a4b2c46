package catalog

// baseRun is an invented run that states most keys; it is valid without a
// warning. Tests change one thing in it.
const baseRun = `# Synthetic: every value is invented for tests; none is measured.
kind: MeasuredRun
name: base-run
schema_version: 1
source:
  kind: vllm_bench
  adapter:
    name: adapters/bench
    version: "1"
    sha256: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
  inputs:
    - role: report
      url: https://example.org/results.json
      size: 2048
      sha256: bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
      fetched_utc: "2026-10-15T13:58:06Z"
      note: cut to the rows read
    - role: manifest
      repo: example/fixtures
      commit: 0123456
      path: tests.json
      sha256: cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc
  extraction:
    method: json
    selectors:
      - median_ttft_ms
      - ""
    label_verified: yes
  retrieved_utc: 2026-10-15t13:58:06.50+00:00
  license_ref: synthetic-fixture
model: wren-14b
engine_version: 0.31.0
cluster:
  hardware: h100
  nodes: 2
  gpus_per_node: 8
  fabric: ib-400g
  gpus_per_rack: 16
  storage: [nvme, dram]
deployment:
  kind: Deployment
  name: split
  pools:
    - role: prefill
      nodes: 1
      parallel: {tp: 4, pp: 1, dp: 2, dp_local: 2}
      engine:
        max_model_len: 8192
        gpu_memory_utilization: 0.9
        cache_dtype: fp8
        enable_prefix_caching: off
        dbo: {enable_dbo: true, dbo_decode_token_threshold: 32}
        eplb: {enable_eplb: true, num_redundant_experts: 0}
        speculative: {method: mtp, num_spec_tokens: 2}
    - role: decode
      nodes: 1
      parallel: {tp: 8, pp: 1, dp: 1, enable_expert_parallel: true}
  offload:
    tiers:
      - {tier: nvme, bytes: 1000}
      - {tier: dram, bytes: 2000}
    prefetch_depth: 2
  pd_transfer: {}
router:
  kind: epp
  epp:
    version: v1.2
    config: {path: epp.yaml, sha256: dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd}
workload:
  trace:
    data: trace.csv
    rows: 100
    header:
      trace_version: 2
      time_unit: us
      mode: generated
      workload_seed: 0
      server: {type: vllm, tensor_parallel: 4}
      goodput_slo_targets:
        chat: {ttft_ms: 200, itl_ms: 0}
client:
  harness: vllm bench serve
  image_digest: vllm/vllm-openai@sha256:eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee
  command: [vllm, bench, serve, --seed, 0]
  seed: -0
  num_prompts: 200
  burstiness: 1
  ramp_up: {strategy: linear, start: 1, end: 2.5e1}
  ignore_eos: false
  tokenizer: {repo: example/wren-14b, revision: b5c939de}
  duration_s: 60
metric_defs:
  ttft_p50:
    formula: ttft
    statistic: median
    population: per_request
    clock: client
    start_event: send
    stop_event: first_chunk
    unit: ms
    cite: serve.py:572
  itl_p99:
    formula: itl
    statistic: p99
    percentile_method: numpy_linear
    unit: ms
    cite: serve.py:573
  output_tps:
    formula: output_throughput
    denominator: main_phase_wall
    output_len_source: usage
    reasoning_counted_as_content: no
    unit: tokens_per_s
    cite: serve.py:574
points:
  - id: c1
    load: {concurrency: 1}
    metrics:
      ttft_p50: {value: 100, raw_key: median_ttft_ms}
      itl_p99: {value: 20.50}
      output_tps: {value: 50}
    completed: 200
    failed: 0
    realized: {mean_isl: 1024, mean_osl: 256.5}
    kv_utilization: 0.1
    prefix_hit_rate: 0
    noise: {seeds: 3, cv: 0.05}
  - id: c4
    load: {concurrency: 4}
    metrics:
      ttft_p50: {value: 150}
      output_tps: {value: -0}
  - id: c16
    load: {concurrency: 16}
    metrics:
      ttft_p50: {value: 190}
provenance:
  - setting: tensor_parallel_size
    report: {value: "4", ref: log:12}
    blis: {value: 4}
    verdict: MATCH
    material: yes
  - setting: block_size
    blis: {value: "16"}
    verdict: UNSTATED
    resolved_by: "cache.py: default 16"
    material: bounded
    bound: 1%
diff:
  - path: engine.scheduler
    kind: not_modelled
    removable: true
    owner_repo: example/blis
    material: unknown
supersedes: older-run
`

// baseRegistry is an invented licence registry.
const baseRegistry = `kind: MeasurementSources
sources:
  - id: synthetic-fixture
    title: Invented
    license: Apache-2.0
    status: verified
    permits: [score, redistribute]
    evidence:
      - url: https://example.org/LICENSE
        quote: Apache License
        location: LICENSE:1
  - id: unread
    title: Another
    status: unverified
    permits: []
    note: no terms found
`

// baseEvaluation is an invented evaluation run that states every key.
const baseEvaluation = `# Synthetic: every value is invented for tests; none is measured.
kind: EvaluationRun
name: base-evaluation
scenario: chat-1k1k
harness: demo bench serve
harness_version: 1.4.0
engine_version: 0.31
date: 2026-10-15
points:
  - concurrency: 16
    completed_requests: 200
    output_tokens_per_sec: 1740.5
    input_tokens_per_sec: 1730
    ttft_ms: 95
    itl_ms: 8.8
    e2e_ms: 9.1e3
    mean_isl: 1024
    mean_osl: 1019.5
    kv_utilization: 0.2
    prefix_cache_hit_rate: 0
    preemptions: 3
  - concurrency: 4
    ttft_ms: 61
`
