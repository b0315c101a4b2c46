package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"
)

func manCommand() command {
	return command{
		name:    "man",
		args:    "[COMMAND]",
		maxArgs: 1,
		summary: "print the manual page of the program or of a command",
		help: `The page is made from what help prints, for man and mandoc. --directory writes
the pages of the program and of every command into a directory, which is made
where it is missing, and replaces those that are there: make man does so.

Examples:
  blis-warehouse man load > blis-warehouse-load.1
  blis-warehouse man --directory man/man1`,
		words: commandNames,
		setup: setupMan,
	}
}

// commandNames are the names of the commands in the order of the help.
func commandNames() []string {
	var names []string
	for _, c := range commands() {
		names = append(names, c.name)
	}
	return names
}

func setupMan(fs *pflag.FlagSet) runFunc {
	directory := fs.String("directory", "", "write all pages into `DIR`, as blis-warehouse.1 and blis-warehouse-COMMAND.1")
	return func(_ context.Context, env *environment, args []string) error {
		switch {
		case *directory != "" && len(args) > 0:
			return &usageError{message: "man: --directory writes all pages: name no command", command: "man"}
		case *directory != "":
			return writePages(env, *directory)
		case len(args) == 0 || args[0] == "help":
			return printText(env.stdout, programPage())
		}
		c, ok := findCommand(args[0])
		if !ok {
			return unknownCommand(args[0])
		}
		return printText(env.stdout, c.page())
	}
}

// writePages writes every page into a directory.
func writePages(env *environment, directory string) error {
	if err := os.MkdirAll(directory, 0o777); err != nil {
		return fmt.Errorf("make the directory: %w", err)
	}
	write := func(name, page string) error {
		d, err := openDestination(filepath.Join(directory, name+".1"), true, env.stdout, "")
		if err != nil {
			return err
		}
		if _, err := io.WriteString(d, page); err != nil {
			return d.abandon(err)
		}
		return d.commit()
	}
	if err := write("blis-warehouse", programPage()); err != nil {
		return err
	}
	for _, c := range commands() {
		if err := write(pageName(c.name), c.page()); err != nil {
			return err
		}
	}
	return printText(env.stderr, fmt.Sprintf("%d pages written to %s\n", len(commands())+1, printable(directory)))
}

// pageName is the name of the page of a command.
func pageName(command string) string { return "blis-warehouse-" + command }

// programPage is the manual page of the program.
func programPage() string {
	p := newPage("blis-warehouse", programSummary)
	p.section("SYNOPSIS")
	p.synopsis("blis-warehouse", "[--db FILE] COMMAND [flags] [arguments]")
	p.section("DESCRIPTION")
	p.paragraph("The database is --db FILE, else $BLIS_WAREHOUSE_DB, else warehouse.db. " +
		"Data go to standard output or to the file of -o, everything else to standard error. " +
		`"blis-warehouse help COMMAND" prints what the page of a command says.`)
	p.section("COMMANDS")
	for _, c := range commands() {
		p.item(strings.TrimSpace(c.name+" "+c.args), sentence(c.summary))
	}
	p.item("help [COMMAND]", sentence(helpSummary))
	p.section("OPTIONS")
	fs := pflag.NewFlagSet("blis-warehouse", pflag.ContinueOnError)
	programFlags(fs, new(string))
	p.flags(fs)
	p.section("ENVIRONMENT")
	p.item("BLIS_WAREHOUSE_DB", "The database where --db is not given.")
	p.exitStatus()
	var names []string
	for _, c := range commands() {
		names = append(names, pageName(c.name))
	}
	p.seeAlso(names)
	return p.String()
}

// page is the manual page of a command, made from what its help is made from.
func (c command) page() string {
	fs, _ := c.flags()
	p := newPage(pageName(c.name), c.summary)
	p.section("SYNOPSIS")
	p.synopsis("blis-warehouse "+c.name, c.synopsis(fs))
	p.section("DESCRIPTION")
	p.paragraph(sentence(c.summary))
	description, examples := splitHelp(c.help)
	p.text(description)
	if fs.HasFlags() {
		p.section("OPTIONS")
		p.flags(fs)
	}
	if examples != "" {
		p.section("EXAMPLES")
		p.verbatim(examples)
	}
	p.exitStatus()
	p.seeAlso([]string{"blis-warehouse"})
	return p.String()
}

// splitHelp parts the examples from what a command's help says before and
// after them. The examples keep their lines and lose their indentation.
func splitHelp(help string) (description, examples string) {
	before, rest, found := strings.Cut("\n"+strings.TrimSpace(help), "\nExamples:\n")
	if !found {
		return before, ""
	}
	block, after, _ := strings.Cut(rest, "\n\n")
	var lines []string
	for line := range strings.Lines(block) {
		lines = append(lines, strings.TrimPrefix(strings.TrimSuffix(line, "\n"), "  "))
	}
	return before + "\n\n" + after, strings.Join(lines, "\n")
}
