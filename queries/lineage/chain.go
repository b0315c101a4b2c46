package lineage

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/inference-sim/blis-warehouse/queries/difference"
	"github.com/inference-sim/blis-warehouse/queries/export"
	"github.com/inference-sim/blis-warehouse/store"
	"github.com/inference-sim/blis-warehouse/store/record"
)

// Member is a name in a chain of supersession.
type Member struct {
	Name       string
	Supersedes string // the name it states, "" for none
	Loaded     bool   // false for a name that a run supersedes and no run has
}

// Worth is what a run is good for.
type Worth struct {
	Origin    string        // as runs.origin
	Verdict   store.Verdict // computed, without its reasons
	Licence   string        // the licence it cites, "" for none
	Scorable  bool
	BlockedBy string // codes of what stands against scoring, joined by ", "
}

// Place is a member in the drawing of a chain. Members stand in an order in
// which each follows the one it supersedes. Of several that supersede one, that
// with the most runs after it goes on in the same column; the others come
// before it, each in a column of its own.
type Place struct {
	*Member
	Number int  // its index in the order, 0 for the oldest
	Column int  // how many lines go on to the left of it
	Opens  bool // it begins its column, beside the run it supersedes
	Last   bool // nothing follows in its column
	Forks  int  // how many runs supersede it
	Closes bool // it is the first drawn of a cycle: what it supersedes is drawn below it
}

// Chain is everything that supersession connects.
type Chain struct {
	Places []Place
	at     map[string]int // index in Places
}

// Find reads the chain of a run, nil where neither a run has the name nor one
// supersedes it. A run that supersedes nothing and is superseded by none is a
// chain of its own.
func Find(ctx context.Context, r *store.Reader, run string) (*Chain, error) {
	g := &graph{members: map[string]*Member{}, newer: map[string][]string{}}
	err := rows(ctx, r, "supersession-chain", map[string]any{"run": run}, func(row []any) {
		m := &Member{Name: text(row[0]), Supersedes: text(row[1]), Loaded: whole(row[2]) == 1}
		g.members[m.Name] = m
		if m.Supersedes != "" {
			g.newer[m.Supersedes] = append(g.newer[m.Supersedes], m.Name) // by name, as the rows are
		}
	})
	if err != nil || len(g.members) == 0 {
		return nil, err
	}
	c := &Chain{Places: g.places(run), at: map[string]int{}}
	for i := range c.Places {
		c.Places[i].Number = i
		c.at[c.Places[i].Name] = i
	}
	return c, nil
}

// graph is a chain as the runs state it. A name supersedes at most one other,
// so it is a tree, or a cycle with trees on it.
type graph struct {
	members map[string]*Member
	newer   map[string][]string // those that supersede a name, sorted
}

// oldest is where the drawing begins: the name that supersedes nothing loaded,
// or the first by name of a cycle.
func (g *graph) oldest(from string) (name string, cycle bool) {
	seen := map[string]bool{}
	for name = from; g.members[name].Supersedes != ""; name = g.members[name].Supersedes {
		if seen[name] {
			return g.firstOfCycle(name), true
		}
		seen[name] = true
	}
	return name, false
}

func (g *graph) firstOfCycle(member string) string {
	first := member
	for name := g.members[member].Supersedes; name != member; name = g.members[name].Supersedes {
		first = min(first, name)
	}
	return first
}

// places orders the members for the drawing.
func (g *graph) places(run string) []Place {
	root, cycle := g.oldest(run)
	if cycle { // the edge that closes it is not followed
		closing := g.members[root].Supersedes
		g.newer[closing] = slices.DeleteFunc(slices.Clone(g.newer[closing]), func(name string) bool { return name == root })
	}
	sizes := g.sizes(root)
	places := make([]Place, 0, len(sizes))
	open := []Place{{Member: g.members[root], Closes: cycle}}
	for len(open) > 0 {
		p := open[len(open)-1]
		open = open[:len(open)-1]
		newer := g.newer[p.Name]
		p.Last, p.Forks = len(newer) == 0, len(newer)
		places = append(places, p)
		if p.Last {
			continue
		}
		main := newer[0]
		for _, name := range newer {
			if sizes[name] > sizes[main] {
				main = name
			}
		}
		open = append(open, Place{Member: g.members[main], Column: p.Column})
		for _, name := range slices.Backward(newer) {
			if name != main {
				open = append(open, Place{Member: g.members[name], Column: p.Column + 1, Opens: true})
			}
		}
	}
	return places
}

// sizes counts, for every name, it and all that come after it.
func (g *graph) sizes(root string) map[string]int {
	order := []string{root}
	for i := 0; i < len(order); i++ {
		order = append(order, g.newer[order[i]]...)
	}
	sizes := make(map[string]int, len(order))
	for _, name := range slices.Backward(order) {
		sizes[name]++
		for _, n := range g.newer[name] {
			sizes[name] += sizes[n]
		}
	}
	return sizes
}

// Superseded reports whether the run that the place supersedes is loaded, so
// that there is a step from it.
func (c *Chain) Superseded(p *Place) bool {
	at, ok := c.at[p.Supersedes]
	return ok && c.Places[at].Loaded
}

// stepBatch is how many steps are read at a time.
const stepBatch = 63 // of a chain without branches these are 64 runs, which are read together

// Steps compares members with the run that each supersedes, and calls each with
// what changed, in the order of places; nothing for one that supersedes no loaded
// run. Metrics are matched by identity and load
// levels by load, so that a run may supersede one from elsewhere. The runs' names
// and what they supersede are no changes.
func (c *Chain) Steps(ctx context.Context, r *store.Reader, places []Place, each func(*Place, []Change) error) error {
	pairs := map[[2]int64][]difference.Pair{}
	for batch := range slices.Chunk(places, stepBatch) {
		states, err := c.readStates(ctx, r, batch)
		if err != nil {
			return err
		}
		for i := range batch {
			p := &batch[i]
			var changes []Change
			if c.Superseded(p) {
				before, after := states[p.Supersedes], states[p.Name]
				sets := [2]int64{before.set, after.set}
				if _, known := pairs[sets]; !known {
					if pairs[sets], err = metricPairs(ctx, r, sets); err != nil {
						return err
					}
				}
				changes = step(before, after, pairs[sets])
			}
			if err := each(p, changes); err != nil {
				return err
			}
		}
	}
	return nil
}

// ReadWorth reads what a run is good for; nothing where no run has the name.
func ReadWorth(ctx context.Context, r *store.Reader, run string) (Worth, error) {
	var w Worth
	err := rows(ctx, r, "worth", map[string]any{"run": run}, func(row []any) {
		w = Worth{
			Origin: text(row[0]), Verdict: store.Verdict{Verdict: text(row[1]), Resolution: text(row[2])}, Licence: text(row[3]),
			Scorable: whole(row[4]) == 1, BlockedBy: text(row[5]),
		}
		if attempt := whole(row[6]); attempt != 0 {
			w.BlockedBy = strings.TrimPrefix(fmt.Sprintf("%s, attempt %d", w.BlockedBy, attempt), ", ")
		}
	})
	return w, err
}

// step lists what changed from a run to the one that supersedes it.
func step(before, after *storedState, pairs []difference.Pair) []Change {
	aligned, renamed := difference.Align(before.run, after.run, pairs)
	fields := slices.DeleteFunc(difference.Between(aligned, after.run), func(c difference.Change) bool { return c.Path == "name" || c.Path == "supersedes" })
	fields = append(fields, evaluationFields(before.evaluation, after.evaluation)...)
	return changes(&before.state, &after.state, append(renamed, fields...))
}

// storedState is the state of a stored run with the key of its definitions.
type storedState struct {
	state
	set int64
}

// readStates reads the runs of places and those they supersede, by name.
func (c *Chain) readStates(ctx context.Context, r *store.Reader, places []Place) (map[string]*storedState, error) {
	var names []string
	for i := range places {
		if c.Superseded(&places[i]) {
			names = append(names, places[i].Name, places[i].Supersedes)
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	states := map[string]*storedState{}
	err := export.Records(ctx, r, names, func(rec *export.Record) error {
		run := rec.Run
		s := &storedState{state{run: &run, verdict: store.Verdict{Verdict: rec.Verdict, Resolution: rec.Resolution}}, rec.DefinitionSet}
		states[run.Name] = s
		if rec.Origin == originEvaluation {
			if err := readEvaluation(ctx, r, rec.ID, s); err != nil {
				return err
			}
		}
		if rec.Verdict == "EXACT" { // nothing stands against it
			return nil
		}
		return rows(ctx, r, "reasons", map[string]any{"run_id": rec.ID}, func(row []any) {
			s.verdict.Reasons = append(s.verdict.Reasons, store.Reason{Code: text(row[0]), Path: text(row[1]), Detail: text(row[2])})
		})
	})
	return states, err
}

// readEvaluation adds to the state of a stored evaluation run what only such a
// run states: its scenario and date, and the means of its points.
func readEvaluation(ctx context.Context, r *store.Reader, id int64, s *storedState) error {
	e := &record.EvaluationRun{}
	s.evaluation = e
	at := 0
	return rows(ctx, r, "evaluation", map[string]any{"run_id": id}, func(row []any) { // a row for each point, in their order
		e.Scenario, e.Date = text(row[0]), text(row[1])
		s.run.Points[at].Metrics = evaluationValues(&record.EvaluationPoint{
			OutputTokensPerSec: number(row[2]), InputTokensPerSec: number(row[3]), TTFTMs: number(row[4]), ITLMs: number(row[5]), E2EMs: number(row[6]),
		})
		at++
	})
}

func metricPairs(ctx context.Context, r *store.Reader, sets [2]int64) ([]difference.Pair, error) {
	pairs := []difference.Pair{}
	err := rows(ctx, r, "metric-pairs", map[string]any{"set_a": sets[0], "set_b": sets[1]}, func(row []any) {
		pairs = append(pairs, difference.Pair{Before: text(row[0]), After: text(row[1])})
	})
	return pairs, err
}
