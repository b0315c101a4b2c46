package inferencex

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// The tables of a dump that make up benchmark rows, one JSON array each. The
// others are in otherTables.
const (
	tableConfigs = "configs"
	tableRuns    = "workflow_runs"
	tableResults = "benchmark_results"
)

// IsDump tells whether a folder is a dump of the publisher's database.
func IsDump(folder fs.FS) bool {
	for _, table := range []string{tableConfigs, tableResults} {
		if tableFile(folder, table) == "" {
			return false
		}
	}
	return true
}

// DumpFiles returns the names of the files that ReadDump reads, in its order.
func DumpFiles(folder fs.FS) []string {
	tables := []string{tableConfigs, tableRuns, tableResults}
	for i := range otherTables {
		tables = append(tables, otherTables[i].name)
	}
	var names []string
	for _, table := range tables {
		if name := tableFile(folder, table); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// tableFile returns the name of a table's file, "" where there is none.
func tableFile(folder fs.FS, table string) string {
	for _, name := range []string{table + ".json", table + ".json.gz"} {
		if info, err := fs.Stat(folder, name); err == nil && info.Mode().IsRegular() {
			return name
		}
	}
	return ""
}

// ReadDump reads a dump. fn gets its benchmark rows: benchmark_results, each
// joined with its configuration and its workflow run. other gets the rows of
// workflow_runs and of the tables that benchmark rows do not need, of each table
// what its rows come to: equal ones once, and the last of those that contradict
// each other.
//
// Paths of problems begin with the table: benchmark_results[12].conc. A row with
// an error is a failed point. A row whose run has an id and attempt is of the
// same run as one of the API. The summary counts benchmark rows alone.
func ReadDump(folder fs.FS, opts Options, fn func(*record.InferenceXRow) error, other func(record.InferenceXTableRow) error) (Summary, error) {
	sum := Summary{Kind: KindRows}
	d := newDecoder(opts, &sum, nil)
	dump := &dump{decoder: d, other: other, configs: map[int64]dumpConfig{}, runs: map[int64]dumpRun{}}
	err := dump.read(folder, fn)
	sum.Drift = d.drifts.sorted()
	if opts.Strict {
		sum.strict()
	}
	return sum, err
}

type dump struct {
	*decoder
	other   func(record.InferenceXTableRow) error
	configs map[int64]dumpConfig
	runs    map[int64]dumpRun
}

// A dumpConfig is a row of configs with the names as written.
type dumpConfig struct {
	config                                            record.InferenceXConfig
	hardware, framework, model, precision, specMethod string
}

// A dumpRun is a row of workflow_runs.
type dumpRun struct {
	id, attempt    int64
	url, startedAt string
	official       bool
}

func (d *dump) read(folder fs.FS, fn func(*record.InferenceXRow) error) error {
	configs := &rows{decoder: d.decoder, fn: d.config, newRow: Options{}.newRow(), join: func(*rawRow) { d.dropIntegers() }}
	configs.raw.mode = modeConfig
	if err := d.table(folder, tableConfigs, configs); err != nil {
		return err
	}
	if err := d.otherTable(folder, &workflowRuns); err != nil {
		return err
	}
	// Rows are counted in benchmark_results alone.
	d.summary.Rows, d.summary.Failed, d.summary.Refused = 0, 0, 0
	results := &rows{decoder: d.decoder, fn: fn, newRow: d.opts.newRow(), join: d.join}
	results.raw.mode = modeResult
	if err := d.table(folder, tableResults, results); err != nil {
		return err
	}
	counted := *d.summary
	for i := range otherTables {
		if tableFile(folder, otherTables[i].name) == "" {
			continue
		}
		if err := d.otherTable(folder, &otherTables[i]); err != nil {
			return err
		}
	}
	d.summary.Rows, d.summary.Failed, d.summary.Refused = counted.Rows, counted.Failed, counted.Refused
	return nil
}

// table reads a table's file. What is malformed is a problem, like in Read.
func (d *dump) table(folder fs.FS, table string, r *rows) error {
	name := tableFile(folder, table)
	if name == "" {
		d.summary.problem(table, 0, "missing-table", table+".json is missing: a dump of the publisher's database needs it")
		return nil
	}
	f, err := folder.Open(name)
	if err != nil {
		return fmt.Errorf("read dump: %w", err)
	}
	defer f.Close()
	stream, err := gunzip(f)
	if err != nil {
		d.summary.problem(table, 0, "gzip", "the file begins like gzip and is none: "+err.Error())
		return nil
	}
	d.src, d.prefix, d.single = newSource(stream), table, false
	d.src.peek()
	if strings.HasPrefix(string(d.src.rest()), "PGDMP") {
		d.summary.problem(table, 0, "not-rows", KindDumpArchive.Refusal())
		return nil
	}
	s := shapeArray
	if c, ok := d.src.peek(); !ok || c != '[' {
		s = shapeObjects
		if c != '{' {
			d.summary.problem(table, 1, "type", "a table must be a JSON array of rows")
			return nil
		}
	}
	err = r.read(s)
	var malformed *fileError
	if errors.As(err, &malformed) {
		d.summary.problem(table, malformed.line, malformed.rule, malformed.msg)
		err = nil
	}
	return err
}

// config keeps a configuration for the join.
func (d *dump) config(row *record.InferenceXRow) error {
	d.configs[*row.ID] = dumpConfig{row.Config, row.RawHardware, row.RawFramework, row.RawModel, row.RawPrecision, row.RawSpecMethod}
	return nil
}

// dropIntegers forgets the deviations that a dump has by nature: big integers
// are strings.
func (d *decoder) dropIntegers() {
	d.found = slices.DeleteFunc(d.found, func(f finding) bool {
		return f.rule == "" && f.drift.kind == driftType && !strings.HasPrefix(f.path, "metrics.")
	})
}

// refused tells whether the row being decoded has a problem.
func (d *decoder) refused() bool {
	return slices.ContainsFunc(d.found, func(f finding) bool { return f.rule != "" })
}

// join completes a row of benchmark_results.
func (d *dump) join(raw *rawRow) {
	d.dropIntegers()
	row := raw.row
	if raw.seen&^raw.null&keysOf(keyConfigID) != 0 {
		c := d.configOf(raw.configID, int(raw.offs[keyConfigID]))
		row.Config = c.config
		row.RawHardware, row.RawFramework, row.RawModel = c.hardware, c.framework, c.model
		row.RawPrecision, row.RawSpecMethod = c.precision, c.specMethod
	}
	if row.WorkflowRunID != nil {
		run := d.runOf(*row.WorkflowRunID, int(raw.offs[keyWorkflowRunID]))
		row.GitHubRunID, row.RunAttempt, row.RunURL = run.id, run.attempt, run.url
		row.RunStartedAt, row.Official = run.startedAt, run.official
	}
}

// configOf returns the configuration that the row being decoded names; off is where.
func (d *dump) configOf(id int64, off int) dumpConfig {
	c, ok := d.configs[id]
	if !ok {
		d.problem(off, "config_id", "unknown-config", "config_id %d is no row of configs that can be used", id)
	}
	return c
}

// runOf returns the workflow run that the row being decoded names; off is where.
func (d *dump) runOf(id int64, off int) dumpRun {
	run, ok := d.runs[id]
	if !ok {
		d.problem(off, "workflow_run_id", "unknown-run", "workflow_run_id %d is no row of workflow_runs that can be used", id)
	}
	return run
}
