package inferencex

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// The tables of a dump that make up benchmark rows, one JSON array each.
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
	var names []string
	for _, table := range []string{tableConfigs, tableRuns, tableResults} {
		if name := tableFile(folder, table); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// tableFile returns the name of a table's file, "" where there is none.
func tableFile(folder fs.FS, table string) string {
	for _, name := range []string{table + ".json", table + ".json.gz"} {
		if info, err := fs.Stat(folder, name); err == nil && !info.IsDir() {
			return name
		}
	}
	return ""
}

// ReadDump reads the benchmark rows of a dump: benchmark_results, each joined
// with its configuration and its workflow run. Paths of problems begin with the
// table: benchmark_results[12].conc. A row with an error is a failed point. A row
// whose run has an id and attempt is of the same run as one of the API.
func ReadDump(folder fs.FS, opts Options, fn func(*record.InferenceXRow) error) (Summary, error) {
	sum := Summary{Kind: KindRows}
	d := newDecoder(opts, &sum, nil)
	dump := &dump{decoder: d, configs: map[int64]dumpConfig{}, runs: map[int64]dumpRun{}}
	err := dump.read(folder, fn)
	sum.Drift = d.drifts.sorted()
	if opts.Strict {
		sum.strict()
	}
	return sum, err
}

type dump struct {
	*decoder
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
	count := *d.summary
	configs := &rows{decoder: d.decoder, fn: d.config, newRow: Options{}.newRow(), join: func(*rawRow) { d.dropIntegers() }}
	configs.raw.mode = modeConfig
	if err := d.table(folder, tableConfigs, configs); err != nil {
		return err
	}
	runs := &rows{decoder: d.decoder, fn: func(*record.InferenceXRow) error { return nil }, newRow: Options{}.newRow(), whole: d.run}
	if err := d.table(folder, tableRuns, runs); err != nil {
		return err
	}
	// Rows are counted in benchmark_results alone.
	d.summary.Rows, d.summary.Failed, d.summary.Refused = count.Rows, count.Failed, count.Refused
	results := &rows{decoder: d.decoder, fn: fn, newRow: d.opts.newRow(), join: d.join}
	results.raw.mode = modeResult
	return d.table(folder, tableResults, results)
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
	d.src, d.prefix = newSource(stream), table
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

// run decodes a row of workflow_runs and keeps it for the join.
func (d *dump) run(b []byte) (int, error) {
	d.found, d.extra = d.found[:0], d.extra[:0]
	n, err := scanValue(b, 0, false, 0)
	if err != nil {
		return 0, err
	}
	a := &artifact{d.decoder, fields(b[:n]), b[:n]}
	a.duplicates()
	id, ok := a.integer("id", 0, maxID)
	if !ok {
		a.problem(0, "id", "missing-key", "id is missing: a workflow run needs it")
	}
	var run dumpRun
	if run.id, ok = a.integer("github_run_id", 1, maxID); !ok {
		a.problem(0, "github_run_id", "missing-key", "github_run_id is missing: a workflow run needs it")
	}
	if run.attempt, ok = a.integer("run_attempt", 1, maxCount); !ok {
		run.attempt = 1
	}
	if s := a.string("run_started_at"); s != "" {
		t, _, ok := moment(s)
		if !ok {
			f, _ := a.get("run_started_at")
			a.problem(f.off, "run_started_at", "timestamp", "run_started_at is %s: it must be a timestamp such as 2026-09-18T22:35:24Z", quoteWord(s))
		}
		run.startedAt = t.Format(rfc3339)
	}
	run.url = a.string("html_url")
	run.official = Official(run.url)
	if urlID, _ := runOf(run.url); urlID == run.id && !strings.Contains(run.url, "/attempts/") {
		run.url = strings.TrimSuffix(run.url, "/") + "/attempts/" + strconv.FormatInt(run.attempt, 10) // as the API serves it
	}
	d.dropIntegers()
	if !d.refused() {
		d.runs[id] = run
	}
	return n, nil
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
		c, ok := d.configs[raw.configID]
		if !ok {
			d.problem(int(raw.offs[keyConfigID]), "config_id", "unknown-config", "config_id %d is no row of configs that can be used", raw.configID)
		}
		row.Config = c.config
		row.RawHardware, row.RawFramework, row.RawModel = c.hardware, c.framework, c.model
		row.RawPrecision, row.RawSpecMethod = c.precision, c.specMethod
	}
	if row.WorkflowRunID != nil {
		run, ok := d.runs[*row.WorkflowRunID]
		if !ok {
			d.problem(int(raw.offs[keyWorkflowRunID]), "workflow_run_id", "unknown-run", "workflow_run_id %d is no row of workflow_runs that can be used", *row.WorkflowRunID)
		}
		row.GitHubRunID, row.RunAttempt, row.RunURL = run.id, run.attempt, run.url
		row.RunStartedAt, row.Official = run.startedAt, run.official
	}
}
