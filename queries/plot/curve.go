package plot

import (
	"context"

	"github.com/inference-sim/blis-warehouse/store"
)

// readCurve makes the picture of throughput against latency or interactivity.
func readCurve(ctx context.Context, r *store.Reader, req *Request) (*Figure, error) {
	s, err := readRuns(ctx, r, req.Runs)
	if err != nil {
		return nil, err
	}
	y, x, err := s.pair(req)
	if err != nil {
		return nil, err
	}
	differ, err := s.checkDefinitions(ctx, r, req, x, y)
	if err != nil {
		return nil, err
	}
	common, names := s.describe()
	f := &Figure{Title: y.Text + " against " + lowerFirst(x.Text), Subtitle: common}
	panel := Panel{X: x.axis(), Y: y.axis()}
	panel.X.Zero = false
	scale(&panel.X, req.LogX)
	scale(&panel.Y, req.LogY)
	left := 0
	for i := range s.all {
		line := Line{Series: i}
		for _, row := range s.all[i].points {
			px, okX := s.number(row, x.Name)
			py, okY := s.number(row, y.Name)
			if !okX || !okY || req.LogX && px == 0 || req.LogY && py == 0 {
				left++
				continue
			}
			line.Points = append(line.Points, Point{X: px, Y: py, Label: s.label(row, y, x), Tag: s.load(row), Run: s.all[i].name, Point: s.text(row, "point")})
		}
		if len(s.all) > tagged {
			line.Points = withoutTags(line.Points)
		}
		f.Series = append(f.Series, Series{Name: names[i]})
		panel.Lines = append(panel.Lines, line)
	}
	f.Panels = []Panel{panel}
	f.Notes = append(f.Notes, differ...)
	if left > 0 {
		f.Notes = append(f.Notes, withoutPlace(left))
	}
	notes, err := s.notes(ctx, r)
	f.Notes = append(f.Notes, notes...)
	return f, err
}

// withoutPlace says how many points are not drawn.
func withoutPlace(points int) string {
	return plural(points, "point without a place on both axes is", "points without a place on both axes are") + " left out."
}

// tagged is in how many series at most the points carry their loads: with more
// a picture says little by them.
const tagged = 4

func withoutTags(points []Point) []Point {
	for i := range points {
		points[i].Tag = ""
	}
	return points
}

// pair chooses the metrics of the two axes: throughput up, and to the right
// interactivity or, where not all runs have it, a latency.
func (s *runs) pair(req *Request) (y, x Metric, err error) {
	var with []Metric
	if req.X != "" {
		if x, err = s.choose(req.X, nil); err != nil {
			return y, x, err
		}
		with = []Metric{x}
	}
	if y, err = s.choose(req.Y, throughputs(), with...); err != nil {
		return y, x, err
	}
	x, err = s.choose(req.X, append([]string{"interactivity_p50_tok_s"}, latencies()...), y)
	return y, x, err
}

// scale makes an axis logarithmic where that is asked for.
func scale(a *Axis, asked bool) {
	if asked {
		a.Logarithmic()
	}
}
