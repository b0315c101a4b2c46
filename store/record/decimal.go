package record

import (
	"bytes"
	"math"
	"math/bits"
	"strconv"
)

// ShiftDecimal multiplies v by 10^places as one shifts a decimal point: the
// exponent of the shortest text that denotes v is moved and the text read
// again. Multiplying the double differs from that in one value of nine. ok is
// false where v is not finite or the result is beyond a double.
func ShiftDecimal(v float64, places int) (shifted float64, ok bool) {
	if digits, exp, ok := shortest(math.Abs(v)); ok {
		if shifted, ok := FromDecimal(digits, exp+places); ok {
			return math.Copysign(shifted, v), true
		}
	}
	var buf [32]byte
	b := strconv.AppendFloat(buf[:0], v, 'e', -1, 64) // -d.ddde±dd
	e := bytes.LastIndexByte(b, 'e')
	if e < 0 {
		return 0, false
	}
	exponent, err := strconv.Atoi(string(b[e+1:]))
	if err != nil {
		return 0, false
	}
	var digits uint64
	behind := -1 // digits behind the point, plus the one before it
	for _, c := range b[:e] {
		if c-'0' < 10 {
			digits = digits*10 + uint64(c-'0')
			behind++
		}
	}
	if shifted, ok = FromDecimal(digits, exponent-behind+places); ok {
		return math.Copysign(shifted, v), true
	}
	b = strconv.AppendInt(b[:e+1], int64(exponent+places), 10)
	shifted, err = strconv.ParseFloat(string(b), 64)
	return shifted, err == nil
}

// shortest returns the shortest decimal that denotes v, which is digits times
// 10^exp, as strconv does. It works in whole numbers on doubles of ordinary size.
// ok is false for all others, and where two decimals are equally good.
//
// v·10^k is made to have 17 digits, which is enough to tell any double. What
// denotes v is nearer to it than half the distance of two doubles. Of the
// multiples of 1, 10, 100 and so on the nearest to v is tried, until one is too far.
func shortest(v float64) (digits uint64, exp int, ok bool) {
	b := math.Float64bits(v)
	mant, e2 := b&(1<<52-1)|1<<52, int(b>>52)-1075 // v = mant·2^e2
	if v < 1e-9 || v > 1e15 || mant == 1<<52 {     // below a power of two doubles are closer
		return 0, 0, false
	}
	k := 16 - (e2+52)*78913>>18 // log10(2) is 78913/2^18, rounded down: 17 digits, or 18
	// In units of 2^-point, v·10^k is mant·5^k·2 and half a distance 5^k.
	point := 1 - e2 - k
	if k < 0 || k >= len(powersOf5) || point < 1 || point > 63 {
		return 0, 0, false
	}
	half := powersOf5[k]
	hi, lo := bits.Mul64(mant<<1, half)
	whole, part := hi<<(64-point)|lo>>point, lo&(1<<point-1)
	for exp, unit := -k, uint64(1); ; exp, unit = exp+1, unit*10 {
		over := whole % unit
		down, up := raise(over, point), raise(unit-over, point)
		down, up = down|part, up-part
		switch {
		case min(down, up) > half:
			return digits, exp - 1, digits > 0
		case down == up || min(down, up) == half:
			return 0, 0, false
		case down < up:
			digits = whole / unit
		default:
			digits = whole/unit + 1
		}
	}
}

// raise returns n times 2^point, and 2^64-1 for more.
func raise(n uint64, point int) uint64 {
	if n>>(64-point) != 0 {
		return math.MaxUint64
	}
	return n << point
}

// FromDecimal returns the double nearest to digits times 10^exp, ties to even.
// ok is false where it takes more than one exact operation to find it: then
// strconv.ParseFloat does.
func FromDecimal(digits uint64, exp int) (f float64, ok bool) {
	if f, ok = clinger(digits, exp); ok {
		return f, true
	}
	return quotient(digits, -exp)
}

// exactPowers are the powers of ten that a double holds exactly.
var exactPowers = [...]float64{
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
}

// clinger converts where digits and power of ten are both exact doubles, so
// that one division or multiplication rounds once.
func clinger(digits uint64, exp int) (float64, bool) {
	if digits >= 1<<53 || exp < -22 || exp > 22 {
		return 0, false
	}
	if exp < 0 {
		return float64(digits) / exactPowers[-exp], true
	}
	return float64(digits) * exactPowers[exp], true
}

// powersOf5 are the powers of five that 64 bits hold.
var powersOf5 = func() (t [28]uint64) {
	t[0] = 1
	for i := 1; i < len(t); i++ {
		t[i] = t[i-1] * 5
	}
	return t
}()

// quotient converts digits of which up to 27 stand behind the point by one exact
// division: m/10^k is m/5^k times a power of two, and a quotient of at least 63
// bits with its remainder decides the rounding to 53 bits.
func quotient(digits uint64, behind int) (float64, bool) {
	if behind < 0 || behind >= len(powersOf5) || digits == 0 {
		return 0, false
	}
	d := powersOf5[behind]
	shiftD := bits.LeadingZeros64(d)
	shiftM := bits.LeadingZeros64(digits)
	m := digits << shiftM
	q, rem := bits.Div64(m>>1, m<<63, d<<shiftD) // m·2^63 / d
	shiftQ := bits.LeadingZeros64(q)
	q <<= shiftQ
	mant, tail := q>>11, q&(1<<11-1)
	const half = 1 << 10
	if tail > half || tail == half && (rem != 0 || mant&1 == 1) {
		mant++
	}
	exp := shiftD - shiftM - behind - 63 - shiftQ + 11
	return float64(mant) * math.Float64frombits(uint64(exp+1023)<<52), true // a power of two: exact
}
