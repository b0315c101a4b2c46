package loader

import (
	"context"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inference-sim/blis-warehouse/store"
)

// inventedRows are rows as captures have them: a run sweeps concurrency, 10 points each.
func inventedRows(n int) string {
	rnd := rand.New(rand.NewSource(1))
	hardware := []string{"h100", "h200", "b200", "gb200", "mi300x", "mi355x"}
	models := []string{"dsr1", "gptoss120b", "llama70b", "kimik2.5"}
	var b strings.Builder
	b.WriteByte('[')
	for i := range n {
		run, k := i/10, i%10
		if i > 0 {
			b.WriteString(",\n")
		}
		tp := 1 << (run % 4)
		fmt.Fprintf(&b, `{"id":%d,"hardware":%q,"framework":"vllm","model":%q,"precision":"fp8","spec_method":"none","disagg":false,"is_multinode":false,`+
			`"prefill_tp":%[4]d,"prefill_ep":1,"prefill_dp_attention":false,"prefill_num_workers":0,"decode_tp":%[4]d,"decode_ep":1,"decode_dp_attention":false,`+
			`"decode_num_workers":0,"num_prefill_gpu":%[4]d,"num_decode_gpu":%[4]d,"benchmark_type":"single_turn","isl":1024,"osl":1024,"conc":%[5]d,`+
			`"offload_mode":"off","image":"vllm/vllm-openai:v0.%[6]d.0","recipe_fingerprint":"%064[7]x","metrics":{`,
			i, hardware[run%len(hardware)], models[run/7%len(models)], tp, 1<<k, 8+run%12, run)
		base := (0.05 + rnd.Float64()) * float64(k+1)
		for j, q := range []string{"ttft", "tpot", "itl", "e2el"} {
			for l, s := range []string{"mean", "median", "std", "p90", "p99", "p99.9"} {
				if j+l > 0 {
					b.WriteByte(',')
				}
				fmt.Fprintf(&b, `"%s_%s":%v`, s, q, base*(1+0.3*float64(l))*(0.9+0.2*rnd.Float64()))
			}
		}
		for _, q := range []string{"median_intvty", "p99_intvty", "tput_per_gpu", "output_tput_per_gpu", "input_tput_per_gpu", "avg_power_w", "avg_temp_c"} {
			fmt.Fprintf(&b, `,%q:%v`, q, 100*rnd.Float64())
		}
		fmt.Fprintf(&b, `},"date":"2026-01-%02d","run_url":"https://github.com/SemiAnalysisAI/InferenceX/actions/runs/%d/attempts/1"}`, 1+run%28, 100000000+run/20)
	}
	b.WriteByte(']')
	return b.String()
}

func benchmarkLoad(b *testing.B, dir string, paths ...string) {
	w := &world{dir: dir}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		path := filepath.Join(dir, fmt.Sprintf("w%d.db", i))
		s, err := store.OpenWriter(context.Background(), path, store.WriterOptions{Create: true})
		if err != nil {
			b.Fatal(err)
		}
		opts := w.options()
		opts.Verdicts = false
		if _, err := Load(context.Background(), s, paths, opts); err != nil {
			b.Fatal(err)
		}
		if err := s.Publish(); err != nil {
			b.Fatal(err)
		}
		s.Close()
		os.Remove(path)
	}
}

func BenchmarkLoadRows10k(b *testing.B) {
	dir := b.TempDir()
	content := inventedRows(10_000)
	if err := os.WriteFile(filepath.Join(dir, "rows.json"), []byte(content), 0o644); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(content)))
	benchmarkLoad(b, dir, "rows.json")
}

func BenchmarkLoadDocuments1k(b *testing.B) {
	dir := b.TempDir()
	size := 0
	for i := range 1000 {
		doc := strings.Replace(runYAML(fmt.Sprintf("r%04d", i), "open"), "value: 20", fmt.Sprint("value: ", 20+i), 1)
		size += len(doc)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("r%04d.yaml", i)), []byte(doc), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(int64(size))
	benchmarkLoad(b, dir, ".")
}
