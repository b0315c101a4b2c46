package queries

import (
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
)

const good = `-- name: loads
-- summary: the load levels of a run
-- param: run text  The run's name
-- param: order text optional  What comes first
-- one of: low, high
-- param: limit_to integer optional  How many, NULL for all
-- columns: run, concurrency
--
-- In order of concurrency.
--
-- More prose.
SELECT name AS run, concurrency FROM points -- :not_a_parameter
WHERE name = :run ORDER BY CASE WHEN :order = 'high' THEN -concurrency ELSE concurrency END LIMIT ifnull(:limit_to, -1);
`

func TestParse(t *testing.T) {
	got, err := Parse("loads", good)
	if err != nil {
		t.Fatal(err)
	}
	want := Query{
		Name:        "loads",
		Summary:     "the load levels of a run",
		Description: "In order of concurrency.\n\nMore prose.",
		Params: []Param{
			{Name: "run", Type: Text, Meaning: "The run's name"},
			{Name: "order", Type: Text, Optional: true, Meaning: "What comes first: one of low, high", Words: []string{"low", "high"}},
			{Name: "limit_to", Type: Integer, Optional: true, Meaning: "How many, NULL for all"},
		},
		Columns: []string{"run", "concurrency"},
		Text:    good,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestParseRefuses(t *testing.T) {
	for _, tt := range []struct{ name, old, new, want string }{
		{"other name", "name: loads", "name: load", `line 1: name "load" is not the file's, "loads"`},
		{"no name", "-- name: loads\n", "", `line 1: expected "-- name: …"`},
		{"no summary", "-- summary: the load levels of a run\n", "", `line 2: expected "-- summary: …"`},
		{"empty summary", "summary: the load levels of a run", "summary:", "line 2: summary is empty"},
		{"no columns", "-- columns: run, concurrency\n", "", `line 7: expected "-- columns: …"`},
		{"empty column", "run, concurrency\n", "run,\n", `line 7: column "": a name is made of a-z, 0-9 and _`},
		{"column twice", "run, concurrency\n", "run, run\n", "line 7: column run is declared twice"},
		{"unknown type", "run text", "run string", `line 3: parameter run: type "string" is not text, integer, real or day`},
		{"no meaning", "run text  The run's name", "run text optional", "line 3: parameter run has no meaning"},
		{"no type", "run text  The run's name", "run", "line 3: a parameter has a name, a type and a meaning"},
		{"parameter twice", "limit_to integer", "run integer", "line 6: parameter run is declared twice"},
		{"word twice", "low, high", "low, low", "line 5: word low is declared twice"},
		{"no word", "low, high", "low,", `line 5: word "": a name is made of a-z, 0-9 and _`},
		{"words of a number", "order text", "order integer", "line 5: parameter order is no text"},
		{"odd name", "run text", ":run text", `line 3: parameter ":run": a name is made of a-z, 0-9 and _`},
		{"unknown field", "--\n-- In order", "-- sumary: x\n-- In order", `line 8: "sumary: x" is no field that may stand here; a description begins after an empty comment line`},
		{"unused parameter", "= :run", "= 'x'", "parameter run is declared, but the statement does not use it"},
		{"undeclared parameter", "-- param: run text  The run's name\n", "", "parameter run is used, but not declared"},
		{"no order", "ORDER BY CASE WHEN :order = 'high' THEN -concurrency ELSE concurrency END", "", "the statement has no ORDER BY"},
		{"no select", "SELECT name AS run, concurrency FROM", "DELETE FROM", "the statement is no SELECT"},
		{"two statements", ";\n", "; SELECT 1;\n", "more than one statement: only one is run at a time"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := strings.Replace(good, tt.old, tt.new, 1)
			if text == good {
				t.Fatal("nothing was changed")
			}
			_, err := Parse("loads", text)
			if err == nil || err.Error() != tt.want {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
	if _, err := Parse("loads", ""); err == nil {
		t.Error("an empty file was accepted")
	}
}

func TestLoad(t *testing.T) {
	all, err := Load(fstest.MapFS{
		"loads.sql":     {Data: []byte(good)},
		"check-all.sql": {Data: []byte(strings.Replace(good, "name: loads", "name: check-all", 1))},
		"README.md":     {Data: []byte("no query")},
	})
	if err != nil || len(all) != 2 || !all[0].Check() || all[1].Check() {
		t.Errorf("got %+v, %v", all, err)
	}
	if _, err := Load(fstest.MapFS{"other.sql": {Data: []byte(good)}}); err == nil || !strings.HasPrefix(err.Error(), "other.sql: line 1: ") {
		t.Errorf("got %v", err)
	}
}

func TestEmbedded(t *testing.T) {
	if len(All()) == 0 {
		t.Fatal("no queries")
	}
	for _, q := range append(All(), Checks()...) {
		if got, ok := Get(q.Name); !ok || got.Text != q.Text {
			t.Errorf("Get(%q): %v", q.Name, ok)
		}
	}
	if _, ok := Get("nosuch"); ok {
		t.Error("a query that does not exist was found")
	}
}

// TestWords holds that the statement knows the words of a parameter that
// it tells apart itself, so that none of them finds nothing for want of a branch.
func TestWords(t *testing.T) {
	told := 0
	for _, q := range All() {
		for _, p := range q.Params {
			if p.Words == nil || p.Name == "origin" { // which is compared with a column
				continue
			}
			told++
			for _, word := range p.Words {
				if !strings.Contains(q.Text, "'"+word+"'") || !p.Takes(word) {
					t.Errorf("%s: the statement does not know %s %q", q.Name, p.Name, word)
				}
			}
			if p.Takes("nosuch") || p.Takes("") || p.Takes(int64(1)) || !p.Takes(nil) {
				t.Errorf("%s: %s takes what it should not, or not NULL", q.Name, p.Name)
			}
		}
	}
	if told < 4 {
		t.Errorf("%d parameters show little", told)
	}
}

func TestTypeValue(t *testing.T) {
	for _, tt := range []struct {
		kind Type
		text string
		want any
	}{
		{Text, "1", "1"}, {Text, "", ""},
		{Integer, "-7", int64(-7)}, {Integer, "9223372036854775807", int64(9223372036854775807)},
		{Integer, "9223372036854775808", nil}, {Integer, "1.0", nil}, {Integer, "", nil},
		{Real, "1", 1.0}, {Real, "2.5e-3", 0.0025}, {Real, "1e999", nil}, {Real, "NaN", nil}, {Real, "inf", nil}, {Real, "0x1p4", nil},
		{Day, "2026-02-28", "2026-02-28"}, {Day, "2026-2-28", nil}, {Day, "2026-02-30", nil}, {Day, "yesterday", nil}, {Day, "", nil},
		{"date", "1", nil},
	} {
		got, err := tt.kind.Value(tt.text)
		if got != tt.want || (err != nil) != (tt.want == nil) {
			t.Errorf("%s %q: got %v, %v", tt.kind, tt.text, got, err)
		}
	}
}

// FuzzParse holds that an accepted query is complete.
func FuzzParse(f *testing.F) {
	f.Add(good)
	for _, q := range All() {
		f.Add(q.Text)
	}
	f.Add("-- name: loads\r\n-- summary: x\r\n-- columns: a\r\nSELECT 1 a ORDER BY 1")
	f.Fuzz(func(t *testing.T, text string) {
		q, err := Parse("loads", text)
		if err != nil {
			return
		}
		if q.Summary == "" || strings.Contains(q.Summary, "\n") || len(q.Columns) == 0 || q.Text != text {
			t.Fatalf("incomplete: %+v", q)
		}
		for _, p := range q.Params {
			if p.Meaning == "" || !strings.Contains(text, p.Name) {
				t.Fatalf("incomplete: %+v", p)
			}
		}
	})
}

// A query is found by its own name alone: none lies in another folder, and a
// file of a caller's comes before the program's.
func TestFind(t *testing.T) {
	if q, ok := Get("run-curve"); !ok || q.Name != "run-curve" || len(q.Params) != 2 {
		t.Errorf("got %+v, %v", q, ok)
	}
	for _, name := range []string{"", ".", "..", "no-such", "show/01-run", "../queries/run-curve", "/run-curve", "run-curve.sql", "run-curve\x00"} {
		if q, ok := Get(name); ok {
			t.Errorf("%q is %s", name, q.Name)
		}
	}
	own := fstest.MapFS{"run-curve.sql": {Data: []byte("SELECT 1")}, "broken.sql": {Data: []byte("SELECT 1")}}
	if text, err := SQL(own, "run-curve"); err != nil || text != "SELECT 1" {
		t.Errorf("got %q, %v", text, err)
	}
	if text, err := SQL(own, "coverage"); err != nil || !strings.HasPrefix(text, "-- name: coverage\n") {
		t.Errorf("got %q, %v", text, err)
	}
	if _, err := SQL(own, "no-such"); err == nil {
		t.Error("no error")
	}
	if _, _, err := Find(own, "broken"); err == nil || !strings.HasPrefix(err.Error(), "broken.sql: ") {
		t.Errorf("got %v", err)
	}
}
