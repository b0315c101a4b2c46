// Package invented makes benchmark inputs of the shape that captures of
// InferenceX have. Nothing in them was ever measured. Equal arguments give
// equal bytes, so that programs and days can be compared.
//
// The one design choice is the grouping, which decides what a load costs: rows
// form runs of 2 to 12 points that sweep the concurrency of a configuration,
// and a configuration is measured again on other days.
package invented

import (
	"bufio"
	"io"
	"math/rand/v2"
	"strconv"
)

// Form is how the rows of a file are strung together.
type Form int

// The forms of a file.
const (
	Array Form = iota // one JSON array
	Lines             // a row a line
)

// Runs of a GitHub run, and how many configurations there are for each run of the first day.
const (
	runsPerWorkflow = 20
	configurations  = 1900
)

var (
	hardware   = []string{"h100", "h200", "b200", "gb200", "b300", "gb300", "mi300x", "mi325x", "mi355x"}
	frameworks = []string{"vllm", "sglang", "trt"}
	together   = []string{"dynamo-vllm", "dynamo-sglang", "dynamo-trt"} // of disaggregated rows
	models     = []string{"dsr1", "gptoss120b", "llama70b", "qwen3.5", "kimik2.5", "glm5", "minimaxm2.5", "dsv4"}
	precisions = []string{"fp8", "fp4", "bf16", "int4"}
	lengths    = [][2]int{{1024, 1024}, {1024, 8192}, {8192, 1024}}
)

// A configuration is what is measured again and again.
type configuration struct {
	hardware, framework, model, precision, spec string
	disagg                                      bool
	tp, ep                                      int
	isl, osl                                    int
	recipe                                      string
	base                                        float64 // seconds to the first token without load
}

// Rows writes n rows.
func Rows(to io.Writer, n int, form Form) error {
	w := &writer{to: bufio.NewWriterSize(to, 1<<20), rnd: rand.New(rand.NewPCG(1, 2))}
	configs := make([]configuration, min(configurations, n/8+1))
	for i := range configs {
		configs[i] = w.configuration()
	}
	if form == Array {
		w.text("[\n")
	}
	for id, run := 1, 0; id <= n; run++ {
		c := &configs[run%len(configs)]
		for k, points := 0, 2+w.rnd.IntN(11); k < points && id <= n; k++ {
			w.row(c, id, run, k)
			if form == Array && id < n {
				w.text(",")
			}
			w.text("\n")
			id++
		}
	}
	if form == Array {
		w.text("]\n")
	}
	return w.to.Flush()
}

// writer writes the members of objects.
type writer struct {
	to    *bufio.Writer
	rnd   *rand.Rand
	first bool // no member of the object has been written
	num   []byte
}

func (w *writer) configuration() configuration {
	r := w.rnd
	one := func(words []string) string { return words[r.IntN(len(words))] }
	l := lengths[r.IntN(len(lengths))]
	c := configuration{
		hardware: one(hardware), framework: one(frameworks), model: one(models), precision: one(precisions), spec: "none",
		disagg: r.IntN(5) == 0, tp: 1 << r.IntN(4), ep: 1, isl: l[0], osl: l[1], base: 0.02 + 0.1*r.Float64(),
	}
	if r.IntN(4) == 0 {
		c.ep = c.tp
	}
	if r.IntN(3) == 0 {
		c.spec = "mtp"
	}
	if c.disagg {
		c.framework = one(together)
	}
	for range 4 {
		c.recipe += strconv.FormatUint(r.Uint64()|1<<63, 16)
	}
	return c
}

func (w *writer) row(c *configuration, id, run, step int) {
	conc := 1 << step
	workflow := run / runsPerWorkflow
	workers, prefillGPUs, decodeGPUs := 0, c.tp*c.ep, c.tp*c.ep // as the publisher has it, 64 for a box of 8
	if c.disagg {
		workers, prefillGPUs, decodeGPUs = 1, 2*c.tp, c.tp
	}
	w.open()
	w.int("id", id)
	w.string("hardware", c.hardware)
	w.string("framework", c.framework)
	w.string("model", c.model)
	w.string("precision", c.precision)
	w.string("spec_method", c.spec)
	w.bool("disagg", c.disagg)
	w.bool("is_multinode", c.disagg)
	w.int("prefill_tp", c.tp)
	w.int("prefill_ep", c.ep)
	w.bool("prefill_dp_attention", false)
	w.int("prefill_num_workers", 2*workers)
	w.int("decode_tp", c.tp)
	w.int("decode_ep", c.ep)
	w.bool("decode_dp_attention", false)
	w.int("decode_num_workers", workers)
	w.int("num_prefill_gpu", prefillGPUs)
	w.int("num_decode_gpu", decodeGPUs)
	w.string("benchmark_type", "single_turn")
	w.int("isl", c.isl)
	w.int("osl", c.osl)
	w.int("conc", conc)
	w.string("offload_mode", "off")
	w.string("image", c.framework+"/release:v0."+strconv.Itoa(1+workflow/200%40)+"."+strconv.Itoa(workflow%4))
	w.string("recipe_fingerprint", c.recipe)
	w.key("metrics")
	powered := w.metrics(c, conc, id)
	if c.disagg && powered {
		w.workers(c.tp)
	}
	day := workflow / 20
	date := "2026-" + two(1+day/28%12) + "-" + two(1+day%28)
	w.string("date", date)
	w.int("workflow_run_id", 2000+workflow)
	w.string("run_started_at", date+"T"+two(workflow%20)+":"+two(run % 60)[:1]+"0:00Z")
	w.string("run_url", "https://github.com/SemiAnalysisAI/InferenceX/actions/runs/"+strconv.Itoa(18000000000+workflow)+"/attempts/1")
	w.close()
}

// metrics writes 36 metrics on the average, such as a saturating server would
// give: times rise with the load and with the percentile. powered tells whether
// the row has valid power figures.
func (w *writer) metrics(c *configuration, conc, id int) (powered bool) {
	r := w.rnd
	w.open()
	noise := func() float64 { return 0.98 + 0.04*r.Float64() }
	load := 1 + float64(conc)/64
	ttft := c.base * load * noise()
	tpot := 0.008 * load * noise()
	for _, q := range []struct {
		name   string
		median float64
	}{{"ttft", ttft}, {"tpot", tpot}, {"itl", tpot * noise()}, {"e2el", ttft + tpot*float64(c.osl)}} {
		w.number("mean_"+q.name, q.median*1.02*noise())
		w.number("median_"+q.name, q.median)
		w.number("p90_"+q.name, q.median*1.4*noise())
		tail := 1.9
		if id%500 == 0 { // requests hung
			tail = 20
		}
		w.number("p99_"+q.name, q.median*tail*noise())
		if id%4 == 0 {
			w.number("p99.9_"+q.name, q.median*(tail+0.4)*noise())
		}
		w.number("std_"+q.name, q.median*0.2*noise())
	}
	w.number("median_intvty", 1/tpot)
	w.number("mean_intvty", 1/(tpot*1.02))
	w.number("p99_intvty", 1/(tpot*1.9))
	out := float64(conc) / tpot / float64(c.tp)
	in := out * float64(c.isl) / float64(c.osl)
	w.number("tput_per_gpu", in+out)
	w.number("output_tput_per_gpu", out)
	w.number("input_tput_per_gpu", in)
	kind := r.IntN(10)
	if kind == 8 {
		w.int("power_valid", 0)
	}
	if kind < 8 {
		w.int("power_valid", 1)
		w.int("power_metric_schema_version", 2)
		for _, m := range []struct {
			key         string
			from, width float64
		}{
			{"avg_power_w", 400, 600}, {"joules_per_successful_query", 100, 3000}, {"joules_per_output_token", 1, 8}, {"joules_per_total_token", 1, 4},
			{"joules_per_input_token", 1, 4}, {"avg_temp_c", 45, 30}, {"peak_temp_c", 55, 30}, {"avg_util_pct", 70, 30}, {"avg_mem_used_mb", 70000, 60000},
		} {
			w.number(m.key, m.from+m.width*r.Float64())
		}
		if c.disagg {
			w.number("prefill_avg_power_w", 400+600*r.Float64())
			w.number("decode_avg_power_w", 400+600*r.Float64())
		}
	}
	w.close()
	return kind < 8
}

func (w *writer) workers(gpus int) {
	w.key("workers")
	for i, role := range []string{"prefill", "prefill", "decode"} {
		w.text(string("[,"[min(i, 1)]))
		w.open()
		w.string("role", role)
		w.int("worker_idx", i)
		w.key("hosts")
		w.text(`["node-` + two(w.rnd.IntN(100)) + `"]`)
		w.int("num_gpus", gpus)
		w.number("avg_power_w", 400+600*w.rnd.Float64())
		w.number("avg_temp_c", 45+30*w.rnd.Float64())
		w.close()
	}
	w.text("]")
}

// two is a number below 100 with two digits.
func two(n int) string { return string([]byte{byte('0' + n/10), byte('0' + n%10)}) }

func (w *writer) text(s string) { w.to.WriteString(s) } // Flush gives the error

func (w *writer) open() {
	w.text("{")
	w.first = true
}

func (w *writer) close() {
	w.text("}")
	w.first = false
}

func (w *writer) key(k string) {
	if !w.first {
		w.text(",")
	}
	w.first = false
	w.text(`"` + k + `":`)
}

func (w *writer) string(k, v string) {
	w.key(k)
	w.text(`"` + v + `"`)
}

func (w *writer) int(k string, v int) {
	w.key(k)
	w.num = strconv.AppendInt(w.num[:0], int64(v), 10)
	w.to.Write(w.num)
}

func (w *writer) bool(k string, v bool) {
	w.key(k)
	w.text(strconv.FormatBool(v))
}

func (w *writer) number(k string, v float64) {
	w.key(k)
	w.num = strconv.AppendFloat(w.num[:0], v, 'g', -1, 64)
	w.to.Write(w.num)
}
