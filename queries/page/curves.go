package page

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/inference-sim/blis-warehouse/queries"
	"github.com/inference-sim/blis-warehouse/queries/plot"
)

// figure is a picture of the page: rows of figures.sql that agree in all but the run.
type figure struct {
	key      [7]string // model, benchmark_type, isl, osl, workload, y, x
	runs     []string  // those that are drawn
	ofFigure int64     // how many there are
}

// mostCurves is how many runs a picture of the page shows: its legend stays
// shorter than itself.
const mostCurves = 8

// pictures draws the curves, with the values of each picture in a table.
func (p *page) pictures(ctx context.Context) error {
	q, _, err := find("figures")
	if err != nil {
		return err
	}
	figures, total, err := p.readFigures(ctx, &q)
	if err != nil {
		return err
	}
	p.print("<div class=\"figures\">\n")
	for i := range figures {
		if err := p.picture(ctx, &figures[i], i+1); err != nil {
			return err
		}
	}
	p.print("</div>\n")
	switch {
	case total == 0:
		p.print("<p class=\"total\">There is no curve to draw: no run has two points with throughput and latency.</p>\n")
	case len(figures) == 0:
		p.print("<p class=\"total\">None of %d pictures is drawn. Any: <code>blis-warehouse plot curve RUN...</code></p>\n", total)
	case len(figures) == 1 && total > 1:
		p.print("<p class=\"total\">The first picture of %d, with the most points. Any other: <code>blis-warehouse plot curve RUN...</code></p>\n", total)
	case total > len(figures):
		p.print("<p class=\"total\">The %d pictures with the most points, of %d. Any other: <code>blis-warehouse plot curve RUN...</code></p>\n", len(figures), total)
	}
	p.sql(&q)
	return nil
}

// readFigures reads which pictures there are, and the runs of those shown.
func (p *page) readFigures(ctx context.Context, q *queries.Query) (shown []figure, total int, err error) {
	rows, err := p.rows(ctx, q)
	if err != nil {
		return nil, 0, err
	}
	var last [7]string
	for row, err := range rows {
		if err != nil {
			return nil, 0, fmt.Errorf("query %s: %w", q.Name, err)
		}
		var key [7]string
		for i := range key {
			key[i] = Cell(row[i])
		}
		if total == 0 || key != last {
			total, last = total+1, key
			if total <= p.options.Figures {
				shown = append(shown, figure{key: key, ofFigure: row[11].(int64)})
			}
		}
		if f := len(shown) - 1; total <= p.options.Figures && len(shown[f].runs) < mostCurves {
			shown[f].runs = append(shown[f].runs, Cell(row[7]))
		}
	}
	return shown, total, nil
}

// size is that of a picture of the page: as much higher as its legend and
// notes need.
func size(f *plot.Figure) plot.Size {
	return plot.Size{Width: 640, Height: 380 + 18*len(f.Series) + 17*len(f.Notes), DPI: 96}
}

// wideRange is from which ratio of the highest value to the lowest a
// logarithmic axis shows what a linear one would press together.
const wideRange = 30

// spread makes the axis upwards logarithmic where values are far apart.
func spread(f *plot.Figure) {
	low, high := math.Inf(1), 0.0
	for _, l := range f.Panels[0].Lines {
		for _, at := range l.Points {
			low, high = math.Min(low, at.Y), math.Max(high, at.Y)
		}
	}
	if low > 0 && high/low > wideRange {
		f.Panels[0].Y.Logarithmic()
	}
}

// picture draws a figure and lists its values.
func (p *page) picture(ctx context.Context, f *figure, number int) error {
	curve, _ := plot.Named("curve")
	drawn, err := curve.Read(ctx, p.r, &plot.Request{Runs: f.runs, Y: f.key[5], X: f.key[6], Despite: []string{"all"}})
	if err != nil {
		return fmt.Errorf("picture of %s: %w", strings.Join(f.runs, ", "), err)
	}
	drawn.Title = f.title()
	if n := int64(len(f.runs)); n < f.ofFigure {
		drawn.Notes = append([]string{fmt.Sprintf("%d of %d runs: of every hardware and precision first the one with the most points.", n, f.ofFigure)}, drawn.Notes...)
	}
	spread(drawn)
	p.print("<figure id=\"figure-%d\">\n", number)
	// What cannot be drawn is told, and its values are there all the same. An
	// error of writing stays with the writer.
	if err := plot.WriteInline(p.w, drawn, size(drawn)); err != nil {
		p.print("<p>%s: this picture cannot be drawn: %s</p>\n", drawn.Title, err.Error())
	}
	p.values(drawn, f, number)
	p.print("</figure>\n")
	return nil
}

// title names what a figure shows.
func (f *figure) title() string {
	model := f.key[0]
	if model == "" {
		model = "no model stated"
	}
	parts := []string{model}
	if f.key[2]+f.key[3] != "" {
		parts = append(parts, f.key[2]+" → "+f.key[3]+" tokens")
	}
	for _, part := range []string{f.key[4], f.key[1]} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, ", ")
}

// values lists the points of a picture beneath it.
func (p *page) values(drawn *plot.Figure, f *figure, number int) {
	p.print("<figcaption><details><summary>Values of the picture of %s</summary>\n<div class=\"table\" role=\"region\" tabindex=\"0\" aria-label=\"Values\"><table id=\"values-%d\">\n<caption>%s</caption>\n"+
		"<thead><tr><th scope=\"col\">run</th><th scope=\"col\">point</th><th scope=\"col\">%s</th><th scope=\"col\">%s</th></tr></thead>\n<tbody>\n",
		drawn.Title, number, drawn.Title, strings.ReplaceAll(f.key[6], "_", " "), strings.ReplaceAll(f.key[5], "_", " "))
	for _, line := range drawn.Panels[0].Lines {
		for _, at := range line.Points {
			p.print("<tr><td>%s</td><td>%s</td><td class=\"n\">%s</td><td class=\"n\">%s</td></tr>\n", at.Run, at.Point, Cell(at.X), Cell(at.Y))
		}
	}
	p.print("</tbody>\n</table></div></details></figcaption>\n")
}
