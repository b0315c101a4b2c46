package store

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
)

// Finding is something stored that is not what it was made of.
type Finding struct {
	Subject string // what it is about: a run's name, or a table
	Detail  string
}

// CheckDerived recomputes every derived table of the database at path from the
// facts and compares, and what InferenceX brought with the digests that loads
// kept of it. It changes nothing. No finding means that all agree.
func CheckDerived(ctx context.Context, path string) ([]Finding, error) {
	db, err := openForCheck(path)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	l, err := (&Writer{db: db}).Begin(ctx)
	if err != nil {
		return nil, fmt.Errorf("check %s: %w", path, err)
	}
	defer l.Rollback()
	f, err := newDuplicateFinder(l)
	if err != nil {
		return nil, fmt.Errorf("check %s: %w", path, err)
	}
	c := &derivedCheck{f: f, contents: map[string]int64{}}
	for _, step := range []func() error{c.runs, c.keys, c.overlaps, c.groups, c.declarations, c.flags, c.successors, c.pointDigests, c.runDigests, c.tableDigests, c.strangers} {
		if err := step(); err != nil {
			return nil, fmt.Errorf("check %s: %w", path, err)
		}
	}
	return c.findings, nil
}

type derivedCheck struct {
	f        *duplicateFinder
	contents map[string]int64 // by signature, those that runs have
	findings []Finding
}

func (c *derivedCheck) found(subject, format string, args ...any) {
	c.findings = append(c.findings, Finding{subject, fmt.Sprintf(format, args...)})
}

// runs compares every run's content with what it measured.
func (c *derivedCheck) runs() error {
	type stored struct {
		id              int64
		name, signature string
	}
	var all []stored
	err := c.f.l.query(`SELECT r.run_id, r.name, ifnull(c.signature, '') FROM runs r LEFT JOIN run_contents c ON c.content_id = r.content_id ORDER BY r.name`,
		nil, func(scan func(...any) error) error {
			var s stored
			if err := scan(&s.id, &s.name, &s.signature); err != nil {
				return err
			}
			all = append(all, s)
			return nil
		})
	if err != nil {
		return err
	}
	for _, r := range all {
		s, err := c.f.readRun(r.id)
		if err != nil {
			return err
		}
		signature := ""
		if s != nil {
			signature = s.signature()
			if _, seen := c.contents[signature]; !seen {
				if err := c.content(r.name, signature, s); err != nil {
					return err
				}
			}
		}
		if signature != r.signature {
			c.found(r.name, "its stored signature is not that of its values")
		}
	}
	return nil
}

// content compares a stored content with the sweep that it stands for.
func (c *derivedCheck) content(run, signature string, s *sweep) error {
	var id int64
	var block string
	var values int
	found, err := c.f.l.queryRow(`SELECT content_id, block, value_count FROM run_contents WHERE signature = ?`, []any{signature}, &id, &block, &values)
	if err != nil || !found { // a missing one shows as a signature that differs
		return err
	}
	c.contents[signature] = id
	if block != s.block() || values != s.valueCount() {
		c.found(run, "its stored content does not describe its values")
	}
	stored, err := c.f.l.texts(`
		SELECT m.metrics FROM content_combinations c JOIN metric_combinations m ON m.combination_id = c.combination_id
		WHERE c.content_id = ? ORDER BY m.metrics`, id)
	if err != nil {
		return err
	}
	wanted := s.combinations()
	slices.Sort(wanted)
	if !slices.Equal(stored, wanted) {
		c.found(run, "its stored combinations of metrics are not those of its points")
	}
	return nil
}

// keys compares the blocking keys, and looks for contents that no run has.
func (c *derivedCheck) keys() error {
	wanted := blockingMetrics(c.f.combinations)
	if !slices.Equal(wanted, c.f.stored) {
		c.found("blocking_metrics", "they are not those that the combinations of metrics call for")
		return nil
	}
	known := map[int64]bool{}
	for _, id := range slices.Sorted(maps.Values(c.contents)) {
		known[id] = true
		s, err := c.f.readContent(id)
		if err != nil {
			return err
		}
		if s == nil {
			continue
		}
		keys, err := c.f.l.integers(`SELECT key FROM content_keys WHERE content_id = ? ORDER BY key`, id)
		if err != nil {
			return err
		}
		if !slices.Equal(keys, s.keys(wanted)) {
			c.found("content_keys", "the keys of content %d are not those of its points", id)
		}
		anchors, err := c.anchors(id)
		if err != nil {
			return err
		}
		elsewhere, err := c.f.l.integers(`SELECT count(*) FROM content_anchors WHERE content_id = ? AND block <> ?`, id, s.block())
		if err != nil {
			return err
		}
		if !slices.Equal(anchors, s.anchors(wanted)) || elsewhere[0] != 0 {
			c.found("content_anchors", "the anchors of content %d are not the values at its first load", id)
		}
	}
	all, err := c.f.l.integers(`SELECT content_id FROM run_contents ORDER BY content_id`)
	if err != nil {
		return err
	}
	for _, id := range all {
		if !known[id] {
			c.found("run_contents", "no run has content %d", id)
		}
	}
	return nil
}

func (c *derivedCheck) anchors(content int64) (all []anchor, err error) {
	err = c.f.l.query(`SELECT metric, value, last_value FROM content_anchors WHERE content_id = ? ORDER BY metric`, []any{content}, func(scan func(...any) error) error {
		var a anchor
		if err := scan(&a.metric, &a.value, &a.last); err != nil {
			return err
		}
		all = append(all, a)
		return nil
	})
	return all, err
}

func (c *derivedCheck) overlaps() error {
	wanted := map[[2]int64]int{}
	err := c.f.overlaps(0, func(pair [2]int64, shared int) error {
		wanted[pair] = shared
		return nil
	})
	if err != nil {
		return err
	}
	stored := map[[2]int64]int{}
	err = c.f.l.query(`SELECT content_a, content_b, shared_values FROM content_overlaps`, nil, func(scan func(...any) error) error {
		var pair [2]int64
		var shared int
		if err := scan(&pair[0], &pair[1], &shared); err != nil {
			return err
		}
		stored[pair] = shared
		return nil
	})
	if err == nil && !maps.Equal(wanted, stored) {
		c.found("content_overlaps", "%d pairs are stored, the values make %d; they are not the same", len(stored), len(wanted))
	}
	return err
}

func (c *derivedCheck) groups() error {
	sets, err := c.f.groups()
	if err != nil {
		return err
	}
	stored := map[int64]int64{}
	err = c.f.l.query(`SELECT content_id, group_id FROM content_groups`, nil, func(scan func(...any) error) error {
		var content, group int64
		if err := scan(&content, &group); err != nil {
			return err
		}
		stored[content] = group
		return nil
	})
	if err != nil {
		return err
	}
	wanted := map[int64]int64{}
	for content := range sets {
		wanted[content] = sets.find(content)
	}
	if !maps.Equal(wanted, stored) {
		c.found("content_groups", "the stored groups are not those that the overlaps connect")
	}
	return nil
}

func (c *derivedCheck) declarations() error {
	target, err := c.f.l.targets(`SELECT name, supersedes FROM runs WHERE supersedes IS NOT NULL`)
	if err != nil {
		return err
	}
	cycles, err := c.f.l.texts(`SELECT name FROM supersession_cycles ORDER BY name`)
	if err != nil {
		return err
	}
	if !slices.Equal(cycles, slices.Sorted(maps.Keys(membersOfCycles(target)))) {
		c.found("supersession_cycles", "they are not those that supersedes makes")
	}
	wanted, err := c.f.l.declarations()
	if err != nil {
		return err
	}
	stored := map[string]component{}
	err = c.f.l.query(`SELECT name, component, in_cycle FROM declaration_components`, nil, func(scan func(...any) error) error {
		var name string
		var s component
		if err := scan(&name, &s.first, &s.inCycle); err != nil {
			return err
		}
		stored[name] = s
		return nil
	})
	if err == nil && !maps.Equal(wanted, stored) {
		c.found("declaration_components", "they are not those that duplicate_of connects")
	}
	return err
}

// pointDigests compares the rows of points with their digests.
func (c *derivedCheck) pointDigests() error {
	l := c.f.l
	var wrong []digestedPoint
	err := l.eachPointDigest(func(p digestedPoint) error {
		if p.kept == nil || *p.kept != p.is {
			wrong = append(wrong, p)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, p := range wrong {
		var run, point string
		if _, err := l.queryRow(`SELECT r.name, p.id FROM points p JOIN runs r ON r.run_id = p.run_id WHERE p.point_id = ?`, []any{p.id}, &run, &point); err != nil {
			return err
		}
		if p.kept == nil {
			c.found(run, "the row of its point %s has no digest", point)
		} else {
			c.found(run, "the row of its point %s is not the one that was loaded", point)
		}
	}
	return nil
}

// runDigests compares what is stored of every InferenceX run with its digest.
func (c *derivedCheck) runDigests() error {
	type stored struct {
		id   int64
		name string
		kept *int64
	}
	var all []stored
	err := c.f.l.query(`
		SELECT r.run_id, r.name, d.digest FROM runs r LEFT JOIN inferencex_run_digests d ON d.run_id = r.run_id
		WHERE r.origin = 'inferencex' OR d.run_id IS NOT NULL OR EXISTS (SELECT 1 FROM inferencex_runs i WHERE i.run_id = r.run_id) ORDER BY r.name`,
		nil, func(scan func(...any) error) error {
			var s stored
			err := scan(&s.id, &s.name, &s.kept)
			all = append(all, s)
			return err
		})
	if err != nil {
		return err
	}
	for _, s := range all {
		is, found, err := c.f.l.digestOfRun(s.id)
		switch {
		case err != nil:
			return err
		case s.kept == nil:
			c.found(s.name, "it has no digest")
		case !found || is != *s.kept:
			c.found(s.name, "what is stored of it is not what was loaded: a field of it, its configuration, a pool, a point or a revision was changed")
		}
	}
	return nil
}

// tableDigests compares what belongs to no run with its digests.
func (c *derivedCheck) tableDigests() error {
	kept, err := c.f.l.tableDigests()
	if err != nil {
		return err
	}
	err = c.f.l.eachDigestedTable(func(t digestedTable) error {
		digests, err := c.f.l.digestsOfTable(t, nil)
		if err != nil {
			return err
		}
		for _, part := range slices.Sorted(maps.Keys(digests)) {
			p := tablePart{t.name, part}
			if digest, ok := kept[p]; !ok || digest != digests[part] {
				c.found(t.name, "%s are not those that were loaded", p.rows())
			}
			delete(kept, p)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := c.idDigests(kept); err != nil {
		return err
	}
	sum, err := c.f.l.sumOfRuns()
	if err != nil {
		return err
	}
	if kept[allRuns] != sum {
		c.found(allRuns.table, "they are not those that were loaded: one is gone, or the digest of one was changed")
	}
	delete(kept, allRuns)
	gone := slices.SortedFunc(maps.Keys(kept), func(a, b tablePart) int {
		return cmp.Or(cmp.Compare(a.table, b.table), cmp.Compare(a.part, b.part))
	})
	for _, p := range gone {
		if kept[p] != 0 || p.part != "" { // rows that add up to nothing: there were none
			c.found(p.table, "%s are gone", p.rows())
		}
	}
	return nil
}

// idDigests compares what ids mean with the digests that are kept, which it takes out.
func (c *derivedCheck) idDigests(kept map[tablePart]int64) error {
	digests, err := c.f.l.idDigests()
	if err != nil {
		return err
	}
	for _, sha256 := range slices.Sorted(maps.Keys(digests)) {
		p := tablePart{"inferencex_ids", sha256}
		if digest, ok := kept[p]; !ok || digest != digests[sha256] {
			c.found(p.table, "%s are not those that were loaded", p.rows())
		}
		delete(kept, p)
	}
	return nil
}

// rows begins a sentence about the rows of a part.
func (p tablePart) rows() string {
	if p.part == "" {
		return "its rows"
	}
	return "its rows of " + p.part
}

// strangers looks for rows of documents that belong to InferenceX runs.
func (c *derivedCheck) strangers() error {
	all, err := logicalTables(func(query string) ([]string, error) { return c.f.l.texts(query) })
	if err != nil {
		return err
	}
	for _, t := range all {
		if !slices.Contains(t.columns, "run_id") && !slices.Contains(t.columns, "point_id") || slices.Contains(tablesOfCaptures, t.name) {
			continue
		}
		of := `"` + t.name + `" t`
		if !slices.Contains(t.columns, "run_id") {
			of += ` JOIN points p ON p.point_id = t.point_id`
		}
		names, err := c.f.l.texts(`SELECT DISTINCT r.name FROM ` + of + ` JOIN runs r USING (run_id) WHERE r.origin = 'inferencex' ORDER BY r.name`)
		if err != nil {
			return err
		}
		for _, name := range names {
			c.found(name, "no capture gives a run rows in %s", t.name)
		}
	}
	return nil
}

// tablesOfCaptures are the tables in which a capture stores rows of runs and points, or a load what follows from them.
var tablesOfCaptures = []string{"flags", "inferencex_ids", "inferencex_other_values", "inferencex_points", "inferencex_revisions", "inferencex_run_revisions", "inferencex_runs",
	"inferencex_successors", "points", "pools", "runs"}

// flags compares the flags of every InferenceX run.
func (c *derivedCheck) flags() error {
	l := c.f.l
	if err := l.ensureJudge(); err != nil {
		return err
	}
	runs, err := l.integers(`SELECT run_id FROM inferencex_runs UNION SELECT run_id FROM flags ORDER BY run_id`)
	if err != nil {
		return err
	}
	missing, uncalled := 0, 0
	for _, run := range runs {
		stored, err := l.flagsOf(run)
		if err != nil {
			return err
		}
		l.judge.flags = l.judge.flags[:0]
		if err := l.judgeStored(run); err != nil {
			return err
		}
		wanted := l.judge.flags
		slices.SortFunc(wanted, compareFlags)
		slices.SortFunc(stored, compareFlags)
		lacking, extra := without(wanted, stored), without(stored, wanted)
		if lacking == 0 && extra == 0 { // some may be there twice
			extra = len(stored) - len(wanted)
		}
		missing += lacking
		uncalled += extra
	}
	if missing > 0 {
		c.found("flags", "%d flags are missing", missing)
	}
	if uncalled > 0 {
		c.found("flags", "%d flags are not called for", uncalled)
	}
	return nil
}

// without counts the flags of a that b, which is sorted, does not have.
func without(a, b []flag) (n int) {
	for _, f := range a {
		if _, found := slices.BinarySearchFunc(b, f, compareFlags); !found {
			n++
		}
	}
	return n
}

// flagsOf reads the stored flags of a run.
func (l *Load) flagsOf(run int64) (all []flag, err error) {
	err = l.query(`SELECT ifnull(point_id, 0), code, subject, measured, expected FROM flags WHERE run_id = ?`, []any{run}, func(scan func(...any) error) error {
		f := flag{run: run}
		if err := scan(&f.point, &f.code, &f.subject, &f.measured, &f.expected); err != nil {
			return err
		}
		all = append(all, f)
		return nil
	})
	return all, err
}
