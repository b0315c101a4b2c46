package store

import (
	"context"
	"fmt"
	"regexp"
	"strings"
)

// Relation is a table or view with its meaning.
type Relation struct {
	Name    string
	Kind    string // table or view
	Meaning string // what one row is
	Columns []Column
}

// Column is a column of a relation.
type Column struct {
	Name    string
	Type    string // declared, with NOT NULL and keys; "" for a view
	Meaning string // with unit, and what NULL and 0 mean
	// Unit is the unit of a number: ms, s, bytes, MB, tokens, tokens/s,
	// tokens/s/GPU, tokens/s/user, requests/s, W, J, °C or %. It is empty where
	// there is none or where another column tells it. See units.go for the rule.
	Unit string
}

// Dictionary returns the schema that this program works with, by name. What it
// says is read from the comments inside the statements of the schema.
func Dictionary(ctx context.Context) ([]Relation, error) {
	w, err := OpenMemory(ctx)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	rows, err := w.db.QueryContext(ctx, `
		SELECT name, type, sql FROM sqlite_schema
		WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\_%' ESCAPE '\' AND name <> 'goose_db_version'
		ORDER BY name`)
	if err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	defer rows.Close()
	var all []Relation
	for rows.Next() {
		var r Relation
		var definition string
		if err := rows.Scan(&r.Name, &r.Kind, &definition); err != nil {
			return nil, fmt.Errorf("read the schema: %w", err)
		}
		r.describe(definition)
		all = append(all, r)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	setUnits(all)
	return all, nil
}

// columnLine is a line that declares a column: name, the rest of the declaration, comment.
var columnLine = regexp.MustCompile(`^    ([a-z_][a-z0-9_]*)\b([^-]*(?:-[^-][^-]*)*?),?\s*--\s*(.*)$`)

var constraintPart = regexp.MustCompile(`\s+CONSTRAINT .*$`)

// quotedTarget is a table that columns refer to, as SQLite writes it where the table was renamed.
var quotedTarget = regexp.MustCompile(`REFERENCES "([a-z0-9_]+)"`)

// describe reads the comments of a CREATE statement: the one on its first
// line is the relation's meaning, each other its column's.
func (r *Relation) describe(definition string) {
	lines := strings.Split(definition, "\n")
	if _, meaning, ok := strings.Cut(lines[0], "--"); ok {
		r.Meaning = strings.TrimSpace(meaning)
	}
	for _, line := range lines[1:] {
		if strings.HasPrefix(line, ")") {
			return
		}
		m := columnLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		declared := quotedTarget.ReplaceAllString(strings.TrimSpace(constraintPart.ReplaceAllString(m[2], "")), "REFERENCES $1")
		r.Columns = append(r.Columns, Column{Name: m[1], Type: strings.TrimSuffix(declared, ","), Meaning: m[3]})
	}
}
