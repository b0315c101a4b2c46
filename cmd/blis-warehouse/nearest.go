package main

import (
	"slices"
	"strings"
)

// didYouMean is a question about the candidates nearest to a mistyped word, to
// be appended to a message; it is empty when none is near.
func didYouMean(word string, candidates []string) string {
	return question(nearest(word, candidates))
}

// question asks whether one of names was meant; it is empty when there are
// none.
func question(names []string) string {
	if len(names) == 0 {
		return ""
	}
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = quote(name)
	}
	return "; did you mean " + strings.Join(quoted, " or ") + "?"
}

// nearest are up to three candidates that differ from word in few letters or
// continue it, the nearest first, without regard to case.
func nearest(word string, candidates []string) []string {
	type scored struct {
		name     string
		distance int
	}
	var found []scored
	lower := strings.ToLower(word)
	for _, name := range candidates {
		d := distance(lower, strings.ToLower(name))
		continues := len(word) > 1 && strings.HasPrefix(strings.ToLower(name), lower)
		if d <= max(1, len(word)/3) || continues {
			found = append(found, scored{name, d})
		}
	}
	slices.SortStableFunc(found, func(a, b scored) int {
		if a.distance != b.distance {
			return a.distance - b.distance
		}
		return strings.Compare(a.name, b.name)
	})
	var names []string
	for _, f := range found[:min(3, len(found))] {
		names = append(names, f.name)
	}
	return names
}

// distance is the number of letters to insert, delete, replace or swap with a
// neighbour that makes a into b.
func distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	before, last := make([]int, len(t)+1), make([]int, len(t)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(s); i++ {
		row := make([]int, len(t)+1)
		row[0] = i
		for j := 1; j <= len(t); j++ {
			cost := 1
			if s[i-1] == t[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(t)]
}
