package export

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/inference-sim/blis-warehouse/store"
)

// writeCSV writes the rows of jsonl as RFC 4180: a column for each leaf, named
// by the members that lead to it, joined by underscores (load_concurrency,
// definition_formula). A list or a free map (pools, permits, inputs) is one
// column with its JSON. Numbers are those of jsonl, booleans true and false, an
// empty field is null. A header stands also before no rows.
func writeCSV(ctx context.Context, r *store.Reader, s *Selection, o Options, create Create, out *Outcome) error {
	var columns []string
	for _, part := range []any{rowStart{}, rowRun{}, rowPoint{}, rowMetric{}, rowValue{}, rowSource{}} {
		columns = append(columns, leafNames("", reflect.TypeOf(part))...)
	}
	e := newEncoder()
	e.excel = o.ExcelSafe
	header := []byte(strings.Join(columns, ",") + "\r\n")
	return writeRows(ctx, r, s, create, out, header, func(w io.Writer, row [][]byte) error {
		line := bytes.Join(row, []byte{','})
		_, err := w.Write(append(line, "\r\n"...))
		return err
	}, e.fields)
}

// leafNames are the columns of a part of a row.
func leafNames(prefix string, t reflect.Type) []string {
	var names []string
	for i := range t.NumField() {
		f := t.Field(i)
		name := prefix + f.Tag.Get("json")
		if inner := structOf(f.Type); inner != nil {
			names = append(names, leafNames(name+"_", inner)...)
		} else {
			names = append(names, name)
		}
	}
	return names
}

// structOf is the struct that a member is or points to, nil for a leaf.
func structOf(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	return t
}

// fields are the fields of a part of a row, with commas between them.
func (e *encoder) fields(part any) ([]byte, error) {
	fields, err := e.leaves(nil, reflect.ValueOf(part))
	return bytes.Join(fields, []byte{','}), err
}

// leaves appends the fields of a struct in the order of leafNames.
func (e *encoder) leaves(fields [][]byte, v reflect.Value) ([][]byte, error) {
	for i := range v.NumField() {
		f := v.Field(i)
		if inner := structOf(f.Type()); inner != nil {
			if f.Kind() == reflect.Pointer && f.IsNil() { // nulls all the way down
				fields = append(fields, slices.Repeat([][]byte{nil}, len(leafNames("", inner)))...)
				continue
			}
			var err error
			if fields, err = e.leaves(fields, reflect.Indirect(f)); err != nil {
				return nil, err
			}
			continue
		}
		field, err := e.leaf(f)
		if err != nil {
			return nil, err
		}
		fields = append(fields, field)
	}
	return fields, nil
}

// leaf is a field.
func (e *encoder) leaf(v reflect.Value) ([]byte, error) {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return nil, nil
		}
		v = v.Elem()
	}
	if v.Kind() == reflect.String {
		s := v.String()
		if e.excel && IsFormula(s) {
			s = "'" + s
		}
		return quoted(s), nil
	}
	text, err := e.text(v.Interface())
	if err != nil {
		return nil, fmt.Errorf("a column of type %s: %w", v.Type(), err)
	}
	return quoted(string(text)), nil
}

// IsFormula tells whether a spreadsheet may run a text cell, by its first
// character. East Asian versions take the full-width signs for the others.
func IsFormula(s string) bool {
	first, _ := utf8.DecodeRuneInString(s)
	return strings.ContainsRune("=+-@\t\r\n＝＋－＠", first)
}

// quoted is a text as a field: in quotes if it is empty, which tells it from
// null, or if a reader would take it apart or trim it.
func quoted(s string) []byte {
	if s != "" && !strings.ContainsAny(s, "\",\r\n") && s[0] != ' ' && s[len(s)-1] != ' ' {
		return []byte(s)
	}
	return []byte(`"` + strings.ReplaceAll(s, `"`, `""`) + `"`)
}
