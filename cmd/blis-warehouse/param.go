package main

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/pflag"

	"github.com/inference-sim/blis-warehouse/queries"
)

// paramHelp explains the values of --param in the help of commands that have
// it.
const paramHelp = `--param name=value gives the parameter :name a value and may be repeated. A
value that looks like an integer (-7) or a decimal number (2.5, 1e-3) is one,
anything else is text. name:text=007, name:integer=7 and name:real=7 say the
type, name:null= is NULL. A commit such as 12e4567 looks like a number: say text.`

// paramFlag declares --param on fs. A value may hold commas, so each flag is
// one parameter.
func paramFlag(fs *pflag.FlagSet) *[]string {
	return fs.StringArray("param", nil, "give the parameter :name a value, as `NAME=VALUE` (repeatable)")
}

// assignment is a --param taken apart.
type assignment struct {
	name string
	kind queries.Type // empty when not said
	null bool
	text string
}

// parseAssignments takes every --param apart. A name may be given once.
func parseAssignments(flags []string) ([]assignment, error) {
	var all []assignment
	seen := map[string]bool{}
	for _, flag := range flags {
		a, err := parseAssignment(flag)
		if err != nil {
			return nil, err
		}
		if seen[a.name] {
			return nil, &usageError{message: fmt.Sprintf("--param %s is given twice", a.name)}
		}
		seen[a.name] = true
		all = append(all, a)
	}
	return all, nil
}

func parseAssignment(flag string) (assignment, error) {
	name, text, ok := strings.Cut(flag, "=")
	if !ok {
		return assignment{}, &usageError{message: fmt.Sprintf("--param %s: expected name=value", quote(flag))}
	}
	name, kind, typed := strings.Cut(strings.TrimLeft(name, ":@$"), ":")
	a := assignment{name: name, text: text}
	switch {
	case name == "":
		return assignment{}, &usageError{message: fmt.Sprintf("--param %s: the name is missing", quote(flag))}
	case !typed:
	case kind == "null" && text == "":
		a.null = true
	case kind == "null":
		return assignment{}, &usageError{message: fmt.Sprintf("--param %s: NULL has no value", quote(flag))}
	default:
		a.kind = queries.Type(kind)
		if _, err := a.kind.Value("0"); err != nil {
			return assignment{}, &usageError{message: fmt.Sprintf("--param %s: the types are text, integer, real and null", quote(flag))}
		}
	}
	return a, nil
}

// value is the value of the parameter: of the type that the user said, else of
// the type that its place has, else of the type it looks like.
func (a assignment) value(declared queries.Type) (any, error) {
	kind := a.kind
	if kind == "" {
		kind = declared
	}
	if kind == "" {
		kind = guess(a.text)
	}
	if a.null {
		return nil, nil
	}
	v, err := kind.Value(a.text)
	if err != nil {
		return nil, &usageError{message: fmt.Sprintf("--param %s: %v", a.name, err)}
	}
	return v, nil
}

// guess is the type that text looks like. A number written as nobody writes
// one, such as 007, is text.
func guess(text string) queries.Type {
	switch {
	case regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`).MatchString(text):
		return queries.Integer
	case regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`).MatchString(text):
		return queries.Real
	}
	return queries.Text
}
