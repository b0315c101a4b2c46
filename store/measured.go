package store

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
)

// MeasuredDifference is what of an InferenceX run, or of one of its points, is
// otherwise in another database.
type MeasuredDifference struct {
	Subject string // the run, the run and the point, or these and the key, parted by slashes
	Detail  string
}

// CompareInferenceX calls each for what r has of InferenceX that the other
// database has not, or otherwise, by run, point and key. It holds one run at a time.
func (r *Reader) CompareInferenceX(ctx context.Context, other *Reader, each func(MeasuredDifference) error) error {
	next, stop := iter.Pull2(other.inferenceXRuns(ctx))
	defer stop()
	var theirs inferenceXRun
	var err error
	more := true
	for ours, oursErr := range r.inferenceXRuns(ctx) {
		for more && oursErr == nil && err == nil && theirs.name < ours.name {
			theirs, err, more = next()
		}
		if oursErr != nil || err != nil {
			return fmt.Errorf("compare the rows of InferenceX: %w", cmp.Or(oursErr, err))
		}
		var there map[string]map[string]any
		if more && theirs.name == ours.name {
			if there, err = other.reported(ctx, theirs.id); err != nil {
				return err
			}
		}
		here, err := r.reported(ctx, ours.id)
		if err != nil {
			return err
		}
		if err := compareReported(ours.name, here, there, each); err != nil {
			return err
		}
	}
	return nil
}

type inferenceXRun struct {
	name string
	id   int64
}

func (r *Reader) inferenceXRuns(ctx context.Context) iter.Seq2[inferenceXRun, error] {
	return func(yield func(inferenceXRun, error) bool) {
		rows, err := r.Query(ctx, `SELECT name, run_id FROM runs WHERE origin = 'inferencex' ORDER BY name`, nil)
		if err != nil {
			yield(inferenceXRun{}, err)
			return
		}
		for v, err := range rows.All() {
			if err != nil {
				yield(inferenceXRun{}, err)
				return
			}
			if !yield(inferenceXRun{textOf(v[0]), v[1].(int64)}, nil) {
				return
			}
		}
	}
}

// reported are the values of a run as reported, by point and key.
func (r *Reader) reported(ctx context.Context, run int64) (map[string]map[string]any, error) {
	values := map[string]map[string]any{}
	add := func(v []any) error {
		point := textOf(v[0])
		if values[point] == nil {
			values[point] = map[string]any{}
		}
		if key := textOf(v[1]); key != "" {
			values[point][key] = v[2]
		}
		return nil
	}
	for _, query := range []string{
		`SELECT id, NULL, NULL FROM points WHERE run_id = :run`,
		`SELECT p.id, m.reported_key, m.reported_value FROM points p JOIN measurements m ON m.point_id = p.point_id WHERE p.run_id = :run`,
		`SELECT p.id, v.key, v.reported_value FROM points p JOIN inferencex_values v ON v.point_id = p.point_id WHERE p.run_id = :run`,
	} {
		if err := r.each(ctx, query, map[string]any{"run": run}, add); err != nil {
			return nil, fmt.Errorf("read the rows of a run: %w", err)
		}
	}
	return values, nil
}

func compareReported(run string, here, there map[string]map[string]any, each func(MeasuredDifference) error) error {
	if there == nil {
		n := 0
		for _, values := range here {
			n += len(values)
		}
		return each(MeasuredDifference{run, fmt.Sprintf("the whole run: %s with %s", count(len(here), "point"), count(n, "value"))})
	}
	for _, point := range slices.Sorted(maps.Keys(here)) {
		values, ok := there[point]
		if !ok {
			if err := each(MeasuredDifference{run + "/" + point, "the whole point: " + count(len(here[point]), "value")}); err != nil {
				return err
			}
			continue
		}
		if err := compareValues(run+"/"+point, here[point], values, each); err != nil {
			return err
		}
	}
	return nil
}

func compareValues(point string, here, there map[string]any, each func(MeasuredDifference) error) error {
	var absent []string
	for _, key := range slices.Sorted(maps.Keys(here)) {
		value, ok := there[key]
		if !ok {
			absent = append(absent, key)
			continue
		}
		if value != here[key] {
			if err := each(MeasuredDifference{point + "/" + key, fmt.Sprintf("was %v, is %v", here[key], value)}); err != nil {
				return err
			}
		}
	}
	if absent == nil {
		return nil
	}
	return each(MeasuredDifference{point, "the values " + strings.Join(absent, ", ")})
}

// count is a number of things, whose plural is regular.
func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}
