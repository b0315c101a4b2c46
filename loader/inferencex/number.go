package inferencex

import (
	"encoding/binary"
	"math"
	"strconv"
	"unsafe"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// A number is a JSON number as scanned: its decimal digits as one integer and
// the power of ten they are to be multiplied by. Where exact is false, digits
// were left out and only the text tells the value.
type number struct {
	mant  uint64
	exp   int
	neg   bool
	exact bool
	frac  bool // written with a fraction or an exponent
}

// scanNumber validates the number at b[i] against the JSON grammar and returns
// it with the index after it. A number that ends with b is errShort.
func scanNumber(b []byte, i int) (n number, end int, err error) {
	start := i
	n.exact = true
	if b[i] == '-' {
		n.neg = true
		i++
	}
	if i >= len(b) {
		return n, 0, errShort
	}
	first := i
	switch c := b[i]; {
	case c == '0':
		i++
		if i < len(b) && b[i]-'0' < 10 {
			return n, 0, syntax(start, "a number has no leading zero")
		}
	case c-'1' < 9:
		for i < len(b) && b[i]-'0' < 10 {
			n.mant = n.mant*10 + uint64(b[i]-'0')
			i++
		}
	case n.neg:
		return n, 0, syntax(start, "a minus sign is followed by a digit")
	default:
		return n, 0, syntax(start, "a value is an object, an array, a string, a number, true, false or null")
	}
	digits := i - first
	if i < len(b) && b[i] == '.' {
		n.frac = true
		i++
		from := i
		mant := n.mant
		for len(b)-i >= 8 {
			v := binary.LittleEndian.Uint64(b[i:])
			if !eightDigits(v) {
				break
			}
			mant = mant*1e8 + valueOfEight(v)
			i += 8
		}
		for i < len(b) && b[i]-'0' < 10 {
			mant = mant*10 + uint64(b[i]-'0')
			i++
		}
		n.mant = mant
		if i == from {
			if i >= len(b) {
				return n, 0, errShort
			}
			return n, 0, syntax(i, "a decimal point is followed by a digit")
		}
		n.exp = from - i
		digits += i - from
	}
	if digits > 19 {
		n.exact = significant(b[first:i]) <= 19
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		n.frac = true
		i++
		neg := false
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			neg = b[i] == '-'
			i++
		}
		from := i
		e := 0
		for i < len(b) && b[i]-'0' < 10 {
			if e < 1e6 {
				e = e*10 + int(b[i]-'0')
			}
			i++
		}
		if i == from {
			if i >= len(b) {
				return n, 0, errShort
			}
			return n, 0, syntax(i, "an exponent has a digit")
		}
		if neg {
			e = -e
		}
		n.exp += e
	}
	if i >= len(b) {
		return n, 0, errShort
	}
	return n, i, nil
}

// eightDigits tells whether the eight bytes of v are all decimal digits: a high
// nibble of 3, also after adding 6 to the low one.
func eightDigits(v uint64) bool {
	const high = 0xF0F0F0F0F0F0F0F0
	return v&high|(v+0x0606060606060606)&high>>4 == 0x3333333333333333
}

// valueOfEight returns the number that eight digits denote, the first in the
// lowest byte, by adding neighbours pairwise: digits to pairs, pairs to fours,
// fours to eight.
func valueOfEight(v uint64) uint64 {
	v -= 0x3030303030303030
	v = (v*10 + v>>8) & 0x00FF00FF00FF00FF
	v = (v*100 + v>>16) & 0x0000FFFF0000FFFF
	return (v*10000 + v>>32) & 0xFFFFFFFF
}

// significant counts the digits from the first that is not 0.
func significant(b []byte) int {
	n := 0
	for _, c := range b {
		if c != '.' && (n > 0 || c != '0') {
			n++
		}
	}
	return n
}

// wholeNumber tells whether b, all of it, is a JSON number.
func wholeNumber(b []byte) bool {
	var text [64]byte
	_, end, err := scanNumber(append(append(text[:0], b...), ' '), 0)
	return err == nil && end == len(b)
}

// float returns the double that the number's text denotes, rounded to nearest
// even as strconv.ParseFloat does; ok is false where it is beyond a double.
func (n number) float(text []byte) (f float64, ok bool) {
	if n.exact {
		if f, ok = record.FromDecimal(n.mant, n.exp); ok {
			if n.neg {
				f = -f
			}
			return f, true
		}
	}
	f, err := strconv.ParseFloat(unsafe.String(unsafe.SliceData(text), len(text)), 64)
	return f, err == nil
}

// integer returns the number if it is one and fits 53 bits; 8.0 and 8e0 are integers.
func (n number) integer(text []byte) (int64, bool) {
	if !n.frac && n.exact && n.mant < 1<<53 {
		if n.neg {
			return -int64(n.mant), true
		}
		return int64(n.mant), true
	}
	f, ok := n.float(text)
	if !ok || f != math.Trunc(f) || math.Abs(f) >= 1<<53 {
		return 0, false
	}
	return int64(f), true
}
