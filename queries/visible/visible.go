// Package visible shows values: text of any origin, harmless to look at, and
// numbers, the same in every output. It is not a quoting for any format: what
// shows the text still escapes what is special there.
package visible

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text is s with everything that does not print escaped as in Go, line feeds
// included: controls that steer a terminal, marks of direction, bytes that are
// no UTF-8.
func Text(s string) string {
	if Plain(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			quoted := strconv.QuoteRune(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		}
		i += n
	}
	return b.String()
}

// Plain reports whether s is printable ASCII only, as nearly every value is: then
// Text has nothing to do.
func Plain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// Number is the shortest text that reads back as x, which is finite; very small
// and very large numbers have an exponent.
func Number(x float64) string { return string(AppendNumber(nil, x)) }

// AppendNumber appends Number.
func AppendNumber(b []byte, x float64) []byte {
	format := byte('f')
	if abs := max(x, -x); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	return strconv.AppendFloat(b, x, format, -1, 64)
}
