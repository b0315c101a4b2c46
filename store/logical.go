package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// The logical content of a database is what it says, without how it came to
// say it: all rows of all tables but the ledger of loads and goose's table,
// with natural keys in place of surrogate ones, and without the paths of
// registries, which differ from machine to machine. Equal inputs make equal
// logical contents, in any order and however often they are loaded.

// NaturalKey says what stands for a surrogate key in the logical content.
type NaturalKey struct {
	Column string   // of every table that has it
	Owner  string   // the table whose surrogate key it is; there the column is left out, for the others tell the row
	Tables []string // the tables whose column it is, nil for all: other tables may have another column of that name
	SQL    string   // an expression over a row t, which the stock sqlite3 shell understands
}

// LedgerTables are the tables that are no part of the logical content: the
// ledger of loads, goose's table, and the digests by which a load knows rows
// again and check tells what was changed, which say nothing that their rows do not.
func LedgerTables() []string {
	return []string{"capture_rows", "document_readings", "documents", "goose_db_version", "inferencex_capture_runs", "inferencex_captures",
		"inferencex_row_digests", "inferencex_run_digests", "inferencex_table_digests", "loads", "problems"}
}

// NaturalKeys are the columns whose values are replaced in the logical content.
func NaturalKeys() []NaturalKey {
	return []NaturalKey{
		{"capture_id", "inferencex_id_captures", nil, `(SELECT k.sha256 FROM inferencex_id_captures k WHERE k.capture_id = t.capture_id)`},
		{"combination_id", "metric_combinations", nil, `(SELECT k.metrics FROM metric_combinations k WHERE k.combination_id = t.combination_id)`},
		{"config_id", "inferencex_configs", nil, `(SELECT ` + configKey + ` FROM inferencex_configs k WHERE k.config_id = t.config_id)`},
		{"content_id", "run_contents", nil, `(SELECT k.signature FROM run_contents k WHERE k.content_id = t.content_id)`},
		// Which of two contents has the smaller surrogate key says nothing.
		{"content_a", "", nil, `(SELECT min(k.signature) FROM run_contents k WHERE k.content_id IN (t.content_a, t.content_b))`},
		{"content_b", "", nil, `(SELECT max(k.signature) FROM run_contents k WHERE k.content_id IN (t.content_a, t.content_b))`},
		{"definition_id", "definitions", nil, `(SELECT quote(k.formula) || quote(k.statistic) || quote(k.population) || quote(k.denominator) || quote(k.clock) || quote(k.start_event)` +
			` || quote(k.stop_event) || quote(k.output_len_source) || quote(k.reasoning_counted_as_content) || quote(k.percentile_method) || quote(k.unit)` +
			` || quote(k.gpu_scope) || quote(k.cite) FROM definitions k WHERE k.definition_id = t.definition_id)`},
		{"definition_set_id", "definition_sets", nil, `(SELECT k.sha256 FROM definition_sets k WHERE k.definition_set_id = t.definition_set_id)`},
		{"evaluation_id", "inferencex_evaluations", nil, `(SELECT ` + configKey + ` || ' ' || quote(e.task) || quote(e.date) || ' ' || quote(e.github_run_id) || ' ' || quote(e.run_attempt)` +
			` || ' ' || quote(e.isl) || ' ' || quote(e.osl) || ' ' || quote(e.conc)` +
			` FROM inferencex_evaluations e JOIN inferencex_configs k ON k.config_id = e.config_id WHERE e.evaluation_id = t.evaluation_id)`},
		{"group_id", "", nil, `(SELECT min(k.signature) FROM content_groups g JOIN run_contents k ON k.content_id = g.content_id WHERE g.group_id = t.group_id)`},
		{"image_id", "inferencex_images", nil, `(SELECT k.image FROM inferencex_images k WHERE k.image_id = t.image_id)`},
		{"point_id", "points", nil, `(SELECT r.name || '/' || k.id FROM points k JOIN runs r ON r.run_id = k.run_id WHERE k.point_id = t.point_id)`},
		{"registry_id", "registries", nil, `(SELECT ` + registryKey + ` FROM registries k WHERE k.registry_id = t.registry_id)`},
		{"next_run_id", "", nil, `(SELECT k.name FROM runs k WHERE k.run_id = t.next_run_id)`},
		{"run_id", "runs", nil, `(SELECT k.name FROM runs k WHERE k.run_id = t.run_id)`},
		// A registry is known by its versions: the one in effect, then all.
		{"path", "registries", []string{"registries", "registry_versions"}, `(SELECT ` + registryKey + ` FROM registries k WHERE k.path = t.path)`},
	}
}

const (
	configKey = `quote(k.hardware) || quote(k.framework) || quote(k.model) || quote(k.precision) || quote(k.spec_method) || k.disagg || k.is_multinode` +
		` || ' ' || k.prefill_tp || ' ' || k.prefill_ep || ' ' || k.prefill_dp_attention || ' ' || k.prefill_num_workers` +
		` || ' ' || k.decode_tp || ' ' || k.decode_ep || ' ' || k.decode_dp_attention || ' ' || k.decode_num_workers` +
		` || ' ' || k.num_prefill_gpu || ' ' || k.num_decode_gpu`
	registryKey = `k.sha256 || (SELECT group_concat(' ' || v.sha256, '') FROM (SELECT sha256 FROM registry_versions WHERE path = k.path ORDER BY sha256) v)`
)

// naturalKey returns what stands for a column of a table in the logical
// content. The column of a table's own surrogate key is left out.
func naturalKey(table, column string) (sql string, leftOut bool) {
	for _, k := range NaturalKeys() {
		if k.Column == column && (k.Tables == nil || slices.Contains(k.Tables, table)) {
			return k.SQL, k.Owner == table
		}
	}
	return `t."` + column + `"`, false
}

// logicalTable is how the rows of a table are read as logical content.
type logicalTable struct {
	name    string
	columns []string // sorted, without those that are left out
	terms   []string // what is selected for each
}

// query selects all rows of the table, in no particular order.
func (t logicalTable) query() string {
	return "SELECT " + strings.Join(t.terms, ", ") + ` FROM "` + t.name + `" t`
}

// logicalTables lists the tables of the logical content by name. names runs a
// query that returns one text a row.
func logicalTables(names func(query string) ([]string, error)) ([]logicalTable, error) {
	tables, err := names(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY name`)
	if err != nil {
		return nil, err
	}
	var all []logicalTable
	for _, name := range tables {
		if slices.Contains(LedgerTables(), name) {
			continue
		}
		columns, err := names(`SELECT name FROM pragma_table_info('` + name + `')`)
		if err != nil {
			return nil, err
		}
		slices.Sort(columns)
		t := logicalTable{name: name}
		for _, column := range columns {
			term, leftOut := naturalKey(name, column)
			if leftOut {
				continue
			}
			t.columns = append(t.columns, column)
			t.terms = append(t.terms, term)
		}
		all = append(all, t)
	}
	return all, nil
}

// LogicalRows calls each for every row of the logical content, table by table,
// in no particular order within one. values are as Rows.Values has them, in
// the order of columns, which is sorted; the next row overwrites them.
func (r *Reader) LogicalRows(ctx context.Context, each func(table string, columns []string, values []any) error) error {
	tables, err := logicalTables(func(query string) ([]string, error) { return r.texts(ctx, query) })
	if err != nil {
		return fmt.Errorf("list the tables: %w", err)
	}
	for _, t := range tables {
		rows, err := r.Query(ctx, t.query(), nil)
		if err != nil {
			return fmt.Errorf("read table %s: %w", t.name, err)
		}
		for values, err := range rows.All() {
			if err == nil {
				err = each(t.name, t.columns, values)
			}
			if err != nil {
				return fmt.Errorf("read table %s: %w", t.name, err)
			}
		}
	}
	return nil
}
