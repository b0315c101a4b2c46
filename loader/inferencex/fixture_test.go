package inferencex

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// An object is a JSON object under construction.
type object map[string]any

// with returns a copy with keys set; a value of absent removes the key.
func (o object) with(kv ...any) object {
	c := maps.Clone(o)
	for i := 0; i < len(kv); i += 2 {
		if kv[i+1] == absent {
			delete(c, kv[i].(string))
		} else {
			c[kv[i].(string)] = kv[i+1]
		}
	}
	return c
}

var absent = new(int)

func (o object) String() string {
	b, err := json.Marshal(o)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// apiRow is an invented benchmark row in the reference's form: no value in it was measured.
func apiRow() object {
	return object{
		"id": 421, "hardware": "h200", "framework": "vllm", "model": "dsr1", "precision": "fp8", "spec_method": "none",
		"disagg": false, "is_multinode": false, "prefill_tp": 8, "prefill_ep": 1, "prefill_dp_attention": false, "prefill_num_workers": 0,
		"decode_tp": 8, "decode_ep": 1, "decode_dp_attention": false, "decode_num_workers": 0, "num_prefill_gpu": 8, "num_decode_gpu": 8,
		"benchmark_type": "single_turn", "isl": 1024, "osl": 1024, "conc": 32, "offload_mode": "off", "image": "vllm/vllm-openai:v0.10.2",
		"recipe_fingerprint": nil, "metrics": object{"median_ttft": 0.42, "median_tpot": 0.018, "tput_per_gpu": 128.4},
		"date": "2026-08-08", "run_url": "https://github.com/SemiAnalysisAI/InferenceX/actions/runs/123456789/attempts/2",
	}
}

// artifactRow is an invented raw artifact of the first format.
func artifactRow() object {
	return object{
		"hw": "b200-nv", "tp": 8, "ep": 4, "dp_attention": "false", "conc": 16, "model": "deepseek-ai/DeepSeek-R1-0528",
		"framework": "sglang", "precision": "fp8", "tput_per_gpu": 100.5, "median_ttft": 0.25, "p99.9_ttft": 1.5,
	}
}

// readAll reads text and returns its rows, copied.
func readAll(t testing.TB, text string, opts Options) ([]record.InferenceXRow, Summary) {
	t.Helper()
	var rows []record.InferenceXRow
	sum, err := Read(strings.NewReader(text), opts, func(r *record.InferenceXRow) error {
		c := *r
		c.Other = append([]record.InferenceXOther(nil), r.Other...)
		rows = append(rows, c)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != sum.Rows {
		t.Fatalf("%d rows were handed on, the summary says %d", len(rows), sum.Rows)
	}
	return rows, sum
}

// readOne reads text, which must be one row without a problem.
func readOne(t testing.TB, text string, opts Options) record.InferenceXRow {
	t.Helper()
	rows, sum := readAll(t, text, opts)
	if len(rows) != 1 || len(sum.Problems) != 0 {
		t.Fatalf("%d rows, problems %+v, of %s", len(rows), sum.Problems, text)
	}
	return rows[0]
}

// value returns the value of a metric key with a column.
func value(t testing.TB, r record.InferenceXRow, key string) float64 {
	t.Helper()
	col, ok := columnIndex[key]
	if !ok || !r.Has[col] {
		t.Fatalf("%s is not present", key)
	}
	return r.Known[col]
}

// other returns a metric without a column, nil where it is absent.
func other(r record.InferenceXRow, key string) *record.InferenceXOther {
	for i := range r.Other {
		if r.Other[i].Key == key {
			return &r.Other[i]
		}
	}
	return nil
}

// onlyProblem expects exactly one problem and returns it.
func onlyProblem(t testing.TB, sum Summary) record.Problem {
	t.Helper()
	if len(sum.Problems) != 1 {
		t.Fatalf("want one problem, got %+v", sum.Problems)
	}
	return sum.Problems[0]
}

func driftOf(sum Summary, kind, key string) *Drift {
	for i := range sum.Drift {
		if sum.Drift[i].Kind == kind && sum.Drift[i].Key == key {
			return &sum.Drift[i]
		}
	}
	return nil
}
