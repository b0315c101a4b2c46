package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/inference-sim/blis-warehouse/bench/invented"
	"github.com/inference-sim/blis-warehouse/queries"
)

// questionSizes are the numbers of rows that questions are asked over; BENCH_ROWS adds one.
func questionSizes(b *testing.B) []int {
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

// answer runs the program and returns what it prints; it may find something, but not fail.
func answer(b *testing.B, args ...string) string {
	b.Helper()
	var stdout, stderr bytes.Buffer
	if code := run(args, strings.NewReader(""), &stdout, &stderr); code > exitFindings {
		b.Fatalf("%s: exit code %d\n%s", strings.Join(args, " "), code, stderr.String())
	}
	return stdout.String()
}

// BenchmarkQuestions asks every named query, without a filter, and reads every view
// whole, over invented rows of sweeps beside the catalog of the demonstration: the
// program from opening the file to the last byte of CSV. The view run_comparisons is
// left out: it pairs every run with every other, and is asked for by name.
func BenchmarkQuestions(b *testing.B) {
	for _, rows := range questionSizes(b) {
		b.Run(fmt.Sprintf("rows=%d", rows), func(b *testing.B) {
			dir := b.TempDir()
			capture, database := filepath.Join(dir, "rows.json"), filepath.Join(dir, "w.db")
			f, err := os.Create(capture)
			if err != nil {
				b.Fatal(err)
			}
			if err := invented.Rows(f, rows, invented.Array); err != nil {
				b.Fatal(err)
			}
			if err := f.Close(); err != nil {
				b.Fatal(err)
			}
			runQuietly(b, "load", "--db", database, "../../testdata/demo/catalog", capture)
			ask := func(name string, args ...string) {
				b.Run(name, func(b *testing.B) {
					for b.Loop() {
						runQuietly(b, append(args, "--db", database, "--format", "csv")...)
					}
				})
			}
			given := neededValues(b, database)
			for _, q := range append(queries.All(), queries.Checks()...) {
				args := []string{"query", q.Name}
				for _, p := range q.Params {
					if !p.Optional {
						args = append(args, "--param", p.Name+"="+given(p.Name))
					}
				}
				ask("query="+q.Name, args...)
			}
			for _, view := range strings.Fields(answer(b, "sql", "SELECT name FROM sqlite_schema WHERE type = 'view' AND name <> 'run_comparisons' ORDER BY name", "--db", database, "--format", "tsv"))[1:] {
				ask("view="+view, "sql", "SELECT * FROM "+view)
			}
		})
	}
}

// neededValues tells what a query is given that must be given something: runs of
// the database. It fails for a parameter that it does not know.
func neededValues(b *testing.B, database string) func(name string) string {
	runs := strings.Fields(answer(b, "sql", "SELECT name FROM runs WHERE origin = 'inferencex' ORDER BY name LIMIT 2", "--db", database, "--format", "tsv"))[1:]
	return func(name string) string {
		switch name {
		case "run", "a":
			return runs[0]
		case "b":
			return runs[1]
		}
		b.Fatalf("no value is known for the parameter %s", name)
		return ""
	}
}
