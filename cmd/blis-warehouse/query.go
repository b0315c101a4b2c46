package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/inference-sim/blis-warehouse/queries"
)

func queryCommand() command {
	return command{
		name:    "query",
		args:    "[NAME]",
		maxArgs: 1,
		summary: "run a named query, or list them",
		help: `Without a name the queries are listed with their parameters; an optional one is
in brackets. Queries named check-… are the standing checks of the check command.
--show prints a query's SQL with its explanation, ready for any SQLite tool.

` + paramHelp + `
Here the type that the query declares comes before the looks of a value. An
optional parameter that is not given is NULL.

` + planHelp + `

Examples:
  blis-warehouse query
  blis-warehouse query tables --format csv
  blis-warehouse query tables --show
  blis-warehouse query coverage --param origin=catalog --format box
  blis-warehouse query run-curve --explain`,
		words: queryNames,
		setup: setupQuery,
	}
}

func setupQuery(fs *pflag.FlagSet) runFunc {
	database := databaseFlags(fs)
	show := fs.Bool("show", false, "print the query's SQL instead of running it")
	params := paramFlag(fs)
	run := runFlags(fs)
	out := rowFlags(fs, "table")
	return func(ctx context.Context, env *environment, args []string) error {
		if len(args) == 0 {
			if *show || run.explain || run.timing || len(*params) > 0 {
				return &usageError{message: "query needs a name with --show, --explain, --timing and --param", command: "query"}
			}
			return listQueries(env, out)
		}
		q, ok := queries.Get(args[0])
		if !ok {
			return unknownQuery(args[0])
		}
		if *show {
			return printText(env.stdout, q.Text)
		}
		if run.explain {
			return run.print(ctx, env, database, q.Text, nil, out)
		}
		assignments, err := parseAssignments(*params)
		if err != nil {
			return err
		}
		values, err := queryValues(q, assignments)
		if err != nil {
			return err
		}
		return run.print(ctx, env, database, q.Text, values, out)
	}
}

// queryNames are the names of all queries, standing checks last.
func queryNames() []string {
	var names []string
	for _, q := range append(queries.All(), queries.Checks()...) {
		names = append(names, q.Name)
	}
	return names
}

// listQueries prints the queries, standing checks last.
func listQueries(env *environment, out *rowOutput) error {
	var rows [][]any
	for _, q := range append(queries.All(), queries.Checks()...) {
		var params []string
		for _, p := range q.Params {
			if p.Optional {
				params = append(params, "["+p.Name+"]")
			} else {
				params = append(params, p.Name)
			}
		}
		rows = append(rows, []any{q.Name, strings.Join(params, " "), q.Summary})
	}
	return out.print(env, "", []string{"name", "params", "summary"}, rowsOf(rows))
}

func unknownQuery(name string) error {
	return &usageError{message: "unknown query " + quote(name) + didYouMean(name, queryNames()), command: "query"}
}

// queryValues are the values of q's parameters as assignments give them.
func queryValues(q queries.Query, assignments []assignment) (map[string]any, error) {
	given := map[string]assignment{}
	for _, a := range assignments {
		given[a.name] = a
	}
	values := map[string]any{}
	var missing, names []string
	for _, p := range q.Params {
		names = append(names, p.Name)
		a, ok := given[p.Name]
		switch {
		case ok:
			v, err := a.value(p.Type)
			if err != nil {
				return nil, &usageError{message: fmt.Sprintf("query %s: %v (%s)", q.Name, err, p.Meaning), command: "query"}
			}
			if !p.Takes(v) {
				return nil, &usageError{message: fmt.Sprintf("query %s: --param %s: unknown word %s (%s)", q.Name, p.Name, quote(a.text), p.Meaning) + didYouMean(a.text, p.Words), command: "query"}
			}
			values[p.Name] = v
			delete(given, p.Name)
		case p.Optional:
			values[p.Name] = nil
		default:
			missing = append(missing, fmt.Sprintf("--param %s=… (%s)", p.Name, p.Meaning))
		}
	}
	for _, a := range assignments {
		if _, left := given[a.name]; left {
			return nil, &usageError{message: fmt.Sprintf("query %s has no parameter %s", q.Name, a.name) + didYouMean(a.name, names), command: "query"}
		}
	}
	if missing != nil {
		return nil, &usageError{message: fmt.Sprintf("query %s needs %s", q.Name, strings.Join(missing, " and ")), command: "query"}
	}
	return values, nil
}
