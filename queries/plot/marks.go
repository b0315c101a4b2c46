package plot

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The colours of what is no series. In a picture on the page of package page
// they follow its theme (see svgCanvas).
var (
	paper = color.RGBA{0xff, 0xff, 0xff, 0xff}
	ink   = color.RGBA{0x1f, 0x1f, 0x1f, 0xff}
	quiet = color.RGBA{0x59, 0x59, 0x59, 0xff} // 7:1 on paper
	grid  = color.RGBA{0xe3, 0xe3, 0xe3, 0xff}
	faint = color.RGBA{0xa6, 0xa6, 0xa6, 0xff}
)

// palette is that of Okabe and Ito (jfly.uni-koeln.de/color), which people with
// any kind of colour vision can tell apart, without its yellow, which is hard
// to see on white, and with its black for last.
var palette = []color.RGBA{
	{0x00, 0x72, 0xb2, 0xff}, // blue
	{0xd5, 0x5e, 0x00, 0xff}, // vermillion
	{0x00, 0x9e, 0x73, 0xff}, // bluish green
	{0xcc, 0x79, 0xa7, 0xff}, // reddish purple
	{0xe6, 0x9f, 0x00, 0xff}, // orange
	{0x56, 0xb4, 0xe9, 0xff}, // sky blue
	{0x00, 0x00, 0x00, 0xff}, // black
}

// dashes are the strokes of lines, in points; the first is solid.
var dashes = [][]vg.Length{nil, {6, 2.5}, {1.5, 2}, {8, 2, 1.5, 2}, {3, 2}}

// style is how a series looks. Colour, shape and stroke differ together, so
// that series can be told apart in black and white too.
type style struct {
	color color.RGBA
	shape shape
	dash  []vg.Length
}

// styleOf is the look of the series at index i, distinct for each of MaxSeries.
func styleOf(i int, background bool) style {
	s := style{color: palette[i%len(palette)], shape: shapes[i%len(shapes)], dash: dashes[i%len(dashes)]}
	s.shape.hollow = i >= len(shapes)
	if background {
		s = style{color: faint, shape: shape{corners: 4, turn: math.Pi / 4, size: 0.8}}
	}
	return s
}

// shape is a regular polygon, or a star of as many rays, as the mark of a point.
type shape struct {
	corners int     // 0 for a circle
	turn    float64 // radians by which the first corner is turned from the right
	size    float64 // factor of the radius, so that all look equally large
	star    bool
	hollow  bool
}

var shapes = []shape{
	{size: 0.9},
	{corners: 4, turn: math.Pi / 4, size: 1.15},
	{corners: 3, turn: math.Pi / 2, size: 1.25},
	{corners: 4, size: 1.2},
	{corners: 3, turn: -math.Pi / 2, size: 1.25},
	{corners: 5, turn: math.Pi / 2, size: 1.4, star: true},
}

// DrawGlyph implements draw.GlyphDrawer. A hollow mark is filled with paper, so
// that its line does not run through it.
func (s shape) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, at vg.Point) {
	path := s.outline(at, float64(sty.Radius)*s.size)
	if !s.hollow {
		c.SetColor(sty.Color)
		c.Fill(path)
		return
	}
	c.SetColor(paper)
	c.Fill(path)
	c.SetLineStyle(draw.LineStyle{Color: sty.Color, Width: 1.2})
	c.Stroke(path)
}

func (s shape) outline(at vg.Point, radius float64) vg.Path {
	var path vg.Path
	if s.corners == 0 {
		path.Move(vg.Point{X: at.X + vg.Length(radius), Y: at.Y})
		path.Arc(at, vg.Length(radius), 0, 2*math.Pi)
		path.Close()
		return path
	}
	n := s.corners
	if s.star {
		n *= 2
	}
	for i := range n {
		r := radius
		if s.star && i%2 == 1 {
			r *= 0.45
		}
		sin, cos := math.Sincos(s.turn + 2*math.Pi*float64(i)/float64(n))
		corner := vg.Point{X: at.X + vg.Length(r*cos), Y: at.Y + vg.Length(r*sin)}
		if i == 0 {
			path.Move(corner)
		} else {
			path.Line(corner)
		}
	}
	path.Close()
	return path
}
