package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"
)

func explainCommand() command {
	return command{
		name:    "explain",
		args:    "RUN",
		minArgs: 1,
		maxArgs: 1,
		summary: "say why a run has its verdict, whether it may be scored, and what would make it EXACT",
		help: `Every reason against EXACT is listed with the field or row it is about and with
what would remove it; then whether the run may be scored and may anchor
calibration, its duplicates and its chain of supersession. The machine formats
print the rows of the query explain.

Examples:
  blis-warehouse explain demo-h100-tp4
  blis-warehouse explain demo-h100-tp4 --format json`,
		setup: setupExplain,
	}
}

func setupExplain(fs *pflag.FlagSet) runFunc {
	database := databaseFlags(fs)
	out := rowFlags(fs, "table")
	return func(ctx context.Context, env *environment, args []string) error {
		path := database.path(env)
		r, err := database.open(ctx, env)
		if err != nil {
			return err
		}
		defer r.Close()
		res, err := runNamed(ctx, r, "explain", map[string]any{"run": args[0]})
		if err != nil {
			return err
		}
		if len(res.rows) == 0 {
			return noSuchRun(ctx, r, args[0])
		}
		if out.format != "table" {
			return out.print(env, path, res.columns, rowsOf(res.rows))
		}
		return out.write(env, path, func(w io.Writer) error {
			_, err := io.WriteString(w, explanation(args[0], res))
			return err
		})
	}
}

// explanation is the result of the query explain in sentences.
func explanation(run string, res *result) string {
	var b strings.Builder
	line := func(format string, args ...any) {
		b.WriteString(printable(fmt.Sprintf(format, args...)))
		b.WriteByte('\n')
	}
	heading := ""
	for _, row := range res.rows {
		aspect, code, path := res.text(row, "aspect"), res.text(row, "code"), res.text(row, "path")
		detail, remedy := res.text(row, "detail"), res.text(row, "remedy")
		if aspect != heading && aspect != "verdict" {
			heading = aspect
			b.WriteByte('\n')
			line("%s:", headings[aspect])
		}
		switch aspect {
		case "verdict":
			if detail != "" {
				detail = " (" + detail + ")"
			}
			line("%s is %s%s.", run, code, detail)
		case "against EXACT", "stated":
			line("  %s [%s]", path, code)
			line("    %s", detail)
			line("    to remove it: %s", remedy)
		case "duplicate":
			if path == "" {
				line("  ... and %s", detail)
				break
			}
			line("  %s: %s, %s", path, code, detail)
		default:
			if code != "" {
				detail = code + ": " + detail
			}
			line("  %s", detail)
		}
	}
	return b.String()
}

// headings are the words for the aspects of the query explain.
var headings = map[string]string{
	"against EXACT":  "Against EXACT",
	"stated":         "What the document states",
	"scorable":       "It may be scored",
	"not scorable":   "It may not be scored",
	"calibration":    "Calibration",
	"no calibration": "Calibration",
	"duplicate":      "Duplicates",
	"supersession":   "Supersession",
}
