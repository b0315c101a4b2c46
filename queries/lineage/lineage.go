// Package lineage sets runs beside one another: the runs of a chain of
// supersession, the versions of one run, and any two runs.
//
// It decides nothing about a run. Verdicts, what may be scored and what makes
// two metrics the same are views of the database, and what two runs differ in
// is found by package difference; here they are read in the order of time and
// put together. It opens no file and prints nothing.
package lineage

import (
	"cmp"
	"context"
	"embed"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/inference-sim/blis-warehouse/queries"
	"github.com/inference-sim/blis-warehouse/queries/difference"
	"github.com/inference-sim/blis-warehouse/store"
	"github.com/inference-sim/blis-warehouse/store/record"
)

// The kinds of a change.
const (
	KindField   = "field"   // a key of the document
	KindPoint   = "point"   // a load level that was added or removed
	KindValue   = "value"   // the value of a metric at a load that both have
	KindVerdict = "verdict" // the computed verdict with its resolution
	KindReason  = "reason"  // something against EXACT that appeared or vanished
)

// Kinds are the kinds of a change in the order in which they are listed.
func Kinds() []string { return []string{KindField, KindPoint, KindValue, KindVerdict, KindReason} }

// Change is something in which a run differs from the one before it.
type Change struct {
	Kind   string
	Path   string // as in a document; verdict for the verdict
	Before any    // string, int64, float64 or bool; nil where there was nothing
	After  any    // the same of the later run
	Metric string // of a value: the metric as the later run calls it
	Point  string // of a value: the load level as the later run calls it
	Unit   string // of a value: the unit of its definition
}

// Ratio is the later value divided by the earlier, nil for what is no measured
// value, where one of the two is absent, where the earlier is 0, or where the
// quotient is beyond a double.
func (c *Change) Ratio() *float64 {
	if c.Kind != KindValue {
		return nil
	}
	before, ok := c.Before.(float64)
	after, also := c.After.(float64)
	if !ok || !also {
		return nil
	}
	return ratio(before, after)
}

func ratio(a, b float64) *float64 {
	if a == 0 {
		return nil
	}
	q := b / a
	if math.IsInf(q, 0) {
		return nil
	}
	return &q
}

// originEvaluation is runs.origin of a run that an EvaluationRun document states.
const originEvaluation = "evaluation"

// state is a run with its computed verdict.
type state struct {
	run        *record.Run
	evaluation *record.EvaluationRun // what run was made from, nil where it is a run itself
	verdict    store.Verdict
}

// changes lists what differs from one state to the next, by kind.
func changes(before, after *state, fields []difference.Change) []Change {
	all := documentChanges(before.run, after.run, fields)
	if b, a := VerdictText(&before.verdict), VerdictText(&after.verdict); b != a {
		all = append(all, Change{Kind: KindVerdict, Path: "verdict", Before: b, After: a})
	}
	all = append(all, reasonChanges(before.verdict.Reasons, after.verdict.Reasons)...)
	order := Kinds()
	slices.SortStableFunc(all, func(a, b Change) int { return cmp.Compare(slices.Index(order, a.Kind), slices.Index(order, b.Kind)) })
	return all
}

// VerdictText is a verdict with its resolution: EXACT (STRICT).
func VerdictText(v *store.Verdict) string {
	if v.Resolution == "" {
		return v.Verdict
	}
	return v.Verdict + " (" + v.Resolution + ")"
}

// documentChanges are the changes of the document, a load level that was added
// or removed as one.
func documentChanges(before, after *record.Run, fields []difference.Change) []Change {
	unit := units(before)
	maps.Copy(unit, units(after))
	var all []Change
	for i := 0; i < len(fields); i++ {
		f := &fields[i]
		switch f.Kind {
		case difference.Point:
			end := i
			for end < len(fields) && fields[end].Kind == difference.Point && fields[end].Point == f.Point {
				end++
			}
			all = append(all, pointChange(fields[i:end]))
			i = end - 1
		case difference.Value:
			all = append(all, Change{Kind: KindValue, Path: f.Path, Before: f.Before, After: f.After, Metric: f.Metric, Point: f.Point, Unit: unit[f.Metric]})
		default:
			all = append(all, Change{Kind: KindField, Path: f.Path, Before: f.Before, After: f.After})
		}
	}
	return all
}

// pointChange is the change of a whole load level, of which fields are the keys.
func pointChange(fields []difference.Change) Change {
	c := Change{Kind: KindPoint, Path: "points[" + fields[0].Point + "]"}
	var level record.Point
	removed := false
	for _, f := range fields {
		v := f.After
		if v == nil {
			v, removed = f.Before, true
		}
		switch strings.TrimPrefix(f.Path, c.Path) {
		case ".load.concurrency":
			if n, ok := v.(int64); ok {
				level.Concurrency = &n
			}
		case ".load.request_rate":
			if x, ok := v.(float64); ok {
				level.RequestRate = &x
			}
		}
	}
	if removed {
		c.Before = difference.Load(&level)
	} else {
		c.After = difference.Load(&level)
	}
	return c
}

// reasonChanges are the reasons that vanished, then those that appeared. A
// reason that only moved to another position is the same.
func reasonChanges(before, after []store.Reason) []Change {
	var all []Change
	for _, r := range without(before, after) {
		all = append(all, Change{Kind: KindReason, Path: r.Path, Before: r.Code + ": " + r.Detail})
	}
	for _, r := range without(after, before) {
		all = append(all, Change{Kind: KindReason, Path: r.Path, After: r.Code + ": " + r.Detail})
	}
	return all
}

// without are the reasons of list that other lacks, each as often as it is there too many.
func without(list, other []store.Reason) []store.Reason {
	type reason struct{ code, detail string }
	left := map[reason]int{}
	for _, r := range other {
		left[reason{r.Code, r.Detail}]++
	}
	var rest []store.Reason
	for _, r := range list {
		if k := (reason{r.Code, r.Detail}); left[k] > 0 {
			left[k]--
		} else {
			rest = append(rest, r)
		}
	}
	return rest
}

//go:embed *.sql
var files embed.FS

// rows runs a query of this package, or else the program's of the name.
func rows(ctx context.Context, r *store.Reader, name string, params map[string]any, each func(row []any)) error {
	text, err := queries.SQL(files, name)
	if err != nil {
		return err
	}
	result, err := r.Query(ctx, text, params)
	if err != nil {
		return fmt.Errorf("query %s: %w", name, err)
	}
	for row, err := range result.All() {
		if err != nil {
			return fmt.Errorf("query %s: %w", name, err)
		}
		each(row)
	}
	return nil
}

// text is a value of a row as a string, "" for NULL.
func text(v any) string {
	s, _ := v.(string)
	return s
}

// number is a value of a row as a double, nil for NULL.
func number(v any) *float64 {
	x, ok := v.(float64)
	if !ok {
		return nil
	}
	return &x
}

// whole is a value of a row as an integer, 0 for NULL.
func whole(v any) int64 {
	n, _ := v.(int64)
	return n
}
