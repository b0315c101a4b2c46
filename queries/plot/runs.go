package plot

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/inference-sim/blis-warehouse/store"
)

// run is a run with its points as rows of points.sql.
type run struct {
	name   string
	points [][]any
}

// runs are runs in the order in which they were asked for.
type runs struct {
	*table
	all []run
}

// readRuns reads the points of runs. A name that is given twice counts once.
func readRuns(ctx context.Context, r *store.Reader, names []string) (*runs, error) {
	t, err := ask(ctx, r, "points", map[string]any{"names": list(names)})
	if err != nil {
		return nil, err
	}
	byName := map[string][][]any{}
	for _, row := range t.rows {
		name := t.text(row, "run")
		byName[name] = append(byName[name], row)
	}
	s := &runs{table: t}
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			continue
		}
		if byName[name] == nil {
			return nil, &UnknownRunError{name}
		}
		s.all = append(s.all, run{name, byName[name]})
	}
	return s, nil
}

func (s *runs) names() []string {
	names := make([]string, len(s.all))
	for i := range s.all {
		names[i] = s.all[i].name
	}
	return names
}

// has reports whether every run has a point with values of all metrics.
func (s *runs) has(metrics ...Metric) bool {
	for i := range s.all {
		if !slices.ContainsFunc(s.all[i].points, func(row []any) bool { return s.complete(row, metrics) }) {
			return false
		}
	}
	return true
}

// complete reports whether a point has values of all metrics.
func (s *runs) complete(row []any, metrics []Metric) bool {
	for _, m := range metrics {
		if _, ok := s.number(row, m.Name); !ok {
			return false
		}
	}
	return true
}

// shared are the names of the metrics that every run has values of.
func (s *runs) shared() []string {
	var names []string
	for _, m := range Metrics() {
		if s.has(m) {
			names = append(names, m.Name)
		}
	}
	return names
}

// choose is the metric that was asked for, or the first of those preferred,
// then of all, that together with the others every run has.
func (s *runs) choose(asked string, preferred []string, others ...Metric) (Metric, error) {
	if asked != "" {
		m, ok := find(asked)
		if !ok {
			return Metric{}, &UnknownMetricError{asked}
		}
		if !s.has(append(others, m)...) {
			return Metric{}, &SharedError{asked, s.shared()}
		}
		return m, nil
	}
	for _, name := range append(slices.Clone(preferred), Names(Metrics())...) {
		m, _ := find(name)
		if s.has(append(others, m)...) && !slices.Contains(others, m) {
			return m, nil
		}
	}
	return Metric{}, &SharedError{"", s.shared()}
}

// UnknownMetricError reports a name that no metric of an axis has.
type UnknownMetricError struct{ Name string }

func (e *UnknownMetricError) Error() string { return fmt.Sprintf("no metric is called %q", e.Name) }

// attributes are what runs are told apart by, the most telling first.
var attributes = []struct {
	name  string
	value func(s *runs, row []any) string
}{
	{"model", func(s *runs, row []any) string { return s.text(row, "model") }},
	{"hardware", func(s *runs, row []any) string { return s.text(row, "hardware") }},
	{"gpus", func(s *runs, row []any) string { return with(s.text(row, "gpus"), "", " GPUs") }},
	{"engine", (*runs).engine},
	{"precision", func(s *runs, row []any) string { return s.text(row, "precision") }},
	{"parallelism", func(s *runs, row []any) string { return s.text(row, "parallelism") }},
	{"speculation", func(s *runs, row []any) string { return strings.TrimPrefix(s.text(row, "spec_method"), "none") }},
	{"lengths", func(s *runs, row []any) string {
		if s.text(row, "isl")+s.text(row, "osl") == "" {
			return s.text(row, "workload")
		}
		return whole(s.text(row, "isl")) + " → " + whole(s.text(row, "osl")) + " tokens"
	}},
	{"date", func(s *runs, row []any) string { return s.text(row, "date") }},
}

func whole(text string) string {
	if text == "" {
		return "?"
	}
	return text
}

// engine is the serving engine with its version.
func (s *runs) engine(row []any) string {
	engine, version := s.text(row, "framework"), s.text(row, "engine_version")
	if engine == "" {
		engine = s.text(row, "engine")
	}
	if engine == "" && version != "" {
		engine = "engine"
	}
	return strings.TrimSpace(engine + " " + version)
}

// with is text between what belongs to it, or nothing.
func with(text, before, after string) string {
	if text == "" {
		return ""
	}
	return before + text + after
}

// describe parts what all runs have in common from what tells them apart: a
// text for each run, with its name where the text alone does not tell it apart
// or authors gave the names.
func (s *runs) describe() (common string, each []string) {
	var same []string
	apart := make([][]string, len(s.all))
	for _, a := range attributes {
		values := make([]string, len(s.all))
		for i := range s.all {
			values[i] = a.value(s, s.all[i].points[0])
		}
		if len(slices.Compact(slices.Sorted(slices.Values(values)))) == 1 {
			if values[0] != "" {
				same = append(same, values[0])
			}
			continue
		}
		if a.name == "date" && (s.named() || s.toldApart(apart)) { // it tells little, so only where nothing else does
			continue
		}
		for i, v := range values {
			if v != "" {
				apart[i] = append(apart[i], v)
			}
		}
	}
	each = make([]string, len(s.all))
	unique := s.toldApart(apart)
	for i := range s.all {
		parts := apart[i]
		if !unique || len(parts) == 0 || s.named() {
			parts = append([]string{s.all[i].name}, parts...)
		}
		each[i] = strings.Join(parts, " · ")
	}
	return strings.Join(same, " · "), each
}

// named reports whether a run has a name that an author gave it.
func (s *runs) named() bool {
	return slices.ContainsFunc(s.all, func(r run) bool { return s.text(r.points[0], "origin") != "inferencex" })
}

func (s *runs) toldApart(apart [][]string) bool {
	seen := map[string]bool{}
	for _, parts := range apart {
		seen[strings.Join(parts, " · ")] = true
	}
	return len(seen) == len(apart)
}

// load is the load of a point, as short as it can be said.
func (s *runs) load(row []any) string {
	if c := s.text(row, "concurrency"); c != "" {
		return "c" + c
	}
	return s.text(row, "request_rate") + "/s"
}

// label is what a reader is told of a point.
func (s *runs) label(row []any, metrics ...Metric) string {
	parts := []string{s.text(row, "run") + ", " + s.text(row, "point")}
	if c := s.text(row, "concurrency"); c != "" {
		parts = append(parts, "concurrency "+c)
	}
	if rate := s.text(row, "request_rate"); rate != "" {
		parts = append(parts, rate+" requests/s offered")
	}
	for _, m := range metrics {
		if v, ok := s.number(row, m.Name); ok {
			parts = append(parts, fmt.Sprintf("%s: %s %s", m.Text, precise(v), m.Unit))
		}
	}
	if n, _ := s.number(row, "flags"); n > 0 {
		parts = append(parts, "flagged (see the query flagged-points)")
	}
	return strings.Join(parts, "\n")
}

// flagged counts the points that a plausibility rule points at.
func (s *runs) flagged() (n int) {
	for i := range s.all {
		for _, row := range s.all[i].points {
			if v, _ := s.number(row, "flags"); v > 0 {
				n++
			}
		}
	}
	return n
}

// notes are how many points are flagged, and whose data they are.
func (s *runs) notes(ctx context.Context, r *store.Reader) ([]string, error) {
	var notes []string
	if n := s.flagged(); n > 0 {
		notes = append(notes, plural(n, "of the points is", "of the points are")+" flagged (see the query flagged-points).")
	}
	sources, err := readSources(ctx, r, s.names())
	return append(notes, sources...), err
}

// readSources is whose data runs are, a line for each licence.
func readSources(ctx context.Context, r *store.Reader, names []string) ([]string, error) {
	t, err := ask(ctx, r, "sources", map[string]any{"names": list(names)})
	if err != nil {
		return nil, err
	}
	var lines []string
	for _, row := range t.rows {
		line := "Source: "
		if id := t.text(row, "licence_id"); id == "" {
			line += "no licence is cited"
		} else {
			line += "licence " + id + with(t.text(row, "spdx"), " (", ")")
		}
		line += with(t.text(row, "attribution"), ", ", "")
		if first, last := t.text(row, "first"), t.text(row, "last"); first != "" {
			line += ", " + first
			if last != first {
				line += " to " + last
			}
		}
		lines = append(lines, line+".")
	}
	return lines, nil
}
