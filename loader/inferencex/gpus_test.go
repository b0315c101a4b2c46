package inferencex

import (
	"testing"

	"github.com/inference-sim/blis-warehouse/store/record"
)

func TestGPUs(t *testing.T) {
	for _, test := range []struct {
		name      string
		cfg       record.InferenceXConfig
		gpus      int64
		collapsed bool
	}{
		{"shared, repeated", record.InferenceXConfig{PrefillTP: 8, DecodeTP: 8, NumPrefillGPU: 8, NumDecodeGPU: 8}, 8, false},
		{"shared, 0 in one", record.InferenceXConfig{PrefillTP: 8, DecodeTP: 8, NumDecodeGPU: 8}, 8, false},
		{"shared, times ep", record.InferenceXConfig{PrefillTP: 8, PrefillEP: 8, DecodeTP: 8, DecodeEP: 8, NumPrefillGPU: 64, NumDecodeGPU: 64}, 8, false},
		{"disaggregated", record.InferenceXConfig{Disagg: true, PrefillTP: 4, PrefillNumWorkers: 3, DecodeTP: 8, DecodeNumWorkers: 1, NumPrefillGPU: 12, NumDecodeGPU: 8}, 20, false},
		{"disaggregated, not counted", record.InferenceXConfig{Disagg: true, PrefillTP: 4, PrefillNumWorkers: 3, DecodeTP: 8, DecodeNumWorkers: 1}, 20, false},
		{"collapsed", record.InferenceXConfig{Disagg: true, PrefillTP: 72, DecodeTP: 72, NumPrefillGPU: 72, NumDecodeGPU: 72}, 72, true},
	} {
		if got := GPUs(test.cfg); got != test.gpus || Collapsed(test.cfg) != test.collapsed {
			t.Errorf("%s: %d GPUs, collapsed %t", test.name, got, Collapsed(test.cfg))
		}
	}
	r := readOne(t, apiRow().with("metrics", object{"prefill_pp": 2, "decode_pp": 2, "pcp_size": 3}).String(), Options{})
	if got := RowGPUs(&r); got != 48 {
		t.Errorf("tp 8 × pp 2 × pcp 3 is %d GPUs", got)
	}
	r = readOne(t, apiRow().with("disagg", true, "prefill_num_workers", 1, "decode_num_workers", 1, "metrics", object{"prefill_pp": 2}).String(), Options{})
	if got := RowGPUs(&r); got != 16 {
		t.Errorf("prefill 8 + decode 8 is %d GPUs", got)
	}
}
