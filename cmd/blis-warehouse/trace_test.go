package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
)

// traceColumns are the columns of a trace as the specification lists them.
const traceColumns = "request_id, client_id, tenant_id, slo_class, session_id, round_index, prefix_group, prefix_length, streaming, input_tokens, output_tokens, text_tokens, image_tokens, audio_tokens, " +
	"video_tokens, reason_ratio, model, deadline_us, server_input_tokens, arrival_time_us, send_time_us, first_chunk_time_us, last_chunk_time_us, num_chunks, status, error_message, finish_reason"

// tracedRequest is a request of a timeline as encoding/json reads it.
type tracedRequest struct {
	CID                string `json:"cid"`
	RI                 *int64 `json:"ri"`
	TI                 int64  `json:"ti"`
	WID                string `json:"wid"`
	AD                 int64  `json:"ad"`
	Phase              string `json:"phase"`
	Credit, Start, End int64
	Ack                *int64   `json:"ack"`
	TTFT               *float64 `json:"ttftMs"`
	ISL, OSL           *int64
	Cancelled          bool
}

// session is the session of a request in a trace.
func (q tracedRequest) session() string {
	if q.RI == nil {
		return q.CID
	}
	return fmt.Sprintf("%s#%d", q.CID, *q.RI)
}

// traceOf is the CSV of these requests, made by an oracle of its own.
func traceOf(t *testing.T, requests []tracedRequest, phase string) string {
	t.Helper()
	picked := slices.DeleteFunc(slices.Clone(requests), func(q tracedRequest) bool { return phase != "all" && q.Phase != phase })
	slices.SortStableFunc(picked, func(a, b tracedRequest) int {
		later := func(q tracedRequest) int {
			if q.Phase == "warmup" {
				return 0
			}
			return 1
		}
		return cmp.Or(cmp.Compare(later(a), later(b)), cmp.Compare(a.Credit, b.Credit), cmp.Compare(a.Start, b.Start))
	})
	streaming := slices.ContainsFunc(picked, func(q tracedRequest) bool { return q.TTFT != nil })
	tokens := func(n *int64) int64 {
		if n == nil {
			return 0
		}
		return *n
	}
	var b strings.Builder
	w := csv.NewWriter(&b)
	w.Write(strings.Split(traceColumns, ", "))
	for i, q := range picked {
		round := 0
		for j, o := range picked {
			// Of one turn twice the first to start is the first round.
			if o.session() == q.session() && (o.TI < q.TI || o.TI == q.TI && (o.Start < q.Start || o.Start == q.Start && j < i)) {
				round++
			}
		}
		first, last, status, message := int64(0), q.End/1000, "ok", ""
		if q.TTFT != nil {
			first = min(q.Start+int64(math.Round(*q.TTFT*1e6)), q.End) / 1000
		}
		if tokens(q.OSL) == 0 {
			status, message = "incomplete", "no output tokens stated"
		}
		if q.Cancelled {
			last, status, message = 0, "incomplete", "cancelled"
		}
		line := fmt.Sprint(i, "|", q.WID, "|||", q.session(), "|", round, "||0|", streaming, "|", tokens(q.ISL), "|", tokens(q.OSL), "|0|0|0|0|0||0|0|", q.Credit/1000, "|", q.Start/1000, "|", first, "|", last, "|0|", status, "|", message, "|")
		w.Write(strings.Split(line, "|"))
	}
	w.Flush()
	return b.String()
}

// inventedTimeline are invented requests with what a timeline may have: turns that
// begin in the middle, one conversation replayed twice, equal times, a cancelled one,
// one without output, a phase of another name.
const inventedTimeline = `[
{"cid":"a","ri":0,"ti":26,"wid":"w1","ad":0,"phase":"profiling","credit":1999,"start":2999,"ack":null,"end":3000999,"ttftMs":0.0017,"tpotMs":0.5,"isl":100,"osl":7,"cancelled":false},
{"cid":"a","ri":1,"ti":26,"wid":"w,2","ad":0,"phase":"profiling","credit":1999,"start":2999,"ack":null,"end":9007199254740993,"ttftMs":1,"tpotMs":0.5,"isl":100,"osl":7,"cancelled":false},
{"cid":"a","ri":0,"ti":25,"wid":"w1","ad":0,"phase":"warmup","credit":5000000,"start":5000000,"ack":null,"end":6000000,"ttftMs":1,"tpotMs":null,"isl":90,"osl":1,"cancelled":false},
{"cid":"a","ri":0,"ti":27,"wid":"w1","ad":0,"phase":"profiling","credit":4000000,"start":4000000,"ack":null,"end":6000000,"ttftMs":2.0005,"tpotMs":null,"isl":null,"osl":1,"cancelled":false},
{"cid":"a","ri":0,"ti":27,"wid":"w1","ad":0,"phase":"profiling","credit":3999000,"start":4100000,"ack":null,"end":6000000,"ttftMs":null,"tpotMs":null,"isl":5,"osl":null,"cancelled":true},
{"cid":"ü \"x\"","ti":0,"wid":"w3","ad":1,"phase":"profiling","credit":0,"start":0,"ack":null,"end":0,"ttftMs":null,"tpotMs":null,"isl":5,"osl":0,"cancelled":false},
{"cid":"b","ti":0,"wid":"w3","ad":0,"phase":"cooldown","credit":1,"start":2,"ack":null,"end":3,"ttftMs":null,"tpotMs":null,"isl":5,"osl":9,"cancelled":false}]`

// timelineFile writes a body with these requests and returns its digest.
func timelineFile(t *testing.T, name, requests string) string {
	t.Helper()
	body := []byte(`{"version":6,"startNs":1780000000000000256,"endNs":1780000009000000000,"durationS":9,"requests":` + requests + `}`)
	if err := os.WriteFile(name, body, 0o666); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(body))
}

// called is what a command line prints, and its exit code.
func called(args ...string) (stdout, stderr string, code int) {
	var out, errs bytes.Buffer
	code = run(args, strings.NewReader(""), &out, &errs)
	return out.String(), errs.String(), code
}

// TestTrace holds a trace against an oracle, column by column, and that its binding is
// one that a MeasuredRun document takes: validated, loaded, and read back.
func TestTrace(t *testing.T) {
	t.Chdir(t.TempDir())
	digest := timelineFile(t, "t.json", inventedTimeline)
	var requests []tracedRequest
	if err := json.Unmarshal([]byte(inventedTimeline), &requests); err != nil {
		t.Fatal(err)
	}
	if _, errs, code := called("load", "t.json"); code != exitDone {
		t.Fatal(errs)
	}
	for phase, warmups := range map[string]int{"profiling": 0, "warmup": 1, "cooldown": 0, "all": 1} {
		want := traceOf(t, requests, phase)
		block, errs, code := called("trace", digest[:8], "--phase", phase, "-o", phase)
		data, err := os.ReadFile(phase + ".csv")
		if code != exitDone || errs != "" || err != nil || string(data) != want {
			t.Errorf("%s: exit code %d, %s, %v\n%s\nwant\n%s", phase, code, errs, err, data, want)
		}
		if header, _ := os.ReadFile(phase + ".yaml"); string(header) != fmt.Sprintf("trace_version: 2\ntime_unit: us\nmode: real\nwarm_up_requests: %d\n", warmups) {
			t.Errorf("%s: %s", phase, header)
		}
		rows := strings.Count(want, "\n") - 1
		cited := fmt.Sprintf("%s.csv|%x|%d|2|us|real", phase, sha256.Sum256(data), rows)
		holdBinding(t, phase, block, cited)
		// Standard output has the same, and so has the named query but for how it ends lines and marks empty texts.
		if out, errs, code := called("trace", digest, "--phase", phase); code != exitDone || out != want || errs != strings.Replace(block, phase+".csv", "trace.csv", 1) {
			t.Errorf("%s: %d %s", phase, code, errs)
		}
		out, errs, code := called("query", "timeline-trace", "--param", "capture="+digest, "--param", "phase="+phase, "-f", "csv")
		got, err := csv.NewReader(strings.NewReader(out)).ReadAll()
		if wanted, _ := csv.NewReader(strings.NewReader(want)).ReadAll(); err != nil || code != exitDone || !slices.EqualFunc(got, wanted, slices.Equal) {
			t.Errorf("%s: %d %s %v", phase, code, errs, err)
		}
	}
	if out, _, _ := called("trace", digest); out != traceOf(t, requests, "profiling") {
		t.Error("without --phase it is not that of profiling")
	}
}

// holdBinding puts the block into a MeasuredRun document, loads it and reads it back.
func holdBinding(t *testing.T, name, block, want string) {
	t.Helper()
	document := `# Invented for tests; nothing here is measured.
kind: MeasuredRun
name: ` + name + `
schema_version: 1
source:
  kind: vllm_bench
  adapter: {name: a, version: "1", sha256: ` + strings.Repeat("a", 64) + `}
  inputs: [{role: report, path: report.json, sha256: ` + strings.Repeat("b", 64) + `}]
  extraction: {method: json}
  license_ref: x
model: invented
engine_version: "1"
cluster: {hardware: h100, nodes: 1, gpus_per_node: 8}
deployment: {kind: Deployment, name: d, pools: [{role: colocated, nodes: 1, parallel: {tp: 8, pp: 1, dp: 1}}]}
` + block + `client: {harness: vllm bench serve}
metric_defs:
  ttft_p50: {formula: ttft, statistic: median, population: per_request, clock: client, unit: ms, cite: "x:1"}
points:
  - {id: c1, load: {concurrency: 1}, metrics: {ttft_p50: {value: 10}}}
`
	if err := os.WriteFile(name+"-run.yaml", []byte(document), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, command := range [][]string{{"validate"}, {"load", "--db", name + ".db"}} {
		if _, errs, code := called(append(command, name+"-run.yaml")...); code != exitDone {
			t.Fatalf("%s: %s\n%s", command, errs, document)
		}
	}
	out, errs, _ := called("sql", "--db", name+".db", "-f", "csv", "SELECT data || '|' || sha256 || '|' || rows || '|' || trace_version || '|' || time_unit || '|' || mode AS cited FROM traces")
	if out != "cited\r\n"+want+"\r\n" {
		t.Errorf("%s is read back as %s %s", want, out, errs)
	}
}

// TestTraceRefuses holds what is refused, with what is said, and that nothing is written then.
func TestTraceRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	request := func(with string) string {
		return `{"cid":"c","ti":0,"wid":"w","ad":0,"phase":"profiling","ack":null,"tpotMs":null,"isl":1,"osl":1,"cancelled":false,` + with + `}`
	}
	good := request(`"credit":0,"start":0,"end":9000000,"ttftMs":9.001`) // within the publisher's rounding
	var digests, lines []string
	os.Mkdir("f", 0o777)
	for i, requests := range []string{"[" + good + "]", "[" + good + "," + good + "]"} {
		name := fmt.Sprintf("t%d.json", i)
		digests = append(digests, timelineFile(t, "f/"+name, requests))
		info, _ := os.Stat("f/" + name)
		for _, id := range [][]string{{"421", "11111111"}, {"421", "422"}}[i] {
			lines = append(lines, fmt.Sprintf(`{"kind":"InferenceXCapture","operation":"request-timeline","params":{"id":"%s"},"url":"https://api.invalid/?id=%s","started_at":"2026-08-08T03:00:0%dZ","duration_ms":1,"attempts":1,"outcome":"complete","status":200,"file":"%s","size":%d,"sha256":"%s","wire_size":1}`,
				id, id, i, name, info.Size(), digests[i]))
		}
	}
	os.WriteFile("f/captures.jsonl", []byte(strings.Join(lines, "\n")+"\n"), 0o666)
	bad := map[string]string{
		"request 2, the first of 2, begins before the timeline does\n":                    request(`"credit":-1,"start":0,"end":9,"ttftMs":null`) + "," + request(`"credit":0,"start":-9223372036854775808,"end":9223372036854775807,"ttftMs":null`),
		"request 2 ends before it starts\n":                                               request(`"credit":0,"start":10,"end":9,"ttftMs":null`),
		"request 2 has a negative time to first token\n":                                  request(`"credit":0,"start":0,"end":9,"ttftMs":-0.5`),
		"request 2 has its first token after its end\n":                                   request(`"credit":0,"start":0,"end":9000000,"ttftMs":9.0011`),
		"request 2, the first of 2, has its first token after its end\n":                  request(`"credit":0,"start":0,"end":9223372036854775807,"ttftMs":1e300`) + "," + request(`"credit":9223372036854775807,"start":9223372036854775807,"end":9223372036854775807,"ttftMs":1`),
		"request 2 ends before it starts\nrequest 3 has a negative time to first token\n": request(`"credit":0,"start":10,"end":9,"ttftMs":null`) + "," + request(`"credit":0,"start":0,"end":9,"ttftMs":-1`),
	}
	refused := map[string]string{}
	for said, requests := range bad {
		name := fmt.Sprintf("bad%d.json", len(refused))
		refused[timelineFile(t, name, "["+good+","+requests+"]")] = said
		if _, errs, code := called("load", name); code != exitDone {
			t.Fatal(errs)
		}
	}
	if _, errs, code := called("load", "f"); code != exitDone {
		t.Fatal(errs)
	}
	before := listing(t)
	for digest, said := range refused {
		if out, errs, code := called("trace", digest, "-o", "new"); code != exitFindings || out != "" || errs != said+"nothing was written: times that contradict each other cannot be replayed\n" {
			t.Errorf("%q, want %q: exit code %d, %q", errs, said, code, out)
		}
	}
	for _, tt := range []struct {
		args []string
		said string
	}{
		{[]string{"trace"}, "trace needs CAPTURE"},
		{[]string{"trace", "423"}, `no loaded timeline has the id or a digest that begins with "423"`},
		{[]string{"trace", digests[0][:7]}, "no loaded timeline"},
		{[]string{"trace", "%"}, "no loaded timeline"},
		{[]string{"trace", "421"}, `"421" may be any of several captures: name one by its digest` + "\n  " + strings.Join(slices.Sorted(slices.Values([]string{
			digests[0] + ", captured 2026-08-08T03:00:00.000Z, of benchmark 421", digests[1] + ", captured 2026-08-08T03:00:01.000Z, of benchmark 421"})), "\n  ")},
		{[]string{"trace", "422", "--phase", "warmup"}, `the timeline has no request of the phase "warmup"; it has "profiling" (2 requests)`},
		{[]string{"trace", "422", "-o", ""}, "-o needs what the names of the files begin with"},
		{[]string{"trace", "422", "-o", "f/"}, "-o needs what the names of the files begin with"},
		{[]string{"trace", "422", "-o", "nosuch/x"}, "write nosuch/x.csv: no such file or directory"},
	} {
		if out, errs, code := called(tt.args...); code != exitTrouble || out != "" || !strings.Contains(errs, tt.said) {
			t.Errorf("%q: exit code %d, %q, %q, want %q", tt.args, code, out, errs, tt.said)
		}
	}
	if after := listing(t); after != before {
		t.Error("something was written")
	}
	// An id of one capture, a decimal text that is one or a digest's beginning, and a file that is there.
	for _, name := range []string{"422", "11111111", digests[0]} {
		if _, errs, code := called("trace", name, "-o", "x-"+name+".csv"); code != exitDone {
			t.Error(errs)
		}
	}
	if data, err := os.ReadFile("x-422.csv"); err != nil || bytes.Count(data, []byte("\n")) != 3 {
		t.Errorf("%v %s", err, data)
	}
	os.Remove("x-422.csv")
	if _, errs, code := called("trace", "422", "-o", "x-422"); code != exitTrouble || !strings.Contains(errs, "x-422.yaml exists: --force overwrites it") {
		t.Errorf("%d %s", code, errs)
	}
	if _, err := os.Stat("x-422.csv"); err == nil {
		t.Error("half a trace was written")
	}
	if _, errs, code := called("trace", "422", "-o", "x-422", "--force"); code != exitDone {
		t.Error(errs)
	}
}
