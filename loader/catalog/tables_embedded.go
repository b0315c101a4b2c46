package catalog

import (
	"gopkg.in/yaml.v3"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// The tables of the blocks that a run embeds: cluster, deployment, router and
// workload, after the rules for embedded blocks.

var clusterTable = table[record.Cluster]{
	text("hardware", required, func(v *record.Cluster) *string { return &v.Hardware }),
	whole("nodes", func(v *record.Cluster) *int64 { return &v.Nodes }, atLeast(1)),
	whole("gpus_per_node", func(v *record.Cluster) *int64 { return &v.GPUsPerNode }, atLeast(1)),
	text("fabric", optional, func(v *record.Cluster) *string { return &v.Fabric }),
	optWhole("gpus_per_rack", func(v *record.Cluster) **int64 { return &v.GPUsPerRack }, atLeast(0)),
	texts("storage", optional, func(v *record.Cluster) *[]string { return &v.Storage }, filled),
}

var deploymentTable = table[record.Deployment]{
	text("kind", required, func(*record.Deployment) *string { return new(string) }, oneOf(vocabDeployment)),
	text("name", required, func(v *record.Deployment) *string { return &v.Name }),
	list("pools", required, true, poolTable, func(v *record.Deployment) *[]record.Pool { return &v.Pools }),
	optMapping("offload", offloadTable, func(v *record.Deployment) **record.Offload { return &v.Offload }),
	optMapping("pd_transfer", pdTransferTable, func(v *record.Deployment) **record.PDTransfer { return &v.PDTransfer }),
}

var poolTable = table[record.Pool]{
	text("role", required, func(v *record.Pool) *string { return &v.Role }, oneOf(vocabPoolRole)),
	whole("nodes", func(v *record.Pool) *int64 { return &v.Nodes }, atLeast(1)),
	mapping("parallel", required, parallelTable, func(v *record.Pool) *record.Parallel { return &v.Parallel }),
	mapping("engine", optional, engineTable, pool),
}

// pcp and dcp have no range of their own: a negative width is one problem of
// the layout, see checker.parallel.
var parallelTable = table[record.Parallel]{
	whole("tp", func(v *record.Parallel) *int64 { return &v.TP }, atLeast(1)),
	whole("pp", func(v *record.Parallel) *int64 { return &v.PP }, atLeast(1)),
	whole("dp", func(v *record.Parallel) *int64 { return &v.DP }, atLeast(1)),
	optWhole("dp_local", func(v *record.Parallel) **int64 { return &v.DPLocal }, atLeast(0)),
	optWhole("pcp", func(v *record.Parallel) **int64 { return &v.PCP }),
	optWhole("dcp", func(v *record.Parallel) **int64 { return &v.DCP }),
	flag("enable_expert_parallel", func(v *record.Parallel) **bool { return &v.EnableExpertParallel }),
}

// Engine settings are read into the list of their pool, nested ones under
// dotted names.

func pool(v *record.Pool) *record.Pool { return v }

var engineTable = table[record.Pool]{
	settingText("all2all_backend", ""), settingText("allreduce_backend", ""), settingText("cudagraph_mode", ""),
	settingText("quantization", ""), settingText("cache_dtype", ""), settingText("mamba_cache_dtype", ""),
	settingText("mamba_ssm_cache_dtype", ""), settingText("mamba_cache_mode", ""), settingText("scheduling_policy", ""),
	settingText("dcp_comm_backend", ""),
	settingFlag("disable_custom_all_reduce", ""), settingFlag("async_scheduling", ""), settingFlag("disable_cascade_attn", ""),
	settingFlag("enable_prefix_caching", ""), settingFlag("dcp_q_replicate", ""),
	settingWhole("block_size", "", atLeast(0)), settingWhole("max_num_batched_tokens", "", atLeast(0)), settingWhole("max_num_seqs", "", atLeast(0)),
	settingWhole("max_model_len", "", atLeast(0)), settingWhole("cp_kv_cache_interleave_size", "", atLeast(0)),
	settingNumber("gpu_memory_utilization", "", fraction),
	mapping("dbo", optional, table[record.Pool]{
		settingFlag("enable_dbo", "dbo."),
		settingWhole("dbo_decode_token_threshold", "dbo."),
		settingWhole("dbo_prefill_token_threshold", "dbo."),
	}, pool),
	mapping("eplb", optional, table[record.Pool]{
		settingFlag("enable_eplb", "eplb."),
		settingWhole("num_redundant_experts", "eplb."),
		settingWhole("window_size", "eplb."),
		settingWhole("step_interval", "eplb."),
	}, pool),
	mapping("speculative", optional, table[record.Pool]{
		must(settingText("method", "speculative.")),
		must(settingWhole("num_spec_tokens", "speculative.", atLeast(1))),
	}, pool),
}

func settingText(name, prefix string) key[record.Pool] {
	return key[record.Pool]{name, optional, func(r *reader, e *entry, n *yaml.Node, v *record.Pool) state {
		x, st := r.text(e.spot, n, nil)
		return keep(v, prefix+name, x, st)
	}}
}

func settingWhole(name, prefix string, checks ...wholeCheck) key[record.Pool] {
	return key[record.Pool]{name, optional, func(r *reader, e *entry, n *yaml.Node, v *record.Pool) state {
		x, st := r.whole(e.spot, n, checks)
		return keep(v, prefix+name, x, st)
	}}
}

func settingNumber(name, prefix string, checks ...numberCheck) key[record.Pool] {
	return key[record.Pool]{name, optional, func(r *reader, e *entry, n *yaml.Node, v *record.Pool) state {
		x, st := r.number(e.spot, n, checks)
		return keep(v, prefix+name, x, st)
	}}
}

func settingFlag(name, prefix string) key[record.Pool] {
	return key[record.Pool]{name, optional, func(r *reader, e *entry, n *yaml.Node, v *record.Pool) state {
		x, st := r.boolean(e.spot, n)
		return keep(v, prefix+name, x, st)
	}}
}

func keep(v *record.Pool, name string, x any, st state) state {
	if st == stated {
		v.Settings = append(v.Settings, record.Setting{Name: name, Value: x})
	}
	return st
}

// setting returns the value of an engine setting, or the zero of T.
func setting[T any](v *record.Pool, name string) (x T, ok bool) {
	for _, s := range v.Settings {
		if s.Name == name {
			x, ok = s.Value.(T)
		}
	}
	return x, ok
}

var offloadTable = table[record.Offload]{
	list("tiers", required, true, tierTable, func(v *record.Offload) *[]record.OffloadTier { return &v.Tiers }),
	text("eviction_policy", optional, func(v *record.Offload) *string { return &v.EvictionPolicy }),
	optWhole("prefetch_depth", func(v *record.Offload) **int64 { return &v.PrefetchDepth }, atLeast(0)),
	text("connector", optional, func(v *record.Offload) *string { return &v.Connector }),
	text("spec", optional, func(v *record.Offload) *string { return &v.Spec }),
}

var tierTable = table[record.OffloadTier]{
	text("tier", required, func(v *record.OffloadTier) *string { return &v.Tier }),
	whole("bytes", func(v *record.OffloadTier) *int64 { return &v.Bytes }, atLeast(1)),
}

var pdTransferTable = table[record.PDTransfer]{
	text("connector", optional, func(v *record.PDTransfer) *string { return &v.Connector }),
}

var routerTable = table[record.Router]{
	text("kind", required, func(v *record.Router) *string { return &v.Kind }, oneOf(vocabRouter)),
	optMapping("epp", eppTable, func(v *record.Router) **record.EPP { return &v.EPP }),
}

var eppTable = table[record.EPP]{
	text("version", required, func(v *record.EPP) *string { return &v.Version }),
	text("image", optional, func(v *record.EPP) *string { return &v.Image }),
	mapping("config", required, table[record.EPP]{
		text("path", required, func(v *record.EPP) *string { return &v.ConfigPath }),
		text("sha256", required, func(v *record.EPP) *string { return &v.ConfigSHA256 }, digest),
	}, func(v *record.EPP) *record.EPP { return v }),
	text("flow_control", optional, func(v *record.EPP) *string { return &v.FlowControl }),
}

var workloadTable = table[record.Workload]{
	text("shape", optional, func(v *record.Workload) *string { return &v.Shape }),
	optMapping("trace", traceTable, func(v *record.Workload) **record.Trace { return &v.Trace }),
}

var traceTable = table[record.Trace]{
	text("data", required, func(v *record.Trace) *string { return &v.Data }),
	text("sha256", optional, func(v *record.Trace) *string { return &v.SHA256 }, digest),
	optWhole("rows", func(v *record.Trace) **int64 { return &v.Rows }, atLeast(0)),
	mapping("header", required, headerTable, func(v *record.Trace) *record.Trace { return v }),
}

var headerTable = table[record.Trace]{
	whole("trace_version", func(v *record.Trace) *int64 { return &v.TraceVersion }, atLeast(1)),
	text("time_unit", required, func(v *record.Trace) *string { return &v.TimeUnit }, oneOf(vocabTimeUnit)),
	text("mode", required, func(v *record.Trace) *string { return &v.Mode }, oneOf(vocabMode)),
	optWhole("workload_seed", func(v *record.Trace) **int64 { return &v.WorkloadSeed }),
	optMapping("server", serverTable, func(v *record.Trace) **record.TraceServer { return &v.Server }),
	named("goodput_slo_targets", optional, false, sloTable, func(v *record.Trace) *[]record.SLOTarget { return &v.SLOTargets },
		func(v *record.SLOTarget) *string { return &v.Class }),
}

var serverTable = table[record.TraceServer]{
	text("type", optional, func(v *record.TraceServer) *string { return &v.Type }),
	text("model", optional, func(v *record.TraceServer) *string { return &v.Model }),
	optWhole("tensor_parallel", func(v *record.TraceServer) **int64 { return &v.TensorParallel }, atLeast(0)),
	optWhole("max_num_seqs", func(v *record.TraceServer) **int64 { return &v.MaxNumSeqs }, atLeast(0)),
	optWhole("block_size", func(v *record.TraceServer) **int64 { return &v.BlockSize }, atLeast(0)),
	optWhole("max_model_len", func(v *record.TraceServer) **int64 { return &v.MaxModelLen }, atLeast(0)),
	optNumber("gpu_memory_utilization", func(v *record.TraceServer) **float64 { return &v.GPUMemoryUtilization }, fraction),
}

var sloTable = table[record.SLOTarget]{
	optNumber("ttft_ms", func(v *record.SLOTarget) **float64 { return &v.TTFTMs }, notNegative),
	optNumber("itl_ms", func(v *record.SLOTarget) **float64 { return &v.ITLMs }, notNegative),
	optNumber("e2e_ms", func(v *record.SLOTarget) **float64 { return &v.E2EMs }, notNegative),
}
