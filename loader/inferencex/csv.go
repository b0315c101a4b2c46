package inferencex

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// The rows of /tco-feed come as CSV too (format=csv): the rows of the view that was
// asked for under a header, without what the JSON body says of the request. A record is
// read as the object that the JSON form has in its place.

// tcoFeed is the operation that answers in CSV.
const tcoFeed = "tco-feed"

// isTCOHeader tells the header of a feed by its first line: it has the hardware, and a
// tier of a workload or a score. Whatever further columns there are is kept.
func isTCOHeader(head []byte) bool {
	line, _, _ := bytes.Cut(head, newline)
	names, err := csv.NewReader(bytes.NewReader(line)).Read()
	if err != nil || !slices.Contains(names, "hardware") {
		return false
	}
	return slices.Contains(names, "score") || slices.Contains(names, "tier") && slices.Contains(names, "workload")
}

// scoreOfWorkload names the columns that have the scores of one workload each, which
// are the members of one object in the JSON form.
var scoreOfWorkload = regexp.MustCompile(`^score_([0-9]+x[0-9]+)$`)

// workloadScores is the key of that object.
const workloadScores = "workload_scores"

// csv reads a feed in CSV to its end.
func (b *bodyReader) csv() error {
	for !b.src.eof && b.src.more() {
	}
	switch {
	case b.src.err != nil:
		return b.src.fail(errShort)
	case !b.src.eof:
		return &fileError{1, "row-size", fmt.Sprintf("a feed in CSV has at most %d MiB", maxRowSize>>20)}
	case !utf8.Valid(b.src.rest()):
		return &fileError{1, "csv", "the file is not UTF-8"}
	}
	line := b.src.lineAt(b.src.pos) - 1 // that the reader does not see
	r := csv.NewReader(bytes.NewReader(b.src.rest()))
	r.FieldsPerRecord = -1 // a record with another number is refused by itself
	header, err := r.Read()
	if err != nil {
		return csvError(err, line)
	}
	for i, name := range header {
		if name == "" || slices.Contains(header[:i], name) {
			return &fileError{line + 1, "csv", "the header has no name for a column, or one twice"}
		}
	}
	rows := b.rows(b.tables["rows"], "rows")
	for position := 1; ; position++ {
		values, err := r.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return csvError(err, line)
		}
		at, _ := r.FieldPos(0)
		if err := b.record(rows, header, values, line+at, position); err != nil {
			return err
		}
	}
}

// csvError is what a file is refused with that breaks off or quotes wrongly.
func csvError(err error, line int) error {
	var malformed *csv.ParseError
	if errors.As(err, &malformed) {
		return &fileError{line + malformed.Line, "csv", "malformed CSV: " + malformed.Err.Error()}
	}
	return &fileError{line + 1, "csv", "malformed CSV: " + err.Error()}
}

// record hands on a record as a row.
func (b *bodyReader) record(rows *rows, header, values []string, line, position int) error {
	b.single = false
	if len(values) != len(header) {
		b.summary.Refused++
		b.summary.problem(b.path(position, ""), line, "csv", fmt.Sprintf("the record has %d fields, and the header %d", len(values), len(header)))
		return nil
	}
	text := recordObject(b.tables["rows"], header, values)
	if _, err := rows.whole(text); err != nil {
		return &fileError{line, "csv", err.Error()} // no value of it has this form
	}
	if !b.settle(text, line, position) {
		b.summary.Refused++
		return nil
	}
	b.summary.Rows++
	return rows.fn(&record.InferenceXRow{Position: position, Line: line})
}

// recordObject is a record as the JSON form has it. A field that is empty is null, as
// the publisher writes it; one that reads as a number is one, but for names.
func recordObject(t *record.InferenceXBodyTable, header, values []string) []byte {
	text, scores := []byte{'{'}, []byte(nil)
	member := func(to []byte, key, value string, isWord bool) []byte {
		if last := to[len(to)-1]; last != '{' {
			to = append(to, ',')
		}
		to = append(appendQuoted(to, key), ':')
		switch {
		case value == "":
			return append(to, "null"...)
		case !isWord && (isNumber(value) || value == "true" || value == "false"):
			return append(to, value...)
		}
		return appendQuoted(to, value)
	}
	for i, key := range header {
		if m := scoreOfWorkload.FindStringSubmatch(key); m != nil {
			if scores == nil {
				scores = []byte{'{'}
			}
			scores = member(scores, m[1], values[i], false)
			continue
		}
		text = member(text, key, values[i], slices.ContainsFunc(t.Columns, func(c record.InferenceXBodyColumn) bool {
			return c.Key == key && c.Type != record.BodyNumber && c.Type != record.BodyBool
		}))
	}
	if scores != nil {
		if len(text) > 1 {
			text = append(text, ',')
		}
		text = append(append(appendQuoted(text, workloadScores), ':'), append(scores, '}')...)
	}
	return append(text, '}')
}

// isNumber tells whether a text is a number as JSON writes it.
func isNumber(s string) bool {
	if !strings.ContainsAny(s[:1], "-0123456789") {
		return false
	}
	end, err := scanValue([]byte(s), 0, true, 0)
	return err == nil && end == len(s)
}
