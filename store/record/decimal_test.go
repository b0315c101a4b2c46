package record

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// shiftText is ShiftDecimal by texts alone.
func shiftText(v float64, places int) (float64, bool) {
	digits, exponent, _ := strings.Cut(strconv.FormatFloat(v, 'e', -1, 64), "e")
	n, err := strconv.Atoi(exponent)
	if err != nil {
		return 0, false
	}
	f, err := strconv.ParseFloat(digits+"e"+strconv.Itoa(n+places), 64)
	return f, err == nil
}

func TestShiftDecimal(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	values := []float64{0, math.Copysign(0, -1), 1, -1, 0.1, 1e300, 1e308, 5e-324, 1e-310, math.MaxFloat64, 0.001, 123456789012345680, 9007199254740993, 4.35, 1e22, 1e23}
	for range 200_000 {
		values = append(values, rnd.Float64(), -100*rnd.Float64(), math.Float64frombits(rnd.Uint64()), math.Round(rnd.Float64()*1e6)/1e6, rnd.ExpFloat64()*1e-9)
	}
	for _, v := range values {
		for _, places := range []int{3, -3, 0, 6} {
			got, ok := ShiftDecimal(v, places)
			want, wantOK := shiftText(v, places)
			if ok != wantOK || ok && math.Float64bits(got) != math.Float64bits(want) {
				t.Fatalf("%v shifted by %d is %v, %v, want %v, %v", v, places, got, ok, want, wantOK)
			}
		}
	}
}

func TestFromDecimal(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	converted := 0
	for range 500_000 {
		digits, exp := rnd.Uint64()>>rnd.IntN(64), rnd.IntN(60)-35
		got, ok := FromDecimal(digits, exp)
		want, err := strconv.ParseFloat(strconv.FormatUint(digits, 10)+"e"+strconv.Itoa(exp), 64)
		if ok && (err != nil || got != want) {
			t.Fatalf("%de%d is %v, want %v", digits, exp, got, want)
		}
		if ok {
			converted++
		}
	}
	if converted < 100_000 {
		t.Errorf("only %d were converted", converted)
	}
}

func BenchmarkShiftDecimal(b *testing.B) {
	for b.Loop() {
		ShiftDecimal(0.05555477102476599, 3)
	}
}

func TestShortest(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	const tried = 500_000
	found := 0
	for range tried {
		v := math.Pow(10, 12*rnd.Float64()-6)
		if rnd.IntN(4) == 0 { // of few digits
			v = math.Round(v*1e4) / 1e4
		}
		digits, exp, ok := shortest(v)
		if !ok {
			continue
		}
		found++
		if want, err := strconv.ParseFloat(strconv.FormatUint(digits, 10)+"e"+strconv.Itoa(exp), 64); err != nil || want != v {
			t.Fatalf("%v is %de%d, which is %v", v, digits, exp, want)
		}
		text, _, _ := strings.Cut(strconv.FormatFloat(v, 'e', -1, 64), "e")
		if got := strings.TrimRight(strconv.FormatUint(digits, 10), "0"); got != strings.TrimRight(strings.Replace(text, ".", "", 1), "0") {
			t.Fatalf("%v has the digits %s, not %s", v, text, got)
		}
	}
	if found < tried*9/10 {
		t.Errorf("only %d of %d were found", found, tried)
	}
}
