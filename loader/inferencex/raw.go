package inferencex

import (
	"strings"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// A RawKey is a metric key that is kept as reported and has no definition.
type RawKey struct {
	Key    string // "*_qps" stands for qps under every statistic
	Column int    // index in record.InferenceXColumns, -1 for none
	Unit   string // of the reported value, "" where there is none or it is unknown
	Why    string // why it is no metric of a run
}

const (
	whyInteractivity = "interactivity is 1/tpot, and on agentic rows from itl with a meaning that changed in 2026: use tpot"
	whyStdIntvty     = "the reciprocal of a standard deviation of tpot, which means nothing"
	whyPower         = "measured power of the GPUs, valid only where power_valid is not 0; no formula of a run covers it"
	whyEnergy        = "energy of the deployment over what was served, of the whole deployment for certain only with power_metric_schema_version 2; no formula of a run covers it"
	whyRoleEnergy    = "energy of one role's GPUs over its tokens; no formula of a run covers it"
	whyTelemetry     = "GPU telemetry during the load window; no formula of a run covers it"
	whyMarker        = "a marker of the power measurement, not a quantity"
	whyCount         = "a count of requests, not a metric of the load level"
	whyTotals        = "a total over the run, not a metric of the load level"
	whyWidth         = "a parallel width of the deployment, carried among the metrics"
	whyText          = "a text attribute of the deployment"
	whyQPS           = "requests per second sampled by an agentic client whose window is unstated"
	whyTTLT          = "time to the last token by an agentic client, whose events are unstated"
	whyTokens        = "tokens per request of the replayed traces, a property of the workload"
	whyCache         = "a cache statistic; no formula of a run covers it"
	whyDeployment    = "tokens per second of the whole deployment, reported per GPU as well"
	whyFullResponse  = "an agentic client's timing over full responses, which itl repeats"
	whyStability     = "a diagnostic of the measuring window"
	whyStatistic     = "a statistic that the warehouse has no column for"
	whyUnknown       = "not among the published keys: its unit and meaning are unknown"
)

// rawKeys are the keys kept as reported. One line adds one; a key that begins
// with "*_" stands for every statistic of a quantity.
var rawKeys = []RawKey{
	{Key: "std_intvty", Unit: "tokens/s/user", Why: whyStdIntvty},
	{Key: "*_intvty", Unit: "tokens/s/user", Why: whyInteractivity},
	{Key: "power_valid", Why: whyMarker},
	{Key: "cpu_power_valid", Why: whyMarker},
	{Key: "power_metric_schema_version", Why: whyMarker},
	{Key: "avg_power_w", Unit: "W", Why: whyPower},
	{Key: "prefill_avg_power_w", Unit: "W", Why: whyPower},
	{Key: "decode_avg_power_w", Unit: "W", Why: whyPower},
	{Key: "*_power_w", Unit: "W", Why: whyPower},
	{Key: "*_total_gpu_power_w", Unit: "W", Why: whyPower},
	{Key: "avg_total_gpu_power_w", Unit: "W", Why: whyPower},
	{Key: "avg_cpu_socket_power_w", Unit: "W", Why: whyPower},
	{Key: "avg_total_cpu_power_w", Unit: "W", Why: whyPower},
	{Key: "avg_total_module_power_w", Unit: "W", Why: whyPower},
	{Key: "total_gpu_energy_j", Unit: "J", Why: whyEnergy},
	{Key: "total_cpu_energy_j", Unit: "J", Why: whyEnergy},
	{Key: "total_module_energy_j", Unit: "J", Why: whyEnergy},
	{Key: "joules_per_successful_query", Unit: "J", Why: whyEnergy},
	{Key: "joules_per_output_token", Unit: "J", Why: whyEnergy},
	{Key: "joules_per_total_token", Unit: "J", Why: whyEnergy},
	{Key: "joules_per_input_token", Unit: "J", Why: whyEnergy},
	{Key: "prefill_joules_per_input_token", Unit: "J", Why: whyRoleEnergy},
	{Key: "decode_joules_per_output_token", Unit: "J", Why: whyRoleEnergy},
	{Key: "avg_temp_c", Unit: "degC", Why: whyTelemetry},
	{Key: "peak_temp_c", Unit: "degC", Why: whyTelemetry},
	{Key: "avg_util_pct", Unit: "percent", Why: whyTelemetry},
	{Key: "avg_mem_used_mb", Unit: "MB", Why: whyTelemetry},
	{Key: "num_requests_total", Unit: "requests", Why: whyCount},
	{Key: "num_requests_successful", Unit: "requests", Why: whyCount},

	{Key: "offload_mode", Why: whyText},
	{Key: "kv_offloading", Why: whyText},
	{Key: "kv_offload_backend", Why: whyText},
	{Key: "kv_p2p_transfer", Why: whyText},
	{Key: "router_name", Why: whyText},
	{Key: "router_version", Why: whyText},

	{Key: "*_qps", Unit: "requests/s", Why: whyQPS},
	{Key: "*_ttlt", Unit: "s", Why: whyTTLT},
	{Key: "*_input_tokens", Unit: "tokens", Why: whyTokens},
	{Key: "*_output_tokens_actual", Unit: "tokens", Why: whyTokens},
	{Key: "*_output_tokens_expected", Unit: "tokens", Why: whyTokens},
	{Key: "*_full_response_itl", Unit: "s", Why: whyFullResponse},
	{Key: "*_full_response_intvty", Unit: "tokens/s/user", Why: whyInteractivity},
	{Key: "*_e2e_norm_intvty", Unit: "tokens/s/user", Why: whyInteractivity},
	{Key: "*_ttft", Unit: "s", Why: whyStatistic},
	{Key: "*_tpot", Unit: "s", Why: whyStatistic},
	{Key: "*_itl", Unit: "s", Why: whyStatistic},
	{Key: "*_e2el", Unit: "s", Why: whyStatistic},

	{Key: "total_tput_tps", Unit: "tokens/s", Why: whyDeployment},
	{Key: "input_tput_tps", Unit: "tokens/s", Why: whyDeployment},
	{Key: "output_tput_tps", Unit: "tokens/s", Why: whyDeployment},
	{Key: "duration_seconds", Unit: "s", Why: whyTotals},
	{Key: "total_requests_completed", Unit: "requests", Why: whyTotals},
	{Key: "total_prompt_tokens", Unit: "tokens", Why: whyTotals},
	{Key: "total_generation_tokens", Unit: "tokens", Why: whyTotals},
	{Key: "server_gpu_cache_hit_rate", Unit: "fraction", Why: whyCache},
	{Key: "server_cpu_cache_hit_rate", Unit: "fraction", Why: whyCache},
	{Key: "server_external_cache_hit_rate", Unit: "fraction", Why: whyCache},
	{Key: "theoretical_cache_hit_rate", Unit: "fraction", Why: whyCache},
	{Key: "theoretical_infinite_cache_hit_rate", Unit: "fraction", Why: whyCache},
	{Key: "gpu_kv_cache_usage_pct", Unit: "fraction", Why: whyCache},
	{Key: "cpu_kv_cache_usage_pct", Unit: "fraction", Why: whyCache},
	{Key: "kv_cache_pool_tokens", Unit: "tokens", Why: whyCache},
	{Key: "kv_offload_bytes_gpu_to_cpu", Unit: "B", Why: whyCache},
	{Key: "kv_offload_bytes_cpu_to_gpu", Unit: "B", Why: whyCache},
	{Key: "kv_offload_time_gpu_to_cpu", Unit: "s", Why: whyCache},
	{Key: "kv_offload_time_cpu_to_gpu", Unit: "s", Why: whyCache},
	{Key: "allocated_cpu_dram_gb", Unit: "GB", Why: whyCache},
	{Key: "dp", Why: whyWidth},
	{Key: "pp", Why: whyWidth},
	{Key: "prefill_pp", Why: whyWidth},
	{Key: "decode_pp", Why: whyWidth},
	{Key: "dcp_size", Why: whyWidth},
	{Key: "pcp_size", Why: whyWidth},
	{Key: "prefill_dcp_size", Why: whyWidth},
	{Key: "decode_dcp_size", Why: whyWidth},
	{Key: "prefill_pcp_size", Why: whyWidth},
	{Key: "decode_pcp_size", Why: whyWidth},
	{Key: "num_gpus", Unit: "GPUs", Why: whyWidth},
	{Key: "num_aggregate_gpu", Unit: "GPUs", Why: whyWidth},
	{Key: "observed_window_seconds", Unit: "s", Why: whyStability},
	{Key: "observed_window_expected_count", Why: whyStability},
	{Key: "observed_window_count", Why: whyStability},
	{Key: "observed_window_min_requests", Unit: "requests", Why: whyStability},
	{Key: "root_trajectory_count", Why: whyStability},
	{Key: "root_trajectory_kish_effective_count", Why: whyStability},
	{Key: "root_trajectory_largest_share", Unit: "fraction", Why: whyStability},
}

var rawIndex = func() map[string]int {
	m := make(map[string]int, len(rawKeys))
	for i, r := range rawKeys {
		m[r.Key] = i
	}
	return m
}()

// columnIndex finds the column of a metric key.
var columnIndex = func() map[string]int {
	m := make(map[string]int, record.NumInferenceXColumns)
	for i, c := range record.InferenceXColumns {
		m[c.Key] = i
	}
	return m
}()

// RawKeys returns the keys that are kept as reported: first the columns without
// a definition, in column order, then the others as listed.
func RawKeys() []RawKey {
	var keys []RawKey
	for i, c := range record.InferenceXColumns {
		if _, ok := DefinitionFor(i, Context{}); !ok {
			r, _ := rawKey(c.Key)
			keys = append(keys, RawKey{c.Key, i, r.Unit, r.Why})
		}
	}
	for _, r := range rawKeys {
		if _, ok := columnIndex[r.Key]; !ok {
			r.Column = -1
			keys = append(keys, r)
		}
	}
	return keys
}

// RawWhy returns the unit of a key that is kept as reported, and why it is no
// metric of a run. Every key has an answer.
func RawWhy(key string) (unit, why string) {
	if r, ok := rawKey(key); ok {
		return r.Unit, r.Why
	}
	return "", whyUnknown
}

// rawKey finds a raw key by itself or by its quantity.
func rawKey(key string) (RawKey, bool) {
	if i, ok := rawIndex[key]; ok {
		return rawKeys[i], true
	}
	stat, quantity, ok := strings.Cut(key, "_")
	if ok && isStatistic(stat) {
		if i, ok := rawIndex["*_"+quantity]; ok {
			return rawKeys[i], true
		}
	}
	if rest, ok := strings.CutPrefix(key, "observed_window_"); ok && strings.HasPrefix(rest, "p") {
		return RawKey{Key: key, Why: whyStability}, true
	}
	return RawKey{}, false
}

// isStatistic tells mean, median, std, min, max and percentiles such as p50 and p99.9.
func isStatistic(s string) bool {
	switch s {
	case "mean", "median", "std", "min", "max":
		return true
	}
	p, ok := strings.CutPrefix(s, "p")
	if !ok || p == "" {
		return false
	}
	for i := range len(p) {
		if p[i]-'0' >= 10 && (p[i] != '.' || i == 0 || i == len(p)-1) {
			return false
		}
	}
	return true
}
