package inferencex

import (
	"bytes"
	"fmt"
	"math/rand/v2"
)

// generate returns a capture of n invented rows: configurations swept over
// concurrency, with the keys and number forms of the publisher but no
// value that was ever measured. Every tenth configuration is disaggregated.
func generate(n int) []byte {
	var b bytes.Buffer
	rng := rand.New(rand.NewPCG(1, 2))
	hardware := []string{"h100", "h200", "b200", "mi355x", "gb200"}
	b.WriteString("[\n")
	for i := range n {
		config, step := i/8, i%8
		framework, disagg := []string{"vllm", "sglang", "trt"}[config%3], config%10 == 0
		if disagg {
			framework = "dynamo-sglang"
		}
		if i > 0 {
			b.WriteString(",\n")
		}
		fmt.Fprintf(&b, `  {"id": %d, "hardware": %q, "framework": %q, "model": "dsr1", "precision": "fp8", "spec_method": "none",
   "disagg": %t, "is_multinode": %t, "prefill_tp": 8, "prefill_ep": 1, "prefill_dp_attention": false, "prefill_num_workers": 0,
   "decode_tp": 8, "decode_ep": 1, "decode_dp_attention": false, "decode_num_workers": 0, "num_prefill_gpu": 8, "num_decode_gpu": 8,
   "benchmark_type": "single_turn", "isl": 1024, "osl": %d, "conc": %d, "offload_mode": "off", "image": "vllm/vllm-openai:v0.%d.2",
   "recipe_fingerprint": "%064x", "metrics": {`,
			400000+i, hardware[config%len(hardware)], framework, disagg, disagg, 1024<<(config%2*3), 1<<step, config%20, config)
		first := true
		for _, stat := range []string{"mean", "median", "std", "p90", "p99", "p99.9"} {
			for _, q := range []string{"ttft", "tpot", "itl", "e2el", "intvty"} {
				if !first {
					b.WriteString(", ")
				}
				first = false
				v := rng.Float64()
				if q == "intvty" {
					v *= 100
				}
				fmt.Fprintf(&b, "\"%s_%s\": %v", stat, q, v)
			}
		}
		fmt.Fprintf(&b, `, "tput_per_gpu": %v, "input_tput_per_gpu": %v, "output_tput_per_gpu": %v, "power_valid": 1, "power_metric_schema_version": 2, "avg_power_w": %v},
   "date": "2026-%02d-%02d", "workflow_run_id": %d, "run_started_at": "2026-09-18T22:35:24Z",
   "run_url": "https://github.com/SemiAnalysisAI/InferenceX/actions/runs/%d/attempts/1"}`,
			rng.Float64()*3000, rng.Float64()*1500, rng.Float64()*1500, 500+rng.Float64()*500,
			1+config%12, 1+config%28, 2000+config/16, 25000000000+int64(config/16))
	}
	b.WriteString("\n]\n")
	return b.Bytes()
}
