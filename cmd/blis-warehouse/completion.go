package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

func completionCommand() command {
	return command{
		name:    "completion",
		args:    strings.Join(shells(), "|"),
		minArgs: 1,
		maxArgs: 1,
		summary: "print the completion script of a shell",
		help: `Examples:
  source <(blis-warehouse completion bash)
  blis-warehouse completion zsh > "${fpath[1]}/_blis-warehouse"
  blis-warehouse completion fish > ~/.config/fish/completions/blis-warehouse.fish`,
		words: shells,
		setup: func(*pflag.FlagSet) runFunc { return runCompletion },
	}
}

// shells are the shells that have a completion script.
func shells() []string { return []string{"bash", "zsh", "fish"} }

func runCompletion(_ context.Context, env *environment, args []string) error {
	switch args[0] {
	case "bash":
		return printText(env.stdout, bashCompletion())
	case "zsh":
		return printText(env.stdout, zshCompletion())
	case "fish":
		return printText(env.stdout, fishCompletion())
	}
	return &usageError{message: "no completion for " + quote(args[0]) + didYouMean(args[0], shells()), command: "completion"}
}

// commandWords are what may follow a command's name: fixed words and long
// flags.
type commandWords struct {
	name, summary string
	words         []string
	flags         []*pflag.Flag
}

// completed are the commands with their words, help among them.
func completed() []commandWords {
	var all []commandWords
	for _, c := range commands() {
		w := commandWords{name: c.name, summary: c.summary}
		if c.words != nil {
			w.words = c.words()
		}
		fs, _ := c.flags()
		fs.VisitAll(func(f *pflag.Flag) { w.flags = append(w.flags, f) })
		all = append(all, w)
	}
	return append(all, commandWords{name: "help", summary: helpSummary, words: commandNames()})
}

func longFlags(flags []*pflag.Flag) []string {
	var names []string
	for _, f := range flags {
		names = append(names, "--"+f.Name)
	}
	return append(names, "--help")
}

// fileFlags are the flags whose value is a file's name.
func fileFlags() []string { return []string{"db", "directory", "file", "output"} }

// flagPattern are the spellings of the flags called names, separated by bars.
func flagPattern(names []string) string {
	var spellings []string
	for _, c := range completed() {
		for _, f := range c.flags {
			if !slices.Contains(names, f.Name) {
				continue
			}
			spellings = append(spellings, "--"+f.Name)
			if f.Shorthand != "" {
				spellings = append(spellings, "-"+f.Shorthand)
			}
		}
	}
	slices.Sort(spellings)
	return strings.Join(slices.Compact(spellings), "|")
}

// valueFlags are the spellings of every flag that takes a value.
func valueFlags() string {
	var names []string
	for _, c := range completed() {
		for _, f := range c.flags {
			if f.NoOptDefVal == "" {
				names = append(names, f.Name)
			}
		}
	}
	return flagPattern(names)
}

func bashCompletion() string {
	var b strings.Builder
	fmt.Fprintf(&b, `# bash completion of blis-warehouse
_blis_warehouse() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} cmd="" words="" i
    COMPREPLY=()
    case $prev in
        %s) COMPREPLY=($(compgen -W "%s" -- "$cur")); return ;;
        %s) compopt -o default 2>/dev/null; return ;;
        %s) return ;;
    esac
    for ((i = 1; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
            --db) ((i++)) ;;
            -*) ;;
            *) cmd=${COMP_WORDS[i]}; break ;;
        esac
    done
    case $cmd in
        "") words="%s --db --help --version" ;;
`, flagPattern([]string{"format"}), strings.Join(formats(), " "), flagPattern(fileFlags()), valueFlags(), strings.Join(completedNames(), " "))
	for _, c := range completed() {
		fmt.Fprintf(&b, "        %s) words=\"%s\" ;;\n", c.name, strings.Join(append(slices.Clone(c.words), longFlags(c.flags)...), " "))
	}
	b.WriteString(`    esac
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
    if [[ -n $cmd && $cur != -* && ${#COMPREPLY[@]} -eq 0 ]]; then
        compopt -o default 2>/dev/null
    fi
}
complete -F _blis_warehouse blis-warehouse
`)
	return b.String()
}

func completedNames() []string {
	var names []string
	for _, c := range completed() {
		names = append(names, c.name)
	}
	return names
}

func zshCompletion() string {
	var b strings.Builder
	fmt.Fprintf(&b, `#compdef blis-warehouse
# zsh completion of blis-warehouse
_blis_warehouse() {
    local cmd="" i
    case ${words[CURRENT-1]} in
        %s) compadd -- %s; return ;;
        %s) _files; return ;;
        %s) return ;;
    esac
    for ((i = 2; i < CURRENT; i++)); do
        case ${words[i]} in
            --db) ((i++)) ;;
            -*) ;;
            *) cmd=${words[i]}; break ;;
        esac
    done
    case $cmd in
        "") compadd -- %s --db --help --version ;;
`, flagPattern([]string{"format"}), strings.Join(formats(), " "), flagPattern(fileFlags()), valueFlags(), strings.Join(completedNames(), " "))
	for _, c := range completed() {
		fmt.Fprintf(&b, "        %s) compadd -- %s; [[ $PREFIX == -* ]] || _files ;;\n", c.name, strings.Join(append(slices.Clone(c.words), longFlags(c.flags)...), " "))
	}
	b.WriteString(`    esac
}
if [ "$funcstack[1]" = "_blis_warehouse" ]; then
    _blis_warehouse "$@"
else
    compdef _blis_warehouse blis-warehouse
fi
`)
	return b.String()
}

func fishCompletion() string {
	var b strings.Builder
	b.WriteString("# fish completion of blis-warehouse\n")
	line := func(condition, rest string) {
		fmt.Fprintf(&b, "complete -c blis-warehouse -n '%s' %s\n", condition, rest)
	}
	for _, c := range completed() {
		line("__fish_use_subcommand", fmt.Sprintf("-f -a %s -d %s", c.name, fishQuote(c.summary)))
		seen := "__fish_seen_subcommand_from " + c.name
		if c.words != nil {
			line(seen, "-f -a "+fishQuote(strings.Join(c.words, " ")))
		}
		for _, f := range c.flags {
			line(seen, fishFlag(f))
		}
	}
	return b.String()
}

// fishFlag describes a flag to fish.
func fishFlag(f *pflag.Flag) string {
	_, usage := pflag.UnquoteUsage(f)
	rest := "-l " + f.Name + " -d " + fishQuote(usage)
	if f.Shorthand != "" {
		rest = "-s " + f.Shorthand + " " + rest
	}
	switch {
	case f.Name == "format":
		rest += " -x -a " + fishQuote(strings.Join(formats(), " "))
	case slices.Contains(fileFlags(), f.Name):
		rest += " -r -F"
	case f.NoOptDefVal == "":
		rest += " -x"
	}
	return rest
}

func fishQuote(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
}
