package store

import (
	"fmt"
	"slices"
)

// component is what declarations of duplicates connect a name with.
type component struct {
	first   string // the first name of the set
	inCycle bool   // its declarations lead back to itself
}

// connectReferences brings what references between runs lead to up to date.
func (l *Load) connectReferences() error {
	if !l.references {
		return nil
	}
	if err := l.saveCycles(); err != nil {
		return err
	}
	components, err := l.declarations()
	if err != nil {
		return err
	}
	if _, err := l.exec(`DELETE FROM declaration_components`); err != nil {
		return err
	}
	for name, c := range components {
		_, err := l.exec(`INSERT INTO declaration_components (name, component, in_cycle) VALUES (?, ?, ?)`, name, c.first, c.inCycle)
		if err != nil {
			return fmt.Errorf("declaration of %s: %w", name, err)
		}
	}
	return nil
}

func (l *Load) saveCycles() error {
	target, err := l.targets(`SELECT name, supersedes FROM runs WHERE supersedes IS NOT NULL`)
	if err != nil {
		return err
	}
	if _, err := l.exec(`DELETE FROM supersession_cycles`); err != nil {
		return err
	}
	for name := range membersOfCycles(target) {
		if _, err := l.exec(`INSERT INTO supersession_cycles (name) VALUES (?)`, name); err != nil {
			return err
		}
	}
	return nil
}

// targets reads which run refers to which.
func (l *Load) targets(statement string) (map[string]string, error) {
	target := map[string]string{}
	err := l.query(statement, nil, func(scan func(...any) error) error {
		var name, of string
		if err := scan(&name, &of); err != nil {
			return err
		}
		target[name] = of
		return nil
	})
	return target, err
}

// declarations returns what the stored runs' duplicate_of connect, by name.
func (l *Load) declarations() (map[string]component, error) {
	target, err := l.targets(`SELECT name, duplicate_of FROM runs WHERE duplicate_of IS NOT NULL`)
	if err != nil {
		return nil, err
	}
	sets := unionFind[string]{}
	for name, of := range target {
		sets.union(name, of)
	}
	cycle := membersOfCycles(target)
	components := make(map[string]component, len(sets))
	for name := range sets {
		components[name] = component{sets.find(name), cycle[name]}
	}
	return components, nil
}

// membersOfCycles returns the names from which following target leads back to the name itself.
func membersOfCycles(target map[string]string) map[string]bool {
	const (
		walking = 1
		done    = 2
	)
	state := map[string]int{}
	cycle := map[string]bool{}
	for start := range target {
		var path []string
		name := start
		for state[name] == 0 {
			state[name] = walking
			path = append(path, name)
			next, ok := target[name]
			if !ok {
				break
			}
			name = next
		}
		if _, ok := target[name]; ok && state[name] == walking {
			for i := slices.Index(path, name); i >= 0 && i < len(path); i++ {
				cycle[path[i]] = true
			}
		}
		for _, n := range path {
			state[n] = done
		}
	}
	return cycle
}

// unionFind connects keys into sets; the representative of a set is its smallest key.
type unionFind[K int64 | string] map[K]K

func (u unionFind[K]) find(k K) K {
	root := k
	for {
		parent, ok := u[root]
		if !ok {
			u[root] = root
			parent = root
		}
		if parent == root {
			break
		}
		root = parent
	}
	for u[k] != root {
		u[k], k = root, u[k]
	}
	return root
}

func (u unionFind[K]) union(a, b K) {
	a, b = u.find(a), u.find(b)
	if b < a {
		a, b = b, a
	}
	u[b] = a
}
