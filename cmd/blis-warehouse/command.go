package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"
)

// environment is what a command may touch besides files.
type environment struct {
	stdin    io.Reader
	stdout   io.Writer // data only
	stderr   io.Writer // progress, warnings, summaries, errors
	database string    // from the flags before the command, else from the environment; may be empty
}

// command is an entry of the command table. Dispatch, help and completion all
// come from it.
type command struct {
	name    string
	args    string // as usage shows them, such as "[QUERY]"; empty for none
	minArgs int
	maxArgs int    // -1 for any number
	summary string // one line, no capital, no full stop
	help    string // paragraphs and examples
	// words are the fixed words that may stand as the first argument, for
	// completion; nil when there are none.
	words func() []string
	// setup declares the command's flags and returns what runs the command
	// once they are parsed.
	setup func(fs *pflag.FlagSet) runFunc
}

// runFunc runs a command with the arguments that are no flags. It returns nil
// for exit 0, errFindings for exit 1, a *usageError or any other error for
// exit 2.
type runFunc func(ctx context.Context, env *environment, args []string) error

// commands is the command table in the order of the help.
func commands() []command {
	return []command{
		loadCommand(),
		validateCommand(),
		fetchCommand(),
		showCommand(),
		explainCommand(),
		duplicatesCommand(),
		chainCommand(),
		compareCommand(),
		historyCommand(),
		checkCommand(),
		digestCommand(),
		rebuildCommand(),
		migrateCommand(),
		backupCommand(),
		schemaCommand(),
		sqlCommand(),
		queryCommand(),
		shellCommand(),
		exportCommand(),
		traceCommand(),
		plotCommand(),
		reportCommand(),
		metadataCommand(),
		versionCommand(),
		completionCommand(),
		manCommand(),
	}
}

func findCommand(name string) (command, bool) {
	for _, c := range commands() {
		if c.name == name {
			return c, true
		}
	}
	return command{}, false
}

// flags is the command's flag set with what runs it.
func (c command) flags() (*pflag.FlagSet, runFunc) {
	fs := pflag.NewFlagSet(c.name, pflag.ContinueOnError)
	fs.Usage = func() {}
	fs.SetOutput(io.Discard)
	fs.SortFlags = true
	return fs, c.setup(fs)
}

// run parses args and runs the command.
func (c command) run(ctx context.Context, env *environment, args []string) error {
	fs, runCommand := c.flags()
	if err := fs.Parse(args); errors.Is(err, pflag.ErrHelp) {
		return printText(env.stdout, c.manual())
	} else if err != nil {
		return flagError(fs, c.name, err)
	}
	switch n := fs.NArg(); {
	case n < c.minArgs:
		return &usageError{message: fmt.Sprintf("%s needs %s", c.name, c.args), command: c.name}
	case c.maxArgs >= 0 && n > c.maxArgs:
		return &usageError{message: fmt.Sprintf("%s: unexpected argument %s", c.name, quote(fs.Arg(c.maxArgs))), command: c.name}
	}
	return runCommand(ctx, env, fs.Args())
}

// manual is the command's help.
func (c command) manual() string {
	var b strings.Builder
	fs, _ := c.flags()
	fmt.Fprintf(&b, "Usage: %s\n\n%s\n\n%s\n", strings.TrimSpace("blis-warehouse "+c.name+" "+c.synopsis(fs)), sentence(c.summary), strings.TrimSpace(c.help))
	if fs.HasFlags() {
		fmt.Fprintf(&b, "\nFlags:\n%s", fs.FlagUsages())
	}
	return b.String()
}

// synopsis is what follows the command's name.
func (c command) synopsis(fs *pflag.FlagSet) string {
	if !fs.HasFlags() {
		return c.args
	}
	return strings.TrimSpace("[flags] " + c.args)
}

// sentence is a summary with a capital and a full stop.
func sentence(summary string) string {
	return strings.ToUpper(summary[:1]) + summary[1:] + "."
}

// What the program and the command help do, in a line each.
const (
	programSummary = "keeps measured inference benchmarks in one SQLite file"
	helpSummary    = "print the help of the program or of a command"
)

// usage is the program's help.
func usage() string {
	var b strings.Builder
	b.WriteString("blis-warehouse " + programSummary + ".\n\nUsage: blis-warehouse [--db FILE] COMMAND [flags] [arguments]\n\nCommands:\n")
	for _, c := range commands() {
		fmt.Fprintf(&b, "  %-11s %s\n", c.name, c.summary)
	}
	fmt.Fprintf(&b, "  %-11s %s\n", "help", helpSummary)
	b.WriteString(`
The database is --db FILE, else $BLIS_WAREHOUSE_DB, else warehouse.db.
Exit codes: 0 done, 1 findings, 2 usage, I/O or database trouble, 130 interrupted.
"blis-warehouse help COMMAND" tells more about a command.
`)
	return b.String()
}
