package main

import (
	"context"
	"io"

	"github.com/spf13/pflag"

	"github.com/inference-sim/blis-warehouse/queries/page"
)

func reportCommand() command {
	return command{
		name:    "report",
		maxArgs: 0,
		summary: "write one HTML page of what the database holds: coverage, verdicts, duplicates, curves, licences",
		help: `The page is one file that needs no network and no other file: open it in a
browser, send it, print it. It shows coverage, verdicts and what blocks them, what
may be scored, calibration anchors, duplicates, curves with the values of their
points, and licences with the attributions that they ask for. Tables can be sorted
and filtered; without a script everything is there all the same.

Its numbers are those of named queries, which it names. Of a long table the first
--rows are shown with how many there are, and of many pictures those with the most
points. The same database gives the same bytes.

Examples:
  blis-warehouse report -o report.html
  blis-warehouse report --rows 20 --figures 4 --title "Runs of May" -o may.html
  blis-warehouse report -o - > report.html`,
		setup: setupReport,
	}
}

// Limits of a page, beyond which no browser shows it well.
const (
	mostPageRows    = 10000
	mostPageFigures = 100
)

func setupReport(fs *pflag.FlagSet) runFunc {
	database := databaseFlags(fs)
	out := &rowOutput{}
	options := page.DefaultOptions()
	fs.StringVarP(&out.file, "output", "o", "", "write to `FILE`, which appears complete or not at all; - is standard output")
	fs.BoolVar(&out.force, "force", false, "let -o overwrite a file")
	fs.StringVar(&options.Title, "title", options.Title, "the page's `TITLE`")
	fs.IntVar(&options.Rows, "rows", options.Rows, "show the first `N` rows of each table")
	fs.IntVar(&options.Figures, "figures", options.Figures, "draw `N` pictures of curves at most")
	return func(ctx context.Context, env *environment, _ []string) error {
		switch {
		case out.file == "":
			return &usageError{message: "report needs -o FILE.html; - is standard output", command: "report"}
		case out.file == "-" && isTerminal(env.stdout):
			return &usageError{message: "a page is not printed on a terminal: -o FILE.html", command: "report"}
		case options.Rows < 1 || options.Rows > mostPageRows:
			return &usageError{message: "--rows is from 1 to 10000", command: "report"}
		case options.Figures < 0 || options.Figures > mostPageFigures:
			return &usageError{message: "--figures is from 0 to 100", command: "report"}
		}
		r, err := database.open(ctx, env)
		if err != nil {
			return err
		}
		defer r.Close()
		return interrupted(ctx, out.write(env, database.path(env), func(w io.Writer) error { return page.Write(ctx, w, r, options) }))
	}
}
