package inferencex

import (
	"strings"
	"testing"

	"github.com/inference-sim/blis-warehouse/store/record"
)

func def(t *testing.T, key string, ctx Context) Def {
	t.Helper()
	d, ok := DefinitionFor(columnIndex[key], ctx)
	if !ok {
		t.Fatalf("%s has no definition", key)
	}
	return d
}

func TestDefinitions(t *testing.T) {
	for key, want := range map[string]Def{
		"median_ttft": {Metric: "ttft_p50", Scale: 1000, Def: record.MetricDef{Formula: "ttft", Statistic: "median", Population: "per_request", Clock: "client",
			StartEvent: "send_after_semaphore", StopEvent: "first_chunk", OutputLenSource: "usage", PercentileMethod: "numpy_linear", Unit: "ms"}},
		"p99.9_tpot": {Metric: "tpot_p99.9", Scale: 1000, Def: record.MetricDef{Formula: "tpot", Statistic: "p99.9", Population: "per_request", Clock: "client",
			StartEvent: "first_chunk", StopEvent: "last_chunk", OutputLenSource: "usage", PercentileMethod: "numpy_linear", Unit: "ms"}},
		"std_itl": {Metric: "itl_std", Scale: 1000, Def: record.MetricDef{Formula: "itl", Statistic: "std", Population: "pooled_chunks", Clock: "client",
			StartEvent: "previous_chunk", StopEvent: "next_chunk", OutputLenSource: "usage", Unit: "ms"}},
		"mean_e2el": {Metric: "e2el_mean", Scale: 1000, Def: record.MetricDef{Formula: "e2el", Statistic: "mean", Population: "per_request", Clock: "client",
			StartEvent: "send_after_semaphore", StopEvent: "last_chunk", OutputLenSource: "usage", Unit: "ms"}},
		"output_tput_per_gpu": {Metric: "output_throughput_per_gpu", Scale: 1, Def: record.MetricDef{Formula: "output_throughput_per_gpu", Population: "pooled_tokens",
			Denominator: "main_phase_wall", Clock: "client", OutputLenSource: "usage", Unit: "tokens_per_s", GPUScope: "all"}},
	} {
		got := def(t, key, Context{})
		want.Column, want.Key, want.Def.Name, want.Def.Cite = columnIndex[key], key, want.Metric, got.Def.Cite
		if got != want || got.Def.Cite == "" {
			t.Errorf("%s:\n%+v\nwant\n%+v", key, got, want)
		}
	}
}

func TestThroughputScope(t *testing.T) {
	keys := []string{"tput_per_gpu", "input_tput_per_gpu", "output_tput_per_gpu"}
	for _, test := range []struct {
		disagg bool
		date   string
		want   [3]string
	}{
		{false, "2026-08-08", [3]string{"all", "all", "all"}},
		{true, "2025-11-04", [3]string{"all", "all", "all"}},
		{true, "2025-11-05", [3]string{"all", "prefill", "decode"}},
		{true, "", [3]string{"all", "prefill", "decode"}},
	} {
		row := &record.InferenceXRow{BenchmarkType: "single_turn", Date: test.date, Config: record.InferenceXConfig{Disagg: test.disagg}}
		for i, key := range keys {
			if got := def(t, key, ContextOf(row)).Def.GPUScope; got != test.want[i] {
				t.Errorf("disagg %t on %s: %s is over %s", test.disagg, test.date, key, got)
			}
		}
	}
}

func TestAgenticDefinitionsLeaveEventsUnstated(t *testing.T) {
	ctx := ContextOf(&record.InferenceXRow{BenchmarkType: "agentic_traces"})
	defs := Definitions(ctx)
	if len(defs) != 35 {
		t.Errorf("%d definitions", len(defs))
	}
	for _, d := range defs {
		if d.Def.Population != "" || d.Def.StartEvent != "" || d.Def.StopEvent != "" {
			t.Errorf("%s: %+v", d.Key, d.Def)
		}
	}
}

func TestEveryColumnIsDefinedOrRaw(t *testing.T) {
	raw := map[int]RawKey{}
	for _, r := range RawKeys() {
		if r.Why == "" || r.Why == whyUnknown {
			t.Errorf("%s has no reason", r.Key)
		}
		if r.Column >= 0 {
			raw[r.Column] = r
		}
	}
	for i, c := range record.InferenceXColumns {
		_, defined := DefinitionFor(i, Context{})
		r, kept := raw[i]
		if defined == kept || kept && r.Key != c.Key {
			t.Errorf("%s: defined %t, kept raw %t", c.Key, defined, kept)
		}
		if defined && (strings.Contains(c.Key, "intvty") || strings.Contains(c.Key, "power") || strings.Contains(c.Key, "joules")) {
			t.Errorf("%s has a definition", c.Key)
		}
	}
	if _, ok := DefinitionFor(-1, Context{}); ok {
		t.Error("column -1 has a definition")
	}
}

func TestRawWhy(t *testing.T) {
	for key, unit := range map[string]string{
		"median_intvty": "tokens/s/user", "std_intvty": "tokens/s/user", "avg_power_w": "W", "joules_per_total_token": "J", "avg_temp_c": "degC",
		"avg_util_pct": "percent", "avg_mem_used_mb": "MB", "num_requests_total": "requests", "p98_qps": "requests/s", "p98_ttft": "s",
		"p99.9_input_tokens": "tokens", "router_name": "", "power_valid": "",
	} {
		if got, why := RawWhy(key); got != unit || why == "" || why == whyUnknown {
			t.Errorf("%s: unit %q, %s", key, got, why)
		}
	}
	for _, key := range []string{"novel", "best_qps", "p_qps", "p9x_qps", ""} {
		if _, why := RawWhy(key); why != whyUnknown {
			t.Errorf("%s: %s", key, why)
		}
	}
}
