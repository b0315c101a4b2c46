package fetch

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/inference-sim/blis-warehouse/loader/fetch/ledger"
)

// bodiesOfAPI are invented responses of every operation, by path and query, or
// by path alone. Ids are numbers and strings, as the real ones are.
var bodiesOfAPI = map[string]string{
	"/api/v1/availability": `[{"model":"dsr1","isl":1024,"osl":1024,"benchmark_type":"single_turn"},{"model":"dsr1","isl":"8192","osl":1024},
		{"model":"dsr1","isl":1024,"osl":1024,"benchmark_type":"single_turn","date":"2026-01-03"},
		{"model":"kimik2.5","isl":null,"osl":null,"benchmark_type":"agentic_traces"},{"model":"kimik2.6","isl":1024,"osl":1024},{"model":"novel","isl":1024,"osl":1024}]`,
	"/api/v1/benchmarks": `[{"id":421,"hardware":"h200","model":"dsr1","run_url":"r1"},{"id":"422","hardware":"h200","model":"dsr1","run_url":"r1"},
		{"id":423,"hardware":"b200","model":"dsr1","run_url":"r1"},{"id":-5,"hardware":"h200"},{"id":1e30,"hardware":"h200"},{"hardware":"b200","model":"dsr1","run_url":null}]`,
	"/api/v1/benchmarks/history":              `[]`,
	"/api/v1/workflow-info":                   `{"runs":[],"changelogs":[],"configs":[],"runConfigs":[]}`,
	"/api/v1/evaluations":                     `[]`,
	"/api/v1/reliability":                     `[{"hardware":"h200","date":"2026-01-02","n_success":1,"total":2}]`,
	"/api/v1/tco-feed":                        `{"model":"dsr1","rows":[]}`,
	"/api/v1/submissions":                     `{"summary":[],"volume":[]}`,
	"/api/v1/framework-releases":              `{"vllm":"v0.10.2","sglang":null}`,
	"/api/v1/latest-images":                   `[]`,
	"/api/v1/datasets":                        `[{"slug":"demo traces/ü","conversation_count":201},{"slug":"..","conversation_count":1}]`,
	"/api/v1/datasets/demo%20traces%2F%C3%BC": `{"slug":"demo traces/ü"}`,
	"/api/v1/datasets/demo%20traces%2F%C3%BC/conversations?limit=200&offset=0&sort=id":   `{"total":201,"items":[{"conv_id":"c-1"},{"conv_id":"a?b#c"}]}`,
	"/api/v1/datasets/demo%20traces%2F%C3%BC/conversations?limit=200&offset=200&sort=id": `{"total":201,"items":[]}`,
	"/api/v1/datasets/demo%20traces%2F%C3%BC/conversations/c-1":                          `{"conv_id":"c-1"}`,
	"/api/v1/datasets/demo%20traces%2F%C3%BC/conversations/a%3Fb%23c":                    `{"conv_id":"a?b#c"}`,
	"/api/v1/collectivex/latest":      `{"version":1}`,
	"/api/v1/collectivex/runs":        `{"version":1,"runs":[{"run_id":"77"}]}`,
	"/api/v1/collectivex/runs/77":     `{"version":1}`,
	"/api/v1/benchmark-siblings":      `{"sku":{},"siblings":[]}`,
	"/api/v1/log-availability":        `{"421":true,"422":false}`,
	"/api/v1/server-log-files":        `["results/server.log","results/router.log"]`,
	"/api/v1/server-log":              `{"id":421,"serverLog":"INFO\n"}`,
	"/api/v1/server-log-search":       `{"id":421,"query":"x","matches":[]}`,
	"/api/v1/trace-availability":      `{"421":true,"423":true}`,
	"/api/v1/agentic-aggregates":      `{}`,
	"/api/v1/derived-agentic-metrics": `{}`,
	"/api/v1/trace-histograms":        `{}`,
	"/api/v1/request-timeline":        `{"version":6}`,
	"/api/v1/trace-server-metrics":    `{"meta":{}}`,
}

// wanted are the requests that capture everything of bodiesOfAPI, but for the slug "..".
var wanted = []string{
	"/api/v1/availability",
	"/api/v1/benchmarks?model=DeepSeek-R1-0528", "/api/v1/benchmarks?model=Kimi-K2.5", "/api/v1/benchmarks?model=novel",
	"/api/v1/benchmarks/history?isl=1024&model=DeepSeek-R1-0528&osl=1024", "/api/v1/benchmarks/history?isl=8192&model=DeepSeek-R1-0528&osl=1024",
	"/api/v1/benchmarks/history?benchmarkType=agentic_traces&model=Kimi-K2.5", "/api/v1/benchmarks/history?isl=1024&model=Kimi-K2.5&osl=1024",
	"/api/v1/benchmarks/history?isl=1024&model=novel&osl=1024",
	"/api/v1/workflow-info", "/api/v1/evaluations", "/api/v1/reliability",
	"/api/v1/tco-feed?model=dsr1&view=points&workloads=8192x1024%2C1024x1024", "/api/v1/tco-feed?model=dsr1&view=scores&workloads=8192x1024%2C1024x1024",
	"/api/v1/tco-feed?model=kimik2.6&view=points&workloads=1024x1024", "/api/v1/tco-feed?model=kimik2.6&view=scores&workloads=1024x1024",
	"/api/v1/tco-feed?model=novel&view=points&workloads=1024x1024", "/api/v1/tco-feed?model=novel&view=scores&workloads=1024x1024",
	"/api/v1/submissions", "/api/v1/framework-releases", "/api/v1/latest-images", "/api/v1/datasets",
	"/api/v1/datasets/demo%20traces%2F%C3%BC",
	"/api/v1/datasets/demo%20traces%2F%C3%BC/conversations?limit=200&offset=0&sort=id",
	"/api/v1/datasets/demo%20traces%2F%C3%BC/conversations?limit=200&offset=200&sort=id",
	"/api/v1/datasets/demo%20traces%2F%C3%BC/conversations/c-1", "/api/v1/datasets/demo%20traces%2F%C3%BC/conversations/a%3Fb%23c",
	"/api/v1/collectivex/latest?version=1", "/api/v1/collectivex/runs?version=1", "/api/v1/collectivex/runs/77?version=1",
	"/api/v1/benchmark-siblings?id=421", "/api/v1/benchmark-siblings?id=423",
	"/api/v1/log-availability?ids=421%2C422%2C423", "/api/v1/server-log-files?id=421",
	"/api/v1/server-log?file=results%2Fserver.log&id=421", "/api/v1/server-log?file=results%2Frouter.log&id=421",
	"/api/v1/server-log-search?id=421&q=error",
	"/api/v1/trace-availability?ids=421%2C422%2C423",
	"/api/v1/agentic-aggregates?ids=421%2C423", "/api/v1/derived-agentic-metrics?ids=421%2C423", "/api/v1/trace-histograms?ids=421%2C423",
	"/api/v1/request-timeline?id=421", "/api/v1/request-timeline?id=423", "/api/v1/trace-server-metrics?id=421", "/api/v1/trace-server-metrics?id=423",
}

// api is a server with the invented responses. odd may answer a request in its
// own way: n counts the requests of that address from 1.
type api struct {
	*httptest.Server
	odd func(w http.ResponseWriter, r *http.Request, n int) (done bool)

	mu    sync.Mutex
	asked map[string]int // by path and query
}

func newAPI(t *testing.T) *api {
	t.Helper()
	a := &api{asked: map[string]int{}}
	a.Server = httptest.NewServer(a)
	a.Config.ErrorLog = nil
	t.Cleanup(a.Close)
	return a
}

func (a *api) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	address := r.URL.RequestURI()
	a.mu.Lock()
	a.asked[address]++
	n := a.asked[address]
	a.mu.Unlock()
	if a.odd != nil && a.odd(w, r, n) {
		return
	}
	body, ok := bodiesOfAPI[address]
	if !ok {
		body, ok = bodiesOfAPI[strings.SplitN(address, "?", 2)[0]]
	}
	w.Header().Set("Content-Type", "application/json")
	if !ok {
		w.WriteHeader(404)
		body = `{"error":"Not found"}`
	}
	w.Write([]byte(body))
}

// count is how often addresses were asked for, all of them together.
func (a *api) count() (n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, times := range a.asked {
		n += times
	}
	return n
}

func (a *api) forget() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.asked = map[string]int{}
}

// clock is a clock that stands still but for what is slept.
type clock struct {
	mu    sync.Mutex
	now   time.Time
	slept []time.Duration
}

func newClock() *clock { return &clock{now: time.Date(2026, 8, 8, 3, 0, 0, 0, time.UTC)} }

func (c *clock) clock() Clock {
	return Clock{
		Now: func() time.Time {
			c.mu.Lock()
			defer c.mu.Unlock()
			return c.now
		},
		Sleep: func(ctx context.Context, d time.Duration) error {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.now = c.now.Add(d)
			c.slept = append(c.slept, d)
			return ctx.Err()
		},
	}
}

// options capture operations of the server into a folder of the test.
func (a *api) options(t *testing.T, c *clock, operations ...string) Options {
	t.Helper()
	return Options{
		BaseURL: a.URL, Folder: filepath.Join(t.TempDir(), "captures"), Operations: operations, Concurrency: 2, Retries: 4, Timeout: time.Minute,
		MaxWait: 5 * time.Minute, MaxSize: 1 << 20, MaxRequests: 1000, UserAgent: "test", Clock: c.clock(), Random: func() float64 { return 0.5 },
		Transport: DefaultTransport(),
	}
}

func allOperations() (names []string) {
	for _, o := range Operations() {
		names = append(names, o.Name)
	}
	return names
}

// capture runs, and fails the test where it cannot.
func capture(t *testing.T, opts Options) *Report {
	t.Helper()
	report, err := Run(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// readLedger reads a folder's ledger, which must be whole.
func readLedger(t *testing.T, folder string) []ledger.Capture {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(folder, ledger.FileName))
	if err != nil {
		t.Fatal(err)
	}
	captures, broken, err := ledger.Read(bytes.NewReader(content))
	if err != nil || broken > 0 {
		t.Fatalf("%d broken lines: %v\n%s", broken, err, content)
	}
	return captures
}

// files are the names of what lies in a folder besides its ledger, hidden files included.
func files(t *testing.T, folder string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != ledger.FileName {
			names = append(names, e.Name())
		}
	}
	return names
}

func zipped(t *testing.T, content []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestOperationsOfTheReference holds the table to the published reference: paths
// and parameters, those that must be given marked.
func TestOperationsOfTheReference(t *testing.T) {
	reference := []string{
		"availability", "benchmarks model! date exact runId exactRun view sequence powerValid", "benchmarks/history model! isl osl benchmarkType view",
		"workflow-info date benchmarkType", "evaluations", "reliability", "tco-feed model workloads tiers date format view weights workload_weights alpha",
		"submissions", "framework-releases", "latest-images", "datasets", "datasets/{slug} slug!", "datasets/{slug}/conversations slug! search limit offset sort",
		"datasets/{slug}/conversations/{convId} slug! convId!", "collectivex/latest version!", "collectivex/runs version!", "collectivex/runs/{runId} runId! version!",
		"agentic-aggregates ids!", "benchmark-siblings id!", "derived-agentic-metrics ids!", "request-timeline id!", "server-log id! file offset limit download",
		"server-log-search id! q! limit", "server-log-files id!", "log-availability ids!", "trace-availability ids!", "trace-histograms ids!", "trace-server-metrics id!",
	}
	if len(reference) != 28 || len(operations) != 28 {
		t.Fatalf("%d and %d operations", len(reference), len(operations))
	}
	byPath := map[string]Operation{}
	seen := map[string]bool{}
	for _, o := range operations {
		byPath[o.Path] = o
		for _, name := range o.After {
			if !seen[name] {
				t.Errorf("%s needs %s, which does not stand before it", o.Name, name)
			}
		}
		seen[o.Name] = true
	}
	for _, line := range reference {
		words := strings.Fields(line)
		o, ok := byPath["/api/v1/"+words[0]]
		if !ok {
			t.Errorf("no operation has the path %s", words[0])
			continue
		}
		var got []string
		for _, key := range o.Keys {
			name, unless, needed := strings.Cut(key, "!")
			if needed && unless == "" {
				name += "!"
			}
			got = append(got, name)
		}
		if !slices.Equal(got, words[1:]) {
			t.Errorf("%s: parameters %q, the reference has %q", o.Name, got, words[1:])
		}
	}
}

// TestCaptureOfEverything holds what each operation is asked, and that it is asked once.
func TestCaptureOfEverything(t *testing.T) {
	a, c := newAPI(t), newClock()
	opts := a.options(t, c, allOperations()...)
	opts.Params = map[string]string{"q": "error"}
	opts.UserAgent = "blis-warehouse/test"
	var each []ledger.Capture
	var total, done int
	opts.Each = func(c ledger.Capture) { each = append(each, c) }
	opts.Progress = func(d, n int) { done, total = d, n }
	a.odd = func(_ http.ResponseWriter, r *http.Request, _ int) bool {
		if r.UserAgent() != opts.UserAgent || r.Header.Get("Accept") != "application/json" || r.Header.Get("Authorization") != "" || len(r.Cookies()) > 0 {
			t.Errorf("headers %v", r.Header)
		}
		return false
	}
	report := capture(t, opts)
	var asked []string
	for address, n := range a.asked {
		asked = append(asked, address)
		if n != 1 {
			t.Errorf("%s was asked for %d times", address, n)
		}
	}
	slices.Sort(asked)
	if want := slices.Sorted(slices.Values(wanted)); !slices.Equal(asked, want) {
		t.Errorf("asked for\n%s\nexpected\n%s", strings.Join(asked, "\n"), strings.Join(want, "\n"))
	}
	if n := report.Counts(); n.Fetched != len(wanted) || n.Refused+n.Unusable+n.Unreached+n.Kept+n.Unchanged != 0 {
		t.Errorf("counts %+v", n)
	}
	if want := []string{"dataset: 1 of what the captures name cannot stand in an address", "conversations: 1 of what the captures name cannot stand in an address"}; !slices.Equal(slices.Sorted(slices.Values(report.Notes)), slices.Sorted(slices.Values(want))) {
		t.Errorf("notes %q", report.Notes)
	}
	captures := readLedger(t, opts.Folder)
	if len(captures) != len(wanted) || len(each) != len(wanted) || done != len(wanted) || total != done {
		t.Errorf("%d lines, %d calls, %d of %d done", len(captures), len(each), done, total)
	}
	for _, c := range captures {
		content, err := os.ReadFile(filepath.Join(opts.Folder, c.File))
		if err != nil {
			t.Fatal(err)
		}
		body, ok := bodiesOfAPI[strings.TrimPrefix(c.URL, a.URL)]
		if !ok {
			body = bodiesOfAPI[strings.SplitN(strings.TrimPrefix(c.URL, a.URL), "?", 2)[0]]
		}
		if string(content) != body || c.Size != int64(len(body)) || c.WireSize != c.Size || !whole(opts.Folder, &c) {
			t.Errorf("%s: %q, line %+v", c.URL, content, c)
		}
		if c.Outcome != ledger.Complete || c.Status != 200 || c.Attempts != 1 || c.ContentType != "application/json" || c.Date == "" || !c.StartedAt.Equal(newClock().now) {
			t.Errorf("line %+v", c)
		}
		if strings.Trim(c.File, "abcdefghijklmnopqrstuvwxyz0123456789.-") != "" || len(c.File) > 120 || !strings.HasPrefix(c.File, c.Operation) {
			t.Errorf("file name %q", c.File)
		}
	}
	if got := files(t, opts.Folder); len(got) != len(wanted) {
		t.Errorf("%d files", len(got))
	}

	a.forget()
	again := capture(t, opts)
	if a.count() != 0 || again.Counts().Kept != len(wanted) {
		t.Errorf("the second time %d requests, %+v", a.count(), again.Counts())
	}
	if n := len(readLedger(t, opts.Folder)); n != len(wanted) {
		t.Errorf("the second time the ledger has %d lines", n)
	}
	steps, err := Plan(opts)
	if err != nil {
		t.Fatal(err)
	}
	kept := 0
	for _, s := range steps {
		if s.Due == Kept && s.File != "" {
			kept++
		}
	}
	if kept != len(wanted) || a.count() != 0 {
		t.Errorf("the plan keeps %d of %d, and %d requests were made", kept, len(steps), a.count())
	}
}

// TestUsualOperations holds that nothing is asked for point by point unless it is named.
func TestUsualOperations(t *testing.T) {
	a := newAPI(t)
	report := capture(t, a.options(t, newClock()))
	for _, r := range report.Results {
		for name := range r.Capture.Params {
			if slices.Contains([]string{"id", "ids", "convId", "runId"}, name) {
				t.Errorf("asked for %s", r.Capture.URL)
			}
		}
	}
	if n := len(report.Results); n < 20 {
		t.Errorf("only %d requests", n)
	}
}

// TestFixedParameters holds that parameters which are given choose among what is known, and spare what need not be.
func TestFixedParameters(t *testing.T) {
	for _, tt := range []struct {
		name       string
		operations []string
		params     map[string]string
		want       []string
	}{
		{"all that must be given", []string{"benchmarks"}, map[string]string{"model": "DeepSeek-R1-0528", "date": "2026-08-08"}, []string{"/api/v1/benchmarks?date=2026-08-08&model=DeepSeek-R1-0528"}},
		{"some", []string{"benchmarks-history"}, map[string]string{"model": "Kimi-K2.5"}, []string{"/api/v1/availability",
			"/api/v1/benchmarks/history?benchmarkType=agentic_traces&model=Kimi-K2.5", "/api/v1/benchmarks/history?isl=1024&model=Kimi-K2.5&osl=1024"}},
		{"one that excuses others", []string{"benchmarks-history"}, map[string]string{"model": "Kimi-K2.5", "benchmarkType": "agentic_traces"},
			[]string{"/api/v1/benchmarks/history?benchmarkType=agentic_traces&model=Kimi-K2.5"}},
		{"an id", []string{"request-timeline"}, map[string]string{"id": "7"}, []string{"/api/v1/request-timeline?id=7"}},
		{"csv", []string{"tco-feed"}, map[string]string{"model": "dsr1", "view": "points", "format": "csv"}, []string{"/api/v1/availability",
			"/api/v1/tco-feed?format=csv&model=dsr1&view=points&workloads=8192x1024%2C1024x1024"}},
		{"what nobody told of", []string{"tco-feed"}, map[string]string{"workloads": "2x2"}, []string{"/api/v1/availability", "/api/v1/tco-feed?workloads=2x2"}},
		{"an optional one", []string{"workflow-info"}, map[string]string{"date": "2026-08-08"}, []string{"/api/v1/workflow-info?date=2026-08-08"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := newAPI(t)
			opts := a.options(t, newClock(), tt.operations...)
			opts.Params = tt.params
			a.odd = func(w http.ResponseWriter, r *http.Request, _ int) bool {
				if r.URL.Query().Get("format") == "csv" {
					fmt.Fprint(w, "model,hardware\ndsr1,h200\n")
					return true
				}
				return false
			}
			report := capture(t, opts)
			var got []string
			for _, r := range report.Results {
				got = append(got, strings.TrimPrefix(r.Capture.URL, a.URL))
				if r.Capture.Params["format"] == "csv" && filepath.Ext(r.Capture.File) != ".csv" {
					t.Errorf("file %s", r.Capture.File)
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("asked for %q, expected %q", got, tt.want)
			}
		})
	}
}

// TestOptions holds what is refused before anything is sent.
func TestOptions(t *testing.T) {
	a := newAPI(t)
	token := "hf_" + strings.Repeat("a1B2", 10)
	for name, spoil := range map[string]func(*Options){
		"a password":             func(o *Options) { o.BaseURL = strings.Replace(a.URL, "//", "//name:word@", 1) },
		"a query":                func(o *Options) { o.BaseURL += "?key=1" },
		"another scheme":         func(o *Options) { o.BaseURL = "file:///etc" },
		"no host":                func(o *Options) { o.BaseURL = "http://" },
		"a credential":           func(o *Options) { o.Params = map[string]string{"model": token} },
		"a control character":    func(o *Options) { o.Params = map[string]string{"model": "a\x1b[2J"} },
		"an unknown operation":   func(o *Options) { o.Operations = []string{"passwords"} },
		"an unknown parameter":   func(o *Options) { o.Params = map[string]string{"colour": "red"} },
		"nothing to search for":  func(o *Options) { o.Operations = []string{"server-log-search"} },
		"more than may be asked": func(o *Options) { o.MaxRequests = 2 },
	} {
		t.Run(name, func(t *testing.T) {
			opts := a.options(t, newClock())
			spoil(&opts)
			_, err := Run(t.Context(), opts)
			if !IsOption(err) || strings.Contains(err.Error(), token) || strings.Contains(err.Error(), "word@") {
				t.Errorf("error %v", err)
			}
		})
	}
	if a.count() != 0 && a.count() > 9 { // the limit shows when the first requests are planned
		t.Errorf("%d requests were made", a.count())
	}
}

// TestTransport holds that proxies are those of the environment, and that nothing is decompressed on the way.
func TestTransport(t *testing.T) {
	transport := DefaultTransport().(*http.Transport)
	if transport.Proxy == nil || !transport.DisableCompression {
		t.Errorf("%+v", transport)
	}
}

func TestWaitsAreSeconds(t *testing.T) {
	now := time.Date(2026, 8, 8, 3, 0, 0, 0, time.UTC)
	for header, want := range map[string]time.Duration{
		"0": 0, "120": 2 * time.Minute, " 5 ": 5 * time.Second, "-3": 0, "Sat, 08 Aug 2026 03:01:00 GMT": time.Minute, "Sat, 08 Aug 2026 02:00:00 GMT": 0,
	} {
		if got, ok := retryAfter(header, now); !ok || got != want {
			t.Errorf("%q: %v %v", header, got, ok)
		}
	}
	for _, header := range []string{"9223372036854775807", "99999999999999999999", "Wed, 21 Oct 2999 07:28:00 GMT"} {
		if got, ok := retryAfter(header, now); !ok || got < 24*time.Hour {
			t.Errorf("a very long wait: %v %v", got, ok)
		}
	}
	for _, header := range []string{"", "soon", "1.5", "9x"} {
		if _, ok := retryAfter(header, now); ok {
			t.Errorf("%q is a wait", header)
		}
	}
}

// TestFileNamesDiffer holds that files of different requests or contents never share a name, even where it shows the same.
func TestFileNamesDiffer(t *testing.T) {
	o, _ := Named("server-log")
	seen := map[string]string{}
	for _, file := range []string{"a/b", "a-b", "A/B", "a%2Fb", strings.Repeat("x", 300) + "1", strings.Repeat("x", 300) + "2", "con", "..a", "ü"} {
		for _, sum := range []string{"00", "11"} {
			v := values{"id": "1", "file": file}
			r := &Request{Params: v, URL: address("http://h", &o, v), operation: &o}
			name := fileName(r, sum)
			if other, ok := seen[name]; ok {
				t.Errorf("%q and %q are both %s", file, other, name)
			}
			seen[name] = file
			if len(name) > 120 || strings.HasPrefix(name, ".") || strings.ContainsAny(name, `/\:*?"<>|% `) {
				t.Errorf("file name %q", name)
			}
		}
	}
}

func TestIntegers(t *testing.T) {
	var got []integer
	if err := json.Unmarshal([]byte(`[1,"2",3.0,null,"x",4.5,true,["5"],{"a":6},1e3]`), &got); err != nil {
		t.Fatal(err)
	}
	if want := []integer{1, 2, 3, 0, 0, 0, 0, 0, 0, 1000}; !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
}
