package inferencex

import (
	"errors"
	"unicode/utf16"
	"unicode/utf8"
)

// maxDepth is the deepest nesting that is accepted. Real rows nest three deep.
const maxDepth = 512

// errShort says that the bytes end inside a value: more bytes may complete it.
var errShort = errors.New("the JSON ends inside a value")

// A syntaxError is a violation of the JSON grammar at an offset of the bytes scanned.
type syntaxError struct {
	off int
	msg string
}

func (e *syntaxError) Error() string { return e.msg }

func syntax(off int, msg string) error { return &syntaxError{off, msg} }

// skipSpace returns the index of the first byte at or after i that is no JSON white space.
func skipSpace(b []byte, i int) int {
	for i < len(b) {
		switch b[i] {
		case ' ', '\n', '\t', '\r':
			i++
		default:
			return i
		}
	}
	return i
}

// plainByte tells the bytes that stand for themselves in a JSON string and need
// no further look: printable ASCII but quote and backslash.
var plainByte = func() (t [256]bool) {
	for c := 0x20; c < 0x80; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()

// scanString validates the string whose opening quote is b[i] and returns the
// index after its closing quote. plain says that the text between the quotes is
// the string's value, with nothing to unescape.
func scanString(b []byte, i int) (end int, plain bool, err error) {
	plain = true
	for i++; i < len(b); {
		c := b[i]
		switch {
		case plainByte[c]:
			i++
		case c == '"':
			return i + 1, plain, nil
		case c == '\\':
			plain = false
			if i+1 >= len(b) {
				return 0, false, errShort
			}
			switch b[i+1] {
			case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
				i += 2
			case 'u':
				n, err := scanUnicodeEscape(b, i)
				if err != nil {
					return 0, false, err
				}
				i += n
			default:
				return 0, false, syntax(i, "a backslash in a string is followed by one of \" \\ / b f n r t u")
			}
		case c < 0x20:
			return 0, false, syntax(i, "a control character in a string must be escaped")
		default:
			r, n := utf8.DecodeRune(b[i:])
			if r == utf8.RuneError && n <= 1 {
				if !utf8.FullRune(b[i:]) {
					return 0, false, errShort
				}
				return 0, false, syntax(i, "a string must be UTF-8")
			}
			i += n
		}
	}
	return 0, false, errShort
}

// scanUnicodeEscape validates the \u escape at b[i], a surrogate pair as one,
// and returns its length. Half a pair is no text and is refused.
func scanUnicodeEscape(b []byte, i int) (int, error) {
	r, err := hex4(b, i+2)
	if err != nil {
		return 0, err
	}
	if !utf16.IsSurrogate(r) {
		return 6, nil
	}
	if len(b) < i+8 && hasPrefixOf(b[i+6:], `\u`) {
		return 0, errShort
	}
	if r < 0xDC00 && b[i+6] == '\\' && b[i+7] == 'u' {
		low, err := hex4(b, i+8)
		if err != nil {
			return 0, err
		}
		if utf16.DecodeRune(r, low) != utf8.RuneError {
			return 12, nil
		}
	}
	return 0, syntax(i, "a \\u escape is half of a surrogate pair, which is no character")
}

// hasPrefixOf tells whether b, cut short, may still become s.
func hasPrefixOf(b []byte, s string) bool { return len(b) < len(s) && s[:len(b)] == string(b) }

// hex4 returns the value of the four hexadecimal digits at b[i].
func hex4(b []byte, i int) (rune, error) {
	var r rune
	for j := i; j < i+4; j++ {
		if j >= len(b) {
			return 0, errShort
		}
		c := b[j]
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, syntax(j, "\\u takes four hexadecimal digits")
		}
		r = r<<4 | rune(c)
	}
	return r, nil
}

// appendUnquoted appends the value of a string that scanString accepted; s is
// the text between the quotes.
func appendUnquoted(dst, s []byte) []byte {
	for i := 0; i < len(s); {
		c := s[i]
		if c != '\\' {
			dst = append(dst, c)
			i++
			continue
		}
		switch c := s[i+1]; c {
		case 'b':
			dst = append(dst, '\b')
		case 'f':
			dst = append(dst, '\f')
		case 'n':
			dst = append(dst, '\n')
		case 'r':
			dst = append(dst, '\r')
		case 't':
			dst = append(dst, '\t')
		case 'u':
			r, _ := hex4(s, i+2)
			if utf16.IsSurrogate(r) {
				low, _ := hex4(s, i+8)
				r = utf16.DecodeRune(r, low)
				i += 6
			}
			dst = utf8.AppendRune(dst, r)
			i += 4
		default:
			dst = append(dst, c)
		}
		i += 2
	}
	return dst
}

// scanLiteral validates true, false or null at b[i] and returns the index after it.
func scanLiteral(b []byte, i int) (int, error) {
	var lit string
	switch b[i] {
	case 't':
		lit = "true"
	case 'f':
		lit = "false"
	default:
		lit = "null"
	}
	if len(b)-i < len(lit) {
		if hasPrefixOf(b[i:], lit) {
			return 0, errShort
		}
		return 0, syntax(i, "a value is an object, an array, a string, a number, true, false or null")
	}
	if string(b[i:i+len(lit)]) != lit {
		return 0, syntax(i, "a value is an object, an array, a string, a number, true, false or null")
	}
	return i + len(lit), nil
}

// scanValue validates the value that starts at b[i], which is no white space,
// and returns the index after it. A number that ends with the bytes is short,
// for more digits may follow, unless final.
func scanValue(b []byte, i int, final bool, depth int) (int, error) {
	if i >= len(b) {
		return 0, errShort
	}
	switch b[i] {
	case '"':
		end, _, err := scanString(b, i)
		return end, err
	case '{':
		return scanObject(b, i, final, depth+1)
	case '[':
		return scanArray(b, i, final, depth+1)
	case 't', 'f', 'n':
		return scanLiteral(b, i)
	default:
		_, end, err := scanNumber(b, i)
		if err == errShort && final && wholeNumber(b[i:]) {
			return len(b), nil
		}
		return end, err
	}
}

func scanObject(b []byte, i int, final bool, depth int) (int, error) {
	if depth > maxDepth {
		return 0, syntax(i, "nested deeper than 512 levels")
	}
	i = skipSpace(b, i+1)
	if i < len(b) && b[i] == '}' {
		return i + 1, nil
	}
	for {
		_, next, err := scanKey(b, i)
		if err != nil {
			return 0, err
		}
		if i, err = scanValue(b, next, final, depth); err != nil {
			return 0, err
		}
		more, next, err := scanSeparator(b, i, '}')
		if !more {
			return next, err
		}
		i = next
	}
}

func scanArray(b []byte, i int, final bool, depth int) (int, error) {
	if depth > maxDepth {
		return 0, syntax(i, "nested deeper than 512 levels")
	}
	i = skipSpace(b, i+1)
	if i < len(b) && b[i] == ']' {
		return i + 1, nil
	}
	for {
		var err error
		if i, err = scanValue(b, i, final, depth); err != nil {
			return 0, err
		}
		more, next, err := scanSeparator(b, i, ']')
		if !more {
			return next, err
		}
		i = next
	}
}

// scanKey validates a key and its colon at b[i] and returns the index after
// the key and that of the value's first byte, which may be len(b).
func scanKey(b []byte, i int) (keyEnd, value int, err error) {
	if i >= len(b) {
		return 0, 0, errShort
	}
	if b[i] != '"' {
		return 0, 0, syntax(i, "a key is a string in double quotes")
	}
	if keyEnd, _, err = scanString(b, i); err != nil {
		return 0, 0, err
	}
	value, err = scanColon(b, keyEnd)
	return keyEnd, value, err
}

// scanColon expects a colon at or after b[i] and returns the index of the value behind it.
func scanColon(b []byte, i int) (int, error) {
	i = skipSpace(b, i)
	if i >= len(b) {
		return 0, errShort
	}
	if b[i] != ':' {
		return 0, syntax(i, "a key is followed by a colon")
	}
	return skipSpace(b, i+1), nil
}

// scanSeparator expects a comma or the closing bracket at or after b[i]. After a
// comma more is true and next the index of what follows it; else next is the
// index after the bracket.
func scanSeparator(b []byte, i int, closing byte) (more bool, next int, err error) {
	i = skipSpace(b, i)
	if i >= len(b) {
		return false, 0, errShort
	}
	switch b[i] {
	case ',':
		return true, skipSpace(b, i+1), nil
	case closing:
		return false, i + 1, nil
	}
	if closing == '}' {
		return false, 0, syntax(i, "a value in an object is followed by a comma or a closing brace")
	}
	return false, 0, syntax(i, "a value in an array is followed by a comma or a closing bracket")
}
