package export

import (
	"context"
	"io"
	"slices"

	"github.com/inference-sim/blis-warehouse/store"
)

// Layout is how a format spreads what it writes over files.
type Layout int

// The layouts.
const (
	OneFile    Layout = iota // one file with all runs
	Catalog                  // a folder that is a catalog; one run alone can be printed
	FilePerRun               // one run is a file, several are a folder with a file each
)

// Format is a way to write a selection.
type Format struct {
	Name         string
	Layout       Layout
	Summary      string // what it is, in a few words
	Cannot       string // what of a run it cannot hold, in words; "" where it holds everything
	Documents    bool   // it takes only runs that have a MeasuredRun document
	JSON         bool   // it is JSON, so that text in it can be escaped
	Binary       bool   // it is no text, so it is not for a terminal
	Partitions   bool   // it can be spread over a folder by Options.Partition
	Delimited    bool   // it is a table for spreadsheets too, see Options.ExcelSafe
	Coefficients bool   // it needs Options.Coefficients, which no other format takes

	write func(ctx context.Context, r *store.Reader, s *Selection, o Options, create Create, out *Outcome) error
}

// Options are what a format needs beyond the warehouse.
type Options struct {
	Coefficients []string // names of registry sets, in the order in which they apply
	Partition    []string // some of PartitionColumns: a file for each of their values, nil for one file
	ExcelSafe    bool     // an apostrophe stands before text that a spreadsheet would run as a formula
	Tool         string   // the program's version, for formats that state it in their files
}

// Create opens a file of an export. The path has slashes and is relative to the
// export's folder, "" for a format that is one file. The file is complete once
// it is closed without an error.
type Create func(path string) (io.WriteCloser, error)

// formats are all formats, in the order in which they are listed: the one place
// for a new one.
var formats = []Format{
	{Name: "jsonl", Layout: OneFile, Summary: "a line of JSON for each run, point and metric", JSON: true, write: writeJSONL},
	{Name: "csv", Layout: OneFile, Summary: "the rows of jsonl, a column for each leaf", Delimited: true, write: writeCSV},
	{
		Name: "parquet", Layout: OneFile, Summary: "the rows of jsonl as typed columns, for DuckDB, Spark and the like",
		Binary: true, Partitions: true, write: writeParquet,
	},
	{Name: "yaml", Layout: Catalog, Summary: "MeasuredRun documents, with -o a catalog", Documents: true, write: writeCatalog},
	{
		Name: "absolutes", Layout: OneFile, Summary: "mean tpot and ttft in microseconds, for the metric scorer", JSON: true, write: writeAbsolutes,
		Cannot: "loads that state a request rate, and every metric but the mean tpot and the mean ttft",
	},
	{
		Name: "corpus", Layout: OneFile, Summary: "the same relative to the anchor, for the metric scorer", JSON: true, write: writeCorpus,
		Cannot: "what absolutes cannot hold, and a metric without a value above 0 at the run's first point",
	},
	{
		Name: "points", Layout: OneFile, Summary: "operating points for the point scorer", JSON: true, write: writePoints,
		Cannot: "loads that state a request rate, points without a mean itl, and metrics but the means of itl, ttft and e2el and the input and output throughput",
	},
	{
		Name: "scenario", Layout: FilePerRun, Summary: "Scenario and Deployment documents, for a kernel", Coefficients: true, write: writeScenarios,
		Cannot: "runs without model, engine_version, cluster, deployment or workload, and everything that was measured",
	},
	{
		Name: "evaluation-run", Layout: FilePerRun, Summary: "EvaluationRun documents", write: writeEvaluationRuns,
		Cannot: "runs without harness or engine_version, loads that state a request rate, mean lengths that are not whole, and metrics but the means of itl, ttft and e2el and the input and output throughput",
	},
}

// Formats are the names of all formats.
func Formats() []string {
	names := make([]string, len(formats))
	for i := range formats {
		names[i] = formats[i].Name
	}
	return names
}

// FormatNamed is the format of a name of Formats, nil for any other name.
func FormatNamed(name string) *Format {
	i := slices.IndexFunc(formats, func(f Format) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	return &formats[i]
}

// Write writes the runs of a selection in the order of their names. The bytes
// depend on nothing but the database, the selection and the options.
func (f *Format) Write(ctx context.Context, r *store.Reader, s *Selection, o Options, create Create) (*Outcome, error) {
	out := &Outcome{}
	if err := f.write(ctx, r, s, o, create, out); err != nil {
		return nil, err
	}
	return out, nil
}

// writeFile creates a file, fills and closes it.
func writeFile(create Create, path string, fill func(w io.Writer) error) error {
	w, err := create(path)
	if err != nil {
		return err
	}
	if err := fill(w); err != nil {
		w.Close()
		return err
	}
	return w.Close()
}
