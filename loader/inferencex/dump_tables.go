package inferencex

import (
	"cmp"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// An otherTable is a table of a dump whose rows are no benchmark rows.
type otherTable struct {
	name    string
	row     string          // what a row is, in words
	columns map[string]bool // besides id
	// decode returns the row and what identifies it, to be used where no problem is found.
	decode func(d *dump, c *cells) (row record.InferenceXTableRow, key any)
	// complete adds to a row what an earlier one of the same key states alone,
	// and returns the first column in which they contradict each other, "" for none.
	complete func(row, earlier record.InferenceXTableRow) (column string)
}

// workflowRuns is the table that the rows of all others name runs by.
var workflowRuns = otherTable{
	name: tableRuns, row: "a workflow run",
	columns: words("github_run_id", "run_attempt", "name", "status", "conclusion", "head_sha", "head_branch", "html_url", "created_at",
		"run_started_at", "date"),
	decode: (*dump).workflowRun, complete: completeWorkflowRun,
}

// otherTables are the tables that a dump may have besides those of benchmark rows.
var otherTables = []otherTable{
	{
		name: "eval_results", row: "an evaluation",
		columns: words("workflow_run_id", "config_id", "task", "date", "isl", "osl", "conc", "lm_eval_version", "metrics"),
		decode:  (*dump).evaluation, complete: completeEvaluation,
	},
	{
		name: "run_stats", row: "a row of counts",
		columns: words("workflow_run_id", "date", "hardware", "n_success", "total"),
		decode:  (*dump).runStats, complete: completeRunStats,
	},
	{
		name: "changelog_entries", row: "an entry",
		columns: words("workflow_run_id", "date", "base_ref", "head_ref", "config_keys", "description", "pr_link"),
		decode:  (*dump).changelogEntry, complete: completeChangelogEntry,
	},
	{
		name: "availability", row: "an entry",
		columns: words("model", "isl", "osl", "precision", "hardware", "framework", "spec_method", "disagg", "benchmark_type", "date"),
		decode:  (*dump).availability,
		// An entry is its key: two of one key are equal.
		complete: func(_, _ record.InferenceXTableRow) string { return "" },
	},
}

// otherTable reads a table and hands on its rows. The tables are small: they are
// kept until their end, so that rows of one key become one.
func (d *dump) otherTable(folder fs.FS, t *otherTable) error {
	var row record.InferenceXTableRow
	var key any
	kept := keptRows{decoder: d.decoder, table: t, at: map[any]int{}}
	r := &rows{decoder: d.decoder, newRow: Options{}.newRow()}
	r.whole = func(b []byte) (int, error) {
		d.found, d.overfull = d.found[:0], false
		n, err := scanValue(b, 0, false, 0)
		if err != nil {
			return 0, err
		}
		c := &cells{&artifact{d.decoder, d.rowFields(b[:n]), b[:n]}, t}
		c.duplicates()
		c.otherColumns()
		row, key = t.decode(d, c)
		d.dropIntegers()
		return n, nil
	}
	r.fn = func(at *record.InferenceXRow) error {
		*row.Place() = record.InferenceXPlace{Table: t.name, Position: at.Position, Line: at.Line}
		kept.add(row, key)
		return nil
	}
	if err := d.table(folder, t.name, r); err != nil {
		return err
	}
	for _, row := range kept.rows {
		if err := d.other(row); err != nil {
			return err
		}
	}
	return nil
}

// keptRows are the rows of a table, one for each key, in the order of the first of each.
type keptRows struct {
	*decoder
	table *otherTable
	rows  []record.InferenceXTableRow
	at    map[any]int // index in rows by key
}

// add keeps a row in place of an earlier one of its key. Where the two contradict
// each other, that is a warning.
func (k *keptRows) add(row record.InferenceXTableRow, key any) {
	i, again := k.at[key]
	if !again {
		k.at[key] = len(k.rows)
		k.rows = append(k.rows, row)
		return
	}
	earlier := k.rows[i]
	if column := k.table.complete(row, earlier); column != "" {
		at := row.Place()
		k.summary.Problems = append(k.summary.Problems, record.Problem{
			Severity: record.Warning, Path: k.path(at.Position, column), Line: at.Line, Rule: "conflict",
			Message: fmt.Sprintf("row [%d] of this table gives the same %s another %s: the later is kept",
				earlier.Place().Position-1, k.table.row[strings.IndexByte(k.table.row, ' ')+1:], column),
		})
	}
	k.rows[i] = row
}

// workflowRun decodes a row of workflow_runs, and keeps it for the join even
// where what only describes it cannot be used.
func (d *dump) workflowRun(c *cells) (record.InferenceXTableRow, any) {
	row := new(record.InferenceXWorkflowRun)
	id := c.neededInteger("id", 0, maxID)
	row.GitHubRunID = c.neededInteger("github_run_id", 1, maxID)
	row.RunAttempt = 1
	if n := c.count("run_attempt", 1, maxCount); n != nil {
		row.RunAttempt = *n
	}
	row.RunStartedAt = c.moment("run_started_at")
	row.HTMLURL = c.string("html_url")
	if !d.refused() {
		d.runs[id] = joinedRun(row)
	}
	row.CreatedAt = c.moment("created_at")
	row.Date = c.day("date")
	row.Name, row.Status, row.Conclusion = c.string("name"), c.string("status"), c.string("conclusion")
	row.HeadSHA, row.HeadBranch = c.string("head_sha"), c.string("head_branch")
	return row, row.InferenceXAttempt
}

// joinedRun is what benchmark rows take from their workflow run.
func joinedRun(row *record.InferenceXWorkflowRun) dumpRun {
	run := dumpRun{row.GitHubRunID, row.RunAttempt, row.HTMLURL, row.RunStartedAt, Official(row.HTMLURL)}
	if urlID, _ := runOf(run.url); urlID == run.id && !strings.Contains(run.url, "/attempts/") {
		run.url = strings.TrimSuffix(run.url, "/") + "/attempts/" + strconv.FormatInt(run.attempt, 10) // as the API serves it
	}
	return run
}

func completeWorkflowRun(row, earlier record.InferenceXTableRow) string {
	r, e := row.(*record.InferenceXWorkflowRun), earlier.(*record.InferenceXWorkflowRun)
	return cmp.Or(
		completeText("name", &r.Name, e.Name),
		completeText("status", &r.Status, e.Status),
		completeText("conclusion", &r.Conclusion, e.Conclusion),
		completeText("head_sha", &r.HeadSHA, e.HeadSHA),
		completeText("head_branch", &r.HeadBranch, e.HeadBranch),
		completeText("html_url", &r.HTMLURL, e.HTMLURL),
		completeText("created_at", &r.CreatedAt, e.CreatedAt),
		completeText("run_started_at", &r.RunStartedAt, e.RunStartedAt),
		completeText("date", &r.Date, e.Date),
	)
}

// completeText takes an earlier row's text over where a row states none, and
// returns the column where the two differ.
func completeText(column string, text *string, earlier string) string {
	if *text == "" {
		*text = earlier
	}
	if earlier != "" && earlier != *text {
		return column
	}
	return ""
}

// An evaluationKey identifies an evaluation; 0 is a number that is not stated.
type evaluationKey struct {
	attempt        record.InferenceXAttempt
	config         record.InferenceXConfig
	task, date     string
	isl, osl, conc int64
}

func (d *dump) evaluation(c *cells) (record.InferenceXTableRow, any) {
	row := &record.InferenceXEvaluation{
		InferenceXAttempt: d.attempt(c),
		Task:              c.neededString("task"),
		Date:              c.neededDay("date"),
		ISL:               c.count("isl", 1, maxLoad),
		OSL:               c.count("osl", 1, maxLoad),
		Conc:              c.count("conc", 1, maxLoad),
		LMEvalVersion:     c.string("lm_eval_version"),
	}
	if c.needed("config_id") {
		f, _ := c.get("config_id")
		before := len(c.found)
		if id, _ := c.integer("config_id", 0, maxID); !c.problemSince(before) {
			row.Config = d.configOf(id, f.off).config
		}
	}
	row.Metrics = c.metrics()
	return row, evaluationKey{row.InferenceXAttempt, row.Config, row.Task, row.Date, orZero(row.ISL), orZero(row.OSL), orZero(row.Conc)}
}

func orZero(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

func completeEvaluation(row, earlier record.InferenceXTableRow) string {
	r, e := row.(*record.InferenceXEvaluation), earlier.(*record.InferenceXEvaluation)
	column := completeText("lm_eval_version", &r.LMEvalVersion, e.LMEvalVersion)
	for _, m := range e.Metrics {
		i, found := slices.BinarySearchFunc(r.Metrics, m.Key, func(o record.InferenceXOther, key string) int { return cmp.Compare(o.Key, key) })
		switch {
		case !found:
			r.Metrics = slices.Insert(r.Metrics, i, m)
		case column == "" && !sameMetric(m, r.Metrics[i]):
			column = "metrics." + m.Key
		}
	}
	return column
}

func sameMetric(a, b record.InferenceXOther) bool {
	if a.Number == nil || b.Number == nil {
		return a.Number == b.Number && a.Text == b.Text
	}
	return *a.Number == *b.Number
}

// A statsKey identifies a row of run_stats.
type statsKey struct {
	attempt        record.InferenceXAttempt
	hardware, date string
}

func (d *dump) runStats(c *cells) (record.InferenceXTableRow, any) {
	c.needed("workflow_run_id")
	row := &record.InferenceXRunStats{
		InferenceXAttempt: d.attempt(c),
		Hardware:          c.neededWord("hardware", CanonicalHardware),
		Date:              c.neededDay("date"),
		Success:           c.neededInteger("n_success", 0, maxLoad),
		Total:             c.neededInteger("total", 0, maxLoad),
	}
	return row, statsKey{row.InferenceXAttempt, row.Hardware, row.Date}
}

func completeRunStats(row, earlier record.InferenceXTableRow) string {
	r, e := row.(*record.InferenceXRunStats), earlier.(*record.InferenceXRunStats)
	switch {
	case r.Success != e.Success:
		return "n_success"
	case r.Total != e.Total:
		return "total"
	}
	return ""
}

// A changelogKey identifies an entry: the same run may change several recipes,
// and one recipe in several ways.
type changelogKey struct {
	attempt                                         record.InferenceXAttempt
	date, baseRef, headRef, configKeys, description string
}

func (d *dump) changelogEntry(c *cells) (record.InferenceXTableRow, any) {
	row := &record.InferenceXChangelogEntry{
		InferenceXAttempt: d.attempt(c),
		Date:              c.day("date"),
		BaseRef:           c.string("base_ref"),
		HeadRef:           c.string("head_ref"),
		ConfigKeys:        c.list("config_keys"),
		Description:       c.string("description"),
		PullLink:          c.string("pr_link"),
	}
	return row, changelogKey{row.InferenceXAttempt, row.Date, row.BaseRef, row.HeadRef, row.ConfigKeys, row.Description}
}

func completeChangelogEntry(row, earlier record.InferenceXTableRow) string {
	r, e := row.(*record.InferenceXChangelogEntry), earlier.(*record.InferenceXChangelogEntry)
	return completeText("pr_link", &r.PullLink, e.PullLink)
}

// An availabilityKey is an entry with 0 for a length that is not stated.
type availabilityKey struct {
	model, precision, hardware, framework, specMethod string
	disagg                                            bool
	benchmarkType, date                               string
	isl, osl                                          int64
}

func (d *dump) availability(c *cells) (record.InferenceXTableRow, any) {
	row := &record.InferenceXAvailability{
		Model:         c.neededWord("model", CanonicalModel),
		Precision:     c.neededWord("precision", CanonicalPrecision),
		Hardware:      c.neededWord("hardware", CanonicalHardware),
		SpecMethod:    c.word("spec_method", CanonicalSpecMethod),
		BenchmarkType: c.word("benchmark_type", canonicalBenchmarkType),
		ISL:           c.count("isl", 1, maxLoad),
		OSL:           c.count("osl", 1, maxLoad),
		Date:          c.neededDay("date"),
	}
	implied := false // by the framework's name
	row.Framework = c.neededWord("framework", func(raw string) (name string, known bool) {
		name, implied, known = CanonicalFramework(raw)
		return name, known
	})
	c.needed("disagg")
	stated, _ := c.bool("disagg")
	row.Disagg = stated || implied
	return row, availabilityKey{row.Model, row.Precision, row.Hardware, row.Framework, row.SpecMethod, row.Disagg, row.BenchmarkType, row.Date,
		orZero(row.ISL), orZero(row.OSL)}
}

// canonicalBenchmarkType reads "" as single_turn: the column is later than the table.
func canonicalBenchmarkType(raw string) (name string, known bool) {
	if raw == "" {
		return "single_turn", true
	}
	return raw, benchmarkTypes[raw]
}

// attempt is the attempt of the workflow run that a row names, none where it names none.
func (d *dump) attempt(c *cells) record.InferenceXAttempt {
	f, ok := c.get("workflow_run_id")
	if !ok {
		return record.InferenceXAttempt{}
	}
	before := len(c.found)
	id, _ := c.integer("workflow_run_id", 0, maxID)
	if c.problemSince(before) {
		return record.InferenceXAttempt{}
	}
	run := d.runOf(id, f.off)
	return record.InferenceXAttempt{GitHubRunID: run.id, RunAttempt: run.attempt}
}
