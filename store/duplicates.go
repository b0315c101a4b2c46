package store

import (
	"encoding/hex"
	"maps"
	"slices"
	"strings"
)

// Exact and overlap duplicates are facts about what was measured and depend
// on nothing else, so they are kept in tables: a run points to its content
// (equal contents are exact duplicates), contents that overlap are listed in
// content_overlaps, and content_groups connects those. To find overlaps
// without comparing all with all, every point has a blocking key for each
// blocking metric; contents that share a key are compared.

// metricIn is how a metric of a definition set enters a comparison.
type metricIn struct {
	identity string
	slot     int
	scale    float64
}

// duplicateFinder reads sweeps from the database under a load's transaction.
type duplicateFinder struct {
	l      *Load
	sets   map[int64]map[string]metricIn // metrics by name, by definition set
	plans  map[int64]*sweepPlan          // of InferenceX runs, by definition set
	sweeps map[int64]*sweep              // by content, a bounded cache

	last     int64              // the greatest content that was stored before the load
	next     int64              // the next content
	contents map[[16]byte]int64 // by signature, those of this load
	incoming incomingContents   // that no batch has taken along
	waiting  contentPlaces      // of stored contents, for who has the session

	combinations   []string // of metrics, sorted
	combinationIDs map[string]int64
	stored         []string // blocking metrics before the load, sorted
	blocking       []string // blocking metrics that the combinations call for
	keyedBy        []string // blocking metrics that the first key of this load was made by, nil before it
	rekey          bool     // some key was made by another choice than the first
}

func newDuplicateFinder(l *Load) (*duplicateFinder, error) {
	f := &duplicateFinder{
		l: l, sets: map[int64]map[string]metricIn{}, plans: map[int64]*sweepPlan{}, sweeps: map[int64]*sweep{},
		combinationIDs: map[string]int64{}, contents: map[[16]byte]int64{},
	}
	if _, err := l.queryRow(`SELECT ifnull(max(content_id), 0) FROM run_contents`, nil, &f.last); err != nil {
		return nil, err
	}
	f.next = f.last + 1
	return f, f.readBlocking()
}

func (l *Load) ensureFinder() (err error) {
	if l.finder == nil {
		l.finder, err = newDuplicateFinder(l)
	}
	return err
}

// updateContents gives every touched run its content and brings keys, overlaps and groups up to date.
func (l *Load) updateContents() error {
	if len(l.touched) == 0 && len(l.stale) == 0 && (l.finder == nil || l.finder.next == l.finder.last+1) {
		return nil
	}
	if err := l.ensureFinder(); err != nil {
		return err
	}
	f := l.finder
	for _, step := range []func() error{f.assignContents, f.storeKeys, f.dropStale, f.settleKeys, f.storeKeys} {
		if err := step(); err != nil {
			return err
		}
	}
	if err := f.findOverlaps(f.last); err != nil {
		return err
	}
	return f.updateGroups()
}

// readBlocking reads the combinations of metrics and the blocking metrics that keys are made of.
func (f *duplicateFinder) readBlocking() (err error) {
	f.combinations, err = f.l.texts(`SELECT metrics FROM metric_combinations ORDER BY metrics`)
	if err == nil {
		f.blocking, err = f.l.texts(`SELECT metric FROM blocking_metrics ORDER BY metric`)
	}
	f.stored = slices.Clone(f.blocking)
	return err
}

// assignContents computes the content of every touched run.
func (f *duplicateFinder) assignContents() error {
	const together = 512 // runs whose contents are stored with one statement a table
	for runs := range slices.Chunk(slices.Sorted(maps.Keys(f.l.touched)), together) {
		contents := make([]int64, len(runs))
		for i, id := range runs {
			s, err := f.readRun(id)
			if err == nil && s != nil {
				contents[i], err = f.saveContent(s)
			}
			if err != nil {
				return err
			}
		}
		if err := f.storeContents(); err != nil {
			return err
		}
		for i, id := range runs {
			if err := f.assignContent(id, contents[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// assignContent gives a run its content, 0 for none.
func (f *duplicateFinder) assignContent(run, content int64) error {
	var old int64
	if _, err := f.l.queryRow(`SELECT ifnull(content_id, 0) FROM runs WHERE run_id = ?`, []any{run}, &old); err != nil {
		return err
	}
	if content == old {
		return nil
	}
	if old != 0 {
		f.l.stale[old] = true
	}
	_, err := f.l.exec(`UPDATE runs SET content_id = ? WHERE run_id = ?`, number(content), run)
	return err
}

// saveContent returns the key of a sweep's content. One that is new is stored by storeContents.
func (f *duplicateFinder) saveContent(s *sweep) (id int64, err error) {
	sum := s.sum()
	if id, known := f.contents[sum]; known {
		return id, nil
	}
	signature := hex.EncodeToString(sum[:])
	if f.last > 0 {
		if _, err := f.l.queryRow(`SELECT content_id FROM run_contents WHERE signature = ?`, []any{signature}, &id); err != nil {
			return 0, err
		}
	}
	if id == 0 {
		id = f.next
		f.next++
		block := s.block()
		f.incoming.contents = append(f.incoming.contents, incomingContent{id, signature, block, s.valueCount()})
		for _, metrics := range s.combinations() {
			if err := f.saveCombination(id, metrics); err != nil {
				return 0, err
			}
		}
		f.saveKeys(id, s, block)
	}
	f.contents[sum] = id
	return id, nil
}

func (f *duplicateFinder) saveCombination(content int64, metrics string) error {
	if _, known := slices.BinarySearch(f.combinations, metrics); !known {
		f.combinations = append(f.combinations, metrics)
		slices.Sort(f.combinations)
		f.blocking = blockingMetrics(f.combinations)
	}
	combination, known := f.combinationIDs[metrics]
	if !known {
		_, err := f.l.exec(`INSERT INTO metric_combinations (metrics) VALUES (?) ON CONFLICT DO NOTHING`, metrics)
		if err == nil {
			_, err = f.l.queryRow(`SELECT combination_id FROM metric_combinations WHERE metrics = ?`, []any{metrics}, &combination)
		}
		if err != nil {
			return err
		}
		f.combinationIDs[metrics] = combination
	}
	f.incoming.combinations = append(f.incoming.combinations, [2]int64{content, combination})
	return nil
}

// saveKeys makes the keys and anchors of a content that has none, for the
// blocking metrics of the moment.
func (f *duplicateFinder) saveKeys(content int64, s *sweep, block string) {
	if f.keyedBy == nil {
		f.keyedBy = f.blocking
	}
	f.rekey = f.rekey || !slices.Equal(f.keyedBy, f.blocking)
	for _, key := range s.keys(f.blocking) {
		f.incoming.keys = append(f.incoming.keys, [2]int64{key, content})
	}
	for _, a := range s.anchors(f.blocking) {
		f.incoming.anchors = append(f.incoming.anchors, incomingAnchor{block, a, content})
	}
}

// settleKeys stores the choice of blocking metrics that the combinations call
// for, and makes all keys anew where some were made by another choice.
func (f *duplicateFinder) settleKeys() error {
	combinations, err := f.l.texts(`SELECT metrics FROM metric_combinations ORDER BY metrics`)
	if err != nil {
		return err
	}
	wanted := blockingMetrics(combinations)
	rekey := f.rekey || f.keyedBy != nil && !slices.Equal(f.keyedBy, wanted) || len(f.stored) > 0 && !slices.Equal(f.stored, wanted)
	if !slices.Equal(f.stored, wanted) {
		if _, err := f.l.exec(`DELETE FROM blocking_metrics`); err != nil {
			return err
		}
		for _, m := range wanted {
			if _, err := f.l.exec(`INSERT INTO blocking_metrics (metric) VALUES (?)`, m); err != nil {
				return err
			}
		}
	}
	if !rekey {
		return nil
	}
	f.waiting = contentPlaces{}
	for _, statement := range []string{`DELETE FROM content_keys`, `DELETE FROM content_anchors`} {
		if _, err := f.l.exec(statement); err != nil {
			return err
		}
	}
	f.blocking, f.keyedBy, f.rekey = wanted, wanted, false
	contents, err := f.l.integers(`SELECT content_id FROM run_contents ORDER BY content_id`)
	if err != nil {
		return err
	}
	for _, content := range contents {
		s, err := f.readContent(content)
		if err != nil {
			return err
		}
		if s == nil {
			continue
		}
		f.saveKeys(content, s, s.block())
		if err := f.storeContents(); err != nil {
			return err
		}
	}
	return nil
}

// dropStale removes contents that no run has any more, with their keys and overlaps.
func (f *duplicateFinder) dropStale() error {
	for id := range f.l.stale {
		_, err := f.l.exec(`DELETE FROM run_contents WHERE content_id = ? AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.content_id = run_contents.content_id)`, id)
		if err != nil {
			return err
		}
	}
	_, err := f.l.exec(`DELETE FROM metric_combinations WHERE NOT EXISTS
		(SELECT 1 FROM content_combinations c WHERE c.combination_id = metric_combinations.combination_id)`)
	return err
}

// findOverlaps stores the overlaps of the contents above last.
func (f *duplicateFinder) findOverlaps(last int64) error {
	return f.overlaps(last, func(pair [2]int64, shared int) error {
		_, err := f.l.exec(`INSERT INTO content_overlaps (content_a, content_b, shared_values) VALUES (?, ?, ?)`, pair[0], pair[1], shared)
		return err
	})
}

// overlaps compares the contents above last with all that share a blocking key
// with them, and calls each once for every pair that overlaps.
func (f *duplicateFinder) overlaps(last int64, each func(pair [2]int64, shared int) error) error {
	buckets, err := f.buckets(last)
	if err != nil {
		return err
	}
	done := map[[2]int64]bool{}
	for _, bucket := range buckets {
		pairs, err := f.candidates(bucket, last)
		if err != nil {
			return err
		}
		for _, pair := range pairs {
			if done[pair] {
				continue
			}
			done[pair] = true
			shared, ok, err := f.compare(pair)
			if err == nil && ok {
				err = each(pair, shared)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

type bucket struct {
	key      int64
	contents []int64
}

// buckets returns the keys that several contents share, one of them above last.
func (f *duplicateFinder) buckets(last int64) ([]bucket, error) {
	var all []bucket
	var b bucket
	flush := func() {
		if len(b.contents) > 1 && b.contents[len(b.contents)-1] > last {
			all = append(all, bucket{b.key, slices.Clone(b.contents)})
		}
		b.contents = b.contents[:0]
	}
	shared := `SELECT key, content_id FROM content_keys WHERE key IN (SELECT key FROM content_keys WHERE content_id > ?) ORDER BY key, content_id`
	if last == 0 { // all are new: one pass over the keys in their order
		shared = `SELECT key, content_id FROM content_keys WHERE key IN (SELECT key FROM content_keys GROUP BY key HAVING max(content_id) > ? AND count(*) > 1) ORDER BY key, content_id`
	}
	err := f.l.query(shared, []any{last}, func(scan func(...any) error) error {
		var key, content int64
		if err := scan(&key, &content); err != nil {
			return err
		}
		if key != b.key {
			flush()
			b.key = key
		}
		b.contents = append(b.contents, content)
		return nil
	})
	flush()
	return all, err
}

// candidates returns the pairs of a bucket that agree in all that they share;
// one of each pair is above last. Contents of one shape (the same loads with
// the same metrics) share everything, so two that are not equal do not
// overlap; those of two shapes are told apart by one hash over what the shapes
// share. So a value that many runs have (a constant) compares nothing with all.
func (f *duplicateFinder) candidates(b bucket, last int64) ([][2]int64, error) {
	type member struct {
		content int64
		s       *sweep
	}
	byShape := map[string][]member{}
	var shapes []string
	for _, content := range b.contents {
		s, err := f.readContent(content)
		if err != nil {
			return nil, err
		}
		if s == nil { // only in a damaged database: check finds it
			continue
		}
		shape := s.shape()
		if byShape[shape] == nil {
			shapes = append(shapes, shape)
		}
		byShape[shape] = append(byShape[shape], member{content, s})
	}
	var pairs [][2]int64
	for i, c := range shapes {
		for _, d := range shapes[i+1:] {
			common := sharedShape(byShape[c][0].s, byShape[d][0].s)
			sameHash := map[int64][]member{}
			for _, m := range byShape[c] {
				key := m.s.project(common)
				sameHash[key] = append(sameHash[key], m)
			}
			for _, n := range byShape[d] {
				for _, m := range sameHash[n.s.project(common)] {
					x, y := min(m.content, n.content), max(m.content, n.content)
					if y > last {
						pairs = append(pairs, [2]int64{x, y})
					}
				}
			}
		}
	}
	return pairs, nil
}

// compare tells whether two contents overlap.
func (f *duplicateFinder) compare(pair [2]int64) (shared int, ok bool, err error) {
	a, err := f.readContent(pair[0])
	if err != nil {
		return 0, false, err
	}
	b, err := f.readContent(pair[1])
	if err != nil {
		return 0, false, err
	}
	if a == nil || b == nil || a.model != b.model || a.hardware != b.hardware {
		return 0, false, nil
	}
	shared, ok = overlap(a, b)
	return shared, ok, nil
}

// updateGroups connects the contents that overlap.
func (f *duplicateFinder) updateGroups() error {
	sets, err := f.groups()
	if err != nil {
		return err
	}
	if _, err := f.l.exec(`DELETE FROM content_groups`); err != nil {
		return err
	}
	for content := range sets {
		if _, err := f.l.exec(`INSERT INTO content_groups (content_id, group_id) VALUES (?, ?)`, content, sets.find(content)); err != nil {
			return err
		}
	}
	return nil
}

// groups returns the sets of contents that the stored overlaps connect.
func (f *duplicateFinder) groups() (unionFind[int64], error) {
	sets := unionFind[int64]{}
	err := f.l.query(`SELECT content_a, content_b FROM content_overlaps`, nil, func(scan func(...any) error) error {
		var a, b int64
		if err := scan(&a, &b); err != nil {
			return err
		}
		sets.union(a, b)
		return nil
	})
	return sets, err
}

// readContent returns the sweep of a content, nil where no run has it.
func (f *duplicateFinder) readContent(content int64) (*sweep, error) {
	if s, ok := f.sweeps[content]; ok {
		return s, nil
	}
	var run int64
	found, err := f.l.queryRow(`SELECT run_id FROM runs WHERE content_id = ? ORDER BY name LIMIT 1`, []any{content}, &run)
	if err != nil || !found {
		return nil, err
	}
	s, err := f.readRun(run)
	if err != nil {
		return nil, err
	}
	if len(f.sweeps) >= 8192 {
		clear(f.sweeps)
	}
	f.sweeps[content] = s
	return s, nil
}

// readRun returns the sweep of a run, nil where it can duplicate nothing:
// it has no model or no hardware, or a newer attempt hides it.
func (f *duplicateFinder) readRun(run int64) (*sweep, error) {
	var s sweep
	var origin string
	var set int64
	found, err := f.l.queryRow(`SELECT origin, model, hardware, definition_set_id FROM runs
		WHERE run_id = ? AND model IS NOT NULL AND hardware IS NOT NULL AND hidden_by_attempt IS NULL`,
		[]any{run}, &origin, &s.model, &s.hardware, &set)
	if err != nil || !found {
		return nil, err
	}
	if origin == "inferencex" {
		err = f.readRows(run, set, &s)
	} else {
		err = f.readValues(run, set, &s)
	}
	if err != nil {
		return nil, err
	}
	if s.valueCount() == 0 {
		return nil, nil
	}
	return &s, nil
}

// metrics returns how the metrics of a definition set compare, by name.
func (f *duplicateFinder) metrics(set int64) (map[string]metricIn, error) {
	if m, ok := f.sets[set]; ok {
		return m, nil
	}
	metrics := map[string]metricIn{}
	err := f.l.query(`SELECT metric, identity, slot, scale FROM definition_set_members WHERE definition_set_id = ?`,
		[]any{set}, func(scan func(...any) error) error {
			var name string
			var m metricIn
			if err := scan(&name, &m.identity, &m.slot, &m.scale); err != nil {
				return err
			}
			metrics[name] = m
			return nil
		})
	if err != nil {
		return nil, err
	}
	f.sets[set] = metrics
	return metrics, nil
}

// readValues reads the points of a catalog run.
func (f *duplicateFinder) readValues(run, set int64, s *sweep) error {
	metrics, err := f.metrics(set)
	if err != nil {
		return err
	}
	last := int64(-1)
	err = f.l.query(`
		SELECT p.point_id, ifnull(p.concurrency, 0), ifnull(p.request_rate, 0), v.metric, v.value
		FROM points p JOIN catalog_values v ON v.point_id = p.point_id WHERE p.run_id = ? ORDER BY p.position`,
		[]any{run}, func(scan func(...any) error) error {
			var point int64
			var at load
			var metric string
			var value float64
			if err := scan(&point, &at.concurrency, &at.rate, &metric, &value); err != nil {
				return err
			}
			if point != last {
				s.points = append(s.points, level{load: at})
				last = point
			}
			p := &s.points[len(s.points)-1]
			p.metrics = append(p.metrics, metrics[metric].identity)
			p.values = append(p.values, inUnit(value, metrics[metric].scale))
			return nil
		})
	for i := range s.points {
		s.points[i].sort()
	}
	return err
}

// readRows reads the points of an InferenceX run of a definition set.
func (f *duplicateFinder) readRows(run, set int64, s *sweep) error {
	plan, err := f.plan(set)
	if err != nil {
		return err
	}
	return f.l.readPoints(run, func(p *storedPoint) error {
		s.points = append(s.points, plan.level(load{concurrency: p.conc}, p.columns, &p.known))
		return nil
	})
}

// plan returns how rows of InferenceX runs with a definition set become levels of a sweep.
func (f *duplicateFinder) plan(set int64) (*sweepPlan, error) {
	if p, ok := f.plans[set]; ok {
		return p, nil
	}
	metrics, err := f.metrics(set)
	if err != nil {
		return nil, err
	}
	f.plans[set] = newSweepPlan(metrics)
	return f.plans[set], nil
}

// sort orders the metrics of a level by identity.
func (p *level) sort() {
	order := make([]int, len(p.metrics))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(p.metrics[a], p.metrics[b]) })
	metrics, values := make([]string, len(order)), make([]float64, len(order))
	for i, j := range order {
		metrics[i], values[i] = p.metrics[j], p.values[j]
	}
	p.metrics, p.values = metrics, values
}

func (l *Load) texts(statement string, args ...any) (all []string, err error) {
	err = l.query(statement, args, func(scan func(...any) error) error {
		var s string
		if err := scan(&s); err != nil {
			return err
		}
		all = append(all, s)
		return nil
	})
	return all, err
}

func (l *Load) integers(statement string, args ...any) (all []int64, err error) {
	err = l.query(statement, args, func(scan func(...any) error) error {
		var n int64
		if err := scan(&n); err != nil {
			return err
		}
		all = append(all, n)
		return nil
	})
	return all, err
}
