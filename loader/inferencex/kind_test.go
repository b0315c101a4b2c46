package inferencex

import (
	"bytes"
	"strings"
	"testing"
)

func TestSniff(t *testing.T) {
	row, artifact := apiRow().String(), artifactRow().String()
	for _, test := range []struct {
		name, text, file string
		kind             Kind
	}{
		{"rows", "[" + row, "x.json", KindRows},
		{"one row", row, "x.json", KindRows},
		{"lines", row + "\n" + row, "x.jsonl", KindRows},
		{"keyed", `{"m": [` + row, "x.json", KindRows},
		{"no rows", " [ ]\n", "x.json", KindEmptyList},
		{"second element tells", "[5, " + row, "x.json", KindRows},
		{"cut row", `[{"hardware": "h100", "conc": 4, "metrics": {"median_`, "x.json", KindRows},
		{"artifact", artifact, "x.json", KindArtifact},
		{"artifacts", "[" + artifact, "x.json", KindArtifact},
		{"artifact by its name", `{"tp": 8}`, "agg_x_1k1k.json", KindArtifact},
		{"client output", `{"date": "20260428", "backend": "openai", "num_prompts": 80, "request_rate": "inf", "request_goodput:": null}`, "x.json", KindClientOutput},
		{"client output, ms", `{"mean_ttft_ms": 3}`, "x.json", KindClientOutput},
		{"evaluations", `[{"id": "1", "config_id": 2, "hardware": "h200", "task": "gsm8k", "conc": 3, "metrics": {}}]`, "x.json", "evaluations"},
		{"availability", `[{"model": "dsr1", "isl": 1, "osl": 1, "precision": "fp4", "hardware": "h200", "framework": "vllm", "spec_method": "mtp", "disagg": true, "date": "2026-03-03"}]`, "x.json", "availability"},
		{"reliability", `[{"hardware": "h100", "date": "2026-05-05", "n_success": 0, "total": 0}]`, "x.json", "reliability"},
		{"submissions", `{"summary": [], "volume": []}`, "x.json", "submissions"},
		{"workflow-info", `{"runs": [], "changelogs": [], "configs": []}`, "x.json", "workflow-info"},
		{"ids", `{"421": {"a": 1}, "422": null, "x": 5}`, "x.json", KindIDs},
		{"flags", `{"421": true, "422": false}`, "x.json", KindIDs},
		{"no id", `{"x": true, "422": true, "0": {"kvCacheUtil": null}}`, "x.json", ""},
		{"aggregates", `{"421": null, "422": {"id": 422, "isl": null, "osl": null, "kvCacheUtil": null`, "x.json", "agentic-aggregates"},
		{"aggregates of lengths", `{"421": {"id": 421, "osl": {"mean`, "x.json", "agentic-aggregates"},
		{"derived metrics", `{"421": {"a": 1}, "422": {"p90_e2e_norm_intvty": null}}`, "x.json", "derived-agentic-metrics"},
		{"histograms, cut", `{"421": {"id": 421, "isl": [1, 2`, "x.json", "trace-histograms"},
		{"histograms", `{"421": {"isl": null, "osl": []}}`, "x.json", "trace-histograms"},
		{"server metrics", `{"meta": {}, "kvCachePoolTokens": null, "startNs": 1, "endNs": 2`, "x.json", "trace-server-metrics"},
		{"server metrics, series first", `{"meta": {}, "kvCacheUsage": [{"t": 0`, "x.json", "trace-server-metrics"},
		{"releases", `{"vllm": "v0.10.2", "sglang": "v0.4.10"}`, "x.json", "framework-releases"},
		{"collectives", `{"version": 1, "run": {"run_id": "1`, "x.json", "collectivex-run"},
		{"collectives, series first", `{"version": 1, "series": [`, "x.json", "collectivex-run"},
		{"collective runs", `{"version": 1, "runs": [], "discovery_complete": false}`, "x.json", "collectivex-runs"},
		{"data sets", `[{"id": "ds", "slug": "demo", "conversation_count": 1}]`, "x.json", "datasets"},
		{"a data set", `{"id": "ds", "slug": "demo", "conversation_count": 1, "chart_data": {"x": [`, "x.json", "dataset"},
		{"conversations", `{"total": 0, "items": []}`, "x.json", "conversations"},
		{"a conversation", `{"conv_id": "c", "num_turns": 3, "structure": {"x`, "x.json", "conversation"},
		{"error", `{"error": "Unknown model"}`, "x.json", KindAPIError},
		{"dump table", `[{"id": 1, "workflow_run_id": 2, "config_id": 3, "conc": 4, "metrics": {}}]`, "x.json", KindDumpTable},
		{"archive", "PGDMP\x01\x0e", "x.dump", KindDumpArchive},
		{"measured run as JSON", `{"kind": "MeasuredRun", "name": "x", "conc": 1, "metrics": {}}`, "agg_x.json", ""},
		{"registry as JSON", `{"sources": []}`, "sources.json", ""},
		{"YAML", "kind: MeasuredRun\n", "x.yaml", ""},
		{"flow YAML", "{hardware: h100, metrics: {}}", "x.yaml", ""},
		{"YAML list", "[hardware, metrics]", "x.yaml", ""},
		{"other JSON", `[{"a": 1}]`, "x.json", ""},
		{"text", "hello", "x.txt", ""},
		{"empty", "", "x.json", ""},
	} {
		kind, ok := Sniff([]byte(test.text), test.file)
		if kind != test.kind || ok != (test.kind != "") {
			t.Errorf("%s: %q %t", test.name, kind, ok)
		}
		if !kind.Loadable() && ok {
			_, sum := readAll(t, test.text, Options{FileName: test.file})
			if p := onlyProblem(t, sum); p.Rule != "not-rows" || p.Message != kind.Refusal() || strings.Count(p.Message, ". ") != 0 {
				t.Errorf("%s: %+v", test.name, p)
			}
		}
	}
}

func TestSniffNeedsOnlyTheHead(t *testing.T) {
	data := generate(200)
	for _, n := range []int{500, 1000, 64 << 10} {
		if kind, _ := Sniff(data[:n], "x.json"); kind != KindRows {
			t.Errorf("%d bytes: %q", n, kind)
		}
	}
}

func TestReadOtherJSON(t *testing.T) {
	for _, text := range []string{`[{"a": 1}]`, `{"kind": "MeasuredRun"}`, "hello"} {
		_, sum := readAll(t, text, Options{})
		if p := onlyProblem(t, sum); p.Rule != "not-rows" {
			t.Errorf("%s: %+v", text, p)
		}
	}
	_, sum := readAll(t, "[{\"a\": 1},\n{\"a\" 1}]", Options{})
	if p := onlyProblem(t, sum); p.Rule != "json" || p.Line != 2 {
		t.Errorf("%+v", p)
	}
}

func FuzzSniff(f *testing.F) {
	f.Add([]byte(apiRow().String()))
	f.Add([]byte("[" + artifactRow().String()))
	f.Add([]byte(`{"a":[{"b`))
	f.Add([]byte(`[`))
	f.Fuzz(func(t *testing.T, data []byte) {
		kind, ok := Sniff(data, "agg_1k1k.json")
		if ok != (kind != "") || kind.Refusal() == "" {
			t.Error(kind, ok)
		}
		Sniff(bytes.TrimSpace(data), "x")
	})
}
