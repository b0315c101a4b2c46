package main

// The output rules, written once:
//
//   - Data go to standard output or to the file of -o, everything else to
//     standard error. Standard output is the same on a terminal and in a pipe,
//     but for what the last two rules here change.
//   - A number is the same text in every format: integers exactly, floats in
//     the shortest decimal form that reads back as the same double, in the
//     grammar of JSON numbers. JSON has no infinity, so there it is an error;
//     elsewhere it is Inf or -Inf.
//   - A blob is X'0AFF', as SQL writes it; in JSON, which has only strings, it
//     is the string of its upper-case hexadecimal digits.
//   - NULL: json and jsonl null; csv an empty field, where an empty text is
//     "" in quotes (a lone NULL in a row of one column is "" too, for many
//     readers skip empty lines); tsv \N; table and markdown NULL.
//   - csv is RFC 4180: CRLF ends a line, a field is quoted when it must be.
//     tsv has no quotes: tab, line feed, carriage return and backslash are \t,
//     \n, \r and \\. Both begin with a header, also when there are no rows.
//   - json is an array with an object on each line, jsonl an object a line.
//     Members stand in the order of the columns; two columns of one name are
//     an error. Bytes that are no UTF-8 become U+FFFD; characters that steer a
//     terminal or do not show are \u escapes, which read back as themselves.
//   - table, box and markdown are for people: characters that do not print are
//     shown escaped, so that no value can steer a terminal, and numbers are
//     aligned right. A table or box takes its widths from the first 1,000 rows; a
//     later value that is wider moves its line where nothing is cut.
//   - Everything but table and box is written row by row.
//   - A table or box fits the terminal, unless --width says otherwise: text is cut,
//     which … shows, and columns that find no room at all are left out of the middle;
//     a note tells both. In a pipe or a file nothing is ever cut or left out but by --width.
//   - csv and tsv hold text as it is. Two things change that: on a terminal what
//     would steer it is shown escaped, and --excel-safe puts an apostrophe before
//     text that a spreadsheet would take for a formula.

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"github.com/inference-sim/blis-warehouse/queries/export"
	"github.com/inference-sim/blis-warehouse/queries/visible"
	"github.com/inference-sim/blis-warehouse/store"
)

// formats are the values of --format.
func formats() []string {
	return []string{"table", "box", "csv", "tsv", "json", "jsonl", "markdown"}
}

// formatFlag is the value of --format.
type formatFlag string

func (f *formatFlag) String() string { return string(*f) }
func (f *formatFlag) Type() string   { return strings.Join(formats(), "|") }

func (f *formatFlag) Set(s string) error {
	if !slices.Contains(formats(), s) {
		return fmt.Errorf("the formats are %s%s", strings.Join(formats(), ", "), didYouMean(s, formats()))
	}
	*f = formatFlag(s)
	return nil
}

// rowOutput is how and where a command prints rows: the values of the flags
// that rowFlags declares.
type rowOutput struct {
	format formatFlag // one of formats, or the default that rowFlags was given
	width  int        // of a table or box, 0 for any
	fits   bool       // no width was asked for: a terminal's is taken
	file   string     // "-" is standard output
	force  bool       // overwrite file
	excel  bool       // csv and tsv: no text is a formula to a spreadsheet
	widen  string     // what one says to have nothing cut; "" is the flag
}

// rowFlags declares --format, --output, --force and --width on fs. The format
// is format unless the user asks for another.
func rowFlags(fs *pflag.FlagSet, format string) *rowOutput {
	o := formatFlags(fs, format)
	fs.StringVarP(&o.file, "output", "o", "-", "write to `FILE`, which appears complete or not at all; - is standard output")
	fs.BoolVar(&o.force, "force", false, "let -o overwrite a file")
	return o
}

// formatFlags is rowFlags of a command whose rows go to standard output only.
func formatFlags(fs *pflag.FlagSet, format string) *rowOutput {
	o := tableFlags(fs, format)
	excelFlag(fs, &o.excel, "csv and tsv")
	return o
}

// tableFlags declares --format and --width on fs, for rows on standard output.
func tableFlags(fs *pflag.FlagSet, format string) *rowOutput {
	o := &rowOutput{format: formatFlag(format), file: "-", fits: true}
	fs.VarP(&o.format, "format", "f", "the `FORMAT`: "+strings.Join(formats(), ", "))
	fs.Var(&widthFlag{o}, "width", "cut a table or box to fit `COLUMNS`; 0 cuts nothing (default: a terminal's own, else 0)")
	return o
}

// widthFlag is the value of --width.
type widthFlag struct{ out *rowOutput }

func (f *widthFlag) String() string { return "" }
func (f *widthFlag) Type() string   { return "int" }

func (f *widthFlag) Set(s string) error {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return errors.New("it is a number of columns, 0 for any number")
	}
	f.out.width, f.out.fits = n, false
	return nil
}

// fit is the room that a table has.
func (o *rowOutput) fit(env *environment) *fit {
	f := &fit{columns: o.width}
	if o.fits && o.file == "-" && isTerminal(env.stdout) {
		f.columns, f.omits = terminalWidth(env.stdout), true
	}
	return f
}

// noteCut tells what the terminal had no room for, and how to see it.
func (o *rowOutput) noteCut(env *environment, f *fit) {
	var lost []string
	if f.cut {
		lost = append(lost, "values are cut ("+cutSign+")")
	}
	switch {
	case f.omitted > 0 && f.many:
		lost = append(lost, "columns are left out")
	case f.omitted > 0:
		lost = append(lost, fmt.Sprintf("%d of %d columns are left out", f.omitted, f.of))
	}
	if o.fits && lost != nil {
		// Nothing is left to tell that stderr cannot be written.
		_, _ = fmt.Fprintf(env.stderr, "%s to fit the terminal: %s shows everything\n", strings.Join(lost, " and "), o.whole())
	}
}

// whole is what one says to have nothing cut.
func (o *rowOutput) whole() string {
	if o.widen != "" {
		return o.widen
	}
	return "--width 0"
}

// print writes rows with the given column names. database is the file that
// they come from, so that -o does not overwrite it; it may be empty.
func (o *rowOutput) print(env *environment, database string, columns []string, rows iter.Seq2[[]any, error]) error {
	if err := o.check(); err != nil {
		return err
	}
	s := style{excel: o.excel, terminal: o.file == "-" && isTerminal(env.stdout)}
	f := o.fit(env)
	defer o.noteCut(env, f)
	return o.write(env, database, func(w io.Writer) error { return writeStyled(w, o.format, f, s, columns, rows) })
}

// writeFitted is write for text with tables in it.
func (o *rowOutput) writeFitted(env *environment, database string, fill func(io.Writer, *fit) error) error {
	f := o.fit(env)
	f.many = true
	defer o.noteCut(env, f)
	return o.write(env, database, func(w io.Writer) error { return fill(w, f) })
}

// check refuses flags that do not fit together.
func (o *rowOutput) check() error {
	if o.excel && o.format != "csv" && o.format != "tsv" {
		return &usageError{message: "--excel-safe is for --format csv and tsv"}
	}
	return nil
}

// excelFlag declares --excel-safe on fs.
func excelFlag(fs *pflag.FlagSet, value *bool, of string) {
	fs.BoolVar(value, "excel-safe", false, of+": put an apostrophe before text that a spreadsheet would run as a formula")
}

// style is how csv and tsv hold text that is not for a program alone.
type style struct {
	excel    bool // no formula
	terminal bool // nothing that steers a terminal
}

// printResult is print for the result of a statement, which it closes.
func (o *rowOutput) printResult(env *environment, database string, rows *store.Rows) error {
	defer rows.Close()
	return o.print(env, database, rows.Columns(), rows.All())
}

// write calls fill with the place that -o names.
func (o *rowOutput) write(env *environment, database string, fill func(io.Writer) error) error {
	d, err := openDestination(o.file, o.force, env.stdout, database)
	if err != nil {
		return err
	}
	sink := &sink{w: d}
	if err := fill(sink); err != nil {
		if sink.err != nil {
			return d.abandon(sink.err)
		}
		d.discard()
		return err
	}
	return d.commit()
}

// sink remembers whether a failure was one of writing.
type sink struct {
	w   io.Writer
	err error
}

func (s *sink) Write(p []byte) (int, error) {
	n, err := s.w.Write(p)
	if err != nil {
		s.err = err
	}
	return n, err
}

// rowsOf are rows that are in memory.
func rowsOf(rows [][]any) iter.Seq2[[]any, error] {
	return func(yield func([]any, error) bool) {
		for _, row := range rows {
			if !yield(row, nil) {
				return
			}
		}
	}
}

// printText writes text that is data, such as help, to standard output.
func printText(w io.Writer, text string) error {
	if _, err := io.WriteString(w, text); err != nil {
		return fmt.Errorf("write standard output: %w", err)
	}
	return nil
}

// printError tells on stderr what went wrong, with the place in a statement and
// the nearest names where they are known.
func printError(stderr io.Writer, err error) {
	var b strings.Builder
	for i, line := range strings.Split(err.Error(), "\n") {
		if i == 0 {
			b.WriteString("blis-warehouse: " + printable(line))
		} else {
			b.WriteString("\n  " + printable(line))
		}
	}
	if e, ok := errors.AsType[*store.QueryError](err); ok {
		b.WriteString(printable(suggestion(e)))
		b.WriteString(pointAt(e.SQL, e.Offset))
	}
	if e, ok := errors.AsType[*usageError](err); ok {
		fmt.Fprintf(&b, "\n%q tells how it is used", strings.TrimSpace("blis-warehouse help "+e.command))
	}
	b.WriteByte('\n')
	// Nothing is left to tell that stderr cannot be written.
	_, _ = io.WriteString(stderr, b.String())
}

// pointAt shows the line of sql that holds the byte at offset, with a caret
// under it; it is empty when offset is negative.
func pointAt(sql string, offset int) string {
	if offset < 0 || offset > len(sql) {
		return ""
	}
	start := strings.LastIndexByte(sql[:offset], '\n') + 1
	line, _, _ := strings.Cut(sql[start:], "\n")
	before := sql[start:offset]
	// A long line is shown around the caret.
	const most = 60
	for width(printable(before)) > most {
		_, n := utf8.DecodeRuneInString(before)
		before = before[n:]
	}
	after := strings.TrimPrefix(line, sql[start:offset])
	after = cut(printable(after), most)
	label := fmt.Sprintf("line %d: ", strings.Count(sql[:offset], "\n")+1)
	shown := printable(before)
	return "\n  " + label + shown + after + "\n  " + strings.Repeat(" ", len(label)+width(shown)) + "^"
}

// writeRows writes rows in a format, text as it is.
func writeRows(w io.Writer, format formatFlag, f *fit, columns []string, rows iter.Seq2[[]any, error]) error {
	return writeStyled(w, format, f, style{}, columns, rows)
}

func writeStyled(w io.Writer, format formatFlag, f *fit, s style, columns []string, rows iter.Seq2[[]any, error]) error {
	switch format {
	case "table":
		return writeTable(w, f, columns, rows)
	case "box":
		return writeBox(w, f, columns, rows)
	case "markdown":
		return writeMarkdown(w, columns, rows)
	case "csv":
		return writeDelimited(w, columns, rows, csvDialect().styled(s))
	case "tsv":
		return writeDelimited(w, columns, rows, tsvDialect().styled(s))
	case "json", "jsonl":
		return writeJSON(w, format == "json", columns, rows)
	}
	return fmt.Errorf("unknown format %s", quote(string(format)))
}

// dialect is what csv and tsv differ in.
type dialect struct {
	comma   byte
	newline string
	null    string
	lone    string // null in a row of one column
	text    func(b []byte, s string) []byte
}

func csvDialect() dialect {
	return dialect{comma: ',', newline: "\r\n", lone: `""`, text: appendCSV}
}

func tsvDialect() dialect {
	escape := strings.NewReplacer("\\", `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)
	return dialect{comma: '\t', newline: "\n", null: `\N`, lone: `\N`, text: func(b []byte, s string) []byte { return append(b, escape.Replace(s)...) }}
}

// styled is the dialect in a style.
func (d dialect) styled(s style) dialect {
	text := d.text
	d.text = func(b []byte, v string) []byte {
		if s.excel && export.IsFormula(v) {
			v = "'" + v
		}
		if !s.terminal {
			return text(b, v)
		}
		if d.comma == ',' {
			return text(b, harmless(v)) // quoted after, as what is shown needs it
		}
		return append(b, harmless(string(text(nil, v)))...)
	}
	return d
}

// harmless is s with what steers a terminal or does not show escaped, line feeds
// and tabs excepted.
func harmless(s string) string {
	if visible.Plain(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == '\n' || r == '\t' {
			b.WriteRune(r)
		} else {
			b.WriteString(printable(s[i : i+n]))
		}
		i += n
	}
	return b.String()
}

// terminalText writes CSV made elsewhere with everything escaped that harmless
// escapes, but for the ends of its lines. Each Write is whole lines.
type terminalText struct{ w io.Writer }

func (t terminalText) Write(p []byte) (int, error) {
	lines := strings.Split(string(p), "\r\n")
	for i := range lines {
		lines[i] = harmless(lines[i])
	}
	if _, err := io.WriteString(t.w, strings.Join(lines, "\r\n")); err != nil {
		return 0, err
	}
	return len(p), nil
}

// appendCSV appends s, quoted if it is empty, which tells it from NULL, or if
// a reader would take it apart or trim it.
func appendCSV(b []byte, s string) []byte {
	if s != "" && !strings.ContainsAny(s, "\",\r\n") && s[0] != ' ' && s[len(s)-1] != ' ' {
		return append(b, s...)
	}
	b = append(b, '"')
	b = append(b, strings.ReplaceAll(s, `"`, `""`)...)
	return append(b, '"')
}

func writeDelimited(w io.Writer, columns []string, rows iter.Seq2[[]any, error], d dialect) error {
	if len(columns) == 0 {
		return drain(rows)
	}
	var b []byte
	for i, name := range columns {
		if i > 0 {
			b = append(b, d.comma)
		}
		b = d.text(b, name)
	}
	if _, err := w.Write(append(b, d.newline...)); err != nil {
		return err
	}
	for row, err := range rows {
		if err != nil {
			return err
		}
		b = b[:0]
		for i, v := range row {
			if i > 0 {
				b = append(b, d.comma)
			}
			switch {
			case v == nil && len(row) == 1:
				b = append(b, d.lone...)
			case v == nil:
				b = append(b, d.null...)
			default:
				b = appendValue(b, v, d.text)
			}
		}
		if _, err := w.Write(append(b, d.newline...)); err != nil {
			return err
		}
	}
	return nil
}

// drain runs a statement that has no columns for its error.
func drain(rows iter.Seq2[[]any, error]) error {
	for _, err := range rows {
		if err != nil {
			return err
		}
	}
	return nil
}

// appendValue appends a value that is not NULL; text appends a string.
func appendValue(b []byte, v any, text func([]byte, string) []byte) []byte {
	switch v := v.(type) {
	case int64:
		return strconv.AppendInt(b, v, 10)
	case float64:
		return appendFloat(b, v)
	case []byte:
		b = append(b, "X'"...)
		return append(appendHex(b, v), '\'')
	case string:
		return text(b, v)
	}
	return text(b, fmt.Sprint(v))
}

func appendHex(b, blob []byte) []byte {
	start := len(b)
	b = hex.AppendEncode(b, blob)
	copy(b[start:], bytes.ToUpper(b[start:]))
	return b
}

// appendFloat appends the shortest form of f that reads back as f; very small
// and very large numbers have an exponent.
func appendFloat(b []byte, f float64) []byte {
	switch {
	case math.IsInf(f, 1):
		return append(b, "Inf"...)
	case math.IsInf(f, -1):
		return append(b, "-Inf"...)
	}
	return visible.AppendNumber(b, f)
}

func writeJSON(w io.Writer, array bool, columns []string, rows iter.Seq2[[]any, error]) error {
	keys := make([][]byte, len(columns))
	for i, name := range columns {
		if slices.Contains(columns[:i], name) {
			return fmt.Errorf("two columns are called %s, which a JSON object cannot have: rename one with AS", quote(name))
		}
		keys[i] = append(appendJSONString(nil, name), ':')
	}
	open, between, end := "", "", "\n"
	if array {
		open, between, end = "[", ",", ""
	}
	b := []byte(open)
	for row, err := range rows {
		if err != nil {
			return err
		}
		if array {
			b = append(b, '\n')
		}
		if b, err = appendObject(b, keys, row); err != nil {
			return err
		}
		if _, err := w.Write(append(b, end...)); err != nil {
			return err
		}
		b = append(b[:0], between...)
	}
	if !array {
		return nil
	}
	// What is left is the bracket of an empty array or a comma too many.
	if b = bytes.TrimSuffix(b, []byte(between)); len(b) == 0 {
		b = append(b, '\n')
	}
	_, err := w.Write(append(b, "]\n"...))
	return err
}

func appendObject(b []byte, keys [][]byte, row []any) ([]byte, error) {
	b = append(b, '{')
	for i, v := range row {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, keys[i]...)
		switch v := v.(type) {
		case nil:
			b = append(b, "null"...)
		case []byte:
			b = append(appendHex(append(b, '"'), v), '"')
		case float64:
			if math.IsInf(v, 0) {
				return nil, fmt.Errorf("column %s is infinite, which JSON cannot express", strings.TrimSuffix(string(keys[i]), ":"))
			}
			b = appendFloat(b, v)
		default:
			b = appendValue(b, v, appendJSONString)
		}
	}
	return append(b, '}'), nil
}

// appendJSONString appends s as a JSON string in which nothing steers a
// terminal.
func appendJSONString(b []byte, s string) []byte {
	b = append(b, '"')
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c < 0x7f && c != '"' && c != '\\' {
			b = append(b, c)
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		i += n
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, `\n`...)
		case r == '\r':
			b = append(b, `\r`...)
		case r == '\t':
			b = append(b, `\t`...)
		case unseen(r):
			b = appendEscape(b, r)
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return append(b, '"')
}

// unseen reports a character that steers a terminal or does not show: controls,
// marks of direction, joiners and other zero-width ones, separators of lines.
func unseen(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) }

// appendEscape appends r as JSON escapes it.
func appendEscape(b []byte, r rune) []byte {
	if high, low := utf16.EncodeRune(r); high != utf8.RuneError {
		return fmt.Appendf(b, `\u%04x\u%04x`, high, low)
	}
	return fmt.Appendf(b, `\u%04x`, r)
}

// jsonText writes JSON made elsewhere with every unseen character escaped, so
// that it reads back the same and steers no terminal. Each Write is whole lines.
type jsonText struct{ w io.Writer }

func (j jsonText) Write(p []byte) (int, error) {
	out := p
	if !visible.Plain(string(bytes.ReplaceAll(p, []byte("\n"), nil))) {
		out = make([]byte, 0, len(p))
		for i := 0; i < len(p); {
			r, n := utf8.DecodeRune(p[i:])
			if r != '\n' && unseen(r) { // in JSON made elsewhere that is in a string
				out = appendEscape(out, r)
			} else {
				out = append(out, p[i:i+n]...)
			}
			i += n
		}
	}
	if _, err := j.w.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// printable is s with everything that does not print escaped as in Go, line
// feeds included.
func printable(s string) string { return visible.Text(s) }

// quote is s in double quotes on one line, for messages.
func quote(s string) string { return strconv.Quote(s) }
