package inferencex

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// Bodies of operations that are no benchmark rows: lists of rows, or objects with
// lists under their keys. What lands where is data, record.InferenceXBodyTables.

// bodyReader reads a body.
type bodyReader struct {
	*decoder
	operation string
	tables    map[string]*record.InferenceXBodyTable
	fn        func(record.InferenceXTableRow) error
	member    string          // the key of the member being read, where members are named by ids
	read      map[string]bool // keys of the body that were read
	series    int             // rows of series so far, refused ones included
}

// body reads the body of an operation to its end.
func (d *decoder) body(kind Kind, fn func(record.InferenceXTableRow) error) error {
	b := &bodyReader{decoder: d, operation: string(kind), tables: record.InferenceXBodies(string(kind)), fn: fn, read: map[string]bool{}}
	c, _ := d.src.peek()
	var err error
	switch table := b.tables[""]; {
	case b.operation == tcoFeed && c != '{' && c != '[':
		return b.csv()
	case c == '[' && table != nil:
		d.src.pos++
		err = b.rows(table, "").array()
	case c == '{' && table == nil:
		d.src.pos++
		if byID := b.byID(); byID != nil {
			err = b.idMembers(byID)
		} else {
			err = b.sections()
		}
	default:
		d.summary.problem("", d.src.lineAt(d.src.pos), "type", "a body of "+b.operation+" is not "+typeName(c))
		return nil
	}
	if err != nil {
		return err
	}
	return d.end()
}

// rows reads rows of a table, whose paths begin with prefix.
func (b *bodyReader) rows(t *record.InferenceXBodyTable, prefix string) *rows {
	var row *record.InferenceXBodyRow
	words := &otherTable{name: b.operation, row: "a row of " + b.operation, columns: map[string]bool{"metrics": t.Name == evaluationsTable}}
	if prefix != "" {
		words.name, words.row = b.operation+"."+prefix, "a row of "+prefix
	}
	for _, c := range t.Columns {
		words.columns[c.Key] = true
	}
	b.prefix, b.single = prefix, false
	r := &rows{decoder: b.decoder, newRow: Options{}.newRow(), texts: t.Columns[0].Type == record.BodyElement}
	r.raw.row = r.newRow()
	r.whole = func(text []byte) (int, error) {
		b.found, b.overfull = b.found[:0], false
		n, err := scanValue(text, 0, false, 0)
		if err != nil {
			return 0, err
		}
		if r.texts {
			row = &record.InferenceXBodyRow{Of: t, Values: []any{unquote(text[:n])}}
			return n, nil
		}
		fields := []field{{record.BodyFlag, text[:n], 0}}
		if t.Section != record.BodyFlagByID {
			fields = b.unfolded(text[:n], t)
		}
		row = b.row(&cells{&artifact{b.decoder, fields, text[:n]}, words}, t)
		for i := range b.found {
			if t.Section == record.BodyFlagByID && b.found[i].path == record.BodyFlag { // which the body does not have
				b.found[i].path = ""
			}
		}
		return n, nil
	}
	r.fn = func(at *record.InferenceXRow) error {
		row.InferenceXPlace = record.InferenceXPlace{Table: prefix, Position: at.Position, Line: at.Line}
		return b.fn(row)
	}
	return r
}

// unfolded splits a row into its fields. An object of whose keys the table has
// columns is replaced by its own fields, under OUTER.KEY, and null by none.
func (b *bodyReader) unfolded(text []byte, t *record.InferenceXBodyTable) []field {
	outer := map[string]bool{}
	for _, c := range t.Columns {
		if key, _, ok := strings.Cut(c.Key, "."); ok {
			outer[key] = true
		}
	}
	all := b.rowFields(text)
	if len(outer) == 0 {
		return all
	}
	var flat []field
	for _, f := range all {
		if outer[f.key] && f.raw[0] == 'n' {
			continue
		}
		if !outer[f.key] || f.raw[0] != '{' {
			flat = append(flat, f)
			continue
		}
		for _, inner := range b.rowFields(f.raw) {
			flat = append(flat, field{f.key + "." + inner.key, inner.raw, f.off + inner.off})
		}
	}
	return flat
}

// evaluationsTable is the table whose rows have metrics.
const evaluationsTable = "inferencex_api_evaluations"

// row decodes a row.
func (b *bodyReader) row(c *cells, t *record.InferenceXBodyTable) *record.InferenceXBodyRow {
	c.duplicates()
	row := &record.InferenceXBodyRow{Of: t, Values: make([]any, len(t.Columns))}
	var written, extra []field
	implied := false // disaggregation, by the framework's name
	for i, col := range t.Columns {
		if col.Type == record.BodyID {
			row.Values[i] = b.id(c, col.Key)
			continue
		}
		if col.Needed && !c.needed(col.Key) {
			continue
		}
		value, disagg := c.value(col)
		implied = implied || disagg
		if col.Key == "disagg" && implied {
			value = int64(1)
		}
		row.Values[i] = value
		if f, ok := c.get(col.Key); ok && f.raw[0] == '"' {
			if text, isText := value.(string); isText && text != unquote(f.raw) {
				written = append(written, f)
			}
		}
	}
	if t.Name == evaluationsTable {
		row.Metrics = c.metrics()
	}
	for _, f := range c.fields {
		if c.table.columns[f.key] {
			continue
		}
		extra = append(extra, f)
		if !t.Open {
			c.drift(f.off, f.key, driftKey, c.table.name+"."+f.key, "")
		}
	}
	row.AsWritten, row.Extra = compactObject(written), compactObject(extra)
	return row
}

// value reads the value of a column, nil where it is absent or null. disagg says
// that the name of a framework implies disaggregation.
func (c *cells) value(col record.InferenceXBodyColumn) (v any, disagg bool) {
	f, ok := c.get(col.Key)
	if !ok && col.Type != record.BodyMethod && col.Type != record.BodyBenchmark {
		return nil, false
	}
	switch col.Type {
	case record.BodyText:
		return c.string(col.Key), false
	case record.BodyInteger, record.BodyLength, record.BodyVersion: // another version has refused the body
		n, _ := c.integer(col.Key, 0, maxID)
		return n, false
	case record.BodyDigits:
		before := len(c.found)
		n, _ := c.integer(col.Key, 1, maxID)
		kept := slices.DeleteFunc(c.found[before:], func(f finding) bool { return f.rule == "" }) // a string is no deviation here
		c.found = c.found[:before+len(kept)]
		return n, false
	case record.BodyTicks:
		return c.ticks(f, col.Key), false
	case record.BodyNumber:
		if typeName(f.raw[0]) != "a number" {
			c.problem(f.off, col.Key, "type", "%s must be a number, this is %s", col.Key, typeName(f.raw[0]))
			return nil, false
		}
		x, _ := c.number(f, col.Key)
		return x, false
	case record.BodyBool:
		is, _ := c.bool(col.Key)
		if is {
			return int64(1), false
		}
		return int64(0), false
	case record.BodyDay:
		return textOrNil(c.day(col.Key)), false
	case record.BodyTime:
		return textOrNil(c.moment(col.Key)), false
	case record.BodyList:
		return c.list(col.Key), false
	case record.BodySamples:
		return c.elements(f, "a number", "numbers"), false
	case record.BodyPoints:
		return c.elements(f, "an object", "objects"), false
	case record.BodyCount:
		return countOf(f.raw), false
	case record.BodyJSON:
		return string(appendCompact(nil, f.raw)), false
	case record.BodyFramework:
		name := c.word(col.Key, func(raw string) (name string, known bool) {
			name, disagg, known = CanonicalFramework(raw)
			return name, known
		})
		return name, disagg
	}
	return c.word(col.Key, canonicalWords[col.Type]), false
}

func textOrNil(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// canonicalWords are the names of the publisher by the type of their column.
var canonicalWords = map[record.InferenceXBodyType]func(raw string) (name string, known bool){
	record.BodyHardware: CanonicalHardware, record.BodyModel: CanonicalModel, record.BodyPrecision: CanonicalPrecision, record.BodyMethod: CanonicalSpecMethod,
	record.BodyBenchmark: canonicalBenchmarkType,
}

// sections reads the rest of an object whose brace is consumed: lists of rows and
// rows under their keys, and the keys of the body itself as a row.
func (b *bodyReader) sections() error {
	var itself []byte // the members of the body itself, as JSON
	start := b.src.lineAt(b.src.pos)
	err := b.members(func(key string, line int) error { return b.section(key, line, &itself) })
	if err != nil {
		return err
	}
	if b.operation == operationLog && !b.logUsable(start) {
		b.summary.Refused++
		return nil
	}
	if t := b.tables[record.BodyItself]; t != nil {
		return b.lone(t, "", append(append([]byte{'{'}, itself...), '}'), start)
	}
	return nil
}

// section reads the value of a key of the body.
func (b *bodyReader) section(key string, line int, itself *[]byte) error {
	c, ok := b.src.peek()
	if !ok {
		return b.src.fail(errShort)
	}
	t := b.tables[key]
	if key == record.BodyItself || key == record.BodySeries {
		t = nil
	}
	again := b.read[key]
	b.read[key] = true
	if again && (t != nil || b.seriesShape(key) != 0) { // which is told: its rows would have the places of those before
		return b.skip()
	}
	if key == sectionLog && b.operation == operationLog {
		return b.log(t, line, itself)
	}
	if t != nil && c == '[' {
		b.src.pos++
		return b.rows(t, key).array()
	}
	var value []byte
	err := b.src.scan(func(text []byte, final bool) (int, error) {
		n, err := scanValue(text, 0, final, 1)
		if err == nil {
			value = slices.Clone(text[:n])
		}
		return n, err
	})
	switch {
	case err != nil:
		return err
	case t != nil && c == '{':
		return b.lone(t, key, value, line)
	case b.seriesShape(key) != 0:
		return b.seriesOf(key, value, line)
	case t != nil:
		b.summary.problem(key, line, "type", fmt.Sprintf("%s must hold rows, this is %s", quoteWord(key), typeName(c)))
		return nil
	case b.otherContract(key, value):
		return &fileError{line, "contract", fmt.Sprintf("version %s of the contract of %s is not loaded, only %d", quoteWord(string(value)), b.operation, record.InferenceXContract)}
	case b.tables[record.BodyItself] == nil:
		b.found, b.prefix, b.single = b.found[:0], "", true
		b.drift(0, key, driftKey, b.operation+"."+key, "")
		b.settle(nil, line, 1)
		b.found = b.found[:0]
		return nil
	}
	return b.addItself(itself, key, value, line)
}

// addItself adds a member to those of the body itself.
func (b *bodyReader) addItself(itself *[]byte, key string, value []byte, line int) error {
	if len(*itself)+len(value) > maxRowSize {
		return &fileError{line, "row-size", "the keys of the body are longer than a row may be"}
	}
	if len(*itself) > 0 {
		*itself = append(*itself, ',')
	}
	*itself = append(append(appendQuoted(*itself, key), ':'), value...)
	return nil
}

// otherContract tells whether a key of the body names another version of its
// contract than the one that is loaded: its rows would mean something else.
func (b *bodyReader) otherContract(key string, value []byte) bool {
	t := b.tables[record.BodyItself]
	return t != nil && slices.ContainsFunc(t.Columns, func(c record.InferenceXBodyColumn) bool { return c.Type == record.BodyVersion && c.Key == key }) &&
		strings.Trim(string(value), `"`) != strconv.Itoa(record.InferenceXContract)
}

// lone reads a row that stands by itself.
func (b *bodyReader) lone(t *record.InferenceXBodyTable, prefix string, text []byte, line int) error {
	r := b.rows(t, prefix)
	b.single = true
	if _, err := r.whole(text); err != nil { // it was read before, so its offsets are no places of the file
		return &fileError{line, "json", "malformed JSON: " + err.Error()}
	}
	if !b.settle(text, line, 1) {
		b.summary.Refused++
		return nil
	}
	b.summary.Rows++
	return r.fn(&record.InferenceXRow{Position: 1, Line: line})
}

// Bodied tells whether the kind is an operation whose rows are loaded as they are.
func (k Kind) Bodied() bool { return record.InferenceXBodies(string(k)) != nil }
