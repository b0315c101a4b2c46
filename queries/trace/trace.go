// Package trace writes a captured timeline of requests as a BLIS workload trace
// (TraceV2): a CSV of requests, a header in YAML, and the block with which a run
// cites them.
//
// It judges no licence and no run: a trace is what a capture states, in another
// form. The one design choice: the rows are those of the named query
// timeline-trace, in which all that is computed stands, so that any SQLite tool
// makes the same ones; here they only become text.
package trace

import (
	"context"
	"embed"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

	"gopkg.in/yaml.v3"

	"github.com/inference-sim/blis-warehouse/queries"
	"github.com/inference-sim/blis-warehouse/store"
)

//go:embed *.sql
var files embed.FS

// Names of phases. A timeline may state others.
const (
	Profiling = "profiling" // what is measured
	Warmup    = "warmup"
	AllPhases = "all" // no phase, but all of them
)

// What a trace says of itself. Times are in microseconds since the timeline's start.
const (
	version  = 2
	timeUnit = "us"
	mode     = "real" // measured, neither generated nor replayed
)

// A Timeline is a captured timeline.
type Timeline struct {
	SHA256     string // of the capture
	ID         *int64 // the publisher's id of the benchmark that it is of, nil where no ledger tells
	Requests   int64
	CapturedAt string // RFC 3339 in UTC, "" where no ledger tells
}

// Find returns the timelines that name means, by digest and id: the publisher's id of a
// benchmark, or the first 8 or more digits of a capture's digest. One capture stands
// there once for each id that it is of.
func Find(ctx context.Context, r *store.Reader, name string) ([]Timeline, error) {
	params := map[string]any{"digest": name, "id": nil}
	if id, err := strconv.ParseInt(name, 10, 64); err == nil {
		params["id"] = id
	}
	var found []Timeline
	err := each(ctx, r, "timelines", params, func(v []any) error {
		t := Timeline{SHA256: v[0].(string), Requests: v[2].(int64)}
		if id, ok := v[1].(int64); ok {
			t.ID = &id
		}
		t.CapturedAt, _ = v[3].(string)
		found = append(found, t)
		return nil
	})
	return found, err
}

// A Count is how many requests have something in common.
type Count struct {
	What     string // the phase, or what is wrong
	Requests int64
	First    int64 // position of the first in the capture, from 1; 0 where it was not asked for
}

// Phases returns the phases of a timeline in the order in which they began.
func Phases(ctx context.Context, r *store.Reader, capture string) (phases []Count, err error) {
	err = each(ctx, r, "phases", map[string]any{"capture": capture}, func(v []any) error {
		phases = append(phases, Count{What: v[0].(string), Requests: v[1].(int64)})
		return nil
	})
	return phases, err
}

// Contradictions returns what is wrong with times of requests of a phase, so that no
// trace can be made of them.
func Contradictions(ctx context.Context, r *store.Reader, capture, phase string) (wrong []Count, err error) {
	err = each(ctx, r, "contradictions", map[string]any{"capture": capture, "phase": phase}, func(v []any) error {
		wrong = append(wrong, Count{v[0].(string), v[1].(int64), v[2].(int64)})
		return nil
	})
	return wrong, err
}

// each calls fn for every row of a statement of this package or a named query.
func each(ctx context.Context, r *store.Reader, name string, params map[string]any, fn func(values []any) error) error {
	text, err := queries.SQL(files, name)
	if err != nil {
		return err
	}
	rows, err := r.Query(ctx, text, params)
	if err != nil {
		return err
	}
	for values, err := range rows.All() {
		if err == nil {
			err = fn(values)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// WriteRows writes the requests of a phase as CSV with a header line, lines ending with
// LF, and returns how many there are. Times that contradict each other are
// written as they are: see Contradictions.
func WriteRows(ctx context.Context, w io.Writer, r *store.Reader, capture, phase string) (rows int64, err error) {
	q, ok := queries.Get("timeline-trace")
	if !ok {
		panic("trace: the program has no query timeline-trace")
	}
	out := csv.NewWriter(w)
	if err := out.Write(q.Columns); err != nil {
		return 0, err
	}
	record := make([]string, len(q.Columns))
	err = each(ctx, r, q.Name, map[string]any{"capture": capture, "phase": phase}, func(values []any) error {
		for i, v := range values {
			record[i] = fmt.Sprint(v) // texts and integers alone
		}
		rows++
		return out.Write(record)
	})
	if err != nil {
		return 0, err
	}
	out.Flush()
	return rows, out.Error()
}

// header is what a run repeats of the trace's header.
type header struct {
	Version  int    `yaml:"trace_version"`
	TimeUnit string `yaml:"time_unit"`
	Mode     string `yaml:"mode"`
}

var ours = header{version, timeUnit, mode}

// WriteHeader writes the trace's header as YAML; warmups is how many of the rows, the
// first ones, are of the warm-up.
func WriteHeader(w io.Writer, warmups int64) error {
	return writeYAML(w, struct {
		header  `yaml:",inline"`
		Warmups int64 `yaml:"warm_up_requests"`
	}{ours, warmups})
}

// A Binding is how a run cites a trace.
type Binding struct {
	Data   string // where the CSV is
	SHA256 string // of its bytes
	Rows   int64  // without the header line
}

// Write writes the binding as the block workload of a MeasuredRun document.
func (b Binding) Write(w io.Writer) error {
	type cited struct {
		Data   string `yaml:"data"`
		SHA256 string `yaml:"sha256"`
		Rows   int64  `yaml:"rows"`
		Header header `yaml:"header"`
	}
	return writeYAML(w, map[string]map[string]cited{"workload": {"trace": {b.Data, b.SHA256, b.Rows, ours}}})
}

func writeYAML(w io.Writer, v any) error {
	enc := yaml.NewEncoder(w)
	enc.SetIndent(2)
	if err := enc.Encode(v); err != nil {
		return err
	}
	return enc.Close()
}
