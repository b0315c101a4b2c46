package loader

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"gopkg.in/yaml.v3"

	sweeps "github.com/inference-sim/blis-warehouse/bench/invented"
	"github.com/inference-sim/blis-warehouse/loader/inferencex"
	"github.com/inference-sim/blis-warehouse/store"
	"github.com/inference-sim/blis-warehouse/store/record"
)

// benchSizes are the numbers of rows to measure with; BENCH_ROWS adds one.
func benchSizes(b *testing.B) []int {
	sizes := []int{10_000, 100_000}
	if s := os.Getenv("BENCH_ROWS"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			b.Fatal(err)
		}
		sizes = append(sizes, n)
	}
	return sizes
}

// perRow runs a benchmark for each size with a capture of so many rows in dir, and reports rows per second.
func perRow(b *testing.B, measure func(b *testing.B, dir string, rows int)) {
	for _, rows := range benchSizes(b) {
		b.Run(fmt.Sprintf("rows=%d", rows), func(b *testing.B) {
			dir := b.TempDir()
			f, err := os.Create(filepath.Join(dir, "rows.json"))
			if err != nil {
				b.Fatal(err)
			}
			if err := sweeps.Rows(f, rows, sweeps.Array); err != nil {
				b.Fatal(err)
			}
			info, err := f.Stat()
			if err != nil {
				b.Fatal(err)
			}
			f.Close()
			b.SetBytes(info.Size())
			b.ReportAllocs()
			measure(b, dir, rows)
			b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

// benchLoad loads paths into the database at name.
func benchLoad(b *testing.B, dir, name string, paths ...string) {
	b.Helper()
	benchLoadAs(b, dir, name, false, paths...)
}

// benchLoadAs loads; again leaves captures unread that were loaded last.
func benchLoadAs(b *testing.B, dir, name string, again bool, paths ...string) {
	b.Helper()
	s, err := store.OpenWriter(context.Background(), filepath.Join(dir, name), store.WriterOptions{Create: true})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	opts := (&world{dir: dir}).options()
	opts.Verdicts, opts.Again = false, again
	if _, err := Load(context.Background(), s, paths, opts); err != nil {
		b.Fatal(err)
	}
	if err := s.Publish(); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkLoadRows is the whole load of a capture into a fresh database.
func BenchmarkLoadRows(b *testing.B) {
	perRow(b, func(b *testing.B, dir string, _ int) {
		for b.Loop() {
			os.Remove(filepath.Join(dir, "w.db"))
			benchLoad(b, dir, "w.db", "rows.json")
		}
	})
}

// BenchmarkLoadTimeline is the load of a timeline of so many requests.
func BenchmarkLoadTimeline(b *testing.B) {
	perRow(b, func(b *testing.B, dir string, rows int) {
		requests := make([]string, rows)
		for i := range requests {
			requests[i] = timelineRequest(map[string]string{"cid": fmt.Sprintf(`"trace-%03d"`, i%500), "ti": strconv.Itoa(i / 500), "credit": strconv.Itoa(i * 1_000_000)})
		}
		if err := os.WriteFile(filepath.Join(dir, "t.json"), []byte(timelineBody(requests...)), 0o666); err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			os.Remove(filepath.Join(dir, "w.db"))
			benchLoad(b, dir, "w.db", "t.json")
		}
	})
}

// BenchmarkReloadRows is the load of a capture that the database has.
func BenchmarkReloadRows(b *testing.B) {
	perRow(b, func(b *testing.B, dir string, _ int) {
		benchLoad(b, dir, "w.db", "rows.json")
		for b.Loop() {
			benchLoad(b, dir, "w.db", "rows.json")
		}
	})
}

// BenchmarkLoadAgain is the load of a capture that was loaded last and so need not be read.
func BenchmarkLoadAgain(b *testing.B) {
	perRow(b, func(b *testing.B, dir string, _ int) {
		benchLoad(b, dir, "w.db", "rows.json")
		for b.Loop() {
			benchLoadAs(b, dir, "w.db", true, "rows.json")
		}
	})
}

// BenchmarkCheck recomputes everything derived of a database.
func BenchmarkCheck(b *testing.B) {
	perRow(b, func(b *testing.B, dir string, _ int) {
		benchLoad(b, dir, "w.db", "rows.json")
		for b.Loop() {
			if findings, err := store.CheckDerived(context.Background(), filepath.Join(dir, "w.db")); err != nil || len(findings) > 0 {
				b.Fatal(findings, err)
			}
		}
	})
}

// BenchmarkNormalise is what is done to a row between reading and storing it:
// the identity of its run, its digest, and the search for credentials.
func BenchmarkNormalise(b *testing.B) {
	var capture bytes.Buffer
	if err := sweeps.Rows(&capture, 1000, sweeps.Array); err != nil {
		b.Fatal(err)
	}
	var rows []*record.InferenceXRow
	opts := inferencex.Options{NewRow: func() *record.InferenceXRow { return new(record.InferenceXRow) }}
	if _, err := inferencex.Read(&capture, opts, func(r *record.InferenceXRow) error { rows = append(rows, r); return nil }); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	describe := describer()
	var scanner rowScanner
	i := 0
	for b.Loop() {
		row := rows[i%len(rows)]
		if _, secret := scanner.secretOf(row); secret || describe(row).Name == "" {
			b.Fatal("a row is odd")
		}
		i++
	}
	b.ReportMetric(float64(i)/b.Elapsed().Seconds(), "rows/s")
}

// benchDocuments writes n documents and returns their size in all.
func benchDocuments(b *testing.B, dir string, n int) (size int) {
	b.Helper()
	for i := range n {
		doc := strings.Replace(runYAML(fmt.Sprintf("r%05d", i), "open"), "value: 20", fmt.Sprint("value: ", 20+i), 1)
		size += len(doc)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("r%05d.yaml", i)), []byte(doc), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	return size
}

// perDocument runs a benchmark over 1,000 and 10,000 documents.
func perDocument(b *testing.B, run func(b *testing.B, dir string)) {
	for _, n := range []int{1_000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			dir := b.TempDir()
			b.SetBytes(int64(benchDocuments(b, dir, n)))
			b.ReportAllocs()
			run(b, dir)
			b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "documents/s")
		})
	}
}

// BenchmarkLoadDocuments is the whole load of documents into a fresh database.
func BenchmarkLoadDocuments(b *testing.B) {
	perDocument(b, func(b *testing.B, dir string) {
		for b.Loop() {
			os.Remove(filepath.Join(dir, "w.db"))
			benchLoad(b, dir, "w.db", ".")
		}
	})
}

// BenchmarkLoadDocumentsAgain is the load of documents that are in effect.
func BenchmarkLoadDocumentsAgain(b *testing.B) {
	perDocument(b, func(b *testing.B, dir string) {
		benchLoad(b, dir, "w.db", ".")
		for b.Loop() {
			benchLoadAs(b, dir, "w.db", true, ".")
		}
	})
}

// BenchmarkParseBareYAML is what a load of the documents is held against: the
// parser alone, on all processors.
func BenchmarkParseBareYAML(b *testing.B) {
	perDocument(b, func(b *testing.B, dir string) {
		files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			work := make(chan string)
			var parsers sync.WaitGroup
			for range runtime.GOMAXPROCS(0) {
				parsers.Go(func() {
					for file := range work {
						content, err := os.ReadFile(file)
						if err == nil {
							err = yaml.Unmarshal(content, new(yaml.Node))
						}
						if err != nil {
							b.Error(err)
						}
					}
				})
			}
			for _, file := range files {
				work <- file
			}
			close(work)
			parsers.Wait()
		}
	})
}
