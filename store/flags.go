package store

import (
	"cmp"
	"database/sql"
	"database/sql/driver"
	"maps"
	"math"
	"slices"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// The plausibility rules of InferenceX rows. What each says, and its threshold,
// is in the table flag_rules; here is how it is found out. A run is looked at
// while its rows are in memory, and read again only when more rows come to it.

// flag is a row of flags.
type flag struct {
	run, point         int64 // point is 0 where the whole run is meant
	code, subject      string
	measured, expected sql.NullFloat64
}

// judgedRun is what the rules look at.
type judgedRun struct {
	id                          int64
	gpus                        int64 // 0 where unknown
	disagg, collapsed           bool
	prefillTP                   int64
	numPrefillGPU, numDecodeGPU int64
	official, singleTurn        bool
	points                      []judgedPoint // in their order
}

// judgedPoint is a point that the rules look at.
type judgedPoint struct {
	id, image int64 // image is 0 for none
	columns   columnSet
	values    *[record.NumInferenceXColumns]float64
}

// get returns a metric.
func (p *judgedPoint) get(column int) (v float64, ok bool) {
	return p.values[column], p.columns.has(column)
}

// above tells whether both metrics are there and the first is above factor times the second.
func (p *judgedPoint) above(a int, factor float64, b int) bool {
	return p.columns.has(a) && p.columns.has(b) && p.values[a] > factor*p.values[b]
}

// flagColumns are the columns that rules name.
var flagColumns = func() (c struct {
	intvty, tpot         int // medians
	total, input, output int // throughput per GPU
	medianE2EL, p99E2EL  int
	ttft, e2el           [3]int    // median, mean and p99
	percentiles          [4][6]int // rising, of ttft, tpot, itl and e2el
	neverNegative        []int
}) {
	index := map[string]int{}
	for i, col := range record.InferenceXColumns {
		index[col.Key] = i
	}
	c.intvty, c.tpot = index["median_intvty"], index["median_tpot"]
	c.total, c.input, c.output = index["tput_per_gpu"], index["input_tput_per_gpu"], index["output_tput_per_gpu"]
	c.medianE2EL, c.p99E2EL = index["median_e2el"], index["p99_e2el"]
	for i, s := range []string{"median", "mean", "p99"} {
		c.ttft[i], c.e2el[i] = index[s+"_ttft"], index[s+"_e2el"]
	}
	for i, q := range []string{"ttft", "tpot", "itl", "e2el"} {
		for j, s := range []string{"median", "p75", "p90", "p95", "p99", "p99.9"} {
			c.percentiles[i][j] = index[s+"_"+q]
		}
		for _, s := range []string{"mean", "median", "std", "p75", "p90", "p95", "p99", "p99.9"} {
			c.neverNegative = append(c.neverNegative, index[s+"_"+q])
		}
	}
	c.neverNegative = append(c.neverNegative, c.total, c.input, c.output)
	return c
}()

// judge applies the plausibility rules.
type judge struct {
	intvtyTPOT, partsAndTotal, far, hung float64 // thresholds
	flags                                []flag
}

func newJudge(l *Load) (*judge, error) {
	j := &judge{}
	threshold := map[string]*float64{"intvty_tpot": &j.intvtyTPOT, "parts_and_total": &j.partsAndTotal, "far_from_neighbours": &j.far, "hung": &j.hung}
	err := l.query(`SELECT code, threshold FROM flag_rules WHERE threshold IS NOT NULL`, nil, func(scan func(...any) error) error {
		var code string
		var value float64
		if err := scan(&code, &value); err != nil {
			return err
		}
		if t := threshold[code]; t != nil {
			*t = value
		}
		return nil
	})
	return j, err
}

// run adds the flags of a run.
func (j *judge) run(r *judgedRun) {
	j.wholeRun(r)
	for i := range r.points {
		p := &r.points[i]
		j.point(r, p)
		j.percentileOrder(r, p)
		j.negative(r, p)
		if i > 0 && i < len(r.points)-1 {
			j.neighbours(r, &r.points[i-1], p, &r.points[i+1])
		}
	}
}

func (j *judge) add(r *judgedRun, p *judgedPoint, code, subject string, measured, expected sql.NullFloat64) {
	f := flag{run: r.id, code: code, subject: subject, measured: measured, expected: expected}
	if p != nil {
		f.point = p.id
	}
	j.flags = append(j.flags, f)
}

func some(v float64) sql.NullFloat64 { return sql.NullFloat64{Float64: v, Valid: true} }

func (j *judge) wholeRun(r *judgedRun) {
	none := sql.NullFloat64{}
	odd := func(reported int64) bool { return reported != 0 && reported != r.gpus }
	if r.gpus != 0 && (!r.disagg || r.collapsed && r.numPrefillGPU+r.numDecodeGPU != r.gpus) {
		switch {
		case odd(r.numPrefillGPU):
			j.add(r, nil, "gpu_count", "num_prefill_gpu", some(float64(r.numPrefillGPU)), some(float64(r.gpus)))
		case odd(r.numDecodeGPU):
			j.add(r, nil, "gpu_count", "num_decode_gpu", some(float64(r.numDecodeGPU)), some(float64(r.gpus)))
		}
	}
	if r.collapsed {
		j.add(r, nil, "collapsed_topology", "prefill_tp, decode_tp", some(float64(r.prefillTP)), none)
	}
	if !r.official {
		j.add(r, nil, "unofficial", "run_url", none, none)
	}
	var images []int64
	for i := range r.points {
		if img := r.points[i].image; img != 0 && !slices.Contains(images, img) {
			images = append(images, img)
		}
	}
	if len(images) > 1 {
		j.add(r, nil, "two_images", "image", some(float64(len(images))), some(1))
	}
}

func (j *judge) point(r *judgedRun, p *judgedPoint) {
	c := &flagColumns
	if r.singleTurn && p.columns.has(c.intvty) && p.columns.has(c.tpot) {
		if product := float64(p.values[c.intvty] * p.values[c.tpot]); math.Abs(product-1) > j.intvtyTPOT {
			j.add(r, p, "intvty_tpot", "median_intvty, median_tpot", some(product), some(1))
		}
	}
	for i, ttft := range c.ttft {
		if p.above(ttft, 1, c.e2el[i]) {
			j.add(r, p, "ttft_above_e2el", record.InferenceXColumns[ttft].Key, some(p.values[ttft]), some(p.values[c.e2el[i]]))
			break
		}
	}
	if r.singleTurn && !r.disagg && p.columns.has(c.input) && p.columns.has(c.output) && p.columns.has(c.total) {
		total, parts := p.values[c.total], p.values[c.input]+p.values[c.output]
		if math.Abs(parts-total) > float64(j.partsAndTotal*total) {
			j.add(r, p, "parts_and_total", "input_tput_per_gpu, output_tput_per_gpu", some(parts), some(total))
		}
	}
	if p.above(c.p99E2EL, j.hung, c.medianE2EL) {
		j.add(r, p, "hung", "p99_e2el, median_e2el", some(p.values[c.p99E2EL]), some(p.values[c.medianE2EL]))
	}
}

// percentileOrder finds for each latency the lowest percentile that is below a lower one.
func (j *judge) percentileOrder(r *judgedRun, p *judgedPoint) {
	for _, columns := range flagColumns.percentiles {
		highest := math.Inf(-1)
		for _, column := range columns {
			v, ok := p.get(column)
			if !ok {
				continue
			}
			if v < highest {
				j.add(r, p, "percentile_order", record.InferenceXColumns[column].Key, some(v), some(highest))
				break
			}
			highest = v
		}
	}
}

func (j *judge) negative(r *judgedRun, p *judgedPoint) {
	lowest, of := 0.0, -1
	for _, column := range flagColumns.neverNegative {
		if v, ok := p.get(column); ok && v < lowest {
			lowest, of = v, column
		}
	}
	if of >= 0 {
		j.add(r, p, "negative", record.InferenceXColumns[of].Key, some(lowest), some(0))
	}
}

// neighbours compares a point's throughput with those of the loads beside it.
func (j *judge) neighbours(r *judgedRun, before, p, after *judgedPoint) {
	a, hasA := before.get(flagColumns.total)
	x, hasX := p.get(flagColumns.total)
	b, hasB := after.get(flagColumns.total)
	if !hasA || !hasX || !hasB || x <= j.far*max(a, b) && x*j.far >= min(a, b) {
		return
	}
	nearest := min(a, b)
	if x > a {
		nearest = max(a, b)
	}
	j.add(r, p, "far_from_neighbours", "tput_per_gpu", some(x), some(nearest))
}

// flagIncoming judges a run that is not stored yet.
func (l *Load) flagIncoming(r *incomingRun, points []incomingPoint) error {
	if err := l.ensureJudge(); err != nil {
		return err
	}
	c := &r.row.Config
	judged := judgedRun{
		id: r.run.id, gpus: r.run.gpus, disagg: c.Disagg, collapsed: r.described.Collapsed, prefillTP: c.PrefillTP,
		numPrefillGPU: c.NumPrefillGPU, numDecodeGPU: c.NumDecodeGPU, official: r.run.official, singleTurn: r.run.kind == singleTurn,
		points: make([]judgedPoint, len(points)),
	}
	for i := range points {
		p := &points[i]
		judged.points[i] = judgedPoint{p.id, p.image.id, columnsOf(p.row), &p.row.Known}
	}
	l.judge.run(&judged)
	return nil
}

const singleTurn = "single_turn" // the benchmark type whose client is the publisher's own

func (l *Load) ensureJudge() (err error) {
	if l.judge == nil {
		l.judge, err = newJudge(l)
	}
	return err
}

// judgeStored judges a run as the database has it. Only InferenceX runs have flags.
func (l *Load) judgeStored(run int64) error {
	r := judgedRun{id: run}
	var kind string
	found, err := l.queryRow(`
		SELECT ifnull(r.gpus, 0), c.disagg, i.collapsed, c.prefill_tp, c.num_prefill_gpu, c.num_decode_gpu, i.official, i.benchmark_type
		FROM runs r JOIN inferencex_runs i ON i.run_id = r.run_id JOIN inferencex_configs c ON c.config_id = i.config_id WHERE r.run_id = ?`,
		[]any{run}, &r.gpus, &r.disagg, &r.collapsed, &r.prefillTP, &r.numPrefillGPU, &r.numDecodeGPU, &r.official, &kind)
	if err != nil || !found {
		return err
	}
	r.singleTurn = kind == singleTurn
	err = l.readPoints(run, func(p *storedPoint) error {
		values := p.known
		r.points = append(r.points, judgedPoint{p.id, p.image, p.columns, &values})
		return nil
	})
	l.judge.run(&r)
	return err
}

// updateFlags makes the flags of the touched InferenceX runs anew.
func (l *Load) updateFlags() error {
	if l.inferencex == nil {
		return nil
	}
	return l.judgeTouched()
}

func (l *Load) judgeTouched() error {
	if err := l.ensureJudge(); err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(l.touched)) {
		if _, err := l.exec(`DELETE FROM flags WHERE run_id = ?`, id); err != nil {
			return err
		}
		if err := l.judgeStored(id); err != nil {
			return err
		}
	}
	s, err := l.own()
	if err != nil {
		return err
	}
	err = s.storeFlags(l.judge.flags)
	l.judge.flags = l.judge.flags[:0]
	return err
}

var insertFlagSQL = feedInto("flags", "run_id", "point_id", "code", "subject", "measured", "expected")

// storeFlags stores flags.
func (s *session) storeFlags(flags []flag) error {
	return s.feed(insertFlagSQL, len(flags), func(i, column int) driver.Value {
		f := &flags[i]
		switch column {
		case 0:
			return f.run
		case 1:
			return number(f.point)
		case 2:
			return f.code
		case 3:
			return f.subject
		case 4:
			return nullable(f.measured)
		default:
			return nullable(f.expected)
		}
	})
}

func nullable(v sql.NullFloat64) any {
	if !v.Valid {
		return nil
	}
	return v.Float64
}

// compareFlags orders flags.
func compareFlags(a, b flag) int {
	null := func(v sql.NullFloat64) float64 {
		if !v.Valid {
			return math.Inf(-1)
		}
		return v.Float64
	}
	return cmp.Or(cmp.Compare(a.run, b.run), cmp.Compare(a.point, b.point), cmp.Compare(a.code, b.code), cmp.Compare(a.subject, b.subject),
		cmp.Compare(null(a.measured), null(b.measured)), cmp.Compare(null(a.expected), null(b.expected)))
}

// PointRange is a range of keys of points.
type PointRange struct{ First, Last int64 }

// CountFlagged counts the points of ranges that are flagged, themselves or with
// their run. A point counts as often as it is in a range.
func (l *Load) CountFlagged(ranges []PointRange) (n int, err error) {
	const few = 1000 // points, looked at one by one; of more, the flags are looked at
	size := int64(0)
	for _, r := range ranges {
		size += r.Last - r.First + 1
	}
	if size > few {
		return l.countAmongFlagged(ranges)
	}
	for _, r := range ranges {
		var count int
		_, err := l.queryRow(`
			SELECT count(*) FROM points p WHERE p.point_id BETWEEN ? AND ? AND (
				EXISTS (SELECT 1 FROM flags f WHERE f.point_id = p.point_id)
				OR EXISTS (SELECT 1 FROM flags f WHERE f.run_id = p.run_id AND f.point_id IS NULL))`, []any{r.First, r.Last}, &count)
		if err != nil {
			return 0, err
		}
		n += count
	}
	return n, nil
}

func (l *Load) countAmongFlagged(ranges []PointRange) (n int, err error) {
	if l.flagged == nil {
		if l.flagged, err = l.integers(`SELECT DISTINCT point_id FROM flagged_points ORDER BY point_id`); err != nil {
			return 0, err
		}
	}
	for _, r := range ranges {
		from, _ := slices.BinarySearch(l.flagged, r.First)
		to, _ := slices.BinarySearch(l.flagged, r.Last+1)
		n += to - from
	}
	return n, nil
}
