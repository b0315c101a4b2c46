package main

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/inference-sim/blis-warehouse/queries"
	"github.com/inference-sim/blis-warehouse/queries/statement"
	"github.com/inference-sim/blis-warehouse/queries/visible"
	"github.com/inference-sim/blis-warehouse/store"
)

// candidate is a word that may continue what is typed.
type candidate struct {
	name    string // as it is shown
	insert  string // what takes the place of the word that was begun
	meaning string // one line, may be empty
	kind    string // the heading that it is shown under
}

// completer finds candidates. What it knows of the schema is the program's own;
// values come from the database, when they are asked for.
type completer struct {
	relations func() []store.Relation // may be none
	values    func(column string) []string
	params    func() []string // that were set
}

// completionTime bounds how long a Tab may take to find values.
const completionTime = 2 * time.Second

const (
	meaningBytes  = 60  // of a meaning that are shown
	mostCompleted = 200 // candidates that are shown
)

// newCompleter completes for a shell. It begins at once to read the schema.
func newCompleter(sh *shell) *completer {
	relations := sync.OnceValue(func() []store.Relation {
		all, err := store.Dictionary(context.Background())
		if err != nil {
			return nil // then tables and columns are not completed
		}
		return all
	})
	go relations()
	return &completer{
		relations: relations,
		values:    sh.knownValues,
		params: func() (names []string) {
			for _, a := range sh.params {
				names = append(names, a.name)
			}
			return names
		},
	}
}

// valueQueries are the named queries that have the values of a column, and how
// they call it. Every other column in quotes is taken for the name of a run.
var valueQueries = map[string]struct{ query, column string }{
	"model":          {"coverage", "model"},
	"hardware":       {"coverage", "hardware"},
	"engine":         {"coverage", "engine"},
	"engine_version": {"coverage", "engine_version"},
	"metric":         {"metric-names", "metric"},
	"licence_id":     {"licence-gaps", "licence_id"},
}

// knownValues are the values of a column, each once; none where they cannot be read.
func (sh *shell) knownValues(column string) []string {
	from, ok := valueQueries[strings.ToLower(column)]
	if !ok {
		from.query, from.column = "run-names", "name"
	}
	q, ok := queries.Get(from.query)
	if !ok {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), completionTime)
	defer cancel()
	waiting := *sh.database
	waiting.busy = min(waiting.busy, completionTime)
	r, err := waiting.open(ctx, sh.env)
	if err != nil {
		return nil
	}
	defer r.Close()
	values, err := queryValues(q, nil)
	if err != nil {
		return nil
	}
	res, err := collect(ctx, r, q, values)
	if err != nil {
		return nil
	}
	var all []string
	for _, row := range res.rows {
		if v := res.text(row, from.column); v != "" {
			all = append(all, v)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// complete finds what may stand at the cursor, between before and after: the word
// that was begun there, and the candidates for it, the likeliest kind first.
func (c *completer) complete(before, after string) (word string, found []candidate) {
	step := lastStep(before)
	if isCommand(step) {
		_, sql := cutCommand(step)
		if !takesStatement(step) || sql == "" {
			return c.completeCommand(step)
		}
		step = sql
	}
	tokens := tokensOf(step)
	rest, _, _ := statement.Split(after) // only what belongs to the statement
	return c.completeStatement(step, rest, tokens)
}

// lastStep is the statement or command at the end of text, which is not ended.
func lastStep(text string) string {
	for {
		text = skipBlank(text)
		if isCommand(text) && !takesStatement(text) {
			first, rest := cutStep(text)
			if rest == "" {
				return first
			}
			text = rest
			continue
		}
		_, rest, complete := statement.Split(text)
		if !complete {
			return text
		}
		text = rest
	}
}

// tokensOf are the tokens of a text but white space and comments.
func tokensOf(text string) (all []statement.Token) {
	for tok := range statement.Tokens(text) {
		if tok.Kind != statement.Space {
			all = append(all, tok)
		}
	}
	return all
}

// completeCommand completes a command of the shell.
func (c *completer) completeCommand(text string) (word string, found []candidate) {
	fields := strings.Fields(text)
	word = afterSpace(text)
	if word != "" {
		fields = fields[:len(fields)-1] // those that are whole
	}
	switch {
	case len(fields) == 0:
		for _, d := range dotCommands() {
			found = append(found, candidate{name: d.name, insert: d.name, meaning: d.summary, kind: "commands"})
		}
	case fields[0] == ".query" && len(fields) == 1:
		for _, q := range append(queries.All(), queries.Checks()...) {
			found = append(found, candidate{name: q.Name, insert: q.Name, meaning: q.Summary, kind: "named queries"})
		}
	case fields[0] == ".query":
		return c.completeAssignment(fields[1], word)
	case (fields[0] == ".schema" || fields[0] == `\d`) && len(fields) == 1:
		found = c.relationCandidates()
	case fields[0] == ".format" && len(fields) == 1:
		found = named("formats", formats()...)
	case fields[0] == ".timing" && len(fields) == 1:
		found = named("timing", "on", "off")
	case fields[0] == ".width" && len(fields) == 1:
		found = named("width", "auto", "0")
	case fields[0] == ".param" && len(fields) == 1:
		found = named("parameters", "set", "unset")
	case fields[0] == ".param" && fields[1] == "unset":
		found = named("parameters", c.params()...)
	}
	return word, beginning(word, found)
}

// completeAssignment completes NAME=VALUE of the query called name.
func (c *completer) completeAssignment(name, word string) (string, []candidate) {
	q, ok := queries.Get(name)
	if !ok {
		return word, nil
	}
	param, value, typed := strings.Cut(word, "=")
	if typed {
		if i := slices.IndexFunc(q.Params, func(p queries.Param) bool { return p.Name == param }); i >= 0 && q.Params[i].Words != nil {
			return value, beginning(value, named("values of "+param, q.Params[i].Words...))
		}
		column := param
		if slices.Contains([]string{"a", "b"}, param) {
			column = "run"
		}
		if _, ok := valueQueries[column]; !ok && column != "run" { // nor does a list or a number have the name of a run
			return value, nil
		}
		return value, beginning(value, named("values of "+column, c.values(column)...))
	}
	var found []candidate
	for _, p := range q.Params {
		found = append(found, candidate{name: p.Name, insert: p.Name + "=", meaning: p.Meaning, kind: "parameters"})
	}
	return word, beginning(word, found)
}

// completeStatement completes a statement, of which before is written up to the
// cursor, as tokens, and rest stands behind it.
func (c *completer) completeStatement(before, rest string, tokens []statement.Token) (word string, found []candidate) {
	n := len(tokens)
	if n > 0 && tokens[n-1].Kind == statement.Unfinished {
		return c.completeQuoted(before, rest, tokens)
	}
	if n > 0 && tokens[n-1].End == len(before) {
		switch last := tokens[n-1]; last.Kind {
		case statement.Word:
			word = before[last.Start:]
			n--
		case statement.Parameter, statement.Illegal:
			if name, ok := strings.CutPrefix(before[last.Start:], ":"); ok {
				return name, beginning(name, named("parameters", c.params()...))
			}
		}
	}
	at := func(i int) string { // the text of a token, from the last whole one backwards
		if n-i < 0 {
			return ""
		}
		return before[tokens[n-i].Start:tokens[n-i].End]
	}
	relations := c.namedIn(before[:len(before)-len(word)] + " " + rest)
	if at(1) == "." {
		return word, beginning(word, c.columnsOf(relations, at(2)))
	}
	if wantsRelation(tokens[:n], before) {
		return word, beginning(word, c.relationCandidates())
	}
	for _, r := range relations {
		found = append(found, columnCandidates(r.relation)...)
		if r.alias != "" {
			found = append(found, candidate{name: r.alias, insert: r.alias, meaning: r.relation.Name, kind: "aliases"})
		}
	}
	words := named("keywords", keywords()...)
	if word == strings.ToLower(word) && word != "" {
		for i := range words {
			words[i].name, words[i].insert = strings.ToLower(words[i].name), strings.ToLower(words[i].insert)
		}
	}
	found = append(found, words...)
	if word != "" {
		found = append(found, named("functions", functions()...)...)
		found = append(found, c.relationCandidates()...)
		if relations == nil {
			found = append(found, c.allColumns()...)
		}
	}
	return word, beginning(word, found)
}

// completeQuoted completes a text in single quotes with the values of the column
// that it is compared with, a name in double ones with tables and columns.
func (c *completer) completeQuoted(before, rest string, tokens []statement.Token) (word string, found []candidate) {
	last := tokens[len(tokens)-1]
	quote := before[last.Start]
	word = before[last.Start+1:]
	closing := string(quote)
	if strings.HasPrefix(rest, closing) {
		closing = ""
	}
	switch quote {
	case '\'':
		column := comparedWith(before, tokens[:len(tokens)-1])
		kind := "runs"
		if _, ok := valueQueries[strings.ToLower(column)]; ok {
			kind = "values of " + column
		}
		found = named(kind, c.values(column)...)
	case '"':
		found = c.relationCandidates()
		for _, r := range c.namedIn(before + "\" " + rest) {
			found = append(found, columnCandidates(r.relation)...)
		}
	}
	for i := range found {
		found[i].insert += closing
	}
	return word, beginning(word, found)
}

// comparedWith is the column that a text at the end of tokens is compared with, as
// in "r.name = " and "model IN ('a', "; "" where that cannot be told.
func comparedWith(text string, tokens []statement.Token) string {
	for i := len(tokens) - 1; i >= 0; i-- {
		tok := tokens[i]
		word := strings.ToUpper(text[tok.Start:tok.End])
		switch {
		case tok.Kind == statement.Quoted && word[0] == '\'' || tok.Kind == statement.Open:
		case slices.Contains([]string{"=", "<", ">", "!", ",", "IN", "NOT", "IS", "LIKE", "GLOB"}, word):
		case tok.Kind == statement.Word && !slices.Contains(keywords(), word):
			return text[tok.Start:tok.End]
		default:
			return ""
		}
	}
	return ""
}

// wantsRelation reports that a table or view is next: after FROM or JOIN, and
// after a comma between the two and what ends them.
func wantsRelation(tokens []statement.Token, text string) bool {
	comma := false
	for i := len(tokens) - 1; i >= 0; i-- {
		tok := tokens[i]
		word := strings.ToUpper(text[tok.Start:tok.End])
		first := i == len(tokens)-1
		switch {
		case word == "FROM" || word == "JOIN":
			return first || comma
		case first && word == ",":
			comma = true
		case first || tok.Kind == statement.Open || tok.Kind == statement.Shut:
			return false
		case tok.Kind == statement.Word && slices.Contains(keywords(), word) && word != "AS":
			return false
		}
	}
	return false
}

// usedRelation is a table or view that a statement names.
type usedRelation struct {
	relation store.Relation
	alias    string
}

// namedIn are the tables and views that a text names, each once with its first alias.
func (c *completer) namedIn(text string) (used []usedRelation) {
	columns := map[string][]string{}
	byName := map[string]store.Relation{}
	for _, r := range c.relations() {
		columns[r.Name] = nil
		byName[r.Name] = r
	}
	for _, n := range store.NamedRelations(text, columns) {
		if !slices.ContainsFunc(used, func(u usedRelation) bool { return u.relation.Name == n.Name && u.alias == n.Alias }) {
			used = append(used, usedRelation{byName[n.Name], n.Alias})
		}
	}
	return used
}

// columnsOf are the columns of the relation that is called so, of all where none is.
func (c *completer) columnsOf(used []usedRelation, called string) (found []candidate) {
	called = strings.Trim(called, "\"`[]")
	for _, u := range used {
		if strings.EqualFold(u.alias, called) {
			return columnCandidates(u.relation)
		}
	}
	for _, r := range c.relations() {
		if strings.EqualFold(r.Name, called) {
			return columnCandidates(r)
		}
	}
	return nil
}

func (c *completer) relationCandidates() (found []candidate) {
	for _, r := range c.relations() {
		found = append(found, candidate{name: r.Name, insert: r.Name, meaning: r.Meaning, kind: "tables and views"})
	}
	return found
}

func columnCandidates(r store.Relation) (found []candidate) {
	for _, col := range r.Columns {
		found = append(found, candidate{name: col.Name, insert: col.Name, meaning: col.Meaning, kind: "columns of " + r.Name})
	}
	return found
}

// allColumns are the columns of all tables and views, each name once, with whose
// they are instead of a meaning: there may be many of a name.
func (c *completer) allColumns() (found []candidate) {
	at := map[string]int{}
	for _, r := range c.relations() {
		for _, col := range r.Columns {
			i, ok := at[col.Name]
			if !ok {
				at[col.Name] = len(found)
				found = append(found, candidate{name: col.Name, insert: col.Name, meaning: "of " + r.Name, kind: "columns"})
			} else {
				found[i].meaning += ", " + r.Name
			}
		}
	}
	return found
}

// named are candidates without a meaning.
func named(kind string, names ...string) (found []candidate) {
	for _, name := range names {
		found = append(found, candidate{name: name, insert: name, kind: kind})
	}
	return found
}

// functions are those of SQLite that questions to a warehouse need. All others
// work as well.
func functions() []string {
	names := []string{"abs", "avg", "coalesce", "count", "cume_dist", "date", "dense_rank", "first_value", "format", "group_concat", "ifnull", "iif", "instr",
		"json_each", "json_extract", "json_group_array", "lag", "last_value", "lead", "length", "lower", "max", "min", "nth_value", "ntile", "nullif",
		"percent_rank", "printf", "rank", "replace", "round", "row_number", "sqrt", "strftime", "substr", "sum", "total", "trim", "typeof", "upper"}
	for i := range names {
		names[i] += "("
	}
	return names
}

// beginning are the candidates that begin with word without regard to case, each
// insertion once, and none that does not print: it may come from the database.
func beginning(word string, all []candidate) (found []candidate) {
	seen := map[string]bool{}
	for _, c := range all {
		if len(c.insert) < len(word) || !strings.EqualFold(c.insert[:len(word)], word) || seen[c.insert] || !visible.Plain(c.insert) || strings.Contains(c.name, "'") {
			continue
		}
		seen[c.insert] = true
		c.meaning = cut(printable(c.meaning), meaningBytes)
		if found = append(found, c); len(found) == mostCompleted {
			break
		}
	}
	return found
}

// afterSpace is what stands after the last white space of text.
func afterSpace(text string) string {
	return text[strings.LastIndexAny(text, " \t\r\n")+1:]
}
