package plot

// Metric is a column of the view curves that an axis can show.
type Metric struct {
	Name     string // the column
	Text     string // what it is, as an axis says it
	Unit     string
	Better   string // the direction that is better: higher or lower
	Identity string // the metric's identity where the column is one of a run (see definition_set_members), else ""
}

// Metrics are the metrics that an axis can show: throughput first, then
// latency, then energy. Of several that runs share, a picture takes the first.
func Metrics() []Metric {
	all := []Metric{
		{"total_tok_s_per_gpu", "Input and output throughput per GPU", "tokens/s", "higher", "total_token_throughput_per_gpu"},
		{"output_tok_s_per_gpu", "Output throughput per GPU", "tokens/s", "higher", "output_throughput_per_gpu"},
		{"input_tok_s_per_gpu", "Input throughput per GPU", "tokens/s", "higher", "input_throughput_per_gpu"},
		{"output_tok_s", "Output throughput", "tokens/s", "higher", "output_throughput"},
		{"total_tok_s", "Input and output throughput", "tokens/s", "higher", "total_token_throughput"},
		{"input_tok_s", "Input throughput", "tokens/s", "higher", "input_throughput"},
		{"requests_per_s", "Request throughput", "requests/s", "higher", "request_throughput"},
		{"goodput_requests_per_s", "Goodput", "requests/s", "higher", "request_goodput"},
		{"interactivity_p50_tok_s", "Interactivity of the median request", "tokens/s per user", "higher", ""},
	}
	statistics := []struct{ suffix, identity, text string }{
		{"p50", "median", "median"}, {"mean", "mean", "mean"}, {"p90", "p90", "p90"}, {"p95", "p95", "p95"}, {"p99", "p99", "p99"},
	}
	for _, latency := range []struct{ column, formula, text string }{
		{"tpot", "tpot", "Time per output token"},
		{"ttft", "ttft", "Time to first token"},
		{"e2e", "e2el", "Time to the end of the response"},
		{"itl", "itl", "Time between tokens"},
	} {
		for _, s := range statistics {
			all = append(all, Metric{latency.column + "_" + s.suffix + "_ms", latency.text + ", " + s.text, "ms", "lower", latency.formula + " " + s.identity})
		}
	}
	return append(all,
		Metric{"power_w_per_gpu", "Mean power per GPU", "W", "lower", ""},
		Metric{"energy_j_per_output_token", "Energy per output token", "J", "lower", ""},
		Metric{"energy_j_per_total_token", "Energy per input or output token", "J", "lower", ""},
		Metric{"energy_j_per_request", "Energy per request", "J", "lower", ""},
	)
}

// Names are the names of metrics.
func Names(metrics []Metric) []string {
	names := make([]string, len(metrics))
	for i, m := range metrics {
		names[i] = m.Name
	}
	return names
}

// find is the metric of a name.
func find(name string) (Metric, bool) {
	for _, m := range Metrics() {
		if m.Name == name {
			return m, true
		}
	}
	return Metric{}, false
}

// throughputs and latencies are the names of the metrics that a picture takes
// by itself for one axis and the other, the first that all runs have. The total
// per GPU comes first: it is over all GPUs in any case, where others are over
// those of one role when the roles run apart.
func throughputs() []string {
	return []string{"total_tok_s_per_gpu", "output_tok_s_per_gpu", "output_tok_s", "total_tok_s", "requests_per_s"}
}

func latencies() []string {
	return []string{"tpot_p50_ms", "tpot_mean_ms", "ttft_p50_ms", "ttft_mean_ms", "e2e_p50_ms", "e2e_mean_ms"}
}

// axis is the axis that shows a metric.
func (m Metric) axis() Axis {
	return Axis{Label: m.Text + " (" + m.Unit + "), " + m.Better + " is better", Zero: true}
}
