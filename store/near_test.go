package store

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/inference-sim/blis-warehouse/queries"
	"github.com/inference-sim/blis-warehouse/store/record"
)

// query returns the rows of a named query as text, columns parted by |.
func (w *warehouse) query(name string, params map[string]any) []string {
	w.t.Helper()
	q, ok := queries.Get(name)
	if !ok {
		w.t.Fatalf("no query %s", name)
	}
	values := map[string]any{}
	for _, p := range q.Params {
		values[p.Name] = params[p.Name]
	}
	r, err := OpenReader(w.t.Context(), w.path, ReaderOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
	defer r.Close()
	rows, err := r.Query(w.t.Context(), q.Text, values)
	if err != nil {
		w.t.Fatalf("%s: %v", name, err)
	}
	var lines []string
	for row, err := range rows.All() {
		if err != nil {
			w.t.Fatalf("%s: %v", name, err)
		}
		cells := make([]string, len(row))
		for i, v := range row {
			if v != nil {
				cells[i] = fmt.Sprint(v)
			}
		}
		lines = append(lines, strings.Join(cells, "|"))
	}
	return lines
}

// bound is what a test calls near for one metric, in whole numbers: relative
// in thousandths, absolute in the metric's unit.
type bound struct{ relative, absolute int64 }

// nearCase is a setting of the query near-duplicates.
type nearCase struct {
	general    bound
	ofMeaning  map[string]bound // relative or absolute -1 where only the general one is given
	parameters map[string]any
}

func nearCases() []nearCase {
	object := func(m map[string]float64) any {
		text, err := json.Marshal(m)
		if err != nil {
			panic(err)
		}
		return string(text)
	}
	return []nearCase{
		{general: bound{10, 0}},
		{general: bound{50, 0}, parameters: map[string]any{"tolerance": 0.05}},
		{general: bound{0, 1}, parameters: map[string]any{"tolerance": 0.0, "absolute": 1.0}},
		{general: bound{10, 2}, parameters: map[string]any{"absolute": 2.0}},
		{general: bound{10, 0}, ofMeaning: map[string]bound{"ttft": {50, -1}}, parameters: map[string]any{"tolerances": object(map[string]float64{"ttft_p50": 0.05})}},
		{general: bound{50, 0}, ofMeaning: map[string]bound{"ttft": {0, -1}, "odd": {20, -1}},
			parameters: map[string]any{"tolerance": 0.05, "tolerances": object(map[string]float64{"ttft median": 0, "odd": 0.02, "ttft_p50": 0.01})}},
		{general: bound{10, 2}, ofMeaning: map[string]bound{"tps": {-1, 0}, "itl": {20, 5}},
			parameters: map[string]any{"absolute": 2.0, "tolerances": object(map[string]float64{"itl_p99.0": 0.02}), "absolutes": object(map[string]float64{"output_tps": 0, "itl_p99": 5, "gone": 9})}},
		{general: bound{1500, 0}, parameters: map[string]any{"tolerance": 1.5}},
	}
}

func (c nearCase) of(meaning string) bound {
	b := c.general
	if own, ok := c.ofMeaning[meaning]; ok {
		if own.relative >= 0 {
			b.relative = own.relative
		}
		if own.absolute >= 0 {
			b.absolute = own.absolute
		}
	}
	return b
}

// published is a random run with what the oracle knows of it.
type published struct {
	measured
	names   map[string]string // by meaning
	clocks  map[string]string // by meaning
	licence string
}

// randomPublished has few values close to each other, so that every edge of the cases is met: 95, 98, 99, 100 and 0, 1, 2.
func randomPublished(rnd *rand.Rand) (published, *record.Run) {
	m := published{measured{model: "m", hardware: []string{"h100", "b200"}[rnd.Intn(8)/7], values: map[int64]map[string]float64{}},
		map[string]string{}, map[string]string{}, []string{"open", "few"}[rnd.Intn(2)]}
	r := exactRun("", 1)
	r.Points, r.MetricDefs, r.Model, r.Cluster.Hardware, r.Source.LicenseRef = nil, nil, m.model, m.hardware, m.licence
	for _, pair := range [][]string{{"ttft_p50", "ttft_median"}, {"itl_p99", "itl_p99.0"}, {"output_tps"}, {"odd"}} {
		if rnd.Intn(3) == 0 && (len(r.MetricDefs) > 0 || pair[0] != "odd") {
			continue
		}
		n := pair[rnd.Intn(len(pair))]
		d := metricNames[n]
		d.Name, d.Cite, d.Clock = n, "invented:1", []string{"client", "client", "client", ""}[rnd.Intn(4)]
		m.names[meaning[n]], m.clocks[meaning[n]] = n, d.Clock
		r.MetricDefs = append(r.MetricDefs, d)
	}
	near, loads := rnd.Intn(3) > 0, 1+rnd.Intn(2)
	for conc := int64(1); conc <= int64(loads); conc++ {
		m.values[conc] = map[string]float64{}
		p := record.Point{ID: fmt.Sprint([]string{"c", "x"}[rnd.Intn(2)], 9-conc), Concurrency: &conc}
		for i, d := range r.MetricDefs {
			if rnd.Intn(4) == 0 && len(p.Metrics)+len(r.MetricDefs)-i > 1 {
				continue // a point may lack any metric
			}
			v := []float64{100, 100, 99, 99, 98, 95}[rnd.Intn(4+2*rnd.Intn(2))]
			if !near && rnd.Intn(2) == 0 || rnd.Intn(12) == 0 {
				v = float64(rnd.Intn(3))
			}
			m.values[conc][meaning[d.Name]] = v
			p.Metrics = append(p.Metrics, record.Value{Metric: d.Name, Value: v})
		}
		r.Points = append(r.Points, p)
	}
	return m, r
}

// nearOracle compares two runs by the words of the definition, in whole
// numbers. It returns the row that the query should have, after the names.
func nearOracle(a, b published, c nearCase, points map[int64]string, met map[string]int) string {
	if kind, _ := compareMeasured(a.measured, b.measured); kind != "" || a.hardware != b.hardware || !slices.Equal(sorted(a.values), sorted(b.values)) {
		return ""
	}
	shared := 0
	var worst struct{ difference, of, x, y int64 } // difference / of
	var point, metric string
	for _, conc := range sorted(a.values) {
		for _, meaning := range sorted(a.values[conc]) {
			v, ok := b.values[conc][meaning]
			if !ok {
				continue
			}
			x, y := int64(a.values[conc][meaning]), int64(v)
			shared++
			difference, larger, limit := max(x-y, y-x), max(x, y), c.of(meaning)
			relative, absolute := 1000*difference <= limit.relative*larger, difference <= limit.absolute
			if difference > 0 && 1000*difference == limit.relative*larger {
				met["relative edge"]++
			}
			if difference > 0 && difference == limit.absolute {
				met["absolute edge"]++
			}
			if !relative && absolute {
				met["only absolute"]++
			}
			if c.of(meaning) != c.general && (relative || absolute) != (1000*difference <= c.general.relative*larger || difference <= c.general.absolute) {
				met["own limit decides"]++
			}
			if !relative && !absolute {
				met["too far"]++
				return ""
			}
			if larger == 0 {
				met["both zero"]++
				larger = 1
			}
			if metric == "" || difference*worst.of > worst.difference*larger {
				worst.difference, worst.of, worst.x, worst.y = difference, larger, x, y
				point, metric = points[conc], a.names[meaning]
			}
		}
	}
	if shared == 0 {
		met["nothing shared"]++
		return ""
	}
	met["near"]++
	return fmt.Sprintf("near|0|%d|%v|%s|%s|%d|%d|%d|%s|%s|%s", shared, float64(worst.difference)/float64(worst.of), point, metric,
		len(a.values), worst.x, worst.y, clockDifferences(a, b, met), a.licence, b.licence)
}

// clockDifferences is the oracle for definition_differences: random runs differ in clocks only.
func clockDifferences(a, b published, met map[string]int) string {
	measures := func(p published, meaning string) bool {
		for _, at := range p.values {
			if _, ok := at[meaning]; ok {
				return true
			}
		}
		return false
	}
	var lines []string
	for meaning, clock := range a.clocks {
		other, ok := b.clocks[meaning]
		if ok && clock != other && measures(a, meaning) && measures(b, meaning) {
			state := func(s string) string {
				if s == "" {
					return "not stated"
				}
				return s
			}
			lines = append(lines, fmt.Sprintf("%s: clock (%s, %s)", a.names[meaning], state(clock), state(other)))
		}
	}
	if len(lines) > 0 {
		met["definitions differ"]++
	}
	slices.Sort(lines)
	return strings.Join(lines, "; ")
}

func sorted[K int64 | string, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

// Near pairs and their evidence agree with a comparison of all with all, for
// every way to say what is near; so do near pairs of contents.
func TestNearAgainstOracle(t *testing.T) {
	met := map[string]int{}
	for seed := range int64(4) {
		rnd := rand.New(rand.NewSource(seed))
		w := newWarehouse(t)
		all := map[string]published{}
		points := map[string]map[int64]string{}
		w.load(func(l *Load) {
			for i := range 45 {
				m, r := randomPublished(rnd)
				r.Name = fmt.Sprintf("r%02d", i)
				copies := []string{r.Name}
				if rnd.Intn(5) == 0 {
					copies = append(copies, fmt.Sprintf("copy%02d", i))
				}
				for _, name := range copies {
					again := *r
					again.Name = name
					save(t, l, &again)
					all[name], points[name] = m, map[int64]string{}
					for _, p := range r.Points {
						points[name][*p.Concurrency] = p.ID
					}
				}
			}
		})
		names := sorted(all)
		content := map[string][]string{} // runs that measured exactly the same, by the first of them
		first := map[string]string{}
		for _, n := range names {
			first[n] = n
			for _, o := range names {
				if kind, _ := compareMeasured(all[o].measured, all[n].measured); kind == "exact" {
					first[n] = o
					break
				}
			}
			content[first[n]] = append(content[first[n]], n)
		}
		for i, c := range nearCases() {
			var runs, contents []string
			for j, a := range names {
				for _, b := range names[j+1:] {
					row := nearOracle(all[a], all[b], c, points[a], met)
					if row == "" {
						continue
					}
					row = fmt.Sprintf("%s|%s|%s|%d|%d", a, b, row, len(content[first[a]]), len(content[first[b]]))
					runs = append(runs, row)
					if first[a] == a && first[b] == b {
						contents = append(contents, row)
					} else {
						met["copies"]++
					}
				}
			}
			compareRows(t, fmt.Sprintf("seed %d, case %d", seed, i), w.query("near-duplicates", c.parameters), runs)
			ofContents := maps.Clone(c.parameters)
			if ofContents == nil {
				ofContents = map[string]any{}
			}
			ofContents["contents"] = int64(1)
			compareRows(t, fmt.Sprintf("seed %d, case %d, contents", seed, i), w.query("near-duplicates", ofContents), contents)
		}
		var evidence []string
		for _, line := range w.query("duplicate-pairs", nil) {
			cells := strings.Split(line, "|")
			a, b := all[cells[0]], all[cells[1]]
			loads := 0
			for conc := range a.values {
				if _, ok := b.values[conc]; ok {
					loads++
				}
			}
			kind, shared := compareMeasured(a.measured, b.measured)
			met["pair "+kind]++
			evidence = append(evidence, fmt.Sprintf("%s|%s|%s|0|%d|0|||%d|||%s|%s|%s", cells[0], cells[1], kind, shared, loads, clockDifferences(a, b, met), a.licence, b.licence))
		}
		compareRows(t, fmt.Sprintf("seed %d, evidence of pairs", seed), w.query("duplicate-pairs", nil), evidence)
	}
	for _, want := range []string{"near", "too far", "relative edge", "absolute edge", "only absolute", "own limit decides", "both zero", "nothing shared", "copies",
		"definitions differ", "pair exact", "pair overlap"} {
		if met[want] < 10 {
			t.Errorf("%q was met %d times: the sample says too little", want, met[want])
		}
	}
}

func compareRows(t *testing.T, what string, got, want []string) {
	t.Helper()
	if slices.Equal(got, want) {
		return
	}
	t.Errorf("%s: %d rows, want %d", what, len(got), len(want))
	for _, r := range got {
		if !slices.Contains(want, r) {
			t.Errorf("unexpected %s", r)
		}
	}
	for _, r := range want {
		if !slices.Contains(got, r) {
			t.Errorf("missing    %s", r)
		}
	}
	t.FailNow()
}
