package inferencex

import "github.com/inference-sim/blis-warehouse/store/record"

// GPUs returns the number of GPUs of a deployment: the tensor-parallel width
// where prefill and decode share them, prefill plus decode where they are
// disaggregated. The reported num_prefill_gpu and num_decode_gpu of a shared
// deployment repeat the same GPUs, may be 0 in one, and are multiplied by the
// expert-parallel width, so they are not used. The rows' columns state no
// pipeline or prefill-context width; see RowGPUs.
func GPUs(cfg record.InferenceXConfig) int64 {
	if !cfg.Disagg || Collapsed(cfg) {
		return sharedTP(cfg)
	}
	prefill, decode := cfg.NumPrefillGPU, cfg.NumDecodeGPU
	if prefill == 0 {
		prefill = cfg.PrefillTP * max(cfg.PrefillNumWorkers, 1)
	}
	if decode == 0 {
		decode = cfg.DecodeTP * max(cfg.DecodeNumWorkers, 1)
	}
	return prefill + decode
}

// RowGPUs is GPUs with the pipeline and prefill-context widths that later rows
// carry among their metrics (prefill_pp, decode_pp, pp, pcp_size) multiplied in
// where the deployment is not disaggregated.
func RowGPUs(row *record.InferenceXRow) int64 {
	n := GPUs(row.Config)
	if row.Config.Disagg {
		return n
	}
	return n * width(row, "pp", "prefill_pp", "decode_pp") * width(row, "pcp_size", "prefill_pcp_size", "decode_pcp_size")
}

// width returns the largest of the row's metrics under keys, at least 1.
func width(row *record.InferenceXRow, keys ...string) int64 {
	w := int64(1)
	for i := range row.Other {
		o := &row.Other[i]
		for _, k := range keys {
			if o.Key == k && o.Number != nil && *o.Number >= 1 && *o.Number <= maxCount {
				w = max(w, int64(*o.Number))
			}
		}
	}
	return w
}

// Collapsed tells a disaggregated row that states no split: no workers, and the
// width of all GPUs as both prefill and decode width (the gb200 rows of 2025).
// All GPUs are what one of the counts states, or both together.
func Collapsed(cfg record.InferenceXConfig) bool {
	if !cfg.Disagg || cfg.PrefillNumWorkers != 0 || cfg.DecodeNumWorkers != 0 || cfg.PrefillTP != cfg.DecodeTP {
		return false
	}
	p, d, tp := cfg.NumPrefillGPU, cfg.NumDecodeGPU, cfg.DecodeTP
	return p+d == 0 || p == tp || d == tp || p+d == tp
}

func sharedTP(cfg record.InferenceXConfig) int64 {
	if cfg.DecodeTP > 0 {
		return cfg.DecodeTP
	}
	return cfg.PrefillTP
}

// maxCount is the most that a width, a number of workers or of GPUs may be.
const maxCount = 1_000_000
