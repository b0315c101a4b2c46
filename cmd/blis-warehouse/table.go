package main

import (
	"io"
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/inference-sim/blis-warehouse/queries/visible"
)

// measuredRows is how many rows a table takes its widths from.
const measuredRows = 1000

// nullText is NULL in the formats for people.
const nullText = "NULL"

// fit is the room that a table has, and what became of the values that had none.
// A nil fit is room for everything.
type fit struct {
	columns int  // of the terminal; 0 is room for everything
	omits   bool // where even cut columns find no room, the middle ones are left out
	many    bool // the tables are several
	wraps   bool // values are continued on further lines, not cut

	cut     bool // a value was cut
	omitted int  // columns that were left out
	of      int  // columns that the table with omitted ones has
}

// room is how many columns of the terminal there are, 0 for any number.
func (f *fit) room() int {
	if f == nil {
		return 0
	}
	return f.columns
}

// frame is what stands around cells.
type frame struct {
	left, between, right string
	top, middle, bottom  [3]string // left end, crossing and right end of a rule; empty for no rule
	rule                 string    // what rules are made of
}

// plainFrame parts columns by spaces and rules the header off.
func plainFrame() frame {
	return frame{between: "  ", middle: [3]string{"", "  ", ""}, rule: "-"}
}

// boxFrame draws lines around all.
func boxFrame() frame {
	return frame{left: "│ ", between: " │ ", right: " │", rule: "─",
		top: [3]string{"┌─", "─┬─", "─┐"}, middle: [3]string{"├─", "─┼─", "─┤"}, bottom: [3]string{"└─", "─┴─", "─┘"}}
}

// table is a table whose widths are settled.
type table struct {
	frame
	columns []string // as shown
	widths  []int
	numeric []bool // aligned right
	show    []int  // the columns that are shown, gap for those left out between two
	fit     *fit
}

// gap stands for the columns that are left out.
const gap = -1

// cutSign shows that something was cut or left out.
const cutSign = "…"

// writeTable writes rows in columns of equal width.
func writeTable(w io.Writer, f *fit, columns []string, rows iter.Seq2[[]any, error]) error {
	return writeFramed(w, plainFrame(), f, columns, rows)
}

// writeBox writes rows as writeTable does, with lines around the cells.
func writeBox(w io.Writer, f *fit, columns []string, rows iter.Seq2[[]any, error]) error {
	return writeFramed(w, boxFrame(), f, columns, rows)
}

func writeFramed(w io.Writer, around frame, f *fit, columns []string, rows iter.Seq2[[]any, error]) error {
	if len(columns) == 0 {
		return drain(rows)
	}
	next, stop := iter.Pull2(rows)
	defer stop()
	var first [][]string
	t := table{frame: around, fit: f, columns: make([]string, len(columns)), numeric: make([]bool, len(columns))}
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
	t.measure(first)
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

const (
	readable = 12 // columns are left out before text is cut further
	narrow   = 6  // text is cut to this before numbers are
	least    = 2  // one letter and the sign of the cut
)

// measure settles the widths from the first rows and makes them fit.
func (t *table) measure(rows [][]string) {
	t.widths = make([]int, len(t.columns))
	for i, name := range t.columns {
		t.show = append(t.show, i)
		t.widths[i] = width(name)
		for _, row := range rows {
			t.widths[i] = max(t.widths[i], width(row[i]))
		}
	}
	limit := t.fit.room()
	if limit == 0 || t.total() <= limit {
		return
	}
	if t.fit.omits && !t.fit.wraps {
		t.omit(limit)
	}
	if t.fit.wraps {
		t.narrow(limit, 2*readable, func(i int) bool { return i == len(t.columns)-1 }) // where prose stands
	}
	t.narrow(limit, narrow, func(i int) bool { return !t.numeric[i] })
	t.narrow(limit, least, func(int) bool { return true })
}

// omit leaves out as many columns from the middle as have no room when text is
// cut to what is readable. The first and the last stay.
func (t *table) omit(limit int) {
	need := func(i int) int {
		if t.numeric[i] {
			return t.widths[i]
		}
		return min(t.widths[i], readable)
	}
	edge, between := width(t.left)+width(t.right), width(t.between)
	n, sum := len(t.columns), 0
	for i := range n {
		sum += need(i) + between
	}
	if n < 3 || edge+sum-between <= limit {
		return
	}
	left, right := 1, n-1
	used := edge + need(0) + between + width(cutSign) + between + need(n-1)
	for left < right {
		i := left
		if left > n-right {
			i = right - 1
		}
		if used += between + need(i); used > limit {
			break
		}
		if i == left {
			left++
		} else {
			right--
		}
	}
	t.show = append(append(slices.Clone(t.show[:left]), gap), t.show[right:]...)
	t.fit.omitted, t.fit.of = right-left, n
}

// narrow takes from the widest columns that may give, down to floor, until the
// table fits limit or none can give any more.
func (t *table) narrow(limit, floor int, may func(column int) bool) {
	for over := t.total() - limit; over > 0; over = t.total() - limit {
		// The second widest is where the widest stop for the moment.
		widest, second, many := 0, floor, 0
		for _, i := range t.show {
			switch {
			case i == gap || !may(i):
			case t.widths[i] > widest:
				widest, second, many = t.widths[i], max(second, widest), 1
			case t.widths[i] == widest:
				many++
			default:
				second = max(second, t.widths[i])
			}
		}
		if widest <= floor {
			return
		}
		step := max(1, min(widest-second, over/many))
		for _, i := range t.show {
			if i != gap && may(i) && t.widths[i] == widest && over > 0 {
				t.widths[i], over = widest-step, over-step
			}
		}
	}
}

// width is how many columns of the terminal a column of the table takes.
func (t *table) width(i int) int {
	if i == gap {
		return width(cutSign)
	}
	return t.widths[i]
}

// total is how many columns of the terminal the table takes.
func (t *table) total() int {
	sum := width(t.left) + width(t.right) + width(t.between)*(len(t.show)-1)
	for _, i := range t.show {
		sum += t.width(i)
	}
	return sum
}

// write writes the header, the first rows and the rest.
func (t *table) write(w io.Writer, first [][]string, next func() ([]any, error, bool)) error {
	if _, err := io.WriteString(w, t.ruleLine(t.top)+t.line(t.columns)+t.ruleLine(t.middle)); err != nil {
		return err
	}
	for _, cells := range first {
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
			break
		}
		if _, err := io.WriteString(w, t.line(shownRow(row))); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, t.ruleLine(t.bottom))
	return err
}

// ruleLine is a horizontal line, "" where the frame has none.
func (t *table) ruleLine(ends [3]string) string {
	if ends == [3]string{} {
		return ""
	}
	parts := make([]string, len(t.show))
	for n, i := range t.show {
		parts[n] = strings.Repeat(t.rule, t.width(i))
	}
	return ends[0] + strings.Join(parts, ends[1]) + ends[2] + "\n"
}

// line is a row, of several lines where a cell is continued.
func (t *table) line(cells []string) string {
	shown := make([]string, len(t.show))
	further := make([]string, len(cells))
	more := false
	for n, i := range t.show {
		switch {
		case i == gap:
			shown[n] = cutSign
		case t.fit.room() == 0:
			shown[n] = cells[i]
		case t.fit.wraps:
			shown[n], further[i] = wrapped(cells[i], t.widths[i])
			more = more || further[i] != ""
		default:
			shown[n] = cut(cells[i], t.widths[i])
			t.fit.cut = t.fit.cut || shown[n] != cells[i]
		}
	}
	line := t.framed(shown)
	for more {
		more = false
		for i, cell := range further {
			shown[i], further[i] = wrapped(cell, t.widths[i])
			more = more || further[i] != ""
		}
		line += t.framed(shown)
	}
	return line
}

// framed is a line of cells that have the widths of their columns.
func (t *table) framed(shown []string) string {
	var b strings.Builder
	b.WriteString(t.left)
	for n, i := range t.show {
		fill := strings.Repeat(" ", max(0, t.width(i)-width(shown[n])))
		if n > 0 {
			b.WriteString(t.between)
		}
		if i != gap && t.numeric[i] {
			b.WriteString(fill + shown[n])
		} else {
			b.WriteString(shown[n] + fill)
		}
	}
	b.WriteString(t.right)
	return strings.TrimRight(b.String(), " ") + "\n"
}

// wrapped takes from s what fits n columns, at a space where there is one, and
// returns it and what is left.
func wrapped(s string, n int) (line, rest string) {
	if width(s) <= n {
		return s, ""
	}
	taken, space := 0, 0
	for i, r := range s {
		if r == ' ' {
			space = i
		}
		if taken += runeWidth(r); taken > n {
			switch {
			case space > 0:
				i = space
			case i == 0: // a wide character in a column of one
				i = utf8.RuneLen(r)
			}
			return strings.TrimRight(s[:i], " "), strings.TrimLeft(s[i:], " ")
		}
	}
	return s, ""
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
	if visible.Plain(s) {
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
			return s[:i] + cutSign
		}
	}
	return s
}
