package main

import (
	"io"
	"iter"
	"slices"
	"strings"
	"unicode"
)

// measuredRows is how many rows a table takes its widths from.
const measuredRows = 1000

// nullText is NULL in the formats for people.
const nullText = "NULL"

// table is a table whose widths are settled.
type table struct {
	columns []string // as shown
	widths  []int
	numeric []bool // aligned right
	fits    bool   // values are cut to widths
}

// writeTable writes rows in columns of equal width.
func writeTable(w io.Writer, limit int, columns []string, rows iter.Seq2[[]any, error]) error {
	if len(columns) == 0 {
		return drain(rows)
	}
	next, stop := iter.Pull2(rows)
	defer stop()
	var first [][]string
	t := table{columns: make([]string, len(columns)), numeric: make([]bool, len(columns))}
	for i, name := range columns {
		t.columns[i] = printable(name)
	}
	text := make([]bool, len(columns)) // a column with a value that is no number
	for len(first) < measuredRows {
		row, err, ok := next()
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		for i, v := range row {
			t.numeric[i] = t.numeric[i] || isNumber(v)
			text[i] = text[i] || v != nil && !isNumber(v)
		}
		first = append(first, shownRow(row))
	}
	for i := range text {
		t.numeric[i] = t.numeric[i] && !text[i]
	}
	t.measure(first, limit)
	return t.write(w, first, next)
}

func isNumber(v any) bool {
	switch v.(type) {
	case int64, float64:
		return true
	}
	return false
}

// shownRow is a row as people see it.
func shownRow(row []any) []string {
	cells := make([]string, len(row))
	for i, v := range row {
		cells[i] = shown(v)
	}
	return cells
}

func shown(v any) string {
	if v == nil {
		return nullText
	}
	return string(appendValue(nil, v, func(b []byte, s string) []byte { return append(b, printable(s)...) }))
}

// columnGap is what stands between two columns.
const columnGap = "  "

// measure settles the widths from the first rows and makes them fit limit,
// if that is not 0.
func (t *table) measure(rows [][]string, limit int) {
	t.widths = make([]int, len(t.columns))
	for i, name := range t.columns {
		t.widths[i] = width(name)
		for _, row := range rows {
			t.widths[i] = max(t.widths[i], width(row[i]))
		}
	}
	t.fits = limit > 0
	for over := t.total() - limit; t.fits && over > 0; over = t.total() - limit {
		// The widest columns give way first, down to one letter and the sign
		// of the cut; the second widest is where they stop for the moment.
		widest := slices.Max(t.widths)
		if widest <= 2 {
			return
		}
		floor, many := 2, 0
		for _, w := range t.widths {
			if w == widest {
				many++
			} else {
				floor = max(floor, w)
			}
		}
		step := max(1, min(widest-floor, over/many))
		for i, w := range t.widths {
			if w == widest && over > 0 {
				t.widths[i], over = w-step, over-step
			}
		}
	}
}

func (t *table) total() int {
	sum := len(columnGap) * (len(t.widths) - 1)
	for _, w := range t.widths {
		sum += w
	}
	return sum
}

// write writes the header, the first rows and the rest.
func (t *table) write(w io.Writer, first [][]string, next func() ([]any, error, bool)) error {
	rule := make([]string, len(t.columns))
	for i := range rule {
		rule[i] = strings.Repeat("-", t.widths[i])
	}
	for _, cells := range append([][]string{t.columns, rule}, first...) {
		if _, err := io.WriteString(w, t.line(cells)); err != nil {
			return err
		}
	}
	for {
		row, err, ok := next()
		if err != nil {
			return err
		}
		if !ok {
			return nil
		}
		if _, err := io.WriteString(w, t.line(shownRow(row))); err != nil {
			return err
		}
	}
}

func (t *table) line(cells []string) string {
	var b strings.Builder
	for i, cell := range cells {
		if t.fits {
			cell = cut(cell, t.widths[i])
		}
		fill := strings.Repeat(" ", max(0, t.widths[i]-width(cell)))
		if i > 0 {
			b.WriteString(columnGap)
		}
		if t.numeric[i] {
			b.WriteString(fill)
		}
		b.WriteString(cell)
		if !t.numeric[i] && i < len(cells)-1 {
			b.WriteString(fill)
		}
	}
	return strings.TrimRight(b.String(), " ") + "\n"
}

// writeMarkdown writes rows as a table of GitHub's Markdown. A column is
// aligned right when its first value is a number.
func writeMarkdown(w io.Writer, columns []string, rows iter.Seq2[[]any, error]) error {
	if len(columns) == 0 {
		return drain(rows)
	}
	header := make([]string, len(columns))
	for i, name := range columns {
		header[i] = markdownText(printable(name))
	}
	begun := false
	begin := func(row []any) error {
		begun = true
		rule := make([]string, len(columns))
		for i := range rule {
			rule[i] = "---"
			if i < len(row) && isNumber(row[i]) {
				rule[i] = "---:"
			}
		}
		_, err := io.WriteString(w, markdownLine(header)+markdownLine(rule))
		return err
	}
	for row, err := range rows {
		if err != nil {
			return err
		}
		if !begun {
			if err := begin(row); err != nil {
				return err
			}
		}
		cells := make([]string, len(row))
		for i, v := range row {
			cells[i] = markdownText(shown(v))
		}
		if _, err := io.WriteString(w, markdownLine(cells)); err != nil {
			return err
		}
	}
	if !begun {
		return begin(nil)
	}
	return nil
}

func markdownLine(cells []string) string {
	return "| " + strings.Join(cells, " | ") + " |\n"
}

// markdownSigns are the characters that mean something in a cell.
const markdownSigns = "\\`*[]|~<&_"

// markdownText is s with what Markdown would interpret escaped. An underscore
// inside a word means nothing and stays.
func markdownText(s string) string {
	if !strings.ContainsAny(s, markdownSigns) {
		return s
	}
	var b strings.Builder
	runes := []rune(s)
	for i, r := range runes {
		inWord := i > 0 && i < len(runes)-1 && isLetter(runes[i-1]) && isLetter(runes[i+1])
		switch {
		case r == '<':
			b.WriteString("&lt;")
		case r == '&':
			b.WriteString("&amp;")
		case r != '_' && strings.ContainsRune(markdownSigns, r), r == '_' && !inWord:
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func isLetter(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }

// width is how many columns of a terminal s takes; s is printable.
func width(s string) int {
	if plainASCII(s) {
		return len(s)
	}
	n := 0
	for _, r := range s {
		n += runeWidth(r)
	}
	return n
}

func runeWidth(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case unicode.Is(wide, r):
		return 2
	}
	return 1
}

// wide are the blocks of East Asian wide and full-width characters and of
// emoji (Unicode Annex 11), by and large.
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x1100, Hi: 0x115f, Stride: 1}, // Hangul Jamo
		{Lo: 0x2e80, Hi: 0x303e, Stride: 1}, // radicals, punctuation
		{Lo: 0x3041, Hi: 0x4dbf, Stride: 1}, // kana to CJK extension A
		{Lo: 0x4e00, Hi: 0xa4cf, Stride: 1}, // CJK, Yi
		{Lo: 0xa960, Hi: 0xa97f, Stride: 1},
		{Lo: 0xac00, Hi: 0xd7a3, Stride: 1}, // Hangul
		{Lo: 0xf900, Hi: 0xfaff, Stride: 1},
		{Lo: 0xfe30, Hi: 0xfe6f, Stride: 1},
		{Lo: 0xff00, Hi: 0xff60, Stride: 1}, // full-width forms
		{Lo: 0xffe0, Hi: 0xffe6, Stride: 1},
	},
	R32: []unicode.Range32{
		{Lo: 0x1f300, Hi: 0x1f64f, Stride: 1}, // pictographs
		{Lo: 0x1f680, Hi: 0x1f6ff, Stride: 1},
		{Lo: 0x1f900, Hi: 0x1f9ff, Stride: 1},
		{Lo: 0x20000, Hi: 0x3fffd, Stride: 1}, // CJK extensions
	},
}

// cut is s shortened to n columns, the last of which shows the cut.
func cut(s string, n int) string {
	if width(s) <= n {
		return s
	}
	taken := 0
	for i, r := range s {
		if taken += runeWidth(r); taken > n-1 {
			return s[:i] + "…"
		}
	}
	return s
}
