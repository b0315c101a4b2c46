package plot

import (
	"fmt"
	"html"
	"image"
	"image/color"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// svgCanvas is a vg.Canvas that writes SVG. The library has one too, which is
// not used for four reasons: it names a font without a substitute, so that
// text is as wide as it was laid out only where that font is installed; it has
// no titles, which tell values to who points at them; its colours cannot
// follow the theme of a page; and it is five times as long for one picture.
type svgCanvas struct {
	b      strings.Builder
	width  vg.Length
	height vg.Length
	themed bool // colours are those of the page (see Styles)
	now    svgState
	stack  []svgState
}

// svgState is what Push keeps and Pop restores.
type svgState struct {
	matrix [6]float64 // a b c d e f: x' = ax + cy + e, y' = bx + dy + f
	color  color.Color
	width  vg.Length
	dash   []vg.Length
	offset vg.Length
}

func newSVG(width, height vg.Length, themed bool) *svgCanvas {
	c := &svgCanvas{width: width, height: height, themed: themed}
	c.now.matrix = [6]float64{1, 0, 0, -1, 0, float64(height)} // its origin is the upper left corner
	vg.Initialize(c)
	return c
}

// Size implements vg.CanvasSizer.
func (c *svgCanvas) Size() (width, height vg.Length) { return c.width, c.height }

// The methods to Push implement vg.Canvas.

func (c *svgCanvas) SetLineWidth(w vg.Length) { c.now.width = w }

func (c *svgCanvas) SetLineDash(pattern []vg.Length, offset vg.Length) {
	c.now.dash, c.now.offset = pattern, offset
}

func (c *svgCanvas) SetColor(clr color.Color) {
	if clr == nil {
		clr = color.Black
	}
	c.now.color = clr
}

func (c *svgCanvas) Rotate(rad float64) {
	sin, cos := math.Sincos(rad)
	c.multiply([6]float64{cos, sin, -sin, cos, 0, 0})
}

func (c *svgCanvas) Translate(pt vg.Point) {
	c.multiply([6]float64{1, 0, 0, 1, float64(pt.X), float64(pt.Y)})
}

func (c *svgCanvas) Scale(x, y float64) { c.multiply([6]float64{x, 0, 0, y, 0, 0}) }

func (c *svgCanvas) Push() { c.stack = append(c.stack, c.now) }

func (c *svgCanvas) Pop() {
	c.now = c.stack[len(c.stack)-1]
	c.stack = c.stack[:len(c.stack)-1]
}

func (c *svgCanvas) multiply(n [6]float64) {
	m := c.now.matrix
	c.now.matrix = [6]float64{
		m[0]*n[0] + m[2]*n[1], m[1]*n[0] + m[3]*n[1],
		m[0]*n[2] + m[2]*n[3], m[1]*n[2] + m[3]*n[3],
		m[0]*n[4] + m[2]*n[5] + m[4], m[1]*n[4] + m[3]*n[5] + m[5],
	}
}

// at is a place of the canvas in the picture.
func (c *svgCanvas) at(x, y float64) (float64, float64) {
	m := c.now.matrix
	return m[0]*x + m[2]*y + m[4], m[1]*x + m[3]*y + m[5]
}

// Stroke implements vg.Canvas.
func (c *svgCanvas) Stroke(path vg.Path) {
	if c.now.width <= 0 || len(path) == 0 {
		return
	}
	fmt.Fprintf(&c.b, `<path d="%s" fill="none" %s stroke-width="%s"`, c.path(path), c.paint("stroke"), short(float64(c.now.width)))
	if len(c.now.dash) > 0 {
		lengths := make([]string, len(c.now.dash))
		for i, d := range c.now.dash {
			lengths[i] = short(float64(d))
		}
		fmt.Fprintf(&c.b, ` stroke-dasharray="%s"`, strings.Join(lengths, " "))
		if c.now.offset != 0 {
			fmt.Fprintf(&c.b, ` stroke-dashoffset="%s"`, short(float64(c.now.offset)))
		}
	}
	c.b.WriteString("/>\n")
}

// Fill implements vg.Canvas.
func (c *svgCanvas) Fill(path vg.Path) {
	if len(path) > 0 {
		fmt.Fprintf(&c.b, `<path d="%s" %s/>`+"\n", c.path(path), c.paint("fill"))
	}
}

// path is a path in SVG's letters.
func (c *svgCanvas) path(path vg.Path) string {
	var b strings.Builder
	point := func(letter string, x, y float64) {
		x, y = c.at(x, y)
		b.WriteString(letter + short(x) + " " + short(y))
	}
	for _, p := range path {
		x, y := float64(p.Pos.X), float64(p.Pos.Y)
		switch p.Type {
		case vg.MoveComp:
			point("M", x, y)
		case vg.LineComp:
			point("L", x, y)
		case vg.ArcComp:
			c.arc(&b, &p, point)
		case vg.CurveComp:
			letter := map[int]string{1: "Q", 2: "C"}[len(p.Control)]
			for _, q := range p.Control {
				point(letter, float64(q.X), float64(q.Y))
				letter = " "
			}
			point(" ", x, y)
		case vg.CloseComp:
			b.WriteString("Z")
		}
	}
	return b.String()
}

// arc writes an arc in pieces of at most a quarter, of which SVG's arcs are
// free of doubt.
func (c *svgCanvas) arc(b *strings.Builder, p *vg.PathComp, point func(string, float64, float64)) {
	r := float64(p.Radius)
	edge := func(angle float64) (float64, float64) {
		sin, cos := math.Sincos(angle)
		return float64(p.Pos.X) + r*cos, float64(p.Pos.Y) + r*sin
	}
	if b.Len() == 0 {
		x, y := edge(p.Start)
		point("M", x, y)
	}
	m := c.now.matrix
	scale := math.Sqrt(math.Abs(m[0]*m[3] - m[1]*m[2]))
	sweep := "0" // counterclockwise, as the picture's y goes down
	if (p.Angle < 0) == (m[0]*m[3]-m[1]*m[2] < 0) {
		sweep = "1"
	}
	n := max(1, int(math.Ceil(math.Abs(p.Angle)/(math.Pi/2)-1e-9)))
	for i := 1; i <= n; i++ {
		x, y := edge(p.Start + p.Angle*float64(i)/float64(n))
		fmt.Fprintf(b, "A%s %s 0 0 %s ", short(r*scale), short(r*scale), sweep)
		point("", x, y)
	}
}

// fontFamily begins with the font that text is measured in; the others have
// the same widths, but for the last.
const fontFamily = `"Liberation Sans",Arimo,Arial,Helvetica,sans-serif`

// FillString implements vg.Canvas. A text is given the width that it was laid
// out with, whatever font a reader has.
func (c *svgCanvas) FillString(f font.Face, pt vg.Point, text string) {
	if f.Font.Size <= 0 || text == "" {
		return
	}
	x, y := c.at(float64(pt.X), float64(pt.Y))
	fmt.Fprintf(&c.b, `<text x="%s" y="%s" font-size="%s" %s`, short(x), short(y), short(float64(f.Font.Size)), c.paint("fill"))
	if f.Font.Weight != 0 {
		c.b.WriteString(` font-weight="bold"`)
	}
	if m := c.now.matrix; m[1] != 0 || m[2] != 0 {
		fmt.Fprintf(&c.b, ` transform="rotate(%s %s %s)"`, short(math.Atan2(m[1], m[0])*180/math.Pi), short(x), short(y))
	}
	if len(text) > 3 {
		fmt.Fprintf(&c.b, ` textLength="%s" lengthAdjust="spacingAndGlyphs"`, short(float64(f.Width(text))))
	}
	c.b.WriteString(">" + html.EscapeString(text) + "</text>\n")
}

// DrawImage implements vg.Canvas. No picture of this package holds an image.
func (c *svgCanvas) DrawImage(vg.Rectangle, image.Image) {}

// theme is what a page calls a colour, "" for one that is the same in every theme.
func theme(n color.RGBA) string {
	switch n {
	case paper:
		return "paper"
	case ink:
		return "ink"
	case quiet:
		return "quiet"
	case grid:
		return "grid"
	case faint:
		return "faint"
	}
	if i := slices.Index(palette, n); i >= 0 {
		return "series-" + strconv.Itoa(i+1)
	}
	return ""
}

// Styles are the rules of a page's style sheet that give pictures of
// WriteInline their colours from the variables --paper, --ink, --quiet, --grid,
// --faint and --series-1 to --series-7.
func Styles() string {
	var b strings.Builder
	names := []string{"paper", "ink", "quiet", "grid", "faint"}
	for i := range palette {
		names = append(names, "series-"+strconv.Itoa(i+1))
	}
	for _, name := range names {
		fmt.Fprintf(&b, ".fill-%[1]s{fill:var(--%[1]s)}.stroke-%[1]s{stroke:var(--%[1]s)}\n", name)
	}
	return b.String()
}

// paint is the current colour as an attribute, fill or stroke.
func (c *svgCanvas) paint(attribute string) string {
	n := color.RGBAModel.Convert(c.now.color).(color.RGBA)
	if name := theme(n); c.themed && name != "" {
		return fmt.Sprintf(`class="%s-%s"`, attribute, name)
	}
	return fmt.Sprintf(`%s="#%02x%02x%02x"`, attribute, n.R, n.G, n.B)
}

// hover adds an unseen mark around a place, which tells text to who points at it.
func (c *svgCanvas) hover(at vg.Point, text string) {
	x, y := c.at(float64(at.X), float64(at.Y))
	fmt.Fprintf(&c.b, `<circle class="point" cx="%s" cy="%s" r="7" fill="transparent"><title>%s</title></circle>`+"\n", short(x), short(y), html.EscapeString(text))
}

// write writes the picture with its name and what it shows in words. width and
// height are those at which it is shown, in CSS pixels; 0 leaves them to the page.
func (c *svgCanvas) write(w io.Writer, width, height int, title, description string) error {
	size := ""
	if width > 0 {
		size = fmt.Sprintf(` width="%d" height="%d"`, width, height)
	}
	_, err := fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg"%s viewBox="0 0 %s %s" role="img" aria-label="%s" font-family='%s'>`+"\n<title>%s</title>\n<desc>%s</desc>\n%s</svg>\n",
		size, short(float64(c.width)), short(float64(c.height)), html.EscapeString(title), fontFamily, html.EscapeString(title), html.EscapeString(description), c.b.String())
	return err
}

// short is a length in points with at most two decimals, which no eye can tell
// from more and which are the same on every machine.
func short(v float64) string {
	text := strconv.FormatFloat(v, 'f', 2, 64)
	text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	if text == "-0" {
		return "0"
	}
	return text
}
