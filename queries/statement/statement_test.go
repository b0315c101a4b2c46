package statement

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		name, text, want string
		start            int
		params           []string
	}{
		{"plain", "SELECT 1", "SELECT 1", 0, nil},
		{"trailing semicolons and comments", "SELECT 1 ; ; -- done\n/* really */;", "SELECT 1", 0, nil},
		{"leading comment", "-- why\nSELECT 1", "SELECT 1", 7, nil},
		{"leading semicolon", "; SELECT 1", "SELECT 1", 2, nil},
		{"byte order mark", "\ufeffSELECT 1", "SELECT 1", 3, nil},
		{"semicolon in a string", "SELECT ';', 'it''s;'", "SELECT ';', 'it''s;'", 0, nil},
		{"semicolon in names", "SELECT \"a;\"\"b\", `c;`, [d;]", "SELECT \"a;\"\"b\", `c;`, [d;]", 0, nil},
		{"semicolon in a comment", "SELECT 1 /* ; */ + 2 -- ;\n+ 3", "SELECT 1 /* ; */ + 2 -- ;\n+ 3", 0, nil},
		{"unfinished comment", "SELECT 1 /* ; SELECT 2", "SELECT 1", 0, nil},
		{"division", "SELECT 4/2", "SELECT 4/2", 0, nil},
		{"parameters once each", "SELECT :b, @a, $c, :b", "SELECT :b, @a, $c, :b", 0, []string{"b", "a", "c"}},
		{"Tcl parameters", "SELECT $a::b, $c(d)", "SELECT $a::b, $c(d)", 0, []string{"a::b", "c(d)"}},
		{"no parameter in a string", "SELECT ':a', \":b\" -- :c", "SELECT ':a', \":b\"", 0, nil},
		{"dollar inside a word", "SELECT a$b", "SELECT a$b", 0, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := Parse(tt.text)
			if err != nil {
				t.Fatal(err)
			}
			if s.Text != tt.want || s.Start != tt.start || !slices.Equal(s.Params, tt.params) {
				t.Errorf("got %q at %d with %q", s.Text, s.Start, s.Params)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	for _, tt := range []struct {
		name, text, message string
		offset              int
	}{
		{"second statement", "SELECT 1; DROP TABLE t", "more than one statement", 10},
		{"second statement after comment", "SELECT 1;--\nx", "more than one statement", 12},
		{"string", "SELECT 'a", "closing '", 7},
		{"bracket", "SELECT [a", "closing ]", 7},
		{"positional", "SELECT ?1", "positional parameter ?1", 7},
		{"bare colon", "SELECT : a", "unrecognized token", 7},
		{"NUL", "SELECT 1\x00; DROP TABLE t", "unrecognized token", 8},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse(tt.text)
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("got %v", err)
			}
			if !strings.Contains(e.Message, tt.message) || e.Offset != tt.offset {
				t.Errorf("got %q at %d", e.Message, e.Offset)
			}
		})
	}
	for _, text := range []string{"", " \n", ";;", "-- only this", "/* and this", "/* closed */ ;"} {
		if _, err := Parse(text); !errors.Is(err, ErrEmpty) {
			t.Errorf("%q: got %v, want ErrEmpty", text, err)
		}
	}
}

func TestVerbAndOrdered(t *testing.T) {
	for _, tt := range []struct {
		text, verb string
		ordered    bool
	}{
		{"select a from t order by a", "SELECT", true},
		{"with x as (select 1 order by 1) select * from x", "WITH", false},
		{"select 'order by'", "SELECT", false},
		{"select a from t order /* so */ by a", "SELECT", true},
		{"(select 1)", "", false},
		{"'select'", "", false},
		{"'a' select", "", false},
	} {
		s, err := Parse(tt.text)
		if err != nil {
			t.Fatal(err)
		}
		if s.Verb() != tt.verb || s.Ordered() != tt.ordered {
			t.Errorf("%q: verb %q, ordered %v", tt.text, s.Verb(), s.Ordered())
		}
	}
}

func TestFind(t *testing.T) {
	for _, tt := range []struct {
		text, name string
		want       int
	}{
		{"SELECT 'runz' /* runz */ FROM Runz", "runz", 30},
		{"SELECT * FROM \"a\"\"b\"", "a\"b", 14},
		{"SELECT * FROM [runz]", "runz", 14},
		{"SELECT runzz", "runz", -1},
		{"SELECT 'runz", "runz", -1},
	} {
		if got := Find(tt.text, tt.name); got != tt.want {
			t.Errorf("%s in %s: got %d", tt.name, tt.text, got)
		}
	}
}

func TestSplit(t *testing.T) {
	for _, tt := range []struct {
		text, first, rest string
		complete          bool
	}{
		{"SELECT 1; SELECT 2", "SELECT 1;", " SELECT 2", true},
		{";;-- a;\nSELECT ';' /* ; */ ;x", ";;-- a;\nSELECT ';' /* ; */ ;", "x", true},
		{"SELECT 1", "SELECT 1", "", false},
		{"SELECT 1 -- ;", "SELECT 1 -- ;", "", false},
		{"SELECT 'a;", "SELECT 'a;", "", false},
		{" ; ", " ; ", "", false},
		{"", "", "", false},
	} {
		if first, rest, complete := Split(tt.text); first != tt.first || rest != tt.rest || complete != tt.complete {
			t.Errorf("%q: got %q, %q, %v", tt.text, first, rest, complete)
		}
	}
}

// FuzzTokens holds that the tokens of a text are the whole text, and that its
// parts are all of it.
func FuzzTokens(f *testing.F) {
	for _, seed := range []string{"SELECT 1;", "-- a\nSELECT ':x' + :y", "SELECT [a;b], \"c\"\"d\"", "/*", "'", "[", "a;b;"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		for tok := range Tokens(text) {
			if tok.Start != end || tok.End <= tok.Start {
				t.Fatalf("%q: token %+v after %d", text, tok, end)
			}
			end = tok.End
			if name := Name(text, tok); tok.Kind == Word && name != text[tok.Start:tok.End] || tok.Kind != Word && tok.Kind != Quoted && name != "" {
				t.Fatalf("%q: token %+v has the name %q", text, tok, name)
			}
		}
		if first, rest, complete := Split(text); end != len(text) || first+rest != text || !complete && rest != "" {
			t.Fatalf("%q ends at %d, parts %q and %q", text, end, first, rest)
		}
	})
}

// FuzzParse holds that what Parse accepts is one statement and stays itself.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"SELECT 1;", "-- a\nSELECT ':x' + :y", "SELECT [a;b], \"c\"\"d\"", "/*", "$a(b", "#1", "a;b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(text)
		if err != nil {
			return
		}
		if text[s.Start:s.Start+len(s.Text)] != s.Text {
			t.Fatalf("%q is not at %d of %q", s.Text, s.Start, text)
		}
		again, err := Parse(s.Text)
		if err != nil || again.Text != s.Text || again.Start != 0 || !slices.Equal(again.Params, s.Params) {
			t.Fatalf("%q: parsed again: %q, %v, %v", text, again.Text, again.Params, err)
		}
		if _, err := Parse(s.Text + ";\nSELECT 1"); err == nil && !strings.Contains(s.Text, "/*") {
			t.Fatalf("%q: a second statement was accepted", s.Text)
		}
	})
}

func TestReplaceParams(t *testing.T) {
	got := ReplaceParams("-- :a\nSELECT ':a', \":a\", [:a], :a + @b/*$c*/, $c::INT, x FROM t WHERE :a", func(name string) string { return "<" + name + ">" })
	want := "-- :a\nSELECT ':a', \":a\", [:a], <a> + <b>/*$c*/, <c::INT>, x FROM t WHERE <a>"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
