package store

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"
)

// chains is the oracle for the view supersessions over "supersedes" by name.
func chains(supersedes map[string]string) []string {
	superseders := map[string]int{}
	for _, s := range supersedes {
		superseders[s]++
	}
	var rows []string
	for name := range supersedes {
		inCycle := false
		for n, steps := supersedes[name], 0; n != "" && steps <= len(supersedes); n, steps = supersedes[n], steps+1 {
			if n == name {
				inCycle = true
			}
		}
		// Walk up: the head is reached where every run on the way has one superseder.
		head, depth := name, 0
		for superseders[head] == 1 && depth <= len(supersedes) {
			for n, s := range supersedes {
				if s == head {
					head = n
					depth++
					break
				}
			}
		}
		at := fmt.Sprintf("%s|%d", head, depth)
		if superseders[head] > 0 { // a fork on the way, or a cycle without end
			at = "|"
		}
		problem := ""
		_, loaded := supersedes[supersedes[name]]
		switch {
		case inCycle:
			problem = "cycle"
		case superseders[name] > 1:
			problem = "fork"
		case supersedes[name] != "" && !loaded:
			problem = "dangling"
		}
		rows = append(rows, name+"|"+at+"|"+problem)
	}
	slices.Sort(rows)
	return rows
}

func TestSupersessionsAgainstOracle(t *testing.T) {
	seen := map[string]bool{}
	for seed := range int64(25) {
		rnd := rand.New(rand.NewSource(seed))
		n := 2 + rnd.Intn(9)
		supersedes := map[string]string{}
		for i := range n {
			name, target := fmt.Sprint("r", i), ""
			switch k := rnd.Intn(n + 4); {
			case k < n && k != i:
				target = fmt.Sprint("r", k)
			case k == n:
				target = "absent"
			}
			supersedes[name] = target
		}
		w := newWarehouse(t)
		w.load(func(l *Load) {
			for name, target := range supersedes {
				r := exactRun(name, 1)
				r.Supersedes = target
				save(t, l, r)
			}
		})
		want := chains(supersedes)
		w.want(`SELECT name, head, depth, problem FROM supersessions ORDER BY name`, want...)
		if t.Failed() {
			t.Fatalf("seed %d: %v", seed, supersedes)
		}
		for _, problem := range w.rows(`SELECT DISTINCT ifnull(problem, 'none') FROM supersessions`) {
			seen[problem] = true
		}
		// Every superseded run is unscorable for it, and so is every member of a cycle.
		w.want(`SELECT name FROM unscorable_reasons WHERE code = 'superseded' ORDER BY name`,
			w.rows(`SELECT name FROM runs WHERE name IN (SELECT supersedes FROM runs) ORDER BY name`)...)
	}
	if len(seen) != 4 {
		t.Errorf("the samples had only %v", seen)
	}
}

// A long chain takes no long time: what it takes grows with its length.
func TestLongChain(t *testing.T) {
	const n = 2000
	w := newWarehouse(t)
	w.load(func(l *Load) {
		for i := range n {
			r := exactRun(fmt.Sprintf("r%05d", i), float64(i))
			if i > 0 {
				r.Supersedes = fmt.Sprintf("r%05d", i-1)
			}
			save(t, l, r)
		}
	})
	w.want(`SELECT head, depth FROM supersessions WHERE name = 'r00000'`, fmt.Sprintf("r%05d|%d", n-1, n-1))
	w.want(`SELECT count(*) FROM scorable_runs`, "0") // no registry
}
