package record

// InferenceXRow is one benchmark row of InferenceX, decoded and normalised:
// canonical names, defaults of absent keys filled in, numbers as the doubles
// their text denotes. One row is one measured point.
type InferenceXRow struct {
	Position int // 1-based position of the row in its file
	Line     int // 1-based line where the row starts

	Config InferenceXConfig

	// Names as the publisher wrote them where they differ from the canonical
	// name in Config; "" where they are the same.
	RawHardware, RawFramework, RawModel, RawPrecision, RawSpecMethod string

	BenchmarkType     string // single_turn where absent
	ISL, OSL          *int64 // nil for agentic rows
	Conc              int64
	OffloadMode       string // off where absent
	RecipeFingerprint string
	Image             string
	Date              string // YYYY-MM-DD, a UTC day; "" for raw artifacts
	RunURL            string
	GitHubRunID       int64  // from RunURL; 0 where it names none
	RunAttempt        int64  // from RunURL, 1 where the URL has no attempt; 0 without GitHubRunID
	RunStartedAt      string // RFC 3339 UTC
	ID                *int64 // locates the row at the publisher; not an identity
	WorkflowRunID     *int64
	Official          bool   // RunURL lies under the publisher's repository
	ArtifactDigest    string // hex sha256 of the canonical row for raw artifacts, else ""
	ArtifactRun       string // for raw artifacts, what groups them into a run besides the configuration (their directory); else ""

	// Known holds the values of the known metric keys by their column, see
	// InferenceXColumns; Has tells which are present. A null metric is not measured
	// and so not present.
	Known [NumInferenceXColumns]float64
	Has   [NumInferenceXColumns]bool
	// P50 has bit i set where column i, a median, was reported as p50_<quantity>
	// instead of median_<quantity>.
	P50 uint64

	Other []InferenceXOther // metrics outside the known columns, sorted by key

	Workers, PowerAudit, PowerInvalidReasons string // compact JSON, "" where null or absent
	Extra                                    string // compact JSON object of keys outside the reference, keys sorted; "" for none

	Failed bool   // no successful request: the point is set aside
	Error  string // the publisher's error text of a dump row, which is Failed
	JSON   string // compact JSON of the whole row; set only where Failed
}

// InferenceXConfig is the 17 columns that the publisher identifies a
// configuration by, canonical names.
type InferenceXConfig struct {
	Hardware, Framework, Model, Precision, SpecMethod string
	Disagg, IsMultinode                               bool
	PrefillTP, PrefillEP                              int64
	PrefillDPAttention                                bool
	PrefillNumWorkers                                 int64
	DecodeTP, DecodeEP                                int64
	DecodeDPAttention                                 bool
	DecodeNumWorkers                                  int64
	NumPrefillGPU, NumDecodeGPU                       int64
}

// InferenceXOther is a metric without a column of its own: a number, or a
// string attribute such as router_name.
type InferenceXOther struct {
	Key    string
	Number *float64
	Text   string // where Number is nil
}

// InferenceXColumn is a metric key that has a column of its own.
type InferenceXColumn struct {
	Key    string // the publisher's key: p99.9_ttft
	Column string // its SQL column in inferencex_points: p99_9_ttft
}

// NumInferenceXColumns is the length of InferenceXColumns.
const NumInferenceXColumns = 60

// InferenceXColumns lists the known metric keys in column order. The order is
// part of the database's layout: append only, with a migration.
var InferenceXColumns = inferenceXColumns()

func inferenceXColumns() (cols [NumInferenceXColumns]InferenceXColumn) {
	i := 0
	add := func(key, column string) { cols[i] = InferenceXColumn{key, column}; i++ }
	for _, q := range []string{"ttft", "tpot", "itl", "e2el", "intvty"} {
		for _, s := range []string{"mean", "median", "std", "p75", "p90", "p95", "p99"} {
			add(s+"_"+q, s+"_"+q)
		}
		add("p99.9_"+q, "p99_9_"+q)
	}
	for _, k := range []string{
		"tput_per_gpu", "input_tput_per_gpu", "output_tput_per_gpu",
		"power_valid", "power_metric_schema_version",
		"avg_power_w", "prefill_avg_power_w", "decode_avg_power_w",
		"joules_per_successful_query", "joules_per_output_token", "joules_per_total_token", "joules_per_input_token",
		"prefill_joules_per_input_token", "decode_joules_per_output_token",
		"avg_temp_c", "peak_temp_c", "avg_util_pct", "avg_mem_used_mb",
		"num_requests_total", "num_requests_successful",
	} {
		add(k, k)
	}
	return cols
}
