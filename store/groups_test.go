package store

import (
	"cmp"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// candidate is a random run with what the rule of which run to keep looks at.
type candidate struct {
	run        *record.Run
	content    int // index of what it measured
	verdict    string
	resolution string
	permits    int
}

// randomCandidate has one of few contents: content 0 to 2 overlap in a chain
// (0 with 1, 1 with 2, but 0 differs from 2), content 3 stands alone. Runs
// differ in one criterion of the rule, or in any where only is 0.
func randomCandidate(rnd *rand.Rand, name string, names []string, only int) candidate {
	c := candidate{content: rnd.Intn(4), verdict: "EXACT", resolution: "STRICT", permits: 3}
	r := exactRun(name, [][]float64{{1, 2, 3}, {1, 2}, {1, 2, 4}, {7, 8}}[c.content]...)
	varies := func(criterion int) bool {
		return only == criterion && rnd.Intn(3) > 0 || only == 0 && rnd.Intn(4) == 0
	}
	another := func() string {
		if of := names[rnd.Intn(len(names))]; of != name {
			return of
		}
		return ""
	}
	if varies(1) {
		r.DuplicateOf = another()
	}
	if varies(1) {
		r.Supersedes = another()
	}
	if varies(2) {
		r.Diff = []record.Diff{{Path: "x", Kind: "conflict", Material: "no"}}
		c.verdict, c.resolution = "PARTIAL", ""
	}
	if varies(2) && rnd.Intn(2) == 0 {
		r.EngineVersion, c.verdict, c.resolution = "", "NOT_REPRODUCIBLE", ""
	}
	if varies(3) {
		r.Provenance = append(r.Provenance, record.Provenance{Setting: "resolved", Verdict: "UNSTATED", ResolvedBy: "x", Material: "no"})
		if c.verdict == "EXACT" {
			c.resolution = "RESOLVED"
		}
	}
	if varies(4) {
		for i := range rnd.Intn(4) {
			r.Provenance = append(r.Provenance, record.Provenance{Setting: fmt.Sprint("s", i), Verdict: "MATCH", Material: "no"})
		}
	}
	if varies(5) || only == 5 && varies(5) {
		r.Source.LicenseRef, c.permits = "few", 2
	}
	if varies(6) {
		r.Source.RetrievedUTC = []string{"2026-01-02T00:00:00Z", "2026-01-02T00:00:00.5Z"}[rnd.Intn(2)]
	}
	c.run = r
	return c
}

// keepOracle orders runs by the words of the rule; the reason is the first criterion that tells two apart.
func keepOracle(all map[string]candidate) func(a, b candidate) (order int, reason string) {
	superseded := map[string]bool{}
	for _, c := range all {
		superseded[c.run.Supersedes] = true
	}
	standsBack := func(c candidate) int {
		if c.run.DuplicateOf != "" || superseded[c.run.Name] {
			return 1
		}
		return 0
	}
	verdicts, resolutions := []string{"EXACT", "PARTIAL", "NOT_REPRODUCIBLE"}, []string{"STRICT", "RESOLVED", ""}
	retrieved := func(c candidate) string { return cmp.Or(c.run.Source.RetrievedUTC, "one not stated") }
	// As text the half second would come first.
	moments := []string{"2026-01-02T00:00:00Z", "2026-01-02T00:00:00.5Z", ""}
	return func(a, b candidate) (int, string) {
		for _, by := range []struct {
			order  int
			reason string
		}{
			{standsBack(a) - standsBack(b), "neither superseded nor a declared duplicate"},
			{slices.Index(verdicts, a.verdict) - slices.Index(verdicts, b.verdict), "better verdict: " + a.verdict + " before " + b.verdict},
			{slices.Index(resolutions, a.resolution) - slices.Index(resolutions, b.resolution), "better resolution: STRICT before RESOLVED"},
			{len(b.run.Provenance) - len(a.run.Provenance), fmt.Sprintf("more provenance rows: %d before %d", len(a.run.Provenance), len(b.run.Provenance))},
			{b.permits - a.permits, fmt.Sprintf("licence with more permits: %d before %d", a.permits, b.permits)},
			{slices.Index(moments, a.run.Source.RetrievedUTC) - slices.Index(moments, b.run.Source.RetrievedUTC),
				"earlier retrieval: " + retrieved(a) + " before " + retrieved(b)},
		} {
			if by.order != 0 {
				return by.order, by.reason
			}
		}
		return strings.Compare(a.run.Name, b.run.Name), "first by name"
	}
}

// declaredTogether tells whether declarations connect two names: a walk over all of them, to and fro.
func declaredTogether(all map[string]candidate, a, b string) bool {
	reached := map[string]bool{a: true}
	for again := true; again; {
		again = false
		for name, c := range all {
			of := c.run.DuplicateOf
			if of != "" && reached[name] != reached[of] {
				reached[name], reached[of], again = true, true, true
			}
		}
	}
	return reached[b]
}

// leadsBack tells whether a run's declarations lead back to it.
func leadsBack(all map[string]candidate, name string) bool {
	at := all[name].run.DuplicateOf
	for range all {
		if at == name {
			return true
		}
		c, ok := all[at]
		if !ok {
			return false
		}
		at = c.run.DuplicateOf
	}
	return false
}

// Sets, the run to keep and why, relations and declarations agree with the
// words of the rules; and when every author pastes the line, nothing is
// undeclared and no line is left.
func TestGroupsAgainstOracle(t *testing.T) {
	met := map[string]int{}
	for seed := range int64(28) {
		rnd := rand.New(rand.NewSource(seed))
		w := newWarehouse(t)
		names := []string{"a", "b", "c", "d", "e", "f", "g", "1.5", "null", "absent"}
		all := map[string]candidate{}
		for _, n := range names[:len(names)-1] {
			all[n] = randomCandidate(rnd, n, names, int(seed%7))
		}
		w.load(func(l *Load) {
			few := openLicence("few")
			few.Permits = []string{"score", "redistribute"}
			apply(t, l, "/r", openLicence("open"), few)
			for _, n := range sorted(all) {
				save(t, l, all[n].run)
			}
		})
		compareRows(t, fmt.Sprint("seed ", seed), w.query("duplicate-groups", nil), groupsOracle(all, met))
		undeclared := w.query("undeclared-duplicates", nil)
		if (len(undeclared) > 0) != undeclaredOracle(all) {
			t.Fatalf("seed %d: undeclared are %q", seed, undeclared)
		}
		met["undeclared"] += len(undeclared)
		cyclesBefore := w.rows(`SELECT count(*) FROM declaration_components WHERE in_cycle`)
		w.load(func(l *Load) {
			for _, line := range undeclared {
				cells := strings.Split(line, "|")
				author := cells[0]
				if author == cells[3] {
					author = cells[1]
				}
				pasted := *all[author].run
				pasted.DuplicateOf = strings.Trim(strings.TrimPrefix(cells[4], "duplicate_of: "), `"`)
				save(t, l, &pasted)
			}
		})
		w.want(`SELECT count(*) FROM duplicate_pairs WHERE kind = 'exact' AND declared = 0`, "0")
		compareRows(t, fmt.Sprintf("seed %d, all declared", seed), w.query("undeclared-duplicates", nil), nil)
		if after := w.rows(`SELECT count(*) FROM declaration_components WHERE in_cycle`); after[0] > cyclesBefore[0] {
			t.Errorf("seed %d: the declarations make a cycle", seed)
		}
	}
	for _, want := range []string{"neither superseded nor a declared duplicate", "better verdict", "better resolution", "more provenance rows", "licence with more permits",
		"earlier retrieval", "first by name", "exact", "overlap", "connected", "best elsewhere", "declares right", "unique", "quoted", "undeclared"} {
		if met[want] == 0 {
			t.Errorf("%q was never met: the sample says too little", want)
		}
	}
}

// undeclaredOracle tells whether there are two exact duplicates that no declaration connects.
func undeclaredOracle(all map[string]candidate) bool {
	for a, x := range all {
		for b, y := range all {
			if a != b && x.content == y.content && !declaredTogether(all, a, b) {
				return true
			}
		}
	}
	return false
}

// groupsOracle makes the rows of duplicate-groups.
func groupsOracle(all map[string]candidate, met map[string]int) []string {
	order := keepOracle(all)
	// Content 1 is what connects 0 and 2; each content overlaps its neighbour.
	present := map[int]bool{}
	for _, c := range all {
		present[c.content] = true
	}
	set := func(c candidate) int {
		if c.content < 3 && present[1] {
			return 1
		}
		return c.content
	}
	var rows []string
	for id := range 4 {
		var members []candidate
		for _, n := range sorted(all) {
			if set(all[n]) == id {
				members = append(members, all[n])
			}
		}
		if len(members) < 2 {
			continue
		}
		first := members[0].run.Name
		best := slices.Clone(members)
		slices.SortFunc(best, func(a, b candidate) int { o, _ := order(a, b); return o })
		keep := best[0]
		_, reason := order(keep, best[1])
		word, _, _ := strings.Cut(reason, ":")
		met[word]++
		listed := append([]candidate{keep}, slices.DeleteFunc(members, func(c candidate) bool { return c.run.Name == keep.run.Name })...)
		for i, c := range listed {
			relation, why := "", reason
			if i > 0 {
				why, relation = "", "connected"
				switch {
				case c.content == keep.content:
					relation = "exact"
				case c.content == 1 || keep.content == 1:
					relation = "overlap"
				}
				met[relation]++
			}
			rows = append(rows, fmt.Sprintf("%s|%s|%d|%s|%s|%s|%s|%s|%s|%s", first, c.run.Name, map[bool]int{true: 1}[i == 0], c.verdict, c.run.DuplicateOf, c.run.Supersedes,
				why, relation, c.run.Source.LicenseRef, declarationOracle(all, best, c, keep, met)))
		}
	}
	slices.SortStableFunc(rows, func(a, b string) int {
		x, _, _ := strings.Cut(a, "|")
		y, _, _ := strings.Cut(b, "|")
		return strings.Compare(x, y)
	})
	return rows
}

// declarationOracle is the line that a run's document should have; best is its set in order.
func declarationOracle(all map[string]candidate, best []candidate, c, keep candidate, met map[string]int) string {
	same := slices.DeleteFunc(slices.Clone(best), func(o candidate) bool { return o.content != c.content })
	of, declares := all[c.run.DuplicateOf]
	switch name := same[0].run.Name; {
	case len(same) == 1:
		met["unique"]++
		return ""
	case name == c.run.Name:
		return ""
	case declaredTogether(all, name, c.run.Name), declares && of.content == c.content && !leadsBack(all, c.run.Name):
		met["declares right"]++
		return ""
	default:
		if name != keep.run.Name {
			met["best elsewhere"]++
		}
		if name == "1.5" || name == "null" {
			met["quoted"]++
			return `duplicate_of: "` + name + `"`
		}
		return "duplicate_of: " + name
	}
}
