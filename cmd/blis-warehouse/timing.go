package main

import (
	"fmt"
	"iter"
	"time"
)

// stopwatch measures a statement: the time to its first row, which is when it
// has been compiled and has found one, and to its last, printing included.
type stopwatch struct {
	start       time.Time
	first, last time.Duration // since start; first is last where there is no row
	rows        int64
}

func startStopwatch() *stopwatch { return &stopwatch{start: time.Now()} }

// count passes rows on and counts them.
func (s *stopwatch) count(rows iter.Seq2[[]any, error]) iter.Seq2[[]any, error] {
	return func(yield func([]any, error) bool) {
		for row, err := range rows {
			if err == nil {
				if s.rows == 0 {
					s.first = time.Since(s.start)
				}
				s.rows++
			}
			if !yield(row, err) {
				return
			}
		}
	}
}

// report says how long it took.
func (s *stopwatch) report(env *environment) {
	s.last = time.Since(s.start)
	text := fmt.Sprintf("no rows: %s", milliseconds(s.last))
	if s.rows > 0 {
		text = fmt.Sprintf("%s: first after %s, all after %s", plural(int(s.rows), "row", "rows"), milliseconds(s.first), milliseconds(s.last))
	}
	// Nothing is left to tell that stderr cannot be written.
	_, _ = fmt.Fprintln(env.stderr, text)
}

// milliseconds is a duration as people compare them, with one unit for all.
func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
}
