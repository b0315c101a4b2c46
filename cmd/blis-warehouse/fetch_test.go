package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/inference-sim/blis-warehouse/loader/fetch/ledger"
)

// inventedAPI serves invented data of a few models. odd may answer in its own way.
type inventedAPI struct {
	*httptest.Server
	models int
	mu     sync.Mutex
	asked  []string // paths and queries in the order of arrival
	odd    func(w http.ResponseWriter, r *http.Request) (done bool)
}

func newInventedAPI(t *testing.T, models int) *inventedAPI {
	t.Helper()
	a := &inventedAPI{models: models}
	a.Server = httptest.NewServer(a)
	t.Cleanup(a.Close)
	return a
}

func (a *inventedAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	a.asked = append(a.asked, r.URL.RequestURI())
	odd := a.odd
	a.mu.Unlock()
	if odd != nil && odd(w, r) {
		return
	}
	w.Header().Set("Content-Type", "application/json")
	switch r.URL.Path {
	case "/api/v1/availability":
		var rows []string
		for i := range a.models {
			rows = append(rows, fmt.Sprintf(`{"model":"demo%d","isl":1024,"osl":1024,"precision":"fp8","hardware":"h200","framework":"vllm","spec_method":"none","disagg":false,"benchmark_type":"single_turn","date":"2026-01-02"}`, i))
		}
		io.WriteString(w, "["+strings.Join(rows, ",")+"]")
	case "/api/v1/benchmarks":
		model := r.URL.Query().Get("model")
		var n int
		fmt.Sscanf(model, "demo%d", &n)
		fmt.Fprintf(w, `[{"id":"%d","hardware":"h200","framework":"vllm","model":%q,"precision":"fp8","spec_method":"none","disagg":false,"is_multinode":false,`+
			`"prefill_tp":8,"prefill_ep":1,"prefill_dp_attention":false,"prefill_num_workers":0,"decode_tp":8,"decode_ep":1,"decode_dp_attention":false,`+
			`"decode_num_workers":0,"num_prefill_gpu":8,"num_decode_gpu":8,"benchmark_type":"single_turn","isl":1024,"osl":1024,"conc":%d,"offload_mode":"off",`+
			`"image":null,"recipe_fingerprint":null,"metrics":{"median_ttft":0.5,"median_tpot":0.02,"tput_per_gpu":%d},"date":"2026-01-02",`+
			`"run_url":"https://github.com/SemiAnalysisAI/InferenceX/actions/runs/%d/attempts/1"}]`, n+1, model, n+1, 100+n, 100000000+n)
	default:
		w.WriteHeader(http.StatusNotFound)
		io.WriteString(w, `{"error":"Not\u001b[2J found"}`)
	}
}

// ledgerOf reads a folder's ledger, of which no line may be broken but where allowed says so.
func ledgerOf(t *testing.T, folder string) (captures []ledger.Capture) {
	t.Helper()
	f, err := os.Open(filepath.Join(folder, ledger.FileName))
	if os.IsNotExist(err) {
		return nil
	}
	must(t, err)
	defer f.Close()
	captures, _, err = ledger.Read(f)
	must(t, err)
	return captures
}

// TestFetchAndLoad runs the command against a server, and holds that what it captured loads as the folder does.
func TestFetchAndLoad(t *testing.T) {
	a := newInventedAPI(t, 3)
	dir := t.TempDir()
	folder, db, other := filepath.Join(dir, "captures"), filepath.Join(dir, "a.db"), filepath.Join(dir, "b.db")
	args := []string{"fetch", "benchmarks", "--base-url", a.URL + "/", "-o", folder, "--concurrency", "1", "--format", "jsonl"}
	code, out, errs := here(append(args, "--load", "--db", db)...)
	if code != exitDone || !strings.Contains(errs, "4 responses: 4 fetched, 0 unchanged, 0 there before, 0 refused, 0 unusable, 0 unreached; ") || !strings.Contains(errs, "6 rows: 6 added") {
		t.Fatalf("exit code %d\n%s%s", code, out, errs)
	}
	var operations []string
	for line := range strings.Lines(out) {
		var row struct {
			Operation, Outcome, SHA256, File string
			Size                             int64
		}
		must(t, json.Unmarshal([]byte(line), &row))
		if info, err := os.Stat(filepath.Join(folder, row.File)); err != nil || info.Size() != row.Size || len(row.SHA256) != 64 || row.Outcome != "complete" {
			t.Errorf("%v: %s", err, line)
		}
		operations = append(operations, row.Operation)
	}
	if !slices.Equal(operations, []string{"availability", "benchmarks", "benchmarks", "benchmarks"}) {
		t.Errorf("operations %q", operations)
	}
	succeed(t, "load", "--db", other, folder)
	if content(t, db) != content(t, other) {
		t.Error("--load stores something else than load")
	}
	code, _, errs = here(append(args, "--load", "--db", db)...)
	if code != exitDone || !strings.Contains(errs, "4 there before") || !strings.Contains(errs, "6 rows: 0 added, 0 updated, 6 unchanged") || len(a.asked) != 4 {
		t.Errorf("again: exit code %d, asked for %q\n%s", code, a.asked, errs)
	}
	if content(t, db) != content(t, other) {
		t.Error("--load again changes the database")
	}
}

// TestFetchDiagnostics holds that what is captured point by point loads as what it was
// asked for, also where nothing in it tells.
func TestFetchDiagnostics(t *testing.T) {
	answers := map[string]string{
		"/api/v1/log-availability": `{}`, "/api/v1/trace-availability": `{"1":true,"2":true}`,
		"/api/v1/agentic-aggregates":      `{"1":{"id":1,"isl":null,"osl":null,"kvCacheUtil":null,"prefixCacheHitRate":null}}`,
		"/api/v1/derived-agentic-metrics": `{}`,
		"/api/v1/trace-histograms":        `{"1":{"id":1,"isl":[1,2],"osl":[3]},"2":{"id":2,"isl":[],"osl":[]}}`,
	}
	a := newInventedAPI(t, 2)
	a.odd = func(w http.ResponseWriter, r *http.Request) bool {
		body, ok := answers[r.URL.Path]
		if r.URL.Path == "/api/v1/trace-server-metrics" {
			body, ok = fmt.Sprintf(`{"meta":{"id":%s},"startNs":1,"endNs":2,"durationS":0,"timeslicesCount":0,"kvCacheUsage":[]}`, r.URL.Query().Get("id")), true
		}
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, body)
		return ok
	}
	dir := t.TempDir()
	db := filepath.Join(dir, "a.db")
	code, _, errs := here("fetch", "agentic-aggregates", "derived-agentic-metrics", "trace-histograms", "trace-server-metrics", "log-availability", "--base-url", a.URL+"/", "-o", filepath.Join(dir, "captures"), "--load", "--db", db)
	if code != exitDone || strings.Contains(errs, "not loaded") {
		t.Fatalf("exit code %d\n%s", code, errs)
	}
	_, out, _ := here("sql", "--db", db, "--format", "csv", "SELECT operation, count(*), sum(rows) FROM inferencex_bodies WHERE operation <> 'availability' GROUP BY operation ORDER BY operation")
	want := "agentic-aggregates,1,1\nderived-agentic-metrics,1,0\nlog-availability,1,0\ntrace-availability,1,2\ntrace-histograms,1,2\ntrace-server-metrics,2,6\n"
	if _, rows, _ := strings.Cut(strings.ReplaceAll(out, "\r", ""), "\n"); rows != want {
		t.Errorf("got\n%swant\n%s", rows, want)
	}
}

// TestFetchExitCodes holds what the exit code says, and that nothing of a server reaches a terminal as it is.
func TestFetchExitCodes(t *testing.T) {
	a := newInventedAPI(t, 1)
	for _, tt := range []struct {
		name   string
		args   []string
		odd    func(w http.ResponseWriter, r *http.Request) bool
		code   int
		prints string
	}{
		{"refused", []string{"reliability"}, nil, exitFindings, "refused 404: " + a.URL + `/api/v1/reliability: Not\x1b[2J found [refused]` + "\n1 response: 0 fetched"},
		{"a page", []string{"reliability"}, func(w http.ResponseWriter, _ *http.Request) bool {
			io.WriteString(w, "<html>")
			return true
		}, exitFindings, "[not-json]"},
		{"too large", []string{"availability", "--max-size", "10B"}, nil, exitFindings, "over 10 bytes decompressed [too-large]"},
		{"down", []string{"availability", "--retries", "0"}, func(w http.ResponseWriter, _ *http.Request) bool {
			w.WriteHeader(500)
			return true
		}, exitTrouble, "the same command asks for them again"},
		{"out of time", []string{"availability", "--max-time", "30ms"}, func(_ http.ResponseWriter, r *http.Request) bool {
			<-r.Context().Done()
			return true
		}, exitTrouble, "the capture took longer than 30ms"},
		{"no such operation", []string{"benchmark"}, nil, exitTrouble, `did you mean "benchmarks"`},
		{"no such parameter", []string{"benchmarks", "--param", "colour=red"}, nil, exitTrouble, `no operation that is asked for has a parameter "colour"`},
		{"a parameter without a value", []string{"--param", "model"}, nil, exitTrouble, "expected NAME=VALUE"},
		{"a credential without a name", []string{"--param", "hf_" + strings.Repeat("a1B2", 10)}, nil, exitTrouble, "expected NAME=VALUE"},
		{"a parameter twice", []string{"--param", "model=a", "--param", "model=hf_" + strings.Repeat("a1B2", 10)}, nil, exitTrouble, `--param "model" is given twice`},
		{"two at once", []string{"--dry-run", "--load"}, nil, exitTrouble, "captures nothing that --load could load"},
		{"no concurrency", []string{"--concurrency", "0"}, nil, exitTrouble, "at least 1"},
		{"no size", []string{"--max-size", "0"}, nil, exitTrouble, "a number of bytes"},
		{"a password", []string{"--base-url", "http://name:" + "word@localhost"}, nil, exitTrouble, "no credential belongs in an address"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a.odd = tt.odd
			args := append([]string{"fetch", "--base-url", a.URL, "-o", filepath.Join(t.TempDir(), "captures")}, tt.args...)
			code, out, errs := here(args...)
			if code != tt.code || out != "" || !strings.Contains(errs, tt.prints) || strings.ContainsRune(errs, 0x1b) || strings.Contains(errs, "word@") || strings.Contains(errs, "a1B2a1B2") {
				t.Errorf("exit code %d, printed %q and %q", code, out, errs)
			}
		})
	}
	if code, _, errs := here("fetch", "--base-url", a.URL); code != exitTrouble || !strings.Contains(errs, "-o FOLDER") {
		t.Errorf("without a folder: exit code %d, %s", code, errs)
	}
	if code, _, errs := here("fetch", "--base-url", a.URL, "-o", "-"); code != exitTrouble || !strings.Contains(errs, "not to standard output") {
		t.Errorf("standard output for a folder: exit code %d, %s", code, errs)
	}
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, nil, 0o666))
	a.odd = nil
	if code, _, errs := here("fetch", "availability", "--base-url", a.URL, "-o", file); code != exitTrouble || !strings.Contains(errs, "create the folder") {
		t.Errorf("a file for a folder: exit code %d, %s", code, errs)
	}
}

// TestFetchDryRun holds that a plan asks for nothing and writes nothing.
func TestFetchDryRun(t *testing.T) {
	a := newInventedAPI(t, 2)
	folder := filepath.Join(t.TempDir(), "captures")
	args := []string{"fetch", "benchmarks", "--base-url", a.URL, "-o", folder, "--dry-run", "--format", "csv"}
	code, out, errs := here(args...)
	if _, err := os.Stat(folder); code != exitDone || !os.IsNotExist(err) || len(a.asked) != 0 {
		t.Fatalf("exit code %d, %v, asked for %q\n%s", code, err, a.asked, errs)
	}
	if want := "operation,due,url,file,note\r\navailability,to fetch," + a.URL + "/api/v1/availability,,\r\n" +
		"benchmarks,later,,,\"what there is to ask for shows in availability, which is not captured\"\r\n"; out != want {
		t.Errorf("the plan is\n%s", out)
	}
	succeed(t, "fetch", "availability", "--base-url", a.URL, "-o", folder)
	before := len(a.asked)
	_, out, errs = here(args...)
	if !strings.Contains(out, "availability,kept,") || !strings.Contains(out, "benchmarks,to fetch,"+a.URL+"/api/v1/benchmarks?model=demo1,,") || len(a.asked) != before ||
		errs != "2 requests would be made, as far as can be told from what is captured\n" {
		t.Errorf("the plan is\n%s%s", out, errs)
	}
	if names, err := os.ReadDir(folder); err != nil || len(names) != 2 {
		t.Errorf("%v: %v", names, err)
	}
}

// TestFetchThroughProxy holds that the environment's proxy is taken.
func TestFetchThroughProxy(t *testing.T) {
	var mu sync.Mutex
	var through []string
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		through = append(through, r.URL.String())
		io.WriteString(w, "[]")
	}))
	defer proxy.Close()
	cmd := program(t, "fetch", "evaluations", "--base-url", "http://inferencex.invalid", "-o", filepath.Join(t.TempDir(), "captures"))
	cmd.Env = append(os.Environ(), "HTTP_PROXY="+proxy.URL, "NO_PROXY=", "http_proxy=", "no_proxy=")
	if out, err := cmd.CombinedOutput(); err != nil || !slices.Equal(through, []string{"http://inferencex.invalid/api/v1/evaluations"}) {
		t.Errorf("%v\n%sthrough the proxy went %q", err, out, through)
	}
}

// TestFetchKilled kills the program at random moments of a capture and begins it
// again, until it is done: nothing is lost, nothing that is complete is asked for
// again, and no half of a file is taken for one.
func TestFetchKilled(t *testing.T) {
	const models = 40
	random := rand.New(rand.NewSource(time.Now().UnixNano()))
	a := newInventedAPI(t, models)
	dir := t.TempDir()
	folder := filepath.Join(dir, "captures")
	most, _ := kills(8)
	for n := 0; ; n++ {
		had := map[string]bool{}
		for _, c := range ledgerOf(t, folder) {
			had[strings.TrimPrefix(c.URL, a.URL)] = true
		}
		ctx, stop := context.WithCancel(t.Context())
		path, err := exec.LookPath("blis-warehouse")
		must(t, err)
		cmd := exec.CommandContext(ctx, path, "fetch", "benchmarks", "--base-url", a.URL, "-o", folder)
		left := 1 + random.Intn(6)
		a.mu.Lock()
		a.asked = nil
		a.odd = func(w http.ResponseWriter, r *http.Request) bool {
			a.mu.Lock()
			defer a.mu.Unlock()
			if had[r.URL.RequestURI()] {
				t.Errorf("%s was asked for again", r.URL.RequestURI())
			}
			if left--; n >= most || left != 0 {
				return false
			}
			switch random.Intn(3) {
			case 0: // before the response
				stop()
			case 1: // in it
				w.Header().Set("Content-Length", "1000")
				io.WriteString(w, "[")
				http.NewResponseController(w).Flush()
				stop()
				return true
			default: // at some moment after it: while the file or the ledger is written
				time.AfterFunc(time.Duration(random.Intn(3000))*time.Microsecond, stop)
			}
			return false
		}
		a.mu.Unlock()
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		err = cmd.Run() // the context kills it
		stop()
		if err == nil {
			if n < min(most, 3) {
				t.Errorf("killed only %d times", n)
			}
			break
		}
		if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGKILL {
			t.Fatalf("%v\n%s", err, stderr.Bytes())
		}
	}
	complete := map[string]int{}
	for _, c := range ledgerOf(t, folder) {
		if c.Outcome == ledger.Complete {
			complete[c.URL]++
		}
	}
	if len(complete) != models+1 {
		t.Errorf("%d responses are complete", len(complete))
	}
	for url, n := range complete {
		if n != 1 {
			t.Errorf("%s is complete %d times", url, n)
		}
	}
	a.mu.Lock()
	a.odd = nil
	a.mu.Unlock()
	undisturbed := filepath.Join(dir, "undisturbed")
	succeed(t, "fetch", "benchmarks", "--base-url", a.URL, "-o", undisturbed)
	x, y := filepath.Join(dir, "x.db"), filepath.Join(dir, "y.db")
	succeed(t, "load", "--db", x, folder)
	succeed(t, "load", "--db", y, undisturbed)
	_, one, _ := here("digest", "--db", x) // the order of loading, which keys follow, is that of the responses
	_, other, _ := here("digest", "--db", y)
	if one != other || len(one) < 64 {
		t.Errorf("what was captured loads as something else than what nobody disturbed: %s and %s", one, other)
	}
	names, err := os.ReadDir(folder)
	must(t, err)
	if len(names) != models+2 {
		t.Errorf("%d files", len(names))
	}
}

// TestFetchInterrupted holds that a signal ends a capture with its exit code, also while it waits.
func TestFetchInterrupted(t *testing.T) {
	a := newInventedAPI(t, 1)
	folder := filepath.Join(t.TempDir(), "captures")
	cmd := program(t, "fetch", "availability", "evaluations", "--concurrency", "1", "--base-url", a.URL, "-o", folder)
	a.odd = func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/api/v1/evaluations" {
			return false
		}
		w.Header().Set("Retry-After", "60")
		w.WriteHeader(503)
		http.NewResponseController(w).Flush()
		cmd.Process.Signal(os.Interrupt)
		return true
	}
	start := time.Now()
	err := cmd.Run()
	if e, ok := err.(*exec.ExitError); !ok || e.ExitCode() != exitInterrupted || time.Since(start) > 30*time.Second {
		t.Errorf("%v after %v", err, time.Since(start))
	}
	if lines := ledgerOf(t, folder); len(lines) != 1 || lines[0].Operation != "availability" {
		t.Errorf("ledger %+v", lines)
	}
}

func TestSizeFlag(t *testing.T) {
	for text, want := range map[string]string{"1": "1", "1000": "1000", "1024": "1KiB", "3MiB": "3MiB", "1GiB": "1GiB", "500MB": "500000000", "12B": "12", "2KB": "2000"} {
		var s sizeFlag
		if err := s.Set(text); err != nil || s.String() != want {
			t.Errorf("%s: %v, %v", text, err, s.String())
		}
	}
	for _, text := range []string{"", "0", "-1", "1.5GB", "GB", "1 GB", "9999999999999GiB", "1TB", "x"} {
		var s sizeFlag
		if s.Set(text) == nil {
			t.Errorf("%q is a size, %d", text, s)
		}
	}
}
