// Command blis-warehouse keeps measured inference benchmarks in one SQLite
// file: it loads and checks them, and answers questions about them.
//
// The program is a table of commands (command.go), one file each. A command
// computes and hands rows or text to output.go, the only place that prints.
// "blis-warehouse help" is the manual.
package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/pflag"
)

// Exit codes, the same for every command.
const (
	exitDone        = 0   // done, also when nothing was found
	exitFindings    = 1   // a document was refused, a check found something
	exitTrouble     = 2   // wrong usage, input or output failed, database trouble
	exitInterrupted = 130 // SIGINT, SIGTERM or SIGHUP
)

// exitCodes are the exit codes with what they mean, for manual pages.
func exitCodes() []struct {
	code    int
	meaning string
} {
	return []struct {
		code    int
		meaning string
	}{
		{exitDone, "Done; also when nothing was found."},
		{exitFindings, "Findings: a document or row was refused, a check found something, a run may not be exported."},
		{exitTrouble, "Wrong usage, input or output failed, trouble with the database."},
		{exitInterrupted, "Interrupted; nothing was changed."},
	}
}

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run runs the program with args, which do not include its name, and returns
// the exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	// A limit on the size of files is an error like a full disk, not the end of the process.
	signal.Ignore(syscall.SIGXFSZ)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	// A second signal ends the program at once. One that comes when the work is
	// done does not, or the exit code would not say what became of it: so the
	// program looks out for signals to its very end.
	defer context.AfterFunc(ctx, stop)()

	env := &environment{stdin: stdin, stdout: stdout, stderr: stderr, database: os.Getenv("BLIS_WAREHOUSE_DB")}
	err := dispatch(ctx, env, args)
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return exitInterrupted
	}
	return exitCode(env, err)
}

// exitCode reports err on stderr, unless it was reported where it arose.
func exitCode(env *environment, err error) int {
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, errFindings):
		return exitFindings
	}
	printError(env.stderr, err)
	return exitTrouble
}

// errFindings is returned by a command that did its work and found something
// to report, which it has printed.
var errFindings = errors.New("findings")

// usageError is a command line that cannot be understood.
type usageError struct {
	message string
	command string // whose help tells more; empty for the program's
}

func (e *usageError) Error() string { return e.message }

// dispatch reads the flags before the command's name and runs the command.
func dispatch(ctx context.Context, env *environment, args []string) error {
	fs := pflag.NewFlagSet("blis-warehouse", pflag.ContinueOnError)
	fs.SetInterspersed(false)
	fs.Usage = func() {}
	fs.SetOutput(io.Discard)
	var database string
	version := programFlags(fs, &database)
	if err := fs.Parse(args); errors.Is(err, pflag.ErrHelp) {
		return printText(env.stdout, usage())
	} else if err != nil {
		return flagError(fs, "", err)
	}
	if fs.Changed("db") {
		env.database = database
	}
	args = fs.Args()
	if *version {
		args = []string{"version"}
	}
	if len(args) == 0 {
		return &usageError{message: "no command given"}
	}
	if args[0] == "help" {
		return help(env, args[1:])
	}
	cmd, ok := findCommand(args[0])
	if !ok {
		return unknownCommand(args[0])
	}
	return cmd.run(ctx, env, args[1:])
}

// programFlags declares the flags that stand before the command's name.
func programFlags(fs *pflag.FlagSet, database *string) (version *bool) {
	databaseFlag(fs, database)
	return fs.Bool("version", false, "print the versions and exit")
}

// help prints the program's help or that of the command named in args.
func help(env *environment, args []string) error {
	switch len(args) {
	case 0:
		return printText(env.stdout, usage())
	case 1:
		if args[0] == "help" {
			return printText(env.stdout, usage())
		}
		cmd, ok := findCommand(args[0])
		if !ok {
			return unknownCommand(args[0])
		}
		return printText(env.stdout, cmd.manual())
	}
	return &usageError{message: "help takes one command"}
}

func unknownCommand(name string) error {
	return &usageError{message: "unknown command " + quote(name) + didYouMean(name, append(commandNames(), "help"))}
}

// flagError turns what pflag says of a command line into our words.
func flagError(fs *pflag.FlagSet, command string, err error) error {
	message := err.Error()
	if e, ok := errors.AsType[*pflag.NotExistError](err); ok {
		var names []string
		fs.VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if name := e.GetSpecifiedName(); len(name) > 1 {
			near := nearest(name, names)
			for i := range near {
				near[i] = "--" + near[i]
			}
			message = "unknown flag --" + name + question(near)
		} else {
			message = "unknown flag -" + name
		}
	}
	message, _, _ = strings.Cut(message, "\n")
	return &usageError{message: message, command: command}
}
