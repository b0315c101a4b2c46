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

// connectDeclarations brings declaration_components up to date.
func (l *Load) connectDeclarations() error {
	if !l.declared {
		return nil
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

// declarations returns what the stored runs' duplicate_of connect, by name.
func (l *Load) declarations() (map[string]component, error) {
	target := map[string]string{}
	sets := unionFind[string]{}
	err := l.query(`SELECT name, duplicate_of FROM runs WHERE duplicate_of IS NOT NULL`, nil, func(scan func(...any) error) error {
		var name, of string
		if err := scan(&name, &of); err != nil {
			return err
		}
		target[name] = of
		sets.union(name, of)
		return nil
	})
	if err != nil {
		return nil, err
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
