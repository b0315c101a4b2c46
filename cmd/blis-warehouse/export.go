package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/inference-sim/blis-warehouse/queries/export"
	"github.com/inference-sim/blis-warehouse/store"
)

func exportCommand() command {
	return command{
		name:    "export",
		args:    "[RUN...]",
		maxArgs: -1,
		summary: "write runs for calibration, scoring or redistribution, as rows or documents",
		help: `--for says what the runs are for, and thereby which may leave:
  calibration     those of calibration_runs: EXACT, and the licence permits
                  derive_coefficients
  scoring         those of scorable_runs, one tier of them: --tier exact (the
                  default) or partial, never both in one file
  redistribution  those whose licence permits redistribute; without names every
                  catalog run that is neither superseded nor a declared duplicate

Without RUN it is all that may leave. A RUN that may not is refused with every
reason: nothing is written and the exit code is 1.

--format says who reads them:
  jsonl           a line for each run, point and metric that stands on its own:
                  the configuration, the metric's definition, the value
                  (value_us is a latency in microseconds), its ratio to the
                  run's first point, the verdict, the licence; row_id can be
                  cited
  csv             the same rows, a column for each leaf; --excel-safe if people
                  open it with a spreadsheet
  parquet         the same columns, typed, for DuckDB, Spark, ClickHouse and
                  BigQuery; with --partition model,hardware -o is a folder of
                  files that lie in model=.../hardware=.../
  yaml            MeasuredRun documents: -o is a folder that becomes a catalog,
                  with the licences it cites; a catalog whose licences do not
                  permit redistribute loads again with --local
  absolutes, corpus
                  the metric scorer's files: mean tpot and mean ttft by
                  concurrency, in microseconds and relative to the first point
  points          the point scorer's array
  scenario        what a kernel takes, a Scenario and its Deployment; the
                  coefficient sets are named by --coefficients
  evaluation-run  EvaluationRun documents

yaml, scenario and evaluation-run print the document of one RUN where there is
no -o; scenario and evaluation-run write one RUN to the file -o, several to the
folder -o. What a format cannot hold, such as a median where means belong, is
named in the manifest.

Beside the file or folder stands a manifest, FILE.manifest.json, on standard
error where the data go to standard output: what was exported and its digest,
which runs, which were left out and why, and the attribution that the licences
demand. Both appear complete or neither does. The same database gives the same
bytes.

Examples:
  blis-warehouse export --for calibration -o calibration.jsonl
  blis-warehouse export --for scoring --tier partial -o partial.jsonl
  blis-warehouse export --for scoring --format csv -o scoring.csv
  blis-warehouse export --for scoring --format parquet -o scoring.parquet
  blis-warehouse export --for scoring --format parquet \
    --partition model,hardware -o scoring-parts
  blis-warehouse export --for scoring --format absolutes -o absolutes.json
  blis-warehouse export --for scoring --format corpus -o corpus.json
  blis-warehouse export --for scoring --format points -o points.json
  blis-warehouse export --for scoring --format scenario \
    --coefficients cost-model-primitives -o scenarios
  blis-warehouse export --for scoring --format evaluation-run demo-h100-tp8
  blis-warehouse export --for redistribution --format yaml -o catalog
  blis-warehouse export --for redistribution --format yaml demo-h100-tp4`,
		setup: setupExport,
	}
}

// choice is the value of a flag that takes one of a few words.
type choice struct {
	what  string // the words together, such as "the formats"
	words []string
	word  string // "" until it is given, where it has no default
}

func (c *choice) String() string { return c.word }
func (c *choice) Type() string   { return strings.Join(c.words, "|") }

func (c *choice) Set(s string) error {
	if !slices.Contains(c.words, s) {
		return fmt.Errorf("%s are %s%s", c.what, strings.Join(c.words, ", "), didYouMean(s, c.words))
	}
	c.word = s
	return nil
}

// exportJob is what the command line of export asks for.
type exportJob struct {
	format  *export.Format
	options export.Options
	file    string // "-" is standard output
	force   bool
}

func setupExport(fs *pflag.FlagSet) runFunc {
	database := databaseFlags(fs)
	purpose := &choice{what: "the purposes", words: export.Purposes()}
	tier := &choice{what: "the tiers", words: export.Tiers(), word: string(export.Exact)}
	format := &choice{what: "the formats", words: export.Formats(), word: "jsonl"}
	fs.Var(purpose, "for", "what the runs are for, the `PURPOSE`: "+strings.Join(purpose.words, ", "))
	fs.Var(tier, "tier", "the `TIER` of a scoring export: "+strings.Join(tier.words, ", "))
	fs.VarP(format, "format", "f", "the `FORMAT`: "+strings.Join(format.words, ", "))
	coefficients := fs.StringArray("coefficients", nil, "a coefficient set that scenarios name, the `NAME`; repeat it for several, in their order")
	partition := fs.StringSlice("partition", nil, "of parquet: a file for each value of `COLUMNS`: "+strings.Join(export.PartitionColumns(), ","))
	var excel bool
	excelFlag(fs, &excel, "csv")
	file := fs.StringP("output", "o", "-", "write to `FILE`, a folder where the format says so, and FILE.manifest.json; - is standard output")
	force := fs.Bool("force", false, "let -o overwrite")
	return func(ctx context.Context, env *environment, args []string) error {
		options := export.Options{Coefficients: *coefficients, Partition: *partition, ExcelSafe: excel, Tool: programVersion()}
		job := &exportJob{export.FormatNamed(format.word), options, *file, *force}
		req := export.Request{Purpose: export.Purpose(purpose.word), Runs: distinct(args), Documents: job.format.Documents}
		switch {
		case req.Purpose == "":
			return &usageError{message: "export needs --for " + strings.Join(purpose.words, "|"), command: "export"}
		case req.Purpose == export.Scoring:
			req.Tier = export.Tier(tier.word)
		case fs.Changed("tier"):
			return &usageError{message: "--tier is for --for scoring: " + purpose.word + " has no tiers", command: "export"}
		}
		if err := job.check(req, env.stdout); err != nil {
			return err
		}
		r, err := database.open(ctx, env)
		if err != nil {
			return err
		}
		defer r.Close()
		return exportRuns(ctx, env, r, req, job)
	}
}

// check refuses what does not fit together, and bytes on a terminal.
func (job *exportJob) check(req export.Request, stdout io.Writer) error {
	message := job.checkPartition()
	switch given := job.options.Coefficients; {
	case message != "":
	case job.format.Layout != export.OneFile && job.file == "-" && len(req.Runs) != 1:
		message = "--format " + job.format.Name + " prints the document of one RUN: -o names the folder for several"
	case job.format.Coefficients && len(given) == 0:
		message = "--format " + job.format.Name + " needs --coefficients NAME: a run does not name coefficient sets"
	case !job.format.Coefficients && len(given) > 0:
		message = "--coefficients is for --format scenario: " + job.format.Name + " names no coefficient sets"
	case slices.Contains(given, ""):
		message = "--coefficients needs the name of a coefficient set"
	case job.options.ExcelSafe && !job.format.Delimited:
		message = "--excel-safe is for --format csv: " + job.format.Name + " is not for spreadsheets"
	case job.format.Binary && job.file == "-" && isTerminal(stdout):
		message = "--format " + job.format.Name + " is not for a terminal: name a file with -o, or send it to another program"
	default:
		return nil
	}
	return &usageError{message: message, command: "export"}
}

// checkPartition is why the job cannot be partitioned as it asks, "" where it
// can be or does not ask.
func (job *exportJob) checkPartition() string {
	columns, known := job.options.Partition, export.PartitionColumns()
	switch {
	case columns == nil: // --partition was not given
		return ""
	case !job.format.Partitions:
		return "--partition is for --format parquet: " + job.format.Name + " is not partitioned"
	case len(columns) == 0:
		return "--partition needs the name of a column: " + strings.Join(known, ", ")
	case job.file == "-":
		return "--partition writes a folder: name it with -o"
	}
	for i, column := range columns {
		switch {
		case !slices.Contains(known, column):
			return fmt.Sprintf("the columns to partition by are %s%s", strings.Join(known, ", "), didYouMean(column, known))
		case slices.Contains(columns[:i], column):
			return "--partition names " + column + " twice"
		}
	}
	return ""
}

// folder tells whether the job writes a folder.
func (job *exportJob) folder(req export.Request) bool {
	switch {
	case len(job.options.Partition) > 0:
		return true
	case job.file == "-" || job.format.Layout == export.OneFile:
		return false
	case job.format.Layout == export.Catalog:
		return true
	}
	return len(req.Runs) != 1
}

// distinct are the words, each once, sorted.
func distinct(words []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(words)))
}

func exportRuns(ctx context.Context, env *environment, r *store.Reader, req export.Request, job *exportJob) error {
	s, err := export.Select(ctx, r, req)
	if err != nil {
		return err
	}
	if len(s.Refused) > 0 {
		return refuseExport(ctx, env, r, s, "may not be")
	}
	if job.folder(req) {
		return job.writeFolder(ctx, env, r, s)
	}
	return job.writeFile(ctx, env, r, s)
}

// manifest is the manifest of what was written.
func (job *exportJob) manifest(r *store.Reader, s *export.Selection, out export.Output) *export.Manifest {
	out.Name, out.Format, out.Options = job.name(), job.format.Name, job.options
	return export.NewManifest(s, out, job.options.Tool, r.SchemaVersion())
}

// unheld tells whether a run was asked for of which the format can write
// nothing: where each run is a file, it is refused like one that may not leave.
func (job *exportJob) unheld(s *export.Selection, out *export.Outcome) bool {
	if job.format.Layout != export.FilePerRun || len(s.Request.Runs) == 0 {
		return false
	}
	s.Refused = out.Unheld
	return len(s.Refused) > 0
}

// refuseExport prints every reason against the runs that were asked for, and
// in words why there is no export.
func refuseExport(ctx context.Context, env *environment, r *store.Reader, s *export.Selection, why string) error {
	var b strings.Builder
	for _, run := range s.Refused {
		for _, reason := range run.Reasons {
			fmt.Fprintf(&b, "%s: %s: %s", printable(run.Name), reason.Code, printable(reason.Detail))
			if reason.Code == "no_such_run" {
				names, err := export.Names(ctx, r)
				if err != nil {
					return err
				}
				b.WriteString(didYouMean(run.Name, names))
			}
			b.WriteByte('\n')
		}
	}
	fmt.Fprintf(&b, "nothing was exported for %s: %d of %s %s\n", s.Request.Purpose, len(s.Refused), plural(len(s.Request.Runs), "run", "runs"), why)
	if err := printText(env.stderr, b.String()); err != nil {
		return err
	}
	return errFindings
}

// digester counts and digests what passes through it.
type digester struct {
	w io.Writer
	h hash.Hash
	n int64
}

func newDigester(w io.Writer) *digester { return &digester{w: w, h: sha256.New()} }

func (d *digester) Write(p []byte) (int, error) {
	n, err := d.w.Write(p)
	d.h.Write(p[:n])
	d.n += int64(n)
	return n, err
}

func (d *digester) sum() string { return hex.EncodeToString(d.h.Sum(nil)) }

// onlyFile is the file of an export that is one file. What a format writes
// after its first file, the registry of a catalog, is not part of it.
type onlyFile struct {
	w       io.Writer
	created bool
}

func (f *onlyFile) create(string) (io.WriteCloser, error) {
	if f.created {
		return &openFile{Writer: io.Discard}, nil
	}
	f.created = true
	return &openFile{Writer: f.w}, nil
}

// openFile is a writer with what closes it, nil for nothing.
type openFile struct {
	io.Writer
	close func() error
}

func (f *openFile) Close() error {
	if f.close == nil {
		return nil
	}
	return f.close()
}

// writeFile writes a selection to the file of the job, with its manifest.
func (job *exportJob) writeFile(ctx context.Context, env *environment, r *store.Reader, s *export.Selection) error {
	data, err := openDestination(job.file, job.force, env.stdout, r.Path())
	if err != nil {
		return err
	}
	beside, err := job.openManifest(env, r.Path())
	if err != nil {
		data.discard()
		return err
	}
	sink := &sink{w: job.shown(data, env.stdout)}
	digest := newDigester(sink)
	outcome, err := job.format.Write(ctx, r, s, job.options, (&onlyFile{w: job.escaped(digest)}).create)
	if err != nil {
		beside.discard()
		if sink.err != nil {
			return data.abandon(sink.err)
		}
		data.discard()
		return err
	}
	if job.unheld(s, outcome) {
		beside.discard()
		data.discard()
		return refuseExport(ctx, env, r, s, "cannot be written as "+job.format.Name)
	}
	m := job.manifest(r, s, export.Output{SHA256: digest.sum(), Size: digest.n, Outcome: outcome})
	if err := prepareManifest(beside, m); err != nil {
		data.discard()
		return err
	}
	if err := data.commit(); err != nil {
		beside.discard()
		return err
	}
	if err := beside.commit(); err != nil {
		if data.path != "-" { // data without their manifest are not left behind
			os.Remove(data.path)
		}
		return err
	}
	return job.report(env, m, outcome)
}

// escaped writes JSON with what does not show escaped, and other formats as they are.
func (job *exportJob) escaped(w io.Writer) io.Writer {
	if job.format.JSON {
		return jsonText{w}
	}
	return w
}

// shown writes CSV to a terminal as rows are written to it. The manifest has
// the digest of what a file or pipe gets.
func (job *exportJob) shown(w, stdout io.Writer) io.Writer {
	if job.format.Name == "csv" && job.file == "-" && isTerminal(stdout) {
		return terminalText{w}
	}
	return w
}

// name is the name of the job's file or folder, "" for standard output.
func (job *exportJob) name() string {
	if job.file == "-" {
		return ""
	}
	return filepath.Base(job.file)
}

// openManifest prepares writing the manifest: beside the file, else to standard
// error.
func (job *exportJob) openManifest(env *environment, database string) (*destination, error) {
	if job.file == "-" {
		return openDestination("-", false, env.stderr, "")
	}
	return openDestination(filepath.Clean(job.file)+".manifest.json", job.force, nil, database)
}

// prepareManifest writes the manifest so far that only giving it its name is
// left. What is meant for standard error waits in its buffer, as far as that
// goes.
func prepareManifest(beside *destination, m *export.Manifest) error {
	err := m.Write(jsonText{beside})
	if err == nil && beside.temp != nil {
		err = errors.Join(beside.Flush(), beside.temp.Sync())
	}
	if err != nil {
		return beside.abandon(err)
	}
	return nil
}

// report sums up an export to a file; standard error holds the manifest
// otherwise.
func (job *exportJob) report(env *environment, m *export.Manifest, out *export.Outcome) error {
	if job.file == "-" {
		return nil
	}
	left := ""
	if n := len(m.LeftOut) - len(out.Unheld); n > 0 {
		left = fmt.Sprintf("; %s left out", plural(n, "catalog run", "catalog runs"))
	}
	if n := len(out.Unheld); n > 0 {
		left += fmt.Sprintf("; %s cannot hold %s", job.format.Name, plural(n, "run", "runs"))
	}
	return printText(env.stderr, fmt.Sprintf("exported for %s: %s, %s, %s%s (see %s.manifest.json)\n", m.Purpose, plural(int(m.Counts.Runs), "run", "runs"),
		plural(int(m.Counts.Points), "point", "points"), plural(int(m.Counts.Values), "value", "values"), left, printable(filepath.Clean(job.file))))
}
