package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"github.com/inference-sim/blis-warehouse/queries"
	"github.com/inference-sim/blis-warehouse/queries/export"
	"github.com/inference-sim/blis-warehouse/store"
)

func showCommand() command {
	return command{
		name:    "show",
		args:    "RUN",
		minArgs: 1,
		maxArgs: 1,
		summary: "print everything that is known of a run",
		help: `Prints the run section by section: what ran, its verdict and licence, where the
numbers came from, definitions, points, values, provenance and differences. What
is not stated is left out. --format json prints one object with a list of rows
for each section; the other machine formats print a section, a row, a column and
its value on each line.

--skeleton prints, of a run that came from InferenceX, the beginning of a
MeasuredRun document for a catalog. What the rows state is filled in; what they do
not state is left out and marked at its place, as required or as needed to be
EXACT.

Examples:
  blis-warehouse show demo-h100-tp4
  blis-warehouse show demo-h100-tp4 --format json
  blis-warehouse show inferencex-100000000-1-160b2c42ee34 --skeleton -o run.yaml`,
		setup: setupShow,
	}
}

func setupShow(fs *pflag.FlagSet) runFunc {
	database := databaseFlags(fs)
	out := rowFlags(fs, "table")
	skeleton := fs.Bool("skeleton", false, "print the beginning of a MeasuredRun document, of a run that came from InferenceX")
	return func(ctx context.Context, env *environment, args []string) error {
		if *skeleton && (fs.Changed("format") || fs.Changed("width")) {
			return &usageError{message: "--skeleton prints YAML: it takes neither --format nor --width", command: "show"}
		}
		path := database.path(env)
		r, err := database.open(ctx, env)
		if err != nil {
			return err
		}
		defer r.Close()
		if *skeleton {
			return showSkeleton(ctx, env, r, out, args[0])
		}
		sections, err := readSections(ctx, r, args[0])
		if err != nil {
			return err
		}
		if len(sections[0].rows) == 0 {
			return noSuchRun(ctx, r, args[0])
		}
		switch out.format {
		case "table":
			return out.writeFitted(env, path, func(w io.Writer, f *fit) error { return writeSections(w, f, sections) })
		case "json", "jsonl":
			return out.write(env, path, func(w io.Writer) error { return writeSectionsJSON(w, sections) })
		}
		return out.print(env, path, []string{"section", "row", "column", "value"}, rowsOf(sectionCells(sections)))
	}
}

// showSkeleton prints the skeleton of a run.
func showSkeleton(ctx context.Context, env *environment, r *store.Reader, out *rowOutput, run string) error {
	content, origin, err := export.Skeleton(ctx, r, run)
	switch {
	case err != nil:
		return err
	case origin == "":
		return noSuchRun(ctx, r, run)
	case origin == "catalog":
		return fmt.Errorf("%s is a catalog run, which has a document: export --for redistribution --format yaml writes it", quote(run))
	case content == nil:
		return fmt.Errorf("%s is a run of origin %s: --skeleton is for runs that came from InferenceX", quote(run), origin)
	}
	return out.write(env, r.Path(), func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

// section is a part of a run: the result of a query of queries.Sections.
type section struct {
	title string
	*result
}

func readSections(ctx context.Context, r *store.Reader, run string) ([]section, error) {
	var all []section
	for _, q := range queries.Sections() {
		res, err := collect(ctx, r, q, map[string]any{"run": run})
		if err != nil {
			return nil, err
		}
		all = append(all, section{q.Summary, res})
	}
	return all, nil
}

// noSuchRun is the error for a name that no run has, with the nearest that one has.
func noSuchRun(ctx context.Context, r *store.Reader, name string) error {
	res, err := runNamed(ctx, r, "run-names", nil)
	if err != nil {
		return err
	}
	names := make([]string, len(res.rows))
	for i, row := range res.rows {
		names[i] = res.text(row, "name")
	}
	return fmt.Errorf("no run is named %s in %s%s", quote(name), r.Path(), didYouMean(name, names))
}

// writeSections prints sections that have rows: one row as a list of its
// columns, several as a table without the columns that are NULL throughout.
func writeSections(w io.Writer, f *fit, sections []section) error {
	first := true
	for _, s := range sections {
		if len(s.rows) == 0 {
			continue
		}
		heading := s.title + "\n"
		if !first {
			heading = "\n" + heading
		}
		first = false
		if _, err := io.WriteString(w, heading+strings.Repeat("=", len(s.title))+"\n"); err != nil {
			return err
		}
		if len(s.rows) == 1 {
			if err := writeList(w, s.columns, s.rows[0]); err != nil {
				return err
			}
			continue
		}
		columns, rows := dropEmptyColumns(s.columns, s.rows)
		if err := writeTable(w, f, columns, rowsOf(rows)); err != nil {
			return err
		}
	}
	return nil
}

// writeList prints the columns of a row that are not NULL, a line each.
func writeList(w io.Writer, columns []string, row []any) error {
	longest := 0
	for i, c := range columns {
		if row[i] != nil {
			longest = max(longest, len(c))
		}
	}
	for i, c := range columns {
		if row[i] == nil {
			continue
		}
		if _, err := fmt.Fprintf(w, "%-*s  %s\n", longest, c, shown(row[i])); err != nil {
			return err
		}
	}
	return nil
}

func dropEmptyColumns(columns []string, rows [][]any) (kept []string, cut [][]any) {
	var keep []int
	for i := range columns {
		for _, row := range rows {
			if row[i] != nil {
				keep = append(keep, i)
				kept = append(kept, columns[i])
				break
			}
		}
	}
	for _, row := range rows {
		short := make([]any, len(keep))
		for j, i := range keep {
			short[j] = row[i]
		}
		cut = append(cut, short)
	}
	return kept, cut
}

// writeSectionsJSON prints one object with a list of rows for each section.
func writeSectionsJSON(w io.Writer, sections []section) error {
	for i, s := range sections {
		before := ",\n"
		if i == 0 {
			before = "{"
		}
		if _, err := fmt.Fprintf(w, "%s%q: ", before, strings.ReplaceAll(s.title, " ", "_")); err != nil {
			return err
		}
		var b strings.Builder
		if err := writeJSON(&b, true, s.columns, rowsOf(s.rows)); err != nil {
			return err
		}
		if _, err := io.WriteString(w, strings.TrimSuffix(b.String(), "\n")); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, "}\n")
	return err
}

func sectionCells(sections []section) (cells [][]any) {
	for _, s := range sections {
		for i, row := range s.rows {
			for j, v := range row {
				if v != nil {
					cells = append(cells, []any{s.title, int64(i), s.columns[j], v})
				}
			}
		}
	}
	return cells
}
