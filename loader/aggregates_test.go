package loader

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand"
	"slices"
	"strings"
	"testing"
)

// aggregatedMetrics are the metrics of agentic aggregates: the publisher's key and ours.
var aggregatedMetrics = map[string]string{"isl": "isl", "osl": "osl", "kvCacheUtil": "kv_cache_util", "prefixCacheHitRate": "prefix_cache_hit_rate"}

// aggregated is what is to come out of samples: the mean, percentiles as numpy.percentile
// has them, and how many there are; nil for each where there is no sample.
func aggregated(samples []float64) cells {
	out := cells{"n": int64(len(samples)), "mean": nil}
	sorted := slices.Clone(samples)
	slices.Sort(sorted)
	sum := 0.0
	for _, x := range sorted {
		sum += x
	}
	if len(samples) > 0 {
		out["mean"] = sum / float64(len(samples))
	}
	for _, percent := range []float64{50, 75, 90, 95, 99} {
		name := fmt.Sprintf("p%g", percent)
		out[name] = nil
		if len(sorted) == 0 {
			continue
		}
		at := float64(len(sorted)-1) * percent / 100
		low, high := sorted[int(math.Floor(at))], sorted[int(math.Ceil(at))]
		out[name] = low + (high-low)*(at-math.Floor(at))
	}
	return out
}

// sameAggregates tells whether the statistics of two rows are the same to 12 digits.
func sameAggregates(got, want cells) bool {
	for _, name := range []string{"mean", "p50", "p75", "p90", "p95", "p99"} {
		if (got[name] == nil) != (want[name] == nil) {
			return false
		}
		if got[name] == nil {
			continue
		}
		a, b := asFloat(got[name]), asFloat(want[name])
		if math.Abs(a-b) > 1e-12*math.Max(math.Abs(a), math.Abs(b)) {
			return false
		}
	}
	return fmt.Sprint(got["n"]) == fmt.Sprint(want["n"])
}

// An aggregatedBenchmark is what an invented benchmark has: its captures, and the
// samples that count of each metric; nil where nothing of it is captured.
type aggregatedBenchmark struct {
	histogram, timeline, metrics string
	samples                      map[string][]float64
	source                       string // of the lengths
}

// inventedBenchmark is a benchmark with a histogram, a timeline, both or neither, and
// perhaps server metrics, which begin 3 s before the timeline does.
func inventedBenchmark(rnd *rand.Rand, id int) aggregatedBenchmark {
	b := aggregatedBenchmark{samples: map[string][]float64{}}
	number := func() float64 { return float64(1+rnd.Intn(40)) * 250 }
	warmup := 0 // requests of the warm-up, one in a second
	if rnd.Intn(2) == 0 {
		b.source = "trace-histograms"
		body := map[string]any{"id": id}
		for _, key := range []string{"isl", "osl"} {
			b.samples[key] = []float64{}
			list := []any{}
			for range rnd.Intn(30) {
				x := number()
				b.samples[key], list = append(b.samples[key], x), append(list, x)
				if rnd.Intn(9) == 0 {
					list = append(list, nil)
				}
			}
			body[key] = list
		}
		b.histogram = jsonText(body)
	}
	if rnd.Intn(2) == 0 {
		b.source = "request-timeline"
		b.samples["isl"], b.samples["osl"] = []float64{}, []float64{}
		var requests []string
		warmup = rnd.Intn(4)
		for i := range warmup + 1 + rnd.Intn(40) {
			isl, osl := number(), number()
			with := map[string]string{"start": fmt.Sprint(i * 1e9), "end": fmt.Sprint(i*1e9 + 5e8), "isl": fmt.Sprint(isl), "osl": fmt.Sprint(osl)}
			if rnd.Intn(5) == 0 {
				with["cancelled"] = "true"
			}
			if rnd.Intn(7) == 0 {
				with["osl"] = "null"
			}
			if i < warmup {
				with["phase"] = `"warmup"`
			} else if i > warmup && rnd.Intn(6) == 0 {
				with["phase"] = `"unknown"`
			}
			if requests = append(requests, timelineRequest(with)); i >= warmup && with["cancelled"] == "" {
				b.samples["isl"] = append(b.samples["isl"], isl)
				if with["osl"] != "null" {
					b.samples["osl"] = append(b.samples["osl"], osl)
				}
			}
		}
		b.timeline = timelineBody(requests...)
	}
	if rnd.Intn(3) > 0 {
		body := map[string]any{"meta": map[string]any{"id": id}, "startNs": json.Number("1779999997000000256"), "endNs": 0, "queueDepth": []any{map[string]any{"t": 0, "value": 9}}}
		for key, series := range map[string]string{"kvCacheUtil": "kvCacheUsage", "prefixCacheHitRate": "prefixCacheHitRate"} {
			b.samples[key] = []float64{}
			points := []any{}
			for t := range rnd.Intn(25) {
				point := map[string]any{"t": t}
				x := float64(rnd.Intn(257)) / 256
				switch rnd.Intn(9) {
				case 0: // as in the reference's example
					point["v"] = x
				case 1: // no value
					point["value"] = "x"
				case 2:
					point["value"], point["v"] = x, 7
				default:
					point["value"] = x
				}
				if points = append(points, point); (warmup == 0 || t >= 3+warmup) && point["value"] != "x" {
					b.samples[key] = append(b.samples[key], x)
				}
			}
			body[series] = points
		}
		b.metrics = jsonText(body)
	}
	return b
}

// askedLine is the line of a ledger for a capture that was asked for with parameters of its own.
func askedLine(operation, file, content, at string) string {
	return strings.Replace(ledgerLine(operation, file, content, at, "complete"), "?model=demo", "?of="+file, 1)
}

// TestAgenticAggregates holds what is computed of lengths and server metrics against
// an oracle of its own, over invented benchmarks, and that only the newest captures count.
func TestAgenticAggregates(t *testing.T) {
	rnd := rand.New(rand.NewSource(5))
	files := map[string]string{}
	var ledger strings.Builder
	old := []string{}
	var all []aggregatedBenchmark
	var histograms []string
	for id := 1; id <= 60; id++ {
		b := inventedBenchmark(rnd, id)
		all = append(all, b)
		if b.histogram != "" {
			histograms = append(histograms, fmt.Sprintf("%q:%s", fmt.Sprint(id), b.histogram))
			if id%3 == 0 {
				old = append(old, fmt.Sprintf(`"%d":{"isl":[1],"osl":[2,3]}`, id))
			}
		}
		if name := fmt.Sprintf("t%d.json", id); b.timeline != "" {
			files["f/"+name] = b.timeline
			ledger.WriteString(timelineLine(id, name, b.timeline, lateCapture))
		}
		if name := fmt.Sprintf("m%d.json", id); b.metrics != "" {
			files["f/"+name] = b.metrics
			ledger.WriteString(askedLine("trace-server-metrics", name, b.metrics, lateCapture))
			before := fmt.Sprintf(`{"meta":{"id":%d},"startNs":1,"kvCacheUsage":[{"t":0,"value":0.125}]}`, id)
			files["f/b"+name] = before
			ledger.WriteString(askedLine("trace-server-metrics", "b"+name, before, earlyCapture))
		}
	}
	for name, members := range map[string][]string{"h1.json": histograms[:len(histograms)/2], "h2.json": histograms[len(histograms)/2:], "old.json": old} {
		body, at := "{"+strings.Join(members, ",\n")+"}", lateCapture
		if name == "old.json" {
			at = earlyCapture
		}
		files["f/"+name] = body
		ledger.WriteString(askedLine("trace-histograms", name, body, at))
	}
	files["f/captures.jsonl"] = ledger.String()
	w := newWorld(t, files)
	for _, d := range w.load("w.db", w.options(), "f").Documents {
		if len(d.Problems) > 0 {
			t.Fatalf("%+v", d)
		}
	}
	got := map[string]cells{}
	for _, r := range w.answer("w.db", "agentic-aggregates", nil) {
		got[fmt.Sprint(r["published_id"], " ", r["metric"])] = r
	}
	n, empty, sources := 0, 0, map[any]int{}
	for i, b := range all {
		for key, metric := range aggregatedMetrics {
			samples, ok := b.samples[key]
			name := fmt.Sprint(i+1, " ", metric)
			r, found := got[name]
			if ok != found {
				t.Errorf("%s: there %t, want %t", name, found, ok)
			}
			if !ok {
				continue
			}
			source := "trace-server-metrics"
			if key == "isl" || key == "osl" {
				source = b.source
			}
			if want := aggregated(samples); !sameAggregates(r, want) || r["source"] != source || r["captured_at"] != "2026-08-09T03:00:00.500Z" {
				t.Errorf("%s: %v\nwant %v of %s", name, r, want, source)
			}
			n++
			sources[r["source"]]++
			if len(samples) == 0 {
				empty++
			}
		}
	}
	if len(got) != n || n < 100 || empty < 3 || sources["trace-histograms"] < 10 || sources["request-timeline"] < 10 || sources["trace-server-metrics"] < 20 {
		t.Errorf("%d rows, %d compared, %d empty, of %v: that shows little", len(got), n, empty, sources)
	}
	one := w.answer("w.db", "agentic-aggregates", cells{"id": 7})
	for _, r := range one {
		if r["published_id"] != int64(7) || !sameAggregates(r, got[fmt.Sprint("7 ", r["metric"])]) {
			t.Errorf("%v", r)
		}
	}
	if len(one) == 0 {
		t.Error("nothing of benchmark 7")
	}
}

// compareAggregates compares what is computed with what the publisher states, where
// both are loaded, and counts the metrics in which they agree. Rules by which they may
// differ: lengths of histograms count requests that the publisher's do not, where there
// are more of them, and of server metrics only all metrics are compared where everything is told to be.
func compareAggregates(t *testing.T, w *world, everything bool) (subset int, apart int) {
	published := map[string]cells{}
	for _, r := range w.answer("w.db", "published-agentic-aggregates", nil) {
		published[picked(r, "published_id", "metric")] = r
	}
	for _, r := range w.answer("w.db", "agentic-aggregates", nil) {
		p, ok := published[picked(r, "published_id", "metric")]
		if !ok {
			continue
		}
		if p["n"] == nil {
			p["n"] = int64(0)
		}
		if !everything && (r["source"] == "trace-server-metrics" || r["source"] == "trace-histograms" && r["n"].(int64) > p["n"].(int64)) {
			apart++
			continue
		}
		if subset++; !sameAggregates(r, p) {
			t.Errorf("%v\npublished %v", r, p)
		}
	}
	return subset, apart
}

// TestPublishedAggregates compares both on invented captures that agree, whose
// statistics were computed by hand.
func TestPublishedAggregates(t *testing.T) {
	bodies := inventedBodies(t)
	w := newWorld(t, map[string]string{"a.json": bodies["agentic-aggregates.json"], "h.json": bodies["trace-histograms.json"], "m.json": bodies["trace-server-metrics.json"]})
	w.load("w.db", w.options(), "a.json", "h.json", "m.json")
	if subset, _ := compareAggregates(t, w, true); subset != 6 {
		t.Errorf("%d metrics are in both", subset)
	}
	if n := len(w.answer("w.db", "published-agentic-aggregates", nil)); n != 12 {
		t.Errorf("%d rows", n)
	}
	// The newest capture of each benchmark counts.
	newer := `{"422":{"id":422,"isl":{"mean":8,"p50":8,"p75":8,"p90":8,"p95":8,"p99":8,"n":1},"osl":null,"kvCacheUtil":null,"prefixCacheHitRate":null}}`
	w.write(map[string]string{"f/a.json": newer, "f/captures.jsonl": ledgerLine("agentic-aggregates", "a.json", newer, lateCapture, "complete")})
	w.load("w.db", w.options(), "f")
	for id, want := range map[int]string{421: "2500 <nil>", 422: "8 2026-08-09T03:00:00.500Z"} {
		r := w.answer("w.db", "published-agentic-aggregates", cells{"id": id})
		i := slices.IndexFunc(r, func(r cells) bool { return r["metric"] == "isl" })
		if got := fmt.Sprint(r[i]["mean"], " ", r[i]["captured_at"]); len(r) != 4 || got != want {
			t.Errorf("%d: %s, want %s", id, got, want)
		}
	}
}
