package plot

import (
	"context"
	"fmt"
	"math"

	"github.com/inference-sim/blis-warehouse/store"
)

// readAnchor makes the picture of the ratio to the anchor, the lowest load, at
// each load. A run's ratios are those of the query run-curve.
func readAnchor(ctx context.Context, r *store.Reader, req *Request) (*Figure, error) {
	s, err := readRuns(ctx, r, req.Runs)
	if err != nil {
		return nil, err
	}
	y, err := s.choose(req.Y, throughputs())
	if err != nil {
		return nil, err
	}
	if y.Identity == "" {
		return nil, fmt.Errorf("%s is no measured metric of a run, and has no ratio to its anchor", y.Name)
	}
	load, err := s.loadAxis()
	if err != nil {
		return nil, err
	}
	common, names := s.describe()
	f := &Figure{Title: y.Text + ", ratio to the lowest load", Subtitle: common}
	one := 1.0
	panel := Panel{X: load.axis, Y: Axis{Label: "Ratio to the run's lowest load, " + y.Better + " is better", Line: &one}}
	panel.Y.Scale = Log2
	bars := 0
	for i := range s.all {
		ratios, err := s.ratios(ctx, r, s.all[i].name, y)
		if err != nil {
			return nil, err
		}
		line := Line{Series: i}
		anchor := s.all[i].points[0]
		for _, row := range s.all[i].points {
			x, okX := s.number(row, load.column)
			ratio, ok := ratios[s.text(row, "point")]
			if !okX || !ok || ratio == 0 {
				continue
			}
			spread := ratio * s.relativeSpread(row, anchor)
			label := fmt.Sprintf("%s\nratio to the anchor: %s", s.label(row, y), precise(ratio))
			if spread > 0 {
				bars++
				label += " ± " + precise(spread)
			}
			line.Points = append(line.Points, Point{X: x, Y: ratio, Spread: spread, Label: label, Tag: brief(ratio) + "×"})
		}
		if len(s.all) > tagged {
			line.Points = withoutTags(line.Points)
		}
		f.Series = append(f.Series, Series{Name: names[i]})
		panel.Lines = append(panel.Lines, line)
	}
	f.Panels = []Panel{panel}
	if bars > 0 {
		f.Notes = append(f.Notes, "A bar is one standard deviation to either side: the ratio times √(cv² + cv²) of the point and the anchor, over the seeds that were measured.")
	} else {
		f.Notes = append(f.Notes, "There are no bars: the runs state no noise at these points.")
	}
	notes, err := s.notes(ctx, r)
	f.Notes = append(f.Notes, notes...)
	return f, err
}

// ratios are the ratios to the anchor of a run's points by their names. Those
// that are undefined have none.
func (s *runs) ratios(ctx context.Context, r *store.Reader, run string, m Metric) (map[string]float64, error) {
	ratios := map[string]float64{}
	named, err := ask(ctx, r, "metric", map[string]any{"run": run, "identity": m.Identity})
	if err != nil || len(named.rows) == 0 {
		return ratios, err
	}
	t, err := ask(ctx, r, "run-curve", map[string]any{"run": run, "metric": named.text(named.rows[0], "metric")})
	if err != nil {
		return nil, err
	}
	for _, row := range t.rows {
		if v, ok := t.number(row, "ratio_to_anchor"); ok {
			ratios[t.text(row, "point")] = v
		}
	}
	return ratios, nil
}

// relativeSpread is the relative standard deviation of the quotient of two
// independent values with a coefficient of variation each, to first order; 0
// where one states none, and at the anchor, which is 1 by definition.
func (s *runs) relativeSpread(row, anchor []any) float64 {
	cv, ok := s.number(row, "noise_cv")
	of, also := s.number(anchor, "noise_cv")
	if !ok || !also || s.text(row, "point") == s.text(anchor, "point") {
		return 0
	}
	return math.Hypot(cv, of)
}
