package store

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// How much is read again at a time: it is held in memory twice, as rows that
// are stored and as rows that the documents make.
const (
	batchRuns  = 200
	batchBytes = 8 << 20 // of documents
)

// derivedColumns of runs are made of more than the run's document.
var derivedColumns = []string{"content_id"}

// runTable is a table whose rows belong to runs.
type runTable struct {
	logicalTable
	query string // the rows of runs from ?1 to ?2: run_id, then the columns
}

// runs compares the rows of every run that has a document with what that says.
func (c *documentCheck) runs() error {
	tables, err := c.runTables()
	if err != nil {
		return err
	}
	w, err := OpenMemory(c.l.ctx)
	if err != nil {
		return err
	}
	defer w.Close()
	if err := c.fixed(w); err != nil {
		return err
	}
	for last := int64(-1 << 63); ; {
		batch, err := c.nextBatch(last)
		if err != nil {
			return err
		}
		if len(batch) == 0 {
			return c.earlierVersions()
		}
		if err := c.compareBatch(w, tables, batch); err != nil {
			return err
		}
		last = batch[len(batch)-1].id
	}
}

// fixed compares the tables that the schema itself fills with those of a fresh database.
func (c *documentCheck) fixed(w *Writer) error {
	fresh, err := w.Begin(c.l.ctx)
	if err != nil {
		return err
	}
	defer fresh.Rollback()
	all, err := logicalTables(func(query string) ([]string, error) { return fresh.texts(query) })
	if err != nil {
		return err
	}
	for _, t := range all {
		wanted, err := fresh.digestsOfTable(digestedTable{t, ""}, nil)
		if err != nil {
			return err
		}
		if len(wanted) == 0 { // only loads fill it
			continue
		}
		digests, err := c.l.digestsOfTable(digestedTable{t, ""}, nil)
		if err != nil {
			return err
		}
		if !maps.Equal(digests, wanted) {
			c.found(t.name, "its rows are not those of the schema")
		}
	}
	return nil
}

// runTables are the tables that have a row's run, or its point, in a column.
func (c *documentCheck) runTables() (tables []runTable, err error) {
	all, err := logicalTables(func(query string) ([]string, error) { return c.l.texts(query) })
	if err != nil {
		return nil, err
	}
	for _, t := range all {
		var columns, terms []string
		from, owner := "", ""
		for i, column := range t.columns {
			switch {
			case t.name == "runs" && slices.Contains(derivedColumns, column):
				continue
			case column == "run_id":
				from, owner = `"`+t.name+`" t`, "t.run_id"
				continue
			case column == "point_id" && owner == "":
				from, owner = `points p JOIN "`+t.name+`" t ON t.point_id = p.point_id`, "p.run_id"
			}
			columns, terms = append(columns, column), append(terms, t.terms[i])
		}
		if t.name == "runs" {
			from, owner = "runs t", "t.run_id"
		}
		if owner == "" {
			continue
		}
		t.columns, t.terms = columns, terms
		tables = append(tables, runTable{t, "SELECT " + strings.Join(append([]string{owner}, terms...), ", ") + " FROM " + from + " WHERE " + owner + " BETWEEN ?1 AND ?2"})
	}
	return tables, nil
}

// storedRun is a run with what its document says now.
type storedRun struct {
	id                     int64
	name, admitted, digest string
	content                []byte
	stated                 Stated // nothing where the document cannot be read again
}

// nextBatch reads the documents of the runs that follow the key last,
// without a gap in their keys, so that few rows of other runs lie between.
func (c *documentCheck) nextBatch(last int64) (batch []*storedRun, err error) {
	var runs []*storedRun
	err = c.l.query(`SELECT run_id, name, admitted_as, ifnull(document_sha256, '') FROM runs WHERE run_id > ? AND origin <> 'inferencex' ORDER BY run_id LIMIT ?`,
		[]any{last, batchRuns}, func(scan func(...any) error) error {
			var r storedRun
			err := scan(&r.id, &r.name, &r.admitted, &r.digest)
			runs = append(runs, &r)
			return err
		})
	if err != nil {
		return nil, err
	}
	size := 0
	for i, r := range runs {
		if size > batchBytes || i > 0 && r.id != runs[i-1].id+1 {
			break
		}
		if r.stated, r.content, err = c.document(r.name, r.digest, ofRun); err != nil {
			return nil, err
		}
		if stated := r.stated.runName(); stated != "" && stated != r.name {
			c.found(r.name, "its document %s is of the run %s", r.digest, stated)
			r.stated = Stated{}
		}
		size += len(r.content)
		batch = append(batch, r)
	}
	return batch, nil
}

// compareBatch stores what the documents say in memory, under the same keys, and compares.
func (c *documentCheck) compareBatch(w *Writer, tables []runTable, batch []*storedRun) error {
	m, err := w.Begin(c.l.ctx)
	if err != nil {
		return err
	}
	defer m.Rollback()
	names := map[int64]string{}
	for _, r := range batch {
		if r.stated.runName() == "" {
			continue
		}
		names[r.id] = r.name
		if err := r.store(m); err != nil {
			return fmt.Errorf("store run %s in memory: %w", r.name, err)
		}
		r.content, r.stated = nil, Stated{}
	}
	first, last := batch[0].id, batch[len(batch)-1].id
	for _, t := range tables {
		if err := c.compareTable(m, t, first, last, names); err != nil {
			return fmt.Errorf("compare table %s: %w", t.name, err)
		}
	}
	return nil
}

// store stores what the document says under the run's key.
func (r *storedRun) store(m *Load) error {
	if r.stated.Evaluation != nil {
		return m.replaceEvaluationRun(r.id, &EvaluationRunDocument{Evaluation: r.stated.Evaluation, Content: r.content, SHA256: r.digest})
	}
	_, err := m.replaceRun(r.id, &RunDocument{Run: r.stated.Run, Content: r.content, SHA256: r.digest, As: Admission(r.admitted)})
	return err
}

// storedRow is a row of a run.
type storedRow struct {
	columns []string
	values  []any
}

// compareTable compares the rows that runs have in a table with those that their documents make.
func (c *documentCheck) compareTable(m *Load, t runTable, first, last int64, names map[int64]string) error {
	stored, err := rowsOfRuns(c.l, t, first, last, names)
	if err != nil {
		return err
	}
	stated, err := rowsOfRuns(m, t, first, last, names)
	if err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(names)) {
		extra, missing := onlyIn(stored[id], stated[id]), onlyIn(stated[id], stored[id])
		for _, row := range extra {
			if i := row.nearest(missing); i >= 0 {
				c.found(names[id], "%s: its document states another row: %s", t.name, row.differences(missing[i]))
				missing = slices.Delete(missing, i, i+1)
				continue
			}
			c.found(names[id], "%s: its document does not state the row %s", t.name, row)
		}
		for _, row := range missing {
			c.found(names[id], "%s: its document states a row that is not there: %s", t.name, row)
		}
	}
	return nil
}

// rowsOfRuns reads the rows of runs, by run and then by their canonical form.
func rowsOfRuns(l *Load, t runTable, first, last int64, names map[int64]string) (map[int64]map[string]storedRow, error) {
	rows := map[int64]map[string]storedRow{}
	err := l.query(t.query, []any{first, last}, func(scan func(...any) error) error {
		var id int64
		row := storedRow{t.columns, make([]any, len(t.columns))}
		dest := []any{&id}
		for i := range row.values {
			dest = append(dest, &row.values[i])
		}
		if err := scan(dest...); err != nil {
			return err
		}
		if _, ours := names[id]; !ours {
			return nil
		}
		form, err := appendRow(nil, row.columns, row.values)
		if err != nil {
			return err
		}
		if rows[id] == nil {
			rows[id] = map[string]storedRow{}
		}
		key := string(form)
		for _, twice := rows[id][key]; twice; _, twice = rows[id][key] { // equal rows stay two
			key += "\x00"
		}
		rows[id][key] = row
		return nil
	})
	return rows, err
}

// onlyIn are the rows of a that b has not, in the order of their canonical forms.
func onlyIn(a, b map[string]storedRow) (rows []storedRow) {
	for _, form := range slices.Sorted(maps.Keys(a)) {
		if _, both := b[form]; !both {
			rows = append(rows, a[form])
		}
	}
	return rows
}

// nearest is the index of the row that shares most values, -1 where none shares half of them.
func (r storedRow) nearest(others []storedRow) int {
	best, most := -1, (len(r.values)-1)/2
	for i, other := range others {
		same := 0
		for j := range r.values {
			if sameValue(r.values[j], other.values[j]) {
				same++
			}
		}
		if same > most {
			best, most = i, same
		}
	}
	return best
}

func sameValue(a, b any) bool {
	return cell(a) == cell(b)
}

// differences says in which columns a row is not the stated one, and what tells which row it is.
func (r storedRow) differences(stated storedRow) string {
	var parts, same []string
	for i, column := range r.columns {
		switch {
		case !sameValue(r.values[i], stated.values[i]):
			parts = append(parts, fmt.Sprintf("%s is %s, stated is %s", column, cell(r.values[i]), cell(stated.values[i])))
		case slices.Contains(tellingColumns, column) && r.values[i] != nil:
			same = append(same, column+" "+cell(r.values[i]))
		}
	}
	text := strings.Join(parts, ", ")
	if same != nil {
		text += " (" + strings.Join(same, ", ") + ")"
	}
	return text
}

// tellingColumns say which of a run's rows one is.
var tellingColumns = []string{"point_id", "metric", "position", "id", "setting"}

func (r storedRow) String() string {
	var parts []string
	for i, column := range r.columns {
		if r.values[i] != nil {
			parts = append(parts, column+" "+cell(r.values[i]))
		}
	}
	return strings.Join(parts, ", ")
}

// cell is a value for people: texts in quotes, long ones cut.
func cell(v any) string {
	const most = 60
	var s string
	switch v := v.(type) {
	case nil:
		return "NULL"
	case string:
		s = fmt.Sprintf("%q", v)
	case []byte:
		s = fmt.Sprintf("X'%X'", v)
	default:
		return fmt.Sprint(v)
	}
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return s
}

// earlierVersions reads the kept documents that are not in effect.
func (c *documentCheck) earlierVersions() error {
	type version struct{ name, digest string }
	var last version
	for {
		var v version
		found, err := c.l.queryRow(`
			SELECT v.name, v.sha256 FROM run_versions v
			WHERE (v.name, v.sha256) > (?, ?) AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.name = v.name AND r.document_sha256 = v.sha256)
			ORDER BY v.name, v.sha256 LIMIT 1`, []any{last.name, last.digest}, &v.name, &v.digest)
		if err != nil || !found {
			return err
		}
		stated, _, err := c.document(v.name, v.digest, ofRun)
		if err != nil {
			return err
		}
		if name := stated.runName(); name != "" && name != v.name {
			c.found(v.name, "its earlier document %s is of the run %s", v.digest, name)
		}
		last = v
	}
}
