package inferencex

import (
	"strings"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// roleScopeFrom is the first UTC day on which the publisher divides a
// disaggregated row's input throughput by the prefill GPUs and its output
// throughput by the decode GPUs; before, all three were divided by all GPUs.
const roleScopeFrom = "2025-11-05"

// A Context is what the meaning of a metric depends on besides its key. Rows
// with equal contexts share one set of definitions.
type Context struct {
	// Agentic is set for every benchmark type but single_turn: another client
	// measured, whose population and events are unstated.
	Agentic bool
	// PerRole is set where input and output throughput are divided by the GPUs
	// of their role.
	PerRole bool
}

// ContextOf returns the context of a row. An undated row (a raw artifact) counts
// as one of today.
func ContextOf(row *record.InferenceXRow) Context {
	return Context{
		Agentic: row.BenchmarkType != "single_turn",
		PerRole: row.Config.Disagg && (row.Date == "" || row.Date >= roleScopeFrom),
	}
}

// A Def is the definition of a known metric key in a context.
type Def struct {
	Column int     // index in record.InferenceXColumns
	Key    string  // the publisher's key: median_ttft
	Metric string  // the warehouse's name: ttft_p50
	Scale  float64 // from the reported value to the definition's unit
	Def    record.MetricDef
}

// DefinitionFor returns the definition of a column; ok is false for the columns
// that are kept as reported (see RawKeys).
func DefinitionFor(column int, ctx Context) (def Def, ok bool) {
	if column < 0 || column >= record.NumInferenceXColumns {
		return Def{}, false
	}
	def = definitions[ctx.index()][column]
	return def, def.Metric != ""
}

// Definitions returns all definitions of a context, in column order.
func Definitions(ctx Context) []Def {
	var defs []Def
	for i := range record.NumInferenceXColumns {
		if d, ok := DefinitionFor(i, ctx); ok {
			defs = append(defs, d)
		}
	}
	return defs
}

func (c Context) index() int {
	i := 0
	if c.Agentic {
		i |= 1
	}
	if c.PerRole {
		i |= 2
	}
	return i
}

// The harness is InferenceX's bench_serving, a client of the OpenAI completions
// API; these are the places in it that the definitions follow.
const (
	citeRequest = "InferenceX utils/bench_serving/backend_request_func.py"
	citeMetrics = "InferenceX utils/bench_serving/benchmark_serving.py"
	citeResult  = "InferenceX utils/process_result.py"
	citeAgentic = "InferenceX agentic trace replay: population and events are not stated by the publisher"
)

// latencies are the quantities reported in seconds, each with a mean, a median,
// a standard deviation and percentiles.
var latencies = []struct {
	key, population, start, stop, cite string
}{
	{"ttft", "per_request", "send_after_semaphore", "first_chunk", citeRequest + ": the first chunk that has choices"},
	{"tpot", "per_request", "first_chunk", "last_chunk", citeMetrics + ": (latency - ttft) / (output tokens - 1)"},
	{"itl", "pooled_chunks", "previous_chunk", "next_chunk", citeRequest + ": gaps between chunks, pooled over all requests"},
	{"e2el", "per_request", "send_after_semaphore", "last_chunk", citeRequest + ": latency up to the last chunk that has choices"},
}

// throughputs are the rates per GPU. scope is what a row with roles of its own
// is divided by.
var throughputs = []struct {
	key, formula, scope, cite string
}{
	{"tput_per_gpu", "total_token_throughput_per_gpu", "all", citeResult + ": input and output tokens over all GPUs"},
	{"input_tput_per_gpu", "input_throughput_per_gpu", "prefill", citeResult + ": input tokens over the prefill GPUs, over all where they are shared"},
	{"output_tput_per_gpu", "output_throughput_per_gpu", "decode", citeResult + ": output tokens over the decode GPUs, over all where they are shared"},
}

// definitions holds the definitions by context and column. An empty Metric marks a raw column.
var definitions = func() (t [4][record.NumInferenceXColumns]Def) {
	for _, ctx := range []Context{{}, {Agentic: true}, {PerRole: true}, {Agentic: true, PerRole: true}} {
		for i, col := range record.InferenceXColumns {
			if def, ok := define(col.Key, ctx); ok {
				def.Column, def.Def.Name = i, def.Metric
				t[ctx.index()][i] = def
			}
		}
	}
	return t
}()

func define(key string, ctx Context) (Def, bool) {
	d := Def{Key: key, Def: record.MetricDef{Clock: "client", OutputLenSource: "usage"}}
	for _, q := range latencies {
		stat, ok := strings.CutSuffix(key, "_"+q.key)
		if !ok {
			continue
		}
		if stat == "median" {
			d.Metric = q.key + "_p50"
		} else {
			d.Metric = q.key + "_" + stat
		}
		d.Scale = 1000
		d.Def.Formula, d.Def.Statistic, d.Def.Unit = q.key, stat, "ms"
		if stat != "mean" && stat != "std" {
			d.Def.PercentileMethod = "numpy_linear"
		}
		d.Def.Population, d.Def.StartEvent, d.Def.StopEvent, d.Def.Cite = q.population, q.start, q.stop, q.cite
		return d.in(ctx), true
	}
	for _, q := range throughputs {
		if key != q.key {
			continue
		}
		d.Metric, d.Scale = q.formula, 1
		d.Def.Formula, d.Def.Unit, d.Def.Denominator = q.formula, "tokens_per_s", "main_phase_wall"
		d.Def.Population, d.Def.GPUScope, d.Def.Cite = "pooled_tokens", "all", q.cite
		if ctx.PerRole {
			d.Def.GPUScope = q.scope
		}
		return d.in(ctx), true
	}
	return Def{}, false
}

// in leaves out what the publisher does not state in the context.
func (d Def) in(ctx Context) Def {
	if ctx.Agentic {
		d.Def.Population, d.Def.StartEvent, d.Def.StopEvent, d.Def.Cite = "", "", "", citeAgentic
		if d.Metric == "total_token_throughput_per_gpu" || d.Metric == "input_throughput_per_gpu" {
			d.Def.Cite += "; cached prefill tokens count too"
		}
	}
	return d
}

// ReportedKey returns the key under which a row reported a column: p50_ttft for
// the column of median_ttft where the row has that.
func ReportedKey(row *record.InferenceXRow, column int) string {
	if row.P50&(1<<column) != 0 {
		return "p50_" + strings.TrimPrefix(record.InferenceXColumns[column].Key, "median_")
	}
	return record.InferenceXColumns[column].Key
}
