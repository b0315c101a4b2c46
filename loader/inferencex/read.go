package inferencex

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// Options say how a file is read.
type Options struct {
	// FileName is the file's name. A raw artifact may state its token lengths
	// only there (agg_dsr1_1k1k.json).
	FileName string
	// Dir is the directory that groups raw artifacts of one configuration into
	// a run; it becomes the rows' ArtifactRun. Its text is part of the run's identity.
	Dir string
	// Operation is what was asked for when the file was captured, as the ledger of
	// its folder says, where the content does not tell: see Kind.Asked. It is "" where
	// no ledger says so of these very bytes.
	Operation string
	// Strict makes every deviation from the reference an error.
	Strict bool
	// NewRow supplies the record for the next row; nil reads every row into one
	// record. A record is overwritten as a whole, but the memory of its Other is
	// used again. Everything else that a row points to is never written again.
	NewRow func() *record.InferenceXRow
	// Other gets the rows of operations that are no benchmark rows; nil drops them.
	Other func(record.InferenceXTableRow) error
}

func (o Options) newRow() func() *record.InferenceXRow {
	if o.NewRow != nil {
		return o.NewRow
	}
	row := new(record.InferenceXRow)
	return func() *record.InferenceXRow { return row }
}

// A Summary says what reading a file found. Rows + Refused is the number of rows in it.
type Summary struct {
	Kind     Kind
	Rows     int // rows that were handed on, failed points included
	Failed   int // of those, points without a successful request
	Refused  int // rows that cannot be used: each has a problem
	Drift    []Drift
	Problems []record.Problem // in the order of the file
}

func (s *Summary) problem(path string, line int, rule, message string) {
	s.Problems = append(s.Problems, record.Problem{Severity: record.Error, Path: path, Line: line, Rule: rule, Message: message})
}

// strict makes every deviation a problem, at its first position.
func (s *Summary) strict() {
	for _, d := range s.Drift {
		s.problem(d.Path, d.Line, "drift-"+d.Kind, d.message())
	}
}

// Read reads the benchmark rows of a file and hands them to fn one by one: an
// array of rows, rows on lines of their own, a single row, or an object that
// maps models to arrays of rows; plain or gzip, told by the first two bytes.
//
// A row that cannot be used is a problem of the summary, and reading goes on;
// malformed JSON is a problem that ends the reading. The error is fn's, or that
// of reading from r.
//
// The row belongs to fn until fn returns; see Options.NewRow to keep it.
func Read(r io.Reader, opts Options, fn func(*record.InferenceXRow) error) (Summary, error) {
	var sum Summary
	r, err := gunzip(r)
	if err != nil {
		sum.problem("", 0, "gzip", "the file begins like gzip and is none: "+err.Error())
		return sum, nil
	}
	src := newSource(r)
	d := newDecoder(opts, &sum, src)
	err = d.file(fn)
	sum.Drift = d.drifts.sorted()
	if opts.Strict {
		sum.strict()
	}
	var malformed *fileError
	if errors.As(err, &malformed) {
		sum.problem("", malformed.line, malformed.rule, malformed.msg)
		err = nil
	}
	if src.err != nil && src.err != io.ErrUnexpectedEOF && src.err != errBlank && !isGzipError(src.err) {
		return sum, fmt.Errorf("read %s: %w", opts.FileName, src.err)
	}
	return sum, err
}

// KindOf tells what a file is, as Read finds it, which goes by no more of it. What
// is the matter with the file, or with reading it, is for Read to say.
func KindOf(r io.Reader, fileName, operation string) Kind {
	r, err := gunzip(r)
	if err != nil {
		return ""
	}
	kind, _ := newSource(r).sniff(fileName, operation)
	return kind.Asked(operation)
}

// sniff tells what the file is from its first value's beginning, of which nothing is
// consumed. White space before it tells nothing, and is, save where the file may be a
// log, of which it is part.
func (s *source) sniff(fileName, operation string) (Kind, shape) {
	if operation != operationLog {
		s.peek()
	}
	for !s.eof && s.end-s.pos < 64<<10 && s.more() {
	}
	return sniff(s.rest(), fileName)
}

// gunzip returns the decompressed stream if r is gzip.
func gunzip(r io.Reader) (io.Reader, error) {
	br := bufio.NewReaderSize(r, 64<<10)
	for range 2 { // a compressed file, transferred compressed
		head, _ := br.Peek(2)
		if len(head) < 2 || head[0] != 0x1f || head[1] != 0x8b {
			return br, nil
		}
		z, err := gzip.NewReader(br)
		if err != nil {
			return nil, err
		}
		br = bufio.NewReaderSize(z, 64<<10)
	}
	return br, nil
}

func isGzipError(err error) bool {
	return errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) || isFlateError(err)
}

// file reads the whole file.
func (d *decoder) file(fn func(*record.InferenceXRow) error) error {
	src := d.src
	sniffed, shape := src.sniff(d.opts.FileName, d.opts.Operation)
	kind := sniffed.Asked(d.opts.Operation)
	d.summary.Kind = kind
	if !kind.Loadable() {
		if kind == "" && IsLogName(d.opts.FileName) {
			d.summary.problem("", 0, "not-rows", "this is text: where it is a server log, "+noLedger)
			return nil
		}
		if kind == "" {
			if err := d.malformedHead(); err != nil {
				return err
			}
		}
		rule := "not-rows"
		d.summary.problem("", 0, rule, kind.Refusal())
		return nil
	}
	other := d.opts.Other
	if other == nil {
		other = func(record.InferenceXTableRow) error { return nil }
	}
	if kind == operationLog && sniffed != operationLog {
		return d.logText(other)
	}
	if len(src.rest()) >= 3 && string(src.rest()[:3]) == string(byteOrderMark) {
		src.pos += 3
	}
	if kind.Bodied() {
		return d.body(kind, other)
	}
	rd := &rows{decoder: d, fn: fn, newRow: d.opts.newRow()}
	return rd.read(shape)
}

// read reads the rows of a file of a shape, and the file to its end.
func (r *rows) read(s shape) error {
	r.raw.row = r.newRow()
	var err error
	r.src.peek()
	switch s {
	case shapeArray:
		r.src.pos++
		err = r.array()
	case shapeKeyed:
		r.src.pos++
		err = r.keyed()
	default:
		return r.objects()
	}
	if err != nil {
		return err
	}
	return r.end()
}

// end holds that nothing follows the value that was read.
func (d *decoder) end() error {
	if _, more := d.src.peek(); more {
		return d.src.fail(syntax(0, "text follows the end of the JSON"))
	}
	if d.src.err != nil {
		return d.src.fail(errShort)
	}
	return nil
}

// malformedHead tells JSON that is broken from JSON of another kind: a file that
// begins as JSON and breaks in its first value, or is empty.
func (d *decoder) malformedHead() error {
	src := d.src
	c, ok := src.peek()
	if !ok && src.err != nil {
		return src.fail(errShort)
	}
	if !ok {
		return &fileError{1, "json", "the file is empty"}
	}
	if c != '{' && c != '[' {
		return nil
	}
	return src.scan(func(b []byte, final bool) (int, error) { return scanValue(b, 0, final, 0) })
}

// rows hands on the rows of a file.
type rows struct {
	*decoder
	fn       func(*record.InferenceXRow) error
	newRow   func() *record.InferenceXRow
	join     func(*rawRow)               // completes a dump's row from other tables
	whole    func(b []byte) (int, error) // decodes rows of a table that is no BenchmarkRow
	anyValue bool                        // such a row need not be an object
	texts    bool                        // the rows are texts, not objects
	raw      rawRow
	position int // of the last row, 1-based
	base     int // position before the first row of this array
}

// array reads the rest of an array whose bracket is consumed.
func (r *rows) array() error {
	c, ok := r.src.peek()
	if ok && c == ']' {
		r.src.pos++
		return nil
	}
	for {
		if err := r.next(); err != nil {
			return err
		}
		if c, ok = r.src.peek(); !ok {
			return r.src.fail(errShort)
		}
		r.src.pos++
		switch c {
		case ',':
		case ']':
			return nil
		default:
			r.src.pos--
			return r.src.fail(syntax(0, "a value in an array is followed by a comma or a closing bracket"))
		}
		if _, ok = r.src.peek(); !ok {
			return r.src.fail(errShort)
		}
	}
}

// keyed reads the rest of an object of arrays whose brace is consumed.
func (r *rows) keyed() error {
	return r.members(func(key string, line int) error {
		r.prefix, r.base = key, r.position
		c, ok := r.src.peek()
		if !ok {
			return r.src.fail(errShort)
		}
		if c == '[' {
			r.src.pos++
			return r.array()
		}
		err := r.src.scan(func(b []byte, final bool) (int, error) { return scanValue(b, 0, final, 1) })
		if err == nil {
			r.summary.problem(key, line, "type", fmt.Sprintf("%s must be an array of rows, this is %s", quoteWord(key), typeName(c)))
		}
		return err
	})
}

// members reads the rest of an object whose brace is consumed; value reads the
// value of a key, which begins in a line.
func (d *decoder) members(value func(key string, line int) error) error {
	seen := map[string]bool{}
	for {
		c, ok := d.src.peek()
		if !ok {
			return d.src.fail(errShort)
		}
		if c == '}' && len(seen) == 0 {
			d.src.pos++
			return nil
		}
		var key string
		err := d.src.scan(func(b []byte, _ bool) (int, error) {
			keyEnd, value, err := scanKey(b, 0)
			if err == nil {
				key = unquote(b[:keyEnd])
			}
			return value, err
		})
		if err != nil {
			return err
		}
		line := d.src.lineAt(d.src.pos)
		if seen[key] {
			d.summary.problem(key, line, "duplicate-key", "the key stands twice in the file")
		}
		seen[key] = true
		if err := value(key, line); err != nil {
			return err
		}
		if c, ok = d.src.peek(); !ok {
			return d.src.fail(errShort)
		}
		switch c {
		case ',':
			d.src.pos++
		case '}':
			d.src.pos++
			return nil
		default:
			return d.src.fail(syntax(0, "a value in an object is followed by a comma or a closing brace"))
		}
	}
}

// objects reads a single row, or rows on lines of their own.
func (r *rows) objects() error {
	r.single = true
	r.src.peek()
	if end, err := scanValue(r.src.rest(), 0, r.src.eof, 0); err == nil {
		rest := r.src.rest()
		r.single = skipSpace(rest, end) == len(rest)
	}
	for {
		if err := r.next(); err != nil {
			return err
		}
		line := r.src.lineAt(r.src.pos)
		c, ok := r.src.peek()
		if !ok {
			if r.src.err != nil {
				return r.src.fail(errShort)
			}
			return nil
		}
		if c != '{' {
			return r.src.fail(syntax(0, "text follows the end of the JSON"))
		}
		if r.src.lineAt(r.src.pos) == line {
			return r.src.fail(syntax(0, "a row that follows another begins on a line of its own"))
		}
		r.single = false
	}
}

// next reads the value at the source's position, a row.
func (r *rows) next() error {
	line := r.src.lineAt(r.src.pos)
	r.position++
	c, _ := r.src.peek()
	opens, must := byte('{'), "an object"
	if r.texts {
		opens, must = '"', "a text"
	}
	if c != opens && !r.anyValue {
		err := r.src.scan(func(b []byte, final bool) (int, error) { return scanValue(b, 0, final, 1) })
		if err != nil {
			return err
		}
		r.summary.Refused++
		r.summary.problem(r.path(r.position-r.base, ""), line, "type", "a row must be "+must+", this is "+typeName(c))
		return nil
	}
	var usable bool
	err := r.src.scan(func(b []byte, final bool) (int, error) {
		n, err := r.decode(b)
		if err != nil {
			return 0, err
		}
		usable = r.settle(b[:n], line, r.position-r.base)
		return n, nil
	})
	if err != nil {
		return err
	}
	if !usable {
		r.summary.Refused++
		return nil
	}
	row := r.raw.row
	row.Position, row.Line = r.position, line
	r.summary.Rows++
	if row.Failed {
		r.summary.Failed++
	}
	if err := r.fn(row); err != nil {
		return err
	}
	r.raw.row = r.newRow()
	return nil
}

// decode decodes the row at b[0] and returns its length.
func (r *rows) decode(b []byte) (int, error) {
	switch {
	case r.whole != nil:
		return r.whole(b)
	case r.summary.Kind == KindArtifact:
		return r.artifact(r.raw.row, b)
	}
	n, err := r.row(&r.raw, b)
	if err != nil {
		return 0, err
	}
	r.finish(&r.raw, b[:n])
	if r.join != nil {
		r.join(&r.raw)
	}
	return n, nil
}

func isFlateError(err error) bool {
	var corrupt flate.CorruptInputError
	return errors.As(err, &corrupt)
}
