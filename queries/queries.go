// Package queries holds the SQL that people ask for by name, one file each,
// and the parser of the files' header. It is not a place for writes or for the
// schema's views, and it knows no database: a query is text with a meaning
// beside it. A file's header is strict, so that the list of queries, their
// help and their parameters are always complete.
//
// A header is made of comment lines, in this order:
//
//	-- name: the file's name without .sql
//	-- summary: one line
//	-- param: NAME text|integer|real|day [optional] what it means (a line for each)
//	-- one of: the only values of that parameter, separated by commas (optional)
//	-- columns: the result's columns, separated by commas
//	--
//	-- description, any number of lines (with the empty line before: optional)
//
// The rest of the file is one SELECT with an ORDER BY. A parameter that is
// optional is NULL when it is not given.
//
// A query named check-… is a standing check: it returns what is wrong and no
// rows when nothing is.
package queries

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/inference-sim/blis-warehouse/queries/statement"
)

//go:embed *.sql show/*.sql
var files embed.FS

// checkPrefix begins the names of the standing checks.
const checkPrefix = "check-"

// Query is a named query.
type Query struct {
	Name        string
	Summary     string // one line
	Description string // lines of prose, may be empty
	Params      []Param
	Columns     []string // of the result, in order
	Text        string   // the whole file, header included; it runs as it is
}

// Statement is the SQL of the query without the header and the semicolon.
func (q Query) Statement() string {
	st, err := statement.Parse(q.Text)
	if err != nil {
		panic(err) // Parse has read it
	}
	return st.Text
}

// Check reports whether the query is a standing check.
func (q Query) Check() bool { return strings.HasPrefix(q.Name, checkPrefix) }

// Param is a parameter of a query.
type Param struct {
	Name     string // without the colon
	Type     Type
	Optional bool // NULL when not given
	Meaning  string
	Words    []string // its only values; none for any value
}

// Takes reports whether value is one that the parameter may have: any where it
// has no words, else NULL or one of them. Another would find nothing, which looks
// like an answer.
func (p Param) Takes(value any) bool {
	word, isText := value.(string)
	return p.Words == nil || value == nil || isText && slices.Contains(p.Words, word)
}

// Type is the type of a parameter's value.
type Type string

// The types of values.
const (
	Text    Type = "text"
	Integer Type = "integer"
	Real    Type = "real"
	Day     Type = "day" // a text YYYY-MM-DD: days compare as texts only in this form
)

// Types are all types.
func Types() []Type { return []Type{Text, Integer, Real, Day} }

// Value is the value that text denotes: a string, an int64, a finite float64,
// or the string of a day.
func (t Type) Value(text string) (any, error) {
	switch t {
	case Text:
		return text, nil
	case Integer:
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%q is not an integer of 64 bits", text)
		}
		return n, nil
	case Real:
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(x) || math.IsInf(x, 0) || strings.ContainsAny(text, "xX_") {
			return nil, fmt.Errorf("%q is not a finite decimal number", text)
		}
		return x, nil
	case Day:
		if _, err := time.Parse(time.DateOnly, text); err != nil {
			return nil, fmt.Errorf("%q is not a day YYYY-MM-DD", text)
		}
		return text, nil
	}
	return nil, fmt.Errorf("unknown type %q", string(t))
}

// All are the queries that people ask for, by name; standing checks are apart.
func All() []Query {
	return slices.DeleteFunc(embedded(), Query.Check)
}

// Checks are the standing checks, by name.
func Checks() []Query {
	return slices.DeleteFunc(embedded(), func(q Query) bool { return !q.Check() })
}

// Sections are the queries that the show command prints a run with, in order.
// Each takes the parameter run; its summary is the section's title.
func Sections() []Query {
	sub, err := fs.Sub(files, "show")
	if err != nil {
		panic(err)
	}
	all, err := Load(sub)
	if err != nil {
		panic(err)
	}
	return all
}

// Get is the query or standing check called name; ok is false when there is
// none.
func Get(name string) (q Query, ok bool) {
	q, ok, err := Find(files, name)
	if err != nil {
		panic(err)
	}
	return q, ok
}

// Find reads the query called name at the top of fsys; ok is false when there
// is none.
func Find(fsys fs.FS, name string) (q Query, ok bool, err error) {
	text, ok, err := readText(fsys, name)
	if err != nil || !ok {
		return Query{}, false, err
	}
	if q, err = Parse(name, text); err != nil {
		return Query{}, false, fmt.Errorf("%s.sql: %w", name, err)
	}
	return q, true, nil
}

// SQL is the statement called name: of a file at the top of own, which need have no
// header, or else of the program's query or standing check.
func SQL(own fs.FS, name string) (string, error) {
	for _, fsys := range []fs.FS{own, files} {
		if text, ok, err := readText(fsys, name); err != nil || ok {
			return text, err
		}
	}
	return "", fmt.Errorf("the program has no query %s", name)
}

// readText reads name.sql at the top of fsys; ok is false when there is none.
func readText(fsys fs.FS, name string) (text string, ok bool, err error) {
	file := name + ".sql"
	if !fs.ValidPath(file) || strings.Contains(name, "/") {
		return "", false, nil
	}
	content, err := fs.ReadFile(fsys, file)
	if errors.Is(err, fs.ErrNotExist) {
		return "", false, nil
	}
	if err != nil {
		return "", false, fmt.Errorf("read query: %w", err)
	}
	return string(content), true, nil
}

// embedded are the queries in the program. A wrong header in them is a mistake
// of ours that the tests find.
func embedded() []Query {
	all, err := Load(files)
	if err != nil {
		panic(err)
	}
	return all
}

// Load reads every .sql file at the top of fsys, by name.
func Load(fsys fs.FS) ([]Query, error) {
	names, err := fs.Glob(fsys, "*.sql")
	if err != nil {
		return nil, fmt.Errorf("list queries: %w", err)
	}
	all := make([]Query, 0, len(names))
	for _, file := range names {
		content, err := fs.ReadFile(fsys, file)
		if err != nil {
			return nil, fmt.Errorf("read query: %w", err)
		}
		q, err := Parse(strings.TrimSuffix(path.Base(file), ".sql"), string(content))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, q)
	}
	slices.SortFunc(all, func(a, b Query) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

// Parse reads the file of the query called name. An error begins with the
// number of the line it is about, where there is one.
func Parse(name, text string) (Query, error) {
	q := Query{Name: name, Text: text}
	h := header{lines: strings.Split(text, "\n")}
	if got := h.field("name"); h.err == nil && got != name {
		h.fail("name %q is not the file's, %q", got, name)
	}
	q.Summary = h.field("summary")
	for h.has("param") {
		q.Params = append(q.Params, h.param(q.Params))
	}
	q.Columns = h.columns()
	q.Description = h.description()
	if h.err != nil {
		return Query{}, h.err
	}
	if err := q.checkStatement(); err != nil {
		return Query{}, err
	}
	return q, nil
}

// checkStatement holds the SQL against the header.
func (q Query) checkStatement() error {
	st, err := statement.Parse(q.Text)
	if err != nil {
		return err
	}
	if verb := st.Verb(); verb != "SELECT" && verb != "WITH" {
		return fmt.Errorf("the statement is no SELECT")
	}
	if !st.Ordered() {
		return fmt.Errorf("the statement has no ORDER BY")
	}
	declared := make([]string, 0, len(q.Params))
	for _, p := range q.Params {
		if !slices.Contains(st.Params, p.Name) {
			return fmt.Errorf("parameter %s is declared, but the statement does not use it", p.Name)
		}
		declared = append(declared, p.Name)
	}
	for _, name := range st.Params {
		if !slices.Contains(declared, name) {
			return fmt.Errorf("parameter %s is used, but not declared", name)
		}
	}
	return nil
}

// header reads the lines of a file from the top. After the first mistake it
// keeps that and reads nothing more.
type header struct {
	lines []string
	next  int // the line to read, from 0
	err   error
}

// fail records a mistake in the line read last.
func (h *header) fail(format string, args ...any) {
	if h.err == nil {
		h.err = fmt.Errorf("line %d: %s", h.next, fmt.Sprintf(format, args...))
	}
}

// has reports whether the next line is the field called key.
func (h *header) has(key string) bool {
	return h.err == nil && h.next < len(h.lines) && strings.HasPrefix(h.lines[h.next], "-- "+key+":")
}

// field is the text of the next line, which must be the field called key.
func (h *header) field(key string) string {
	found := h.has(key)
	h.next++
	if !found {
		h.fail("expected %q", "-- "+key+": …")
		return ""
	}
	value := strings.TrimSpace(strings.TrimPrefix(h.lines[h.next-1], "-- "+key+":"))
	if value == "" {
		h.fail("%s is empty", key)
	}
	return value
}

// param reads a parameter that is not among earlier ones.
func (h *header) param(earlier []Param) Param {
	words := strings.Fields(h.field("param"))
	if len(words) < 2 {
		h.fail("a parameter has a name, a type and a meaning")
		return Param{}
	}
	p := Param{Name: words[0], Type: Type(words[1])}
	words = words[2:]
	if len(words) > 0 && words[0] == "optional" {
		p.Optional, words = true, words[1:]
	}
	p.Meaning = strings.Join(words, " ")
	switch {
	case !isName(p.Name):
		h.fail("parameter %q: a name is made of a-z, 0-9 and _", p.Name)
	case slices.ContainsFunc(earlier, func(e Param) bool { return e.Name == p.Name }):
		h.fail("parameter %s is declared twice", p.Name)
	case !slices.Contains(Types(), p.Type):
		h.fail("parameter %s: type %q is not text, integer, real or day", p.Name, string(p.Type))
	case p.Meaning == "":
		h.fail("parameter %s has no meaning", p.Name)
	}
	if h.has("one of") {
		p.Words = h.names("one of", "word")
		p.Meaning += ": one of " + strings.Join(p.Words, ", ")
		if h.err == nil && p.Type != Text {
			h.fail("parameter %s is no text", p.Name)
		}
	}
	return p
}

func (h *header) columns() []string { return h.names("columns", "column") }

// names reads the field called key, a list of names, each of them a what.
func (h *header) names(key, what string) []string {
	names := strings.Split(h.field(key), ",")
	for i, name := range names {
		names[i] = strings.TrimSpace(name)
		if h.err == nil && !isName(names[i]) {
			h.fail("%s %q: a name is made of a-z, 0-9 and _", what, names[i])
		}
		if h.err == nil && slices.Contains(names[:i], names[i]) {
			h.fail("%s %s is declared twice", what, names[i])
		}
	}
	return names
}

// description reads the comment lines that are left, after an empty one.
func (h *header) description() string {
	var lines []string
	for ; h.err == nil && h.next < len(h.lines) && strings.HasPrefix(h.lines[h.next], "--"); h.next++ {
		lines = append(lines, strings.TrimSpace(strings.TrimPrefix(h.lines[h.next], "--")))
	}
	if len(lines) > 0 && lines[0] != "" {
		h.next -= len(lines) - 1
		h.fail("%q is no field that may stand here; a description begins after an empty comment line", lines[0])
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

func isName(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
}
