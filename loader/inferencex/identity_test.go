package inferencex

import (
	"strings"
	"testing"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// The text and the names below are in warehouses: they never change.
func TestIdentityIsFixed(t *testing.T) {
	n := int64(1024)
	row := record.InferenceXRow{
		Config: record.InferenceXConfig{Hardware: "b200", Framework: "dynamo-trt", Model: "dsr1", Precision: "fp4", SpecMethod: "mtp",
			Disagg: true, IsMultinode: true, PrefillTP: 4, PrefillEP: 5, PrefillDPAttention: true, PrefillNumWorkers: 6,
			DecodeTP: 8, DecodeEP: 9, DecodeNumWorkers: 10, NumPrefillGPU: 24, NumDecodeGPU: 80},
		BenchmarkType: "single_turn", ISL: &n, OffloadMode: "off", Conc: 4, Image: "any",
		GitHubRunID: 24681357902, RunAttempt: 2, Date: "2026-05-04",
	}
	const want = `inferencex 1
run=24681357902/2
hardware=4:b200
framework=10:dynamo-trt
model=4:dsr1
precision=3:fp4
spec_method=3:mtp
disagg=1
is_multinode=1
prefill_tp=4
prefill_ep=5
prefill_dp_attention=1
prefill_num_workers=6
decode_tp=8
decode_ep=9
decode_dp_attention=0
decode_num_workers=10
num_prefill_gpu=24
num_decode_gpu=80
benchmark_type=11:single_turn
isl=1024
osl=-
offload_mode=3:off
recipe_fingerprint=-
`
	if got := string(AppendIdentity(nil, &row)); got != want {
		t.Errorf("identity\n%s", got)
	}
	for _, test := range []struct {
		edit func(*record.InferenceXRow)
		name string
	}{
		{func(*record.InferenceXRow) {}, "inferencex-24681357902-2-43aeeee610e7"},
		{func(r *record.InferenceXRow) { r.GitHubRunID = 0 }, "inferencex-2026-05-04-765881178232"},
		{func(r *record.InferenceXRow) { r.ArtifactDigest, r.ArtifactRun = "d", "dir" }, "artifact-3e7b31923ef9"},
	} {
		r := row
		test.edit(&r)
		if name, _ := RunIdentity(&r); name != test.name {
			t.Errorf("name %s, want %s", name, test.name)
		}
	}
}

func TestIdentityDistinguishes(t *testing.T) {
	base := apiRow()
	name := func(o object) string {
		r := readOne(t, o.String(), Options{})
		n, _ := RunIdentity(&r)
		var id Identifier
		if again, _ := id.Run(&r); again != n {
			t.Errorf("Identifier says %s, RunIdentity %s", again, n)
		}
		return n
	}
	same := name(base)
	for _, o := range []object{base.with("conc", 64), base.with("image", nil), base.with("recipe_fingerprint", absent), base.with("recipe_fingerprint", ""),
		base.with("benchmark_type", absent), base.with("offload_mode", absent), base.with("spec_method", nil), base.with("id", 9), base.with("metrics", object{}),
		base.with("workflow_run_id", 7), base.with("date", "2026-08-09")} {
		if n := name(o); n != same {
			t.Errorf("%s is another run", o)
		}
	}
	seen := map[string]bool{same: true}
	for _, o := range []object{base.with("hardware", "b200"), base.with("framework", "sglang"), base.with("model", "dsv4"), base.with("precision", "fp4"),
		base.with("spec_method", "mtp"), base.with("disagg", true), base.with("is_multinode", true), base.with("prefill_tp", 4), base.with("prefill_ep", 2),
		base.with("prefill_dp_attention", true), base.with("prefill_num_workers", 1), base.with("decode_tp", 4), base.with("decode_ep", 2),
		base.with("decode_dp_attention", true), base.with("decode_num_workers", 1), base.with("num_prefill_gpu", 0), base.with("num_decode_gpu", 0),
		base.with("benchmark_type", "agentic_traces"), base.with("isl", 8192), base.with("osl", 8192), base.with("osl", nil), base.with("offload_mode", "on"),
		base.with("recipe_fingerprint", "ab"), base.with("run_url", nil), base.with("run_url", nil, "date", "2026-08-09"),
		base.with("run_url", "https://github.com/SemiAnalysisAI/InferenceX/actions/runs/123456789/attempts/3")} {
		n := name(o)
		if seen[n] {
			t.Errorf("%s is no run of its own", o)
		}
		seen[n] = true
	}
	if n := name(base.with("run_url", nil)); !strings.HasPrefix(n, "inferencex-2026-08-08-") {
		t.Errorf("a row without run_url is named %s", n)
	}
}
