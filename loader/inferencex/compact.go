package inferencex

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// appendCompact appends a validated JSON value without white space between its tokens.
func appendCompact(dst, src []byte) []byte {
	inString := false
	for i := 0; i < len(src); i++ {
		c := src[i]
		switch {
		case inString:
			dst = append(dst, c)
			if c == '\\' {
				i++
				dst = append(dst, src[i])
			} else if c == '"' {
				inString = false
			}
		case c == ' ' || c == '\n' || c == '\t' || c == '\r':
		default:
			dst = append(dst, c)
			inString = c == '"'
		}
	}
	return dst
}

// A field is a key of an object with its value's text.
type field struct {
	key string
	raw []byte // the value as written
	off int    // of the value in the bytes scanned
}

// fields splits the validated object at b[0] into its fields, in order.
func fields(b []byte) []field { return firstFields(b, len(b)) }

// firstFields are the first fields of an object, no more than most.
func firstFields(b []byte, most int) []field {
	var list []field
	i := skipSpace(b, 1)
	for b[i] != '}' && len(list) < most {
		keyEnd, value, _ := scanKey(b, i)
		end, _ := scanValue(b, value, true, 0)
		list = append(list, field{unquote(b[i:keyEnd]), b[value:end], value})
		i = skipSpace(b, end)
		if b[i] == ',' {
			i = skipSpace(b, i+1)
		}
	}
	return list
}

// unquote returns the value of a validated string with its quotes.
func unquote(quoted []byte) string {
	text := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(text, '\\') < 0 {
		return string(text)
	}
	return string(appendUnquoted(nil, text))
}

// appendCanonical appends a validated JSON value in the one form that equal
// values share: no white space, keys sorted by their bytes, numbers as the
// shortest text of their double (beyond a double: as written), strings with
// only the escapes JSON demands. Names in the warehouse depend on it: it never changes.
func appendCanonical(dst, b []byte) []byte {
	switch b[0] {
	case '{':
		list := fields(b)
		slices.SortStableFunc(list, func(x, y field) int { return strings.Compare(x.key, y.key) })
		dst = append(dst, '{')
		for i, f := range list {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendQuoted(dst, f.key), ':')
			dst = appendCanonical(dst, f.raw)
		}
		return append(dst, '}')
	case '[':
		dst = append(dst, '[')
		i := skipSpace(b, 1)
		for first := true; b[i] != ']'; first = false {
			if !first {
				dst = append(dst, ',')
			}
			end, _ := scanValue(b, i, true, 0)
			dst = appendCanonical(dst, b[i:end])
			i = skipSpace(b, end)
			if b[i] == ',' {
				i = skipSpace(b, i+1)
			}
		}
		return append(dst, ']')
	case '"':
		return appendQuoted(dst, unquote(b))
	case 't', 'f', 'n':
		return append(dst, b...)
	}
	f, err := strconv.ParseFloat(string(b), 64)
	if err != nil {
		return append(dst, b...)
	}
	if f == 0 {
		f = 0 // -0 is 0
	}
	return strconv.AppendFloat(dst, f, 'g', -1, 64)
}

// appendQuoted appends s as a JSON string.
func appendQuoted(dst []byte, s string) []byte {
	const digits = "0123456789abcdef"
	dst = append(dst, '"')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c < 0x20:
			dst = append(dst, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}

// quoteWord quotes a word of the data for a message, shortened to 40 characters.
func quoteWord(s string) string {
	if utf8.RuneCountInString(s) > 40 {
		s = string([]rune(s)[:40]) + "…"
	}
	return strconv.Quote(s)
}

// compactObject sorts fields by key and returns a compact object of them; "" for none.
func compactObject(list []field) string {
	if len(list) == 0 {
		return ""
	}
	slices.SortStableFunc(list, func(x, y field) int { return strings.Compare(x.key, y.key) })
	dst := []byte{'{'}
	for i, f := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendQuoted(dst, f.key), ':')
		dst = appendCompact(dst, f.raw)
	}
	return string(append(dst, '}'))
}
