package plot

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/inference-sim/blis-warehouse/queries"
	"github.com/inference-sim/blis-warehouse/store"
)

// Request is what a picture shall show. What is empty is left to the picture.
type Request struct {
	Runs    []string // names
	X, Y    string   // names of Metrics
	Despite []string // fields of definitions that may differ, or all
	LogX    bool     // a logarithmic axis
	LogY    bool
	Title   string
	Filter  Filter // of a picture that finds its runs itself
}

// Filter narrows the runs that a picture finds itself. What is empty or nil
// narrows nothing.
type Filter struct {
	Model, Hardware, Precision string
	Accept                     string // flags that leave no point out, parted by commas
	ISL, OSL                   *int64
}

// Picture is a kind of picture.
type Picture struct {
	Name    string
	Args    string // as usage shows them
	Summary string // one line
	MinRuns int    // how many runs it takes
	MaxRuns int
	Filters bool // it finds its runs by Request.Filter
	X       bool // it takes Request.X
	LogX    bool // it takes Request.LogX

	read func(ctx context.Context, r *store.Reader, req *Request) (*Figure, error)
}

// Pictures are all pictures.
func Pictures() []Picture {
	return []Picture{
		{Name: "curve", Args: "RUN...", Summary: "throughput against latency or interactivity, a line for each run", MinRuns: 1, MaxRuns: MaxSeries, X: true, LogX: true, read: readCurve},
		{Name: "pareto", Args: "--model MODEL", Summary: "the frontier of throughput and interactivity of each hardware and precision, with the points behind it", Filters: true, LogX: true, read: readPareto},
		{Name: "scaling", Args: "RUN...", Summary: "throughput and latency over the load", MinRuns: 1, MaxRuns: MaxSeries, X: true, read: readScaling},
		{Name: "history", Args: "RUN", Summary: "throughput over time of the line or chain that a run is part of, a line for each load", MinRuns: 1, MaxRuns: 1, read: readHistory},
		{Name: "anchor", Args: "RUN...", Summary: "the ratio to the lowest load at each load, with bars of noise", MinRuns: 1, MaxRuns: MaxSeries, read: readAnchor},
	}
}

// Named is the picture of a name; ok is false where there is none.
func Named(name string) (p Picture, ok bool) {
	for _, p := range Pictures() {
		if p.Name == name {
			return p, true
		}
	}
	return Picture{}, false
}

// Read makes the figure of a picture. A run that is not loaded is an
// *UnknownRunError, metrics whose definitions differ are a *DefinitionsError,
// runs without a point to draw are ErrEmpty.
func (p Picture) Read(ctx context.Context, r *store.Reader, req *Request) (*Figure, error) {
	f, err := p.read(ctx, r, req)
	if err != nil {
		return nil, err
	}
	if req.Title != "" {
		f.Title = req.Title
	}
	return f, nil
}

// UnknownRunError reports a name that no run has.
type UnknownRunError struct{ Name string }

func (e *UnknownRunError) Error() string { return fmt.Sprintf("no run is called %q", e.Name) }

// SharedError reports that not all runs have the metric that an axis shall show.
type SharedError struct {
	Metric string   // "" where any would do
	Shared []string // the metrics that all runs have
}

func (e *SharedError) Error() string {
	what := "the runs have no two metrics of an axis in common"
	if e.Metric != "" {
		what = fmt.Sprintf("not all of the runs have values of %s", e.Metric)
	}
	if len(e.Shared) == 0 {
		return what
	}
	return what + "; they share " + strings.Join(e.Shared, ", ")
}

//go:embed *.sql
var files embed.FS

// table is the result of a query.
type table struct {
	columns []string
	rows    [][]any
}

// ask runs a query of this package, or else the program's of the name.
func ask(ctx context.Context, r *store.Reader, name string, params map[string]any) (*table, error) {
	text, err := queries.SQL(files, name)
	if err != nil {
		return nil, err
	}
	rows, err := r.Query(ctx, text, params)
	if err != nil {
		return nil, fmt.Errorf("query %s: %w", name, err)
	}
	t := &table{columns: rows.Columns()}
	for row, err := range rows.All() {
		if err != nil {
			return nil, fmt.Errorf("query %s: %w", name, err)
		}
		t.rows = append(t.rows, slices.Clone(row))
	}
	return t, nil
}

// cell is the value of a column of a row; a column that is not there is a
// mistake of ours, which the tests find.
func (t *table) cell(row []any, column string) any {
	i := slices.Index(t.columns, column)
	if i < 0 {
		panic("no column " + column)
	}
	return row[i]
}

// text is a value as text, "" for NULL.
func (t *table) text(row []any, column string) string {
	switch v := t.cell(row, column).(type) {
	case nil:
		return ""
	case string:
		return v
	case float64:
		return number(v)
	default:
		return fmt.Sprint(v)
	}
}

// number is a value as a number; ok is false for NULL.
func (t *table) number(row []any, column string) (v float64, ok bool) {
	switch v := t.cell(row, column).(type) {
	case float64:
		return v, true
	case int64:
		return float64(v), true
	}
	return 0, false
}

// list is names as a parameter of a query.
func list(names []string) string {
	b, err := json.Marshal(names)
	if err != nil {
		panic(err) // strings are always JSON
	}
	return string(b)
}
