package store

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// measured is what a random run measured, in a form of its own: by load, by metric.
type measured struct {
	model, hardware string
	values          map[int64]map[string]float64
}

// metricNames are the metrics of random runs with what they mean; tpot stands under two names.
var metricNames = map[string]record.MetricDef{
	"ttft_p50":    {Formula: "ttft", Statistic: "median", Unit: "ms"},
	"ttft_median": {Formula: "ttft", Statistic: "p50", Unit: "ms"},
	"itl_p99":     {Formula: "itl", Statistic: "p99", Unit: "ms"},
	"itl_p99.0":   {Formula: "itl", Statistic: "p99.0", Unit: "ms"},
	"output_tps":  {Formula: "output_throughput", Unit: "tokens_per_s"},
	"odd":         {Unit: "ms"},
}

// meaning is the oracle's reading of a name.
var meaning = map[string]string{"ttft_p50": "ttft", "ttft_median": "ttft", "itl_p99": "itl", "itl_p99.0": "itl", "output_tps": "tps", "odd": "odd"}

func randomMeasured(rnd *rand.Rand) (measured, *record.Run) {
	m := measured{model: "m", hardware: []string{"h100", "b200"}[rnd.Intn(2)], values: map[int64]map[string]float64{}}
	if rnd.Intn(20) == 0 {
		m.model = ""
	}
	// Of two names with one meaning a run uses one, chosen by the run.
	var names []string
	for _, pair := range [][]string{{"ttft_p50", "ttft_median"}, {"itl_p99", "itl_p99.0"}, {"output_tps"}, {"odd"}} {
		if rnd.Intn(3) > 0 {
			names = append(names, pair[rnd.Intn(len(pair))])
		}
	}
	if len(names) == 0 {
		names = []string{"ttft_p50"}
	}
	r := exactRun("", 1)
	r.Points, r.MetricDefs = nil, nil
	r.Model = m.model
	r.Cluster.Hardware = m.hardware
	for _, n := range names {
		d := metricNames[n]
		d.Name, d.Cite = n, "invented:1"
		r.MetricDefs = append(r.MetricDefs, d)
	}
	for conc := int64(1); conc <= 3; conc++ {
		if rnd.Intn(3) == 0 && len(r.Points)+int(3-conc) > 0 {
			continue
		}
		p := record.Point{ID: fmt.Sprint("c", conc), Concurrency: &conc}
		at := map[string]float64{}
		for i, n := range names {
			if i > 0 && rnd.Intn(5) == 0 {
				continue // a point may lack a metric
			}
			// Few values, 0 among them, so that runs agree often; they depend on the load, so that most pairs that agree once agree again.
			v := float64(rnd.Intn(2)) * float64(conc)
			at[meaning[n]] = v
			p.Metrics = append(p.Metrics, record.Value{Metric: n, Value: v})
		}
		m.values[conc] = at
		r.Points = append(r.Points, p)
	}
	if len(r.Points) == 0 {
		return randomMeasured(rnd)
	}
	return m, r
}

// compareMeasured is the oracle for a pair: the words of the definition of exact and overlap.
func compareMeasured(a, b measured) (kind string, shared int) {
	if a.model == "" || b.model == "" || a.model != b.model || a.hardware != b.hardware {
		return "", 0
	}
	same := len(a.values) == len(b.values)
	for conc, x := range a.values {
		y, ok := b.values[conc]
		if !ok {
			same = false
			continue
		}
		if len(x) != len(y) {
			same = false
		}
		for metric, v := range x {
			u, ok := y[metric]
			if !ok {
				same = false
				continue
			}
			if u != v {
				return "", 0
			}
			shared++
		}
	}
	switch {
	case same:
		return "exact", shared
	case shared >= 2:
		return "overlap", shared
	}
	return "", 0
}

// Pairs and groups agree with a comparison of all with all, through loads that
// add, replace and, by replacing, remove.
func TestDuplicatesAgainstOracle(t *testing.T) {
	kinds := map[string]int{}
	for seed := range int64(12) {
		rnd := rand.New(rand.NewSource(seed))
		w := newWarehouse(t)
		all := map[string]measured{}
		var made []*record.Run
		var seen []measured
		for range 4 {
			w.load(func(l *Load) {
				for range 10 {
					name := fmt.Sprintf("r%02d", rnd.Intn(25))
					m, r := randomMeasured(rnd)
					if len(made) > 0 && rnd.Intn(4) == 0 {
						again := rnd.Intn(len(made))
						m, r = seen[again], made[again]
					}
					made, seen = append(made, r), append(seen, m)
					renamed := *r
					renamed.Name = name
					save(t, l, &renamed)
					all[name] = m
				}
			})
			var names, pairs []string
			for name := range all {
				names = append(names, name)
			}
			slices.Sort(names)
			group := map[string]string{}
			for _, n := range names {
				group[n] = n
			}
			for i, a := range names {
				for _, b := range names[i+1:] {
					kind, shared := compareMeasured(all[a], all[b])
					kinds[kind]++
					if kind == "" {
						continue
					}
					pairs = append(pairs, fmt.Sprintf("%s|%s|%s|0|%d", a, b, kind, shared))
					from, to := max(group[a], group[b]), min(group[a], group[b])
					for n, g := range group {
						if g == from {
							group[n] = to
						}
					}
				}
			}
			w.want(`SELECT run_a, run_b, kind, declared, shared_values FROM duplicate_pairs ORDER BY 1, 2`, pairs...)
			var groups []string
			for _, n := range names {
				members := 0
				for _, g := range group {
					if g == group[n] {
						members++
					}
				}
				if members > 1 {
					groups = append(groups, group[n]+"|"+n)
				}
			}
			slices.Sort(groups)
			w.want(`SELECT group_id, name FROM duplicate_groups ORDER BY 1, 2`, groups...)
			w.want(`SELECT group_id FROM duplicate_groups GROUP BY group_id HAVING sum(keep) <> 1`)
			if t.Failed() {
				t.Fatalf("seed %d", seed)
			}
		}
	}
	for _, kind := range []string{"exact", "overlap", ""} {
		if kinds[kind] < 20 {
			t.Errorf("%d pairs of kind %q: the sample says too little", kinds[kind], kind)
		}
	}
}

// A value that all runs share does not compare all with all, and finds what overlaps.
func TestConstantValuesBlockNothing(t *testing.T) {
	w := newWarehouse(t)
	w.load(func(l *Load) {
		for i := range 300 {
			r := exactRun(fmt.Sprintf("r%03d", i), 0, 0)
			r.MetricDefs = append(r.MetricDefs, record.MetricDef{Name: "itl_p99", Formula: "itl", Statistic: "p99", Unit: "ms", Cite: "invented:1"})
			for j := range r.Points {
				r.Points[j].Metrics = append(r.Points[j].Metrics, record.Value{Metric: "itl_p99", Value: float64(i/2*10 + j)})
			}
			if i%2 == 1 {
				r.Points = r.Points[:1] // overlaps the run before it
			}
			save(t, l, r)
		}
	})
	w.want(`SELECT count(*), min(kind), max(kind), sum(substr(run_a, 2) + 1 = substr(run_b, 2) + 0) FROM duplicate_pairs`, "150|overlap|overlap|150")
}

func TestUnitsAreMadeEqualDecimally(t *testing.T) {
	for _, c := range []struct{ seconds, ms float64 }{{0.1, 100}, {0.0042, 4.2}, {1.005, 1005}, {123e-6, 0.123}, {0.5353527302853761, 535.3527302853761}, {0, 0}, {1e-310, 1e-307}} {
		if got := inUnit(c.seconds, 1000); got != c.ms {
			t.Errorf("%v s is %v ms, want %v", c.seconds, got, c.ms)
		}
	}
	differ := 0
	rnd := rand.New(rand.NewSource(1))
	for range 1000 {
		if v := rnd.Float64(); v*1000 != inUnit(v, 1000) {
			differ++
		}
	}
	if differ < 20 {
		t.Errorf("the shift differs from multiplication %d times in 1000: the test shows nothing", differ)
	}
}

func TestBlockingMetricsHitEverySharedMetric(t *testing.T) {
	rnd := rand.New(rand.NewSource(3))
	names := []string{"a", "b", "c", "d", "ttft median", "itl mean"}
	for range 200 {
		var sets []string
		for range 1 + rnd.Intn(6) {
			var set []string
			for _, n := range names {
				if rnd.Intn(2) == 0 {
					set = append(set, n)
				}
			}
			slices.Sort(set)
			if len(set) > 0 {
				sets = append(sets, strings.Join(set, "\n"))
			}
		}
		chosen := blockingMetrics(sets)
		shuffled := slices.Clone(sets)
		rnd.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		if again := blockingMetrics(shuffled); !slices.Equal(chosen, again) {
			t.Fatalf("%q in another order: %q, then %q", sets, chosen, again)
		}
		for _, s := range sets {
			for _, u := range sets {
				common := intersect(strings.Split(s, "\n"), strings.Split(u, "\n"))
				if len(common) > 0 && len(intersect(common, chosen)) == 0 {
					t.Fatalf("%q: %q share none of %q", sets, common, chosen)
				}
			}
		}
	}
}

func TestKeepRule(t *testing.T) {
	w := newWarehouse(t)
	w.load(func(l *Load) {
		few := openLicence("few")
		few.Permits = []string{"score", "redistribute"}
		apply(t, l, "/r", openLicence("open"), few)
		for i, change := range []func(*record.Run){
			func(r *record.Run) { r.Diff = []record.Diff{{Path: "x", Kind: "conflict", Material: "no"}} }, // PARTIAL
			func(r *record.Run) {
				r.Provenance = []record.Provenance{{Setting: "s", Verdict: "UNSTATED", ResolvedBy: "x", Material: "no"}}
			}, // RESOLVED
			func(r *record.Run) { r.Source.LicenseRef = "few" },
			func(r *record.Run) { r.Source.RetrievedUTC = "2026-01-02T00:00:00.5Z" },
			func(r *record.Run) { r.Source.RetrievedUTC = "2026-01-02T00:00:00Z" }, // kept: earlier
			func(r *record.Run) {}, // unknown retrieval comes last
			func(r *record.Run) { r.DuplicateOf = "k4"; r.Source.RetrievedUTC = "2020-01-01T00:00:00Z" },
			func(r *record.Run) { r.Source.RetrievedUTC = "2020-01-01T00:00:00Z" }, // superseded below
		} {
			r := exactRun(fmt.Sprint("k", i), 1, 2)
			change(r)
			save(t, l, r)
		}
		heir := exactRun("heir", 9)
		heir.Supersedes = "k7"
		save(t, l, heir)
	})
	w.want(`SELECT name FROM duplicate_groups WHERE keep = 1`, "k4")
	w.want(`SELECT run_a || ' ' || run_b FROM duplicate_pairs WHERE declared = 1`, "k4 k6")
}

func TestDeclarations(t *testing.T) {
	w := newWarehouse(t)
	w.load(func(l *Load) {
		for name, of := range map[string]string{"a": "", "b": "a", "c": "b", "d": "gone", "e": "gone", "x": "y", "y": "z", "z": "y"} {
			r := exactRun(name, 1, 2)
			r.DuplicateOf = of
			save(t, l, r)
		}
	})
	w.want(`SELECT run_a, run_b FROM duplicate_pairs WHERE declared = 1 ORDER BY 1, 2`, "a|b", "a|c", "b|c", "d|e", "x|y", "x|z", "y|z")
	w.want(`SELECT name, target, problem FROM reference_problems ORDER BY 1, 3`, "d|gone|dangling", "e|gone|dangling", "y|z|cycle", "z|y|cycle")
	w.load(func(l *Load) { save(t, l, exactRun("z", 1, 2)) })
	w.want(`SELECT count(*) FROM reference_problems WHERE problem = 'cycle'`, "0")
}
