package export

import (
	"context"

	"github.com/inference-sim/blis-warehouse/store"
	"github.com/inference-sim/blis-warehouse/store/record"
)

// run is a run as the warehouse holds it: the document that states it and what
// the warehouse derives. The points of doc are empty, points has them.
type run struct {
	doc     record.Run
	points  []point
	licence *record.Licence // the entry in effect

	documentSHA256      string // "" without a document
	engine              string
	hardware, fabric    string
	nodes, gpusPerNode  *int64
	gpusPerRack         *int64
	workload            string // the shape's name or the trace's data
	workloadKind        string // shape, trace or ""
	verdict, resolution string // computed

	origin       string
	isl, osl     *int64 // stated lengths, tokens
	measuredOn   string // UTC day, YYYY-MM-DD, "" where not stated
	retrievedOn  string // the same of doc.Source.RetrievedUTC
	statedPools  []statedPool
	statedConfig configuration
}

// statedPool is what InferenceX rows state of a pool. It is no pool of a
// deployment, which needs more.
type statedPool struct {
	role                           string
	nodes, tp, pp, dp, ep, workers *int64
	dpAttention                    *bool
}

// configuration is what InferenceX rows state of a run as a whole, "" for a run
// from elsewhere.
type configuration struct{ framework, precision, specMethod, runURL string }

// point is a load level. Its values are by metric.
type point struct {
	record.Point
	values []value
}

// value is a measured value: record.Value as reported, and in the unit of its
// definition, which is the reported one times scale.
type value struct {
	record.Value
	inUnit float64
	scale  float64
}

// table reads the rows of one statement into the runs that they belong to.
type table struct {
	name string
	fill func(r *run, c *cells)
}

// batchSize is how many runs are held at a time.
const batchSize = 64

// readRuns reads the chosen runs in their order, from the tables given, and
// calls each.
func readRuns(ctx context.Context, r *store.Reader, chosen []Chosen, tables []table, each func(*run) error) error {
	licences, err := readLicences(ctx, r, chosen)
	if err != nil {
		return err
	}
	for len(chosen) > 0 {
		n := min(batchSize, len(chosen))
		batch, err := readBatch(ctx, r, chosen[:n], tables)
		if err != nil {
			return err
		}
		for i := range batch {
			batch[i].licence = licences[chosen[i].LicenceID]
			if err := each(&batch[i]); err != nil {
				return err
			}
		}
		chosen = chosen[n:]
	}
	return nil
}

func readBatch(ctx context.Context, r *store.Reader, chosen []Chosen, tables []table) ([]run, error) {
	ids := make([]int64, len(chosen))
	for i := range chosen {
		ids[i] = chosen[i].id
	}
	list, err := array(ids)
	if err != nil {
		return nil, err
	}
	runs := make([]run, len(chosen))
	for _, t := range tables {
		err := query(ctx, r, t.name, map[string]any{"runs": list}, func(c *cells) error {
			i := c.whole()
			t.fill(&runs[i], c)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return runs, nil
}

// readLicences reads the entries that the chosen runs cite, with what they
// permit now.
func readLicences(ctx context.Context, r *store.Reader, chosen []Chosen) (map[string]*record.Licence, error) {
	licences := map[string]*record.Licence{}
	var ids []string
	for i := range chosen {
		if id := chosen[i].LicenceID; licences[id] == nil {
			licences[id] = &record.Licence{}
			ids = append(ids, id)
		}
	}
	list, err := array(ids)
	if err != nil {
		return nil, err
	}
	params := map[string]any{"licences": list}
	err = query(ctx, r, "licences", params, func(c *cells) error {
		id := c.text()
		*licences[id] = record.Licence{ID: id, Title: c.text(), License: c.text(), Status: c.text(), Attribution: c.text(), Note: c.text()}
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = query(ctx, r, "licence-permits", params, func(c *cells) error {
		l := licences[c.text()]
		l.Permits = append(l.Permits, c.text())
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = query(ctx, r, "licence-evidence", params, func(c *cells) error {
		l := licences[c.text()]
		l.Evidence = append(l.Evidence, record.Evidence{URL: c.text(), Quote: c.text(), Location: c.text()})
		return nil
	})
	return licences, err
}
