package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/reeflective/readline"
	"golang.org/x/term"

	"github.com/inference-sim/blis-warehouse/queries/visible"
)

// errInterrupt is returned by an editor when the user drops what is typed.
var errInterrupt = errors.New("dropped")

const (
	prompt     = "blis> "
	morePrompt = "  ..> "
)

// editor reads what the user types, up to where it is to be run.
type editor struct {
	line    *readline.Shell // nil on a terminal that cannot move its cursor
	history *shellHistory
	plain   <-chan scannedLine // the lines of such a terminal
	restore func()             // gives the terminal back as it was
	env     *environment
}

// newEditor prepares reading from the terminal.
func newEditor(sh *shell, noHistory bool) *editor {
	ed := &editor{env: sh.env, restore: func() {}}
	if name := os.Getenv("TERM"); name == "" || name == "dumb" {
		ed.plain = readLines(sh.env.stdin)
		return ed
	}
	if f, ok := sh.env.stdin.(*os.File); ok {
		if state, err := term.GetState(int(f.Fd())); err == nil {
			ed.restore = func() { _ = term.Restore(int(f.Fd()), state) }
		}
	}
	ed.history = openHistory(noHistory, sh.env.stderr)
	ed.line = newLine(ed.history, newCompleter(sh))
	return ed
}

// newLine sets the line editor up.
func newLine(history *shellHistory, complete *completer) *readline.Shell {
	line := readline.NewShell()
	line.Prompt.Primary(func() string { return prompt })
	line.Prompt.Secondary(func() string { return morePrompt })
	line.AcceptMultiline = func(text []rune) bool { return finished(string(text)) || justWord(string(text)) }
	line.SyntaxHighlighter = displayed
	line.History.Add("history", history)
	line.Completer = func(text []rune, cursor int) readline.Completions { return completions(complete, text, cursor) }
	for name, value := range map[string]any{
		"enable-bracketed-paste":       true, // a tab or line feed of a paste is text
		"menu-complete-display-prefix": true, // the first Tab adds what is certain and lists the rest
		"completion-ignore-case":       true,
		// What is typed while the terminal is asked where its cursor is would wait
		// for the next key; the prompt begins at the left in any case.
		"cursor-position-probe": false,
		"history-size":          0, // the history bounds itself
		// The library's defaults take the letters from U+0080 to U+00FF, é among them,
		// for a key with Meta: it would put an escape in their place.
		"convert-meta": false,
		"input-meta":   true,
		"output-meta":  true,
	} {
		// Of names that the library has, none is refused.
		_ = line.Config.Set(name, value)
	}
	for _, binds := range line.Config.Binds {
		for keys, bind := range binds {
			switch bind.Action {
			case "previous-history", "up-line-or-search":
				bind.Action = "up-line-or-history"
			case "next-history", "down-line-or-search", "down-line-or-select":
				bind.Action = "down-line-or-history"
			case "complete":
				bind.Action = "menu-complete"
			}
			binds[keys] = bind
		}
	}
	// The program starts no other, an editor neither.
	nothing := func() {}
	line.Keymap.Register(map[string]func(){"edit-command-line": nothing, "edit-and-execute-command": nothing, "vi-edit-command-line": nothing, "vi-edit-and-execute-command": nothing})
	return line
}

// displayed is a line as the terminal is given it: a character that does not print,
// which a paste may hide, steers nothing and is seen. Each is one character, for
// the library counts them.
func displayed(line []rune) string {
	shown := slices.Clone(line)
	for i, r := range shown {
		if r != '\n' && r != '\t' && !unicode.IsPrint(r) {
			shown[i] = unicode.ReplacementChar
		}
	}
	return string(shown)
}

// completions are what the library shows and inserts.
func completions(c *completer, text []rune, cursor int) readline.Completions {
	before := string(text[:min(cursor, len(text))])
	word, found := c.complete(before, string(text[min(cursor, len(text)):]))
	// The library looks for what it replaces itself where the word is empty: from
	// the last white space on. Then that is part of what is inserted.
	replaced, added := word, ""
	if word == "" {
		replaced = afterSpace(before)
		added = replaced
	}
	if !visible.Plain(replaced) { // it counts bytes where it means characters
		found = nil
	}
	values := make([]readline.Completion, len(found))
	for i, f := range found {
		values[i] = readline.Completion{Value: added + f.insert, Display: f.name, Description: f.meaning, Tag: f.kind}
	}
	comps := readline.CompleteRaw(values).NoSort()
	comps.PREFIX = replaced
	return comps
}

// read reads what is to be run. The end of ctx ends the wait for it.
func (ed *editor) read(ctx context.Context) (string, error) {
	if ed.line == nil {
		return ed.readPlain(ctx)
	}
	type result struct {
		text string
		err  error
	}
	done := make(chan result, 1)
	go func() {
		text, err := ed.line.Readline()
		done <- result{text, err}
	}()
	select {
	case <-ctx.Done():
		return "", context.Canceled
	case got := <-done:
		switch {
		case errors.Is(got.err, readline.ErrInterrupt):
			return "", errInterrupt
		case got.err != nil:
			return "", got.err
		case !utf8.ValidString(got.text) || len(got.text) > maxStatementBytes:
			fmt.Fprintln(ed.env.stderr, "blis-warehouse: what was typed is not UTF-8 text or too long")
			return "", errInterrupt
		}
		ed.history.add(got.text)
		return got.text, nil
	}
}

// readPlain reads without editing.
func (ed *editor) readPlain(ctx context.Context) (string, error) {
	text := ""
	for sign := prompt; ; sign = morePrompt {
		fmt.Fprint(ed.env.stdout, sign)
		select {
		case <-ctx.Done():
			return "", context.Canceled
		case line := <-ed.plain:
			text += line.text
			switch {
			case line.err == io.EOF && text == "":
				return "", io.EOF
			case line.err != nil && line.err != io.EOF:
				return "", line.err
			case line.err == io.EOF || finished(text) || justWord(text):
				return text, nil
			}
		}
	}
}

// close gives the terminal back as it was.
func (ed *editor) close() { ed.restore() }
