package loader

import (
	"cmp"
	"database/sql"
	"fmt"
	"maps"
	"math"
	"math/rand"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/inference-sim/blis-warehouse/queries"
)

// The queries that rank, interpolate and judge are held against computations
// of their own, from the rows of curves (which has an oracle itself), over the
// demonstration and over invented rows.

// answer runs a query of the program with values for some of its parameters.
func (w *world) answer(db, name string, values cells) []cells {
	w.t.Helper()
	q, ok := queries.Get(name)
	if !ok {
		w.t.Fatalf("there is no query %s", name)
	}
	args := []any{}
	for _, p := range q.Params {
		args = append(args, sql.Named(p.Name, values[p.Name]))
		delete(values, p.Name)
	}
	if len(values) > 0 {
		w.t.Fatalf("query %s has no parameters %v", name, values)
	}
	return w.records(db, q.Text, args...)
}

// inventedSeries are rows of a few configurations measured on several days, of
// coarse values so that many are equal.
func inventedSeries(seed int64) string {
	rnd := rand.New(rand.NewSource(seed))
	var all []object
	workflow := 200000000
	for _, hw := range []string{"h200", "b200", "mi355x"} {
		for k := range 4 {
			tp := []int{4, 8}[k%2]
			for day := range 1 + rnd.Intn(9) {
				workflow++
				for _, conc := range []int{4, 8, 16, 32, 64} {
					if rnd.Intn(6) == 0 {
						continue
					}
					tpot := float64(5+rnd.Intn(12)) / 1000
					tput := float64(100 * (1 + rnd.Intn(12)))
					m := plausible("median_tpot", tpot, "median_intvty", 1/tpot, "median_ttft", float64(50+10*rnd.Intn(9))/1000, "p99_ttft", 0.7, "p99.9_ttft", 0.8,
						"p75_tpot", nil, "p90_tpot", 0.018, "p95_tpot", 0.02, "tput_per_gpu", tput, "input_tput_per_gpu", tput/2, "output_tput_per_gpu", tput/2,
						"avg_power_w", 700, "joules_per_output_token", float64(1+rnd.Intn(9)), "power_valid", rnd.Intn(2), "power_metric_schema_version", 1+rnd.Intn(2))
					if rnd.Intn(9) == 0 {
						m["median_intvty"] = 2 / tpot // flagged
					}
					all = append(all, invented("hardware", hw, "prefill_tp", tp, "decode_tp", tp, "num_prefill_gpu", tp, "num_decode_gpu", tp, "conc", conc, "metrics", m,
						"spec_method", []string{"none", "mtp"}[k/2], "image", fmt.Sprintf("vllm/vllm-openai:v0.%d.0", 20+day/2),
						"date", fmt.Sprintf("2026-02-%02d", 1+day), "run_url", fmt.Sprintf("%s%d/attempts/%d", actions, workflow, 1+rnd.Intn(2))))
				}
			}
		}
	}
	for _, tp := range []int{4, 8} { // two configurations that are equally good
		all = append(all, odd("median_tpot", 0.004, "median_intvty", 250, "tput_per_gpu", 50, "input_tput_per_gpu", 25, "output_tput_per_gpu", 25).
			with("spec_method", "draft_model", "prefill_tp", tp, "decode_tp", tp, "num_prefill_gpu", tp, "num_decode_gpu", tp))
	}
	return array(all...)
}

// analysed are databases to ask: the demonstration, and invented series.
func analysed(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, map[string]string{"one.json": inventedSeries(1), "two.json": inventedSeries(2), "three.json": inventedSeries(3)})
	demo, err := filepath.Abs("../testdata/demo")
	if err != nil {
		t.Fatal(err)
	}
	w.load("demo.db", w.options(), filepath.Join(demo, "catalog"), filepath.Join(demo, "captures"), filepath.Join(demo, "series"), filepath.Join(demo, "files", "demo-lone-file.yaml"))
	for _, name := range []string{"one", "two", "three"} {
		w.load(name+".db", w.options(), name+".json")
	}
	return w
}

// TestQueriesOracle holds each query against its oracle. They share the
// databases; the last changes licences in one.
func TestQueriesOracle(t *testing.T) {
	w := analysed(t)
	for _, db := range analysedDatabases {
		w.writable(db) // open until the end of all
	}
	for _, tt := range []struct {
		query  string
		oracle func(*testing.T, *world)
	}{
		{"pareto-frontier", paretoFrontierOracle},
		{"throughput-at-interactivity", throughputAtInteractivityOracle},
		{"best-throughput", bestThroughputOracle},
		{"concurrency-scaling", concurrencyScalingOracle},
		{"regressions", regressionsOracle},
		{"engine-versions", engineVersionsOracle},
		{"outliers", outliersOracle},
		{"energy-per-token", energyPerTokenOracle},
		{"coverage-matrix", coverageMatrixOracle},
		{"provenance-gaps", provenanceGapsOracle},
		{"goodput", goodputOracle},
		{"licence-unlocks", licenceUnlocksOracle},
	} {
		t.Run(tt.query, func(t *testing.T) {
			tt.oracle(t, &world{t, w.dir, w.open})
		})
	}
}

var analysedDatabases = []string{"demo.db", "one.db", "two.db", "three.db"}

// flaggedBeyond reports whether a point has a flag that accept does not name.
func flaggedBeyond(row cells, accept any) bool {
	codes, _ := row["flag_codes"].(string)
	for _, code := range strings.Split(codes, ", ") {
		list, _ := accept.(string)
		if code != "" && !slices.Contains(strings.Split(list, ","), code) {
			return true
		}
	}
	return false
}

// ranked are the rows that the ranking queries compare, by group.
func ranked(curves []cells, keep func(cells) bool) map[string][]cells {
	groups := map[string][]cells{}
	for _, r := range curves {
		if r["benchmark_type"] == "single_turn" && r["latest"] == int64(1) && keep(r) {
			groups[groupOf(r)] = append(groups[groupOf(r)], r)
		}
	}
	return groups
}

func groupOf(r cells) string {
	return fmt.Sprint(r["model"], " ", r["hardware"], " ", r["precision"], " ", r["isl"], " ", r["osl"])
}

func both(r cells) bool {
	return r["interactivity_p50_tok_s"] != nil && r["total_tok_s_per_gpu"] != nil
}

func speed(r cells) float64      { return r["interactivity_p50_tok_s"].(float64) }
func throughput(r cells) float64 { return r["total_tok_s_per_gpu"].(float64) }

// accepts are the values of the parameter accept that are tried.
var accepts = []any{nil, "unofficial", "unofficial,intvty_tpot"}

func paretoFrontierOracle(t *testing.T, w *world) {
	onIt, off, equal, nothing := 0, 0, 0, 0
	for _, db := range analysedDatabases {
		curves := w.records(db, "SELECT * FROM curves")
		for _, accept := range accepts {
			var want []string
			for _, group := range ranked(curves, both) {
				left := slices.DeleteFunc(slices.Clone(group), func(r cells) bool { return flaggedBeyond(r, accept) })
				if len(left) == 0 {
					nothing++
					want = append(want, fmt.Sprint(groupOf(group[0]), nil, nil, nil, nil, 0, len(group)))
				}
				for _, p := range left {
					beaten := slices.ContainsFunc(left, func(q cells) bool {
						return speed(q) >= speed(p) && throughput(q) >= throughput(p) && (speed(q) > speed(p) || throughput(q) > throughput(p))
					})
					if beaten {
						off++
						continue
					}
					for _, q := range left {
						if q["point_id"] != p["point_id"] && speed(q) == speed(p) && throughput(q) == throughput(p) {
							equal++
						}
					}
					onIt++
					want = append(want, fmt.Sprint(groupOf(p), p["run"], p["point"], speed(p), throughput(p), len(left), len(group)-len(left)))
				}
			}
			var got []string
			for _, r := range w.answer(db, "pareto-frontier", cells{"accept": accept}) {
				got = append(got, fmt.Sprint(groupOf(r), r["run"], r["point"], r["interactivity_p50_tok_s"], r["total_tok_s_per_gpu"], r["points"], r["left_out"]))
			}
			sameSet(t, db, got, want)
		}
	}
	if onIt < 30 || off < 100 || equal == 0 || nothing == 0 {
		t.Errorf("%d points on a frontier, %d beaten, %d equal to another and %d groups with flagged points only show little", onIt, off, equal, nothing)
	}
}

// sameSet compares lines without regard to their order.
func sameSet(t *testing.T, what string, got, want []string) {
	t.Helper()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %d\n%.3000s\nwant %d\n%.3000s", what, len(got), strings.Join(got, "\n"), len(want), strings.Join(want, "\n"))
	}
}

func throughputAtInteractivityOracle(t *testing.T, w *world) {
	targets := []float64{20, 60, 76.5, 100, 125, 199, 500}
	measured, between, none := 0, 0, 0
	for _, db := range analysedDatabases {
		curves := w.records(db, "SELECT * FROM curves ORDER BY run_id, position")
		for _, accept := range accepts {
			want := map[string]float64{}
			for name, group := range ranked(curves, both) {
				for _, target := range targets {
					best := math.Inf(-1)
					for _, run := range grouped(group, "run_id") {
						run = slices.DeleteFunc(slices.Clone(run), func(r cells) bool { return flaggedBeyond(r, accept) })
						for i, p := range run {
							if speed(p) >= target {
								best = max(best, throughput(p))
							}
							if i == 0 {
								continue
							}
							fast, slow := run[i-1], p
							if speed(fast) < speed(slow) {
								fast, slow = slow, fast
							}
							if speed(slow) < target && target < speed(fast) {
								share := (speed(fast) - target) / (speed(fast) - speed(slow)) // of the way from fast to slow
								best = max(best, (1-share)*throughput(fast)+share*throughput(slow))
							}
						}
					}
					want[fmt.Sprint(name, " ", target)] = best
				}
			}
			got := w.answer(db, "throughput-at-interactivity", cells{"accept": accept, "tiers": "[20, 60, 76.5, 100, 125, 199, 500, \"7\", -1, 100]"})
			if len(got) != len(want) {
				t.Errorf("%s: %d rows, want %d", db, len(got), len(want))
			}
			for _, r := range got {
				key := fmt.Sprint(groupOf(r), " ", r["target_tok_s"])
				best, ok := want[key]
				v, answered := r["total_tok_s_per_gpu"].(float64)
				if !ok || answered == math.IsInf(best, -1) || answered && math.Abs(v-best) > 1e-9*best {
					t.Errorf("%s: %s is %v, want %v", db, key, r["total_tok_s_per_gpu"], best)
				}
				switch {
				case !answered:
					none++
				case r["interpolated"] == int64(1):
					between++
				default:
					measured++
				}
			}
		}
	}
	if measured < 10 || between < 10 || none < 10 {
		t.Errorf("%d measured, %d interpolated and %d without an answer show little", measured, between, none)
	}
}

func bestThroughputOracle(t *testing.T, w *world) {
	found, leftOut, nothing := 0, 0, 0
	for _, db := range analysedDatabases {
		curves := w.records(db, "SELECT * FROM curves")
		for _, accept := range accepts {
			for _, limits := range []struct {
				ttft, tpot any
				statistic  any
			}{{nil, nil, nil}, {90.0, nil, nil}, {nil, 10.0, "p50"}, {80.0, 12.0, nil}, {nil, 20.0, "p95"}, {700.0, 24.0, "p99"}, {1.0, nil, "mean"}, {nil, 20.0, "p90"}} {
				statistic := "p50"
				if limits.statistic != nil {
					statistic = limits.statistic.(string)
				}
				keeps := func(r cells, metric string, limit any) bool {
					v, ok := r[metric+"_"+statistic+"_ms"].(float64)
					return limit == nil || ok && v <= limit.(float64)
				}
				var want []string
				for name, group := range ranked(curves, func(r cells) bool {
					return r["total_tok_s_per_gpu"] != nil && keeps(r, "ttft", limits.ttft) && keeps(r, "tpot", limits.tpot)
				}) {
					var best cells
					n := 0
					for _, r := range group {
						if flaggedBeyond(r, accept) {
							continue
						}
						if n++; best == nil || throughput(r) > throughput(best) || throughput(r) == throughput(best) &&
							cmp.Or(cmp.Compare(r["run"].(string), best["run"].(string)), cmp.Compare(r["position"].(int64), best["position"].(int64))) < 0 {
							best = r
						}
					}
					leftOut += len(group) - n
					if best == nil {
						nothing++
						best = cells{}
					} else {
						found++
					}
					want = append(want, fmt.Sprint(name, best["total_tok_s_per_gpu"], best["run"], best["point"], best["parallelism"], n, len(group)-n,
						best["ttft_"+statistic+"_ms"], best["tpot_"+statistic+"_ms"]))
				}
				var got []string
				for _, r := range w.answer(db, "best-throughput", cells{"accept": accept, "max_ttft_ms": limits.ttft, "max_tpot_ms": limits.tpot, "statistic": limits.statistic}) {
					got = append(got, fmt.Sprint(groupOf(r), r["total_tokens_per_s_per_gpu"], r["run"], r["point"], r["parallelism"], r["points"], r["left_out"], r["ttft_ms"], r["tpot_ms"]))
				}
				sameSet(t, fmt.Sprint(db, accept, limits), got, want)
			}
		}
	}
	if found < 50 || leftOut < 50 || nothing == 0 {
		t.Errorf("%d answers, %d points left out and %d groups of these alone show little", found, leftOut, nothing)
	}
}

func concurrencyScalingOracle(t *testing.T, w *world) {
	knees, without, rates := 0, 0, 0
	for _, db := range analysedDatabases {
		var want []string
		for _, run := range grouped(w.records(db, "SELECT * FROM curves WHERE latest = 1 ORDER BY run_id, position"), "run_id") {
			load := "concurrency"
			if run[0]["concurrency"] == nil {
				load = "request_rate"
			}
			for _, metric := range []string{"total_tok_s_per_gpu", "output_tok_s_per_gpu", "total_tok_s", "output_tok_s"} {
				points := slices.DeleteFunc(slices.Clone(run), func(r cells) bool { return r[metric] == nil })
				if len(points) == 0 {
					continue
				}
				if load == "request_rate" {
					rates++
				}
				top := 0.0
				for _, p := range points {
					top = max(top, p[metric].(float64))
				}
				knee, saturated := false, false
				for i, p := range points {
					isKnee, isSaturated := 0, 0
					if i > 0 {
						growth := p[metric].(float64)/points[i-1][metric].(float64) - 1
						more := asFloat(p[load])/asFloat(points[i-1][load]) - 1
						if !knee && growth < 0.5*more {
							knee, isKnee = true, 1
						}
					}
					if !saturated && p[metric].(float64) >= 0.95*top {
						saturated, isSaturated = true, 1
					}
					want = append(want, fmt.Sprint(p["run"], p["point"], metric, p[metric], isKnee, isSaturated))
				}
				if knee {
					knees++
				} else {
					without++
				}
				break
			}
		}
		var got []string
		for _, r := range w.answer(db, "concurrency-scaling", cells{}) {
			got = append(got, fmt.Sprint(r["run"], r["point"], r["metric"], r["throughput_tok_s"], r["knee"], r["saturation"]))
		}
		sameSet(t, db, got, want)
	}
	if knees < 10 || without < 3 {
		t.Errorf("%d runs with a knee and %d without show little", knees, without)
	}
	if one := w.answer("one.db", "concurrency-scaling", cells{"run": w.query("one.db", "SELECT run FROM curves WHERE latest = 0 LIMIT 1")[0]}); len(one) == 0 {
		t.Error("an older run that is named is left out")
	}
}

func asFloat(v any) float64 {
	if n, ok := v.(int64); ok {
		return float64(n)
	}
	return v.(float64)
}

// worseWithMore are the metrics that regressions compares, and whether more of them is worse.
var worseWithMore = map[string]bool{"total_tok_s_per_gpu": false, "output_tok_s": false, "goodput_requests_per_s": false, "ttft_p50_ms": true, "ttft_p99_ms": true,
	"tpot_p50_ms": true, "tpot_p99_ms": true, "itl_p99_ms": true, "e2e_p99_ms": true}

func regressionsOracle(t *testing.T, w *world) {
	noisy := func(name, values string, more ...string) string {
		return strings.Replace(runYAML(name, "lone", more...), "  - {id: c1, load: {concurrency: 1}, metrics: {ttft_p50: {value: 10}}}\n", values, 1)
	}
	w.write(map[string]string{ // 0.1 is above 2 × 0.04 × √2 only where the noise is 0.03
		"noise/a.yaml": noisy("a", "  - {id: c1, load: {concurrency: 1}, metrics: {ttft_p50: {value: 10}}, noise: {seeds: 3, cv: 0.03}}\n"),
		"noise/b.yaml": noisy("b", "  - {id: c1, load: {concurrency: 1}, metrics: {ttft_p50: {value: 11}}, noise: {seeds: 3, cv: 0.03}}\n", "supersedes: a"),
		"noise/c.yaml": noisy("c", "  - {id: c1, load: {concurrency: 1}, metrics: {ttft_p50: {value: 10}}, noise: {seeds: 3, cv: 0.04}}\n"),
		"noise/d.yaml": noisy("d", "  - {id: c1, load: {concurrency: 1}, metrics: {ttft_p50: {value: 11}}, noise: {seeds: 3, cv: 0.04}}\n", "supersedes: c"),
		"noise/e.yaml": noisy("e", "  - {id: c1, load: {concurrency: 1}, metrics: {ttft_p50: {value: 30}}}\n"),
		"noise/f.yaml": strings.ReplaceAll(noisy("f", "  - {id: c1, load: {concurrency: 1}, metrics: {ttft_p50: {value: 90}}}\n", "supersedes: e"), "clock: client", "clock: server"),
	})
	w.load("noise.db", w.options(), "noise")
	worse, better, quiet := 0, 0, 0
	for _, db := range append(slices.Clone(analysedDatabases), "noise.db") {
		o := newCurveOracle(w, db)
		points := grouped(w.records(db, "SELECT * FROM curves"), "run_id")
		var pairs [][2]any
		for _, line := range o.lines() {
			for i := 1; i < len(line); i++ {
				pairs = append(pairs, [2]any{line[i-1]["run_id"], line[i]["run_id"]})
			}
		}
		for _, s := range o.runs {
			for _, r := range o.runs {
				if s["origin"] == "catalog" && s["supersedes"] == r["name"] && s["definition_set_id"] == r["definition_set_id"] {
					pairs = append(pairs, [2]any{r["run_id"], s["run_id"]})
				}
			}
		}
		for _, accept := range accepts {
			for _, improvements := range []any{nil, int64(1)} {
				var want []string
				for _, pair := range pairs {
					for _, a := range points[pair[1]] {
						for _, b := range points[pair[0]] {
							if a["concurrency"] != b["concurrency"] || a["request_rate"] != b["request_rate"] || flaggedBeyond(a, accept) || flaggedBeyond(b, accept) {
								continue
							}
							for metric, more := range worseWithMore {
								x, ok := b[metric].(float64)
								y, also := a[metric].(float64)
								if !ok || !also || x == 0 {
									continue
								}
								change := (y - x) / x
								noise := 0.0
								for _, p := range []cells{a, b} {
									if cv, ok := p["noise_cv"].(float64); ok {
										noise = math.Hypot(noise, cv)
									}
								}
								if math.Abs(change) <= 0.05 || math.Abs(change) <= 2*noise {
									quiet++
									continue
								}
								if (change > 0) == more {
									worse++
								} else if better++; improvements == nil {
									continue
								}
								want = append(want, fmt.Sprint(b["run"], a["run"], a["concurrency"], a["request_rate"], metric, x, y))
							}
						}
					}
				}
				var got []string
				for _, r := range w.answer(db, "regressions", cells{"accept": accept, "improvements": improvements}) {
					got = append(got, fmt.Sprint(r["run_before"], r["run_after"], r["concurrency"], r["request_rate"], r["metric"], r["before"], r["after"]))
				}
				sameSet(t, db, got, want)
			}
		}
	}
	if worse < 100 || better < 100 || quiet < 100 {
		t.Errorf("%d changes for the worse, %d for the better and %d small ones show little", worse, better, quiet)
	}
	var got []string
	for _, r := range w.answer("noise.db", "regressions", cells{}) {
		got = append(got, fmt.Sprint(r["run_before"], r["run_after"], r["metric"], r["worse"]))
	}
	if want := []string{"abttft_p50_ms1"}; !slices.Equal(got, want) {
		t.Errorf("of pairs above and within the noise, and of other definitions: %q, want %q", got, want)
	}
}

// middle is the median of values.
func middle(values []float64) float64 {
	values = slices.Sorted(slices.Values(values))
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}

func engineVersionsOracle(t *testing.T, w *world) {
	n := 0
	for _, db := range analysedDatabases {
		o := newCurveOracle(w, db)
		points := grouped(w.records(db, "SELECT * FROM curves"), "run_id")
		for _, accept := range accepts {
			ratios := map[string][]float64{}
			for _, line := range o.lines() {
				for i := 1; i < len(line); i++ {
					x, y := line[i-1], line[i]
					if x["engine_version"] == nil || y["engine_version"] == nil || x["engine_version"] == y["engine_version"] {
						continue
					}
					for _, b := range points[x["run_id"]] {
						for _, a := range points[y["run_id"]] {
							if a["concurrency"] != b["concurrency"] || flaggedBeyond(a, accept) || flaggedBeyond(b, accept) {
								continue
							}
							for _, metric := range []string{"total_tok_s_per_gpu", "ttft_p50_ms", "tpot_p50_ms"} {
								key := fmt.Sprint(y["model"], y["hardware"], y["engine"], x["engine_version"], y["engine_version"], metric)
								ratios[key] = append(ratios[key], a[metric].(float64)/b[metric].(float64))
							}
						}
					}
				}
			}
			got := w.answer(db, "engine-versions", cells{"accept": accept})
			if len(got) != len(ratios) {
				t.Errorf("%s: %d rows, want %d", db, len(got), len(ratios))
			}
			for _, r := range got {
				want := ratios[fmt.Sprint(r["model"], r["hardware"], r["engine"], r["version_before"], r["version_after"], r["metric"])]
				if int64(len(want)) != r["loads"] || math.Abs(middle(want)-r["median_ratio"].(float64)) > 1e-12 ||
					slices.Min(want) != r["lowest_ratio"] || slices.Max(want) != r["highest_ratio"] {
					t.Errorf("%s: %v, want %v", db, r, want)
				}
				n++
			}
		}
	}
	if n < 50 {
		t.Errorf("%d rows show little", n)
	}
}

func outliersOracle(t *testing.T, w *world) {
	far, near := 0, 0
	for _, db := range analysedDatabases {
		curves := w.records(db, "SELECT * FROM curves WHERE origin = 'inferencex' AND hidden = 0")
		for _, metric := range []any{nil, "ttft_p50_ms", "tpot_p50_ms"} {
			for _, across := range []any{nil, int64(1)} {
				for _, threshold := range []float64{0.5, 3.5} {
					column := "total_tok_s_per_gpu"
					if metric != nil {
						column = metric.(string)
					}
					pools := map[string][]cells{}
					for _, r := range curves {
						key := fmt.Sprint(groupOf(r), r["benchmark_type"], r["concurrency"])
						if across == nil {
							key += fmt.Sprint(r["framework"], r["spec_method"], r["parallelism"], r["offload_mode"])
						}
						if r[column] != nil {
							pools[key] = append(pools[key], r)
						}
					}
					var want []string
					for _, pool := range pools {
						var values, deviations []float64
						for _, r := range pool {
							values = append(values, r[column].(float64))
						}
						m := middle(values)
						for _, v := range values {
							deviations = append(deviations, math.Abs(v-m))
						}
						mad := middle(deviations)
						for i, r := range pool {
							if len(pool) >= 4 && mad > 0 && deviations[i] >= 0.05*m && 0.6745*deviations[i]/mad > threshold {
								far++
								want = append(want, fmt.Sprintf("%s %s %.9g %.9g %d", r["run"], r["point"], m, mad, len(pool)))
							} else {
								near++
							}
						}
					}
					var got []string
					for _, r := range w.answer(db, "outliers", cells{"metric": metric, "across": across, "threshold": threshold, "min_points": int64(4)}) {
						got = append(got, fmt.Sprintf("%s %s %.9g %.9g %d", r["run"], r["point"], r["median"], r["mad"], r["points"]))
					}
					sameSet(t, fmt.Sprint(db, metric, across, threshold), got, want)
				}
			}
		}
	}
	if far < 100 || near < 100 {
		t.Errorf("%d outliers and %d others show little", far, near)
	}
}

func energyPerTokenOracle(t *testing.T, w *world) {
	found := 0
	for _, db := range analysedDatabases {
		curves := w.records(db, "SELECT * FROM curves WHERE latest = 1 AND origin = 'inferencex'")
		for _, accept := range accepts {
			for _, slowest := range []any{nil, 90.0} {
				groups := map[string][]cells{}
				for _, r := range curves {
					v, ok := r["interactivity_p50_tok_s"].(float64)
					if key := fmt.Sprint(groupOf(r), r["benchmark_type"]); slowest == nil || ok && v >= slowest.(float64) {
						groups[key] = append(groups[key], r)
					}
				}
				want := map[string]string{}
				for key, group := range groups {
					least, with, without := math.Inf(1), 0, 0
					for _, r := range group {
						if v, ok := r["energy_j_per_output_token"].(float64); !ok {
							without++
						} else if !flaggedBeyond(r, accept) {
							with++
							least = min(least, v)
						}
					}
					if with > 0 {
						want[key] = fmt.Sprint(key, least, with, without, len(group)-with-without)
					}
				}
				var got []string
				for _, r := range w.answer(db, "energy-per-token", cells{"accept": accept, "min_interactivity_tok_s": slowest}) {
					got = append(got, fmt.Sprint(groupOf(r), r["benchmark_type"], r["energy_j_per_output_token"], r["points"], r["without_energy"], r["left_out"]))
				}
				found += len(got)
				sameSet(t, db, got, slices.Collect(maps.Values(want)))
			}
		}
	}
	if found < 20 {
		t.Errorf("%d answers show little", found)
	}
}

func coverageMatrixOracle(t *testing.T, w *world) {
	filled, gaps := 0, 0
	for _, db := range analysedDatabases {
		type cell struct{ runs, points, fp8, newest any }
		hardware, workloads := map[string]bool{}, map[string]bool{}
		points := map[string][]cells{}
		for _, r := range w.records(db, "SELECT * FROM curves WHERE hidden = 0 AND model IS NOT NULL AND hardware IS NOT NULL") {
			workload := r["workload"]
			if r["benchmark_type"] != nil {
				workload = r["benchmark_type"]
			}
			of := fmt.Sprint(r["model"], " ", workload, " ", r["isl"], " ", r["osl"])
			hardware[r["hardware"].(string)], workloads[of] = true, true
			points[of+" "+r["hardware"].(string)] = append(points[of+" "+r["hardware"].(string)], r)
		}
		var want, onlyGaps []string
		for of := range workloads {
			for hw := range hardware {
				all := points[of+" "+hw]
				c := cell{len(grouped(all, "run_id")), len(all), 0, nil}
				n := 0
				for _, r := range all {
					if r["precision"] == "fp8" && r["origin"] == "inferencex" {
						n++
					}
					if day, ok := r["date"].(string); ok && (c.newest == nil || day > c.newest.(string)) {
						c.newest = day
					}
				}
				c.fp8 = n
				line := fmt.Sprint(of, " ", hw, c)
				want = append(want, line)
				if len(all) == 0 {
					onlyGaps = append(onlyGaps, line)
					gaps++
				} else {
					filled++
				}
			}
		}
		for _, tt := range []struct {
			gaps any
			want []string
		}{{nil, want}, {int64(1), onlyGaps}} {
			var got []string
			for _, r := range w.answer(db, "coverage-matrix", cells{"gaps": tt.gaps}) {
				got = append(got, fmt.Sprint(r["model"], " ", r["workload"], " ", r["isl"], " ", r["osl"], " ", r["hardware"], cell{r["runs"], r["points"], r["fp8"], r["newest"]}))
			}
			sameSet(t, db, got, tt.want)
		}
	}
	if filled < 10 || gaps < 10 {
		t.Errorf("%d combinations and %d gaps show little", filled, gaps)
	}
}

func provenanceGapsOracle(t *testing.T, w *world) {
	const db = "demo.db"
	o := newCurveOracle(w, db)
	reasons := grouped(w.records(db, "SELECT * FROM verdict_reasons"), "run_id")
	type count struct{ runs, gaps, mismatch, unverifiable, unresolved, resolved, match, material, only int64 }
	want := map[any]*count{}
	for _, p := range w.records(db, "SELECT * FROM provenance") {
		run := o.runs[p["run_id"]]
		if o.superseded[run["name"]] {
			continue
		}
		c := want[p["setting"]]
		if c == nil {
			c = &count{}
			want[p["setting"]] = c
		}
		c.runs++
		gap := true
		switch {
		case p["verdict"] == "MISMATCH":
			c.mismatch++
		case p["verdict"] == "UNVERIFIABLE":
			c.unverifiable++
		case p["verdict"] == "UNSTATED" && p["resolved_by"] == nil:
			c.unresolved++
		case p["verdict"] == "UNSTATED":
			c.resolved++
			gap = false
		default:
			c.match++
			gap = false
		}
		if gap {
			c.gaps++
			c.material += truth(p["material"] != "no")
			c.only += truth(len(reasons[p["run_id"]]) == 1)
		}
	}
	got := w.answer(db, "provenance-gaps", cells{})
	if len(got) != len(want) || len(got) < 5 || got[0]["gaps"] == int64(0) {
		t.Errorf("%d settings, want %d", len(got), len(want))
	}
	for _, r := range got {
		number := func(column string) int64 { return r[column].(int64) }
		c := count{number("runs"), number("gaps"), number("mismatch"), number("unverifiable"), number("unresolved"), number("resolved"), number("match"),
			number("material"), number("only_obstacle")}
		if want[r["setting"]] == nil || c != *want[r["setting"]] {
			t.Errorf("%s: %+v, want %+v", r["setting"], c, want[r["setting"]])
		}
	}
}

func goodputOracle(t *testing.T, w *world) {
	const db = "demo.db"
	best := map[any]float64{}
	stated := w.records(db, "SELECT * FROM curves WHERE goodput_requests_per_s IS NOT NULL AND latest = 1 ORDER BY run, position")
	for _, r := range stated {
		best[r["run"]] = max(best[r["run"]], r["goodput_requests_per_s"].(float64))
	}
	var want, got []string
	for _, r := range stated {
		v := r["goodput_requests_per_s"].(float64)
		want = append(want, fmt.Sprint(r["run"], r["point"], v, v/r["request_rate"].(float64), truth(v == best[r["run"]])))
	}
	for _, r := range w.answer(db, "goodput", cells{}) {
		got = append(got, fmt.Sprint(r["run"], r["point"], r["goodput_requests_per_s"], r["share_of_offered"], r["highest"]))
		if targets, _ := r["targets"].(string); targets != "batch: e2e 60000; interactive: ttft 500 itl 40" || r["denominator"] == nil {
			t.Errorf("%s: targets %q over %v", r["run"], targets, r["denominator"])
		}
	}
	if len(want) < 3 {
		t.Errorf("%d points show little", len(want))
	}
	sameSet(t, db, got, want)
	if all := w.answer(db, "goodput", cells{"run": "demo-h200-trace-r1"}); len(all) == 0 || all[0]["run"] != "demo-h200-trace-r1" {
		t.Errorf("a superseded run that is named: %v", all)
	}
}

// licenceUnlocksOracle: whatever a licence would free is free once the licence permits it, and nothing else is.
func licenceUnlocksOracle(t *testing.T, w *world) {
	const db = "demo.db"
	all := w.answer(db, "licence-unlocks", cells{})
	if len(all) < 4 {
		t.Fatalf("%d rows show little", len(all))
	}
	state := func(use string) []string {
		switch use {
		case "scoring":
			return w.query(db, "SELECT name || ' ' || verdict FROM scorable_runs ORDER BY 1")
		case "calibration":
			return w.query(db, "SELECT name || ' ' || verdict FROM calibration_runs ORDER BY 1")
		}
		return w.query(db, `SELECT r.name || ' ' || v.verdict FROM runs r JOIN verdicts v USING (run_id)
			WHERE r.origin = 'catalog' AND EXISTS (SELECT 1 FROM effective_permits e WHERE e.licence_id = r.licence_id AND e.use = 'redistribute')
				AND NOT EXISTS (SELECT 1 FROM replaced_runs p WHERE p.run_id = r.run_id) ORDER BY 1`)
	}
	names := func(lines []string) map[string]bool {
		m := map[string]bool{}
		for _, l := range lines {
			name, _, _ := strings.Cut(l, " ")
			m[name] = true
		}
		return m
	}
	before := map[string]map[string]bool{}
	for _, use := range []string{"scoring", "calibration", "redistribution"} {
		before[use] = names(state(use))
	}
	tx := w.writable(db)
	for _, statement := range []string{
		`INSERT INTO licences (licence_id, title, status) SELECT DISTINCT licence_id, 'x', 'verified' FROM runs WHERE licence_id NOT IN (SELECT licence_id FROM licences)`,
		`UPDATE licences SET status = 'verified', withdrawn = 0`,
		`INSERT OR IGNORE INTO licence_permits SELECT licence_id, use FROM licences, (SELECT 'score' AS use UNION SELECT 'derive_coefficients' UNION SELECT 'redistribute')`,
	} {
		if _, err := tx.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	for _, use := range []string{"scoring", "calibration", "redistribution"} {
		var want, got []string
		for _, line := range state(use) {
			if name, _, _ := strings.Cut(line, " "); !before[use][name] {
				want = append(want, line)
			}
		}
		for _, r := range all {
			if r["use"] == use {
				got = append(got, fmt.Sprint(r["run"], " ", r["verdict_then"]))
			}
		}
		sameSet(t, use, got, want)
	}
}
