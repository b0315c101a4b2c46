package inferencex

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

// parse runs a number through scanNumber and float.
func parse(t testing.TB, text string) (float64, bool) {
	t.Helper()
	n, end, err := scanNumber([]byte(text+","), 0)
	if err != nil || end != len(text) {
		t.Fatalf("scanNumber(%q) = end %d, %v", text, end, err)
	}
	return n.float([]byte(text))
}

func TestNumberIsTheDoubleOfItsText(t *testing.T) {
	check := func(text string) {
		t.Helper()
		want, err := strconv.ParseFloat(text, 64)
		got, ok := parse(t, text)
		if ok != (err == nil) || ok && math.Float64bits(got) != math.Float64bits(want) {
			t.Fatalf("%s: got %v %v, want %v %v", text, got, ok, want, err)
		}
	}
	for _, text := range []string{
		"0", "-0", "0.0", "1", "-1", "0.1", "123456789", "9007199254740993", "18446744073709551615", "18446744073709551616",
		"99999999999999999999", "0.00000000000000000000000000000000001", "1e22", "1e23", "1e308", "1e309", "1e999", "-1e999", "1e-400",
		"5e-324", "2.2250738585072014e-308", "1.7976931348623157e308", "1.7976931348623159e308", "0.00018973144668957918",
		"9007199254740992.5", "9007199254740993.0000000000000000000000000001", "0.500000000000000166533453693773481063544750213623046875",
		"1.00000000000000011102230246251565404236316680908203125", "123456.78901234e5", "0e0", "0e99999999999", "1E+2", "0.000000000000000000000000000",
	} {
		check(text)
	}
	rng := rand.New(rand.NewPCG(7, 8))
	for range 300_000 {
		switch rng.IntN(5) {
		case 0:
			check(strconv.FormatFloat(rng.Float64(), 'f', -1, 64))
		case 1:
			check(strconv.FormatFloat(rng.Float64()*math.Pow(10, float64(rng.IntN(40)-20)), 'g', -1, 64))
		case 2:
			check(strconv.FormatUint(rng.Uint64(), 10) + "." + strconv.FormatUint(rng.Uint64()>>rng.IntN(64), 10))
		case 3:
			check(strconv.FormatUint(rng.Uint64()>>rng.IntN(64), 10) + "e" + strconv.Itoa(rng.IntN(80)-40))
		case 4: // halfway between two doubles, and next to it
			half := math.Float64frombits(uint64(1023+rng.IntN(10))<<52 | rng.Uint64()>>12)
			check(strconv.FormatFloat(half, 'f', 52, 64) + "5")
		}
	}
}

func TestNumberGrammar(t *testing.T) {
	for _, text := range []string{"01", "-", "-a", "+1", ".5", "5.", "1e", "1e+", "1.e3", "00", "-01", "0x1", "NaN", "Infinity", "1_000"} {
		if _, end, err := scanNumber([]byte(text+","), 0); err == nil && end == len(text) {
			t.Errorf("%s was accepted", text)
		}
	}
}

func TestInteger(t *testing.T) {
	for text, want := range map[string]int64{"8": 8, "8.0": 8, "8e0": 8, "-3": -3, "1e3": 1000, "9007199254740991": 9007199254740991} {
		n, _, err := scanNumber([]byte(text+","), 0)
		if got, ok := n.integer([]byte(text)); err != nil || !ok || got != want {
			t.Errorf("%s: got %d %v %v", text, got, ok, err)
		}
	}
	for _, text := range []string{"8.5", "1e999", "9007199254740993", "99999999999999999999999"} {
		n, _, _ := scanNumber([]byte(text+","), 0)
		if got, ok := n.integer([]byte(text)); ok {
			t.Errorf("%s: got %d", text, got)
		}
	}
}
