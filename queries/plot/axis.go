package plot

import (
	"math"
	"strconv"
	"strings"
	"time"

	"gonum.org/v1/plot"
)

// logScale maps values above 0 by their logarithm; its base does not matter.
type logScale struct{}

func (logScale) Normalize(low, high, x float64) float64 {
	return (math.Log(x) - math.Log(low)) / (math.Log(high) - math.Log(low))
}

// bounds widens the range of values on an axis so that nothing lies on its
// ends, and a single value has room around it.
func (a *Axis) bounds(low, high float64) (float64, float64) {
	if a.logarithmic() {
		margin := math.Max(math.Exp(0.05*(math.Log(high)-math.Log(low))), 1.1)
		return low / margin, high * margin
	}
	if a.Zero {
		low = math.Min(low, 0)
	}
	span := high - low
	if span <= 1e-9*math.Abs(high) { // as good as one value
		span = math.Max(math.Abs(high), 1)
	}
	if a.Zero && low == 0 {
		return 0, high + 0.06*span
	}
	below := low - 0.05*span
	if low >= 0 { // no axis goes below 0 for values that cannot
		below = math.Max(0, below)
	}
	return below, high + 0.06*span
}

// ticks are where an axis has a line and a number: at most most of them, or
// the two that nothing can do without.
type ticks struct {
	scale Scale
	most  int
}

// Ticks implements plot.Ticker.
func (t ticks) Ticks(low, high float64) []plot.Tick {
	var values []float64
	label := number
	switch t.scale {
	case Log2:
		values = t.powers(low, high)
	case Log10:
		values = t.decades(low, high)
	case Days:
		values, label = t.days(low, high), date
	default:
		values = t.round(low, high)
	}
	all := make([]plot.Tick, len(values))
	for i, v := range values {
		all[i] = plot.Tick{Value: v, Label: label(v)}
	}
	return all
}

// round are multiples of 1, 2 or 5 times a power of ten.
func (t ticks) round(low, high float64) []float64 {
	if !(high > low) {
		return []float64{low}
	}
	step := math.Pow(10, math.Floor(math.Log10((high-low)/float64(max(t.most, 2)))))
	for _, by := range []float64{2, 2.5, 2} { // 1, 2, 5, 10 times the power
		if math.Floor(high/step)-math.Ceil(low/step)+1 <= float64(max(t.most, 2)) {
			break
		}
		step *= by
	}
	var values []float64
	first := math.Ceil(low / step)
	for n := 0.0; n <= float64(max(t.most, 2)) && (first+n)*step <= high; n++ {
		i := first + n
		if v := roundTo(i*step, step); v >= low && v <= high {
			values = append(values, v)
		}
	}
	return values
}

// roundTo takes away what the multiplication by a step has left at the end of a number.
func roundTo(v, step float64) float64 {
	digits := max(0, int(-math.Floor(math.Log10(step)))+1)
	clean, err := strconv.ParseFloat(strconv.FormatFloat(v, 'f', digits, 64), 64)
	if err != nil {
		return v
	}
	return clean
}

// powers are powers of two, every second or third where there are too many,
// and round numbers where there are none.
func (t ticks) powers(low, high float64) []float64 {
	first, last := math.Ceil(math.Log2(low)), math.Floor(math.Log2(high))
	if last-first < 1 {
		return t.round(low, high)
	}
	step := math.Ceil((last - first + 1) / float64(max(t.most, 2)))
	var values []float64
	for e := first; e <= last; e += step {
		values = append(values, math.Exp2(e))
	}
	return values
}

// decades are 1, 2 and 5 times powers of ten where there is room, else the
// powers alone, and round numbers where there is less than one decade.
func (t ticks) decades(low, high float64) []float64 {
	if math.Log10(high)-math.Log10(low) < math.Log10(4) {
		return t.round(low, high)
	}
	for _, within := range [][]float64{{1, 2, 5}, {1, 3}, {1}} {
		if values := decimals(low, high, within, 1); len(values) <= max(t.most, 2) && len(values) > 1 {
			return values
		}
	}
	for every := 2; ; every++ {
		if values := decimals(low, high, []float64{1}, every); len(values) <= max(t.most, 2) {
			return values
		}
	}
}

// decimals are the multiples of every every-th power of ten between low and high.
func decimals(low, high float64, multiples []float64, every int) (values []float64) {
	for e := int(math.Floor(math.Log10(low))); e <= int(math.Ceil(math.Log10(high))); e++ {
		if e%every != 0 {
			continue
		}
		for _, m := range multiples {
			v, err := strconv.ParseFloat(strconv.FormatFloat(m, 'f', 0, 64)+"e"+strconv.Itoa(e), 64)
			if err == nil && v >= low && v <= high {
				values = append(values, v)
			}
		}
	}
	return values
}

// days are whole days, as many days apart as there is room for.
func (t ticks) days(low, high float64) []float64 {
	step := math.Max(1, math.Ceil((high-low)/float64(max(t.most, 2))))
	for _, round := range []float64{1, 2, 7, 14, 28, 56, 91, 182, 364} {
		if round >= step {
			step = round
			break
		}
	}
	var values []float64
	for d := math.Ceil(low); d <= high; d += step {
		values = append(values, d)
	}
	return values
}

// date is the UTC day of a number of days since 1970.
func date(days float64) string {
	return time.Unix(int64(days*secondsPerDay), 0).UTC().Format(time.DateOnly)
}

// number is a number as it stands at an axis or in a legend: without
// exponent where that is short, thousands parted by a narrow space.
func number(v float64) string {
	if v == 0 {
		return "0" // also of what is written −0
	}
	if abs := math.Abs(v); abs < 1e-4 || abs >= 1e9 {
		return strconv.FormatFloat(v, 'g', 4, 64)
	}
	text := strconv.FormatFloat(v, 'f', -1, 64)
	whole, fraction, _ := strings.Cut(text, ".")
	sign := ""
	if strings.HasPrefix(whole, "-") {
		sign, whole = "−", whole[1:]
	}
	for i := len(whole) - 3; i > 0 && len(whole) > 4; i -= 3 {
		whole = whole[:i] + "\u202f" + whole[i:]
	}
	if fraction != "" {
		fraction = "." + fraction
	}
	return sign + whole + fraction
}

// precise is a number as a reader is told it who points at it: all of it, or
// six digits where it has more.
func precise(v float64) string {
	return number(significant(v, 6))
}

// brief is a number with two digits after the point at most.
func brief(v float64) string {
	return number(significant(v, 3))
}

// significant is v with at most so many significant digits.
func significant(v float64, digits int) float64 {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64)
	if err != nil {
		return v
	}
	return rounded
}
