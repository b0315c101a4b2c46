package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// outcome is how a run of the program ended, and the most memory it had resident.
type outcome struct {
	code   int
	output string // both streams
	peak   int64  // bytes, VmHWM as last seen
}

// runMeasured runs the program with input, which may be nil, and watches its memory.
func runMeasured(t *testing.T, input io.Reader, args ...string) outcome {
	t.Helper()
	program, err := exec.LookPath("blis-warehouse") // testscript put it on PATH
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, args...)
	var output bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = input, &output, &output
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	var o outcome
	watch := time.NewTicker(2 * time.Millisecond)
	defer watch.Stop()
	for {
		select {
		case <-watch.C:
			o.peak = max(o.peak, highWater(cmd.Process.Pid))
		case err := <-done:
			exit, ok := errors.AsType[*exec.ExitError](err)
			if err != nil && !ok && !strings.Contains(err.Error(), "broken pipe") {
				t.Fatal(err)
			}
			o.code, o.output = cmd.ProcessState.ExitCode(), output.String()
			_ = exit
			return o
		}
	}
}

// highWater is the most memory that a process has had resident, in bytes, 0 where the system does not tell.
func highWater(pid int) int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, rest, ok := strings.Cut(string(status), "VmHWM:")
	if !ok {
		return 0
	}
	kib, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
	return kib << 10
}

// needHighWater skips where the system does not tell how much memory a process has.
func needHighWater(t *testing.T) {
	t.Helper()
	if highWater(os.Getpid()) == 0 {
		t.Skip("NOT RUN: there is no /proc with VmHWM, so nothing holds that memory stays bounded")
	}
}

// wholeSoak tells that the tests of hostile input are to try everything.
func wholeSoak() bool { return os.Getenv("BLIS_WAREHOUSE_SOAK") == "1" }

// captureRow is an invented benchmark row with more keys behind its conc.
func captureRow(conc int, extra string) string {
	return fmt.Sprintf(`{"hardware":"h200","framework":"vllm","model":"dsr1","precision":"fp8","spec_method":"none","disagg":false,"is_multinode":false,`+
		`"prefill_tp":8,"prefill_ep":1,"prefill_dp_attention":false,"prefill_num_workers":0,"decode_tp":8,"decode_ep":1,"decode_dp_attention":false,`+
		`"decode_num_workers":0,"num_prefill_gpu":8,"num_decode_gpu":8,"isl":1024,"osl":1024,"conc":%d%s,"metrics":{"median_ttft":0.5},"date":"2026-01-02",`+
		`"run_url":"https://github.com/SemiAnalysisAI/InferenceX/actions/runs/100000000/attempts/1"}`+"\n", conc, extra)
}

// repeated reads a text so many times, without holding it.
func repeated(text string, times int) io.Reader {
	r, w := io.Pipe()
	go func() {
		for range times {
			if _, err := io.WriteString(w, text); err != nil {
				return
			}
		}
		w.Close()
	}()
	return r
}

const mib = 1 << 20

// TestMemoryDoesNotGrowWithACapture holds that four times the bytes through
// standard input take no more memory.
func TestMemoryDoesNotGrowWithACapture(t *testing.T) {
	needHighWater(t)
	t.Chdir(t.TempDir())
	row := captureRow(4, `,"note":"`+strings.Repeat("long ", 20_000)+`"`) // 100 KB
	peak := func(db string, n int) int64 {
		o := runMeasured(t, repeated(row, n), "load", "--db", db, "-")
		if o.code != exitDone || !strings.Contains(o.output, fmt.Sprintf("%d rows seen", n)) {
			t.Fatalf("%d: %.500s", o.code, o.output)
		}
		return o.peak
	}
	small, large := peak("a.db", 300), peak("b.db", 1200) // 30 and 120 MB
	t.Logf("30 MB: %d MiB, 120 MB: %d MiB", small/mib, large/mib)
	if large > small+32*mib || large > 150*mib {
		t.Errorf("30 MB take %d MiB, 120 MB take %d MiB", small/mib, large/mib)
	}
}

// TestMemoryOfHostileInput holds each hostile input to the bound that
// docs/hostile-input.md states. A short run has an eighth of the input where
// that is enough to pass the bound.
func TestMemoryOfHostileInput(t *testing.T) {
	needHighWater(t)
	t.Chdir(t.TempDir())
	bomb := "kind: MeasuredRun\na: &a [1, 2, 3, 4, 5, 6, 7, 8, 9]\n"
	for c := 'b'; c <= 'n'; c++ {
		bomb += fmt.Sprintf("%c: &%c [%s]\n", c, c, strings.TrimSuffix(strings.Repeat("*"+string(c-1)+", ", 9), ", "))
	}
	part := 8
	if wholeSoak() {
		part = 1
	}
	for _, tt := range []struct {
		name  string
		input io.Reader
		code  int
		most  int64
	}{
		{"an alias bomb", strings.NewReader(bomb), exitFindings, 64 * mib},
		{"a million levels of YAML", strings.NewReader("kind: MeasuredRun\nx: " + strings.Repeat("[", 990_000)), exitFindings, 128 * mib},
		{"a million levels of JSON", strings.NewReader(strings.TrimSuffix(captureRow(4, `,"x":`+strings.Repeat("[", 1_000_000)), "\n")), exitFindings, 64 * mib},
		{"as many values as a document may have", strings.NewReader("kind: MeasuredRun\nx: [" + strings.Repeat("a,", 999_000) + "a]"), exitFindings, 400 * mib},
		{"a document of commas", strings.NewReader("kind: MeasuredRun\nx: [" + strings.Repeat("a,", 8_000_000) + "a]"), exitFindings, 128 * mib},
		{"zeros", io.LimitReader(zeros{}, int64(1<<30/part)), exitFindings, 128 * mib},
		{"a large row", strings.NewReader(captureRow(4, `,"x":["\u0041",`+strings.Repeat("1,", 31<<20/part)+`1]`)), exitDone, int64(1000 * mib / min(part, 4))},
		{"a row of a million metrics", strings.NewReader(strings.Replace(captureRow(4, ""), `"median_ttft":0.5`, `"median_ttft":0.5`+millionKeys(), 1)), exitFindings, 256 * mib},
		{"blanks in gzip of gzip", zippedTwice(t, ' ', 1<<10/part), exitFindings, 64 * mib},
		{"zeros in gzip of gzip", zippedTwice(t, 0, 1<<10/part), exitFindings, 64 * mib},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := runMeasured(t, tt.input, "load", "--db", "w.db", "-")
			t.Logf("%d MiB", o.peak/mib)
			if o.code != tt.code || o.peak > tt.most {
				t.Errorf("exit code %d, %d MiB, at most %d: %.300s", o.code, o.peak/mib, tt.most/mib, o.output)
			}
		})
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func millionKeys() string {
	var b strings.Builder
	for i := range 1_000_000 {
		fmt.Fprintf(&b, `,"m%d":1`, i)
	}
	return b.String()
}

// zippedTwice is mebibytes of one byte, compressed twice to some kilobytes.
func zippedTwice(t *testing.T, c byte, mebibytes int) io.Reader {
	t.Helper()
	var b bytes.Buffer
	outer := gzip.NewWriter(&b)
	inner := gzip.NewWriter(outer)
	block := bytes.Repeat([]byte{c}, 1<<20)
	for range mebibytes {
		if _, err := inner.Write(block); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(inner.Close(), outer.Close()); err != nil {
		t.Fatal(err)
	}
	return &b
}

// TestMemoryOfACatalog holds that a run document of a load keeps no more than a few
// times its size, 64 KiB here, in memory.
func TestMemoryOfACatalog(t *testing.T) {
	needHighWater(t)
	demo, err := os.ReadFile("../../testdata/demo/catalog/measurements/demo-open/demo-h100-tp4.yaml")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	peak := func(n int) int64 {
		dir := fmt.Sprint("d", n)
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		for i := range n {
			text := bytes.ReplaceAll(demo, []byte("name: demo-h100-tp4\n"), fmt.Appendf(nil, "name: run-%d\n", i))
			text = bytes.ReplaceAll(text, []byte("hardware: h100"), fmt.Appendf(nil, "hardware: invented-%d", i))
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("run-%d.yaml", i)), text, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		o := runMeasured(t, nil, "load", "--db", dir+".db", dir)
		if o.code != exitDone || !strings.Contains(o.output, fmt.Sprintf("%d added", n)) {
			t.Fatalf("%d: %.500s", o.code, o.output)
		}
		return o.peak
	}
	small, large := peak(300), peak(1200)
	t.Logf("300 documents: %d MiB, 1200: %d MiB", small/mib, large/mib)
	if each := (large - small) / 900; each > 64<<10 || small > 96*mib {
		t.Errorf("300 documents take %d MiB, 1200 take %d MiB: %d bytes each", small/mib, large/mib, each)
	}
}

// TestMemoryOfStatements holds that no statement takes more than it may, and
// none outlives its time.
func TestMemoryOfStatements(t *testing.T) {
	needHighWater(t)
	t.Chdir(t.TempDir())
	if o := runMeasured(t, nil, "migrate", "--db", "w.db"); o.code != exitDone {
		t.Fatal(o.output)
	}
	const endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) "
	wide := strings.TrimSuffix(strings.Repeat("1,", 3000), ",")
	var eight strings.Builder
	for i := range 8 {
		fmt.Fprintf(&eight, ", (SELECT zeroblob(250000000) || '' AS x) AS t%d", i)
	}
	for _, tt := range []struct{ sql, says string }{
		{endless + "SELECT count(*) FROM c", "took longer"},
		{endless + "SELECT x FROM c", "took longer"},
		{endless + "SELECT x FROM c ORDER BY -x", "took longer|more memory"},
		{endless + "SELECT group_concat(x || zeroblob(1000)) FROM c", "took longer|more memory|longer than"},
		{endless + "SELECT count(DISTINCT x || zeroblob(10000)) FROM c", "took longer|more memory"},
		{"SELECT count(*) FROM sqlite_schema a, sqlite_schema b, sqlite_schema c, sqlite_schema d, sqlite_schema e, sqlite_schema f", "took longer"},
		{"SELECT length(t0.x) + length(t1.x) + length(t2.x) + length(t3.x) + length(t4.x) + length(t5.x) + length(t6.x) + length(t7.x) FROM" + eight.String()[1:], "took longer|more memory"},
		{"SELECT printf('%.*c', 2000000000, 'x')", "longer than|more memory"},
		{"SELECT zeroblob(2000000000)", "longer than"},
		{"SELECT randomblob(2000000000)", "longer than"},
		{"SELECT replace(replace(replace(hex(zeroblob(100000)), '0', hex(zeroblob(1000))), '0', hex(zeroblob(1000))), '0', 'x')", "longer than|more memory"},
		{"SELECT " + strings.Repeat("(", 3000) + "1" + strings.Repeat(")", 3000), "Recursion limit|too deep"},
		{"SELECT 1" + strings.Repeat("+1", 3000), "maximum depth"},
		{"SELECT " + wide, "too many columns"},
		{"VALUES (" + wide + ")", "too many"},
		{"SELECT 1" + strings.Repeat(" UNION ALL SELECT 1", 40_000), "too many terms"},
		{"SELECT json_each.value FROM json_each(printf('%s%.*c', '[', 100000, '['))", "malformed|too deep|nested"},
	} {
		for _, args := range [][]string{{"--file", "-"}, {"-"}} {
			if args[0] == "-" && len(tt.says) > 20 {
				continue // one way is enough
			}
			timeout := "30s" // not what ends it
			switch {
			case !strings.HasPrefix(tt.says, "took longer"):
			case wholeSoak():
				timeout = "2s"
			default:
				timeout = "400ms"
			}
			start := time.Now()
			o := runMeasured(t, strings.NewReader(tt.sql), append([]string{"sql", "--db", "w.db", "--timeout", timeout, "-f", "csv", "-o", "out.csv", "--force"}, args...)...)
			says := false
			for _, s := range strings.Split(tt.says, "|") {
				says = says || strings.Contains(o.output, s)
			}
			if o.code != exitTrouble || !says {
				t.Errorf("%.80s: exit code %d, %.300s", tt.sql, o.code, o.output)
			}
			// The engine's allocator rounds each piece up, to twice its size at most.
			if o.peak > 2*maxStatementMemory+256*mib || time.Since(start) > time.Minute {
				t.Errorf("%.80s: %d MiB, %v", tt.sql, o.peak/mib, time.Since(start))
			}
		}
	}
}
