package plot

import (
	"errors"
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"
	"strings"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// ErrEmpty reports a figure without a point: there is nothing to draw.
var ErrEmpty = errors.New("there is nothing to draw")

// Size is how large a picture is.
type Size struct {
	Width, Height int // CSS pixels, 1/96 inch
	DPI           int // dots per inch of a PNG; 96 makes a dot of each pixel
}

// DefaultSize is the size of a picture where nobody asks for another.
func DefaultSize() Size { return Size{Width: 880, Height: 560, DPI: 192} }

// Limits of a size. The smallest still shows what a picture is about, the
// largest keeps a PNG under 200 MB of memory.
const (
	MinWidth, MinHeight = 320, 240
	MaxLength           = 4000
	MinDPI, MaxDPI      = 48, 600
	maxDots             = 50_000_000
)

// Check reports a size that no picture can have.
func (s Size) Check() error {
	switch {
	case s.Width < MinWidth || s.Width > MaxLength:
		return fmt.Errorf("the width is from %d to %d pixels", MinWidth, MaxLength)
	case s.Height < MinHeight || s.Height > MaxLength:
		return fmt.Errorf("the height is from %d to %d pixels", MinHeight, MaxLength)
	case s.DPI < MinDPI || s.DPI > MaxDPI:
		return fmt.Errorf("the dots per inch are from %d to %d", MinDPI, MaxDPI)
	case s.Width*s.DPI/96*(s.Height*s.DPI/96) > maxDots:
		return fmt.Errorf("%d by %d pixels at %d dots per inch are more than %d million dots: make it smaller", s.Width, s.Height, s.DPI, maxDots/1_000_000)
	}
	return nil
}

// points are CSS pixels in the unit of text sizes.
func points(pixels int) vg.Length { return vg.Length(pixels) * 72 / 96 }

// WriteSVG writes a figure as an SVG document.
func WriteSVG(w io.Writer, f *Figure, s Size) error {
	c := newSVG(points(s.Width), points(s.Height), false)
	if err := drawFigure(c, f); err != nil {
		return err
	}
	return c.write(w, s.Width, s.Height, clean(f.Title), describe(f))
}

// WriteInline writes a figure as an SVG element of a page, which has Styles in
// its style sheet and gives the picture its width.
func WriteInline(w io.Writer, f *Figure, s Size) error {
	c := newSVG(points(s.Width), points(s.Height), true)
	if err := drawFigure(c, f); err != nil {
		return err
	}
	return c.write(w, 0, 0, clean(f.Title), describe(f))
}

// WritePNG writes a figure as a PNG file.
func WritePNG(w io.Writer, f *Figure, s Size) error {
	c := vgimg.NewWith(vgimg.UseWH(points(s.Width), points(s.Height)), vgimg.UseDPI(s.DPI))
	if err := drawFigure(c, f); err != nil {
		return err
	}
	_, err := vgimg.PngCanvas{Canvas: c}.WriteTo(w)
	return err
}

// describe tells a figure to who cannot see it.
func describe(f *Figure) string {
	var parts []string
	if f.Subtitle != "" {
		parts = append(parts, f.Subtitle)
	}
	for _, p := range f.Panels {
		parts = append(parts, p.Y.Label+" over "+p.X.Label)
	}
	var names []string
	for _, s := range f.Series {
		names = append(names, s.Name)
	}
	if names != nil {
		parts = append(parts, "Series: "+strings.Join(names, "; "))
	}
	return clean(strings.Join(append(parts, f.Notes...), ". "))
}

// The sizes of text, in points.
const (
	titleSize = 13
	labelSize = 10
	smallSize = 9
)

// Distances in points.
const (
	margin      = 12
	gap         = 7  // between parts of the picture
	leading     = 3  // between lines of text
	panelGap    = 18 // between panels
	leastPanel  = 110
	markRadius  = 3.4
	faintRadius = 2.4
)

// textStyle is how text of a size is set.
func textStyle(size vg.Length, c color.Color, bold bool) text.Style {
	f := font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
	if bold {
		f.Weight = xfont.WeightBold
	}
	return text.Style{Color: c, Font: f, XAlign: draw.XLeft, YAlign: draw.YTop, Handler: plot.DefaultTextHandler}
}

// sheet is a picture in the making: parts are placed from the top and from the
// bottom, and the panels take what is left.
type sheet struct {
	canvas draw.Canvas // what is left
	svg    *svgCanvas  // nil for a PNG
}

func drawFigure(c vg.CanvasSizer, f *Figure) error {
	if err := f.check(); err != nil {
		return err
	}
	s := &sheet{canvas: draw.New(c)}
	s.svg, _ = c.(*svgCanvas)
	s.canvas.SetColor(paper)
	s.canvas.Fill(s.canvas.Rectangle.Path())
	s.canvas = draw.Crop(s.canvas, margin, -margin, margin, -margin)
	s.fromTop(textStyle(titleSize, ink, true), wrap(clean(f.Title), textStyle(titleSize, ink, true), s.width(), 2))
	if f.Subtitle != "" {
		s.fromTop(textStyle(smallSize, quiet, false), wrap(clean(f.Subtitle), textStyle(smallSize, quiet, false), s.width(), 2))
	}
	s.notes(f.Notes)
	s.legend(f.Series)
	return s.panels(f)
}

func (s *sheet) width() vg.Length { return s.canvas.Max.X - s.canvas.Min.X }

// fromTop sets lines of text at the top of what is left.
func (s *sheet) fromTop(sty text.Style, lines []string) {
	for _, line := range lines {
		s.canvas.FillText(sty, vg.Point{X: s.canvas.Min.X, Y: s.canvas.Max.Y}, line)
		s.canvas.Max.Y -= sty.Font.Size + leading
	}
	s.canvas.Max.Y -= leading
}

// mostNotes is how many lines the notes may take.
const mostNotes = 7

// notes sets the notes at the bottom.
func (s *sheet) notes(notes []string) {
	sty := textStyle(smallSize, quiet, false)
	var lines []string
	for _, n := range notes {
		lines = append(lines, wrap(clean(n), sty, s.width(), 3)...)
	}
	if len(lines) > mostNotes {
		lines = append(lines[:mostNotes-1], fmt.Sprintf("… and %d more lines", len(lines)-mostNotes+1))
	}
	for _, line := range slices.Backward(lines) {
		s.canvas.FillText(sty, vg.Point{X: s.canvas.Min.X, Y: s.canvas.Min.Y + sty.Font.Size}, line)
		s.canvas.Min.Y += sty.Font.Size + leading
	}
	if len(lines) > 0 {
		s.canvas.Min.Y += gap
	}
}

// keyWidth is the room of the line and mark before a name of the legend.
const keyWidth = 30

// legend sets the legend in as many columns as there is room for, above the notes.
func (s *sheet) legend(series []Series) {
	if len(series) == 0 {
		return
	}
	sty := textStyle(smallSize+0.5, ink, false)
	sty.YAlign = draw.YCenter
	names := make([]string, len(series))
	widths := make([]vg.Length, len(series))
	for i := range series {
		names[i] = cutTo(clean(series[i].Name), sty, s.width()-keyWidth-6)
		widths[i] = keyWidth + 6 + sty.Width(names[i]) + 16
	}
	rows, lefts := columns(widths, s.width()+16)
	height := sty.Font.Size + leading + 2
	for i := range series {
		left := s.canvas.Min.X + lefts[i/rows]
		y := s.canvas.Min.Y + height*(vg.Length(rows-1-i%rows)+0.5)
		look := styleOf(i, series[i].Faint)
		if !series[i].Faint {
			s.canvas.StrokeLine2(draw.LineStyle{Color: look.color, Width: 1.6, Dashes: look.dash}, left, y, left+keyWidth, y)
		}
		s.canvas.DrawGlyphNoClip(glyph(look, markRadius), vg.Point{X: left + keyWidth/2, Y: y})
		s.canvas.FillText(sty, vg.Point{X: left + keyWidth + 6, Y: y + 0.8}, names[i])
	}
	s.canvas.Min.Y += height*vg.Length(rows) + gap
}

// columns sets entries of some widths into as few rows as fit a width, column
// by column, and returns where each column begins.
func columns(widths []vg.Length, room vg.Length) (rows int, lefts []vg.Length) {
	for rows = 1; ; rows++ {
		lefts = nil
		left := vg.Length(0)
		for column := range slices.Chunk(widths, rows) {
			lefts = append(lefts, left)
			left += slices.Max(column)
		}
		if left <= room || rows >= len(widths) {
			return rows, lefts
		}
	}
}

func glyph(look style, radius vg.Length) draw.GlyphStyle {
	return draw.GlyphStyle{Color: look.color, Radius: radius, Shape: look.shape}
}

// panels draws the panels beside one another, or one above the other where the
// picture is narrow.
func (s *sheet) panels(f *Figure) error {
	n := vg.Length(len(f.Panels))
	wide := (s.width() - panelGap*(n-1)) / n
	height := s.canvas.Max.Y - s.canvas.Min.Y
	beside := wide >= 220
	if !beside {
		wide = s.width()
		height = (height - panelGap*(n-1)) / n
	}
	if height < leastPanel {
		return fmt.Errorf("the picture is too low for its legend and notes: make it %d pixels higher or more", int(math.Ceil(float64((leastPanel-height)*n*96/72))))
	}
	for i := range f.Panels {
		c := s.canvas
		if beside {
			c.Min.X += vg.Length(i) * (wide + panelGap)
			c.Max.X = c.Min.X + wide
		} else {
			c.Max.Y -= vg.Length(i) * (height + panelGap)
			c.Min.Y = c.Max.Y - height
		}
		s.panel(c, f, &f.Panels[i])
	}
	return nil
}

// panel draws axes, lines and marks.
func (s *sheet) panel(c draw.Canvas, f *Figure, p *Panel) {
	below, beside := labelLines(c, p)
	c.Min.Y += labelRoom(below)
	c.Min.X += labelRoom(beside)
	g := axes(c, p)
	data := g.DataCanvas(c)
	toX, toY := g.Transforms(&data)
	place := func(at *Point) vg.Point { return vg.Point{X: toX(at.X), Y: toY(at.Y)} }
	g.Draw(c)
	labels(c, data, below, beside)

	if y := p.Y.Line; y != nil {
		data.StrokeLine2(draw.LineStyle{Color: quiet, Width: 0.8}, data.Min.X, toY(*y), data.Max.X, toY(*y))
	}
	taken := s.marks(data, p, toX)
	// What is behind comes first, and of the rest the first series last: it is
	// the one that a reader asked for first.
	for _, l := range slices.Backward(p.Lines) {
		look := styleOf(l.Series, f.Series[l.Series].Faint)
		s.behind(data, &l, look, place)
	}
	for _, l := range slices.Backward(p.Lines) {
		s.line(data, &l, styleOf(l.Series, f.Series[l.Series].Faint), place, toY)
	}
	for _, l := range p.Lines {
		taken = append(taken, covered(&l, place)...)
	}
	said := map[saying]bool{}
	for _, l := range p.Lines {
		taken = s.tags(data, &l, place, taken, said)
	}
	if s.svg != nil {
		for _, l := range p.Lines {
			for i := range l.Points {
				if l.Points[i].Label != "" {
					s.svg.hover(place(&l.Points[i]), cleanLines(l.Points[i].Label))
				}
			}
		}
	}
}

// The labels of the axes are set here and not by the library, which takes the
// middle of a logarithmic axis to be where the mean of its ends is.

// labelStyle is how the labels of the axes are set.
func labelStyle() text.Style {
	sty := textStyle(labelSize, ink, false)
	sty.XAlign = draw.XCenter
	return sty
}

// labelLines are the lines of the labels below and beside a panel.
func labelLines(c draw.Canvas, p *Panel) (below, beside []string) {
	sty := labelStyle()
	return wrap(clean(p.X.Label), sty, c.Max.X-c.Min.X-60, 2), wrap(clean(p.Y.Label), sty, c.Max.Y-c.Min.Y-30, 2)
}

func labelRoom(lines []string) vg.Length { return vg.Length(len(lines))*(labelSize+2) + 4 }

// labels sets the labels in the middle of the axes.
func labels(c, data draw.Canvas, below, beside []string) {
	sty := labelStyle()
	for i, line := range below {
		c.FillText(sty, vg.Point{X: data.Center().X, Y: c.Min.Y - 4 - vg.Length(i)*(labelSize+2)}, line)
	}
	sty.Rotation = math.Pi / 2
	for i, line := range beside {
		c.FillText(sty, vg.Point{X: c.Min.X - labelRoom(beside) + vg.Length(i)*(labelSize+2), Y: data.Center().Y}, line)
	}
}

// axes are the axes of a panel, without their labels, in the room that they have.
func axes(c draw.Canvas, p *Panel) *plot.Plot {
	g := plot.New()
	g.BackgroundColor = nil
	lowX, highX, lowY, highY := extent(p)
	g.X.Min, g.X.Max = p.X.bounds(lowX, highX)
	g.Y.Min, g.Y.Max = p.Y.bounds(lowY, highY)
	for _, a := range []struct {
		axis   *plot.Axis
		of     *Axis
		length vg.Length
		each   vg.Length // room for a number
	}{{&g.X, &p.X, c.Max.X - c.Min.X - 30, 0}, {&g.Y, &p.Y, c.Max.Y - c.Min.Y - 20, 26}} {
		a.axis.Padding = 0
		a.axis.LineStyle = draw.LineStyle{Color: quiet, Width: 0.8}
		a.axis.Tick.LineStyle = a.axis.LineStyle
		a.axis.Tick.Length = 4
		tick := textStyle(smallSize, ink, false)
		tick.XAlign, tick.YAlign = a.axis.Tick.Label.XAlign, a.axis.Tick.Label.YAlign
		a.axis.Tick.Label = tick
		if a.of.logarithmic() {
			a.axis.Scale = logScale{}
		}
		each := a.each
		if each == 0 {
			each = 14 + tick.Width(widest(ticks{a.of.Scale, 6}.Ticks(a.axis.Min, a.axis.Max)))
		}
		a.axis.Tick.Marker = ticks{a.of.Scale, max(2, min(10, int(a.length/each)))}
	}
	lines := plotter.NewGrid()
	lines.Vertical = draw.LineStyle{Color: grid, Width: 0.6}
	lines.Horizontal = lines.Vertical
	g.Add(lines)
	return g
}

func widest(all []plot.Tick) string {
	long := ""
	for _, t := range all {
		if len(t.Label) > len(long) {
			long = t.Label
		}
	}
	return long
}

// extent is the range of a panel's points and their error bars.
func extent(p *Panel) (lowX, highX, lowY, highY float64) {
	lowX, lowY, highX, highY = math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, l := range p.Lines {
		for _, at := range l.Points {
			lowX, highX = math.Min(lowX, at.X), math.Max(highX, at.X)
			highY = math.Max(highY, at.Y+at.Spread)
			if low := at.Y - at.Spread; low > 0 || !p.Y.logarithmic() {
				lowY = math.Min(lowY, low)
			} else {
				lowY = math.Min(lowY, at.Y)
			}
		}
	}
	for _, m := range p.Marks {
		lowX, highX = math.Min(lowX, m.X), math.Max(highX, m.X)
	}
	if y := p.Y.Line; y != nil {
		lowY, highY = math.Min(lowY, *y), math.Max(highY, *y)
	}
	return lowX, highX, lowY, highY
}

// marks draws the vertical lines, their texts at the head of the panel in up to
// three rows where they do not overlap, and returns where text stands.
func (s *sheet) marks(data draw.Canvas, p *Panel, toX func(float64) vg.Length) (taken []vg.Rectangle) {
	sty := textStyle(smallSize, quiet, false)
	for _, m := range p.Marks {
		x := toX(m.X)
		data.StrokeLine2(draw.LineStyle{Color: quiet, Width: 0.6, Dashes: []vg.Length{2, 2}}, x, data.Min.Y, x, data.Max.Y)
		words := cutTo(clean(m.Text), sty, 110)
		for row := range 3 {
			box := vg.Rectangle{Min: vg.Point{X: x + 2, Y: data.Max.Y - vg.Length(row+1)*(smallSize+2)}}
			box.Max = box.Min.Add(vg.Point{X: sty.Width(words), Y: smallSize + 1})
			if box.Max.X > data.Max.X {
				box.Min.X, box.Max.X = x-2-sty.Width(words), x-2
			}
			if box.Min.X >= data.Min.X && !overlaps(taken, box) {
				data.FillText(sty, vg.Point{X: box.Min.X, Y: box.Max.Y}, words)
				taken = append(taken, box)
				break
			}
		}
		if s.svg != nil {
			s.svg.hover(vg.Point{X: x, Y: data.Max.Y - 4}, clean(m.Text))
		}
	}
	return taken
}

func overlaps(boxes []vg.Rectangle, b vg.Rectangle) bool {
	return slices.ContainsFunc(boxes, func(a vg.Rectangle) bool {
		return a.Min.X < b.Max.X && b.Min.X < a.Max.X && a.Min.Y < b.Max.Y && b.Min.Y < a.Max.Y
	})
}

// behind draws the points of a line that are behind it: small, and hollow as
// what they are beneath.
func (s *sheet) behind(data draw.Canvas, l *Line, look style, place func(*Point) vg.Point) {
	look.shape.hollow = true
	for i := range l.Points {
		if l.Points[i].Behind {
			g := glyph(look, faintRadius)
			g.Color = blend(look.color)
			data.DrawGlyphNoClip(g, place(&l.Points[i]))
		}
	}
}

// blend is a colour halfway to paper.
func blend(c color.RGBA) color.RGBA {
	half := func(a, b uint8) uint8 { return uint8((int(a) + int(b)) / 2) }
	return color.RGBA{half(c.R, paper.R), half(c.G, paper.G), half(c.B, paper.B), 0xff}
}

// line draws the line of a series with its error bars and marks.
func (s *sheet) line(data draw.Canvas, l *Line, look style, place func(*Point) vg.Point, toY func(float64) vg.Length) {
	var path []vg.Point
	for i := range l.Points {
		if !l.Points[i].Behind {
			path = append(path, place(&l.Points[i]))
		}
	}
	if !l.Loose && len(path) > 1 {
		data.StrokeLines(draw.LineStyle{Color: look.color, Width: 1.6, Dashes: look.dash}, path)
	}
	bar := draw.LineStyle{Color: look.color, Width: 1}
	for i := range l.Points {
		at := &l.Points[i]
		if at.Spread > 0 {
			x := place(at).X
			low, high := max(data.Min.Y, toY(at.Y-at.Spread)), toY(at.Y+at.Spread)
			if math.IsNaN(float64(low)) || math.IsInf(float64(low), 0) { // below 0 on a logarithmic axis
				low = data.Min.Y
			}
			data.StrokeLine2(bar, x, low, x, high)
			data.StrokeLine2(bar, x-3, low, x+3, low)
			data.StrokeLine2(bar, x-3, high, x+3, high)
		}
	}
	radius := vg.Length(markRadius)
	if l.Loose {
		radius = faintRadius + 0.4
	}
	for _, at := range path {
		data.DrawGlyphNoClip(glyph(look, radius), at)
	}
}

// covered is where the marks and the line of a series are, in small boxes.
func covered(l *Line, place func(*Point) vg.Point) (boxes []vg.Rectangle) {
	around := func(at vg.Point, by vg.Length) {
		boxes = append(boxes, vg.Rectangle{Min: at.Sub(vg.Point{X: by, Y: by}), Max: at.Add(vg.Point{X: by, Y: by})})
	}
	var last *vg.Point
	for i := range l.Points {
		at := place(&l.Points[i])
		if l.Points[i].Behind {
			around(at, faintRadius)
			continue
		}
		around(at, markRadius)
		if last != nil && !l.Loose {
			step := at.Sub(*last)
			n := math.Ceil(math.Hypot(float64(step.X), float64(step.Y)) / 4)
			for k := 1.0; k < n; k++ {
				around(last.Add(step.Scale(vg.Length(k/n))), 1)
			}
		}
		last = &at
	}
	return boxes
}

// saying is a tag at a place, to the point.
type saying struct {
	x, y int
	text string
}

// tags sets the short texts of points where nothing else is, and one of several
// equal ones at one place.
func (s *sheet) tags(data draw.Canvas, l *Line, place func(*Point) vg.Point, taken []vg.Rectangle, said map[saying]bool) []vg.Rectangle {
	sty := textStyle(smallSize, quiet, false)
	for i := range l.Points {
		words := clean(l.Points[i].Tag)
		at := place(&l.Points[i])
		what := saying{int(math.Round(float64(at.X) / 3)), int(math.Round(float64(at.Y) / 3)), words}
		if words == "" || l.Points[i].Behind || said[what] {
			continue
		}
		wide := sty.Width(words)
		for _, corner := range []vg.Point{
			{X: -4 - wide, Y: 3}, {X: 4, Y: -3 - smallSize}, {X: 4, Y: 3}, {X: -4 - wide, Y: -3 - smallSize}, {X: -wide / 2, Y: 5}, {X: -wide / 2, Y: -5 - smallSize},
		} {
			box := vg.Rectangle{Min: at.Add(corner)}
			box.Max = box.Min.Add(vg.Point{X: wide, Y: smallSize})
			if box.Min.X > data.Min.X && box.Max.X < data.Max.X+margin && box.Min.Y > data.Min.Y && box.Max.Y < data.Max.Y && !overlaps(taken, box) {
				data.FillText(sty, vg.Point{X: box.Min.X, Y: box.Max.Y}, words)
				taken = append(taken, box)
				said[what] = true
				break
			}
		}
	}
	return taken
}
