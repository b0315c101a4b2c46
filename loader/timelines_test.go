package loader

import (
	"fmt"
	"math"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/inference-sim/blis-warehouse/store"
)

// timelineBody is an invented body of /request-timeline with these requests.
func timelineBody(requests ...string) string {
	return `{"version":6,"startNs":1780000000000000256,"endNs":1780000009000000000,"durationS":9,"requests":[` + strings.Join(requests, ",\n") + `]}`
}

// timelineRequest is an invented request with other values of keys, "" for no such key.
func timelineRequest(with map[string]string) string {
	request := map[string]string{"cid": `"c"`, "ri": "0", "ti": "0", "wid": `"w"`, "ad": "0", "phase": `"profiling"`, "credit": "0", "start": "1000000", "ack": "null",
		"end": "501000000", "ttftMs": "100", "tpotMs": "8", "isl": "100", "osl": "51", "cancelled": "false"}
	for key, value := range with {
		request[key] = value
	}
	var members []string
	for key, value := range request {
		if value != "" {
			members = append(members, fmt.Sprintf("%q:%s", key, value))
		}
	}
	slices.Sort(members)
	return "{" + strings.Join(members, ",") + "}"
}

// timelineLine is the line of a ledger for a timeline of a benchmark.
func timelineLine(id int, file, content, at string) string {
	return strings.NewReplacer(`{"model":"demo"}`, fmt.Sprintf(`{"id":"%d"}`, id), "?model=demo", fmt.Sprint("?id=", id)).Replace(ledgerLine("request-timeline", file, content, at, "complete"))
}

// TestTimelineTimes holds that nanoseconds come back exactly, whatever their size and
// sign, and as they are stated where they contradict each other.
func TestTimelineTimes(t *testing.T) {
	w := newWorld(t, map[string]string{"t.json": strings.Replace(timelineBody(
		timelineRequest(map[string]string{"credit": "9007199254740993", "start": "9007199254740995", "ack": "-9223372036854775808", "end": "9223372036854775807"}),
		timelineRequest(map[string]string{"credit": "-1", "start": "5", "ack": "4.0", "end": "-5e0"}),
		timelineRequest(nil), timelineRequest(nil), // twice the same are two
	), `"version":6`, `"version":99`, 1)})
	d := w.load("w.db", w.options(), "t.json").Documents[0]
	if d.Status != store.Added || d.Rows.Added != 5 || len(d.Drift) != 0 {
		t.Errorf("%+v", d)
	}
	w.want("w.db", `SELECT position, credit_ns, start_ns, ack_ns, end_ns, typeof(ack_ns) FROM inferencex_api_timeline_requests ORDER BY 1`,
		"1|9007199254740993|9007199254740995|-9223372036854775808|9223372036854775807|integer", "2|-1|5|4|-5|integer", "3|0|1000000|NULL|501000000|null", "4|0|1000000|NULL|501000000|null")
	w.want("w.db", `SELECT version, start_ns, end_ns, duration_s FROM inferencex_api_timelines`, "99|1780000000000000256|1780000009000000000|9")
	// No query fails of such times.
	for query, rows := range map[string]int{"derived-agentic-metrics": 1, "timeline-summary": 1, "timeline-concurrency": 3} {
		if got := w.answer("w.db", query, nil); len(got) != rows {
			t.Errorf("%s: %v", query, got)
		}
	}
}

// TestTimelineRefusals holds which requests are refused, each with one problem, and that the others stay.
func TestTimelineRefusals(t *testing.T) {
	for _, tt := range []struct{ key, value, rule string }{
		{"cid", "", "missing-key"}, {"cid", "null", "missing-key"}, {"cid", "7", "type"},
		{"ti", "", "missing-key"}, {"ti", "-1", "range"}, {"ti", "0.5", "type"},
		{"ri", "-1", "range"}, {"ad", "-1", "range"}, {"wid", "", "missing-key"}, {"phase", "", "missing-key"},
		{"credit", "", "missing-key"}, {"start", "null", "missing-key"}, {"end", "", "missing-key"},
		{"start", "9223372036854775808", "type"}, {"start", "-9223372036854775809", "type"}, {"start", "1e19", "type"}, {"start", "0.5", "type"}, {"start", `"1"`, "type"},
		{"ack", "0.5", "type"}, {"ack", "true", "type"}, {"ack", "9007199254740993.0", "type"},
		{"isl", "-1", "range"}, {"osl", "1.5", "type"}, {"osl", "[]", "type"},
		{"ttftMs", `"1"`, "type"}, {"ttftMs", "1e999", "number-range"}, {"tpotMs", "{}", "type"},
		{"cancelled", "", "missing-key"}, {"cancelled", "2", "type"},
	} {
		w := newWorld(t, map[string]string{"t.json": timelineBody(timelineRequest(nil), timelineRequest(map[string]string{tt.key: tt.value}), timelineRequest(nil))})
		d := w.load("w.db", w.options(), "t.json").Documents[0]
		if d.Rows.Refused != 1 || d.Rows.Added != 3 || len(d.Problems) != 1 || d.Problems[0].Rule != tt.rule || d.Problems[0].Path != "requests[1]."+tt.key && d.Problems[0].Path != "requests[2]."+tt.key {
			t.Errorf("%s %s: %+v", tt.key, tt.value, d)
		}
		w.want("w.db", `SELECT position FROM inferencex_api_timeline_requests ORDER BY 1`, "1", "3")
	}
	w := newWorld(t, map[string]string{"t.json": timelineBody(timelineRequest(map[string]string{"later": "1", "ack": "", "srcTrace": ""})), "none.json": timelineBody(),
		"twice.json": timelineBody(strings.Replace(timelineRequest(nil), `"end":`, `"end":1,"end":`, 1))})
	if d := w.load("w.db", w.options(), "t.json").Documents[0]; !d.Valid || len(d.Drift) != 1 || d.Drift[0].Key != "request-timeline.requests.later" { // and what may be null may be missing
		t.Errorf("%+v", d)
	}
	if d := w.load("w.db", w.options(), "none.json").Documents[0]; d.Status != store.Added || d.Rows.Added != 1 {
		t.Errorf("%+v", d)
	}
	if d := w.load("w.db", w.options(), "twice.json").Documents[0]; d.Rows.Refused != 1 || d.Problems[0].Rule != "duplicate-key" {
		t.Errorf("%+v", d)
	}
}

// TestTimelinesOfBenchmarks holds which benchmark a timeline is of, and which capture is the newest.
func TestTimelinesOfBenchmarks(t *testing.T) {
	old, later, other := timelineBody(timelineRequest(nil)), timelineBody(timelineRequest(nil), timelineRequest(nil)), timelineBody()
	w := newWorld(t, map[string]string{"f/a.json": old, "f/b.json": later, "g/c.json": other,
		"f/captures.jsonl": timelineLine(421, "b.json", later, lateCapture) + timelineLine(421, "a.json", old, earlyCapture) + timelineLine(422, "a.json", old, earlyCapture)})
	w.load("w.db", w.options(), "f", "g")
	w.want("w.db", `SELECT published_id, requests, newest, version, captured_at FROM inferencex_timelines ORDER BY published_id, requests`,
		"NULL|0|1|6|NULL", "421|1|0|6|2026-08-08T03:00:00.000Z", "421|2|1|6|2026-08-09T03:00:00.500Z", "422|1|1|6|2026-08-08T03:00:00.000Z")
	if got := w.answer("w.db", "derived-agentic-metrics", cells{"id": int64(421)}); len(got) != 1 || got[0]["requests"] != int64(2) {
		t.Errorf("%v", got)
	}
	if got := w.answer("w.db", "derived-agentic-metrics", nil); len(got) != 3 || got[0]["counted"] != int64(0) || got[0]["p75_e2e_norm_intvty"] != nil {
		t.Errorf("%v", got)
	}
}

// inventedRequest is a request of a timeline as the oracles have it.
type inventedRequest struct {
	cid, phase         string
	depth              int64
	start, end         int64
	ttft, tpot         *float64
	isl, osl           *int64
	cancelled, counted bool // counted: by the publisher's rule
}

// inventedRequests are random requests, some of which do not count, and their bodies.
func inventedRequests(rnd *rand.Rand, n int) (all []inventedRequest, bodies []string) {
	for range n {
		q := inventedRequest{cid: fmt.Sprint("c", rnd.Intn(5)), phase: []string{"profiling", "profiling", "profiling", "unknown", "warmup", "cooldown"}[rnd.Intn(6)], depth: int64(rnd.Intn(3)),
			start: (rnd.Int63n(50) - 3) * 100_000_000, cancelled: rnd.Intn(6) == 0}
		q.end = q.start + (rnd.Int63n(40)-2)*100_000_000
		with := map[string]string{"cid": `"` + q.cid + `"`, "phase": `"` + q.phase + `"`, "ad": fmt.Sprint(q.depth), "start": fmt.Sprint(q.start), "end": fmt.Sprint(q.end), "cancelled": fmt.Sprint(q.cancelled)}
		number := func(key string) *float64 {
			with[key] = "null"
			if rnd.Intn(8) == 0 {
				return nil
			}
			x := float64(rnd.Intn(400)-10) / 4
			with[key] = fmt.Sprint(x)
			return &x
		}
		tokens := func(key string) *int64 {
			with[key] = "null"
			if rnd.Intn(8) == 0 {
				return nil
			}
			n := rnd.Int63n(60)
			with[key] = fmt.Sprint(n)
			return &n
		}
		q.ttft, q.tpot, q.isl, q.osl = number("ttftMs"), number("tpotMs"), tokens("isl"), tokens("osl")
		q.counted = (q.phase == "profiling" || q.phase == "unknown") && !q.cancelled && q.end > q.start && q.ttft != nil && *q.ttft > 0 && q.isl != nil && *q.isl > 0 && q.osl != nil && *q.osl > 0
		all, bodies = append(all, q), append(bodies, timelineRequest(with))
	}
	return all, bodies
}

// percentile is a percentile between the two nearest values, NaN of none.
func percentile(values []float64, p float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	slices.Sort(values)
	at := p / 100 * float64(len(values)-1)
	low := int(at)
	return values[low] + (values[min(low+1, len(values)-1)]-values[low])*(at-float64(low))
}

// sameNumber tells whether a cell is a number but for rounding, or NULL where there is none.
func sameNumber(cell any, want float64) bool {
	switch v := cell.(type) {
	case nil:
		return math.IsNaN(want)
	case int64:
		return float64(v) == want
	case float64:
		return math.Abs(v-want) <= 1e-12*math.Abs(want)
	}
	return false
}

// TestTimelineOracles holds the queries of timelines against sums in Go over invented requests.
func TestTimelineOracles(t *testing.T) {
	rnd := rand.New(rand.NewSource(11))
	left, none := 0, 0
	for i := range 40 {
		requests, bodies := inventedRequests(rnd, []int{1, 2, 5, 30}[i%4])
		w := newWorld(t, map[string]string{"t.json": timelineBody(bodies...)})
		d := w.load("w.db", w.options(), "t.json").Documents[0]
		var ratios []float64
		for _, q := range requests {
			if q.counted {
				ratios = append(ratios, float64(q.end-q.start)/1e9/float64(*q.osl))
			} else {
				left++
			}
		}
		if len(ratios) == 0 {
			none++
		}
		got := w.answer("w.db", "derived-agentic-metrics", cells{"capture": d.SHA256[:9]})
		if len(got) != 1 || got[0]["counted"] != int64(len(ratios)) || got[0]["requests"] != int64(len(requests)) ||
			!sameNumber(got[0]["p75_e2e_norm_intvty"], 1/percentile(ratios, 75)) || !sameNumber(got[0]["p90_e2e_norm_intvty"], 1/percentile(ratios, 90)) {
			t.Fatalf("%v, want the inverse of %v and %v of %d", got, percentile(ratios, 75), percentile(ratios, 90), len(ratios))
		}
		summaries := w.answer("w.db", "timeline-summary", nil)
		phases := map[string]bool{}
		for _, q := range requests {
			phases[q.phase] = true
		}
		if len(summaries) != len(phases) {
			t.Fatalf("%d phases, want %d", len(summaries), len(phases))
		}
		for _, s := range summaries {
			holdTimelineSummary(t, requests, s)
		}
		holdTimelineConcurrency(t, requests, w.answer("w.db", "timeline-concurrency", cells{"step_s": 0.25}))
	}
	if left < 100 || none < 5 {
		t.Errorf("%d requests that do not count and %d timelines without any that does show little", left, none)
	}
}

// holdTimelineSummary holds a row of timeline-summary against the requests of its phase.
func holdTimelineSummary(t *testing.T, requests []inventedRequest, got cells) {
	t.Helper()
	first, last, busy, cancelled, below, n := int64(math.MaxInt64), int64(math.MinInt64), 0.0, 0, 0, 0
	var in, out float64
	var ttft, tpot []float64
	conversations := map[string]bool{}
	var moments []int64
	for _, q := range requests {
		if q.phase != got["phase"] {
			continue
		}
		end := max(q.start, q.end)
		first, last, busy, n = min(first, q.start), max(last, end), busy+float64(end-q.start)/1e9, n+1
		moments = append(moments, q.start)
		conversations[q.cid] = true
		if q.depth > 0 {
			below++
		}
		if q.cancelled {
			cancelled++
			continue
		}
		if q.isl != nil {
			in += float64(*q.isl)
		}
		if q.osl != nil {
			out += float64(*q.osl)
		}
		if q.ttft != nil {
			ttft = append(ttft, *q.ttft)
		}
		if q.tpot != nil {
			tpot = append(tpot, *q.tpot)
		}
	}
	most := 0
	for _, at := range moments {
		beside := 0
		for _, q := range requests {
			if q.phase == got["phase"] && q.start <= at && at < q.end {
				beside++
			}
		}
		most = max(most, beside)
	}
	span := float64(last-first) / 1e9
	if span == 0 {
		span = math.NaN()
	}
	for column, want := range map[string]float64{"requests": float64(n), "cancelled": float64(cancelled), "conversations": float64(len(conversations)), "sub_agent_requests": float64(below),
		"first_start_s": float64(first) / 1e9, "last_end_s": float64(last) / 1e9, "requests_per_s": float64(n-cancelled) / span, "input_tok_s": in / span, "output_tok_s": out / span,
		"ttft_p50_ms": percentile(ttft, 50), "ttft_p90_ms": percentile(ttft, 90), "ttft_p99_ms": percentile(ttft, 99),
		"tpot_p50_ms": percentile(tpot, 50), "tpot_p90_ms": percentile(tpot, 90), "tpot_p99_ms": percentile(tpot, 99), "mean_in_flight": busy / span, "most_in_flight": float64(most)} {
		if !sameNumber(got[column], want) {
			t.Errorf("%s of %v is %v, want %v", column, got["phase"], got[column], want)
		}
	}
}

// holdTimelineConcurrency holds rows of a quarter of a second against what is in flight in each.
func holdTimelineConcurrency(t *testing.T, requests []inventedRequest, got []cells) {
	t.Helper()
	const width = 250_000_000
	var want []cells
	for from := int64(-2 * width); from < 20_000_000_000; from += width {
		started, ended, before, busy := 0, 0, 0, 0.0
		for _, q := range requests {
			if q.end < q.start {
				continue
			}
			if q.start >= from && q.start < from+width {
				started++
			}
			if q.end >= from && q.end < from+width {
				ended++
			}
			if q.start < from && q.end >= from {
				before++
			}
			busy += max(0, float64(min(q.end, from+width)-max(q.start, from))/width)
		}
		if started+ended > 0 {
			want = append(want, cells{"from_s": float64(from) / 1e9, "started": float64(started), "ended": float64(ended), "in_flight": float64(before), "mean_in_flight": busy})
		}
	}
	if len(got) != len(want) {
		t.Fatalf("%d rows, want %d", len(got), len(want))
	}
	for i, row := range want {
		for column, v := range row {
			x, isReal := got[i][column].(float64)
			if want := v.(float64); !sameNumber(got[i][column], want) && !(isReal && math.Abs(x-want) < 1e-9) {
				t.Errorf("%s of row %d is %v, want %v", column, i, got[i][column], want)
			}
		}
	}
}

// interactivityAbove is how much lower than published an interactivity may be that is
// computed from a timeline, relatively: what came after a request's last token.
const interactivityAbove = 0.01

// interactivities compares interactivity that is computed from timelines with what the
// newest capture that has the benchmark states.
func interactivities(w *world) (compared int, differences []string) {
	published := map[any]cells{}
	for _, r := range w.records("w.db", `SELECT d.* FROM inferencex_api_derived_agentic_metrics d JOIN inferencex_bodies_by_age b USING (sha256) WHERE b.operation = 'derived-agentic-metrics' ORDER BY b.place DESC`) {
		published[r["published_id"]] = r
	}
	for _, r := range w.answer("w.db", "derived-agentic-metrics", nil) {
		p, ok := published[r["published_id"]]
		if !ok {
			continue // it was not asked for, or no ledger tells which benchmark the timeline is of
		}
		for _, column := range []string{"p75_e2e_norm_intvty", "p90_e2e_norm_intvty"} {
			compared++
			got, computed := r[column].(float64)
			want, stated := p[column].(float64)
			if computed != stated || got > want*(1+1e-6) || got < want*(1-interactivityAbove) {
				differences = append(differences, fmt.Sprintf("%v: %s is %v, published %v", r["published_id"], column, r[column], p[column]))
			}
		}
	}
	return compared, differences
}

// compareInteractivity: of a benchmark whose timeline was captured too.
func compareInteractivity(t *testing.T, w *world) (int, string) {
	n, differences := interactivities(w)
	for _, d := range differences {
		t.Error(d)
	}
	return n, "percentiles"
}

// TestInteractivities holds the comparison itself, with captures that agree, that state
// what cannot be, and of which the newer counts.
func TestInteractivities(t *testing.T) {
	requests, bodies := inventedRequests(rand.New(rand.NewSource(3)), 50)
	var ratios []float64
	for _, q := range requests {
		if q.counted {
			ratios = append(ratios, float64(q.end-q.start)/1e9/float64(*q.osl))
		}
	}
	p75, p90 := 1/percentile(ratios, 75), 1/percentile(ratios, 90)
	if p90 >= p75 {
		t.Errorf("the slow tail: %v is not below %v", p90, p75)
	}
	of := func(id int, p75, p90 any) string {
		return fmt.Sprintf(`"%d":{"id":%d,"p75_e2e_norm_intvty":%v,"p90_e2e_norm_intvty":%v}`, id, id, p75, p90)
	}
	timeline, none := timelineBody(bodies...), timelineBody()
	older := "{" + of(421, 2*p75, p90/2) + "}"
	newer := "{" + of(421, p75, p90*1.001) + "," + of(422, "null", "null") + "," + of(425, 1, 1) + "}"
	wrong := "{" + of(421, p75*0.99, "null") + "," + of(422, 1, "null") + "}"
	w := newWorld(t, map[string]string{"f/t.json": timeline, "f/none.json": none, "f/old.json": older, "f/new.json": newer,
		"f/captures.jsonl": timelineLine(421, "t.json", timeline, earlyCapture) + timelineLine(422, "none.json", none, earlyCapture) +
			ledgerLine("derived-agentic-metrics", "new.json", newer, lateCapture, "complete") + ledgerLine("derived-agentic-metrics", "old.json", older, earlyCapture, "complete"),
		"g/wrong.json": wrong, "g/captures.jsonl": ledgerLine("derived-agentic-metrics", "wrong.json", wrong, "2026-08-10T03:00:00Z", "complete")})
	w.load("w.db", w.options(), "f")
	if n, differences := interactivities(w); n != 4 || differences != nil {
		t.Errorf("%d compared, %q", n, differences)
	}
	w.load("w.db", w.options(), "g")
	if n, differences := interactivities(w); n != 4 || len(differences) != 3 {
		t.Errorf("%d compared, %q", n, differences)
	}
}
