package catalog

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// A mistake is one change to a valid document and the problems it gives, as
// "path [rule]", warnings with "warning: " before it. Each problem is wanted once
// and nothing else.
type mistake struct {
	name     string
	old, new string   // the change; a new without old is appended
	want     []string // nil: not compared
}

// runMistakes change baseRun.
var runMistakes = []mistake{
	// Keys.
	{"unknown key", "model: wren-14b", "model: wren-14b\nmodle: x", []string{"modle [unknown-key]"}},
	{"unknown key, nested", "    method: json", "    method: json\n    columns: 3", []string{"source.extraction.columns [unknown-key]"}},
	{"required key misspelt", "name: base-run", "nam: base-run", []string{"nam [unknown-key]", "name [missing-key]"}},
	{"required key in capitals", "name: base-run", "Name: base-run", []string{"Name [unknown-key]"}},
	{"one of two in capitals", "{concurrency: 16}", "{Concurrency: 16}", []string{"points[2].load.Concurrency [unknown-key]"}},
	{"duplicate key", "model: wren-14b", "model: wren-14b\nmodel: other", []string{"model [duplicate-key]"}},
	{"duplicate metric", "points:\n", "  ttft_p50: {unit: ms, cite: x}\npoints:\n", []string{"metric_defs.ttft_p50 [duplicate-key]"}},
	{"number as key", "points:\n", "  7: {unit: ms, cite: x}\npoints:\n", []string{"metric_defs.7 [key-type]"}},
	{"mapping as key", "points:\n", "  {a: b}: {unit: ms, cite: x}\npoints:\n", []string{"metric_defs [key-type]"}},
	{"null mapping", "  adapter:\n    name: adapters/bench\n    version: \"1\"\n    sha256: " + strings.Repeat("a", 64) + "\n", "  adapter: ~\n", []string{"source.adapter [missing-key]"}},
	{"missing list", "points:\n  - id: c1", "points: []\nx-points:\n  - id: c1", []string{"points [empty]", "x-points [unknown-key]"}},
	{"null", "version: \"1\"", "version: null", []string{"source.adapter.version [missing-key]"}},
	{"empty string", "name: adapters/bench", "name: ''", []string{"source.adapter.name [missing-key]"}},
	{"null element", "      - \"\"", "      -", []string{"source.extraction.selectors[1] [null-element]"}},
	{"tag", "num_prompts: 200", "num_prompts: !!int 200", []string{"client.num_prompts [tag]"}},
	{"bare tag", "num_prompts: 200", "num_prompts: ! 200", []string{"client.num_prompts [tag]"}},
	{"tagged mapping", "pd_transfer: {}", "pd_transfer: !!map {}", []string{"deployment.pd_transfer [tag]"}},
	{"merge of a number", "pd_transfer: {}", "pd_transfer: {<<: 4}", []string{"deployment.pd_transfer.<< [merge]"}},
	{"merge of a list with a number", "pd_transfer: {}", "pd_transfer: {<<: [4]}", []string{"deployment.pd_transfer.<< [merge]"}},
	{"two merges", "pd_transfer: {}", "pd_transfer: {<<: {}, <<: {}}", []string{"deployment.pd_transfer.<< [duplicate-key]"}},
	{"alias in itself", "pd_transfer: {}", "pd_transfer: &a {connector: *a}", []string{"deployment.pd_transfer.connector [alias]"}},
	{"nesting", "model: wren-14b", "model: " + strings.Repeat("[", 64) + strings.Repeat("]", 64), []string{"model" + strings.Repeat("[0]", 63) + " [nesting]"}},
	{"nesting without end", "model: wren-14b", "model: " + strings.Repeat("[", 200_000), []string{" [nesting]"}},
	// A value reached twice through an alias is one mistake.
	{"mistake in an anchor", "parallel: {tp: 8, pp: 1, dp: 1, enable_expert_parallel: true}", "parallel: {tp: 8, pp: 1, dp: 1}\n      engine: &e {block_size: -1}\n    - {role: decode, nodes: 1, parallel: {tp: 8, pp: 1, dp: 1}, engine: *e}",
		[]string{"deployment.pools[1].engine.block_size [range]", "deployment.pools [pool-nodes]"}},

	// Types.
	{"list for a string", "model: wren-14b", "model: [a]", []string{"model [type]"}},
	{"string for a list", "selectors:\n      - median_ttft_ms\n      - \"\"", "selectors: median", []string{"source.extraction.selectors [type]"}},
	{"string for a mapping", "pd_transfer: {}", "pd_transfer: nixl", []string{"deployment.pd_transfer [type]"}},
	{"quoted number", "num_prompts: 200", "num_prompts: \"200\"", []string{"client.num_prompts [type]"}},
	{"empty number", "num_prompts: 200", "num_prompts: ''", []string{"client.num_prompts [type]"}},
	{"word for a number", "duration_s: 60", "duration_s: 60s", []string{"client.duration_s [type]"}},
	{"block scalar number", "duration_s: 60", "duration_s: |-\n    60", []string{"client.duration_s [type]"}},
	{"y for a boolean", "ignore_eos: false", "ignore_eos: y", []string{"client.ignore_eos [type]"}},
	{"quoted boolean", "ignore_eos: false", "ignore_eos: 'false'", []string{"client.ignore_eos [type]"}},
	{"float for an integer", "num_prompts: 200", "num_prompts: 200.0", []string{"client.num_prompts [number]"}},
	{"exponent for an integer", "num_prompts: 200", "num_prompts: 2e2", []string{"client.num_prompts [number]"}},
	{"leading zero", "num_prompts: 200", "num_prompts: 0200", []string{"client.num_prompts [number]"}},
	{"hexadecimal", "num_prompts: 200", "num_prompts: 0x1F", []string{"client.num_prompts [number]"}},
	{"underscore", "num_prompts: 200", "num_prompts: 2_00", []string{"client.num_prompts [number]"}},
	{"plus", "duration_s: 60", "duration_s: +60", []string{"client.duration_s [number]"}},
	{"no digit before the point", "duration_s: 60", "duration_s: .5", []string{"client.duration_s [number]"}},
	{"no digit after the point", "duration_s: 60", "duration_s: 5.", []string{"client.duration_s [number]"}},
	{"beyond 64 bits", "num_prompts: 200", "num_prompts: 9223372036854775808", []string{"client.num_prompts [number]"}},
	{"beyond a double", "duration_s: 60", "duration_s: 1e999", []string{"client.duration_s [number]"}},
	{"NaN", "{value: 100, raw", "{value: .nan, raw", []string{"points[0].metrics.ttft_p50.value [not-finite]"}},
	{"infinity", "burstiness: 1", "burstiness: -.inf", []string{"client.burstiness [not-finite]"}},

	// Single values.
	{"schema version", "schema_version: 1", "schema_version: 2", []string{"schema_version [schema-version]"}},
	{"name", "name: base-run", "name: Base_Run", []string{"name [slug]"}},
	{"licence reference", "license_ref: synthetic-fixture", "license_ref: a--b", []string{"source.license_ref [slug]"}},
	{"vocabulary", "kind: vllm_bench", "kind: vllm-bench", []string{"source.kind [vocabulary]"}},
	{"statistic", "statistic: median", "statistic: p100", []string{"metric_defs.ttft_p50.statistic [vocabulary]"}},
	{"formula", "formula: ttft", "formula: latency", []string{"metric_defs.ttft_p50.formula [vocabulary]"}},
	{"stated verdict", "supersedes:", "verdict: GOOD\nsupersedes:", []string{"verdict [vocabulary]"}},
	{"digest", "sha256: " + strings.Repeat("b", 64), "sha256: " + strings.Repeat("B", 64), []string{"source.inputs[0].sha256 [digest]"}},
	{"image tag", "vllm/vllm-openai@sha256:" + strings.Repeat("e", 64), "vllm/vllm-openai:latest", []string{"client.image_digest [image-digest]"}},
	{"timestamp", "fetched_utc: \"2026-10-15T13:58:06Z\"", "fetched_utc: 2026-10-15T13:58:06+02:00", []string{"source.inputs[0].fetched_utc [timestamp]"}},
	{"url", "url: https://example.org/results.json", "url: ftp://example.org/results.json", []string{"source.inputs[0].url [url]"}},
	{"negative", "size: 2048", "size: -1", []string{"source.inputs[0].size [range]"}},
	{"not positive", "burstiness: 1", "burstiness: 0", []string{"client.burstiness [range]"}},
	{"fraction", "kv_utilization: 0.1", "kv_utilization: 1.01", []string{"points[0].kv_utilization [range]"}},
	{"too few seeds", "seeds: 3", "seeds: 1", []string{"points[0].noise.seeds [range]"}},
	{"negative value", "{value: 190}", "{value: -190}", []string{"points[2].metrics.ttft_p50.value [range]"}},

	// Source.
	{"no report", "role: report", "role: log", []string{"source.inputs [report-input]"}},
	{"report unknown", "role: report", "role: raport", []string{"source.inputs[0].role [vocabulary]"}},
	{"input without a place", "      path: tests.json\n", "", []string{"source.inputs[1] [input-location]"}},
	{"input with a bad url alone", "url: https://example.org/results.json", "url: example.org", []string{"source.inputs[0].url [url]"}},

	// Definitions.
	{"unit of another formula", "    unit: tokens_per_s", "    unit: ms", []string{"metric_defs.output_tps.unit [unit]"}},
	{"statistic of a throughput", "    denominator: main_phase_wall", "    denominator: main_phase_wall\n    statistic: p99", []string{"metric_defs.output_tps.statistic [throughput-statistic]"}},
	{"denominator of a latency", "    statistic: median", "    statistic: median\n    denominator: steady_window", []string{"metric_defs.ttft_p50.denominator [latency-denominator]"}},
	{"percentile without a method", "    percentile_method: numpy_linear\n", "", []string{"metric_defs.itl_p99.percentile_method [missing-key]"}},

	// Points.
	{"same id", "id: c16", "id: c1", []string{"points[2].id [duplicate]"}},
	{"no load", "{concurrency: 16}", "{}", []string{"points[2].load [load]"}},
	{"another mode in the middle", "{concurrency: 4}", "{request_rate: 4}", []string{"points[1].load [load-mode]"}},
	{"another mode first", "load: {concurrency: 1}", "load: {request_rate: 1}", []string{"points[0].load [load-mode]"}},
	{"not increasing", "{concurrency: 16}", "{concurrency: 4}", []string{"points[2].load [load-order]"}},
	{"not increasing, refused load", "{concurrency: 4}", "{concurrency: -4}", []string{"points[1].load.concurrency [range]"}},
	{"no metrics", "    metrics:\n      ttft_p50: {value: 190}", "    metrics: {}", []string{"points[2].metrics [empty]"}},
	{"undefined metric", "ttft_p50: {value: 190}", "ttft_p90: {value: 190}", []string{"points[2].metrics.ttft_p90 [undefined-metric]"}},

	// Provenance and differences.
	{"same setting", "setting: block_size", "setting: tensor_parallel_size", []string{"provenance[1].setting [duplicate]"}},
	{"unsupported match", "    report: {value: \"4\", ref: log:12}\n", "", []string{"provenance[0].verdict [provenance-support]"}},
	{"match that differs", "blis: {value: 4}", "blis: {value: 8}", []string{"warning: provenance[0].verdict [match-differs]"}},
	{"equal mismatch", "verdict: MATCH", "verdict: MISMATCH", []string{"warning: provenance[0].verdict [mismatch-equal]"}},
	{"unverifiable", "verdict: MATCH", "verdict: UNVERIFIABLE", []string{"provenance[0].verdict [provenance-support]"}},
	{"source without a reference", ", ref: log:12", "", []string{"provenance[0].report.ref [missing-key]"}},
	{"resolved match", "material: yes", "resolved_by: x\n    material: yes", []string{"provenance[0].resolved_by [not-allowed]"}},
	{"bound without bounded", "material: bounded", "material: no", []string{"provenance[1].bound [not-allowed]"}},
	{"bounded without a bound", "material: unknown", "material: bounded", []string{"diff[0].bound [missing-key]"}},
	{"removable by nobody", "    owner_repo: example/blis\n", "", []string{"diff[0].owner_repo [missing-key]"}},
	{"supersedes itself", "supersedes: older-run", "supersedes: base-run", []string{"supersedes [self-reference]"}},
	{"exact without resolution", "supersedes:", "verdict: EXACT\nsupersedes:", []string{"resolution [missing-key]"}},

	// Cluster.
	{"no fabric", "  fabric: ib-400g\n", "", []string{"cluster.fabric [missing-key]"}},
	{"racks", "gpus_per_rack: 16", "gpus_per_rack: 12", []string{"cluster.gpus_per_rack [rack-gpus]"}},
	{"storage twice", "[nvme, dram]", "[nvme, dram, nvme]", []string{"cluster.storage[2] [duplicate]"}},
	{"empty storage", "[nvme, dram]", "[nvme, dram, '']", []string{"cluster.storage[2] [empty]"}},

	// Deployment.
	{"no decode pool", "role: decode", "role: prefill", []string{"deployment.pools [pool-roles]"}},
	{"colocated beside decode", "role: prefill", "role: colocated", []string{"deployment.pools [pool-roles]"}},
	{"no transfer", "  pd_transfer: {}\n", "", []string{"deployment.pd_transfer [missing-key]"}},
	{"negative width", "dp: 2, dp_local: 2", "dp: 2, dp_local: 2, pcp: -1", []string{"deployment.pools[0].parallel [context-parallel]"}},
	{"dcp", "dp: 2, dp_local: 2", "dp: 2, dp_local: 2, dcp: 3", []string{"deployment.pools[0].parallel.dcp [dcp-width]"}},
	{"dp_local above dp", "dp: 2, dp_local: 2", "dp: 2, dp_local: 4", []string{"deployment.pools[0].parallel.dp_local [dp-local]"}},
	{"dp_local beside the node", "{tp: 4, pp: 1, dp: 2, dp_local: 2}", "{tp: 1, pp: 1, dp: 3, dp_local: 3}", []string{"deployment.pools[0].parallel.dp_local [dp-local]"}},
	{"expert parallelism of one", "{tp: 8, pp: 1, dp: 1, enable", "{tp: 1, pp: 8, dp: 1, enable", []string{"warning: deployment.pools[1].parallel [expert-parallel]"}},
	{"custom allreduce", "cache_dtype: fp8", "allreduce_backend: custom\n        disable_custom_all_reduce: true", []string{"deployment.pools[0].engine.allreduce_backend [allreduce]"}},
	{"nccl allreduce", "cache_dtype: fp8", "allreduce_backend: nccl\n        disable_custom_all_reduce: false", []string{"warning: deployment.pools[0].engine [allreduce-nccl]"}},
	{"dbo", "dbo_decode_token_threshold: 32", "dbo_decode_token_threshold: -1", []string{"deployment.pools[0].engine.dbo [dbo-threshold]"}},
	{"eplb", "num_redundant_experts: 0", "num_redundant_experts: -1", []string{"deployment.pools[0].engine.eplb.num_redundant_experts [range]"}},
	{"speculative", "{method: mtp, num_spec_tokens: 2}", "{}", []string{"deployment.pools[0].engine.speculative.method [missing-key]", "deployment.pools[0].engine.speculative.num_spec_tokens [missing-key]"}},
	{"tier twice", "{tier: dram, bytes: 2000}", "{tier: nvme, bytes: 2000}", []string{"deployment.offload.tiers[1].tier [duplicate]"}},
	{"no tiers", "    tiers:\n      - {tier: nvme, bytes: 1000}\n      - {tier: dram, bytes: 2000}\n", "    tiers: []\n", []string{"deployment.offload.tiers [empty]"}},
	{"tier elsewhere", "{tier: dram, bytes: 2000}", "{tier: tape, bytes: 2000}", []string{"deployment.offload.tiers[1].tier [offload-tier]"}},
	{"pool nodes", "  nodes: 2\n", "  nodes: 3\n", []string{"deployment.pools [pool-nodes]"}},
	{"too many ranks", "{tp: 8, pp: 1, dp: 1, enable", "{tp: 8, pp: 2, dp: 1, enable", []string{"deployment.pools[1].parallel [rank-fit]"}},

	// Router and workload.
	{"picker beside direct", "kind: epp", "kind: direct", []string{"router.epp [not-allowed]"}},
	{"no picker", "  epp:\n    version: v1.2\n    config: {path: epp.yaml, sha256: " + strings.Repeat("d", 64) + "}\n", "", []string{"router.epp [missing-key]"}},
	{"shape and trace", "  trace:\n    data", "  shape: chat\n  trace:\n    data", []string{"workload [shape-or-trace]"}},
	{"no target", "{ttft_ms: 200, itl_ms: 0}", "{ttft_ms: 0, itl_ms: 0}", []string{"workload.trace.header.goodput_slo_targets.chat [slo-target]"}},
	{"class without a name", "chat: {ttft_ms", "'': {ttft_ms", []string{"workload.trace.header.goodput_slo_targets [empty]"}},

	// The document.
	{"second document", "", "---\nkind: MeasuredRun\n", []string{" [multiple-documents]"}},
	{"kind", "kind: MeasuredRun", "kind: MeasurementRun", []string{"kind [kind]"}},
	{"no kind", "kind: MeasuredRun\n", "", []string{"kind [missing-key]"}},
	{"tab", "client:\n", "client:\n\tx: 1\n", []string{" [syntax]"}},
	{"unknown anchor", "model: wren-14b", "model: *none", []string{" [syntax]"}},
	{"NUL", "model: wren-14b", "model: wren\x0014b", []string{" [encoding]"}},
	{"not UTF-8", "model: wren-14b", "model: wren\xff14b", []string{" [encoding]"}},

	// Several at once, sorted.
	{"several", "model: wren-14b", "model: []\nengine: x\nzeta: 1", []string{"engine [unknown-key]", "model [type]", "zeta [unknown-key]"}},
}

// registryMistakes change baseRegistry.
var registryMistakes = []mistake{
	{"no sources", "sources:\n  - id: synthetic-fixture", "sauces:\n  - id: synthetic-fixture", []string{"sauces [unknown-key]", "sources [missing-key]"}},
	{"id twice", "id: unread", "id: synthetic-fixture", []string{"sources[1].id [duplicate]"}},
	{"id", "id: unread", "id: Un read", []string{"sources[1].id [slug]"}},
	{"status", "status: unverified", "status: open", []string{"sources[1].status [vocabulary]"}},
	{"permit", "[score, redistribute]", "[score, sell]", []string{"sources[0].permits[1] [vocabulary]"}},
	{"permit twice", "[score, redistribute]", "[score, score]", []string{"sources[0].permits[1] [duplicate]"}},
	{"verified without permits", "[score, redistribute]", "[]", []string{"sources[0].permits [empty]"}},
	{"verified without licence", "    license: Apache-2.0\n", "", []string{"sources[0].license [missing-key]"}},
	{"permits of an unverified entry", "permits: []", "permits: [score]", []string{"sources[1].permits [not-allowed]"}},
	{"unverified without note", "    note: no terms found\n", "", []string{"sources[1].note [missing-key]"}},
	{"evidence", "url: https://example.org/LICENSE", "url: LICENSE", []string{"sources[0].evidence[0].url [url]"}},
}

// specialMistakes are whole documents.
func specialMistakes() []mistake {
	secret := "hf" + "_" + strings.Repeat("aB3dE5gH", 5)
	bombs := "kind: MeasuredRun\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := 1; i < 9; i++ {
		bombs += fmt.Sprintf("a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 10), ", "))
	}
	keys := "kind: MeasurementSources\nsources: []\n"
	for i := range maxProblems + 5 {
		keys += fmt.Sprintf("k%d: 1\n", i)
	}
	undecided := strings.NewReplacer("  nodes: 2\n", "  nodes: 4611686018427387905\n", "      nodes: 1\n      parallel: {tp: 8, pp: 1, dp: 1, enable_expert_parallel: true}",
		"      nodes: 4611686018427387904\n      parallel: {tp: 4611686018427387847, pp: 1, dp: 1, dp_local: 1}").Replace(baseRun)
	return []mistake{
		{"empty", "", "", []string{" [no-document]"}},
		{"comments alone", "", "# nothing\n", []string{" [no-document]"}},
		{"null", "", "~\n", []string{" [no-document]"}},
		{"list", "", "[a]\n", []string{" [type]"}},
		{"kind Secret", "", "kind: Sec" + "ret\ndata: {}\n", []string{"kind [credential]"}},
		{"alias bomb", "", bombs, []string{"a4[7] [alias]"}},
		{"too large", "", "kind: MeasuredRun\n" + strings.Repeat("#", 16<<20), []string{" [size]"}},
		{"problems without end", "", keys, nil},
		{"undecided placement", "", undecided, []string{"warning: deployment.pools[1].parallel [rank-fit-undecided]"}},
		{"credential", "", strings.Replace(baseRun, "note: cut", "note: "+secret+" cut", 1), []string{"source.inputs[0].note [credential]"}},
		{"credential as a word", "", strings.Replace(baseRun, "kind: vllm_bench", "kind: "+secret, 1), []string{"source.kind [credential]"}},
		{"credential as a key", "", strings.Replace(baseRun, "client:\n", "client:\n  "+secret+": 1\n", 1), []string{"client [credential]"}},
		{"credential in a comment", "", strings.Replace(baseRun, "client:\n", "client: # "+secret+"\n", 1), []string{" [credential]"}},
		{"credential after a #", "", strings.Replace(baseRun, "note: cut", "note: 'a # "+secret+"' # cut", 1), []string{"source.inputs[0].note [credential]"}},
		{"credential in a command", "", strings.Replace(baseRun, "--seed, 0]", "--api-key, hunter2]", 1), []string{"client.command[4] [credential]"}},
		{"credential in no YAML", "", "kind: [\n# " + secret, []string{" [credential]", " [syntax]"}},
		{"credential beside a NUL", "", "kind: \x00\n# " + secret, []string{" [credential]", " [encoding]"}},
		{"credential as an alias", "", strings.NewReplacer("note: cut to the rows read", "note: &s "+secret, "commit: 0123456", "commit: *s").Replace(baseRun), []string{"source.inputs[0].note [credential]"}},
	}
}

func (m mistake) document(t *testing.T, base string) string {
	t.Helper()
	if m.old == "" {
		return base + m.new
	}
	if strings.Count(base, m.old) != 1 {
		t.Fatalf("%q stands %d times in the base document", m.old, strings.Count(base, m.old))
	}
	return strings.Replace(base, m.old, m.new, 1)
}

func rendered(problems []record.Problem) []string {
	list := []string{}
	for _, p := range problems {
		s := p.Path + " [" + p.Rule + "]"
		if p.Severity == record.Warning {
			s = "warning: " + s
		}
		list = append(list, s)
	}
	return list
}

// TestParseReports changes one thing in a valid document and wants exactly the
// problems of that change. Every rule must be fired by some change.
func TestParseReports(t *testing.T) {
	fired := map[string]bool{}
	check := func(kind, base string, list []mistake) {
		for _, m := range list {
			t.Run(kind+"/"+m.name, func(t *testing.T) {
				d := Parse([]byte(m.document(t, base)), DefaultLimits())
				for _, p := range d.Problems {
					fired[p.Rule] = true
					if p.Message == "" || strings.Contains(p.Message, "%!") {
						t.Errorf("message %q", p.Message)
					}
				}
				got := rendered(d.Problems)
				want := slices.Clone(m.want)
				slices.Sort(want)
				sorted := slices.Clone(got)
				slices.Sort(sorted)
				if m.want == nil && len(got) > maxProblems+1 {
					t.Errorf("%d problems", len(got))
				}
				if m.want != nil && !slices.Equal(sorted, want) {
					t.Errorf("problems %q, want %q", got, want)
					for _, p := range d.Problems {
						t.Logf("%d: %s: %s", p.Line, p.Path, p.Message)
					}
				}
			})
		}
	}
	check("run", baseRun, runMistakes)
	check("registry", baseRegistry, registryMistakes)
	check("evaluation", baseEvaluation, evaluationMistakes)
	check("document", "", specialMistakes())
	for _, r := range Rules() {
		if !fired[r.Name] {
			t.Errorf("no document fires the rule %s", r.Name)
		}
		delete(fired, r.Name)
	}
	for name := range fired {
		t.Errorf("the rule %s is not in Rules", name)
	}
}

func TestParseNeverRepeatsASecret(t *testing.T) {
	secret := "hf" + "_" + strings.Repeat("aB3dE5gH", 5)
	for _, m := range specialMistakes() {
		if !strings.Contains(m.new, secret) {
			continue
		}
		d := Parse([]byte(m.new), DefaultLimits())
		if !d.Secret || d.Valid() {
			t.Errorf("%s: secret %v, valid %v", m.name, d.Secret, d.Valid())
		}
		if strings.Contains(fmt.Sprint(d.Problems, d.Name), secret) {
			t.Errorf("%s: the secret is repeated", m.name)
		}
	}
	d := Parse([]byte("kind: MeasuredRun\nname: "+secret), DefaultLimits())
	if d.Name != "" {
		t.Error("a credential is given as a name")
	}
}

func TestParseAcceptsTheBase(t *testing.T) {
	d := Parse([]byte(baseRun), DefaultLimits())
	if len(d.Problems) > 0 || d.Kind != KindRun || d.Name != "base-run" || d.Run == nil || d.Registry != nil || d.Secret {
		t.Fatalf("%+v", d)
	}
	v := d.Run
	zero, two := int64(0), int64(2)
	yes, no := true, false
	for _, c := range []struct {
		what      string
		got, want any
	}{
		{"a timestamp, normalised", v.Source.RetrievedUTC, "2026-10-15T13:58:06.50Z"},
		{"a commit, as text", v.Source.Inputs[1].Commit, "0123456"},
		{"selectors, an empty one included", v.Source.Extraction.Selectors, []string{"median_ttft_ms", ""}},
		{"yes, a boolean", v.Source.Extraction.LabelVerified, &yes},
		{"no, a boolean", v.MetricDefs[2].ReasoningCountedAsContent, &no},
		{"yes, a word", v.Provenance[0].Material, "yes"},
		{"a version, as text", v.EngineVersion, "0.31.0"},
		{"a command, numbers as text", v.Client.Command, []string{"vllm", "bench", "serve", "--seed", "0"}},
		{"-0, an integer", v.Client.Seed, &zero},
		{"-0, a number", v.Points[1].Metrics[1], record.Value{Metric: "output_tps", Text: "0"}},
		{"a number's text", v.Points[0].Metrics[1], record.Value{Metric: "itl_p99", Value: 20.5, Text: "20.50"}},
		{"an exponent", v.Client.RampUp.End, 25.0},
		{"definitions in order", v.MetricDefs[0].Name + v.MetricDefs[1].Name + v.MetricDefs[2].Name, "ttft_p50itl_p99output_tps"},
		{"a flat point", []any{v.Points[0].Concurrency == nil, *v.Points[0].MeanOSL, *v.Points[0].NoiseSeeds}, []any{false, 256.5, int64(3)}},
		{"an unstated load key", v.Points[0].RequestRate, (*float64)(nil)},
		{"engine settings", v.Deployment.Pools[0].Settings, []record.Setting{
			{Name: "max_model_len", Value: int64(8192)}, {Name: "gpu_memory_utilization", Value: 0.9}, {Name: "cache_dtype", Value: "fp8"},
			{Name: "enable_prefix_caching", Value: false}, {Name: "dbo.enable_dbo", Value: true}, {Name: "dbo.dbo_decode_token_threshold", Value: int64(32)},
			{Name: "eplb.enable_eplb", Value: true}, {Name: "eplb.num_redundant_experts", Value: int64(0)},
			{Name: "speculative.method", Value: "mtp"}, {Name: "speculative.num_spec_tokens", Value: int64(2)},
		}},
		{"an empty mapping, stated", v.Deployment.PDTransfer, &record.PDTransfer{}},
		{"dp_local", v.Deployment.Pools[0].Parallel.DPLocal, &two},
		{"the picker's config", v.Router.EPP.ConfigPath, "epp.yaml"},
		{"a seed of 0", v.Workload.Trace.WorkloadSeed, &zero},
		{"targets", v.Workload.Trace.SLOTargets[0].Class, "chat"},
		{"BLIS's value", v.Provenance[0].BLIS, &record.Stated{Value: "4"}},
	} {
		if !reflect.DeepEqual(c.got, c.want) {
			t.Errorf("%s: %v, want %v", c.what, c.got, c.want)
		}
	}
	for path, want := range map[string]int{"kind": 2, "source.license_ref": 30, "points[2]": 133, "points[2].metrics.ttft_p50.value": 136, "source.extraction.selectors[1]": 27, "nothing": 0, "points[9]": 0, "": 0} {
		if got := d.Line(path); got != want {
			t.Errorf("line of %q: %d, want %d", path, got, want)
		}
	}
	if d := Parse([]byte(baseRegistry), DefaultLimits()); len(d.Problems) > 0 || d.Kind != KindRegistry || len(d.Registry.Sources) != 2 {
		t.Errorf("registry: %+v", d)
	}
}

// TestParseAccepts changes the base document without breaking a rule.
func TestParseAccepts(t *testing.T) {
	for _, c := range []struct{ name, old, new string }{
		{"byte order mark", "# Synthetic", "\xEF\xBB\xBF# Synthetic"},
		{"YAML 1.2", "# Synthetic", "%YAML 1.2\n---\n# Synthetic"},
		{"empty document at the end", "", "---\n...\n"},
		{"null for an optional key", "model: wren-14b", "model: ~"},
		{"an empty optional string", "model: wren-14b", "model: ''"},
		{"null entries of a free mapping", "  output_tps:\n    formula", "  spare: null\n  output_tps:\n    formula"},
		{"merge with an override", "{value: 150}", "&v {value: 150, raw_key: k}\n      itl_p99: {<<: *v, value: 1}"},
		{"merge of a list", "pd_transfer: {}", "pd_transfer: {<<: [{connector: a}, {connector: b}]}"},
		{"an image without a name", "vllm/vllm-openai@sha256", "sha256"},
		{"a percentile with a fraction", "statistic: p99", "statistic: p99.9"},
		{"a method beside the median", "    statistic: median", "    statistic: median\n    percentile_method: numpy_linear"},
		{"no formula", "    formula: output_throughput\n", ""},
		{"no router", "router:\n  kind: epp\n  epp:\n    version: v1.2\n    config: {path: epp.yaml, sha256: " + strings.Repeat("d", 64) + "}\n", ""},
		{"an empty list", "diff:\n  - path: engine.scheduler\n    kind: not_modelled\n    removable: true\n    owner_repo: example/blis\n    material: unknown\n", "diff: []\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := baseRun + c.new
			if c.old != "" {
				text = strings.Replace(baseRun, c.old, c.new, 1)
			}
			d := Parse([]byte(text), DefaultLimits())
			if len(d.Problems) > 0 || d.Run == nil {
				t.Errorf("%+v", d.Problems)
			}
		})
	}
	if d := Parse([]byte(strings.ReplaceAll(baseRun, "\n", "\r\n")), DefaultLimits()); len(d.Problems) > 0 {
		t.Errorf("CR LF: %+v", d.Problems)
	}
}

func TestParseGivesLines(t *testing.T) {
	d := Parse([]byte(strings.Replace(baseRun, "num_prompts: 200", "num_prompts: -5", 1)), DefaultLimits())
	want := 1 + strings.Count(baseRun[:strings.Index(baseRun, "num_prompts")], "\n")
	if len(d.Problems) != 1 || d.Problems[0].Line != want {
		t.Errorf("%+v, want line %d", d.Problems, want)
	}
}
