package inferencex

import (
	"bytes"
	"fmt"
	"io"
)

const (
	blockSize  = 1 << 20  // bytes asked for at a time
	maxRowSize = 64 << 20 // bytes of one row; real rows have about 2,000
	minRead    = 64 << 10 // bytes gathered before the reader looks again
)

// A source is a stream seen through a buffer: buf[pos:end] is what was read and
// not yet consumed. What is consumed is given up when more is read, so memory
// stays at a block, or twice the longest row.
type source struct {
	r        io.Reader
	buf      []byte
	pos, end int
	eof      bool
	err      error // a read error, other than the end of the stream

	line    int // 1-based line of buf[linePos]
	linePos int
}

func newSource(r io.Reader) *source {
	return &source{r: r, buf: make([]byte, blockSize), line: 1}
}

// rest is what was read and not consumed.
func (s *source) rest() []byte { return s.buf[s.pos:s.end] }

// more reads further bytes behind those that are there. It reports false where
// there are none: at the end of the stream, or where a row exceeds maxRowSize.
func (s *source) more() bool {
	if s.eof || s.end-s.pos >= maxRowSize {
		return false
	}
	s.lineAt(s.pos)
	n := copy(s.buf, s.buf[s.pos:s.end])
	s.pos, s.end, s.linePos = 0, n, 0
	if n > len(s.buf)/2 {
		s.buf = append(s.buf, make([]byte, len(s.buf))...)
	}
	for empty := 0; s.end-n < minRead && s.end < len(s.buf); {
		m, err := s.r.Read(s.buf[s.end:min(len(s.buf), s.end+blockSize)])
		s.end += m
		if err != nil {
			s.eof = true
			if err != io.EOF {
				s.err = err
			}
			break
		}
		if m > 0 {
			empty = 0
		} else if empty++; empty == 100 {
			s.eof, s.err = true, io.ErrNoProgress
			break
		}
	}
	return s.end > n
}

// lineAt returns the 1-based line of buf[at], which is not before any position asked for earlier.
func (s *source) lineAt(at int) int {
	s.line += bytes.Count(s.buf[s.linePos:at], newline)
	s.linePos = at
	return s.line
}

var newline = []byte{'\n'}

// peek skips white space and returns the next byte, or ok false at the end, and
// where more white space follows than a row may have bytes.
func (s *source) peek() (c byte, ok bool) {
	for skipped := 0; ; {
		from := s.pos
		s.pos = skipSpace(s.buf[:s.end], s.pos)
		if s.pos < s.end {
			return s.buf[s.pos], true
		}
		if skipped += s.pos - from; skipped > maxRowSize {
			s.eof, s.err = true, errBlank
			return 0, false
		}
		if !s.more() {
			return 0, false
		}
	}
}

// errBlank ends the reading of white space without end, such as a small gzip file expands to.
var errBlank = fmt.Errorf("more than %d MiB of white space", maxRowSize>>20)

// A fileError ends the reading of a file: malformed JSON or a stream that fails.
type fileError struct {
	line int
	rule string
	msg  string
}

func (e *fileError) Error() string { return fmt.Sprintf("line %d: %s", e.line, e.msg) }

// fail turns an error of scanning s.rest() into a fileError. errShort means that
// the stream ended.
func (s *source) fail(err error) error {
	if e, ok := err.(*syntaxError); ok {
		at := s.pos + e.off
		return &fileError{s.line + bytes.Count(s.buf[s.linePos:at], newline), "json", "malformed JSON: " + e.msg}
	}
	line := s.line + bytes.Count(s.buf[s.linePos:s.end], newline)
	switch {
	case s.err != nil:
		return &fileError{line, "read", "the file cannot be read to its end: " + s.err.Error()}
	case !s.eof:
		return &fileError{s.line, "row-size", fmt.Sprintf("a value is longer than %d MiB, the most a row may have", maxRowSize>>20)}
	}
	return &fileError{line, "json", "malformed JSON: the file ends inside a value"}
}

// scan calls f on what is there until it has enough: f returns the number of
// bytes it consumed, or errShort to be called again with at least twice as many
// bytes, so that a long value costs no more than a multiple of its length.
// final says that nothing will follow.
func (s *source) scan(f func(b []byte, final bool) (int, error)) error {
	for {
		final := s.eof
		n, err := f(s.rest(), final)
		if err == nil {
			s.pos += n
			return nil
		}
		if err != errShort {
			return s.fail(err)
		}
		more := false
		for wanted := 2 * len(s.rest()); s.more(); {
			more = true
			if len(s.rest()) >= wanted {
				break
			}
		}
		if !more && (final || !s.eof) {
			return s.fail(errShort)
		}
	}
}
