package main

import (
	"bytes"
	"database/sql"
	"embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	_ "modernc.org/sqlite"

	"github.com/inference-sim/blis-warehouse/bench/invented"
)

//go:embed peers/*
var scripts embed.FS

// A way brings rows into a database. In its commands $INPUT and $DATABASE stand
// for the files, $DIR for the folder of the scripts and $PROGRAM for ours.
type way struct {
	name    string
	lines   bool     // it reads a row a line
	into    string   // the way whose database it loads into again, "" for one of its own
	needs   []string // a command that fails where the way is not installed
	command []string
	sums    string // a query for SQLite; "" where the way's own script tells
	less    string // what it does less than we do
}

const (
	lessThanAll = "reads and stores only: no check of values, no identity, merging, provenance, flags or duplicates"
	ourSums     = `SELECT count(*), sum(tput_per_gpu), count(workers), count(avg_power_w) FROM inferencex_points`
	wideSums    = `SELECT count(*), sum(tput_per_gpu), count(workers), count(avg_power_w) FROM point`
	jsonSums    = `SELECT count(*), sum(json_extract(metrics, '$.tput_per_gpu')), count(workers), count(json_extract(metrics, '$.avg_power_w')) FROM point`
)

var (
	hasDuckDB = []string{"node", "-e", "require('@duckdb/node-api')"}
	ways      = []way{
		{name: "blis-warehouse", command: []string{"$PROGRAM", "--db", "$DATABASE", "load", "$INPUT"}, sums: ourSums, less: ""},
		{name: "the same file again", into: "blis-warehouse", command: []string{"$PROGRAM", "--db", "$DATABASE", "load", "$INPUT"}, sums: ourSums,
			less: "nothing: it finds that nothing changed"},
		{name: "DuckDB, array", needs: hasDuckDB, command: []string{"node", "$DIR/duckdb.js", "array", "$INPUT", "$DATABASE"},
			less: lessThanAll + "; types given, no index, order not kept"},
		{name: "DuckDB, lines", lines: true, needs: hasDuckDB, command: []string{"node", "$DIR/duckdb.js", "newline_delimited", "$INPUT", "$DATABASE"},
			less: lessThanAll + "; types given, no index, order not kept"},
		{name: "better-sqlite3", needs: []string{"node", "-e", "new (require('better-sqlite3'))(':memory:')"},
			command: []string{"node", "$DIR/better-sqlite3.js", "$INPUT", "$DATABASE"}, sums: wideSums, less: lessThanAll + "; two indexes"},
		{name: "Python sqlite3", needs: []string{"python3", "-c", "import sqlite3"}, command: []string{"python3", "$DIR/sqlite3_tuned.py", "$INPUT", "$DATABASE"},
			sums: wideSums, less: lessThanAll + "; two indexes"},
		{name: "sqlite-utils", needs: []string{"sqlite-utils", "--version"}, command: []string{"sqlite-utils", "insert", "$DATABASE", "point", "$INPUT"},
			sums: jsonSums, less: lessThanAll + "; metrics as JSON text, no index"},
	}
)

// taken is what a process took.
type taken struct {
	wall, cpu time.Duration
	memory    int64 // peak, bytes
}

func peers(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("peers", flag.ContinueOnError)
	flags.SetOutput(stderr)
	n := flags.Int("n", 100_000, "how many rows")
	rounds := flags.Int("rounds", 5, "how often each runs")
	modules := flags.String("modules", os.Getenv("BENCH_MODULES"), "the folder with npm's node_modules")
	keep := flags.String("keep", "", "a folder for inputs and databases, which stay")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return errors.New("name the program to compare")
	}
	program, err := filepath.Abs(flags.Arg(0))
	if err != nil {
		return err
	}
	dir := *keep
	if dir == "" {
		if dir, err = os.MkdirTemp("", "bench-peers-*"); err != nil {
			return err
		}
		defer os.RemoveAll(dir)
	}
	if err := prepare(dir, *n); err != nil {
		return err
	}
	c := &comparison{dir: dir, program: program, environment: append(os.Environ(), "NODE_PATH="+filepath.Join(*modules, "node_modules"))}
	if err := c.run(*rounds, stderr); err != nil {
		return err
	}
	return c.print(stdout, *n, *rounds)
}

// prepare writes scripts and inputs.
func prepare(dir string, n int) error {
	entries, err := scripts.ReadDir("peers")
	if err != nil {
		return err
	}
	for _, e := range entries {
		content, err := scripts.ReadFile("peers/" + e.Name())
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, e.Name()), content, 0o644)
		}
		if err != nil {
			return err
		}
	}
	for name, form := range map[string]invented.Form{"rows.json": invented.Array, "rows.ndjson": invented.Lines} {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		if err := errors.Join(invented.Rows(f, n, form), f.Close()); err != nil {
			return err
		}
	}
	return nil
}

// comparison runs the ways in turn.
type comparison struct {
	dir, program string
	environment  []string
	here         []way
	missing      []string
	taken        map[string][]taken
}

func (c *comparison) run(rounds int, stderr io.Writer) error {
	c.taken = map[string][]taken{}
	for _, w := range ways {
		if w.needs != nil && c.command(w, w.needs).Run() != nil {
			c.missing = append(c.missing, w.name)
			continue
		}
		c.here = append(c.here, w)
	}
	var want string
	for round := range rounds {
		for _, w := range c.here {
			t, err := c.once(w)
			if err != nil {
				return fmt.Errorf("%s: %w", w.name, err)
			}
			c.taken[w.name] = append(c.taken[w.name], t)
			fmt.Fprintf(stderr, "round %d of %d: %s, %.2f s\n", round+1, rounds, w.name, t.wall.Seconds())
			got, err := c.sums(w)
			if err != nil {
				return fmt.Errorf("sums of %s: %w", w.name, err)
			}
			if want == "" {
				want = got
			}
			if got != want {
				return fmt.Errorf("%s stored %s, not %s", w.name, got, want)
			}
		}
	}
	fmt.Fprintf(stderr, "all stored the same: rows, sum of tput_per_gpu, rows with workers, rows with power: %s\n", want)
	return nil
}

// database is the file that a way writes.
func (c *comparison) database(w way) string {
	name := w.name
	if w.into != "" {
		name = w.into
	}
	return filepath.Join(c.dir, strings.ReplaceAll(name, " ", "-")+".db")
}

// command is a command of a way, with what its words stand for.
func (c *comparison) command(w way, words []string) *exec.Cmd {
	input := "rows.json"
	if w.lines {
		input = "rows.ndjson"
	}
	stands := strings.NewReplacer("$DIR", c.dir, "$PROGRAM", c.program, "$DATABASE", c.database(w), "$INPUT", filepath.Join(c.dir, input))
	args := make([]string, len(words))
	for i, word := range words {
		args[i] = stands.Replace(word)
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Env = c.dir, c.environment
	return cmd
}

// once runs a way.
func (c *comparison) once(w way) (t taken, err error) {
	if w.into == "" {
		for _, ending := range []string{"", ".wal", "-wal", "-shm", ".lock"} {
			os.Remove(c.database(w) + ending)
		}
	}
	cmd := c.command(w, w.command)
	var problems bytes.Buffer
	cmd.Stderr = &problems
	start := time.Now()
	if err := cmd.Run(); err != nil {
		return t, fmt.Errorf("%w: %s", err, problems.String())
	}
	t.wall = time.Since(start)
	t.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		t.memory = usage.Maxrss
		if runtime.GOOS == "linux" {
			t.memory *= 1024
		}
	}
	return t, nil
}

// sums is what a way stored, in short. Sums of doubles depend on their order in the last digits.
func (c *comparison) sums(w way) (string, error) {
	var rows, workers, powers int64
	var throughput float64
	if w.sums == "" {
		out, err := c.command(w, []string{w.command[0], w.command[1], "sums", "-", "$DATABASE"}).Output()
		if err == nil {
			_, err = fmt.Sscan(string(out), &rows, &throughput, &workers, &powers)
		}
		if err != nil {
			return "", err
		}
	} else {
		db, err := sql.Open("sqlite", c.database(w))
		if err != nil {
			return "", err
		}
		defer db.Close()
		if err := db.QueryRow(w.sums).Scan(&rows, &throughput, &workers, &powers); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%d %.9e %d %d", rows, throughput, workers, powers), nil
}

// print writes the table. Ratios are medians of the ratios within a round: the
// machine may be busier in one round than in another. Where others use it too,
// CPU time tells more than the wall's.
func (c *comparison) print(out io.Writer, n, rounds int) error {
	fmt.Fprintf(out, "%d rows, %d rounds, medians. %s\n\n", n, rounds, machine(c))
	fmt.Fprintln(out, "| way | wall | CPU | peak memory | wall against ours | CPU against ours | what it does less |")
	fmt.Fprintln(out, "|---|---|---|---|---|---|---|")
	ours := c.taken[ways[0].name]
	for _, w := range c.here {
		t := c.taken[w.name]
		walls, cpus := make([]float64, len(t)), make([]float64, len(t))
		for i := range t {
			walls[i] = t[i].wall.Seconds() / ours[i].wall.Seconds()
			cpus[i] = t[i].cpu.Seconds() / ours[i].cpu.Seconds()
		}
		same := func(r float64) float64 { return r }
		fmt.Fprintf(out, "| %s | %.2f s | %.2f s | %.0f MB | %.2f | %.2f | %s |\n", w.name,
			median(t, func(t taken) float64 { return t.wall.Seconds() }), median(t, func(t taken) float64 { return t.cpu.Seconds() }),
			median(t, func(t taken) float64 { return float64(t.memory) / 1e6 }), median(walls, same), median(cpus, same), w.less)
	}
	for _, name := range c.missing {
		fmt.Fprintf(out, "\n%s is not installed.\n", name)
	}
	return nil
}

func median[T any](all []T, of func(T) float64) float64 {
	values := make([]float64, len(all))
	for i, v := range all {
		values[i] = of(v)
	}
	slices.Sort(values)
	if n := len(values); n%2 == 0 {
		return (values[n/2-1] + values[n/2]) / 2
	}
	return values[len(values)/2]
}

// machine describes where the table comes from.
func machine(c *comparison) string {
	parts := []string{fmt.Sprintf("%d processors, %s/%s", runtime.NumCPU(), runtime.GOOS, runtime.GOARCH)}
	if content, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		if _, rest, ok := strings.Cut(string(content), "model name"); ok {
			line, _, _ := strings.Cut(rest, "\n")
			parts = append(parts, strings.Trim(line, "\t :"))
		}
	}
	if content, err := os.ReadFile("/proc/loadavg"); err == nil {
		parts = append(parts, "load "+strings.Fields(string(content))[0]+" at the end")
	}
	for _, version := range [][]string{
		{"Go", "go", "env", "GOVERSION"}, {"Node", "node", "--version"}, {"Python", "python3", "-c", "import sys; print(sys.version.split()[0])"},
		{"DuckDB", "node", "-p", "require('@duckdb/node-api/package.json').version"},
		{"better-sqlite3", "node", "-p", "require('better-sqlite3/package.json').version"},
	} {
		if out, err := c.command(way{}, version[1:]).Output(); err == nil {
			parts = append(parts, version[0]+" "+strings.TrimSpace(string(out)))
		}
	}
	return strings.Join(parts, "; ")
}
