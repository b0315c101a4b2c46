package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"github.com/inference-sim/blis-warehouse/queries/statement"
)

// Structure is what the schema says of a table or view besides its columns.
type Structure struct {
	SQL        string   // the CREATE statement with its comments, then those of its indexes, each ended by a semicolon
	PrimaryKey []string // its columns in order, none for a view
	Unique     [][]string
	Indexes    []Index
	References []Reference // of its columns to other tables
	ReferredBy []Reference // of other tables' columns to it
	Checks     []string    // the conditions that every row meets, as they are written
	Reads      []string    // of a view: the tables and views that it names, by name
	ReadBy     []string    // the views that name it, by name
}

// Index is an index that no key implies.
type Index struct {
	Name string
	On   string // its columns and its condition, as they are written
}

// Reference is a foreign key.
type Reference struct {
	Table   string // of the columns
	Columns []string
	Target  string // the table that they name a row of
	Keys    []string
	Cascade bool // deleting that row deletes this one
}

// StructureOf returns the structure of a table or view of the schema that this
// program works with; nil where it has none of that name.
func StructureOf(ctx context.Context, name string) (*Structure, error) {
	w, err := OpenMemory(ctx)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	return structureIn(ctx, w.db, name)
}

// structureIn is StructureOf in a database.
func structureIn(ctx context.Context, db *sql.DB, name string) (*Structure, error) {
	b := structures{ctx: ctx, db: db, definition: map[string]string{}}
	s := b.structure(name)
	if b.err != nil {
		return nil, fmt.Errorf("read the schema: %w", b.err)
	}
	return s, nil
}

// structures reads structures out of a database. Its first error is kept.
type structures struct {
	ctx        context.Context
	db         *sql.DB
	names      []string          // of tables and views, by name
	definition map[string]string // their CREATE statements
	err        error
}

func (b *structures) structure(name string) *Structure {
	b.each(`SELECT name, sql FROM sqlite_schema
		WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\_%' ESCAPE '\' AND name <> 'goose_db_version' ORDER BY name`, nil,
		func(scan func(...any) error) error {
			var name, definition string
			if err := scan(&name, &definition); err != nil {
				return err
			}
			b.names = append(b.names, name)
			b.definition[name] = definition
			return nil
		})
	definition, ok := b.definition[name]
	if !ok {
		return nil
	}
	s := &Structure{SQL: definition + ";\n", Checks: checks(definition)}
	b.keys(s, name)
	b.indexes(s, name)
	columns := map[string][]string{} // only the names are needed
	for _, other := range b.names {
		columns[other] = nil
		for _, r := range b.references(other) {
			if r.Table == name {
				s.References = append(s.References, r)
			}
			if r.Target == name {
				s.ReferredBy = append(s.ReferredBy, r)
			}
		}
	}
	s.Reads = reads(definition, columns)
	for _, other := range b.names {
		if slices.Contains(reads(b.definition[other], columns), name) {
			s.ReadBy = append(s.ReadBy, other)
		}
	}
	return s
}

// each calls row for every row of a statement.
func (b *structures) each(query string, args []any, row func(scan func(...any) error) error) {
	if b.err != nil {
		return
	}
	rows, err := b.db.QueryContext(b.ctx, query, args...)
	if err != nil {
		b.err = err
		return
	}
	defer rows.Close()
	for rows.Next() {
		if err := row(rows.Scan); err != nil {
			b.err = err
			return
		}
	}
	b.err = rows.Err()
}

// texts is the first column of a statement.
func (b *structures) texts(query string, args ...any) (all []string) {
	b.each(query, args, func(scan func(...any) error) error {
		var s string
		err := scan(&s)
		all = append(all, s)
		return err
	})
	return all
}

// keys reads the primary key and the other unique ones.
func (b *structures) keys(s *Structure, table string) {
	s.PrimaryKey = b.texts(`SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk`, table)
	for _, index := range b.texts(`SELECT name FROM pragma_index_list(?) WHERE origin = 'u' ORDER BY seq DESC`, table) {
		s.Unique = append(s.Unique, b.texts(`SELECT name FROM pragma_index_info(?) ORDER BY seqno`, index))
	}
}

// indexes reads the indexes that were created by statements of their own.
func (b *structures) indexes(s *Structure, table string) {
	b.each(`SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL ORDER BY name`, []any{table},
		func(scan func(...any) error) error {
			var index Index
			var definition string
			if err := scan(&index.Name, &definition); err != nil {
				return err
			}
			s.SQL += definition + ";\n"
			_, on, _ := strings.Cut(plainSQL(definition), " "+table+" ")
			if strings.HasPrefix(definition, "CREATE UNIQUE") {
				on = "unique " + on
			}
			index.On = on
			s.Indexes = append(s.Indexes, index)
			return nil
		})
}

// references are the foreign keys of a table.
func (b *structures) references(table string) (all []Reference) {
	last := int64(-1)
	b.each(`SELECT f.id, f."table", f."from", f."to", f.on_delete FROM pragma_foreign_key_list(?) AS f ORDER BY f."from", f.id, f.seq`, []any{table},
		func(scan func(...any) error) error {
			var id int64
			var target, from, to, onDelete string
			if err := scan(&id, &target, &from, &to, &onDelete); err != nil {
				return err
			}
			if id != last {
				all = append(all, Reference{Table: table, Target: target, Cascade: onDelete == "CASCADE"})
				last = id
			}
			r := &all[len(all)-1]
			r.Columns, r.Keys = append(r.Columns, from), append(r.Keys, to)
			return nil
		})
	return all
}

// reads are the tables and views that the definition of a view names, by name;
// a table's names none.
func reads(definition string, columns map[string][]string) []string {
	if !strings.HasPrefix(definition, "CREATE VIEW") {
		return nil
	}
	own := "" // what it creates is the first that it names
	var names []string
	for _, n := range NamedRelations(definition, columns) {
		if own == "" {
			own = n.Name
		} else if n.Name != own {
			names = append(names, n.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// checks are the conditions after the word CHECK in a CREATE TABLE statement.
func checks(definition string) (all []string) {
	plain := plainSQL(definition)
	depth, start := 0, -1 // of the condition that is read
	waiting := false      // for its parenthesis
	for tok := range statement.Tokens(plain) {
		switch {
		case tok.Kind == statement.Word && strings.EqualFold(plain[tok.Start:tok.End], "CHECK") && start < 0:
			waiting = true
		case tok.Kind == statement.Open && waiting:
			waiting, depth, start = false, 1, tok.End
		case tok.Kind == statement.Open && start >= 0:
			depth++
		case tok.Kind == statement.Shut && start >= 0:
			if depth--; depth == 0 {
				all = append(all, strings.TrimSpace(plain[start:tok.Start]))
				start = -1
			}
		}
	}
	return all
}

// plainSQL is a statement on one line, without comments.
func plainSQL(text string) string {
	var b strings.Builder
	space := false
	for tok := range statement.Tokens(text) {
		if tok.Kind == statement.Space {
			space = true
			continue
		}
		if space && b.Len() > 0 {
			b.WriteByte(' ')
		}
		space = false
		b.WriteString(text[tok.Start:tok.End])
	}
	return b.String()
}
