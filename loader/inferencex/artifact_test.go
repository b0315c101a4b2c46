package inferencex

import (
	"strings"
	"testing"
)

func TestArtifactFirstFormat(t *testing.T) {
	text := artifactRow().String()
	r := readOne(t, text, Options{FileName: "some/agg_dsr1_1k8k.json", Dir: "some"})
	c := r.Config
	if c.Hardware != "b200" || c.Framework != "sglang" || c.Model != "dsr1" || c.Precision != "fp8" || c.SpecMethod != "none" || c.Disagg {
		t.Errorf("%+v", c)
	}
	if c.PrefillTP != 8 || c.DecodeTP != 8 || c.PrefillEP != 4 || c.DecodeEP != 4 || c.PrefillDPAttention || c.NumPrefillGPU != 0 || GPUs(c) != 8 {
		t.Errorf("%+v", c)
	}
	if *r.ISL != 1024 || *r.OSL != 8192 || r.Conc != 16 || r.BenchmarkType != "single_turn" || r.OffloadMode != "off" || r.Date != "" || r.GitHubRunID != 0 || r.Official {
		t.Errorf("%+v", r)
	}
	if value(t, r, "p99.9_ttft") != 1.5 || value(t, r, "tput_per_gpu") != 100.5 || r.RawHardware != "b200-nv" || r.RawModel != "deepseek-ai/DeepSeek-R1-0528" {
		t.Errorf("%+v", r)
	}
	if len(r.ArtifactDigest) != 64 || r.ArtifactRun != "some" {
		t.Errorf("digest %q run %q", r.ArtifactDigest, r.ArtifactRun)
	}
}

func TestArtifactLaterFormat(t *testing.T) {
	r := readOne(t, artifactRow().with("infmax_model_prefix", "kimik2.5", "model", "moonshotai/Kimi-K2.5", "spec_decoding", "mtp", "disagg", true,
		"isl", 8192, "osl", 1024, "is_multinode", true, "tp", absent, "ep", absent, "dp_attention", absent,
		"prefill_tp", 4, "prefill_ep", 4, "prefill_dp_attention", "True", "prefill_num_workers", 2, "decode_tp", 8, "decode_ep", 1,
		"decode_dp_attention", "False", "decode_num_workers", 1, "num_prefill_gpu", 8, "num_decode_gpu", 8, "image", "vllm/vllm-openai:v0.21.0",
		"recipe_fingerprint", "ab", "workers", []any{object{"role": "prefill"}}).String(), Options{FileName: "agg_1k1k_.json"})
	c := r.Config
	if c.Model != "kimik2.5" || c.SpecMethod != "mtp" || !c.Disagg || !c.IsMultinode || !c.PrefillDPAttention || c.DecodeDPAttention || c.PrefillNumWorkers != 2 || GPUs(c) != 16 {
		t.Errorf("%+v", c)
	}
	if *r.ISL != 8192 || *r.OSL != 1024 || r.RecipeFingerprint != "ab" || r.Workers != `[{"role":"prefill"}]` {
		t.Errorf("%+v", r)
	}
}

func TestArtifactAgentic(t *testing.T) {
	r := readOne(t, artifactRow().with("conc", absent, "users", 128, "scenario_type", "agentic-coding", "offload_mode", "on", "infmax_model_prefix", "dsr1",
		"num_requests_total", 271, "num_requests_successful", 152, "median_qps", 0.0, "server_cpu_cache_hit_rate", nil).String(), Options{FileName: "agg_x_1k1k_.json"})
	if r.BenchmarkType != "agentic_traces" || r.ISL != nil || r.OSL != nil || r.Conc != 128 || r.OffloadMode != "on" || r.Failed {
		t.Errorf("%+v", r)
	}
	if other(r, "median_qps") == nil || other(r, "server_cpu_cache_hit_rate") != nil {
		t.Errorf("%+v", r.Other)
	}
	rows, sum := readAll(t, artifactRow().with("users", 4, "scenario_type", "agentic-coding", "num_requests_total", 3, "num_requests_successful", 0).String(), Options{})
	if len(rows) != 1 || !rows[0].Failed || rows[0].JSON == "" {
		t.Errorf("failed artifact: %+v %+v", rows, sum)
	}
}

func TestArtifactWords(t *testing.T) {
	opts := Options{FileName: "agg_1k1k.json"}
	for _, test := range []struct {
		row                 object
		spec, offload, name string
		disagg              bool
	}{
		{artifactRow().with("mtp", "on"), "mtp", "off", "sglang", false},
		{artifactRow().with("mtp", "off"), "none", "off", "sglang", false},
		{artifactRow().with("spec_decoding", "draft_model", "mtp", "off"), "draft_model", "off", "sglang", false},
		{artifactRow().with("spec_decoding", nil), "none", "off", "sglang", false},
		{artifactRow().with("offloading", "none"), "none", "off", "sglang", false},
		{artifactRow().with("offloading", "cpu"), "none", "on", "sglang", false},
		{artifactRow().with("kv_offloading", "dram"), "none", "on", "sglang", false},
		{artifactRow().with("kv_offloading", "none", "offload_mode", "on"), "none", "on", "sglang", false},
		{artifactRow().with("framework", "dynamo-trtllm"), "none", "off", "dynamo-trt", true},
		{artifactRow().with("framework", "dynamo-trt", "disagg", "false"), "none", "off", "dynamo-trt", false},
		{artifactRow().with("framework", "mori-sglang", "disagg", false), "none", "off", "mori-sglang", true},
		{artifactRow().with("framework", "atom-disagg"), "none", "off", "mooncake-atom", true},
		{artifactRow().with("framework", "vllm", "disagg", "True"), "none", "off", "vllm", true},
	} {
		r := readOne(t, test.row.String(), opts)
		if r.Config.SpecMethod != test.spec || r.OffloadMode != test.offload || r.Config.Framework != test.name || r.Config.Disagg != test.disagg {
			t.Errorf("%s: %+v offload %s", test.row, r.Config, r.OffloadMode)
		}
	}
}

func TestArtifactModels(t *testing.T) {
	for _, test := range []struct {
		prefix, path any
		want         string
		known        bool
	}{
		{absent, "nvidia/DeepSeek-R1-0528-FP4-V2", "dsr1", true},
		{absent, "/srv/models/deepseek-r1-0528-fp4-v2", "dsr1", true},
		{"gptoss", "openai/gpt-oss-120b", "gptoss120b", true},
		{"kimik2.7-fp4", "x/y", "kimik2.7-code", true},
		{"dsr1-fp8", absent, "dsr1", true},
		{"glm5.1", "x/y", "glm5.1", true},
		{absent, "someone/New-Model", "someone/New-Model", false},
		{"newmodel", "openai/gpt-oss-120b", "gptoss120b", true},
	} {
		rows, sum := readAll(t, artifactRow().with("infmax_model_prefix", test.prefix, "model", test.path).String(), Options{FileName: "agg_1k1k.json"})
		if len(rows) != 1 || rows[0].Config.Model != test.want || (driftOf(sum, driftWord, "model") == nil) != test.known {
			t.Errorf("%v %v: %+v %+v", test.prefix, test.path, rows, sum)
		}
	}
}

func TestArtifactIdentity(t *testing.T) {
	opts := Options{FileName: "agg_1k1k.json", Dir: "d"}
	single := readOne(t, artifactRow().String(), opts)
	pretty := strings.NewReplacer(`"tput_per_gpu":100.5`, "\"tput_per_gpu\" :\n 1005e-1", `"hw":"b200-nv",`, "", `{`, `{"hw":"b20\u0030-nv",`).Replace(artifactRow().String())
	rows, sum := readAll(t, "["+artifactRow().with("conc", 32).String()+",\n"+pretty+"]", opts)
	if len(rows) != 2 {
		t.Fatalf("%+v", sum.Problems)
	}
	if rows[1].ArtifactDigest != single.ArtifactDigest {
		t.Error("the same row singly and in an array is two points")
	}
	if rows[0].ArtifactDigest == single.ArtifactDigest {
		t.Error("another row is the same point")
	}
	a, _ := RunIdentity(&rows[0])
	b, _ := RunIdentity(&single)
	if a != b || !strings.HasPrefix(a, "artifact-") || len(a) != len("artifact-")+12 {
		t.Errorf("runs %s and %s", a, b)
	}
	opts.FileName = "agg_8k1k.json"
	long := readOne(t, artifactRow().String(), opts)
	if c, _ := RunIdentity(&long); c == a || long.ArtifactDigest == single.ArtifactDigest {
		t.Error("token lengths from the file's name are no part of the identity")
	}
	opts = Options{FileName: "agg_1k1k.json", Dir: "elsewhere"}
	elsewhere := readOne(t, artifactRow().String(), opts)
	if c, _ := RunIdentity(&elsewhere); c == a || elsewhere.ArtifactDigest != single.ArtifactDigest {
		t.Error("a directory groups points into a run and does not identify a point")
	}
}

func TestArtifactProblems(t *testing.T) {
	for _, test := range []struct {
		path, rule string
		row        object
	}{
		{"hw", "missing-key", artifactRow().with("hw", nil)},
		{"framework", "missing-key", artifactRow().with("framework", absent)},
		{"precision", "missing-key", artifactRow().with("precision", "")},
		{"conc", "missing-key", artifactRow().with("conc", absent)},
		{"conc", "range", artifactRow().with("conc", 0)},
		{"tp", "missing-key", artifactRow().with("tp", absent)},
		{"tp", "type", artifactRow().with("tp", "eight")},
		{"model", "missing-key", artifactRow().with("model", absent)},
		{"dp_attention", "type", artifactRow().with("dp_attention", "perhaps")},
		{"mtp", "type", artifactRow().with("mtp", 3)},
		{"p50_ttft", "p50-median", artifactRow().with("p50_ttft", 9)},
	} {
		rows, sum := readAll(t, "["+test.row.String()+"]", Options{FileName: "agg_1k1k.json"})
		if p := onlyProblem(t, sum); p.Path != "[0]."+test.path || p.Rule != test.rule || len(rows) != 0 || sum.Refused != 1 {
			t.Errorf("%s: %+v", test.path, p)
		}
	}
	_, sum := readAll(t, artifactRow().String(), Options{FileName: "agg.json"})
	if len(sum.Problems) != 2 || sum.Problems[0].Rule != "missing-length" || sum.Problems[1].Path != "osl" {
		t.Errorf("no lengths: %+v", sum.Problems)
	}
	_, sum = readAll(t, strings.Replace(artifactRow().String(), "0.25", "1e999", 1), Options{FileName: "agg_1k1k.json"})
	if p := onlyProblem(t, sum); p.Rule != "number-range" {
		t.Errorf("%+v", p)
	}
	_, sum = readAll(t, strings.Replace(artifactRow().String(), `{`, `{"tp":8,`, 1), Options{FileName: "agg_1k1k.json"})
	if p := onlyProblem(t, sum); p.Rule != "duplicate-key" {
		t.Errorf("%+v", p)
	}
}

func TestArtifactNestedMetrics(t *testing.T) {
	r := readOne(t, artifactRow().with("conc", 4, "scenario_type", "agentic-coding", "tput_per_gpu", absent, "median_ttft", absent, "p99.9_ttft", absent,
		"request_metrics", object{
			"latency":    object{"ttft": object{"mean": 3.5, "p50": 1.5, "p99.9": 9}, "itl": object{"p75": 0.25}, "new": object{"mean": 1}},
			"throughput": object{"per_gpu": object{"total_tput_tps": 400, "output_tput_tps": 4}},
		}, "server_metrics", object{}).String(), Options{})
	if value(t, r, "mean_ttft") != 3.5 || value(t, r, "median_ttft") != 1.5 || value(t, r, "p99.9_ttft") != 9 || value(t, r, "p75_itl") != 0.25 ||
		value(t, r, "tput_per_gpu") != 400 || value(t, r, "output_tput_per_gpu") != 4 || r.P50 == 0 || !strings.Contains(r.Extra, `"request_metrics":{`) {
		t.Errorf("%+v", r)
	}
}

func TestArtifactOwnKeys(t *testing.T) {
	_, sum := readAll(t, artifactRow().with("novel", 5, "note", "text", "flag", true).String(), Options{FileName: "agg_1k1k.json"})
	if driftOf(sum, driftMetric, "novel") == nil || driftOf(sum, driftKey, "note") == nil || driftOf(sum, driftKey, "flag") == nil {
		t.Errorf("%+v", sum.Drift)
	}
}
