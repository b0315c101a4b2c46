package store

import (
	"cmp"
	"database/sql/driver"
	"fmt"
	"slices"
	"strconv"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// incomingRows are the runs and points that a load brought and has not handed
// on to be stored. What is derived from the rows of a new run is made of the
// rows in memory. A run of which more rows come later is touched, and Finish
// makes all that anew.
type incomingRows struct {
	*incomingBatch
	other      *incomingBatch // the one that is being stored, or is empty
	firstPoint int64          // the key of the first point that was not handed on
	nextRun    int64
	nextPoint  int64
	nextConfig int64 // 0 where configurations were stored before the load
}

// incomingBatch is stored in one statement a table, by a goroutine of its own:
// until it is stored nobody else touches it.
type incomingBatch struct {
	configs  []incomingConfig
	runs     []incomingRun
	points   []incomingPoint
	contents incomingContents
	flags    []flag
}

// incomingConfig is a configuration that is not stored yet.
type incomingConfig struct {
	id     int64
	config record.InferenceXConfig
}

// incomingRun is a run that is not stored yet.
type incomingRun struct {
	run       *inferencexRun
	row       *record.InferenceXRow // its first
	described InferenceXRun
	config    int64

	// Set by settle. What may change of run while this is stored is as it is then.
	gpus            int64
	runURL, started string
	official        bool
	facts           runFacts
	set             int64 // definition set
	content         int64 // 0 for none
	digest          int64 // of all that is stored of it, see runDigest
}

// incomingPoint is a point that is not stored yet.
type incomingPoint struct {
	id      int64
	run     *inferencexRun
	row     *record.InferenceXRow
	image   image
	digest  int64 // RowDigest of row
	ordinal int32
	long    bool // see pointName
}

// has tells whether a point is not stored yet.
func (in *incomingRows) has(point int64) bool { return point >= in.firstPoint }

// beginIncoming finds the keys that new rows get.
func (l *Load) beginIncoming() error {
	x := l.inferencex
	x.incoming.incomingBatch, x.incoming.other = &incomingBatch{}, &incomingBatch{}
	var runs, configs bool
	_, err := l.queryRow(`
		SELECT EXISTS (SELECT 1 FROM runs), EXISTS (SELECT 1 FROM inferencex_configs),
			ifnull((SELECT max(run_id) FROM runs), 0) + 1, ifnull((SELECT max(point_id) FROM points), 0) + 1`,
		nil, &runs, &configs, &x.incoming.nextRun, &x.incoming.nextPoint)
	x.fresh = !runs
	if !configs {
		x.incoming.nextConfig = 1
	}
	x.incoming.firstPoint = x.incoming.nextPoint
	if err != nil {
		return err
	}
	return l.ensureFinder()
}

// addPoint gives a point of a run its key. Flush stores it.
func (l *Load) addPoint(run *inferencexRun, at *knownPoint, row *record.InferenceXRow, img image) (int64, error) {
	in := &l.inferencex.incoming
	for i := range row.Other {
		if err := l.ensureKey(row.Other[i].Key); err != nil {
			return 0, err
		}
	}
	at.id = in.nextPoint
	at.ordinal = int32(len(run.points) - 1)
	at.long = row.ArtifactDigest != "" // until all are in, nobody knows which keeps the short name
	in.nextPoint++
	in.points = append(in.points, incomingPoint{at.id, run, row, img, at.holds, at.ordinal, at.long})
	return at.id, nil
}

// Flush hands the rows that are not stored yet on to be stored, while the load
// goes on: when it returns, the rows of SaveRow before the Flush before it may
// be written to again. What needs the database waits until they are stored, and
// fails if that did.
func (l *Load) Flush() error {
	in := &l.inferencex.incoming
	if len(in.points) == 0 {
		return l.await()
	}
	if err := l.settleIncoming(); err != nil {
		return err
	}
	const large = 400 // rows at once
	if l.inferencex.fresh && l.late == nil && len(in.points) > large {
		if err := l.deferIndexes(); err != nil {
			return err
		}
	}
	for i := range in.runs {
		run := in.runs[i].run
		run.incoming = false
		run.points = slices.Clone(run.points) // as many as there are, for most runs get no more
	}
	return l.handOn()
}

// handOn has the batch stored and takes the other one.
func (l *Load) handOn() error {
	if err := l.await(); err != nil {
		return err
	}
	in := &l.inferencex.incoming
	b := in.incomingBatch
	b.contents, l.finder.incoming = l.finder.incoming, b.contents
	if l.judge != nil {
		b.flags, l.judge.flags = l.judge.flags, b.flags
	}
	in.incomingBatch, in.other, in.firstPoint = in.other, b, in.nextPoint
	waiting := &l.finder.waiting
	return l.beside(func(s *session) error {
		if err := b.store(s, waiting); err != nil {
			return fmt.Errorf("store %d rows: %w", len(b.points), err)
		}
		b.empty()
		return nil
	})
}

// store stores the batch. The keys of its contents may wait for more.
func (b *incomingBatch) store(s *session, waiting *contentPlaces) error {
	if err := b.contents.store(s, waiting); err != nil {
		return err
	}
	for _, step := range []func(*session) error{
		b.storeConfigs, b.storeRuns, b.storePools, b.storePoints, b.storeRowsOfPoints, b.storeOthers, b.storeDigests, b.storeRunDigests,
	} {
		if err := step(s); err != nil {
			return err
		}
	}
	return s.storeFlags(b.flags)
}

// empty makes the batch ready for other rows.
func (b *incomingBatch) empty() {
	clear(b.runs)
	clear(b.points)
	b.runs, b.points, b.flags = b.runs[:0], b.points[:0], b.flags[:0]
}

// settleIncoming makes what is derived from the rows of the runs that are not stored yet.
func (l *Load) settleIncoming() error {
	in := &l.inferencex.incoming
	slices.SortStableFunc(in.points, func(a, b incomingPoint) int {
		return cmp.Or(cmp.Compare(a.run.id, b.run.id), cmp.Compare(a.row.Conc, b.row.Conc))
	})
	at := 0
	for i := range in.runs {
		r := &in.runs[i]
		for in.points[at].run != r.run { // points of runs that were stored before
			at++
		}
		from := at
		for at < len(in.points) && in.points[at].run == r.run {
			at++
		}
		if err := l.settle(r, in.points[from:at]); err != nil {
			return fmt.Errorf("run %s: %w", r.described.Name, err)
		}
	}
	return nil
}

// settle makes what is derived from all rows of a run, of those that are here.
func (l *Load) settle(r *incomingRun, points []incomingPoint) error {
	x := l.inferencex
	x.attempts[r.run.githubRun] = true
	r.gpus, r.runURL, r.started, r.official = r.run.gpus, r.run.runURL, r.run.started, r.run.official
	for i := range points {
		p := &points[i]
		r.facts.add(p.row.Date, p.image.version)
		p.ordinal = int32(i)
		r.run.points[i].ordinal = p.ordinal // in the same order
	}
	var err error
	r.set, err = l.inferencexDefinitions(definedBy{r.run.columns, x.rules.Context(r.run.kind, r.run.disagg, r.facts.day)})
	if err != nil {
		return err
	}
	if r.row.ArtifactDigest != "" { // names and order of its points are settled when all are in
		l.touched[r.run.id] = true
		return nil
	}
	if err := l.flagIncoming(r, points); err != nil {
		return err
	}
	if r.content, err = l.incomingContent(r, points); err != nil {
		return err
	}
	r.digest, err = l.incomingDigest(r, points)
	return err
}

// incomingContent is the content of a run that no newer attempt hides: that shows when all are in.
func (l *Load) incomingContent(r *incomingRun, points []incomingPoint) (int64, error) {
	if r.described.Model == "" || r.row.Config.Hardware == "" {
		return 0, nil
	}
	plan, err := l.finder.plan(r.set)
	if err != nil {
		return 0, err
	}
	s := sweep{model: r.described.Model, hardware: r.row.Config.Hardware, points: make([]level, len(points))}
	for i := range points {
		row := points[i].row
		s.points[i] = plan.level(load{concurrency: row.Conc}, columnsOf(row), &row.Known)
	}
	if s.valueCount() == 0 {
		return 0, nil
	}
	return l.finder.saveContent(&s)
}

// runColumns are the columns of runs that a capture fills, in the order of incomingRun.runField.
var runColumns = []string{"run_id", "definition_set_id", "content_id", "name", "origin", "admitted_as", "source_kind", "licence_id", "model", "engine",
	"engine_version", "hardware", "nodes", "gpus", "isl", "osl", "harness", "measured_on"}

// runField returns the value of a column of runs by its index in runColumns.
func (r *incomingRun) runField(column int) driver.Value {
	switch column {
	case 0:
		return r.run.id
	case 1:
		return r.set
	case 2:
		return number(r.content)
	case 3:
		return r.described.Name
	case 4:
		return "inferencex"
	case 5:
		return "capture"
	case 6:
		return "inferencex"
	case 7:
		return InferenceXLicence
	case 8:
		return text(r.described.Model)
	case 9:
		return text(r.described.Engine)
	case 10:
		return text(r.facts.engineVersion())
	case 11:
		return text(r.row.Config.Hardware)
	case 12:
		if r.row.Config.IsMultinode {
			return nil
		}
		return int64(1)
	case 13:
		return number(r.gpus)
	case 14:
		return optional(r.row.ISL)
	case 15:
		return optional(r.row.OSL)
	case 16:
		return text(r.described.Harness)
	}
	return text(r.facts.day)
}

// inferencexRunColumns are the columns of inferencex_runs, in the order of incomingRun.inferencexField.
var inferencexRunColumns = []string{"run_id", "config_id", "github_run_id", "run_attempt", "run_url", "run_started_at", "benchmark_type", "offload_mode",
	"recipe_fingerprint", "official", "collapsed", "artifact_run"}

// inferencexField returns the value of a column of inferencex_runs by its index in inferencexRunColumns.
func (r *incomingRun) inferencexField(column int) driver.Value {
	switch column {
	case 0:
		return r.run.id
	case 1:
		return r.config
	case 2:
		return number(r.row.GitHubRunID)
	case 3:
		return number(r.row.RunAttempt)
	case 4:
		return text(r.runURL)
	case 5:
		return text(r.started)
	case 6:
		return r.row.BenchmarkType
	case 7:
		return r.row.OffloadMode
	case 8:
		return text(r.row.RecipeFingerprint)
	case 9:
		return r.official
	case 10:
		return r.described.Collapsed
	}
	return text(r.row.ArtifactRun)
}

var insertRunSQL, insertInferenceXRunSQL = feedInto("runs", runColumns...), feedInto("inferencex_runs", inferencexRunColumns...)

func (b *incomingBatch) storeRuns(s *session) error {
	err := s.feed(insertRunSQL, len(b.runs), func(i, column int) driver.Value { return b.runs[i].runField(column) })
	if err != nil {
		return err
	}
	return s.feed(insertInferenceXRunSQL, len(b.runs), func(i, column int) driver.Value { return b.runs[i].inferencexField(column) })
}

var insertConfigsSQL = feedInto("inferencex_configs", append([]string{"config_id"}, configColumns...)...)

func (b *incomingBatch) storeConfigs(s *session) error {
	values := make([][]any, len(b.configs))
	for i := range b.configs {
		values[i] = append([]any{b.configs[i].id}, configValues(&b.configs[i].config)...)
	}
	clear(b.configs)
	b.configs = b.configs[:0]
	return s.feed(insertConfigsSQL, len(values), func(i, column int) driver.Value { return values[i][column] })
}

// rowPool is what a configuration states of a pool of the deployment. It
// states no pipeline or data-parallel width and no layout over nodes, so these
// stay NULL: the pools alone are no deployment that BLIS could build.
type rowPool struct {
	run             int64
	position        int64
	role            string
	nodes           int64 // 0 where it is not stated
	tp, ep, workers int64
	dpAttention     bool
}

func rowPools(run int64, c *record.InferenceXConfig) []rowPool {
	if c.Disagg {
		return []rowPool{
			{run, 0, "prefill", 0, c.PrefillTP, c.PrefillEP, c.PrefillNumWorkers, c.PrefillDPAttention},
			{run, 1, "decode", 0, c.DecodeTP, c.DecodeEP, c.DecodeNumWorkers, c.DecodeDPAttention},
		}
	}
	pool := rowPool{run, 0, "colocated", 1, c.DecodeTP, c.DecodeEP, c.DecodeNumWorkers, c.DecodeDPAttention}
	if c.IsMultinode {
		pool.nodes = 0
	}
	return []rowPool{pool}
}

// poolColumns are the columns of pools that a capture fills, in the order of rowPool.field.
var poolColumns = []string{"run_id", "position", "role", "nodes", "tp", "ep", "workers", "dp_attention"}

// field returns the value of a column of pools by its index in poolColumns.
func (p *rowPool) field(column int) driver.Value {
	switch column {
	case 0:
		return p.run
	case 1:
		return p.position
	case 2:
		return p.role
	case 3:
		return number(p.nodes)
	case 4:
		return number(p.tp)
	case 5:
		return number(p.ep)
	case 6:
		return p.workers
	}
	return p.dpAttention
}

var insertPoolSQL = feedInto("pools", poolColumns...)

func (b *incomingBatch) storePools(s *session) error {
	var pools []rowPool
	for i := range b.runs {
		r := &b.runs[i]
		pools = append(pools, rowPools(r.run.id, &r.row.Config)...)
	}
	return s.feed(insertPoolSQL, len(pools), func(i, column int) driver.Value { return pools[i].field(column) })
}

// pointColumns are the columns of points that a capture fills, in the order of incomingPoint.field.
var pointColumns = []string{"point_id", "run_id", "position", "id", "concurrency"}

// field returns the value of a column of points by its index in pointColumns.
func (p *incomingPoint) field(column int) driver.Value {
	switch column {
	case 0:
		return p.id
	case 1:
		return p.run.id
	case 2:
		return int64(p.ordinal)
	case 3:
		return pointName(p.row.Conc, artifactOf(p.row.ArtifactDigest), p.long)
	}
	return p.row.Conc
}

var insertPointSQL = feedInto("points", pointColumns...)

func (b *incomingBatch) storePoints(s *session) error {
	return s.feed(insertPointSQL, len(b.points), func(i, column int) driver.Value { return b.points[i].field(column) })
}

// pointName is the id of a point: c<concurrency>. Of several raw artifacts with
// one concurrency the first by digest has it, the others have a long one, with their digest.
func pointName(conc int64, artifact artifactKey, long bool) string {
	name := "c" + strconv.FormatInt(conc, 10)
	if !long {
		return name
	}
	return fmt.Sprintf("%s-%012x", name, uint64(artifact>>16))
}

// storeRowsOfPoints stores the rows themselves. Columns that none of them has are left out of the statement.
func (b *incomingBatch) storeRowsOfPoints(s *session) error {
	points := b.points
	var fields uint64
	var metrics columnSet
	for i := range points {
		p := &points[i]
		for f := range fieldNames {
			if fields>>f&1 == 0 && rowField(f, p.row, p.image.id) != nil {
				fields |= 1 << f
			}
		}
		metrics |= columnsOf(p.row)
	}
	names, from := []string{"point_id"}, []int{0} // of a column: 1 + a field, or -1 - a metric
	for f, name := range fieldNames {
		if fields>>f&1 != 0 {
			names, from = append(names, name), append(from, 1+f)
		}
	}
	for m, c := range record.InferenceXColumns {
		if metrics.has(m) {
			names, from = append(names, c.Column), append(from, -1-m)
		}
	}
	return s.feed(feedInto("inferencex_points", names...), len(points), func(i, column int) driver.Value {
		p := &points[i]
		switch c := from[column]; {
		case c < 0:
			if !p.row.Has[-1-c] {
				return nil
			}
			return p.row.Known[-1-c]
		case c > 0:
			return rowField(c-1, p.row, p.image.id)
		}
		return p.id
	})
}

var insertDigestSQL = feedInto("inferencex_row_digests", "point_id", "digest")

func (b *incomingBatch) storeDigests(s *session) error {
	return s.feed(insertDigestSQL, len(b.points), func(i, column int) driver.Value {
		if column == 0 {
			return b.points[i].id
		}
		return b.points[i].digest
	})
}

var insertOtherSQL = feedInto("inferencex_other_values", "point_id", "key", "number", "text")

func (b *incomingBatch) storeOthers(s *session) error {
	type other struct {
		point int64
		value *record.InferenceXOther
	}
	var others []other
	for i := range b.points {
		p := &b.points[i]
		for j := range p.row.Other {
			others = append(others, other{p.id, &p.row.Other[j]})
		}
	}
	return s.feed(insertOtherSQL, len(others), func(i, column int) driver.Value {
		o := others[i]
		switch column {
		case 0:
			return o.point
		case 1:
			return o.value.Key
		case 2:
			return optional(o.value.Number)
		}
		if o.value.Number == nil {
			return o.value.Text // "" is a text here, not an absence
		}
		return nil
	})
}
