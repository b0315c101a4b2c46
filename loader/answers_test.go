package loader

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
)

// The queries that answer what operations of the InferenceX API compute are held
// twice: against oracles of their own over the demonstration and invented rows,
// and, where BLIS_WAREHOUSE_DATA names a folder of real captures, against what the
// publisher answered. docs/inferencex-operations.md has the rules by which the two
// may differ there.

// TestAnswersOracle holds each against its oracle.
func TestAnswersOracle(t *testing.T) {
	w := analysed(t)
	for _, db := range analysedDatabases {
		w.writable(db) // open until the end of all
	}
	for _, tt := range []struct {
		query  string
		oracle func(*testing.T, *world)
	}{
		{"availability", availabilityOracle},
		{"submissions", submissionsOracle},
		{"submission-volume", submissionVolumeOracle},
		{"latest-images", latestImagesOracle},
		{"benchmark-siblings", benchmarkSiblingsOracle},
		{"tco-feed", tcoFeedOracle},
	} {
		t.Run(tt.query, func(t *testing.T) {
			tt.oracle(t, &world{t, w.dir, w.open})
		})
	}
}

// TestAnswersOfRealCaptures compares what is computed with what was published, on
// the subset that the loaded rows determine. It counts that subset, which may not
// be empty where the operation was captured.
func TestAnswersOfRealCaptures(t *testing.T) {
	dir := os.Getenv("BLIS_WAREHOUSE_DATA")
	if dir == "" {
		t.Skip("NOT RUN: BLIS_WAREHOUSE_DATA names no folder of captures")
	}
	w := newWorld(t, nil)
	w.load("w.db", w.options(), dir)
	w.writable("w.db")
	t.Run("tco-feed of the rows", func(t *testing.T) {
		if between, _, _ := holdTCOFeed(t, &world{t, w.dir, w.open}, "w.db"); between == 0 {
			t.Error("nothing is interpolated")
		}
	})
	for _, tt := range []struct {
		operation, query string
		compare          func(*testing.T, *world) (subset int, what string)
	}{
		{"availability", "availability", compareAvailability},
		{"reliability", "published-reliability", compareReliability},
		{"submissions", "submissions", compareSubmissions},
		{"submissions", "submission-volume", compareVolume},
		{"latest-images", "latest-images", compareLatestImages},
		{"tco-feed", "tco-feed", compareTCOFeed},
		{"agentic-aggregates", "agentic-aggregates", compareLengths},
		{"derived-agentic-metrics", "derived-agentic-metrics", compareInteractivity},
	} {
		t.Run(tt.query, func(t *testing.T) {
			w := &world{t, w.dir, w.open}
			if len(w.records("w.db", "SELECT 1 FROM inferencex_bodies WHERE operation = ?", tt.operation)) == 0 {
				t.Skip("NOT RUN: no capture of " + tt.operation)
			}
			n, what := tt.compare(t, w)
			t.Logf("%d %s", n, what)
			if n == 0 {
				t.Errorf("the loaded rows determine nothing of the captures: no %s", what)
			}
		})
	}
}

// datedRows are the current rows of InferenceX that have a day.
func (w *world) datedRows(db string) []cells {
	w.t.Helper()
	return slices.DeleteFunc(w.records(db, "SELECT * FROM inferencex_rows"), func(r cells) bool { return r["date"] == nil || r["hidden_by_attempt"] != nil })
}

// picked are the values of columns, in one text.
func picked(r cells, columns ...string) string {
	values := make([]string, len(columns))
	for i, c := range columns {
		values[i] = fmt.Sprint(r[c])
	}
	return strings.Join(values, "|")
}

var availabilityColumns = []string{"model", "isl", "osl", "precision", "hardware", "framework", "spec_method", "disagg", "benchmark_type", "date"}

func availabilityOracle(t *testing.T, w *world) {
	n := 0
	for _, db := range analysedDatabases {
		for _, only := range []any{nil, "h200"} {
			points := map[string]int{}
			for _, r := range w.datedRows(db) {
				if only == nil || r["hardware"] == only {
					points[picked(r, availabilityColumns...)]++
				}
			}
			var got, want []string
			for key, n := range points {
				want = append(want, fmt.Sprint(key, "|", n))
			}
			for _, r := range w.answer(db, "availability", cells{"hardware": only}) {
				got = append(got, picked(r, append(slices.Clone(availabilityColumns), "points")...))
			}
			n += len(got)
			sameSet(t, db, got, want)
		}
	}
	if n < 20 {
		t.Errorf("%d combinations show little", n)
	}
}

// compareAvailability: of a model that was captured both ways, the days from the
// first that the publisher's list has on must be the same in both.
func compareAvailability(t *testing.T, w *world) (int, string) {
	published, first := map[string]bool{}, map[any]string{}
	last := map[any]string{}
	for _, r := range w.records("w.db", "SELECT * FROM inferencex_api_availability") {
		published[picked(r, availabilityColumns...)] = true
		day := r["date"].(string)
		if first[r["model"]] == "" || day < first[r["model"]] {
			first[r["model"]] = day
		}
		last[r["model"]] = max(last[r["model"]], day)
	}
	computed := map[string]bool{}
	models := map[any]bool{}
	subset := 0
	for _, r := range w.answer("w.db", "availability", nil) {
		key := picked(r, availabilityColumns...)
		computed[key], models[r["model"]] = true, true
		day := r["date"].(string)
		switch {
		case first[r["model"]] == "" || day < first[r["model"]] || day > last[r["model"]]: // rule: captures are trimmed
		case !published[key]:
			t.Errorf("computed and not published: %s", key)
		default:
			subset++
		}
	}
	for _, r := range w.records("w.db", "SELECT * FROM inferencex_api_availability") {
		if key := picked(r, availabilityColumns...); models[r["model"]] && !computed[key] {
			t.Errorf("published and not computed: %s", key)
		}
	}
	return subset, "combinations and days of models whose rows are loaded, in the days that the publisher's list covers"
}

var submissionColumns = []string{"model", "hardware", "framework", "precision", "spec_method", "disagg", "is_multinode", "num_prefill_gpu", "num_decode_gpu",
	"prefill_tp", "prefill_ep", "decode_tp", "decode_ep", "date"}

// submitted are what the rows of a configuration and day come to.
type submitted struct {
	points                        int64
	sequences, concurrencies, img map[any]bool
}

func (s *submitted) String() string {
	most, image := int64(math.MinInt64), any(nil)
	for c := range s.concurrencies {
		most = max(most, c.(int64))
	}
	for i := range s.img {
		if image == nil || i.(string) < image.(string) {
			image = i
		}
	}
	return fmt.Sprint(s.points, "|", len(s.sequences), "|", len(s.concurrencies), "|", most, "|", image, "|", len(s.img))
}

func submissionsOracle(t *testing.T, w *world) {
	n := 0
	for _, db := range analysedDatabases {
		groups := map[string]*submitted{}
		for _, r := range w.datedRows(db) {
			key := picked(r, submissionColumns...)
			g := groups[key]
			if g == nil {
				g = &submitted{sequences: map[any]bool{}, concurrencies: map[any]bool{}, img: map[any]bool{}}
				groups[key] = g
			}
			g.points++
			g.sequences[picked(r, "isl", "osl")], g.concurrencies[r["conc"]] = true, true
			if r["image"] != nil {
				g.img[r["image"]] = true
			}
		}
		var got, want []string
		for key, g := range groups {
			want = append(want, key+"|"+g.String())
			n++
		}
		for _, r := range w.answer(db, "submissions", nil) {
			got = append(got, picked(r, append(slices.Clone(submissionColumns), "total_datapoints", "distinct_sequences", "distinct_concurrencies", "max_concurrency", "image", "images")...))
		}
		sameSet(t, db, got, want)
	}
	if n < 20 {
		t.Errorf("%d configurations and days show little", n)
	}
}

// TestSubmissions holds what the series leave out: several sequences and images,
// agentic traces, which have no lengths, and a hidden attempt.
func TestSubmissions(t *testing.T) {
	agentic := invented("benchmark_type", "agentic_traces", "isl", nil, "osl", nil, "conc", 99, "image", "img:a")
	w := loaded(t, invented("image", "img:b"), invented("image", "img:b", "conc", 8), invented("isl", 8192), agentic, agentic.with("conc", 4),
		invented("conc", 7, "run_url", actions+"100000002/attempts/1"), invented("conc", 6, "run_url", actions+"100000002/attempts/2"))
	got := w.answer("w.db", "submissions", nil)
	if len(got) != 1 || picked(got[0], "total_datapoints", "distinct_sequences", "distinct_concurrencies", "max_concurrency", "image", "images") != "6|3|4|99|img:a|2" {
		t.Errorf("got %v", got)
	}
	if got := w.answer("w.db", "submission-volume", nil); len(got) != 1 || picked(got[0], "date", "hardware", "datapoints") != "2026-01-02|h200|6" {
		t.Errorf("got %v", got)
	}
}

func submissionVolumeOracle(t *testing.T, w *world) {
	for _, db := range analysedDatabases {
		points := map[string]int{}
		for _, r := range w.datedRows(db) {
			points[picked(r, "date", "hardware")]++
		}
		var got, want []string
		for key, n := range points {
			want = append(want, fmt.Sprint(key, "|", n))
		}
		for _, r := range w.answer(db, "submission-volume", nil) {
			got = append(got, picked(r, "date", "hardware", "datapoints"))
		}
		sameSet(t, db, got, want)
		if len(want) < 2 {
			t.Errorf("%s: %d hardware and days show little", db, len(want))
		}
	}
}

var imageColumns = []string{"model", "hardware", "framework", "precision", "spec_method", "disagg", "isl", "osl", "benchmark_type"}

// newerRow orders rows of a combination, the newest first, as inferencex_lines does.
func newerRow(names map[any]cells) func(a, b cells) int {
	text := func(v any) string { s, _ := v.(string); return s }
	whole := func(v any) int64 {
		if n, ok := v.(int64); ok {
			return n
		}
		return math.MinInt64
	}
	return func(a, b cells) int {
		return cmp.Or(cmp.Compare(text(b["date"]), text(a["date"])), cmp.Compare(text(b["run_started_at"]), text(a["run_started_at"])),
			cmp.Compare(whole(b["github_run_id"]), whole(a["github_run_id"])), cmp.Compare(whole(b["run_attempt"]), whole(a["run_attempt"])),
			cmp.Compare(text(names[b["run_id"]]["name"]), text(names[a["run_id"]]["name"])), cmp.Compare(text(a["image"]), text(b["image"])))
	}
}

func latestImagesOracle(t *testing.T, w *world) {
	older, several := 0, 0
	for _, db := range analysedDatabases {
		names := by(w.records(db, "SELECT run_id, name FROM runs"), "run_id")
		lines := map[string][]cells{}
		for _, r := range w.datedRows(db) {
			if r["image"] != nil {
				key := picked(r, imageColumns...)
				lines[key] = append(lines[key], r)
			}
		}
		var got, want []string
		for key, rows := range lines {
			slices.SortFunc(rows, newerRow(names))
			newest, ofDay := rows[0], map[any]bool{}
			for _, r := range rows {
				if r["date"] == newest["date"] {
					ofDay[r["image"]] = true
				} else if r["image"] != newest["image"] {
					older++
				}
			}
			if len(ofDay) > 1 {
				several++
			}
			want = append(want, fmt.Sprint(key, "|", picked(newest, "image", "date"), "|", names[newest["run_id"]]["name"], "|", len(ofDay)))
		}
		for _, r := range w.answer(db, "latest-images", nil) {
			got = append(got, picked(r, append(slices.Clone(imageColumns), "image", "date", "run", "images")...))
		}
		sameSet(t, db, got, want)
	}
	if older == 0 {
		t.Error("no combination had another image before")
	}
}

// TestLatestImages holds what the series leave out: images that differ on one day,
// rows without an image, and a hidden attempt.
func TestLatestImages(t *testing.T) {
	at := func(run, attempt int, date string, image any) object {
		return invented("date", date, "run_url", fmt.Sprintf("%s%d/attempts/%d", actions, run, attempt), "image", image)
	}
	w := loaded(t, at(1, 1, "2026-01-02", "img:old"), at(2, 1, "2026-01-04", "img:a"), at(3, 1, "2026-01-04", "img:b"), at(4, 1, "2026-01-05", nil),
		at(5, 1, "2026-01-06", "img:hidden"), at(5, 2, "2026-01-06", nil))
	got := w.answer("w.db", "latest-images", nil)
	if len(got) != 1 || got[0]["image"] != "img:b" || got[0]["date"] != "2026-01-04" || got[0]["images"] != int64(2) {
		t.Errorf("got %v", got)
	}
}

// siblingOf is what the points of a SKU have in common.
func siblingOf(r cells, w cells) string {
	run := picked(w, "github_run_id", "run_attempt", "artifact_run")
	if w["github_run_id"] == nil {
		run += fmt.Sprint("|", w["measured_on"])
	}
	return picked(r, "hardware", "framework", "model", "precision", "spec_method", "benchmark_type") + "|" + run
}

func benchmarkSiblingsOracle(t *testing.T, w *world) {
	asked, others := 0, 0
	for _, db := range analysedDatabases {
		runs := by(w.records(db, "SELECT * FROM runs JOIN inferencex_runs USING (run_id)"), "run_id")
		points := by(w.records(db, "SELECT * FROM points"), "point_id")
		groups := map[string][]cells{}
		for _, r := range w.records(db, "SELECT * FROM inferencex_rows") {
			key := siblingOf(r, runs[r["run_id"]])
			groups[key] = append(groups[key], r)
		}
		for _, group := range groups {
			from := group[len(group)/2]
			var got, want []string
			for _, r := range group {
				current := 0
				if r["point_id"] == from["point_id"] {
					current = 1
				} else if r["run_id"] != from["run_id"] {
					others++
				}
				want = append(want, fmt.Sprint(runs[r["run_id"]]["name"], "|", points[r["point_id"]]["id"], "|", picked(r, "id", "isl", "osl", "conc", "offload_mode", "decode_tp",
					"prefill_tp", "num_decode_gpu", "disagg", "tput_per_gpu", "num_requests_total"), "|", current))
			}
			for _, r := range w.answer(db, "benchmark-siblings", cells{"run": runs[from["run_id"]]["name"], "point": points[from["point_id"]]["id"]}) {
				got = append(got, picked(r, "run", "point", "published_id", "isl", "osl", "conc", "offload_mode", "decode_tp",
					"prefill_tp", "num_decode_gpu", "disagg", "total_tok_s_per_gpu", "total_requests", "is_current"))
			}
			sameSet(t, db, got, want)
			asked++
		}
	}
	if asked < 10 {
		t.Errorf("%d were asked for", asked)
	}
}

// TestBenchmarkSiblings holds which points are siblings: those of one attempt of a
// GitHub run whatever their parallelism, of rows without an address those of a day.
func TestBenchmarkSiblings(t *testing.T) {
	wide := []any{"prefill_tp", 4, "decode_tp", 4, "num_prefill_gpu", 4, "num_decode_gpu", 4}
	w := loaded(t, invented(), invented("conc", 8), invented(wide...), invented("isl", 8192), invented("spec_method", "mtp"), invented("run_url", actions+"100000001/attempts/2"),
		invented("run_url", nil), invented(wide...).with("run_url", nil), invented("run_url", nil, "date", "2026-01-03"))
	for _, tt := range []struct {
		where string
		want  int
	}{
		{"i.run_attempt = 1 AND c.spec_method = 'none'", 4}, {"i.run_attempt = 1 AND c.spec_method = 'mtp'", 1}, {"i.run_attempt = 2", 1},
		{"i.run_url IS NULL AND r.measured_on = '2026-01-02'", 2}, {"i.run_url IS NULL AND r.measured_on = '2026-01-03'", 1},
	} {
		runs := w.query("w.db", "SELECT r.name FROM runs r JOIN inferencex_runs i USING (run_id) JOIN inferencex_configs c USING (config_id) WHERE "+tt.where)
		if len(runs) == 0 {
			t.Fatalf("%s: no run", tt.where)
		}
		for _, run := range runs {
			if got := w.answer("w.db", "benchmark-siblings", cells{"run": run, "point": nil}); len(got) != tt.want {
				t.Errorf("%s: %s has %d siblings, want %d", tt.where, run, len(got), tt.want)
			}
		}
	}
}

// compareReliability: the publisher's rows, summed here, are what the query of
// captures answers; what a dump says of the same hardware and day must agree.
func compareReliability(t *testing.T, w *world) (int, string) {
	sums := map[string][3]int64{}
	for _, r := range w.records("w.db", `SELECT * FROM inferencex_api_reliability JOIN inferencex_newest_bodies USING (sha256)`) {
		key := picked(r, "hardware", "date")
		s := sums[key]
		sums[key] = [3]int64{s[0] + 1, s[1] + r["n_success"].(int64), s[2] + r["total"].(int64)}
	}
	subset, undefined := 0, 0
	for _, query := range []string{"published-reliability", "reliability"} {
		for _, r := range w.answer("w.db", query, nil) {
			s, ok := sums[picked(r, "hardware", "date")]
			if !ok && query == "reliability" {
				continue // rule: the list was captured before, or is trimmed
			}
			want := any(nil)
			if s[2] != 0 {
				want = float64(s[1]) / float64(s[2])
			} else {
				undefined++
			}
			if !ok || r["runs"] != s[0] || r["n_success"] != s[1] || r["total"] != s[2] || r["success_ratio"] != want {
				t.Errorf("%s: %v, want %v %v", query, r, s, want)
			}
			subset++
		}
	}
	if subset < len(sums) {
		t.Errorf("%d hardware and days of %d", subset, len(sums))
	}
	return subset, fmt.Sprintf("hardware and days, %d without a ratio", undefined)
}

// compareSubmissions: a configuration and day of which rows are loaded is listed,
// from the first day of its model in the list on, with no fewer points, sequences
// and concurrencies, and with an image that rows name.
func compareSubmissions(t *testing.T, w *world) (int, string) {
	published, first := map[string]cells{}, map[any]string{}
	for _, r := range w.records("w.db", "SELECT * FROM inferencex_api_submissions") {
		published[picked(r, submissionColumns...)] = r
		if day := r["date"].(string); first[r["model"]] == "" || day < first[r["model"]] {
			first[r["model"]] = day
		}
	}
	images := map[string]bool{}
	for _, r := range w.datedRows("w.db") {
		images[picked(r, append(slices.Clone(submissionColumns), "image")...)] = true
	}
	subset, whole := 0, 0
	for _, r := range w.answer("w.db", "submissions", nil) {
		key := picked(r, submissionColumns...)
		p := published[key]
		if p == nil {
			if f := first[r["model"]]; f != "" && r["date"].(string) >= f {
				t.Errorf("computed and not published: %s", key)
			}
			continue // rule: trimmed captures
		}
		subset++
		counts := []string{"total_datapoints", "distinct_sequences", "distinct_concurrencies", "max_concurrency"}
		for _, c := range counts {
			if r[c].(int64) > p[c].(int64) { // fewer: trimmed captures
				t.Errorf("%s: %s is %v, published %v", key, c, r[c], p[c])
			}
		}
		if r["total_datapoints"] == p["total_datapoints"] {
			whole++
			if picked(r, counts...) != picked(p, counts...) {
				t.Errorf("%s: %v, published %v", key, r, p)
			}
		}
		if r["image"] != nil && p["image"] != nil && !images[key+"|"+p["image"].(string)] {
			t.Errorf("%s: image %v, published %v", key, r["image"], p["image"])
		}
	}
	return subset, fmt.Sprintf("configurations and days, %d with all of their points", whole)
}

// compareVolume: no hardware and day has more points than were published, and the
// publisher's own summary adds up to its volume after the summary's first day.
func compareVolume(t *testing.T, w *world) (int, string) {
	published := map[string]int64{}
	for _, r := range w.records("w.db", "SELECT * FROM inferencex_api_volume") {
		published[picked(r, "date", "hardware")] = r["datapoints"].(int64)
	}
	subset, equal := 0, 0
	for _, r := range w.answer("w.db", "submission-volume", nil) {
		key := picked(r, "date", "hardware")
		n, p := r["datapoints"].(int64), published[key]
		if p < n { // fewer: trimmed captures
			t.Errorf("%s: %d points, published %d", key, n, p)
		}
		if n == p {
			equal++
		}
		subset++
	}
	sums := map[string]int64{}
	summary := w.records("w.db", "SELECT * FROM inferencex_api_submissions ORDER BY date")
	for _, r := range summary {
		if r["date"] != summary[0]["date"] { // rule: trimmed captures
			sums[picked(r, "date", "hardware")] += r["total_datapoints"].(int64)
		}
	}
	for key, n := range sums {
		if published[key] != n {
			t.Errorf("%s: the summary adds up to %d, the volume is %d", key, n, published[key])
		}
	}
	return subset, fmt.Sprintf("hardware and days, %d with all of their points; the summary adds up to the volume on %d", equal, len(sums))
}

// compareLatestImages: a combination whose image is as new as the published one
// has that image, or another of that day.
func compareLatestImages(t *testing.T, w *world) (int, string) {
	published := map[string]cells{}
	for _, r := range w.records("w.db", "SELECT * FROM inferencex_api_latest_images JOIN inferencex_newest_bodies USING (sha256)") {
		published[picked(r, imageColumns...)] = r
	}
	subset := 0
	for _, r := range w.answer("w.db", "latest-images", nil) {
		key := picked(r, imageColumns...)
		p := published[key]
		if p == nil || p["date"] != r["date"] {
			continue // rule: trimmed captures, here or there
		}
		subset++
		if p["image"] != r["image"] && r["images"] == int64(1) {
			t.Errorf("%s: image %v, published %v", key, r["image"], p["image"])
		}
	}
	return subset, "combinations whose newest image is of the published day"
}

// knot is a point of a frontier.
type knot struct{ x, y float64 }

// frontierOf are the points that no other beats, slowest first, each once.
func frontierOf(points []knot) []knot {
	var front []knot
	for _, p := range points {
		if !slices.Contains(front, p) && !slices.ContainsFunc(points, func(q knot) bool { return q.x >= p.x && q.y >= p.y && q != p }) {
			front = append(front, p)
		}
	}
	slices.SortFunc(front, func(a, b knot) int { return cmp.Compare(a.x, b.x) })
	return front
}

// steffen is the curve of Steffen 1990 at a place within its knots, in the form of
// that paper: a cubic in the distance from the knot before.
func steffen(k []knot, at float64) float64 {
	n := len(k)
	if n == 1 {
		return k[0].y
	}
	sign := func(v float64) float64 { return math.Copysign(1, v) }
	secant := func(i int) float64 { return (k[i+1].y - k[i].y) / (k[i+1].x - k[i].x) }
	slope := make([]float64, n)
	for i := 1; i < n-1; i++ {
		h0, h1 := k[i].x-k[i-1].x, k[i+1].x-k[i].x
		p := (secant(i-1)*h1 + secant(i)*h0) / (h0 + h1)
		slope[i] = (sign(secant(i-1)) + sign(secant(i))) * min(math.Abs(secant(i-1)), math.Abs(secant(i)), math.Abs(p)/2)
	}
	slope[0], slope[n-1] = secant(0), secant(n-2)
	if n > 2 {
		slope[0], slope[n-1] = (3*secant(0)-slope[1])/2, (3*secant(n-2)-slope[n-2])/2
	}
	i := 0
	for i < n-2 && k[i+1].x <= at {
		i++
	}
	h, s, d := k[i+1].x-k[i].x, secant(i), at-k[i].x
	a, b := (slope[i]+slope[i+1]-2*s)/(h*h), (3*s-2*slope[i]-slope[i+1])/h
	return a*d*d*d + b*d*d + slope[i]*d + k[i].y
}

// tcoLengths are the workloads that tests ask for, and their weights.
var tcoLengths = []struct {
	isl, osl int64
	weight   float64
}{{1024, 1024, 3}, {8192, 1024, 1}, {7, 7, 5}}

// holdTCOFeed holds points and scores of a database against computations of their
// own, and returns how many are interpolated, at a frontier's end, and beyond it.
func holdTCOFeed(t *testing.T, w *world, db string) (between, low, beyond int) {
	tiers, weights := []float64{20, 50, 76.5, 125, 500}, []float64{0.1, 2, 0.7, 0, 1}
	const alpha, sum = 0.4, 3.8
	models := by(w.records(db, "SELECT DISTINCT run_id, model FROM inferencex_rows"), "run_id")
	for _, tokens := range []string{"output", "total"} {
		points := map[string][]knot{} // of model and hardware, by workload
		for _, r := range w.records(db, "SELECT * FROM curves") {
			y, ok := r[tokens+"_tok_s_per_gpu"].(float64)
			if r["benchmark_type"] == "single_turn" && r["latest"] == int64(1) && r["date"] != nil && r["interactivity_p50_tok_s"] != nil && ok && y > 0 {
				key := fmt.Sprint(models[r["run_id"]]["model"], "|", r["hardware"], "|", r["isl"], "x", r["osl"])
				points[key] = append(points[key], knot{speed(r), y})
			}
		}
		want, scores, covered := map[string]float64{}, map[string]float64{}, map[string]float64{}
		for key, p := range points {
			front := frontierOf(p)
			for _, l := range tcoLengths {
				sku, ok := strings.CutSuffix(key, fmt.Sprintf("|%dx%d", l.isl, l.osl))
				if !ok {
					continue
				}
				for i, tier := range tiers {
					v := math.Inf(-1)
					switch {
					case tier < front[0].x:
						v = front[0].y
						low++
					case tier <= front[len(front)-1].x:
						v = steffen(front, tier)
						between++
					default:
						beyond++
					}
					want[fmt.Sprint(key, "|", tier)] = v
					scores[sku] += l.weight * weights[i] / sum * max(v, 0) * (1 + alpha*float64(l.isl)/float64(l.osl))
				}
				covered[sku] += l.weight
			}
		}
		ask := func(view string) []cells {
			return w.answer(db, "tco-feed", cells{"view": view, "tokens": tokens, "workloads": `["1024x1024", "8192x1024", "7x7", "x", 7]`, "workload_weights": "[3, 1, 5, 9]",
				"tiers": `[20, 50, 76.5, 125, 500, "9", -3]`, "weights": "[0.1, 2, 0.7, -1, 1, 8, 8]", "alpha": alpha})
		}
		near := func(got any, want float64) bool {
			v, ok := got.(float64)
			return ok == !math.IsInf(want, -1) && (!ok || math.Abs(v-want) <= 1e-9*want)
		}
		got := ask("points")
		if len(got) != len(want) {
			t.Errorf("%s, %s: %d points, want %d", db, tokens, len(got), len(want))
		}
		for _, r := range got {
			key := picked(r, "model", "hardware", "workload", "tier_tok_s")
			if v, ok := want[key]; !ok || !near(r["tok_s_per_gpu"], v) {
				t.Errorf("%s, %s: %s is %v, want %v", db, tokens, key, r["tok_s_per_gpu"], v)
			}
		}
		got = ask("scores")
		if len(got) != len(scores) {
			t.Errorf("%s, %s: %d scores, want %d", db, tokens, len(got), len(scores))
		}
		for _, r := range got {
			if key := picked(r, "model", "hardware"); !near(r["score_tok_s_per_gpu"], scores[key]/covered[key]) {
				t.Errorf("%s, %s: the score of %s is %v, want %v", db, tokens, key, r["score_tok_s_per_gpu"], scores[key]/covered[key])
			}
		}
	}
	return between, low, beyond
}

func tcoFeedOracle(t *testing.T, w *world) {
	between, low, beyond := 0, 0, 0
	for _, db := range analysedDatabases {
		a, b, c := holdTCOFeed(t, w, db)
		between, low, beyond = between+a, low+b, beyond+c
	}
	if between < 10 || low < 3 || beyond < 10 {
		t.Errorf("%d interpolated, %d at the slow end and %d beyond show little", between, low, beyond)
	}
}

// TestTCOFeed holds figures that can be checked by hand.
func TestTCOFeed(t *testing.T) {
	at := func(conc int, intvty, output float64) object {
		return odd("median_tpot", 1/intvty, "median_intvty", intvty, "output_tput_per_gpu", output, "input_tput_per_gpu", output, "tput_per_gpu", 2*output).with("conc", conc)
	}
	w := loaded(t, at(4, 100, 100), at(8, 50, 300), at(16, 25, 400), at(32, 24, 350)) // the last is beaten
	points := func(values cells) (lines []string) {
		for _, r := range w.answer("w.db", "tco-feed", values) {
			lines = append(lines, picked(r, "workload", "tier_tok_s", "tok_s_per_gpu", "is_interpolated", "frontier_points", "score_tok_s_per_gpu", "workloads", "unreached_tiers"))
		}
		return lines
	}
	// Both secants are -4: a straight line.
	want := []string{"1024x1024|30|380|1|3|<nil>|<nil>|<nil>", "1024x1024|50|300|0|3|<nil>|<nil>|<nil>", "1024x1024|75|200|1|3|<nil>|<nil>|<nil>", "1024x1024|100|100|0|3|<nil>|<nil>|<nil>"}
	if got := points(nil); !slices.Equal(got, want) {
		t.Errorf("points %q", got)
	}
	for _, tt := range []struct {
		values cells
		want   string
	}{
		{nil, fmt.Sprint((0.35*380+0.4*300+0.2*200+0.05*100)*1.25, "|1|0")}, // the other workload has no points
		{cells{"alpha": 0.0, "tiers": "[10, 75]"}, "300|1|0"},
		{cells{"alpha": 0.0, "tiers": "[75, 101]"}, "100|1|1"},
		{cells{"alpha": 1.0, "tiers": "[75, 101]", "weights": "[3, 1]"}, "300|1|1"},
		{cells{"tiers": "[75]", "weights": "[0]"}, "<nil>|1|0"},
		{cells{"tiers": "[75]", "workload_weights": "[0, 1]"}, "<nil>|1|0"},
	} {
		values := cells{"view": "scores"}
		for k, v := range tt.values {
			values[k] = v
		}
		got := points(values)
		if len(got) != 1 || !strings.HasSuffix(got[0], "|3|"+tt.want) {
			t.Errorf("%v: %q, want %s", tt.values, got, tt.want)
		}
	}
	if got := points(cells{"as_of": "2025-01-01"}); got != nil {
		t.Errorf("before anything was measured: %q", got)
	}
}

// TestAnswersLeaveOut holds what has no day, and what is newer than a day: raw
// artifacts are in no answer but among siblings of their directory, and as of a day
// the run counts that was the newest then.
func TestAnswersLeaveOut(t *testing.T) {
	artifact := inventedArtifact("isl", 1024, "osl", 1024, "median_tpot", 0.01, "median_intvty", 100, "output_tput_per_gpu", 50, "image", "img:a")
	w := newWorld(t, map[string]string{"one/agg_a.json": artifact.String(), "one/agg_b.json": artifact.with("tp", 4).String(), "two/agg_c.json": artifact.with("tp", 2).String()})
	w.load("w.db", w.options(), "one", "two")
	for _, query := range []string{"availability", "submissions", "submission-volume", "latest-images", "tco-feed"} {
		if got := w.answer("w.db", query, nil); len(got) != 0 {
			t.Errorf("%s of raw artifacts: %v", query, got)
		}
	}
	var siblings []int
	for _, run := range w.query("w.db", "SELECT name FROM runs JOIN inferencex_runs USING (run_id) ORDER BY artifact_run, name") {
		siblings = append(siblings, len(w.answer("w.db", "benchmark-siblings", cells{"run": run})))
	}
	if !slices.Equal(siblings, []int{2, 2, 1}) {
		t.Errorf("siblings %v", siblings)
	}
	dated := func(date string, run int, output float64) object {
		return odd("median_intvty", 50, "median_tpot", 0.02, "output_tput_per_gpu", output, "input_tput_per_gpu", output, "tput_per_gpu", 2*output).
			with("date", date, "run_url", fmt.Sprintf("%s%d/attempts/1", actions, run))
	}
	w = loaded(t, dated("2026-01-02", 7, 100), dated("2026-01-05", 8, 60))
	for asOf, want := range map[any]any{"2026-01-01": nil, "2026-01-04": 100.0, "2026-01-05": 60.0, nil: 60.0} {
		got := w.answer("w.db", "tco-feed", cells{"as_of": asOf, "tiers": "[50]"})
		if want == nil && len(got) == 0 || len(got) == 1 && got[0]["tok_s_per_gpu"] == want {
			continue
		}
		t.Errorf("as of %v: %v, want %v", asOf, got, want)
	}
}

// compareTCOFeed: asked as the capture was, a hardware, workload and target has the
// published throughput, to its three digits, or one of rows that differ.
func compareTCOFeed(t *testing.T, w *world) (int, string) {
	subset, higher := 0, 0
	for _, f := range w.records("w.db", "SELECT * FROM inferencex_api_tco_feeds") {
		computed := map[string]any{}
		for _, m := range w.records("w.db", "SELECT value FROM json_each(?)", f["db_model_keys"]) {
			for _, r := range w.answer("w.db", "tco-feed", cells{"model": m["value"], "workloads": f["workloads"], "tiers": f["tiers"], "as_of": f["date"]}) {
				computed[picked(r, "hardware", "workload", "tier_tok_s")] = r["tok_s_per_gpu"]
			}
		}
		for _, r := range w.records("w.db", "SELECT * FROM inferencex_api_tco_rows WHERE tier IS NOT NULL AND sha256 = ?", f["sha256"]) {
			v, ok := computed[picked(r, "hardware", "workload", "tier")].(float64)
			p, _ := r["tput_per_gpu"].(float64)
			switch {
			case ok && math.Abs(v-p) <= 0.0006:
				subset++
			case ok && v > p:
				higher++ // rule: trimmed captures, which may lack a newer run
			}
		}
	}
	return subset, fmt.Sprintf("targets with the published throughput, %d with a higher one", higher)
}

// compareLengths: lengths of timelines, and of histograms that count no more requests, must be the publisher's.
func compareLengths(t *testing.T, w *world) (int, string) {
	n, apart := compareAggregates(t, w, false)
	return n, fmt.Sprintf("lengths of benchmarks, %d metrics apart", apart)
}
