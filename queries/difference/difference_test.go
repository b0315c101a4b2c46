package difference

import (
	"fmt"
	"math/rand"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/inference-sim/blis-warehouse/store/record"
)

func ptr[T any](v T) *T { return &v }

// fullRun states everything that a record can: every list has two elements,
// every pointer points. Values are invented and all different.
func fullRun() *record.Run {
	n := 0
	var fill func(v reflect.Value)
	fill = func(v reflect.Value) {
		n++
		switch v.Kind() {
		case reflect.String:
			v.SetString(fmt.Sprint("text ", n))
		case reflect.Int64:
			v.SetInt(int64(n))
		case reflect.Float64:
			v.SetFloat(float64(n) + 0.5)
		case reflect.Bool:
			v.SetBool(true)
		case reflect.Interface:
			v.Set(reflect.ValueOf(int64(n)))
		case reflect.Pointer:
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem())
		case reflect.Slice:
			v.Set(reflect.MakeSlice(v.Type(), 2, 2))
			fill(v.Index(0))
			fill(v.Index(1))
		case reflect.Struct:
			for i := range v.NumField() {
				fill(v.Field(i))
			}
		default:
			panic(v.Kind())
		}
	}
	r := &record.Run{}
	fill(reflect.ValueOf(r).Elem())
	return r
}

// unwalked are the fields of a record that no comparison looks at.
var unwalked = []string{
	"Text", // of a value: how the document writes the number, which the warehouse does not keep
}

// TestEveryFieldIsWalked changes every field of a record that states
// everything, one at a time, and wants a difference for each: a field added to
// record.Run that fieldsOf forgets fails here.
func TestEveryFieldIsWalked(t *testing.T) {
	n := 0
	var visit func(name string, get func(*record.Run) reflect.Value)
	visit = func(name string, get func(*record.Run) reflect.Value) {
		v := get(fullRun())
		if v.Kind() == reflect.Struct {
			for i := range v.NumField() {
				if field := v.Type().Field(i).Name; !slices.Contains(unwalked, field) {
					visit(name+"."+field, func(r *record.Run) reflect.Value { return get(r).Field(i) })
				}
			}
			return
		}
		changed := fullRun()
		switch target := get(changed); v.Kind() {
		case reflect.String:
			target.SetString("something else")
		case reflect.Int64:
			target.SetInt(1 << 40)
		case reflect.Float64:
			target.SetFloat(1e-9)
		case reflect.Bool:
			target.SetBool(false)
		case reflect.Interface:
			target.Set(reflect.ValueOf("something else"))
		case reflect.Pointer:
			target.SetZero()
			visit(name, func(r *record.Run) reflect.Value { return get(r).Elem() })
		case reflect.Slice:
			target.SetLen(1)
			for i := range v.Len() {
				visit(fmt.Sprintf("%s[%d]", name, i), func(r *record.Run) reflect.Value { return get(r).Index(i) })
			}
		default:
			t.Fatalf("%s: no test for a %s", name, v.Kind())
		}
		n++
		if changes := Between(fullRun(), changed); len(changes) == 0 {
			t.Errorf("%s is not compared", name)
		}
		if changes := Between(changed, fullRun()); len(changes) == 0 {
			t.Errorf("%s is not compared the other way", name)
		}
	}
	visit("Run", func(r *record.Run) reflect.Value { return reflect.ValueOf(r).Elem() })
	if n < 200 {
		t.Errorf("only %d fields were changed", n)
	}
	if changes := Between(fullRun(), fullRun()); len(changes) > 0 {
		t.Errorf("equal runs differ: %v", changes)
	}
}

// baseRun is an invented run to mutate.
func baseRun() *record.Run {
	r := &record.Run{
		Name: "invented", SchemaVersion: 1, Model: "m", EngineVersion: "1.0",
		Source: record.Source{Kind: "vllm_bench", Adapter: record.Adapter{Name: "a", Version: "1", SHA256: "aa"},
			Inputs:     []record.Input{{Role: "report", Path: "r.json", SHA256: "bb", Size: ptr(int64(7))}, {Role: "log", URL: "https://example.org/log", SHA256: "cc"}},
			Extraction: record.Extraction{Method: "json", Selectors: []string{"a", ""}}, LicenseRef: "open"},
		Cluster: &record.Cluster{Hardware: "h100", Nodes: 1, GPUsPerNode: 8, Storage: []string{"dram"}},
		Deployment: &record.Deployment{Name: "d", Pools: []record.Pool{{Role: "colocated", Nodes: 1, Parallel: record.Parallel{TP: 8, PP: 1, DP: 1},
			Settings: []record.Setting{{Name: "max_num_seqs", Value: int64(256)}, {Name: "block_size", Value: int64(16)}, {Name: "dbo.enable_dbo", Value: false}}}}},
		Workload: &record.Workload{Trace: &record.Trace{Data: "t.csv", TraceVersion: 2, TimeUnit: "us", Mode: "real",
			SLOTargets: []record.SLOTarget{{Class: "chat", TTFTMs: ptr(500.0)}, {Class: "batch", E2EMs: ptr(9000.0)}}}},
		Client: record.Client{Harness: "h", Command: []string{"bench", "serve"}, Seed: ptr(int64(0))},
		MetricDefs: []record.MetricDef{{Name: "ttft_p50", Formula: "ttft", Statistic: "median", Population: "per_request", Clock: "client", Unit: "ms", Cite: "x:1"},
			{Name: "itl_p99.9", Formula: "itl", Statistic: "p99.9", Population: "pooled_chunks", Clock: "client", PercentileMethod: "numpy_linear", Unit: "ms", Cite: "x:2"}},
		Provenance: []record.Provenance{{Setting: "tp", Report: &record.Stated{Value: "8", Ref: "r:1"}, Verdict: "UNSTATED", ResolvedBy: "rule", Material: "yes"},
			{Setting: "max_num_seqs", Script: &record.Stated{Value: "256", Ref: "s:1"}, Verdict: "UNSTATED", ResolvedBy: "rule", Material: "no"}},
		Diff: []record.Diff{{Path: "deployment.x", Kind: "not_modelled", Material: "no"}, {Path: "deployment.x", Kind: "conflict", Material: "no"}},
	}
	for i, id := range []string{"c1", "c4", "odd]id"} {
		conc := int64(1) << (2 * i)
		r.Points = append(r.Points, record.Point{ID: id, Concurrency: &conc, Completed: ptr(int64(100)),
			Metrics: []record.Value{{Metric: "ttft_p50", Value: 10 * float64(conc)}, {Metric: "itl_p99.9", Value: 0.5}}})
	}
	return r
}

// mutation changes one thing and says what a comparison must find.
type mutation struct {
	path          string
	kind          Kind
	before, after any
	apply         func(r *record.Run)
}

func mutations() []mutation {
	return []mutation{
		{"schema_version", Field, int64(1), int64(2), func(r *record.Run) { r.SchemaVersion = 2 }},
		{"model", Field, "m", nil, func(r *record.Run) { r.Model = "" }},
		{"verdict", Field, nil, "PARTIAL", func(r *record.Run) { r.Verdict = "PARTIAL" }},
		{"source.inputs[0].sha256", Field, "bb", "dd", func(r *record.Run) { r.Source.Inputs[0].SHA256 = "dd" }},
		{"source.inputs[0].size", Field, int64(7), int64(0), func(r *record.Run) { r.Source.Inputs[0].Size = ptr(int64(0)) }},
		{"source.inputs[1].note", Field, nil, "n", func(r *record.Run) { r.Source.Inputs[1].Note = "n" }},
		{"source.extraction.selectors[1]", Field, "", "x", func(r *record.Run) { r.Source.Extraction.Selectors[1] = "x" }},
		{"source.extraction.label_verified", Field, nil, false, func(r *record.Run) { r.Source.Extraction.LabelVerified = ptr(false) }},
		{"cluster.storage[1]", Field, nil, "nvme", func(r *record.Run) { r.Cluster.Storage = append(r.Cluster.Storage, "nvme") }},
		{"cluster.gpus_per_rack", Field, nil, int64(0), func(r *record.Run) { r.Cluster.GPUsPerRack = ptr(int64(0)) }},
		{"deployment.pools[0].parallel.tp", Field, int64(8), int64(4), func(r *record.Run) { r.Deployment.Pools[0].Parallel.TP = 4 }},
		{"deployment.pools[0].engine.block_size", Field, int64(16), int64(32), func(r *record.Run) { r.Deployment.Pools[0].Settings[1].Value = int64(32) }},
		{"deployment.pools[0].engine.dbo.enable_dbo", Field, false, true, func(r *record.Run) { r.Deployment.Pools[0].Settings[2].Value = true }},
		{"deployment.pd_transfer", Field, nil, "{}", func(r *record.Run) { r.Deployment.PDTransfer = &record.PDTransfer{} }},
		{"router.kind", Field, nil, "direct", func(r *record.Run) { r.Router = &record.Router{Kind: "direct"} }},
		{"workload.trace.header.trace_version", Field, int64(2), int64(3), func(r *record.Run) { r.Workload.Trace.TraceVersion = 3 }},
		{"workload.trace.header.goodput_slo_targets.chat.ttft_ms", Field, 500.0, 400.0, func(r *record.Run) { r.Workload.Trace.SLOTargets[0].TTFTMs = ptr(400.0) }},
		{"client.seed", Field, int64(0), nil, func(r *record.Run) { r.Client.Seed = nil }},
		{"client.command[0]", Field, "bench", "", func(r *record.Run) { r.Client.Command[0] = "" }},
		{"metric_defs.ttft_p50.clock", Field, "client", nil, func(r *record.Run) { r.MetricDefs[0].Clock = "" }},
		{"metric_defs.itl_p99.9.statistic", Field, "p99.9", "p99", func(r *record.Run) { r.MetricDefs[1].Statistic = "p99" }},
		{"points[c1].metrics.ttft_p50.value", Value, 10.0, 0.0, func(r *record.Run) { r.Points[0].Metrics[0].Value = 0 }},
		{"points[c4].metrics.itl_p99.9.value", Value, 0.5, 0.25, func(r *record.Run) { r.Points[1].Metrics[1].Value = 0.25 }},
		{"points[c4].metrics.ttft_p50.raw_key", Field, nil, "k", func(r *record.Run) { r.Points[1].Metrics[0].RawKey = "k" }},
		{"points[c4].load.concurrency", Field, int64(4), int64(5), func(r *record.Run) { r.Points[1].Concurrency = ptr(int64(5)) }},
		{`points["odd]id"].completed`, Field, int64(100), int64(99), func(r *record.Run) { r.Points[2].Completed = ptr(int64(99)) }},
		{"provenance[max_num_seqs].verdict", Field, "UNSTATED", "MATCH", func(r *record.Run) { r.Provenance[1].Verdict = "MATCH" }},
		{"provenance[tp].report.value", Field, "8", "4", func(r *record.Run) { r.Provenance[0].Report.Value = "4" }},
		{"diff[deployment.x].issue", Field, nil, "#1", func(r *record.Run) { r.Diff[0].Issue = "#1" }},
		{"diff[deployment.x#2].kind", Field, "conflict", "unresolved", func(r *record.Run) { r.Diff[1].Kind = "unresolved" }},
		{"supersedes", Field, nil, "other", func(r *record.Run) { r.Supersedes = "other" }},
	}
}

// TestMutations applies random sets of mutations, and shuffles what has no
// order in the warehouse: exactly the mutated paths come back, with both values.
func TestMutations(t *testing.T) {
	all := mutations()
	hit := map[string]bool{}
	for seed := range int64(400) {
		rnd := rand.New(rand.NewSource(seed))
		changed := baseRun()
		want := map[string]mutation{}
		for _, i := range rnd.Perm(len(all))[:rnd.Intn(6)] {
			all[i].apply(changed)
			want[all[i].path] = all[i]
		}
		shuffle(rnd, changed.MetricDefs)
		shuffle(rnd, changed.Deployment.Pools[0].Settings)
		shuffle(rnd, changed.Workload.Trace.SLOTargets)
		for i := range changed.Points {
			shuffle(rnd, changed.Points[i].Metrics)
			changed.Points[i].Metrics[0].Text = "1e1" // how a number is written is no difference
		}
		for _, c := range Between(baseRun(), changed) {
			w, ok := want[c.Path]
			if !ok || c.Kind != w.kind || c.Before != w.before || c.After != w.after {
				t.Errorf("seed %d: got %+v, want %+v", seed, c, w)
			}
			delete(want, c.Path)
			hit[c.Path] = true
		}
		for path := range want {
			t.Errorf("seed %d: %s was not found", seed, path)
		}
	}
	if len(hit) != len(all) {
		t.Errorf("only %d of %d mutations were tried", len(hit), len(all))
	}
}

func shuffle[T any](rnd *rand.Rand, list []T) {
	rnd.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
}

// paths are changes in short: + added, - removed, ~ changed.
func paths(changes []Change) string {
	var all []string
	for _, c := range changes {
		sign := "~"
		switch {
		case c.Before == nil:
			sign = "+"
		case c.After == nil:
			sign = "-"
		}
		all = append(all, sign+string(c.Kind)+" "+c.Path)
	}
	return strings.Join(all, "\n")
}

func TestWholeElements(t *testing.T) {
	changed := baseRun()
	changed.Points = append(slices.Clone(changed.Points[:1]), record.Point{ID: "c9", Concurrency: ptr(int64(9)),
		Metrics: []record.Value{{Metric: "ttft_p50", Value: 1}}}, changed.Points[2])
	changed.Diff = changed.Diff[1:]
	changed.Deployment = nil
	want := `-field deployment.name
-field deployment.pools[0].role
-field deployment.pools[0].nodes
-field deployment.pools[0].parallel.tp
-field deployment.pools[0].parallel.pp
-field deployment.pools[0].parallel.dp
-field deployment.pools[0].engine.block_size
-field deployment.pools[0].engine.dbo.enable_dbo
-field deployment.pools[0].engine.max_num_seqs
+point points[c9].load.concurrency
+point points[c9].metrics.ttft_p50.value
-point points[c4].load.concurrency
-point points[c4].metrics.itl_p99.9.value
-point points[c4].metrics.ttft_p50.value
-point points[c4].completed
~field diff[deployment.x].kind
-field diff[deployment.x#2].kind
-field diff[deployment.x#2].material`
	if got := paths(Between(baseRun(), changed)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestOrder(t *testing.T) {
	changed := baseRun()
	slices.Reverse(changed.Provenance)
	changed.Points[0].ID, changed.Points[1].ID = "c4", "c1"
	got := Between(baseRun(), changed)
	want := []Change{
		{Field, "points[c4].load.concurrency", int64(4), int64(1), "c4", ""},
		{Value, "points[c4].metrics.ttft_p50.value", 40.0, 10.0, "c4", "ttft_p50"},
		{Field, "points[c1].load.concurrency", int64(1), int64(4), "c1", ""},
		{Value, "points[c1].metrics.ttft_p50.value", 10.0, 40.0, "c1", "ttft_p50"},
		{Field, "points", "c1, c4, \"odd]id\"", "c4, c1, \"odd]id\"", "", ""},
		{Field, "provenance", "tp, max_num_seqs", "max_num_seqs, tp", "", ""},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

func TestNumbersAreComparedAsNumbers(t *testing.T) {
	for _, tt := range []struct {
		a, b any
		same bool
	}{
		{int64(1), 1.0, true}, {int64(1), int64(1), true}, {1.5, 1.5, true}, {1.5, int64(1), false}, {"1", int64(1), false},
		{int64(1<<62 + 1), int64(1 << 62), false}, {int64(1<<62 + 1), float64(1 << 62), false}, {1e300, 1e300, true}, {0.0, int64(0), true},
		{true, true, true}, {true, "true", false}, {false, int64(0), false},
	} {
		if equal(tt.a, tt.b) != tt.same || equal(tt.b, tt.a) != tt.same {
			t.Errorf("%v (%T) and %v (%T): want %v", tt.a, tt.a, tt.b, tt.b, tt.same)
		}
	}
}

// measured is a run with a value of one metric at each load.
func measured(metric string, loads map[string]int64, order ...string) *record.Run {
	r := &record.Run{MetricDefs: []record.MetricDef{{Name: metric, Unit: "ms", Cite: "x"}}}
	for i, id := range order {
		r.Points = append(r.Points, record.Point{ID: id, Concurrency: ptr(loads[id]), Metrics: []record.Value{{Metric: metric, Value: float64(i)}}})
	}
	return r
}

func TestAlign(t *testing.T) {
	before := measured("median_ttft", map[string]int64{"first": 1, "b": 2, "a": 3, "old": 4}, "first", "b", "a", "old")
	after := measured("ttft_p50", map[string]int64{"a": 1, "b": 2, "c": 2, "d": 5}, "a", "b", "c", "d")
	aligned, renamed := Align(before, after, []Pair{{"median_ttft", "ttft_p50"}})
	if got, want := paths(renamed), "~field metric_defs.ttft_p50\n~field points[a].id"; got != want {
		t.Errorf("renamed\n%s\nwant\n%s", got, want)
	}
	want := `+point points[c].load.concurrency
+point points[c].metrics.ttft_p50.value
+point points[d].load.concurrency
+point points[d].metrics.ttft_p50.value
-point points[a (before)].load.concurrency
-point points[a (before)].metrics.ttft_p50.value
-point points[old].load.concurrency
-point points[old].metrics.ttft_p50.value`
	if got := paths(Between(aligned, after)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if before.MetricDefs[0].Name != "median_ttft" || before.Points[0].ID != "first" || before.Points[0].Metrics[0].Metric != "median_ttft" {
		t.Error("the run itself was changed")
	}
}
