package catalog

import (
	"slices"
	"strings"
)

// Vocabulary is a closed list of words.
type Vocabulary struct {
	Name  string
	Words []string
}

// Names of the vocabularies.
const (
	vocabSourceKind       = "source.kind"
	vocabInputRole        = "source.inputs.role"
	vocabMethod           = "source.extraction.method"
	vocabPopulation       = "population"
	vocabClock            = "clock"
	vocabStartEvent       = "start_event"
	vocabStopEvent        = "stop_event"
	vocabOutputLen        = "output_len_source"
	vocabDenominator      = "denominator"
	vocabStatistic        = "statistic"
	vocabUnit             = "unit"
	vocabPercentileMethod = "percentile_method"
	vocabProvenance       = "provenance.verdict"
	vocabMaterial         = "material"
	vocabDiffKind         = "diff.kind"
	vocabRamp             = "ramp_up.strategy"
	vocabRouter           = "router.kind"
	vocabDeployment       = "deployment.kind"
	vocabPoolRole         = "pools.role"
	vocabTimeUnit         = "time_unit"
	vocabMode             = "mode"
	vocabVerdict          = "verdict"
	vocabResolution       = "resolution"
	vocabStatus           = "status"
	vocabPermits          = "permits"
)

// vocabularies are the words of the decisions, section Vocabularies, and of the
// embedded blocks. A new word is one word here, and a
// migration where the schema checks it too (TestVocabulariesAreAdmitted says so).
var vocabularies = []struct{ name, words string }{
	{vocabSourceKind, `vllm_bench sglang_bench inferencex pytorch_hud llm_d_benchmark guidellm aiperf genai_perf
		inference_perf llmperf mlperf blis_observe vendor_report paper`},
	{vocabInputRole, `report manifest script artifact log config trace dataset metrics harness_source`},
	{vocabMethod, `json jsonl csv tsv yaml html_table html_embedded_json markdown_table log_regex parquet
		prometheus_text pdf_text sql_dump`},
	{vocabPopulation, `per_request pooled_chunks pooled_tokens`},
	{vocabClock, `client server`},
	{vocabStartEvent, `send_after_semaphore send scheduled_arrival previous_chunk first_content_chunk first_chunk
		server_arrival server_scheduled`},
	{vocabStopEvent, `first_content_chunk first_chunk first_token next_chunk last_chunk last_token response_end
		server_first_token server_finish`},
	{vocabOutputLen, `usage tokenizer usage_or_tokenizer chunk_count requested server_metrics`},
	{vocabDenominator, `main_phase_wall first_send_to_last_response first_send_to_last_send fixed_duration
		steady_window server_uptime_window`},
	{vocabStatistic, `mean median std max`}, // and pNN, see percentile
	{vocabUnit, `ms tokens_per_s requests_per_s`},
	{vocabPercentileMethod, `numpy_linear`},
	{vocabProvenance, `MATCH MISMATCH UNSTATED UNVERIFIABLE`},
	{vocabMaterial, `yes no unknown bounded`},
	{vocabDiffKind, `not_expressible not_modelled conflict unresolved approximated`},
	{vocabRamp, `linear exponential`},
	{vocabRouter, `direct epp`},
	{vocabDeployment, `Deployment`},
	{vocabPoolRole, `colocated prefill decode`},
	{vocabTimeUnit, `ns nanoseconds us microseconds ms milliseconds s seconds`},
	{vocabMode, `real generated replayed`},
	{vocabVerdict, `EXACT PARTIAL NOT_REPRODUCIBLE`},
	{vocabResolution, `STRICT RESOLVED`},
	{vocabStatus, `verified unverified refused`},
	{vocabPermits, `score derive_coefficients redistribute`},
}

// Vocabularies returns the closed lists of words, for documentation.
func Vocabularies() []Vocabulary {
	var list []Vocabulary
	for _, v := range vocabularies {
		list = append(list, Vocabulary{v.name, strings.Fields(v.words)})
	}
	return append(list, Vocabulary{"formula", formulaNames()})
}

// Kinds of a formula.
const (
	Latency    = "latency"
	Throughput = "throughput"
)

// Formula is a quantity that a metric can be.
type Formula struct {
	Name       string
	Unit       string
	Kind       string // Latency or Throughput
	Definition string
}

// formulas are those of the decisions, section Metric definitions. A new one
// is one line.
var formulas = []Formula{
	{"ttft", "ms", Latency, "first output token or chunk − request start"},
	{"tpot", "ms", Latency, "(e2el − ttft) / (output tokens − 1), per request with at least two"},
	{"ntpot", "ms", Latency, "e2el / output tokens"},
	{"itl", "ms", Latency, "gap between consecutive chunks or tokens"},
	{"e2el", "ms", Latency, "end of response − request start"},
	{"queue_time", "ms", Latency, "server-side wait in the queue"},
	{"prefill_time", "ms", Latency, "server-side prefill phase"},
	{"decode_time", "ms", Latency, "server-side decode phase"},
	{"inference_time", "ms", Latency, "server-side prefill and decode"},
	{"client_queue_time", "ms", Latency, "wait for the client's concurrency cap"},
	{"output_throughput", "tokens_per_s", Throughput, "output tokens / denominator"},
	{"input_throughput", "tokens_per_s", Throughput, "input tokens / denominator"},
	{"total_token_throughput", "tokens_per_s", Throughput, "input and output tokens / denominator"},
	{"output_throughput_per_gpu", "tokens_per_s", Throughput, "output_throughput / GPUs"},
	{"input_throughput_per_gpu", "tokens_per_s", Throughput, "input_throughput / GPUs"},
	{"total_token_throughput_per_gpu", "tokens_per_s", Throughput, "total_token_throughput / GPUs"},
	{"peak_output_throughput", "tokens_per_s", Throughput, "highest bucket of output tokens"},
	{"request_throughput", "requests_per_s", Throughput, "requests / denominator"},
	{"request_goodput", "requests_per_s", Throughput, "requests that meet their targets / denominator"},
}

// Formulas returns the formulas, for documentation.
func Formulas() []Formula { return slices.Clone(formulas) }

func formulaNames() []string {
	var names []string
	for _, f := range formulas {
		names = append(names, f.Name)
	}
	return names
}

// formulaOf returns the formula of a name, or nil.
func formulaOf(name string) *Formula {
	for i := range formulas {
		if formulas[i].Name == name {
			return &formulas[i]
		}
	}
	return nil
}

// words returns the words of a vocabulary.
func words(name string) []string {
	for _, v := range vocabularies {
		if v.name == name {
			return strings.Fields(v.words)
		}
	}
	panic("catalog: no vocabulary " + name)
}
