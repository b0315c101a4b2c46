// Package plot makes pictures of measurements: it reads rows by its own and the
// program's named queries, arranges them as a Figure, and draws that as SVG or
// PNG with gonum.org/v1/plot.
//
// It computes nothing that a query can: a picture's numbers are the database's.
// The one design choice: a Figure is plain data, complete before anything is
// drawn, so that one drawing serves every picture, both formats and the page
// of package page. Equal figures give equal bytes: there is no clock, no order
// of a map, and no font of the machine in a picture.
package plot

import (
	"fmt"
	"math"
	"time"
)

// Figure is a picture before it is drawn.
type Figure struct {
	Title    string
	Subtitle string   // what all series have in common; may be empty
	Series   []Series // in the order of the legend
	Panels   []Panel  // at least one, beside one another
	Notes    []string // beneath the picture: how to read it, what it leaves out, sources
}

// Series is an entry of the legend.
type Series struct {
	Name  string
	Faint bool // background, such as what is grouped as others
}

// Panel is a pair of axes with what is drawn between them.
type Panel struct {
	X, Y  Axis
	Lines []Line
	Marks []Mark
}

// Line is the points of a series in a panel, in the order in which they are joined.
type Line struct {
	Series int // index in Figure.Series
	Points []Point
	Loose  bool // points only, not joined
}

// Point is a place in a panel.
type Point struct {
	X, Y   float64
	Spread float64 // half the length of the error bar, in Y; 0 for none
	Behind bool    // drawn faint and not joined
	Label  string  // what a reader is told who points at it
	Tag    string  // short text beside it, where there is room
	Run    string  // whose point it is
	Point  string  // its name in the run
}

// Mark is a vertical line with a text at its head.
type Mark struct {
	X    float64
	Text string
}

// Scale is how an axis maps values.
type Scale int

// The scales. A day is counted from 1970-01-01 UTC.
const (
	Linear Scale = iota
	Log2
	Log10
	Days
)

// Axis is an axis of a panel.
type Axis struct {
	Label string // what it shows, its unit, and which direction is better
	Scale Scale
	Zero  bool     // a linear axis begins at 0
	Line  *float64 // a value that is drawn across the panel, nil for none
}

// Logarithmic makes the axis one of powers of ten, on which only values above 0
// have a place.
func (a *Axis) Logarithmic() {
	a.Scale, a.Zero = Log10, false
	a.Label += ", logarithmic"
}

// logarithmic reports whether only values above 0 have a place on the axis.
func (a *Axis) logarithmic() bool { return a.Scale == Log2 || a.Scale == Log10 }

// MaxSeries is how many series can be told apart in a picture.
const MaxSeries = 12

// check reports what keeps a figure from being drawn: no point, too many
// series, values that an axis has no place for.
func (f *Figure) check() error {
	if len(f.Series) > MaxSeries {
		return fmt.Errorf("%d series are too many to tell apart: a picture has at most %d", len(f.Series), MaxSeries)
	}
	points := 0
	for _, p := range f.Panels {
		for _, l := range p.Lines {
			for _, at := range l.Points {
				points++
				if err := place(&p.X, at.X); err != nil {
					return err
				}
				if err := place(&p.Y, at.Y); err != nil {
					return err
				}
			}
		}
	}
	if points == 0 {
		return ErrEmpty
	}
	return nil
}

// farthest is the largest value that an axis shows: no sum or quotient of what
// lies within is beyond a double.
const farthest = 1e150

func place(a *Axis, v float64) error {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return fmt.Errorf("%s: %v has no place on an axis", a.Label, v)
	case math.Abs(v) > farthest:
		return fmt.Errorf("%s: %v is too large for an axis", a.Label, v)
	case a.logarithmic() && v > 0 && v < 1/farthest:
		return fmt.Errorf("%s: %v is too small for a logarithmic axis", a.Label, v)
	case a.logarithmic() && v <= 0:
		return fmt.Errorf("%s: %v has no place on a logarithmic axis", a.Label, v)
	}
	return nil
}

// day is the number of a UTC day YYYY-MM-DD on an axis of days.
func day(text string) (float64, error) {
	t, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return 0, fmt.Errorf("%q is no day", text)
	}
	return float64(t.Unix()) / secondsPerDay, nil
}

const secondsPerDay = 24 * 60 * 60
