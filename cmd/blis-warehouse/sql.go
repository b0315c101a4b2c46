package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"github.com/inference-sim/blis-warehouse/store"
)

func sqlCommand() command {
	return command{
		name:    "sql",
		args:    "[QUERY]",
		maxArgs: 1,
		summary: "run one read-only SQL statement",
		help: `The statement is the argument, the file of --file, or standard input. It can
only read: anything that would write, attach another file or change a setting
is refused, and so is a second statement. Text in double quotes is always a
name, never a string.

` + paramHelp + `

` + planHelp + `

Examples:
  blis-warehouse sql "SELECT name, verdict FROM verdicts ORDER BY name"
  blis-warehouse sql --param model=llama --format csv \
      "SELECT name FROM runs WHERE model = :model ORDER BY name"
  blis-warehouse sql --file report.sql --format markdown -o report.md
  echo "SELECT count(*) FROM points" | blis-warehouse sql --timing
  blis-warehouse sql --explain "SELECT value FROM measurements WHERE metric = :metric"
  blis-warehouse sql --format box "SELECT * FROM scorable_runs ORDER BY name"`,
		setup: setupSQL,
	}
}

func setupSQL(fs *pflag.FlagSet) runFunc {
	database := databaseFlags(fs)
	file := fs.String("file", "", "read the statement from `FILE`; - is standard input")
	params := paramFlag(fs)
	run := runFlags(fs)
	out := rowFlags(fs, "table")
	return func(ctx context.Context, env *environment, args []string) error {
		if len(args) > 0 && fs.Changed("file") {
			return &usageError{message: "sql takes a statement or --file, not both", command: "sql"}
		}
		assignments, err := parseAssignments(*params)
		if err != nil {
			return err
		}
		values := map[string]any{}
		for _, a := range assignments {
			if values[a.name], err = a.value(""); err != nil {
				return err
			}
		}
		text, err := statementText(ctx, env, args, *file)
		if err != nil {
			return err
		}
		return run.print(ctx, env, database, text, values, out)
	}
}

// statementRun is how a statement is run: the values of the flags that runFlags
// declares.
type statementRun struct {
	timeout time.Duration // 0 is none; it counts until the last row is printed
	explain bool          // print the plan instead
	timing  bool          // say how long it took
}

// runFlags declares --timeout, --explain and --timing on fs.
func runFlags(fs *pflag.FlagSet) *statementRun {
	run := &statementRun{}
	fs.DurationVar(&run.timeout, "timeout", defaultTimeout, "give up after `TIME`, such as 30s or 2m; 0 never gives up")
	fs.BoolVar(&run.explain, "explain", false, "print how SQLite would run the statement, and do not run it")
	fs.BoolVar(&run.timing, "timing", false, "say on standard error how long the statement took to its first row and to its last")
	return run
}

// defaultTimeout ends a statement that would run forever, and is far beyond
// what a question to a warehouse takes.
const defaultTimeout = 10 * time.Minute

// maxStatementMemory bounds what SQLite may take while a statement of the user's
// runs. Nothing spills to temporary files: a reader makes none.
const maxStatementMemory = 1 << 30

// statementText is the statement that the command line names.
func statementText(ctx context.Context, env *environment, args []string, file string) (string, error) {
	switch {
	case len(args) > 0 && args[0] != "-":
		return args[0], nil
	case file == "" || file == "-":
		return readStatement(ctx, func() (io.ReadCloser, error) { return io.NopCloser(env.stdin), nil }, "standard input")
	}
	return readStatement(ctx, func() (io.ReadCloser, error) { return os.Open(file) }, file)
}

// maxStatementBytes bounds a statement, as SQLite does by default.
const maxStatementBytes = 1_000_000

// readStatement reads what open opens to its end; the end of ctx ends the wait
// for it, for a writer of a FIFO too.
func readStatement(ctx context.Context, open func() (io.ReadCloser, error), name string) (string, error) {
	type result struct {
		text []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		r, err := open()
		if err != nil {
			done <- result{nil, err}
			return
		}
		defer r.Close()
		text, err := io.ReadAll(io.LimitReader(r, maxStatementBytes+1))
		done <- result{text, err}
	}()
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case got := <-done:
		switch {
		case got.err != nil:
			return "", fmt.Errorf("read statement: %w", got.err)
		case len(got.text) > maxStatementBytes:
			return "", fmt.Errorf("read statement: %s is longer than %d bytes", name, maxStatementBytes)
		case !utf8.Valid(got.text):
			return "", fmt.Errorf("read statement: %s is not UTF-8 text", name)
		}
		return string(got.text), nil
	}
}

// print opens the database, runs one statement and prints its rows.
func (run *statementRun) print(ctx context.Context, env *environment, database *database, text string, values map[string]any, out *rowOutput) error {
	if run.timeout < 0 {
		return &usageError{message: "--timeout is negative"}
	}
	if err := store.LimitMemory(maxStatementMemory); err != nil {
		return err
	}
	r, err := database.open(ctx, env)
	if err != nil {
		return err
	}
	defer r.Close()
	if run.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, run.timeout)
		defer cancel()
	}
	if run.explain {
		err = printPlan(ctx, env, r, text, out)
	} else {
		err = run.printRows(ctx, env, r, text, values, out)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("the statement took longer than %v: --timeout allows more", run.timeout)
	}
	return err
}

// printRows runs one statement on r and prints its rows.
func (run *statementRun) printRows(ctx context.Context, env *environment, r *store.Reader, text string, values map[string]any, out *rowOutput) error {
	watch := startStopwatch()
	rows, err := r.Query(ctx, text, values)
	if err != nil {
		return err
	}
	defer rows.Close()
	if err := out.print(env, r.Path(), rows.Columns(), watch.count(rows.All())); err != nil {
		return err
	}
	if run.timing {
		watch.report(env)
	}
	return nil
}
