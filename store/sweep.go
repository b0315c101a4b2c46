package store

import (
	"cmp"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// sweep is what a run measured, in the form that duplicates are compared in:
// metrics by identity instead of name, values in the unit of their definition.
type sweep struct {
	model, hardware string
	points          []level // in the run's order
}

// level is a load level of a sweep.
type level struct {
	load    load
	metrics []string  // identities, sorted
	values  []float64 // beside metrics
}

// load is a load; 0 stands for a mode that is not used.
type load struct {
	concurrency int64
	rate        float64
}

// metricIdentity is what makes two metrics the same in a comparison: formula
// and statistic (formula alone for a throughput), or the name where the
// formula is unstated. p50 and median are one statistic, so are p99 and p99.0.
func metricIdentity(name, formula, statistic string) string {
	if formula == "" {
		return "name " + name
	}
	if statistic == "" {
		return formula
	}
	return formula + " " + canonicalStatistic(statistic)
}

func canonicalStatistic(s string) string {
	if digits, ok := strings.CutPrefix(s, "p"); ok {
		if p, err := strconv.ParseFloat(digits, 64); err == nil {
			s = "p" + strconv.FormatFloat(p, 'f', -1, 64)
		}
	}
	if s == "p50" {
		return "median"
	}
	return s
}

// inUnit returns a reported value in its definition's unit, -0 as 0.
func inUnit(reported, scale float64) float64 {
	switch {
	case reported == 0:
		return 0
	case scale == 1:
		return reported
	case scale == 1000:
		if v, ok := record.ShiftDecimal(reported, 3); ok {
			return v
		}
	}
	return reported * scale
}

// sweepPlan is how the columns of inferencex_points become the metrics of a
// level, for the runs of one definition set.
type sweepPlan struct {
	metrics []plannedMetric        // by identity
	names   map[columnSet][]string // the identities of a row's metrics, by its columns
}

type plannedMetric struct {
	identity string
	column   int
	scale    float64
}

func newSweepPlan(metrics map[string]metricIn) *sweepPlan {
	p := &sweepPlan{names: map[columnSet][]string{}}
	for _, m := range metrics {
		p.metrics = append(p.metrics, plannedMetric{m.identity, m.slot - 1, m.scale})
	}
	slices.SortFunc(p.metrics, func(a, b plannedMetric) int { return strings.Compare(a.identity, b.identity) })
	return p
}

// level returns the level of a row that has these columns with these values.
func (p *sweepPlan) level(at load, columns columnSet, values *[record.NumInferenceXColumns]float64) level {
	names, ok := p.names[columns]
	if !ok {
		for _, m := range p.metrics {
			if columns.has(m.column) {
				names = append(names, m.identity)
			}
		}
		p.names[columns] = names
	}
	l := level{load: at, metrics: names, values: make([]float64, 0, len(names))}
	for _, m := range p.metrics {
		if columns.has(m.column) {
			l.values = append(l.values, inUnit(values[m.column], m.scale))
		}
	}
	return l
}

// valueCount is the number of values in the sweep.
func (s *sweep) valueCount() (n int) {
	for i := range s.points {
		n += len(s.points[i].values)
	}
	return n
}

// signature is the same for two sweeps exactly when they are exact duplicates:
// same model, hardware and list of loads, the same metrics, every value equal.
func (s *sweep) signature() string {
	sum := s.sum()
	return hex.EncodeToString(sum[:])
}

// sum is the signature as bytes.
func (s *sweep) sum() [16]byte {
	h := sha256.New()
	b := make([]byte, 0, 512)
	b = appendText(b, s.model)
	b = appendText(b, s.hardware)
	for i := range s.points {
		p := &s.points[i]
		b = appendLoad(b, p.load)
		b = binary.LittleEndian.AppendUint64(b, uint64(len(p.metrics)))
		for j, m := range p.metrics {
			b = appendText(b, m)
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(p.values[j]))
		}
		h.Write(b)
		b = b[:0]
	}
	h.Write(b)
	return [16]byte(h.Sum(b[:0])[:16])
}

// block is the same for two sweeps exactly when they have the same model,
// hardware and list of loads.
func (s *sweep) block() string {
	b := appendText(appendText(nil, s.model), s.hardware)
	for i := range s.points {
		b = appendLoad(b, s.points[i].load)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:16])
}

func appendText(b []byte, s string) []byte {
	b = binary.LittleEndian.AppendUint64(b, uint64(len(s)))
	return append(b, s...)
}

func appendLoad(b []byte, l load) []byte {
	b = binary.LittleEndian.AppendUint64(b, uint64(l.concurrency))
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(l.rate))
}

// hash is a 64-bit hash of a load level's projection on some of its metrics,
// which must be sorted. ok is false where it has none of them.
func (s *sweep) hash(p *level, metrics []string) (key int64, ok bool) {
	h := fnv.New64a()
	b := make([]byte, 0, 256)
	b = appendText(b, s.model)
	b = appendText(b, s.hardware)
	b = appendLoad(b, p.load)
	for _, m := range metrics {
		i, found := slices.BinarySearch(p.metrics, m)
		if !found {
			continue
		}
		ok = true
		b = appendText(b, m)
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(p.values[i]))
	}
	h.Write(b)
	return int64(h.Sum64()), ok
}

// keys returns the sweep's blocking keys, one for each point and blocking metric that it has, each once.
func (s *sweep) keys(blocking []string) []int64 {
	var keys []int64
	for i := range s.points {
		for _, m := range blocking {
			if key, ok := s.hash(&s.points[i], []string{m}); ok {
				keys = append(keys, key)
			}
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// anchor is a value at the first load of a sweep, and at the last where that has the metric.
type anchor struct {
	metric string
	value  float64
	last   sql.NullFloat64
}

// anchors returns the blocking metrics that the first load has.
func (s *sweep) anchors(blocking []string) (all []anchor) {
	if len(s.points) == 0 {
		return nil
	}
	first, last := &s.points[0], &s.points[len(s.points)-1]
	for _, m := range blocking {
		i, ok := slices.BinarySearch(first.metrics, m)
		if !ok {
			continue
		}
		a := anchor{metric: m, value: first.values[i]}
		if j, ok := slices.BinarySearch(last.metrics, m); ok {
			a.last = sql.NullFloat64{Float64: last.values[j], Valid: true}
		}
		all = append(all, a)
	}
	return all
}

// combinations returns the distinct sets of metrics of its points, each joined by line feeds.
func (s *sweep) combinations() []string {
	var sets []string
	for i := range s.points {
		if i > 0 && sameSlice(s.points[i].metrics, s.points[i-1].metrics) {
			continue
		}
		if joined := strings.Join(s.points[i].metrics, "\n"); !slices.Contains(sets, joined) {
			sets = append(sets, joined)
		}
	}
	return sets
}

// sameSlice tells whether two lists are one in memory.
func sameSlice(a, b []string) bool { return len(a) == len(b) && len(a) > 0 && &a[0] == &b[0] }

// shape is the same for two sweeps exactly when they have the same loads, and
// the same metrics at each.
func (s *sweep) shape() string {
	var b strings.Builder
	for i := range s.points {
		p := &s.points[i]
		fmt.Fprintf(&b, "%d %g %s\n\n", p.load.concurrency, p.load.rate, strings.Join(p.metrics, "\n"))
	}
	return b.String()
}

// levelShape is a load with metrics, without values.
type levelShape struct {
	load    load
	metrics []string
}

// sharedShape returns the loads that both sweeps have, with the metrics that both have there.
func sharedShape(a, b *sweep) (shared []levelShape) {
	own, at := a.byLoad(), b.byLoad()
	for i := range a.points {
		p := &a.points[i]
		if q := at[p.load]; q != nil && own[p.load] == p {
			if metrics := intersect(p.metrics, q.metrics); len(metrics) > 0 {
				shared = append(shared, levelShape{p.load, metrics})
			}
		}
	}
	return shared
}

// project is a hash of the sweep's values at the loads and metrics of shapes, which it has.
func (s *sweep) project(shapes []levelShape) int64 {
	at := s.byLoad()
	h := fnv.New64a()
	var b [8]byte
	for _, shape := range shapes {
		key, _ := s.hash(at[shape.load], shape.metrics)
		binary.LittleEndian.PutUint64(b[:], uint64(key))
		h.Write(b[:])
	}
	return int64(h.Sum64())
}

// byLoad finds the levels by load. Where raw artifacts repeat a load, the first stands for it.
func (s *sweep) byLoad() map[load]*level {
	at := make(map[load]*level, len(s.points))
	for i := range s.points {
		if p := &s.points[i]; at[p.load] == nil {
			at[p.load] = p
		}
	}
	return at
}

// overlap compares two sweeps that are not equal. They overlap when every
// metric that both have at a shared load is equal, in at least two values.
// Model and hardware must have been found equal before.
func overlap(a, b *sweep) (shared int, ok bool) {
	own, at := a.byLoad(), b.byLoad()
	for i := range a.points {
		p := &a.points[i]
		q := at[p.load]
		if q == nil || own[p.load] != p {
			continue
		}
		equal, same := sharedValues(p, q)
		if !same {
			return 0, false
		}
		shared += equal
	}
	return shared, shared >= 2
}

// sharedValues counts the metrics that both levels have; same is false where one differs.
func sharedValues(p, q *level) (n int, same bool) {
	i, j := 0, 0
	for i < len(p.metrics) && j < len(q.metrics) {
		switch cmp.Compare(p.metrics[i], q.metrics[j]) {
		case -1:
			i++
		case 1:
			j++
		default:
			if p.values[i] != q.values[j] {
				return 0, false
			}
			n++
			i++
			j++
		}
	}
	return n, true
}

// blockingPreference ranks the metrics to block by: those that most sources
// give and that vary most from run to run come first.
var blockingPreference = []string{"ttft median", "ttft mean", "e2el median", "e2el mean", "tpot median", "tpot mean", "itl median", "itl mean",
	"ttft p99", "e2el p99", "tpot p99", "itl p99", "output_throughput", "output_throughput_per_gpu", "total_token_throughput", "total_token_throughput_per_gpu"}

// blockingMetrics chooses metrics such that any two combinations that share a
// metric share a chosen one; so two points that agree in all they share have
// a blocking key in common. The choice depends on nothing but the combinations.
func blockingMetrics(combinations []string) []string {
	sorted := slices.Clone(combinations)
	slices.Sort(sorted)
	sets := make([][]string, len(sorted))
	for i, c := range sorted {
		sets[i] = strings.Split(c, "\n")
	}
	var chosen []string
	for i, s := range sets {
		for _, t := range sets[i:] {
			common := intersect(s, t)
			if len(common) > 0 && len(intersect(common, chosen)) == 0 {
				chosen = append(chosen, preferred(common))
				slices.Sort(chosen)
			}
		}
	}
	return chosen
}

// intersect returns what two sorted lists share.
func intersect(a, b []string) []string {
	var both []string
	for _, s := range a {
		if _, ok := slices.BinarySearch(b, s); ok {
			both = append(both, s)
		}
	}
	return both
}

func preferred(metrics []string) string {
	for _, p := range blockingPreference {
		if slices.Contains(metrics, p) {
			return p
		}
	}
	return metrics[0]
}
