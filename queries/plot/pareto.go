package plot

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/inference-sim/blis-warehouse/store"
)

// frontier is the frontier of a hardware and precision, with what lies behind it.
type frontier struct {
	name    string
	on      []Point // from the most interactive
	behind  []Point
	highest float64
}

// readPareto makes the picture of frontiers. What is on one is for the query
// pareto-frontier to say.
func readPareto(ctx context.Context, r *store.Reader, req *Request) (*Figure, error) {
	params := req.Filter.params()
	on, err := ask(ctx, r, "pareto-frontier", params)
	if err != nil {
		return nil, err
	}
	all, err := ask(ctx, r, "pareto-points", params)
	if err != nil {
		return nil, err
	}
	flagged := leftOut(on)
	on.rows = slices.DeleteFunc(on.rows, func(row []any) bool { return on.text(row, "run") == "" })
	switch {
	case len(on.rows) == 0 && flagged == 0:
		return nil, fmt.Errorf("%w: no newest run of single_turn rows has points of this model, hardware, precision and lengths (see coverage)", ErrEmpty)
	case len(on.rows) == 0:
		return nil, fmt.Errorf("%w: all %d points are flagged; --accept names flags that leave no point out (see flag-counts)", ErrEmpty, flagged)
	}
	lengths, err := oneLength(on)
	if err != nil {
		return nil, err
	}
	y, _ := find("total_tok_s_per_gpu")
	x, _ := find("interactivity_p50_tok_s")
	panel := Panel{X: x.axis(), Y: y.axis()}
	panel.X.Zero = false
	scale(&panel.X, req.LogX)
	scale(&panel.Y, req.LogY)
	f := &Figure{Title: "Frontier of throughput and interactivity: " + req.Filter.Model, Subtitle: lengths}
	fronts, runs := frontiers(on, all, x, y)
	kept, others := fronts, []frontier(nil)
	if len(fronts) > MaxSeries {
		kept, others = fronts[:MaxSeries-1], fronts[MaxSeries-1:]
	}
	behind := 0
	for i := range kept {
		f.Series = append(f.Series, Series{Name: kept[i].name})
		panel.Lines = append(panel.Lines, Line{Series: i, Points: append(kept[i].on, kept[i].behind...)})
		behind += len(kept[i].behind)
	}
	if others != nil {
		f.Series = append(f.Series, Series{Name: fmt.Sprintf("%d others", len(others)), Faint: true})
		line := Line{Series: len(kept), Loose: true}
		for i := range others {
			line.Points = append(line.Points, others[i].on...)
		}
		panel.Lines = append(panel.Lines, line)
	}
	f.Panels = []Panel{panel}
	f.Notes = append(f.Notes, fmt.Sprintf("A line joins the points that no other of its hardware and precision beats in both; %s faint. Single-turn rows of the newest runs.", plural(behind, "point behind is", "points behind are")))
	if others != nil {
		f.Notes = append(f.Notes, fmt.Sprintf("The %d others have less throughput at most; --hardware and --precision show them.", len(others)))
	}
	if flagged > 0 {
		f.Notes = append(f.Notes, fmt.Sprintf("%s left out; --accept FLAGS takes them in (see the query flag-counts).", plural(flagged, "flagged point is", "flagged points are")))
	}
	sources, err := readSources(ctx, r, runs)
	f.Notes = append(f.Notes, sources...)
	return f, err
}

// params are the parameters of the query pareto-frontier.
func (f *Filter) params() map[string]any {
	params := map[string]any{"model": nil, "hardware": nil, "precision": nil, "isl": nil, "osl": nil, "accept": nil}
	for name, v := range map[string]string{"model": f.Model, "hardware": f.Hardware, "precision": f.Precision, "accept": f.Accept} {
		if v != "" {
			params[name] = v
		}
	}
	for name, v := range map[string]*int64{"isl": f.ISL, "osl": f.OSL} {
		if v != nil {
			params[name] = *v
		}
	}
	return params
}

// oneLength holds that all points are of one input and output length, for
// throughput and interactivity depend on them most of all.
func oneLength(on *table) (string, error) {
	var pairs []string
	for _, row := range on.rows {
		pair := fmt.Sprintf("--isl %s --osl %s", on.text(row, "isl"), on.text(row, "osl"))
		if !slices.Contains(pairs, pair) {
			pairs = append(pairs, pair)
		}
	}
	if len(pairs) > 1 {
		slices.Sort(pairs)
		return "", fmt.Errorf("several lengths do not belong on one picture: choose %s", strings.Join(pairs, ", or "))
	}
	row := on.rows[0]
	return whole(on.text(row, "isl")) + " → " + whole(on.text(row, "osl")) + " tokens", nil
}

// frontiers groups points by hardware and precision, that with the highest
// throughput first. It returns the runs that they are of too.
func frontiers(on, all *table, x, y Metric) (fronts []frontier, names []string) {
	place := map[string]int{}
	seen, named := map[string]bool{}, map[string]bool{}
	group := func(t *table, row []any) *frontier {
		name := strings.TrimSpace(t.text(row, "hardware") + with(t.text(row, "precision"), " · ", ""))
		i, ok := place[name]
		if !ok {
			i = len(fronts)
			place[name] = i
			fronts = append(fronts, frontier{name: name})
		}
		return &fronts[i]
	}
	key := func(t *table, row []any) string { return t.text(row, "run") + "\x00" + t.text(row, "point") }
	for _, row := range on.rows {
		g := group(on, row)
		p := paretoPoint(on, row, x, y)
		g.on = append(g.on, p)
		g.highest = max(g.highest, p.Y)
		seen[key(on, row)] = true
	}
	for _, row := range all.rows {
		if name := all.text(row, "run"); !named[name] {
			named[name] = true
			names = append(names, name)
		}
		if !seen[key(all, row)] {
			p := paretoPoint(all, row, x, y)
			p.Behind = true
			g := group(all, row)
			g.behind = append(g.behind, p)
		}
	}
	slices.SortFunc(fronts, func(a, b frontier) int {
		return cmp.Or(cmp.Compare(b.highest, a.highest), cmp.Compare(a.name, b.name))
	})
	return fronts, names
}

func paretoPoint(t *table, row []any, x, y Metric) Point {
	px, _ := t.number(row, x.Name)
	py, _ := t.number(row, y.Name)
	label := []string{
		t.text(row, "run") + ", " + t.text(row, "point"),
		strings.TrimSpace(t.text(row, "framework") + " " + t.text(row, "engine_version") + with(t.text(row, "parallelism"), ", ", "")),
		fmt.Sprintf("%s: %s %s", y.Text, precise(py), y.Unit),
		fmt.Sprintf("%s: %s %s", x.Text, precise(px), x.Unit),
	}
	return Point{X: px, Y: py, Label: strings.Join(label, "\n"), Run: t.text(row, "run"), Point: t.text(row, "point")}
}

// leftOut counts the flagged points that were left out of the groups, of which
// each row of a group says the same.
func leftOut(on *table) (n int) {
	seen := map[string]bool{}
	for _, row := range on.rows {
		group := strings.Join([]string{on.text(row, "hardware"), on.text(row, "precision"), on.text(row, "isl"), on.text(row, "osl")}, "\x00")
		if v, ok := on.number(row, "left_out"); ok && !seen[group] {
			seen[group] = true
			n += int(v)
		}
	}
	return n
}
