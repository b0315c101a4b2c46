package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/inference-sim/blis-warehouse/queries"
	"github.com/inference-sim/blis-warehouse/store"
)

// dotCommand is a command of the shell. It is one line.
type dotCommand struct {
	name    string
	args    string // as help shows them
	summary string
	run     func(*shell, context.Context, []string) error
}

// dotCommands are the commands of the shell in the order of its help.
func dotCommands() []dotCommand {
	return []dotCommand{
		{".help", "", "list these commands", (*shell).help},
		{".tables", "", "list the tables and views", (*shell).tables},
		{".schema", "[NAME]", "explain a table or view and its columns, without a name list them", (*shell).schema},
		{".queries", "", "list the named queries with their parameters", (*shell).queries},
		{".query", "NAME [P=VALUE]...", "run a named query, with these values and those of .param set", (*shell).query},
		{".explain", "STATEMENT;", "print how SQLite would run a statement", nil},
		{".param", "[set NAME=VALUE | unset NAME]", "give :NAME a value, take it away, or list what was set", (*shell).param},
		{".format", "[FORMAT]", "print rows in a format: " + strings.Join(formats(), ", "), (*shell).format},
		{".width", "[COLUMNS | auto]", "cut tables to fit; 0 cuts nothing", (*shell).width},
		{".timing", "[on | off]", "say how long statements take", (*shell).timing},
		{".quit", "", "leave", func(_ *shell, _ context.Context, args []string) error {
			return cmp.Or(atMost(0, ".quit", args), errQuit)
		}},
	}
}

// aliases are other shells' names of commands.
var aliases = map[string]string{`\d`: ".schema", `\dt`: ".tables", `\dv`: ".tables", `\q`: ".quit", `\?`: ".help", `\h`: ".help", `\timing`: ".timing", ".exit": ".quit", ".parameter": ".param"}

// isCommand reports that a text begins with a command of the shell, or with what
// looks like one.
func isCommand(text string) bool {
	return len(text) > 0 && (text[0] == '\\' || text[0] == '.' && (len(text) == 1 || text[1] < '0' || text[1] > '9'))
}

// takesStatement reports that the command a text begins with is followed by a
// statement, which ends as any other.
func takesStatement(text string) bool {
	name, _ := cutCommand(text)
	return name == ".explain"
}

// cutCommand cuts the name of the command that text begins with from what follows.
func cutCommand(text string) (name, rest string) {
	if i := strings.IndexAny(text, " \t\r\n;"); i >= 0 {
		return text[:i], text[i:]
	}
	return text, ""
}

// runCommand runs the command that text is, which begins after the line of that number.
func (sh *shell) runCommand(ctx context.Context, text string, line int) error {
	if takesStatement(text) {
		run := *sh.run
		run.explain = true
		name, sql := cutCommand(text)
		return sh.runStatement(ctx, &run, strings.Repeat(" ", len(name))+sql, line) // so that it stands where it stood
	}
	words, err := splitWords(strings.TrimRight(text, "; \t\r\n"))
	if err != nil {
		return err
	}
	name := words[0]
	if other, ok := aliases[name]; ok {
		name = other
	}
	var names []string
	for _, c := range dotCommands() {
		if c.name == name {
			return c.run(sh, ctx, words[1:])
		}
		names = append(names, c.name)
	}
	return fmt.Errorf("no command %s, .help lists them%s", quote(words[0]), didYouMean(name, names))
}

// splitWords splits a command at spaces. What stands in single or double quotes is
// not split, and loses them.
func splitWords(text string) ([]string, error) {
	var words []string
	var word strings.Builder
	inWord := false
	var open rune
	for _, r := range text {
		switch {
		case open != 0 && r == open:
			open = 0
		case open != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			open, inWord = r, true
		case strings.ContainsRune(" \t\r\n", r):
			if inWord {
				words = append(words, word.String())
				word.Reset()
			}
			inWord = false
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	if open != 0 {
		return nil, fmt.Errorf("the closing %c is missing", open)
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, nil
}

// atMost refuses more arguments than a command has.
func atMost(n int, command string, args []string) error {
	if len(args) > n {
		return fmt.Errorf("%s: unexpected %s", command, quote(args[n]))
	}
	return nil
}

func (sh *shell) help(_ context.Context, args []string) error {
	if err := atMost(0, ".help", args); err != nil {
		return err
	}
	var rows [][]any
	for _, c := range dotCommands() {
		rows = append(rows, []any{strings.TrimSpace(c.name + " " + c.args), c.summary})
	}
	rows = append(rows, []any{`\d \dt \q \?`, "what they are elsewhere: .schema, .tables, .quit, .help"})
	return sh.print([]string{"command", "what it does"}, rows)
}

// print prints rows of the shell's own in the format that was asked for.
func (sh *shell) print(columns []string, rows [][]any) error {
	return sh.out.print(sh.env, "", columns, rowsOf(rows))
}

func (sh *shell) tables(ctx context.Context, args []string) error {
	if err := atMost(0, ".tables", args); err != nil {
		return err
	}
	relations, err := store.Dictionary(ctx)
	if err != nil {
		return interrupted(ctx, err)
	}
	var rows [][]any
	for _, r := range relations {
		rows = append(rows, []any{r.Name, r.Kind, r.Meaning})
	}
	return sh.print([]string{"name", "kind", "a row is"}, rows)
}

func (sh *shell) schema(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return sh.tables(ctx, nil)
	}
	if err := atMost(1, ".schema", args); err != nil {
		return err
	}
	relations, err := store.Dictionary(ctx)
	if err != nil {
		return interrupted(ctx, err)
	}
	if relations, err = oneRelation(relations, args[0]); err != nil {
		return err
	}
	structure, err := store.StructureOf(ctx, relations[0].Name)
	if err != nil {
		return interrupted(ctx, err)
	}
	return sh.out.printDictionary(sh.env, relations, structure)
}

func (sh *shell) queries(_ context.Context, args []string) error {
	if err := atMost(0, ".queries", args); err != nil {
		return err
	}
	return listQueries(sh.env, sh.out)
}

func (sh *shell) query(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf(".query needs a name: .queries lists them")
	}
	q, ok := queries.Get(args[0])
	if !ok {
		return unknownQuery(args[0])
	}
	given, err := parseAssignments(args[1:])
	if err != nil {
		return err
	}
	for _, a := range sh.params {
		asked := slices.ContainsFunc(q.Params, func(p queries.Param) bool { return p.Name == a.name })
		if asked && !slices.ContainsFunc(given, func(g assignment) bool { return g.name == a.name }) {
			given = append(given, a)
		}
	}
	values, err := queryValues(q, given)
	if err != nil {
		return err
	}
	return sh.run.print(ctx, sh.env, sh.database, q.Text, values, sh.out)
}

func (sh *shell) param(_ context.Context, args []string) error {
	switch {
	case len(args) == 0:
		return sh.listParams()
	case args[0] == "set" && len(args) == 2:
		return sh.setParam(args[1])
	case args[0] == "set" && len(args) == 3: // as the sqlite3 shell has it
		return sh.setParam(args[1] + "=" + args[2])
	case args[0] == "unset" && len(args) == 2:
		name := strings.TrimLeft(args[1], ":@$")
		before := len(sh.params)
		sh.params = slices.DeleteFunc(sh.params, func(a assignment) bool { return a.name == name })
		if len(sh.params) == before {
			var names []string
			for _, a := range sh.params {
				names = append(names, a.name)
			}
			return fmt.Errorf("no parameter %s was set%s", quote(name), didYouMean(name, names))
		}
		return nil
	case len(args) == 1 && strings.Contains(args[0], "="):
		return sh.setParam(args[0])
	}
	return fmt.Errorf(".param takes set NAME=VALUE, unset NAME, or nothing")
}

// setParam gives a parameter a value, in place of the one that it had.
func (sh *shell) setParam(text string) error {
	a, err := parseAssignment(text)
	if err != nil {
		return err
	}
	if _, err := a.value(""); err != nil {
		return err
	}
	for i := range sh.params {
		if sh.params[i].name == a.name {
			sh.params[i] = a
			return nil
		}
	}
	sh.params = append(sh.params, a)
	return nil
}

func (sh *shell) listParams() error {
	var rows [][]any
	for _, a := range sh.params {
		v, err := a.value("")
		if err != nil {
			return err
		}
		kind := a.kind
		switch {
		case a.null:
			kind = "null"
		case kind == "":
			kind = guess(a.text)
		}
		rows = append(rows, []any{a.name, string(kind), v})
	}
	return sh.print([]string{"parameter", "type", "value"}, rows)
}

func (sh *shell) format(_ context.Context, args []string) error {
	if err := atMost(1, ".format", args); err != nil {
		return err
	}
	if len(args) == 0 {
		return sh.say("the format is %s", sh.out.format)
	}
	return sh.out.format.Set(args[0])
}

func (sh *shell) width(_ context.Context, args []string) error {
	switch {
	case len(args) > 1:
		return atMost(1, ".width", args)
	case len(args) == 0 && sh.out.fits:
		return sh.say("tables fit the terminal")
	case len(args) == 0:
		return sh.say("the width is %d", sh.out.width)
	case args[0] == "auto":
		sh.out.width, sh.out.fits = 0, true
		return nil
	}
	if err := (&widthFlag{sh.out}).Set(args[0]); err != nil {
		return fmt.Errorf(".width %s: %w, or auto", quote(args[0]), err)
	}
	return nil
}

func (sh *shell) timing(_ context.Context, args []string) error {
	switch {
	case len(args) == 0 && sh.run.timing:
		return sh.say("timing is on")
	case len(args) == 0:
		return sh.say("timing is off")
	case len(args) > 1 || args[0] != "on" && args[0] != "off":
		return fmt.Errorf(".timing takes on or off")
	}
	sh.run.timing = args[0] == "on"
	return nil
}

// say tells how something is set.
func (sh *shell) say(format string, args ...any) error {
	_, err := fmt.Fprintf(sh.env.stderr, format+"\n", args...)
	return err
}
