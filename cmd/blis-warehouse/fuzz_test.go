package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/inference-sim/blis-warehouse/queries/export"
)

// FuzzParam holds that a text parameter arrives as it was given, that a guessed
// number denotes what the text says, and that everything else stays text.
func FuzzParam(f *testing.F) {
	for _, s := range []string{"", "7", "-7", "007", "+5", "2.5", "1e-3", "12e4567", "1e999", "-0", "a=b", "99999999999999999999", "NaN", "0x10", "1_000", " 1", "\x00", "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		all, err := parseAssignments([]string{"p:text=" + s})
		if err != nil {
			t.Fatalf("%q: %v", s, err)
		}
		if v, err := all[0].value(""); err != nil || v != s {
			t.Fatalf("text %q arrived as %v, %v", s, v, err)
		}
		if all, err = parseAssignments([]string{"p=" + s}); err != nil {
			t.Fatalf("%q: %v", s, err)
		}
		v, err := all[0].value("")
		if err != nil {
			return // a number beyond its range is said to be one
		}
		switch v := v.(type) {
		case int64:
			if got := strconv.FormatInt(v, 10); got != s && s != "-0" {
				t.Fatalf("%q is the integer %s", s, got)
			}
		case float64:
			if want, err := strconv.ParseFloat(s, 64); err != nil || want != v || !json.Valid([]byte(s)) {
				t.Fatalf("%q is the number %v", s, v)
			}
		case string:
			if v != s {
				t.Fatalf("%q became %q", s, v)
			}
		default:
			t.Fatalf("%q is a %T", s, v)
		}
		if all, err := parseAssignments([]string{s}); err == nil && (len(all) != 1 || all[0].name == "" || strings.ContainsAny(all[0].name, "=:")) {
			t.Fatalf("--param %q has the name %q", s, all[0].name)
		}
	})
}

// FuzzRows holds that rows read back from csv, tsv and json, by readers that are
// not ours where there are some, and that a spreadsheet finds no formula in them.
func FuzzRows(f *testing.F) {
	for _, s := range []string{"", "a", "=1+1", "+1", "-1", "@x", "\t=1", "\r=1", "'=1", "a,b", "\"", "\r\n", "\n", `\`, `\N`, `\t`, "\x1b[2J", "\u202e", "\u009b", "\xff", "\ufeffx", "\U000e0001"} {
		f.Add(s, "b")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		columns, rows := []string{"x", "y", "z"}, [][]any{{a, b, int64(-1)}, {b, nil, -0.5}}
		read := func(text string) [][]string {
			r := csv.NewReader(strings.NewReader(text))
			all, err := r.ReadAll()
			if err != nil || len(all) != 3 {
				t.Fatalf("%q: %d rows, %v", text, len(all), err)
			}
			return all
		}
		same := func(got, want string) bool { // the reader makes line feeds of all breaks
			return got == strings.ReplaceAll(want, "\r\n", "\n")
		}
		csvText := written(t, "csv", 0, columns, rows)
		if got := read(csvText); !same(got[1][0], a) || !same(got[1][1], b) || got[1][2] != "-1" || !same(got[2][0], b) || got[2][1] != "" || got[2][2] != "-0.5" {
			t.Fatalf("csv of %q, %q: %q", a, b, got)
		}
		tsv := strings.Split(written(t, "tsv", 0, columns, rows), "\n")
		cells := strings.Split(tsv[1], "\t")
		unescape := strings.NewReplacer(`\\`, `\`, `\t`, "\t", `\n`, "\n", `\r`, "\r")
		if len(tsv) != 4 || len(cells) != 3 || unescape.Replace(cells[0]) != a || unescape.Replace(cells[1]) != b || strings.Split(tsv[2], "\t")[1] != `\N` {
			t.Fatalf("tsv of %q, %q: %q", a, b, tsv)
		}
		for _, format := range []formatFlag{"json", "jsonl"} {
			text := written(t, format, 0, columns, rows)
			if i := strings.IndexFunc(text, func(r rune) bool { return r != '\n' && unseen(r) }); i >= 0 {
				t.Fatalf("%s holds %q", format, text[i:])
			}
			dec := json.NewDecoder(strings.NewReader(strings.Trim(text, "[]\n")))
			var first struct{ X, Y *string }
			if err := dec.Decode(&first); err != nil || *first.X != strings.ToValidUTF8(a, "\ufffd") && utf8.ValidString(a) || *first.Y != b && utf8.ValidString(b) {
				t.Fatalf("%s of %q, %q: %v", format, a, b, err)
			}
		}
		for _, format := range []formatFlag{"csv", "tsv"} {
			var out bytes.Buffer
			if err := writeStyled(&out, format, nil, style{excel: true, terminal: true}, columns, rowsOf(rows)); err != nil {
				t.Fatal(err)
			}
			if i := strings.IndexFunc(strings.ReplaceAll(out.String(), "\r\n", "\n"), func(r rune) bool {
				return r != '\n' && r != '\t' && (unseen(r) || r == utf8.RuneError && !strings.Contains(a+b, "\ufffd"))
			}); i >= 0 {
				t.Fatalf("%s on a terminal holds %q", format, out.String()[i:])
			}
			out.Reset()
			if err := writeStyled(&out, format, nil, style{excel: true}, columns, rowsOf(rows)); err != nil {
				t.Fatal(err)
			}
			if format == "csv" {
				for _, cell := range append(read(out.String())[1][:2:2], read(out.String())[2][0]) {
					if export.IsFormula(cell) {
						t.Fatalf("%q is a formula", cell)
					}
				}
				if got := read(out.String()); got[1][2] != "-1" || got[2][2] != "-0.5" {
					t.Fatalf("numbers %q", got)
				}
			}
		}
	})
}

// FuzzPrintable holds that what people see cannot steer a terminal, stays on its
// line, and is the text itself where that prints.
func FuzzPrintable(f *testing.F) {
	for _, s := range []string{"", "a b", "é", "\x1b]0;x\a", "\u009b2J", "\u202e", "\u200d", "\ufeff", "\xc2", "\u2028", "\x7f", "👩‍💻"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p := printable(s)
		for _, r := range p {
			if !unicode.IsPrint(r) {
				t.Fatalf("%q shows %q", s, r)
			}
		}
		if !utf8.ValidString(p) {
			t.Fatalf("%q shows %q", s, p)
		}
		if !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError }) && p != s {
			t.Fatalf("%q shows as %q", s, p)
		}
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if _, err := (jsonText{&out}).Write(append(text, '\n')); err != nil {
			t.Fatal(err)
		}
		var again string
		if err := json.Unmarshal(out.Bytes(), &again); err != nil || again != strings.ToValidUTF8(s, "\ufffd") && utf8.ValidString(s) || strings.ContainsFunc(strings.TrimSuffix(out.String(), "\n"), unseen) {
			t.Fatalf("%q as JSON: %q, %v", s, out.String(), err)
		}
	})
}
