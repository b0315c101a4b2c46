package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// inventedSweep is a run of invented benchmark rows before it is written: its
// configuration, and what it measured at each load.
type inventedSweep struct {
	hardware, model string
	width           int
	loads           []int
	values          [][]float64 // by load, in the order of inventedKeys
}

// inventedKeys are the metrics of every invented row. A value below 0 stands for one that is left out.
var inventedKeys = []string{"mean_ttft", "median_ttft", "p99_ttft", "mean_tpot", "median_tpot", "p99_tpot", "mean_itl", "median_itl", "mean_e2el", "median_e2el",
	"median_intvty", "tput_per_gpu", "output_tput_per_gpu", "input_tput_per_gpu"}

// randomSweep is a sweep of 2 to 12 loads. What a configuration is good at
// differs from sweep to sweep, latencies rise with the load, and all is noisy.
func randomSweep(rnd *rand.Rand) inventedSweep {
	hardware := []string{"h100", "h200", "b200", "gb200", "mi300x", "mi355x"}
	models := []string{"dsr1", "gptoss120b", "llama70b", "kimik2.5"}
	s := inventedSweep{hardware: hardware[rnd.Intn(len(hardware))], model: models[rnd.Intn(len(models))], width: 1 << rnd.Intn(4)}
	first := rnd.Intn(3)
	ttft, tpot, rate := 0.05+rnd.Float64(), 0.005+0.05*rnd.Float64(), 100+1000*rnd.Float64()
	for k := range 2 + rnd.Intn(11) {
		s.loads = append(s.loads, 1<<first+k*(1<<(first+1)))
		noisy := func(x float64) float64 { return x * (1 + 0.1*float64(k)) * (0.97 + 0.06*rnd.Float64()) }
		prefill, decode, in, out := noisy(ttft), noisy(tpot), noisy(rate), noisy(rate)
		s.values = append(s.values, []float64{prefill * 1.1, prefill, prefill * 2.5, decode * 1.1, decode, decode * 2, noisy(decode), noisy(decode) * 0.95,
			noisy(prefill + 1100*decode), prefill + 1024*decode, 1 / decode, in + out, out, in})
	}
	return s
}

// variant is what another publication of a sweep may be: the same, close to
// it, without its last load, or without its first metrics.
func (s inventedSweep) variant(rnd *rand.Rand) inventedSweep {
	v := s
	v.values = make([][]float64, len(s.values))
	kind := rnd.Intn(4)
	for i, at := range s.values {
		v.values[i] = slices.Clone(at)
		for j := range at {
			switch {
			case kind == 1:
				v.values[i][j] *= 0.995 + 0.01*rnd.Float64()
			case kind == 2 && j < 4:
				v.values[i][j] = -1 // left out
			}
		}
	}
	if kind == 3 {
		v.loads, v.values = v.loads[:len(v.loads)-1], v.values[:len(v.values)-1]
	}
	return v
}

// write writes the rows of the sweep as a run of its own.
func (s inventedSweep) write(w io.Writer, run int, first *bool) {
	for i, conc := range s.loads {
		if !*first {
			io.WriteString(w, ",\n")
		}
		*first = false
		fmt.Fprintf(w, `{"hardware":%q,"framework":"vllm","model":%q,"precision":"fp8","spec_method":"none","disagg":false,"is_multinode":false,`+
			`"prefill_tp":%[3]d,"prefill_ep":1,"prefill_dp_attention":false,"prefill_num_workers":0,"decode_tp":%[3]d,"decode_ep":1,"decode_dp_attention":false,`+
			`"decode_num_workers":0,"num_prefill_gpu":%[3]d,"num_decode_gpu":%[3]d,"benchmark_type":"single_turn","isl":1024,"osl":1024,"conc":%[4]d,`+
			`"offload_mode":"off","image":"vllm/vllm-openai:v0.11.0","metrics":{`, s.hardware, s.model, s.width, conc)
		comma := ""
		for j, key := range inventedKeys {
			if s.values[i][j] >= 0 {
				fmt.Fprintf(w, `%s%q:%.9g`, comma, key, s.values[i][j])
				comma = ","
			}
		}
		fmt.Fprintf(w, `},"date":"2026-01-%02d","run_url":"https://github.com/SemiAnalysisAI/InferenceX/actions/runs/%d/attempts/1"}`, 1+run%28, 100000000+run)
	}
}

// inventedCapture writes a capture with at least points points. One run in a
// hundred publishes an earlier one again: exactly, closely, or in part. The
// first run is published copies times more. Captures of different seeds are of
// different GitHub runs; seeds 2n and 2n+1 have the same sweeps.
func inventedCapture(w io.Writer, seed int64, points, copies int) {
	rnd := rand.New(rand.NewSource(seed / 2))
	first := true
	var earlier []inventedSweep
	io.WriteString(w, "[")
	run := int(seed-1) * 1_000_000
	for n := 0; n < points; run++ {
		s := randomSweep(rnd)
		if len(earlier) > 0 && rnd.Intn(100) == 0 {
			s = earlier[rnd.Intn(len(earlier))].variant(rnd)
		} else if len(earlier) < 10_000 {
			earlier = append(earlier, s)
		}
		s.write(w, run, &first)
		n += len(s.loads)
	}
	for range copies {
		earlier[0].write(w, run, &first)
		run++
	}
	io.WriteString(w, "]")
}

// sweepSizes are the points of the warehouses that the sweep is measured on.
// The largest takes minutes to load, so -short leaves it out, and it needs
// BLIS_WAREHOUSE_BENCH_1M=1.
func sweepSizes() []int {
	sizes := []int{10_000, 100_000}
	if !testing.Short() && os.Getenv("BLIS_WAREHOUSE_BENCH_1M") != "" {
		sizes = append(sizes, 1_000_000)
	}
	return sizes
}

// inventedWarehouse loads an invented capture and returns the database's path.
func inventedWarehouse(b *testing.B, points, copies int) string {
	b.Helper()
	dir := b.TempDir()
	capture, database := filepath.Join(dir, "rows.json"), filepath.Join(dir, "w.db")
	writeCapture(b, capture, 1, points, copies)
	runQuietly(b, "load", "--db", database, capture)
	return database
}

func writeCapture(b *testing.B, path string, seed int64, points, copies int) {
	b.Helper()
	var capture bytes.Buffer
	inventedCapture(&capture, seed, points, copies)
	if err := os.WriteFile(path, capture.Bytes(), 0o644); err != nil {
		b.Fatal(err)
	}
}

// runQuietly runs the program; a command may find something, but not fail.
func runQuietly(b *testing.B, args ...string) {
	b.Helper()
	var stderr bytes.Buffer
	if code := run(args, strings.NewReader(""), io.Discard, &stderr); code > exitFindings {
		b.Fatalf("%s: exit code %d\n%s", strings.Join(args, " "), code, stderr.String())
	}
}

// BenchmarkSweep measures what duplicates prints, on warehouses of several
// sizes and on one that has a run 10,000 times.
func BenchmarkSweep(b *testing.B) {
	commands := []struct {
		name string
		args []string
	}{
		{"groups", []string{"duplicates", "--groups", "--format", "csv"}},
		{"check", []string{"duplicates", "--groups", "--format", "csv", "--check"}},
		{"pairs", []string{"query", "duplicate-pairs", "--format", "csv"}},
		{"near-0.01", []string{"query", "near-duplicates", "--format", "csv"}},
		{"near-0.05", []string{"query", "near-duplicates", "--param", "tolerance=0.05", "--format", "csv"}},
		{"table", []string{"duplicates"}},
	}
	measure := func(b *testing.B, points, copies int) {
		database := inventedWarehouse(b, points, copies)
		for _, c := range commands {
			if copies > 0 && c.name == "pairs" {
				continue // 50 million
			}
			b.Run(c.name, func(b *testing.B) {
				for b.Loop() {
					runQuietly(b, append([]string{"--db", database}, c.args...)...)
				}
			})
		}
	}
	for _, points := range sweepSizes() {
		b.Run(fmt.Sprintf("points=%d", points), func(b *testing.B) { measure(b, points, 0) })
	}
	b.Run("copies=10000", func(b *testing.B) { measure(b, 10_000, 10_000) })
}

// BenchmarkSweepIncremental measures what a load of 1,000 more points takes,
// duplicates among them and with what is there, beside points loaded before.
func BenchmarkSweepIncremental(b *testing.B) {
	for _, points := range sweepSizes() {
		b.Run(fmt.Sprintf("points=%d", points), func(b *testing.B) {
			database := inventedWarehouse(b, points, 0)
			more := filepath.Join(b.TempDir(), "more.json")
			for i := int64(2); b.Loop(); i++ {
				b.StopTimer()
				writeCapture(b, more, i, 1000, 0)
				b.StartTimer()
				runQuietly(b, "load", "--db", database, more)
			}
		})
	}
}
