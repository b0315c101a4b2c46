package record

import (
	"bytes"
	"strconv"
)

// ShiftDecimal multiplies v by 10^places as one shifts a decimal point: the
// exponent of the shortest text that denotes v is moved and the text read
// again. Multiplying the double differs from that in one value of nine. ok is
// false where v is not finite or the result is beyond a double.
func ShiftDecimal(v float64, places int) (shifted float64, ok bool) {
	var buf [32]byte
	b := strconv.AppendFloat(buf[:0], v, 'e', -1, 64)
	e := bytes.LastIndexByte(b, 'e')
	if e < 0 {
		return 0, false
	}
	exponent, err := strconv.Atoi(string(b[e+1:]))
	if err != nil {
		return 0, false
	}
	b = strconv.AppendInt(b[:e+1], int64(exponent+places), 10)
	shifted, err = strconv.ParseFloat(string(b), 64)
	return shifted, err == nil
}
