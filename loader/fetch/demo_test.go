package fetch

import (
	"bytes"
	"flag"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the demonstration's captures anew")

const demoFolder = "../../testdata/demo/fetched"

// demoRow is a benchmark row that everything but its id, model and load is the same in.
const demoRow = `,"hardware":"h200","framework":"vllm","precision":"fp8","spec_method":"none","disagg":false,"is_multinode":false,"prefill_tp":8,"prefill_ep":1,` +
	`"prefill_dp_attention":false,"prefill_num_workers":0,"decode_tp":8,"decode_ep":1,"decode_dp_attention":false,"decode_num_workers":0,"num_prefill_gpu":8,` +
	`"num_decode_gpu":8,"offload_mode":"off","image":"vllm/vllm-openai:v0.31.0","recipe_fingerprint":null,"date":"2026-08-07",` +
	`"run_url":"https://github.com/example/invented-benchmarks/actions/runs/100000009/attempts/1"}`

const demoEntry = `,"precision":"fp8","hardware":"h200","framework":"vllm","spec_method":"none","disagg":false,"date":"2026-08-07"}`

// demoBodies are the invented responses of the demonstration, by path and query.
var demoBodies = map[string]string{
	"/api/v1/availability": `[
{"model":"dsr1","isl":1024,"osl":1024,"benchmark_type":"single_turn"` + demoEntry + `,
{"model":"dsr1","isl":8192,"osl":1024,"benchmark_type":"single_turn"` + demoEntry + `,
{"model":"kimik2.5","isl":null,"osl":null,"benchmark_type":"agentic_traces"` + demoEntry + `
]
`,
	"/api/v1/benchmarks?model=DeepSeek-R1-0528": `[
{"id":421,"model":"dsr1","benchmark_type":"single_turn","isl":1024,"osl":1024,"conc":4,"metrics":{"median_ttft":0.2,"median_tpot":0.01,"tput_per_gpu":95.5}` + demoRow + `,
{"id":"422","model":"dsr1","benchmark_type":"single_turn","isl":1024,"osl":1024,"conc":16,"metrics":{"median_ttft":0.4,"median_tpot":0.0125,"tput_per_gpu":301.25}` + demoRow + `
]
`,
	"/api/v1/reliability": `[
{"hardware":"h200","date":"2026-08-07","n_success":18,"total":20},
{"hardware":"b200","date":"2026-08-07","n_success":0,"total":0}
]
`,
	"/api/v1/trace-availability?ids=421%2C422": `{"422":true}
`,
}

// TestDemoCaptures holds that the demonstration's folder is what a capture of the
// invented responses makes, byte for byte. With -update it makes it anew.
func TestDemoCaptures(t *testing.T) {
	c := newClock()
	opts := Options{
		BaseURL: DefaultBaseURL, Folder: filepath.Join(t.TempDir(), "fetched"), Operations: []string{"benchmarks", "reliability", "trace-availability"}, Concurrency: 1,
		Timeout: time.Minute, MaxSize: 1 << 20, Clock: c.clock(), Random: func() float64 { return 0 },
		Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
			c.clock().Sleep(r.Context(), 125*time.Millisecond)
			w := &http.Response{StatusCode: 200, Header: http.Header{}, Request: r}
			w.Header.Set("Content-Type", "application/json")
			w.Header.Set("Date", c.now.Format(http.TimeFormat))
			body, ok := demoBodies[r.URL.RequestURI()]
			if !ok {
				w.StatusCode, body = 404, `{"error":"Not found"}`
			}
			w.Body, w.ContentLength = io.NopCloser(bytes.NewReader([]byte(body))), int64(len(body))
			return w, nil
		}),
	}
	capture(t, opts)
	if *update {
		for name := range folderContent(t, demoFolder) {
			must(t, os.Remove(filepath.Join(demoFolder, name)))
		}
		must(t, os.CopyFS(demoFolder, os.DirFS(opts.Folder)))
	}
	got, want := folderContent(t, opts.Folder), folderContent(t, demoFolder)
	if len(got) < 5 || len(got) != len(want) {
		t.Errorf("%d files, the demonstration has %d", len(got), len(want))
	}
	for name, content := range got {
		if content != want[name] {
			t.Errorf("%s is\n%s\nthe demonstration has\n%s", name, content, want[name])
		}
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func folderContent(t *testing.T, folder string) map[string]string {
	t.Helper()
	all := map[string]string{}
	entries, err := os.ReadDir(folder)
	must(t, err)
	for _, e := range entries {
		if e.Name() == "README.md" { // which says that the rest is invented
			continue
		}
		content, err := os.ReadFile(filepath.Join(folder, e.Name()))
		must(t, err)
		all[e.Name()] = string(content)
	}
	return all
}
