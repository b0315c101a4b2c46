package store

import (
	"fmt"
	"math/rand"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// TestDefinitionDifferences compares the view with an oracle that walks the
// fields of random definitions one by one.
func TestDefinitionDifferences(t *testing.T) {
	w := newWarehouse(t)
	rnd := rand.New(rand.NewSource(17))
	pick := func(words ...string) string { return words[rnd.Intn(len(words))] }
	random := func() record.MetricDef {
		d := record.MetricDef{Name: "m", Formula: pick("", "ttft"), Population: pick("", "per_request", "pooled_chunks"), Clock: pick("", "client"),
			StartEvent: pick("", "send"), StopEvent: pick("", "first_chunk"), OutputLenSource: pick("", "usage"), GPUScope: pick("", "all"), Unit: "ms",
			Statistic: pick("", "median", "p50", "p50.0", "p99", "p99.0", "p05", "p5", "mean"), Cite: pick("a:1", "b:2")}
		if d.Statistic != "" && d.Statistic[0] == 'p' {
			d.PercentileMethod = "numpy_linear"
		}
		if rnd.Intn(2) == 0 {
			b := rnd.Intn(2) == 0
			d.ReasoningCountedAsContent = &b
		}
		return d
	}
	fields := func(d record.MetricDef) map[string]string {
		statistic, method := d.Statistic, d.PercentileMethod
		if v, err := strconv.ParseFloat(statistic[min(1, len(statistic)):], 64); err == nil {
			statistic = fmt.Sprint("p", v)
		}
		if statistic == "p50" || statistic == "median" {
			statistic, method = "median", ""
		}
		reasoning := ""
		if d.ReasoningCountedAsContent != nil {
			reasoning = fmt.Sprint(*d.ReasoningCountedAsContent)
		}
		return map[string]string{"formula": d.Formula, "statistic": statistic, "population": d.Population, "clock": d.Clock, "start_event": d.StartEvent,
			"stop_event": d.StopEvent, "output_len_source": d.OutputLenSource, "reasoning_counted_as_content": reasoning, "percentile_method": method,
			"unit": d.Unit, "gpu_scope": d.GPUScope}
	}
	defs := make([]record.MetricDef, 40)
	w.load(func(l *Load) {
		for i := range defs {
			defs[i] = random()
			r := exactRun(fmt.Sprint("run-", i), 1)
			r.MetricDefs = []record.MetricDef{defs[i]}
			r.Points[0].Metrics[0].Metric = "m"
			save(t, l, r)
		}
	})
	got := map[[2]int][]string{}
	for _, row := range w.rows(`SELECT substr(a.name, 5), substr(b.name, 5), d.field, d.value_a, d.value_b FROM runs a JOIN runs b ON a.run_id <> b.run_id
			JOIN definition_differences d ON d.set_a = a.definition_set_id AND d.set_b = b.definition_set_id`) {
		cells := strings.SplitN(row, "|", 3)
		var pair [2]int
		for i := range pair {
			pair[i], _ = strconv.Atoi(cells[i])
		}
		got[pair] = append(got[pair], strings.ReplaceAll(cells[2], "|", " "))
	}
	different, same := 0, 0
	for i, a := range defs {
		for j, b := range defs {
			if i == j {
				continue
			}
			var want []string
			if metricIdentity(a.Name, a.Formula, a.Statistic) == metricIdentity(b.Name, b.Formula, b.Statistic) {
				other := fields(b)
				for field, v := range fields(a) {
					if v != other[field] {
						want = append(want, field+" "+v+" "+other[field])
					}
				}
			}
			if len(want) > 0 {
				different++
			} else {
				same++
			}
			slices.Sort(want)
			slices.Sort(got[[2]int{i, j}])
			if !slices.Equal(got[[2]int{i, j}], want) {
				t.Errorf("%+v\n%+v\ngot  %q\nwant %q", a, b, got[[2]int{i, j}], want)
			}
		}
	}
	if different < 100 || same < 100 {
		t.Errorf("one-sided: %d pairs differ, %d do not", different, same)
	}
}
