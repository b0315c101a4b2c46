package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/sha3"
	"database/sql"
	"encoding/hex"
	"fmt"
	"math"
	"math/big"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func (w *warehouse) digest() *Digest {
	w.t.Helper()
	return contentDigest(w.t, w.path)
}

func contentDigest(t *testing.T, path string) *Digest {
	t.Helper()
	r, err := OpenReader(t.Context(), path, ReaderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	d, err := r.Digest(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// exec runs statements without the program's constraints.
func (w *warehouse) exec(statements ...string) {
	w.t.Helper()
	db, err := sql.Open("sqlite", w.path)
	if err != nil {
		w.t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			w.t.Fatalf("%s: %v", s, err)
		}
	}
}

// someRuns are runs that duplicate, overlap and supersede each other.
func someRuns(t *testing.T, l *Load) {
	save(t, l, exactRun("a", 1, 2, 3))
	save(t, l, exactRun("b", 1, 2))
	r := exactRun("c", 1, 2)
	r.DuplicateOf, r.Supersedes = "b", "a"
	save(t, l, r)
}

// reportedIDs are columns that look like surrogate keys and are what a publisher states.
var reportedIDs = []string{"github_run_id", "workflow_run_id", "published_id", "published_config_id"}

// Every surrogate key has a natural one, and each natural key says whose it is.
func TestNaturalKeysComplete(t *testing.T) {
	w := newWarehouse(t)
	w.load(func(l *Load) {})
	natural := map[string]bool{}
	for _, k := range NaturalKeys() {
		natural[k.Column] = true
		if k.Owner == "" || k.Column == "path" {
			continue
		}
		if got := w.rows(`SELECT name FROM pragma_table_info('` + k.Owner + `') WHERE pk > 0`); !slices.Equal(got, []string{k.Column}) {
			t.Errorf("the key of %s is %q, not %s", k.Owner, got, k.Column)
		}
	}
	// The key of a table that only the engine gives, what refers to one, and what is named like one.
	surrogates := w.rows(`
		SELECT DISTINCT s.name, c.name FROM sqlite_schema s, pragma_table_info(s.name) c
		WHERE s.type = 'table' AND c.type = 'INTEGER' AND (
			c.pk = 1 AND (SELECT max(pk) FROM pragma_table_info(s.name)) = 1
			OR c.name LIKE '%\_id' ESCAPE '\'
			OR EXISTS (SELECT 1 FROM pragma_foreign_key_list(s.name) f JOIN pragma_table_info(f."table") k ON k.name = f."to" AND k.pk = 1 AND k.type = 'INTEGER'
				WHERE f."from" = c.name))
		ORDER BY 1, 2`)
	if len(surrogates) < 40 {
		t.Errorf("only %d surrogate keys were found", len(surrogates))
	}
	for _, s := range surrogates {
		table, column, _ := strings.Cut(s, "|")
		if !slices.Contains(LedgerTables(), table) && !slices.Contains(reportedIDs, column) && !natural[column] {
			t.Errorf("%s.%s is a surrogate key: NaturalKeys must say what stands for it in the logical content", table, column)
		}
	}
}

// The digest is that of another implementation, which reads types as SQLite
// tells them, sorts nothing and adds big integers.
func TestDigestOracle(t *testing.T) {
	w := newWarehouse(t)
	w.load(func(l *Load) { someRuns(t, l) })
	w.exec(`INSERT INTO pool_settings (run_id, position, setting, value) VALUES (1, 0, 'i', 1), (1, 0, 'r', 1.0), (1, 0, 't', '1'), (1, 0, 'b', x'31'),
		(1, 0, 'empty text', ''), (1, 0, 'empty blob', x''), (1, 0, 'inf', 9e999), (1, 0, 'bad UTF-8', CAST(x'ff00fe' AS TEXT))`)
	got := w.digest()
	db, err := sql.Open("sqlite", w.path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var whole strings.Builder
	var tables int
	for _, table := range w.rows(`SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`) {
		if strings.HasPrefix(table, "sqlite_") || slices.Contains([]string{"capture_rows", "loads", "documents", "document_readings", "inferencex_capture_runs", "inferencex_captures", "inferencex_row_digests", "inferencex_run_digests", "inferencex_table_digests", "problems", "goose_db_version"}, table) {
			continue
		}
		sum, n := oracleSum(t, db, table)
		if n == 0 {
			continue
		}
		little := sum.FillBytes(make([]byte, 512))
		slices.Reverse(little)
		h := sha256.Sum256(append(fmt.Appendf(nil, "%s %d\n", table, n), little...))
		want := TableDigest{table, n, hex.EncodeToString(h[:])}
		if tables < len(got.Tables) && got.Tables[tables] != want {
			t.Errorf("got %v, want %v", got.Tables[tables], want)
		}
		fmt.Fprintf(&whole, "%s %d %s\n", table, n, want.SHA256)
		tables++
	}
	if h := sha256.Sum256([]byte(whole.String())); hex.EncodeToString(h[:]) != got.SHA256 || tables != len(got.Tables) || tables < 20 {
		t.Errorf("the digest is %s over %d tables, expected %x over %d", got.SHA256, len(got.Tables), h, tables)
	}
}

func oracleSum(t *testing.T, db *sql.DB, table string) (sum *big.Int, n int64) {
	columns, err := logicalTables(func(query string) (names []string, err error) {
		rows, err := db.Query(query)
		if err != nil {
			return nil, err
		}
		defer rows.Close()
		for rows.Next() {
			var name string
			if err := rows.Scan(&name); err != nil {
				return nil, err
			}
			names = append(names, name)
		}
		return names, rows.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(columns, func(l logicalTable) bool { return l.name == table })
	var terms []string
	for _, term := range columns[i].terms {
		terms = append(terms, "typeof("+term+")", "CAST(CASE WHEN typeof("+term+") = 'real' THEN NULL ELSE "+term+" END AS BLOB)", "CASE WHEN typeof("+term+") = 'real' THEN "+term+" END")
	}
	rows, err := db.Query("SELECT " + strings.Join(terms, ", ") + " FROM " + table + " t")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	sum = new(big.Int)
	for rows.Next() {
		values := make([]any, len(terms))
		dest := make([]any, len(terms))
		for i := range values {
			dest[i] = &values[i]
		}
		if err := rows.Scan(dest...); err != nil {
			t.Fatal(err)
		}
		var row bytes.Buffer
		for j, column := range columns[i].columns {
			raw, _ := values[3*j+1].([]byte)
			switch values[3*j] {
			case "null":
				continue
			case "real":
				raw = fmt.Appendf(nil, "%016x", math.Float64bits(values[3*j+2].(float64)))
			}
			fmt.Fprintf(&row, "%s\x00%c%d:%s", column, values[3*j].(string)[0], len(raw), raw)
		}
		number := sha3.SumSHAKE128(row.Bytes(), 512)
		slices.Reverse(number)
		sum.Add(sum, new(big.Int).SetBytes(number))
		n++
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return sum.Mod(sum, new(big.Int).Lsh(big.NewInt(1), 4096)), n
}

// What is not content leaves the digest alone.
func TestDigestKeeps(t *testing.T) {
	for name, change := range map[string]func(w *warehouse){
		"VACUUM and another page size": func(w *warehouse) { w.exec(`PRAGMA page_size = 512`, `VACUUM`) },
		"the ledger":                   func(w *warehouse) { w.load(func(l *Load) {}) },
		"surrogate keys of points": func(w *warehouse) {
			w.exec(`PRAGMA foreign_keys = 0`, `UPDATE catalog_values SET point_id = point_id + 100`, `UPDATE points SET point_id = point_id + 100`)
		},
		"a registry's path": func(w *warehouse) {
			w.exec(`UPDATE registries SET path = '/elsewhere' || path`, `UPDATE registry_versions SET path = '/elsewhere' || path`)
		},
		"a column that nothing is in": func(w *warehouse) { w.exec(`ALTER TABLE points ADD COLUMN newer TEXT`) },
		"a table that nothing is in":  func(w *warehouse) { w.exec(`CREATE TABLE newer (a TEXT)`) },
		"a backup": func(w *warehouse) {
			to := filepath.Join(filepath.Dir(w.path), "copy.db")
			if err := Backup(context.Background(), w.path, to, DefaultBusyTimeout); err != nil {
				w.t.Fatal(err)
			}
			w.path = to
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWarehouse(t)
			w.load(func(l *Load) { someRuns(t, l) })
			before := w.digest()
			change(w)
			if after := w.digest(); after.SHA256 != before.SHA256 {
				t.Errorf("the digest is another: %v", differing(before, after))
			}
		})
	}
}

func differing(a, b *Digest) (tables []string) {
	for _, x := range a.Tables {
		if !slices.Contains(b.Tables, x) {
			tables = append(tables, x.Table)
		}
	}
	for _, x := range b.Tables {
		if !slices.ContainsFunc(a.Tables, func(y TableDigest) bool { return x.Table == y.Table }) {
			tables = append(tables, x.Table)
		}
	}
	return tables
}

// What is content changes the digest of its table, however small.
func TestDigestTells(t *testing.T) {
	for _, tt := range []struct{ change, tables string }{
		{`UPDATE catalog_values SET value = value + 1e-9 WHERE rowid_of = 0`, "catalog_values"},
		{`UPDATE pool_settings SET value = 1.0 WHERE setting = 'n'`, "pool_settings"},
		{`UPDATE pool_settings SET value = '1' WHERE setting = 'n'`, "pool_settings"},
		{`UPDATE pool_settings SET value = x'31' WHERE setting = 'n'`, "pool_settings"},
		{`UPDATE pool_settings SET value = '' WHERE setting = 'n'`, "pool_settings"},
		{`UPDATE pool_settings SET setting = 'm' WHERE setting = 'n'`, "pool_settings"},
		{`UPDATE runs SET fabric = '' WHERE name = 'a'`, "runs"},
		{`UPDATE runs SET fabric = 'x', router_kind = NULL WHERE name = 'a'`, "runs"},
		{`DELETE FROM run_versions WHERE name = 'a'`, "run_versions"},
		{`INSERT INTO run_versions SELECT 'a', sha256 FROM run_versions WHERE name = 'b'`, "run_versions"},
		{`UPDATE document_contents SET content = CAST(content || char(32) AS BLOB)`, "document_contents"},
		{`UPDATE content_overlaps SET shared_values = 3`, "content_overlaps"},
	} {
		w := newWarehouse(t)
		w.load(func(l *Load) { someRuns(t, l) })
		w.exec(`INSERT INTO pool_settings (run_id, position, setting, value) VALUES (1, 0, 'n', 1)`)
		before := w.digest()
		w.exec(strings.Replace(tt.change, "rowid_of = 0", "point_id = (SELECT min(point_id) FROM points)", 1))
		after := w.digest()
		if got := strings.Join(differing(before, after), " "); got != tt.tables || before.SHA256 == after.SHA256 {
			t.Errorf("%s: the digests of these tables differ: %q", tt.change, got)
		}
	}
}

func TestAppendRow(t *testing.T) {
	row := func(columns string, values ...any) string {
		b, err := appendRow(nil, strings.Fields(columns), values)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	if got, want := row("a b c d e", int64(-12), 1.5, "x:y", []byte{0}, nil), "a\x00i3:-12b\x00r16:3ff8000000000000c\x00t3:x:yd\x00b1:\x00"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if row("a", 0.0) == row("a", math.Copysign(0, -1)) || row("a b", "x", nil) == row("a b", nil, "x") {
		t.Error("rows that differ have one form")
	}
	if _, err := appendRow(nil, []string{"a"}, []any{true}); err == nil {
		t.Error("a value without a form has one")
	}
}
