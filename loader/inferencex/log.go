package inferencex

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// Texts of server logs may have hundreds of megabytes. They are read as they come
// and handed on in pieces, so that memory does not grow with them, and so that a
// search reads no more than a piece at a time.

// operationLog is the operation that answers with a log: as JSON that tells, or,
// where it was asked for as an attachment, as the text itself.
const operationLog = "server-log"

// sectionLog is the key of a body that the text of a log stands under.
const sectionLog = "serverLog"

// maxPiece is the most characters of a piece. A piece ends behind a line where
// it holds the end of one, else behind a word, so that few words are cut, and no
// credential in an ordinary log.
const maxPiece = 16 << 10

// nulShown stands for a NUL in the text of a piece: SQLite and most that reads it
// take a NUL for the end of a text. Where the NULs were is kept beside it.
const nulShown = "\u2400"

// pieces cuts a text into pieces.
type pieces struct {
	text  []byte // of the piece that is being filled
	chars int    // characters in it
	nuls  []int  // which of them are NULs, from 0
	first int64  // the place of its first character in the whole text, from 0
	emit  func(first int64, chars int, nuls []int, text string) error
}

// ascii adds ASCII characters without a NUL.
func (p *pieces) ascii(b []byte) error {
	for len(b) > 0 {
		n := min(len(b), maxPiece-p.chars)
		p.text, p.chars = append(p.text, b[:n]...), p.chars+n
		b = b[n:]
		if p.chars == maxPiece {
			if err := p.cut(); err != nil {
				return err
			}
		}
	}
	return nil
}

// rune adds a character.
func (p *pieces) rune(r rune) error {
	if r == 0 {
		p.nuls = append(p.nuls, p.chars)
		p.text = append(p.text, nulShown...)
	} else {
		p.text = utf8.AppendRune(p.text, r)
	}
	if p.chars++; p.chars < maxPiece {
		return nil
	}
	return p.cut()
}

// cut hands on the piece up to the end of its last line or word, and keeps what follows.
func (p *pieces) cut() error {
	end := bytes.LastIndexByte(p.text, '\n') + 1
	if end == 0 {
		end = bytes.LastIndexAny(p.text, " \t\r") + 1
	}
	if end == 0 {
		end = len(p.text)
	}
	chars := p.chars
	if end < len(p.text) {
		chars = utf8.RuneCount(p.text[:end])
	}
	nuls, _ := slices.BinarySearch(p.nuls, chars)
	if err := p.emit(p.first, chars, p.nuls[:nuls], string(p.text[:end])); err != nil {
		return err
	}
	p.text = p.text[:copy(p.text, p.text[end:])]
	p.nuls = p.nuls[:copy(p.nuls, p.nuls[nuls:])]
	for i := range p.nuls {
		p.nuls[i] -= chars
	}
	p.first, p.chars = p.first+int64(chars), p.chars-chars
	return nil
}

// end hands on what is left, and returns how many characters there were.
func (p *pieces) end() (int64, error) {
	total := p.first + int64(p.chars)
	if p.chars == 0 {
		return total, nil
	}
	return total, p.emit(p.first, p.chars, p.nuls, string(p.text))
}

// newPieces hands on pieces as rows of a table, under a section.
func (b *bodyReader) newPieces(t *record.InferenceXBodyTable, section string) *pieces {
	line := b.src.lineAt(b.src.pos)
	position := 0
	return &pieces{emit: func(first int64, chars int, nuls []int, text string) error {
		position++
		b.summary.Rows++
		var where any
		if len(nuls) > 0 {
			where = integerList(nuls)
		}
		row := &record.InferenceXBodyRow{Of: t, Values: []any{first, int64(chars), where, text}}
		row.InferenceXPlace = record.InferenceXPlace{Table: section, Position: position, Line: line}
		return b.fn(row)
	}}
}

func integerList(numbers []int) string {
	list := []byte{'['}
	for i, n := range numbers {
		if i > 0 {
			list = append(list, ',')
		}
		list = strconv.AppendInt(list, int64(n), 10)
	}
	return string(append(list, ']'))
}

// logString reads the JSON string at the source's position as the text of a log,
// and returns how many characters it has.
func (b *bodyReader) logString(t *record.InferenceXBodyTable) (int64, error) {
	p := b.newPieces(t, sectionLog)
	b.src.pos++ // the quote
	for {
		n, done, err := takeString(b.src.rest(), p)
		b.src.pos += n
		switch e := err.(type) {
		case nil:
		case *syntaxError:
			return 0, b.src.fail(e)
		default:
			return 0, err
		}
		if done {
			return p.end()
		}
		if !b.src.more() {
			return 0, b.src.fail(errShort)
		}
	}
}

// takeString takes what is whole of a JSON string, and tells whether its end was
// among it. The offset of a syntax error counts from what was taken.
func takeString(b []byte, p *pieces) (n int, done bool, err error) {
	for n < len(b) {
		plain := n
		for plain < len(b) && plainByte[b[plain]] {
			plain++
		}
		if plain > n {
			if err := p.ascii(b[n:plain]); err != nil {
				return n, false, err
			}
			n = plain
			continue
		}
		if b[n] == '"' {
			return n + 1, true, nil
		}
		size, err := unitOfString(b[n:])
		if err == errShort {
			return n, false, nil
		}
		if err != nil {
			return n, false, err
		}
		r, _ := utf8.DecodeRune(b[n : n+size])
		if b[n] == '\\' {
			var room [utf8.UTFMax]byte
			r, _ = utf8.DecodeRune(appendUnquoted(room[:0], b[n:n+size]))
		}
		if err := p.rune(r); err != nil {
			return n, false, err
		}
		n += size
	}
	return n, false, nil
}

// unitOfString is the length of the escape or of the character beyond ASCII at the
// start of b, which is within a JSON string.
func unitOfString(b []byte) (int, error) {
	switch c := b[0]; {
	case c == '\\' && len(b) < 2:
		return 0, errShort
	case c == '\\' && b[1] == 'u':
		return scanUnicodeEscape(b, 0)
	case c == '\\' && bytes.IndexByte([]byte(`"\/bfnrt`), b[1]) < 0:
		return 0, syntax(0, `a backslash in a string is followed by one of " \ / b f n r t u`)
	case c == '\\':
		return 2, nil
	case c < 0x20:
		return 0, syntax(0, "a control character in a string must be escaped")
	case c == 0x7f:
		return 1, nil
	}
	if !utf8.FullRune(b) {
		return 0, errShort
	}
	r, n := utf8.DecodeRune(b)
	if r == utf8.RuneError && n <= 1 {
		return 0, syntax(0, "a string must be UTF-8")
	}
	return n, nil
}

// logText reads a file that is the text of a log itself.
func (d *decoder) logText(fn func(record.InferenceXTableRow) error) error {
	b := &bodyReader{decoder: d, operation: operationLog, tables: record.InferenceXBodies(operationLog), fn: fn}
	p := b.newPieces(b.tables[sectionLog], sectionLog)
	for {
		n, err := takeText(d.src.rest(), p)
		d.src.pos += n
		if err != nil {
			return err
		}
		if !d.src.more() {
			break
		}
	}
	switch {
	case d.src.err != nil:
		return d.src.fail(errShort)
	case len(d.src.rest()) > 0:
		return &fileError{d.src.lineAt(d.src.pos), "encoding", "the text of a log must be UTF-8, as the publisher's database holds it"}
	}
	total, err := p.end()
	if err != nil {
		return err
	}
	return b.lone(b.tables[record.BodyItself], "", fmt.Appendf(nil, `{"%s":%d}`, sectionLog, total), 1)
}

// takeText takes what is whole and UTF-8 of a text.
func takeText(b []byte, p *pieces) (n int, err error) {
	for n < len(b) {
		plain := n
		for plain < len(b) && b[plain] < utf8.RuneSelf && b[plain] != 0 {
			plain++
		}
		if plain > n {
			if err := p.ascii(b[n:plain]); err != nil {
				return n, err
			}
			n = plain
			continue
		}
		r, size := utf8.DecodeRune(b[n:])
		if r == utf8.RuneError && size <= 1 {
			return n, nil
		}
		if err := p.rune(r); err != nil {
			return n, err
		}
		n += size
	}
	return n, nil
}

// log reads the text of a body, whose length is added to what the body itself says.
func (b *bodyReader) log(t *record.InferenceXBodyTable, line int, itself *[]byte) error {
	if c, _ := b.src.peek(); c != '"' {
		b.read[sectionLog] = false
		b.summary.problem(sectionLog, line, "type", sectionLog+" must be a string, this is "+typeName(c))
		return b.src.scan(func(text []byte, final bool) (int, error) { return scanValue(text, 0, final, 1) })
	}
	n, err := b.logString(t)
	if err != nil {
		return err
	}
	return b.addItself(itself, sectionLog, strconv.AppendInt(nil, n, 10), line)
}

// logUsable tells whether a body, which begins in a line, says which log it is of and where in it.
func (b *bodyReader) logUsable(line int) bool {
	if text, read := b.read[sectionLog]; read && !text { // which is told
		return false
	}
	if missing := missingOfLog(b.read); missing != "" {
		b.summary.problem(missing, line, "missing-key", "the body has no "+missing+": which log it is of, or where in it, is not known")
		return false
	}
	return true
}

// IsLogName tells a file that by its name is text, as logs and attachments of them are.
func IsLogName(fileName string) bool {
	return slices.Contains([]string{".txt", ".log", ".out"}, strings.ToLower(filepath.Ext(fileName)))
}

// missingOfLog is the first key that a body of server-log lacks, "" for none: a
// chunk has what tells where in its file it is.
func missingOfLog(has map[string]bool) string {
	needed := []string{"id", sectionLog}
	if has["fileName"] || has["offset"] || has["nextOffset"] {
		needed = append(needed, "fileName", "offset", "nextOffset")
	}
	for _, key := range needed {
		if !has[key] {
			return key
		}
	}
	return ""
}
