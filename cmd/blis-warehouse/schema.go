package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/inference-sim/blis-warehouse/store"
)

func schemaCommand() command {
	return command{
		name:    "schema",
		args:    "[NAME]",
		maxArgs: 1,
		summary: "print the data dictionary: tables, views and columns with their meaning",
		help: `With the name of a table or view only that, and below its columns its keys,
indexes, references and checks, and which views read it. --sql prints the
statements that create it instead. All is read from the program's own schema, so
it needs no database. --format markdown prints the dictionary with headings, as in
docs/data-dictionary.md; the machine formats print one column a row.

Examples:
  blis-warehouse schema
  blis-warehouse schema runs
  blis-warehouse schema scorable_runs --sql
  blis-warehouse schema --format csv`,
		setup: setupSchema,
	}
}

func setupSchema(fs *pflag.FlagSet) runFunc {
	sql := fs.Bool("sql", false, "print the statements that create the table or view, with their comments")
	out := rowFlags(fs, "table")
	return func(ctx context.Context, env *environment, args []string) error {
		relations, err := store.Dictionary(ctx)
		if err != nil {
			return interrupted(ctx, err)
		}
		var structure *store.Structure
		if len(args) == 1 {
			if relations, err = oneRelation(relations, args[0]); err != nil {
				return err
			}
			if structure, err = store.StructureOf(ctx, relations[0].Name); err != nil {
				return interrupted(ctx, err)
			}
		}
		switch {
		case *sql && (structure == nil || fs.Changed("format")):
			return &usageError{message: "--sql is for one table or view, and has no format", command: "schema"}
		case *sql:
			return out.write(env, "", func(w io.Writer) error {
				_, err := io.WriteString(w, structure.SQL)
				return err
			})
		}
		return out.printDictionary(env, relations, structure)
	}
}

// printDictionary prints relations; structure is that of the only one, or nil.
func (o *rowOutput) printDictionary(env *environment, relations []store.Relation, structure *store.Structure) error {
	switch o.format {
	case "table":
		return o.writeFitted(env, "", func(w io.Writer, f *fit) error {
			if err := writeDictionary(w, f, relations); err != nil || structure == nil {
				return err
			}
			return writeStructure(w, f, structure)
		})
	case "markdown":
		return o.write(env, "", func(w io.Writer) error { return writeDictionaryMarkdown(w, relations) })
	}
	var rows [][]any
	for _, r := range relations {
		for _, c := range r.Columns {
			rows = append(rows, []any{r.Name, r.Kind, r.Meaning, c.Name, textOrNull(c.Type), c.Meaning, textOrNull(c.Unit)})
		}
	}
	return o.print(env, "", []string{"relation", "kind", "relation_meaning", "column", "type", "meaning", "unit"}, rowsOf(rows))
}

func oneRelation(relations []store.Relation, name string) ([]store.Relation, error) {
	var names []string
	for _, r := range relations {
		if strings.EqualFold(r.Name, name) {
			return []store.Relation{r}, nil
		}
		names = append(names, r.Name)
	}
	return nil, &usageError{message: "no table or view " + quote(name) + didYouMean(name, names), command: "schema"}
}

func writeDictionary(w io.Writer, f *fit, relations []store.Relation) error {
	f.wraps = true // the meaning is what one looks for
	for i, r := range relations {
		heading := fmt.Sprintf("%s (%s): %s\n\n", r.Name, r.Kind, r.Meaning)
		if i > 0 {
			heading = "\n" + heading
		}
		if _, err := io.WriteString(w, heading); err != nil {
			return err
		}
		if err := writeTable(w, f, columnHeader(r), rowsOf(columnRows(r))); err != nil {
			return err
		}
	}
	return nil
}

// writeStructure writes what the schema says of a relation besides its columns.
func writeStructure(w io.Writer, f *fit, s *store.Structure) error {
	rows := structureRows(s)
	if len(rows) == 0 {
		return nil
	}
	if _, err := io.WriteString(w, "\n"); err != nil {
		return err
	}
	return writeTable(w, f, []string{"besides", "what"}, rowsOf(rows))
}

// structureRows are a row for each fact, of which the first of a kind names the kind.
func structureRows(s *store.Structure) (rows [][]any) {
	last := ""
	add := func(kind, text string) {
		if text == "" {
			return
		}
		if kind == last {
			kind = ""
		} else {
			last = kind
		}
		rows = append(rows, []any{kind, text})
	}
	add("primary key", strings.Join(s.PrimaryKey, ", "))
	for _, columns := range s.Unique {
		add("unique", strings.Join(columns, ", "))
	}
	for _, i := range s.Indexes {
		add("index", i.On+", called "+i.Name)
	}
	for _, r := range s.References {
		text := fmt.Sprintf("%s to %s (%s)", strings.Join(r.Columns, ", "), r.Target, strings.Join(r.Keys, ", "))
		if r.Cascade {
			text += ", deleted with it"
		}
		add("references", text)
	}
	for _, r := range s.ReferredBy {
		add("referred to by", fmt.Sprintf("%s (%s)", r.Table, strings.Join(r.Columns, ", ")))
	}
	for _, c := range s.Checks {
		add("check", c)
	}
	add("reads", strings.Join(s.Reads, ", "))
	add("read by", strings.Join(s.ReadBy, ", "))
	return rows
}

// columnHeader is what is said of each column: also the unit, where some has one.
func columnHeader(r store.Relation) []string {
	if hasUnits(r) {
		return []string{"column", "type", "unit", "meaning"}
	}
	return []string{"column", "type", "meaning"}
}

func hasUnits(r store.Relation) bool {
	return slices.ContainsFunc(r.Columns, func(c store.Column) bool { return c.Unit != "" })
}

func columnRows(r store.Relation) (rows [][]any) {
	units := hasUnits(r)
	for _, c := range r.Columns {
		row := []any{c.Name, c.Type, c.Meaning}
		if units {
			row = slices.Insert(row, 2, any(c.Unit))
		}
		rows = append(rows, row)
	}
	return rows
}

func writeDictionaryMarkdown(w io.Writer, relations []store.Relation) error {
	var b strings.Builder
	b.WriteString("# Data dictionary\n\nGenerated by `blis-warehouse schema --format markdown` from the comments of the schema.\n")
	for _, r := range relations {
		fmt.Fprintf(&b, "\n## %s\n\n%s: %s\n\n", r.Name, strings.ToUpper(r.Kind[:1])+r.Kind[1:], markdownText(r.Meaning))
		if _, err := io.WriteString(w, b.String()); err != nil {
			return err
		}
		b.Reset()
		if err := writeMarkdown(w, columnHeader(r), rowsOf(columnRows(r))); err != nil {
			return err
		}
	}
	return nil
}
