package inferencex

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/inference-sim/blis-warehouse/store/record"
)

const benchRows = 100_000

// BenchmarkRead measures reading a capture of 100,000 invented rows, with the
// identity of every row's run.
func BenchmarkRead(b *testing.B) {
	data := generate(benchRows)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		var id Identifier
		sum, err := Read(bytes.NewReader(data), Options{}, func(r *record.InferenceXRow) error {
			id.Run(r)
			return nil
		})
		if err != nil || sum.Rows != benchRows {
			b.Fatal(sum, err)
		}
	}
	b.ReportMetric(float64(benchRows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}

// BenchmarkEncodingJSON is the same input through encoding/json, for comparison.
func BenchmarkEncodingJSON(b *testing.B) {
	data := generate(benchRows)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	type row struct {
		ID                                    *int64
		Hardware, Framework, Model, Precision string
		SpecMethod                            *string `json:"spec_method"`
		Disagg                                bool
		IsMultinode                           bool  `json:"is_multinode"`
		PrefillTP                             int64 `json:"prefill_tp"`
		DecodeTP                              int64 `json:"decode_tp"`
		ISL, OSL                              *int64
		Conc                                  int64
		Image                                 *string
		Metrics                               map[string]float64
		Date                                  string
		RunURL                                *string `json:"run_url"`
	}
	for b.Loop() {
		var list []row
		if err := json.Unmarshal(data, &list); err != nil || len(list) != benchRows {
			b.Fatal(len(list), err)
		}
	}
	b.ReportMetric(float64(benchRows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}
