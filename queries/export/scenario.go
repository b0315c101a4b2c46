package export

import (
	"context"

	"github.com/inference-sim/blis-warehouse/store"
)

// writeScenarios writes for each run the file that a kernel takes: a Scenario
// and its Deployment, two documents of one stream. The scenario has the run's
// name.
func writeScenarios(ctx context.Context, r *store.Reader, s *Selection, o Options, create Create, out *Outcome) error {
	return readRuns(ctx, r, s.Runs, scenarioTables(), func(run *run) error {
		missing := run.missing(map[string]bool{
			"model": run.doc.Model != "", "engine_version": run.doc.EngineVersion != "",
			"cluster": run.doc.Cluster != nil, "deployment": run.doc.Deployment != nil, "workload": run.doc.Workload != nil,
		})
		if len(missing) > 0 {
			out.leave(run.doc.Name, missing, false)
			return nil
		}
		out.hold(0, 0)
		deployment := newMapping()
		writeDeployment(deployment, run.doc.Deployment)
		return writeDocuments(create, run.scenarioFile(), scenarioDocument(run, o.Coefficients), deployment)
	})
}

func scenarioDocument(r *run, coefficients []string) *mapping {
	d := &r.doc
	m := newMapping()
	m.text("kind", "Scenario")
	m.text("name", d.Name)
	m.text("model", d.Model)
	m.texts("coefficients", coefficients)
	m.text("engine_version", d.EngineVersion)
	writeCluster(m.mapping("cluster"), d.Cluster)
	writeWorkload(m.mapping("workload"), d.Workload)
	return m
}

// missing are the reasons why a run cannot be written that does not state all
// that is needed, by key.
func (r *run) missing(stated map[string]bool) []Unexpressed {
	var missing []Unexpressed
	for _, key := range []string{"cluster", "deployment", "engine_version", "harness", "model", "workload"} {
		if is, needed := stated[key]; needed && !is {
			missing = append(missing, Unexpressed{r.doc.Name, nil, nil, Reason{"missing_" + key, "the run states no " + key + ", which the format needs"}})
		}
	}
	return missing
}
