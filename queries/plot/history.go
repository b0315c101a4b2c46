package plot

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/inference-sim/blis-warehouse/store"
)

// readHistory makes the picture of a metric over time, at each load, of the
// line of InferenceX that a run is part of, or of its chain of supersession.
func readHistory(ctx context.Context, r *store.Reader, req *Request) (*Figure, error) {
	t, err := ask(ctx, r, "line", map[string]any{"run": req.Runs[0]})
	if err != nil {
		return nil, err
	}
	var names, undated []string
	for _, row := range t.rows {
		if t.text(row, "date") == "" {
			undated = append(undated, t.text(row, "name"))
		} else {
			names = append(names, t.text(row, "name"))
		}
	}
	if len(t.rows) == 0 {
		// A run that a newer attempt hides is part of no line.
		undated, names = nil, req.Runs
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("no run of the line of %s states a day", req.Runs[0])
	}
	s, err := readRuns(ctx, r, names)
	if err != nil {
		return nil, err
	}
	y, err := s.choose(req.Y, throughputs())
	if err != nil {
		return nil, err
	}
	differ, err := s.checkDefinitions(ctx, r, req, y)
	if err != nil {
		return nil, err
	}
	common, _ := s.describe()
	f := &Figure{Title: y.Text + " over time", Subtitle: common, Notes: differ}
	panel := Panel{X: Axis{Label: s.dayLabel(), Scale: Days}, Y: y.axis()}
	scale(&panel.Y, req.LogY)
	loads, left := s.byLoad(y)
	for i, l := range loads {
		line := Line{Series: i}
		for _, at := range l.points {
			x, err := day(s.text(at, "date"))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", s.text(at, "run"), err)
			}
			v, _ := s.number(at, y.Name)
			line.Points = append(line.Points, Point{X: x, Y: v, Label: s.text(at, "date") + with(s.text(at, "engine_version"), ", engine version ", "") + "\n" + s.label(at, y)})
		}
		f.Series = append(f.Series, Series{Name: l.name})
		panel.Lines = append(panel.Lines, line)
	}
	panel.Marks, err = s.versions()
	f.Panels = []Panel{panel}
	if left > 0 {
		f.Notes = append(f.Notes, plural(left, "load with fewer points is", "loads with fewer points are")+" left out.")
	}
	if undated != nil {
		f.Notes = append(f.Notes, plural(len(undated), "run of the line states no day and is", "runs of the line state no day and are")+" left out.")
	}
	if err != nil {
		return nil, err
	}
	notes, err := s.notes(ctx, r)
	f.Notes = append(f.Notes, notes...)
	return f, err
}

// dayLabel says of what the days of the runs are: catalog runs state none of
// measurement (see curves.date).
func (s *runs) dayLabel() string {
	catalog := 0
	for i := range s.all {
		if s.text(s.all[i].points[0], "origin") == "catalog" {
			catalog++
		}
	}
	switch catalog {
	case 0:
		return "Day of measurement (UTC)"
	case len(s.all):
		return "Day on which the inputs were fetched (UTC)"
	}
	return "Day of measurement, of catalog runs that on which their inputs were fetched (UTC)"
}

// level is a load with the points that runs have at it, in the order of the runs.
type level struct {
	name   string
	order  float64
	points [][]any
}

// byLoad groups the points with a value by their load, the lowest first. Of
// too many loads those with the fewest points are left out.
func (s *runs) byLoad(m Metric) (levels []level, left int) {
	for i := range s.all {
		for _, row := range s.all[i].points {
			if _, ok := s.number(row, m.Name); !ok {
				continue
			}
			name, order := s.level(row)
			at := slices.IndexFunc(levels, func(l level) bool { return l.name == name })
			if at < 0 {
				at = len(levels)
				levels = append(levels, level{name: name, order: order})
			}
			levels[at].points = append(levels[at].points, row)
		}
	}
	slices.SortStableFunc(levels, func(a, b level) int {
		return cmp.Or(cmp.Compare(len(b.points), len(a.points)), cmp.Compare(a.order, b.order), cmp.Compare(a.name, b.name))
	})
	if len(levels) > MaxSeries {
		levels, left = levels[:MaxSeries], len(levels)-MaxSeries
	}
	slices.SortFunc(levels, func(a, b level) int { return cmp.Or(cmp.Compare(a.order, b.order), cmp.Compare(a.name, b.name)) })
	return levels, left
}

// level names the load of a point, with what loads are ordered by.
func (s *runs) level(row []any) (name string, order float64) {
	concurrency, atConcurrency := s.number(row, "concurrency")
	rate, atRate := s.number(row, "request_rate")
	var parts []string
	if atConcurrency {
		parts, order = append(parts, "concurrency "+number(concurrency)), concurrency
	}
	if atRate {
		parts = append(parts, number(rate)+" requests/s")
		if !atConcurrency {
			order = rate
		}
	}
	return strings.Join(parts, ", "), order
}

// versions marks the days on which the engine's version is first another than
// before. Runs that state none change nothing.
func (s *runs) versions() (marks []Mark, err error) {
	last := ""
	for i := range s.all {
		row := s.all[i].points[0]
		version := s.text(row, "engine_version")
		if version == "" || version == last {
			continue
		}
		last = version
		x, err := day(s.text(row, "date"))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.all[i].name, err)
		}
		marks = append(marks, Mark{X: x, Text: s.engine(row)})
	}
	return marks, nil
}
