// Command bench writes benchmark inputs, and compares a load with the loaders
// of other tools:
//
//	bench rows [-n 100000] [-lines] > rows.json
//	bench peers [-n 100000] [-rounds 5] [-modules DIR] [-keep DIR] PROGRAM
//
// peers runs PROGRAM and every peer that is installed over the same input, in
// turn, each as a process of its own, and prints one Markdown table: medians,
// what each takes in relation to PROGRAM, and what it does less. Sums and counts
// of all must agree. DuckDB and better-sqlite3 are looked for in the npm modules
// of DIR: npm install --prefix DIR better-sqlite3@12 @duckdb/node-api
//
// Nothing here passes or fails by its time.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/inference-sim/blis-warehouse/bench/invented"
)

const usage = `usage: bench rows [-n ROWS] [-lines]
       bench peers [-n ROWS] [-rounds N] [-modules DIR] [-keep DIR] PROGRAM
`

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		io.WriteString(stderr, usage)
		return 2
	}
	var err error
	switch args[0] {
	case "rows":
		err = rows(args[1:], stdout, stderr)
	case "peers":
		err = peers(args[1:], stdout, stderr)
	default:
		err = fmt.Errorf("no such command: %s\n%s", args[0], usage)
	}
	if err != nil {
		fmt.Fprintln(stderr, "bench:", err)
		return 1
	}
	return 0
}

func rows(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("rows", flag.ContinueOnError)
	flags.SetOutput(stderr)
	n := flags.Int("n", 100_000, "how many rows")
	lines := flags.Bool("lines", false, "a row a line instead of an array")
	if err := flags.Parse(args); err != nil {
		return err
	}
	form := invented.Array
	if *lines {
		form = invented.Lines
	}
	return invented.Rows(stdout, *n, form)
}
