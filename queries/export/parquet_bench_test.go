package export

import (
	"fmt"
	"io"
	"testing"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// BenchmarkExport writes 100,000 rows (100 runs of 50 points with 20 metrics),
// which differ as measured rows do, as jsonl, as csv and as
// Parquet.
func BenchmarkExport(b *testing.B) {
	const runs, points, metrics = 100, 50, 20
	var all []*record.Run
	for i := range runs {
		r := sweepRun(fmt.Sprintf("invented-%03d", i), points, metrics)
		r.Model, r.Cluster.Hardware = fmt.Sprint("invented-", i%7), fmt.Sprint("h", i%5)
		for p := range r.Points {
			for m := range r.Points[p].Metrics {
				r.Points[p].Metrics[m].Value *= 1 + float64(i*7717%1013)/1e4
			}
		}
		all = append(all, r)
	}
	r := saved(b, all...)
	s := everything(b, r)
	for _, form := range []struct {
		name, format string
		partition    []string
	}{
		{"jsonl", "jsonl", nil}, {"csv", "csv", nil}, {"parquet", "parquet", nil}, {"partitions", "parquet", PartitionColumns()},
	} {
		b.Run(form.name, func(b *testing.B) {
			b.ReportAllocs()
			var size counter
			for b.Loop() {
				size = 0
				create := func(string) (io.WriteCloser, error) { return &size, nil }
				out, err := FormatNamed(form.format).Write(b.Context(), r, s, testOptions(form.partition), create)
				if err != nil || out.Values != runs*points*metrics {
					b.Fatalf("%+v: %v", out, err)
				}
			}
			b.ReportMetric(float64(runs*points*metrics*b.N)/b.Elapsed().Seconds(), "rows/s")
			b.ReportMetric(float64(size)/(1<<20), "MB")
		})
	}
}

// counter counts bytes.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

func (c *counter) Close() error { return nil }
