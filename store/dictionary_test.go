package store

import (
	"testing"
)

// Every column of every table and view has a meaning, so that the data
// dictionary is complete.
func TestDictionaryIsComplete(t *testing.T) {
	ctx := t.Context()
	relations, err := Dictionary(ctx)
	if err != nil {
		t.Fatal(err)
	}
	w, err := OpenMemory(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if len(relations) < 40 {
		t.Fatalf("%d relations, expected the whole schema", len(relations))
	}
	for _, r := range relations {
		if r.Meaning == "" {
			t.Errorf("%s has no comment on its first line", r.Name)
		}
		described := map[string]bool{}
		for _, c := range r.Columns {
			described[c.Name] = c.Meaning != ""
		}
		rows, err := w.db.QueryContext(ctx, "SELECT name FROM pragma_table_xinfo(?)", r.Name)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for rows.Next() {
			var name string
			if err := rows.Scan(&name); err != nil {
				t.Fatal(err)
			}
			if n++; !described[name] {
				t.Errorf("%s.%s has no comment", r.Name, name)
			}
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		if n != len(r.Columns) {
			t.Errorf("%s: %d columns described, it has %d", r.Name, len(r.Columns), n)
		}
	}
}
