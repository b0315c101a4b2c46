package inferencex

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/inference-sim/blis-warehouse/store/record"
)

func TestReadDocumentedRow(t *testing.T) {
	r := readOne(t, "["+apiRow().String()+"]", Options{})
	want := record.InferenceXConfig{
		Hardware: "h200", Framework: "vllm", Model: "dsr1", Precision: "fp8", SpecMethod: "none",
		PrefillTP: 8, PrefillEP: 1, DecodeTP: 8, DecodeEP: 1, NumPrefillGPU: 8, NumDecodeGPU: 8,
	}
	if r.Config != want {
		t.Errorf("configuration %+v", r.Config)
	}
	if *r.ISL != 1024 || *r.OSL != 1024 || r.Conc != 32 || r.Image != "vllm/vllm-openai:v0.10.2" || r.Date != "2026-08-08" || *r.ID != 421 {
		t.Errorf("row %+v", r)
	}
	if r.GitHubRunID != 123456789 || r.RunAttempt != 2 || !r.Official || r.RecipeFingerprint != "" {
		t.Errorf("run %d attempt %d official %t", r.GitHubRunID, r.RunAttempt, r.Official)
	}
	if value(t, r, "median_ttft") != 0.42 || value(t, r, "median_tpot") != 0.018 || value(t, r, "tput_per_gpu") != 128.4 {
		t.Errorf("metrics %v", r.Known)
	}
	if r.Position != 1 || r.Line != 1 || r.Failed || r.JSON != "" || r.Extra != "" {
		t.Errorf("row %+v", r)
	}
}

func TestReadShapes(t *testing.T) {
	row := apiRow().String()
	second := apiRow().with("conc", 64).String()
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	io.WriteString(z, "["+row+",\n"+second+"]")
	z.Close()
	for name, text := range map[string]string{
		"array":           "[" + row + ",\n" + second + "]\n",
		"lines":           row + "\n" + second + "\n",
		"lines, CRLF":     row + "\r\n\r\n" + second,
		"keyed by model":  `{"DeepSeek-R1-0528": [` + row + `], "other": [` + second + `], "none": []}`,
		"gzip":            zipped.String(),
		"byte order mark": "\xef\xbb\xbf[" + row + "," + second + "]",
	} {
		t.Run(name, func(t *testing.T) {
			rows, sum := readAll(t, text, Options{FileName: "x.json"})
			if len(rows) != 2 || rows[0].Conc != 32 || rows[1].Conc != 64 || rows[1].Position != 2 || len(sum.Problems) != 0 {
				t.Errorf("%d rows, %+v", len(rows), sum.Problems)
			}
		})
	}
	if r := readOne(t, row, Options{}); r.Conc != 32 {
		t.Errorf("a single row: %+v", r)
	}
	if rows, sum := readAll(t, "[]", Options{}); len(rows) != 0 || len(sum.Problems) != 0 || sum.Kind != KindEmptyList {
		t.Errorf("no rows: %+v", sum)
	}
}

func TestReadTakesEitherSliceOfABlock(t *testing.T) {
	data := generate(3000) // several blocks
	var whole, cut []record.InferenceXRow
	collect := func(dst *[]record.InferenceXRow) func(*record.InferenceXRow) error {
		return func(r *record.InferenceXRow) error { *dst = append(*dst, *r); return nil }
	}
	fresh := func() *record.InferenceXRow { return new(record.InferenceXRow) }
	if _, err := Read(bytes.NewReader(data), Options{NewRow: fresh}, collect(&whole)); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(iotest.HalfReader(bytes.NewReader(data)), Options{NewRow: fresh}, collect(&cut)); err != nil {
		t.Fatal(err)
	}
	if len(whole) != 3000 || !reflect.DeepEqual(whole, cut) {
		t.Error("rows depend on how the bytes arrive")
	}
	small := "[" + apiRow().String() + ",\n" + apiRow().String() + "]"
	sum, err := Read(iotest.OneByteReader(strings.NewReader(small)), Options{}, func(*record.InferenceXRow) error { return nil })
	if err != nil || sum.Rows != 2 {
		t.Errorf("byte by byte: %+v %v", sum, err)
	}
}

func TestReadDefaults(t *testing.T) {
	r := readOne(t, apiRow().with("benchmark_type", absent, "offload_mode", absent, "recipe_fingerprint", absent, "image", absent,
		"id", absent, "spec_method", nil, "run_url", nil, "workers", nil).String(), Options{})
	if r.BenchmarkType != "single_turn" || r.OffloadMode != "off" || r.RecipeFingerprint != "" || r.Image != "" || r.ID != nil {
		t.Errorf("row %+v", r)
	}
	if r.Config.SpecMethod != "none" || r.GitHubRunID != 0 || r.RunAttempt != 0 || r.Official || r.Workers != "" {
		t.Errorf("row %+v", r)
	}
	r = readOne(t, apiRow().with("benchmark_type", "agentic_traces", "isl", nil, "osl", nil, "spec_method", "").String(), Options{})
	if r.ISL != nil || r.OSL != nil || r.Config.SpecMethod != "none" || r.RawSpecMethod != "" {
		t.Errorf("agentic row %+v", r)
	}
}

func TestReadTypesThatDeviate(t *testing.T) {
	text := apiRow().with("id", "442505", "workflow_run_id", "2509", "run_started_at", "2026-09-18 22:35:24+00",
		"prefill_dp_attention", "True", "disagg", "false", "conc", "32", "isl", 1024.0,
		"workers", []any{object{"role": "prefill", "num_gpus": 4}}, "power_audit", object{"sample_count": 3}, "power_invalid_reasons", []any{"late"},
		"curve_date", "2026-08-01", "curve_workflow_run_id", 7).String()
	rows, sum := readAll(t, "["+text+",\n"+text+"]", Options{})
	if len(rows) != 2 || len(sum.Problems) != 0 {
		t.Fatalf("%d rows, %+v", len(rows), sum.Problems)
	}
	r := rows[0]
	if *r.ID != 442505 || *r.WorkflowRunID != 2509 || r.RunStartedAt != "2026-09-18T22:35:24Z" || r.Conc != 32 || !r.Config.PrefillDPAttention {
		t.Errorf("row %+v", r)
	}
	if r.Workers != `[{"num_gpus":4,"role":"prefill"}]` || r.PowerAudit != `{"sample_count":3}` || r.PowerInvalidReasons != `["late"]` {
		t.Errorf("workers %s audit %s reasons %s", r.Workers, r.PowerAudit, r.PowerInvalidReasons)
	}
	if r.Extra != `{"curve_date":"2026-08-01","curve_workflow_run_id":7}` {
		t.Errorf("extra %s", r.Extra)
	}
	for _, want := range []struct{ kind, key string }{{driftKey, "curve_date"}, {driftKey, "curve_workflow_run_id"}, {driftType, "id"}, {driftType, "run_started_at"}, {driftType, "disagg"}} {
		d := driftOf(sum, want.kind, want.key)
		if d == nil || d.Count != 2 || d.Line != 1 || d.Path != "[0]."+want.key {
			t.Errorf("drift of %s: %+v", want.key, d)
		}
	}
	_, sum = readAll(t, "["+text+"]", Options{Strict: true})
	if len(sum.Problems) != len(sum.Drift) || len(sum.Drift) < 5 {
		t.Errorf("strict: %d problems, %d deviations", len(sum.Problems), len(sum.Drift))
	}
}

func TestReadTimestamps(t *testing.T) {
	for given, want := range map[string]string{
		"2026-09-18T22:35:24Z":          "2026-09-18T22:35:24Z",
		"2026-09-18T22:35:24.120Z":      "2026-09-18T22:35:24.12Z",
		"2026-09-18 22:35:24+00":        "2026-09-18T22:35:24Z",
		"2026-09-18 22:35:24.5+02":      "2026-09-18T20:35:24.5Z",
		"2026-09-18T22:35:24+05:30":     "2026-09-18T17:05:24Z",
		"2026-09-18 22:35:24":           "2026-09-18T22:35:24Z",
		"2026-09-18T22:35:24.000+00:00": "2026-09-18T22:35:24Z",
	} {
		if r := readOne(t, apiRow().with("run_started_at", given).String(), Options{}); r.RunStartedAt != want || r.Date != "2026-08-08" {
			t.Errorf("%s: got %s, want %s", given, r.RunStartedAt, want)
		}
	}
	_, sum := readAll(t, apiRow().with("run_started_at", "yesterday").String(), Options{})
	if p := onlyProblem(t, sum); p.Rule != "timestamp" || p.Path != "run_started_at" {
		t.Errorf("%+v", p)
	}
}

func TestReadMetrics(t *testing.T) {
	rows, sum := readAll(t, apiRow().with("metrics", object{
		"p99.9_ttft": 1.25, "mean_itl": nil, "offload_mode": "on", "kv_offloading": "dram", "kv_offload_backend": "x", "kv_p2p_transfer": "y",
		"router_name": "r", "router_version": "1.0", "median_e2el": "0.5", "p99_e2el": []any{"5"}, "a_new_metric": 3, "mean_qps": 0.25,
		"power_valid": 0, "avg_power_w": 600,
	}).String(), Options{})
	if len(rows) != 1 || len(sum.Problems) != 0 {
		t.Fatalf("%+v", sum.Problems)
	}
	r := rows[0]
	if value(t, r, "p99.9_ttft") != 1.25 || value(t, r, "power_valid") != 0 || value(t, r, "avg_power_w") != 600 {
		t.Errorf("known %v", r.Known)
	}
	for _, key := range []string{"mean_itl", "median_e2el", "p99_e2el", "median_ttft"} {
		if r.Has[columnIndex[key]] {
			t.Errorf("%s is present", key)
		}
	}
	for key, text := range map[string]string{"offload_mode": "on", "kv_offloading": "dram", "kv_offload_backend": "x", "kv_p2p_transfer": "y",
		"router_name": "r", "router_version": "1.0", "median_e2el": "0.5", "p99_e2el": `["5"]`} {
		if o := other(r, key); o == nil || o.Number != nil || o.Text != text {
			t.Errorf("%s: %+v", key, o)
		}
	}
	if o := other(r, "a_new_metric"); o == nil || *o.Number != 3 {
		t.Errorf("a_new_metric %+v", o)
	}
	for i := 1; i < len(r.Other); i++ {
		if r.Other[i-1].Key >= r.Other[i].Key {
			t.Errorf("%s before %s", r.Other[i-1].Key, r.Other[i].Key)
		}
	}
	if driftOf(sum, driftMetric, "a_new_metric") == nil || driftOf(sum, driftMetric, "mean_qps") != nil || driftOf(sum, driftType, "metrics.p99_e2el") == nil {
		t.Errorf("drift %+v", sum.Drift)
	}
	if driftOf(sum, driftType, "metrics.router_name") != nil {
		t.Error("a text attribute is reported as drift")
	}
}

func TestReadP50IsTheMedian(t *testing.T) {
	col := columnIndex["median_ttft"]
	r := readOne(t, apiRow().with("metrics", object{"p50_ttft": 0.5}).String(), Options{})
	if value(t, r, "median_ttft") != 0.5 || r.P50 != 1<<col || len(r.Other) != 0 {
		t.Errorf("p50 alone: %v %b %v", r.Known[col], r.P50, r.Other)
	}
	if key := ReportedKey(&r, col); key != "p50_ttft" {
		t.Errorf("reported as %s", key)
	}
	r = readOne(t, apiRow().with("metrics", object{"p50_ttft": 0.5, "median_ttft": 0.5}).String(), Options{})
	if value(t, r, "median_ttft") != 0.5 || r.P50 != 0 || other(r, "p50_ttft") == nil {
		t.Errorf("both: %v %b %v", r.Known[col], r.P50, r.Other)
	}
	if key := ReportedKey(&r, col); key != "median_ttft" {
		t.Errorf("reported as %s", key)
	}
	_, sum := readAll(t, "["+apiRow().with("metrics", object{"p50_ttft": 0.5, "median_ttft": 0.6}).String()+"]", Options{})
	if p := onlyProblem(t, sum); p.Rule != "p50-median" || p.Path != "[0].metrics.p50_ttft" || sum.Refused != 1 {
		t.Errorf("%+v", p)
	}
}

func TestReadFailedPoint(t *testing.T) {
	rows, sum := readAll(t, apiRow().with("metrics", object{"num_requests_total": 10, "num_requests_successful": 0}).String(), Options{})
	if len(rows) != 1 || !rows[0].Failed || sum.Failed != 1 || !strings.Contains(rows[0].JSON, `"num_requests_successful":0`) {
		t.Errorf("%+v", sum)
	}
	for _, m := range []object{{"num_requests_total": 0, "num_requests_successful": 0}, {"num_requests_total": 10, "num_requests_successful": 1}, {"num_requests_successful": 0}} {
		if r := readOne(t, apiRow().with("metrics", m).String(), Options{}); r.Failed || r.JSON != "" {
			t.Errorf("%v failed", m)
		}
	}
}

func TestReadRunURL(t *testing.T) {
	for url, want := range map[string][3]any{
		"https://github.com/SemiAnalysisAI/InferenceX/actions/runs/7/attempts/3": {int64(7), int64(3), true},
		"https://github.com/SemiAnalysisAI/InferenceX/actions/runs/7":            {int64(7), int64(1), true},
		"https://github.com/InferenceMAX/InferenceMAX/actions/runs/7":            {int64(7), int64(1), true},
		"https://github.com/semianalysis/inference-benchmarks/actions/runs/7":    {int64(7), int64(1), false},
		"https://github.com/SemiAnalysisAI/InferenceX-app/actions/runs/7":        {int64(7), int64(1), false},
		"https://example.org/other":                                              {int64(0), int64(0), false},
		"https://github.com/x/y/actions/runs/7x":                                 {int64(0), int64(0), false},
	} {
		r := readOne(t, apiRow().with("run_url", url).String(), Options{})
		if got := [3]any{r.GitHubRunID, r.RunAttempt, r.Official}; got != want {
			t.Errorf("%s: %v, want %v", url, got, want)
		}
	}
}

func TestReadUnknownNamesAreKept(t *testing.T) {
	rows, sum := readAll(t, "["+apiRow().with("hardware", "h200_sxm", "framework", "NewServe", "model", "New-1", "precision", "fp3", "spec_method", "guess",
		"benchmark_type", "dream", "offload_mode", "half").String()+"]", Options{})
	if len(rows) != 1 {
		t.Fatalf("%+v", sum.Problems)
	}
	r := rows[0]
	if r.Config.Hardware != "h200_sxm" || r.Config.Framework != "NewServe" || r.Config.Model != "New-1" || r.Config.Precision != "fp3" || r.Config.SpecMethod != "guess" {
		t.Errorf("%+v", r.Config)
	}
	for _, key := range []string{"hardware", "framework", "model", "precision", "spec_method", "benchmark_type", "offload_mode"} {
		if driftOf(sum, driftWord, key) == nil {
			t.Errorf("no drift for %s", key)
		}
	}
}

func TestReadAliases(t *testing.T) {
	canonical := readOne(t, apiRow().with("framework", "mori-sglang", "disagg", true, "precision", "fp4").String(), Options{})
	alias := readOne(t, apiRow().with("framework", "sglang-disagg", "disagg", false, "precision", "NVFP4", "hardware", "cluster:H200-nv").String(), Options{})
	if alias.Config != canonical.Config || alias.RawFramework != "sglang-disagg" || alias.RawPrecision != "NVFP4" || alias.RawHardware != "cluster:H200-nv" {
		t.Errorf("%+v", alias)
	}
	a, _ := RunIdentity(&alias)
	c, _ := RunIdentity(&canonical)
	if a != c {
		t.Error("an alias and its canonical name are one configuration")
	}
}

func TestReadRefusesARowAndGoesOn(t *testing.T) {
	good := apiRow().String()
	for _, test := range []struct {
		name, path, rule string
		row              object
	}{
		{"no hardware", "hardware", "missing-key", apiRow().with("hardware", absent)},
		{"null conc", "conc", "missing-key", apiRow().with("conc", nil)},
		{"no metrics", "metrics", "missing-key", apiRow().with("metrics", absent)},
		{"no date", "date", "missing-key", apiRow().with("date", absent)},
		{"no isl", "isl", "missing-key", apiRow().with("isl", absent)},
		{"empty model", "model", "missing-key", apiRow().with("model", "")},
		{"conc 0", "conc", "range", apiRow().with("conc", 0)},
		{"conc 1.5", "conc", "type", apiRow().with("conc", 1.5)},
		{"conc text", "conc", "type", apiRow().with("conc", "many")},
		{"negative width", "prefill_tp", "range", apiRow().with("prefill_tp", -1)},
		{"isl list", "isl", "type", apiRow().with("isl", []any{1024})},
		{"disagg text", "disagg", "type", apiRow().with("disagg", "maybe")},
		{"metrics list", "metrics", "type", apiRow().with("metrics", []any{})},
		{"date", "date", "date", apiRow().with("date", "2026-02-30")},
		{"model number", "model", "type", apiRow().with("model", 5)},
	} {
		t.Run(test.name, func(t *testing.T) {
			rows, sum := readAll(t, "["+good+",\n"+test.row.String()+",\n"+good+"]", Options{})
			p := onlyProblem(t, sum)
			if len(rows) != 2 || sum.Refused != 1 || p.Path != "[1]."+test.path || p.Rule != test.rule || p.Line != 2 || p.Severity != record.Error {
				t.Errorf("%d rows, %+v", len(rows), p)
			}
		})
	}
}

func TestReadProblemHasItsLine(t *testing.T) {
	text := strings.Replace("[\n"+apiRow().String()+"]", `"metrics":{`, "\n\"metrics\":{\n\n\"p99_ttft\": 1e999,", 1)
	_, sum := readAll(t, text, Options{})
	if p := onlyProblem(t, sum); p.Line != 5 || p.Path != "[0].metrics.p99_ttft" || p.Rule != "number-range" {
		t.Errorf("%+v", p)
	}
}

func TestReadDuplicateKeys(t *testing.T) {
	row := apiRow().String()
	for insert, path := range map[string]string{
		`{"conc":1,`:                         "conc",
		`{"zzz":1,"zzz":2,`:                  "zzz",
		`{"con\u0063":1,`:                    "conc",
		`{"metrics":{},`:                     "metrics",
		`{"recipe_fingerprint":null,`:        "recipe_fingerprint",
		`{"power_audit":1,"power_audit":{},`: "power_audit",
	} {
		_, sum := readAll(t, insert+row[1:], Options{})
		if p := onlyProblem(t, sum); p.Rule != "duplicate-key" || p.Path != path {
			t.Errorf("%s: %+v", insert, p)
		}
	}
	for _, insert := range []string{`"median_ttft":1,`, `"new":1,"new":1,`, `"new":null,"new":1,`, `"median_ttft":null,`} {
		_, sum := readAll(t, strings.Replace(row, `"metrics":{`, `"metrics":{`+insert, 1), Options{})
		if p := onlyProblem(t, sum); p.Rule != "duplicate-key" || !strings.HasPrefix(p.Path, "metrics.") {
			t.Errorf("%s: %+v", insert, p)
		}
	}
}

func TestReadMalformedJSONEndsTheFile(t *testing.T) {
	row := apiRow().String()
	deep := strings.Repeat("[", maxDepth+1) + strings.Repeat("]", maxDepth+1)
	for name, text := range map[string]string{
		"cut":               "[\n" + row + ",\n" + row[:len(row)/2],
		"cut in key":        "[\n" + row + ",\n{\"conc",
		"no end":            "[\n" + row + ",\n" + row,
		"trailing text":     "[\n" + row + "\n] x",
		"second array":      "[\n" + row + "\n] []",
		"trailing comma":    "[\n" + row + ",\n]",
		"no comma":          "[\n" + row + "\n" + row + "]",
		"one line":          "\n" + row + "\n" + row + row,
		"control character": "[\n" + row + ",\n" + strings.Replace(row, "h200", "h\n200", 1) + "]",
		"not UTF-8":         "[\n" + row + ",\n" + strings.Replace(row, "h200", "h\xff200", 1) + "]",
		"half a surrogate":  "[\n" + row + ",\n" + strings.Replace(row, "h200", `h\ud800`, 1) + "]",
		"NaN":               "[\n" + row + ",\n" + strings.Replace(row, "0.42", "NaN", 1) + "]",
		"leading zero":      "[\n" + row + ",\n" + strings.Replace(row, "0.42", "00.42", 1) + "]",
		"single quotes":     "[\n" + row + ",\n" + strings.Replace(row, `"conc"`, `'conc'`, 1) + "]",
		"too deep":          "[\n" + row + ",\n" + strings.Replace(row, "0.42", deep, 1) + "]",
	} {
		t.Run(name, func(t *testing.T) {
			rows, sum := readAll(t, text, Options{})
			p := onlyProblem(t, sum)
			if p.Rule != "json" || p.Line < 2 || p.Line > 4 || len(rows) == 0 {
				t.Errorf("%d rows, %+v", len(rows), p)
			}
		})
	}
	_, sum := readAll(t, "", Options{})
	if p := onlyProblem(t, sum); p.Rule != "json" {
		t.Errorf("%+v", p)
	}
}

func TestReadTruncatedGzipIsAProblem(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(generate(200))
	z.Close()
	_, sum := readAll(t, b.String()[:b.Len()/2], Options{})
	if p := onlyProblem(t, sum); p.Rule != "read" {
		t.Errorf("%+v", p)
	}
	_, sum = readAll(t, "\x1f\x8bnonsense", Options{})
	if p := onlyProblem(t, sum); p.Rule != "gzip" {
		t.Errorf("%+v", p)
	}
}

func TestReadReturnsErrorsOfItsSurroundings(t *testing.T) {
	stop := errors.New("stop")
	n := 0
	_, err := Read(bytes.NewReader(generate(10)), Options{}, func(*record.InferenceXRow) error {
		if n++; n == 3 {
			return stop
		}
		return nil
	})
	if err != stop || n != 3 {
		t.Errorf("%d rows, %v", n, err)
	}
	broken := io.MultiReader(bytes.NewReader(generate(10)[:4000]), iotest.ErrReader(stop))
	if _, err = Read(broken, Options{}, func(*record.InferenceXRow) error { return nil }); !errors.Is(err, stop) {
		t.Errorf("%v", err)
	}
}

func TestReadPathsOfKeyedRows(t *testing.T) {
	text := `{"A": [` + apiRow().String() + `], "B": [` + apiRow().String() + "," + apiRow().with("conc", 0).String() + `], "C": 5}`
	_, sum := readAll(t, text, Options{})
	if len(sum.Problems) != 2 || sum.Problems[0].Path != "B[1].conc" || sum.Problems[1].Path != "C" {
		t.Errorf("%+v", sum.Problems)
	}
}

func TestReadKeepsRowsApart(t *testing.T) {
	text := "[" + apiRow().with("metrics", object{"mean_qps": 1, "median_ttft": 2}, "workers", []any{}, "x", 1).String() + "," + apiRow().with("metrics", object{}).String() + "]"
	rows, _ := readAll(t, text, Options{})
	if len(rows) != 2 || len(rows[1].Other) != 0 || rows[1].Has != [record.NumInferenceXColumns]bool{} || rows[1].Workers != "" || rows[1].Extra != "" || *rows[0].Other[0].Number != 1 {
		t.Errorf("%+v", rows)
	}
}

func TestReadLongRow(t *testing.T) {
	long := apiRow().with("image", strings.Repeat("x", 3*blockSize)).String()
	rows, sum := readAll(t, "["+apiRow().String()+","+long+","+apiRow().String()+"]", Options{})
	if len(rows) != 3 || len(rows[1].Image) != 3*blockSize {
		t.Errorf("%d rows, %+v", len(rows), sum.Problems)
	}
}

func ExampleRead() {
	row := apiRow().String() // an invented row
	sum, err := Read(strings.NewReader("["+row+"]"), Options{FileName: "capture.json"}, func(r *record.InferenceXRow) error {
		name, _ := RunIdentity(r)
		fmt.Println(name, r.Conc)
		return nil
	})
	fmt.Println(sum.Rows, sum.Refused, err)
	// Output:
	// inferencex-123456789-2-11ca570e87df 32
	// 1 0 <nil>
}
