package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"github.com/inference-sim/blis-warehouse/queries/statement"
	"github.com/inference-sim/blis-warehouse/store"
)

func shellCommand() command {
	return command{
		name:    "shell",
		maxArgs: 0,
		summary: "ask one question after the other, with history and completion",
		help: `A statement ends with a semicolon and may have many lines; the arrow keys move in
all of them. Tab completes keywords, tables, columns, functions, named queries and,
in quotes, the names of runs and other values. Ctrl-R searches the history, Ctrl-C
drops what is typed or interrupts what runs, Ctrl-D leaves. As with sql, a statement
can only read, and each sees the database as it is then: a load may go on beside.

.help lists the commands that begin with a dot. \d, \dt and \q are known too.
.param set NAME=VALUE gives :NAME a value for the statements that follow.

Where standard input is no terminal, the statements are read from it without a
prompt, and the first that fails ends the shell with 2. The last needs no semicolon.

The history is kept in blis-warehouse/history below $XDG_STATE_HOME, else
~/.local/state. Keys can be bound in ~/.inputrc, as for other programs.

Examples:
  echo "SELECT count(*) AS runs FROM runs; .query coverage" | blis-warehouse shell
  blis-warehouse shell --format box < report.sql`,
		setup: setupShell,
	}
}

func setupShell(fs *pflag.FlagSet) runFunc {
	database := databaseFlags(fs)
	noHistory := fs.Bool("no-history", false, "neither read nor write the history")
	out := tableFlags(fs, "table")
	out.widen = ".width 0"
	run := &statementRun{}
	fs.DurationVar(&run.timeout, "timeout", defaultTimeout, "give up a statement after `TIME`, such as 30s or 2m; 0 never gives up")
	fs.BoolVar(&run.timing, "timing", false, "say on standard error how long each statement took")
	return func(ctx context.Context, env *environment, _ []string) error {
		if err := store.LimitMemory(maxStatementMemory); err != nil { // before the first database is opened
			return err
		}
		r, err := database.open(ctx, env) // what cannot be opened is told before anything is typed
		if err != nil {
			return err
		}
		if err := r.Close(); err != nil {
			return err
		}
		if run.timeout < 0 {
			return &usageError{message: "--timeout is negative", command: "shell"}
		}
		sh := &shell{env: env, database: database, out: out, run: run}
		if !isTerminalReader(env.stdin) || !isTerminal(env.stdout) {
			return sh.readAll(ctx)
		}
		return sh.converse(ctx, *noHistory)
	}
}

// shell is what a session has set.
type shell struct {
	env      *environment
	database *database
	out      *rowOutput
	run      *statementRun
	params   []assignment // in the order in which they were set
}

// errQuit is returned by a command that ends the session.
var errQuit = errors.New("quit")

// readAll runs what standard input holds. The first failure ends it.
func (sh *shell) readAll(ctx context.Context) error {
	lines := readLines(sh.env.stdin)
	var text strings.Builder
	line := 0     // lines that were read
	textFrom := 0 // the line before the text's first
	begun := false
	for {
		var next scannedLine
		select {
		case <-ctx.Done():
			return ctx.Err()
		case next = <-lines:
		}
		if next.err != nil && next.err != io.EOF {
			return fmt.Errorf("read standard input: %w", next.err)
		}
		text.WriteString(next.text)
		line++
		switch {
		case text.Len() > maxStatementBytes:
			return fmt.Errorf("read standard input: the statement of line %d is longer than %d bytes", textFrom+1, maxStatementBytes)
		case !utf8.ValidString(next.text):
			return fmt.Errorf("read standard input: line %d is not UTF-8 text", line)
		// Only a semicolon ends what is begun: a long statement is not read anew for each line.
		case next.err == nil && (begun && !strings.Contains(next.text, ";") || !finished(text.String())):
			begun = true
			continue
		}
		// The lines before make the numbers of lines in errors those of the input.
		err := sh.runText(ctx, text.String(), textFrom, false)
		if errors.Is(err, errQuit) {
			return nil
		}
		if err != nil || next.err == io.EOF {
			return err
		}
		text.Reset()
		textFrom, begun = line, false
	}
}

// scannedLine is a line with its end.
type scannedLine struct {
	text string
	err  error // io.EOF with the last line
}

// readLines reads lines as they are received. Its reader is left where it is when
// nobody receives any more.
func readLines(r io.Reader) <-chan scannedLine {
	lines := make(chan scannedLine)
	go func() {
		b := bufio.NewReader(r)
		for {
			text, err := readLine(b)
			lines <- scannedLine{text, err}
			if err != nil {
				return
			}
		}
	}()
	return lines
}

// readLine reads a line with its end, no more than a statement may have.
func readLine(r *bufio.Reader) (string, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if err != bufio.ErrBufferFull || len(line) > maxStatementBytes {
			if err == bufio.ErrBufferFull {
				err = nil
			}
			return string(line), err
		}
	}
}

// finished reports that a text is to be run: its statements are all ended, and
// commands of the shell are with their line.
func finished(text string) bool {
	for {
		text = skipBlank(text)
		if text == "" {
			return true
		}
		if isCommand(text) && !takesStatement(text) {
			_, text = cutStep(text)
			continue
		}
		_, rest, complete := statement.Split(text)
		if !complete {
			return false
		}
		text = rest
	}
}

// skipBlank is text without the white space, comments and semicolons that it
// begins with.
func skipBlank(text string) string {
	for tok := range statement.Tokens(text) {
		if tok.Kind != statement.Space && tok.Kind != statement.Semicolon {
			return text[tok.Start:]
		}
	}
	return ""
}

// runText runs the statements and commands of a text, up to the first that
// fails. The text begins after the line of that number.
func (sh *shell) runText(ctx context.Context, text string, line int, conversing bool) error {
	for {
		step := skipBlank(text)
		line += strings.Count(text[:len(text)-len(step)], "\n")
		if step == "" {
			return nil
		}
		first, rest := cutStep(step)
		if err := sh.runStep(ctx, first, line, conversing); err != nil {
			return err
		}
		line += strings.Count(first, "\n")
		text = rest
	}
}

// cutStep cuts a command of the shell or a statement from the beginning of text.
func cutStep(text string) (first, rest string) {
	if isCommand(text) && !takesStatement(text) {
		if i := strings.IndexByte(text, '\n'); i >= 0 {
			return text[:i], text[i:]
		}
		return text, ""
	}
	first, rest, _ = statement.Split(text)
	return first, rest
}

// runStep runs one statement or command, which begins after the line of that number.
func (sh *shell) runStep(ctx context.Context, text string, line int, conversing bool) error {
	if isCommand(text) {
		return sh.runCommand(ctx, text, line)
	}
	if conversing { // where a word alone is no statement
		if c, ok := wordCommand(text); ok {
			return sh.runCommand(ctx, c, line)
		}
	}
	return sh.runStatement(ctx, sh.run, text, line)
}

// wordCommands are the words by which people try to leave or to get help.
var wordCommands = map[string]string{"exit": ".quit", "quit": ".quit", "help": ".help"}

// wordCommand is the command that a text means which is no more than such a word.
func wordCommand(text string) (command string, ok bool) {
	command, ok = wordCommands[strings.ToLower(strings.Trim(text, "; \t\r\n"))]
	return command, ok
}

// runStatement runs one statement with the parameters that were set.
func (sh *shell) runStatement(ctx context.Context, run *statementRun, text string, line int) error {
	values := map[string]any{}
	if st, err := statement.Parse(text); err == nil {
		for _, a := range sh.params {
			if !slices.Contains(st.Params, a.name) {
				continue
			}
			if values[a.name], err = a.value(""); err != nil {
				return err
			}
		}
	}
	return run.print(ctx, sh.env, sh.database, strings.Repeat("\n", line)+text, values, sh.out)
}

// converse prompts for statements until the user leaves. What fails is told, and
// does not end it.
func (sh *shell) converse(ctx context.Context, noHistory bool) error {
	// Ctrl-C ends a statement, not the program, so its signal must not end ctx.
	base, stop := signal.NotifyContext(context.WithoutCancel(ctx), syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	ignored := make(chan os.Signal, 1)
	signal.Notify(ignored, os.Interrupt) // between two statements
	defer signal.Stop(ignored)

	ed := newEditor(sh, noHistory)
	defer ed.close()
	fmt.Fprintf(sh.env.stderr, "%s\n.help lists the commands, .quit leaves. A statement ends with a semicolon.\n", printable(sh.database.path(sh.env)))
	for base.Err() == nil {
		text, err := ed.read(base)
		switch {
		case base.Err() != nil:
		case errors.Is(err, errInterrupt):
			continue
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if err := sh.answer(base, text); errors.Is(err, errQuit) {
			return nil
		}
	}
	<-ctx.Done() // which the same signal ends, or one before has ended
	return ctx.Err()
}

// answer runs a text, which Ctrl-C interrupts, and tells what went wrong.
func (sh *shell) answer(ctx context.Context, text string) error {
	running, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	err := sh.runText(running, text, 0, true)
	switch {
	case err == nil || errors.Is(err, errQuit):
		return err
	case running.Err() != nil && ctx.Err() == nil:
		fmt.Fprintln(sh.env.stderr, "\ninterrupted") // the terminal has echoed ^C
	case ctx.Err() == nil && !errors.Is(err, errFindings):
		printError(sh.env.stderr, err)
	}
	return err
}

// justWord reports that a text is a word by which people try to leave or to get help.
func justWord(text string) bool {
	_, ok := wordCommand(text)
	return ok
}

func isTerminalReader(r io.Reader) bool {
	f, ok := r.(*os.File)
	return ok && isTerminal(f)
}
