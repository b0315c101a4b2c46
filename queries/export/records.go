package export

import (
	"context"

	"github.com/inference-sim/blis-warehouse/store"
	"github.com/inference-sim/blis-warehouse/store/record"
)

// Record is a stored run as a record, for comparisons. It may come from
// anywhere: what a run from InferenceX does not state is unset, its cluster may
// have no nodes (0), and it has no deployment.
type Record struct {
	Run           record.Run // its values are in the unit of their definition, decimally exact
	ID            int64      // as runs.run_id
	Origin        string     // as runs.origin
	DefinitionSet int64      // as runs.definition_set_id
	Verdict       string     // computed
	Resolution    string     // computed, "" for none
}

// Records reads the runs of the given names, in that order, and calls each. A
// name that no run has is passed over.
func Records(ctx context.Context, r *store.Reader, names []string, each func(*Record) error) error {
	list, err := array(names)
	if err != nil {
		return err
	}
	var chosen []Chosen
	var records []Record
	err = query(ctx, r, "record-runs", map[string]any{"names": list}, func(c *cells) error {
		run := Chosen{id: c.whole(), Name: c.text(), LicenceID: c.text()}
		chosen = append(chosen, run)
		records = append(records, Record{ID: run.id, Origin: c.text(), DefinitionSet: c.whole()})
		return nil
	})
	if err != nil {
		return err
	}
	next := 0
	return readRuns(ctx, r, chosen, documentTables(), func(run *run) error {
		rec := &records[next]
		next++
		rec.Run, rec.Verdict, rec.Resolution = run.record(), run.verdict, run.resolution
		return each(rec)
	})
}

// record is the run with its points and values in it.
func (r *run) record() record.Run {
	doc := r.doc
	if doc.Cluster == nil && r.hardware != "" {
		doc.Cluster = &record.Cluster{Hardware: r.hardware, Fabric: r.fabric}
	}
	doc.Points = make([]record.Point, len(r.points))
	for i := range r.points {
		p := &r.points[i]
		doc.Points[i] = p.Point
		for j := range p.values {
			v := p.values[j].Value
			v.Value = p.values[j].exact()
			doc.Points[i].Metrics = append(doc.Points[i].Metrics, v)
		}
	}
	return doc
}

// exact is the value in the unit of its definition: one that the publisher
// reports in seconds is shifted decimally, so that it equals the same number
// reported in ms.
func (v *value) exact() float64 {
	if v.scale == 1000 {
		if x := shifted(v.Value.Value, 3); x != nil {
			return *x
		}
	}
	return v.inUnit
}
