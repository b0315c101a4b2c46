package fetch

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxDepth is how deep JSON may be nested, as in encoding/json.
const maxDepth = 10_000

var errDepth = errors.New("it is nested too deep")

// jsonScanner holds that what it reads is one JSON value, in memory that does not
// grow with the value: encoding/json holds whole strings, of which a small
// compressed body makes a gigabyte.
type jsonScanner struct{ r *bufio.Reader }

// document reads one value and the space around it, to the end.
func (s *jsonScanner) document() error {
	c, err := s.next()
	if err != nil {
		return err
	}
	if err := s.value(c, 0); err != nil {
		return err
	}
	switch c, err := s.next(); {
	case err == io.EOF:
		return nil
	case err != nil:
		return err
	default:
		return fmt.Errorf("something follows its end, character %q", c)
	}
}

// next is the next byte that is no space.
func (s *jsonScanner) next() (byte, error) {
	for {
		c, err := s.r.ReadByte()
		if err != nil || c != ' ' && c != '\n' && c != '\r' && c != '\t' {
			return c, err
		}
	}
}

func unexpected(c byte) error { return fmt.Errorf("invalid character %q", c) }

// value reads the rest of a value that begins with c.
func (s *jsonScanner) value(c byte, depth int) error {
	switch {
	case (c == '{' || c == '[') && depth == maxDepth:
		return errDepth
	case c == '{':
		return s.list('}', func(c byte) error { return s.member(c, depth+1) })
	case c == '[':
		return s.list(']', func(c byte) error { return s.value(c, depth+1) })
	case c == '"':
		return s.text()
	case c == 't':
		return s.word("rue")
	case c == 'f':
		return s.word("alse")
	case c == 'n':
		return s.word("ull")
	case c == '-' || isDigit(c):
		return s.number(c)
	}
	return unexpected(c)
}

// list reads the rest of an object or array: elements with commas between them, up to end.
func (s *jsonScanner) list(end byte, element func(c byte) error) error {
	c, err := s.next()
	if err != nil || c == end {
		return err
	}
	for {
		if err := element(c); err != nil {
			return err
		}
		if c, err = s.next(); err != nil || c == end {
			return err
		}
		if c != ',' {
			return unexpected(c)
		}
		if c, err = s.next(); err != nil {
			return err
		}
	}
}

// member reads the rest of a key, which begins with c, and its value.
func (s *jsonScanner) member(c byte, depth int) error {
	if c != '"' {
		return unexpected(c)
	}
	if err := s.text(); err != nil {
		return err
	}
	if c, err := s.next(); err != nil {
		return err
	} else if c != ':' {
		return unexpected(c)
	}
	c, err := s.next()
	if err != nil {
		return err
	}
	return s.value(c, depth)
}

// text reads the rest of a string.
func (s *jsonScanner) text() error {
	for {
		c, err := s.r.ReadByte()
		switch {
		case err != nil || c == '"':
			return err
		case c < ' ':
			return unexpected(c)
		case c != '\\':
			continue
		}
		if c, err = s.r.ReadByte(); err != nil {
			return err
		}
		switch {
		case c == 'u':
			for range 4 {
				if c, err = s.r.ReadByte(); err != nil {
					return err
				}
				if strings.IndexByte("0123456789abcdefABCDEF", c) < 0 {
					return unexpected(c)
				}
			}
		case strings.IndexByte(`"\/bfnrt`, c) < 0:
			return unexpected(c)
		}
	}
}

// word reads the rest of true, false or null.
func (s *jsonScanner) word(rest string) error {
	for i := range len(rest) {
		c, err := s.r.ReadByte()
		if err != nil {
			return err
		}
		if c != rest[i] {
			return unexpected(c)
		}
	}
	return nil
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// number reads the rest of a number that begins with c.
func (s *jsonScanner) number(c byte) (err error) {
	if c == '-' {
		if c, err = s.r.ReadByte(); err != nil {
			return err
		}
	}
	if !isDigit(c) {
		return unexpected(c)
	}
	if c != '0' { // no digit follows a leading zero
		s.skipDigits()
	}
	if s.peek() == '.' {
		s.r.ReadByte() // is there
		if err := s.digits(); err != nil {
			return err
		}
	}
	if c := s.peek(); c != 'e' && c != 'E' {
		return nil
	}
	s.r.ReadByte()
	if c := s.peek(); c == '+' || c == '-' {
		s.r.ReadByte()
	}
	return s.digits()
}

// peek is the next byte, 0 where there is none: the next read says why.
func (s *jsonScanner) peek() byte {
	b, err := s.r.Peek(1)
	if err != nil {
		return 0
	}
	return b[0]
}

// digits reads one digit or more.
func (s *jsonScanner) digits() error {
	c, err := s.r.ReadByte()
	if err != nil {
		return err
	}
	if !isDigit(c) {
		return unexpected(c)
	}
	s.skipDigits()
	return nil
}

func (s *jsonScanner) skipDigits() {
	for isDigit(s.peek()) {
		s.r.ReadByte()
	}
}
