package catalog

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// evaluationMistakes change baseEvaluation.
var evaluationMistakes = []mistake{
	{"unknown key", "scenario: chat-1k1k", "scenaro: chat-1k1k", []string{"scenaro [unknown-key]"}},
	{"a key of a MeasuredRun", "scenario: chat-1k1k", "model: wren-14b", []string{"model [unknown-key]"}},
	{"a reference", "scenario: chat-1k1k", "supersedes: older", []string{"supersedes [unknown-key]"}},
	{"unknown key of a point", "    ttft_ms: 61", "    ttft_p50_ms: 61", []string{"points[1].ttft_p50_ms [unknown-key]"}},
	{"a rate for a load", "  - concurrency: 4", "  - request_rate: 4", []string{"points[1].concurrency [missing-key]", "points[1].request_rate [unknown-key]"}},
	{"no name", "name: base-evaluation\n", "", []string{"name [missing-key]"}},
	{"name", "name: base-evaluation", "name: Base Evaluation", []string{"name [slug]"}},
	{"duplicate key", "date: 2026-10-15", "date: 2026-10-15\ndate: 2026-10-16", []string{"date [duplicate-key]"}},
	{"a list for a scenario", "scenario: chat-1k1k", "scenario: [chat]", []string{"scenario [type]"}},
	{"a tagged version", "harness_version: 1.4.0", "harness_version: !!str 1.4.0", []string{"harness_version [tag]"}},
	{"no day of the calendar", "date: 2026-10-15", "date: 2026-02-30", []string{"date [date]"}},
	{"a month", "date: 2026-10-15", "date: 2026-10", []string{"date [date]"}},
	{"a time elsewhere", "date: 2026-10-15", "date: 2026-10-15T13:58:06+02:00", []string{"date [date]"}},
	{"a time without T", "date: 2026-10-15", "date: 2026-10-15 13:58:06Z", []string{"date [date]"}},
	{"no points", "points:\n  - concurrency: 16", "points: []\nx-points:\n  - concurrency: 16", []string{"points [empty]", "x-points [unknown-key]"}},
	{"points missing", "points:\n  - concurrency: 16", "x-points:\n  - concurrency: 16", []string{"points [missing-key]", "x-points [unknown-key]"}},
	{"null point", "  - concurrency: 4\n    ttft_ms: 61", "  -", []string{"points[1] [null-element]"}},
	{"number for a point", "  - concurrency: 4\n    ttft_ms: 61", "  - 4", []string{"points[1] [type]"}},
	{"no load", "  - concurrency: 4\n    ttft_ms: 61", "  - ttft_ms: 61", []string{"points[1].concurrency [missing-key]"}},
	{"load of zero", "concurrency: 4", "concurrency: 0", []string{"points[1].concurrency [range]"}},
	{"load twice", "concurrency: 4", "concurrency: 16", []string{"points[1].concurrency [duplicate]"}},
	{"load with a fraction", "concurrency: 4", "concurrency: 4.0", []string{"points[1].concurrency [number]"}},
	{"requests below zero", "completed_requests: 200", "completed_requests: -1", []string{"points[0].completed_requests [range]"}},
	{"requests as a word", "completed_requests: 200", "completed_requests: many", []string{"points[0].completed_requests [type]"}},
	{"quoted latency", "ttft_ms: 95", "ttft_ms: '95'", []string{"points[0].ttft_ms [type]"}},
	{"negative throughput", "output_tokens_per_sec: 1740.5", "output_tokens_per_sec: -1740.5", []string{"points[0].output_tokens_per_sec [range]"}},
	{"negative input throughput", "input_tokens_per_sec: 1730", "input_tokens_per_sec: -1", []string{"points[0].input_tokens_per_sec [range]"}},
	{"negative ttft", "ttft_ms: 95", "ttft_ms: -1", []string{"points[0].ttft_ms [range]"}},
	{"negative itl", "itl_ms: 8.8", "itl_ms: -1", []string{"points[0].itl_ms [range]"}},
	{"infinite latency", "e2e_ms: 9.1e3", "e2e_ms: .inf", []string{"points[0].e2e_ms [not-finite]"}},
	{"latency beyond a double", "e2e_ms: 9.1e3", "e2e_ms: 9.1e999", []string{"points[0].e2e_ms [number]"}},
	{"negative length", "mean_isl: 1024", "mean_isl: -1", []string{"points[0].mean_isl [range]"}},
	{"negative output length", "mean_osl: 1019.5", "mean_osl: -1", []string{"points[0].mean_osl [range]"}},
	{"a percentage", "kv_utilization: 0.2", "kv_utilization: 20", []string{"points[0].kv_utilization [range]"}},
	{"a rate above 1", "prefix_cache_hit_rate: 0", "prefix_cache_hit_rate: 1.01", []string{"points[0].prefix_cache_hit_rate [range]"}},
	{"preemptions with a fraction", "preemptions: 3", "preemptions: 3.5", []string{"points[0].preemptions [number]"}},
	{"negative preemptions", "preemptions: 3", "preemptions: -3", []string{"points[0].preemptions [range]"}},
	{"credential", "scenario: chat-1k1k", "scenario: hf" + "_" + strings.Repeat("aB3dE5gH", 5), []string{"scenario [credential]"}},
	{"several", "ttft_ms: 61", "ttft_ms: -61\n    itl: 5\n    e2e_ms: x", []string{"points[1].e2e_ms [type]", "points[1].itl [unknown-key]", "points[1].ttft_ms [range]"}},
}

func TestParseAcceptsEvaluations(t *testing.T) {
	whole, number := func(x int64) *int64 { return &x }, func(x float64) *float64 { return &x }
	d := Parse([]byte(baseEvaluation), DefaultLimits())
	if len(d.Problems) > 0 || d.Kind != KindEvaluation || d.Name != "base-evaluation" || d.Run != nil || d.Registry != nil {
		t.Fatalf("%+v", d)
	}
	want := &record.EvaluationRun{
		Name: "base-evaluation", Scenario: "chat-1k1k", Harness: "demo bench serve", HarnessVersion: "1.4.0", EngineVersion: "0.31", Date: "2026-10-15",
		Points: []record.EvaluationPoint{
			{Concurrency: 16, CompletedRequests: whole(200), OutputTokensPerSec: number(1740.5), InputTokensPerSec: number(1730), TTFTMs: number(95), ITLMs: number(8.8),
				E2EMs: number(9100), MeanISL: number(1024), MeanOSL: number(1019.5), KVUtilization: number(0.2), PrefixCacheHitRate: number(0), Preemptions: whole(3)},
			{Concurrency: 4, TTFTMs: number(61)},
		},
	}
	if !reflect.DeepEqual(d.Evaluation, want) {
		t.Errorf("%+v\nwant %+v", d.Evaluation, want)
	}
	for _, c := range []struct{ name, old, new string }{
		{"a time", "date: 2026-10-15", "date: 2026-10-15t13:58:06.5+00:00"},
		{"a quoted day", "date: 2026-10-15", "date: '2026-10-15'"},
		{"a load alone", "    ttft_ms: 61\n", ""},
		{"nothing optional", "scenario: chat-1k1k\nharness: demo bench serve\nharness_version: 1.4.0\nengine_version: 0.31\ndate: 2026-10-15\n", ""},
		{"null and empty", "scenario: chat-1k1k\nharness: demo bench serve", "scenario: ~\nharness: ''"},
		{"fractions at their ends", "kv_utilization: 0.2\n    prefix_cache_hit_rate: 0", "kv_utilization: 1\n    prefix_cache_hit_rate: 1"},
	} {
		text := strings.Replace(baseEvaluation, c.old, c.new, 1)
		if text == baseEvaluation {
			t.Fatalf("%s changes nothing", c.name)
		}
		if d := Parse([]byte(text), DefaultLimits()); len(d.Problems) > 0 || d.Evaluation == nil {
			t.Errorf("%s: %+v", c.name, d.Problems)
		}
	}
	if d := Parse([]byte(strings.Replace(baseEvaluation, "date: 2026-10-15", "date: 2026-10-15t13:58:06.5+00:00", 1)), DefaultLimits()); d.Evaluation.Date != "2026-10-15T13:58:06.5Z" {
		t.Errorf("a time is read as %q", d.Evaluation.Date)
	}
}

// docs/evaluations.md has the keys in their order, with what is required.
func TestEvaluationKeysAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/evaluations.md")
	if err != nil {
		t.Fatal(err)
	}
	var got, want []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z0-9_]+)` \\| [^|]+ \\| (yes|no) \\|").FindAllStringSubmatch(string(text), -1) {
		got = append(got, m[1]+" "+m[2])
	}
	needed := map[bool]string{required: "yes", optional: "no"}
	for _, k := range evaluationTable {
		want = append(want, k.name+" "+needed[k.required])
	}
	for _, k := range evaluationPointTable {
		want = append(want, k.name+" "+needed[k.required])
	}
	if !slices.Equal(got, want) {
		t.Errorf("documented\n%q\nread\n%q", got, want)
	}
}
