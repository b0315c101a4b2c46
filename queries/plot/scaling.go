package plot

import (
	"context"
	"fmt"

	"github.com/inference-sim/blis-warehouse/store"
)

// readScaling makes the picture of throughput and latency over the load.
func readScaling(ctx context.Context, r *store.Reader, req *Request) (*Figure, error) {
	s, err := readRuns(ctx, r, req.Runs)
	if err != nil {
		return nil, err
	}
	throughput, err := s.choose(req.Y, throughputs())
	if err != nil {
		return nil, err
	}
	latency, err := s.choose(req.X, append([]string{"ttft_p50_ms", "ttft_mean_ms"}, latencies()...), throughput)
	if err != nil {
		return nil, err
	}
	differ, err := s.checkDefinitions(ctx, r, req, throughput, latency)
	if err != nil {
		return nil, err
	}
	load, err := s.loadAxis()
	if err != nil {
		return nil, err
	}
	common, names := s.describe()
	f := &Figure{Title: "Throughput and latency over the load", Subtitle: common, Notes: differ}
	for i := range s.all {
		f.Series = append(f.Series, Series{Name: names[i]})
	}
	for _, m := range []Metric{throughput, latency} {
		left := 0
		panel := Panel{X: load.axis, Y: m.axis()}
		scale(&panel.Y, req.LogY)
		for i := range s.all {
			line := Line{Series: i}
			for _, row := range s.all[i].points {
				x, okX := s.number(row, load.column)
				y, okY := s.number(row, m.Name)
				if !okX || !okY || req.LogY && y == 0 {
					left++
					continue
				}
				line.Points = append(line.Points, Point{X: x, Y: y, Label: s.label(row, m)})
			}
			panel.Lines = append(panel.Lines, line)
		}
		f.Panels = append(f.Panels, panel)
		if left > 0 {
			f.Notes = append(f.Notes, m.Text+": "+withoutPlace(left))
		}
	}
	notes, err := s.notes(ctx, r)
	f.Notes = append(f.Notes, notes...)
	return f, err
}

// loadAxis is the axis of loads and the column that it shows.
type loadAxis struct {
	axis   Axis
	column string
}

// loadAxis is the concurrency where every point states one and it changes in a
// run, else the request rate where every point states that, else the concurrency.
// Runs of which neither holds are not drawn over one axis.
func (s *runs) loadAxis() (loadAxis, error) {
	concurrency := loadAxis{Axis{Label: "Concurrency (requests in flight)", Scale: Log2}, "concurrency"}
	rate := loadAxis{Axis{Label: "Offered request rate (requests/s)", Scale: Log2}, "request_rate"}
	stated, changes := s.states(concurrency.column)
	rateStated, _ := s.states(rate.column)
	switch {
	case stated && (changes || !rateStated):
		return concurrency, nil
	case rateStated:
		return rate, nil
	}
	return loadAxis{}, fmt.Errorf("some of the runs state only a concurrency and some only a request rate: they have no load in common")
}

// states reports whether every point states a load, and whether that changes
// within a run.
func (s *runs) states(column string) (stated, changes bool) {
	stated = true
	for i := range s.all {
		first, _ := s.number(s.all[i].points[0], column)
		for _, row := range s.all[i].points {
			v, ok := s.number(row, column)
			stated = stated && ok
			changes = changes || ok && v != first
		}
	}
	return stated, changes
}
