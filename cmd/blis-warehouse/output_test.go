package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/inference-sim/blis-warehouse/store"

	"github.com/spf13/pflag"
)

// odd are columns and rows with everything that is hard to print.
func odd() ([]string, [][]any) {
	return []string{"k", "v, \"x\""}, [][]any{
		{int64(math.MaxInt64), nil},
		{0.1, ""},
		{1e21, "a,b"},
		{-0.0000001, "say \"so\""},
		{int64(-3), "two\r\nlines\tand \\ and |"},
		{2.0, "\x1b[31mred\u009b \xff \u202e"},
		{nil, []byte{0, 0xab}},
	}
}

func TestWriteRows(t *testing.T) {
	for _, tt := range []struct{ format, want string }{
		{"csv", "k,\"v, \"\"x\"\"\"\r\n" +
			"9223372036854775807,\r\n" +
			"0.1,\"\"\r\n" +
			"1e+21,\"a,b\"\r\n" +
			"-1e-07,\"say \"\"so\"\"\"\r\n" +
			"-3,\"two\r\nlines\tand \\ and |\"\r\n" +
			"2,\x1b[31mred\u009b \xff \u202e\r\n" +
			",X'00AB'\r\n"},
		{"tsv", "k\tv, \"x\"\n" +
			"9223372036854775807\t\\N\n" +
			"0.1\t\n" +
			"1e+21\ta,b\n" +
			"-1e-07\tsay \"so\"\n" +
			"-3\ttwo\\r\\nlines\\tand \\\\ and |\n" +
			"2\t\x1b[31mred\u009b \xff \u202e\n" +
			"\\N\tX'00AB'\n"},
		{"jsonl", `{"k":9223372036854775807,"v, \"x\"":null}
{"k":0.1,"v, \"x\"":""}
{"k":1e+21,"v, \"x\"":"a,b"}
{"k":-1e-07,"v, \"x\"":"say \"so\""}
{"k":-3,"v, \"x\"":"two\r\nlines\tand \\ and |"}
{"k":2,"v, \"x\"":"\u001b[31mred\u009b ` + "\ufffd" + ` \u202e"}
{"k":null,"v, \"x\"":"00AB"}
`},
		{"table", `                  k  v, "x"
-------------------  -----------------------------
9223372036854775807  NULL
                0.1
              1e+21  a,b
             -1e-07  say "so"
                 -3  two\r\nlines\tand \ and |
                  2  \x1b[31mred\u009b \xff \u202e
               NULL  X'00AB'
`},
		{"box", `┌─────────────────────┬───────────────────────────────┐
│                   k │ v, "x"                        │
├─────────────────────┼───────────────────────────────┤
│ 9223372036854775807 │ NULL                          │
│                 0.1 │                               │
│               1e+21 │ a,b                           │
│              -1e-07 │ say "so"                      │
│                  -3 │ two\r\nlines\tand \ and |     │
│                   2 │ \x1b[31mred\u009b \xff \u202e │
│                NULL │ X'00AB'                       │
└─────────────────────┴───────────────────────────────┘
`},
		{"markdown", `| k | v, "x" |
| ---: | --- |
| 9223372036854775807 | NULL |
| 0.1 |  |
| 1e+21 | a,b |
| -1e-07 | say "so" |
| -3 | two\\r\\nlines\\tand \\ and \| |
| 2 | \\x1b\[31mred\\u009b \\xff \\u202e |
| NULL | X'00AB' |
`},
	} {
		columns, rows := odd()
		if got := written(t, formatFlag(tt.format), 0, columns, rows); got != tt.want {
			t.Errorf("%s:\n%q\nwant\n%q", tt.format, got, tt.want)
		}
	}
}

func written(t *testing.T, format formatFlag, width int, columns []string, rows [][]any) string {
	t.Helper()
	var b bytes.Buffer
	if err := writeRows(&b, format, &fit{columns: width}, columns, rowsOf(rows)); err != nil {
		t.Fatalf("%s: %v", format, err)
	}
	return b.String()
}

func TestWriteNoRows(t *testing.T) {
	for format, want := range map[formatFlag]string{
		"csv": "a,b\r\n", "tsv": "a\tb\n", "json": "[]\n", "jsonl": "",
		"table": "a  b\n-  -\n", "box": "┌───┬───┐\n│ a │ b │\n├───┼───┤\n└───┴───┘\n", "markdown": "| a | b |\n| --- | --- |\n",
	} {
		if got := written(t, format, 0, []string{"a", "b"}, nil); got != want {
			t.Errorf("%s: %q", format, got)
		}
	}
}

func TestWriteLoneNull(t *testing.T) {
	for format, want := range map[formatFlag]string{"csv": "a\r\n\"\"\r\n", "tsv": "a\n\\N\n"} {
		if got := written(t, format, 0, []string{"a"}, [][]any{{nil}}); got != want {
			t.Errorf("%s: %q", format, got)
		}
	}
}

// TestJSONReadsBack holds the JSON against a decoder that is not ours.
func TestJSONReadsBack(t *testing.T) {
	columns, rows := odd()
	var array []map[string]any
	decoder := json.NewDecoder(strings.NewReader(written(t, "json", 0, columns, rows)))
	decoder.UseNumber()
	if err := decoder.Decode(&array); err != nil {
		t.Fatal(err)
	}
	if len(array) != len(rows) || array[0]["k"].(json.Number).String() != "9223372036854775807" {
		t.Errorf("got %v", array)
	}
	if got := array[4][columns[1]]; got != rows[4][1] {
		t.Errorf("got %q", got)
	}
}

// TestCSVReadsBack holds the CSV against a reader that is not ours.
func TestCSVReadsBack(t *testing.T) {
	columns, rows := odd()
	records, err := csv.NewReader(strings.NewReader(written(t, "csv", 0, columns, rows))).ReadAll()
	if err != nil || len(records) != len(rows)+1 || records[3][1] != "a,b" || records[0][1] != columns[1] {
		t.Errorf("got %q, %v", records, err)
	}
}

func FuzzAppendFloat(f *testing.F) {
	for _, x := range []float64{0, math.Copysign(0, -1), 1, 0.1, 1e-7, 1e21, math.MaxFloat64, math.SmallestNonzeroFloat64} {
		f.Add(x)
	}
	f.Fuzz(func(t *testing.T, x float64) {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return
		}
		text := appendFloat(nil, x)
		if !json.Valid(text) {
			t.Fatalf("%s is no JSON number", text)
		}
		back, err := strconv.ParseFloat(string(text), 64)
		if err != nil || math.Float64bits(back) != math.Float64bits(x) {
			t.Fatalf("%v printed as %s reads back as %v, %v", x, text, back, err)
		}
	})
}

func FuzzAppendJSONString(f *testing.F) {
	f.Add("a\"\\\x00\x1b\u2028\xff世")
	f.Fuzz(func(t *testing.T, s string) {
		text := appendJSONString(nil, s)
		var back string
		if err := json.Unmarshal(text, &back); err != nil || back != string([]rune(s)) {
			t.Fatalf("%q printed as %s reads back as %q, %v", s, text, back, err)
		}
	})
}

func TestPrintableSteersNothing(t *testing.T) {
	for in, want := range map[string]string{
		"plain é 世":        "plain é 世",
		"\x1b]0;x\x07":     `\x1b]0;x\a`,
		"a\u00a0b\u200b":   `a\u00a0b\u200b`,
		"\xc3(":            `\xc3(`,
		"real \ufffd here": "real \ufffd here",
	} {
		if got := printable(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestTableWidths(t *testing.T) {
	columns := []string{"名前", "n", "note"}
	rows := [][]any{{"モデル", int64(5), "a long note that will be cut"}, {"é", int64(12), "short"}}
	want := `名前     n  note
------  --  ----------------------------
モデル   5  a long note that will be cut
é       12  short
`
	if got := written(t, "table", 0, columns, rows); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	for limit := 8; limit < 50; limit++ {
		for line := range strings.Lines(written(t, "table", limit, columns, rows)) {
			if w := width(strings.TrimSuffix(line, "\n")); w > max(limit, 10) {
				t.Errorf("limit %d: %q is %d wide", limit, line, w)
			}
		}
	}
	// Text gives way before numbers do.
	numbers := [][]any{{int64(1234567890123), "a text that is long enough to be cut"}}
	if got := written(t, "table", 24, []string{"n", "t"}, numbers); !strings.HasSuffix(got, "\n1234567890123  a text t…\n") {
		t.Errorf("got\n%s", got)
	}
	many := make([][]any, measuredRows+1)
	for i := range many {
		many[i] = []any{"x"}
	}
	many[measuredRows] = []any{"a wide value after the measured rows"}
	if got := written(t, "table", 0, []string{"c"}, many); !strings.HasSuffix(got, "\nx\na wide value after the measured rows\n") {
		t.Errorf("the last rows are %q", got[len(got)-60:])
	}
}

// TestFitOmits holds that a table with more columns than a terminal has room for
// keeps the first and the last, says how many it left out, and fits; and that a
// wrapped column loses nothing.
func TestFitOmits(t *testing.T) {
	var columns []string
	var row []any
	for i := range 40 {
		columns = append(columns, fmt.Sprintf("c%d", i))
		row = append(row, fmt.Sprintf("value %d of a row that is long", i))
	}
	row[20] = int64(math.MinInt64)
	var omitted int
	for limit := 16; limit < 600; limit += 7 {
		for _, write := range []func(io.Writer, *fit, []string, iter.Seq2[[]any, error]) error{writeTable, writeBox} {
			f := &fit{columns: limit, omits: true}
			var b bytes.Buffer
			if err := write(&b, f, columns, rowsOf([][]any{row})); err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(b.String()) {
				if w := width(strings.TrimSuffix(line, "\n")); w > max(limit, 24) {
					t.Errorf("limit %d: %q is %d wide", limit, line, w)
				}
			}
			header := strings.Fields(strings.Trim(strings.Split(strings.ReplaceAll(b.String(), "│", " "), "\n")[headerLine(b.String())], " "))
			if !f.cut || header[0] != "c0" || header[len(header)-1] != "c39" || f.omitted > 0 && (f.of != 40 || len(header) != 40-f.omitted+1) {
				t.Errorf("limit %d: %+v\n%s", limit, f, b.String())
			}
			if f.omitted > 0 {
				omitted++
			}
		}
	}
	if omitted < 10 {
		t.Errorf("columns were left out %d times only", omitted)
	}

	meaning := "a meaning of several words, and averyverylongwordthatfitsnoline 世世世世世世世世世世世 at its end"
	var b bytes.Buffer
	if err := writeTable(&b, &fit{columns: 30, wraps: true}, []string{"column", "meaning"}, rowsOf([][]any{{"name", meaning}, {"other", "short"}})); err != nil {
		t.Fatal(err)
	}
	var got []string
	for i, line := range strings.Split(strings.TrimSpace(b.String()), "\n") {
		if width(line) > 30 {
			t.Errorf("%q is %d wide", line, width(line))
		}
		if i > 1 && !strings.HasPrefix(line, "other") {
			got = append(got, strings.TrimPrefix(strings.TrimSpace(line), "name"))
		}
	}
	if strip := strings.NewReplacer(" ", ""); strip.Replace(strings.Join(got, "")) != strip.Replace(meaning) {
		t.Errorf("got\n%s", b.String())
	}
}

func TestPrintErrorPointsAt(t *testing.T) {
	long := "SELECT 1,\n\t" + strings.Repeat("世, ", 60) + "oops FROM t WHERE " + strings.Repeat("x", 100)
	var b bytes.Buffer
	printError(&b, &store.QueryError{SQL: long, Offset: strings.Index(long, "oops"), Message: "no\x1bsuch"})
	lines := strings.Split(b.String(), "\n")
	if len(lines) != 4 || lines[0] != `blis-warehouse: no\x1bsuch` {
		t.Fatalf("got %q", lines)
	}
	caret := strings.Index(lines[2], "^")
	at := width(lines[1][:strings.Index(lines[1], "oops")])
	if caret != at || width(lines[1]) > 140 {
		t.Errorf("the caret is at %d, not %d:\n%s", caret, at, b.String())
	}
}

// failing is a writer without room.
type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestFullOutputIsReported(t *testing.T) {
	var stderr bytes.Buffer
	if code := run([]string{"version", "-f", "csv"}, strings.NewReader(""), failing{}, &stderr); code != exitTrouble || stderr.String() != "blis-warehouse: write standard output: no space left\n" {
		t.Errorf("exit code %d, stderr %q", code, stderr.String())
	}
}

func TestNearest(t *testing.T) {
	candidates := []string{"name", "names", "run_id", "model", "measurements"}
	for word, want := range map[string]string{
		"nmae": "name", "naem": "name", "RUNID": "run_id", "measur": "measurements", "zzz": "", "m": "",
	} {
		if got := nearest(word, candidates); (len(got) == 0) != (want == "") || want != "" && got[0] != want {
			t.Errorf("%s: got %q", word, got)
		}
	}
}

// TestCommandTable holds that every command explains itself.
func TestCommandTable(t *testing.T) {
	for _, c := range commands() {
		if c.summary == "" || strings.HasSuffix(c.summary, ".") || !strings.Contains(c.help, "Examples:\n") || !strings.Contains(c.help, "blis-warehouse "+c.name) {
			t.Errorf("%s: summary or help is incomplete", c.name)
		}
		if !strings.Contains(usage(), "\n  "+c.name+" ") {
			t.Errorf("%s is not in the usage", c.name)
		}
		for line := range strings.Lines(c.manual()) {
			if strings.Contains(line, "\t") {
				t.Errorf("%s: a tab in the help: %q", c.name, line)
			}
		}
	}
}

// headerLine is the number of the line with the names of a table or box.
func headerLine(text string) int {
	if strings.HasPrefix(text, "c0") {
		return 0
	}
	return 1
}

// Whichever flags a command has for rows, a table fits the terminal until a
// width is asked for, as the help says.
func TestTablesFitUnlessAsked(t *testing.T) {
	for name, declare := range map[string]func(*pflag.FlagSet, string) *rowOutput{"rows": rowFlags, "format": formatFlags, "table": tableFlags} {
		fs := pflag.NewFlagSet(name, pflag.ContinueOnError)
		out := declare(fs, "table")
		if !out.fits || out.file != "-" {
			t.Errorf("%s: fits is %v, file %q", name, out.fits, out.file)
		}
		if err := fs.Parse([]string{"--width", "7"}); err != nil || out.fits || out.width != 7 {
			t.Errorf("%s: with --width 7 fits is %v, width %d, error %v", name, out.fits, out.width, err)
		}
	}
}
