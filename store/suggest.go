package store

import (
	"context"
	"slices"
	"strings"

	"github.com/inference-sim/blis-warehouse/queries/statement"
)

// NamedRelation is a table or view that a statement names.
type NamedRelation struct {
	Name  string
	Alias string // by which the statement calls it, "" for its name
}

// called is what columns of the relation are qualified with.
func (n NamedRelation) called() string {
	if n.Alias != "" {
		return n.Alias
	}
	return n.Name
}

// complaints are the beginnings of SQLite's messages about names.
const (
	noTable    = "no such table: "
	noColumn   = "no such column: "
	noFunction = "no such function: "
	ambiguous  = "ambiguous column name: "
	wrongCount = "wrong number of arguments to function "
)

// addKnown adds to an error about a name the names that exist.
func (r *Reader) addKnown(ctx context.Context, e *QueryError) {
	if r.naming { // a view that is broken itself
		return
	}
	r.naming = true
	defer func() { r.naming = false }()
	// Without the names the message is the poorer, not wrong.
	if name, ok := strings.CutPrefix(e.Message, noTable); ok {
		e.Unknown = unqualified(name)
		e.place(relationOffset(e.SQL, e.Unknown))
		e.Known, _ = r.texts(ctx, "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') ORDER BY name")
	}
	if name, ok := strings.CutPrefix(e.Message, noFunction); ok {
		e.Unknown = name
		e.place(statement.Find(e.SQL, e.Unknown))
		e.Known, _ = r.texts(ctx, "SELECT DISTINCT name FROM pragma_function_list ORDER BY name")
	}
	if name, ok := strings.CutPrefix(e.Message, wrongCount); ok {
		e.place(statement.Find(e.SQL, strings.TrimSuffix(name, "()")))
	}
	if name, ok := strings.CutPrefix(e.Message, noColumn); ok {
		r.addColumns(ctx, e, name)
	}
	if name, ok := strings.CutPrefix(e.Message, ambiguous); ok {
		name = unqualified(name)
		e.place(statement.Find(e.SQL, name))
		columns := r.columnsByRelation(ctx)
		for _, relation := range NamedRelations(e.SQL, columns) {
			if slices.ContainsFunc(columns[relation.Name], func(c string) bool { return strings.EqualFold(c, name) }) {
				e.Choices = append(e.Choices, relation.called()+"."+name)
			}
		}
	}
}

// addColumns adds to an error about the column name those of the relations that
// the statement names, and the others that have a column of its name.
func (r *Reader) addColumns(ctx context.Context, e *QueryError, name string) {
	// SQLite takes a column in double quotes for a string meant otherwise.
	name, _, _ = strings.Cut(name, " - should this be")
	// A column comes with its table where the statement names it.
	qualifier, _ := cutLast(name, ".")
	e.Unknown = unqualified(name)
	e.place(statement.Find(e.SQL, e.Unknown))
	columns := r.columnsByRelation(ctx)
	for _, relation := range NamedRelations(e.SQL, columns) {
		if qualifier == "" || strings.EqualFold(relation.called(), qualifier) {
			e.Known = append(e.Known, columns[relation.Name]...)
		}
	}
	for relation, names := range columns {
		if slices.ContainsFunc(names, func(c string) bool { return strings.EqualFold(c, e.Unknown) }) {
			e.Elsewhere = append(e.Elsewhere, relation)
		}
	}
	slices.Sort(e.Elsewhere)
	if e.Known == nil { // only common table expressions are named, or nothing
		for _, names := range columns {
			e.Known = append(e.Known, names...)
		}
	}
	slices.Sort(e.Known)
	e.Known = slices.Compact(e.Known)
}

// place is where the trouble is, unless SQLite has said so.
func (e *QueryError) place(offset int) {
	if e.Offset < 0 {
		e.Offset = offset
	}
}

// unqualified is the last part of a name, without quotes.
func unqualified(name string) string {
	_, last := cutLast(name, ".")
	return strings.Trim(last, `"`)
}

// cutLast parts s around the last sep; before is "" where there is none.
func cutLast(s, sep string) (before, after string) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):]
	}
	return "", s
}

// columnsByRelation are the columns of every table and view, nil where they
// cannot be read.
func (r *Reader) columnsByRelation(ctx context.Context) map[string][]string {
	rows, err := r.Query(ctx, `SELECT t.name, c.name FROM sqlite_schema AS t JOIN pragma_table_info(t.name) AS c
		WHERE t.type IN ('table', 'view') AND t.name <> 'goose_db_version' ORDER BY t.name, c.cid`, nil)
	if err != nil {
		return nil
	}
	columns := map[string][]string{}
	for row, err := range rows.All() {
		if err != nil {
			return columns
		}
		relation, _ := row[0].(string)
		column, _ := row[1].(string)
		columns[relation] = append(columns[relation], column)
	}
	return columns
}

// beforeRelation are the words that a table or view follows.
var beforeRelation = []string{"FROM", "JOIN", "IN"}

// afterRelation are the words that may follow a table or view and are no alias of it.
var afterRelation = []string{"WHERE", "JOIN", "LEFT", "RIGHT", "FULL", "INNER", "OUTER", "CROSS", "NATURAL", "ON", "USING", "GROUP", "ORDER", "HAVING",
	"LIMIT", "OFFSET", "UNION", "EXCEPT", "INTERSECT", "WINDOW", "INDEXED", "NOT", "SELECT", "VALUES", "SET"}

// relationOffset is where text names a table or view that may not exist, -1 for nowhere.
func relationOffset(text, name string) int {
	before := ""
	for tok := range statement.Tokens(text) {
		if tok.Kind == statement.Space {
			continue
		}
		word := statement.Name(text, tok)
		if strings.EqualFold(word, name) && (before == "," || slices.Contains(beforeRelation, strings.ToUpper(before))) {
			return tok.Start
		}
		before = text[tok.Start:tok.End]
	}
	return statement.Find(text, name)
}

// NamedRelations are those of the tables and views that are the keys of columns
// that a text of SQL names, in the order of the text, each with the alias that
// follows it. A name before a dot says whose a column is, and does not count. The
// text need not be a whole statement.
func NamedRelations(text string, columns map[string][]string) []NamedRelation {
	canonical := map[string]string{}
	for name := range columns {
		canonical[strings.ToLower(name)] = name
	}
	var all []NamedRelation
	open, dotted := false, false // whether an alias may follow; whether a dot stands before
	for tok := range statement.Tokens(text) {
		word := statement.Name(text, tok)
		relation, known := canonical[strings.ToLower(word)]
		dot := text[tok.Start:tok.End] == "."
		switch {
		case tok.Kind == statement.Space || open && strings.EqualFold(word, "AS") && tok.Kind == statement.Word:
			continue
		case open && dot: // it says whose column follows
			all, open = all[:len(all)-1], false
		case open && word != "" && !slices.Contains(afterRelation, strings.ToUpper(word)):
			all[len(all)-1].Alias, open = word, false
		case known && !dotted:
			all, open = append(all, NamedRelation{Name: relation}), true
		default:
			open = false
		}
		dotted = dot
	}
	return all
}
