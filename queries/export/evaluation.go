package export

import (
	"context"

	"github.com/inference-sim/blis-warehouse/store"
)

// writeEvaluationRuns writes for each run an EvaluationRun, which names the
// scenario that the format scenario writes. It has no statistic and no
// provenance: what is not a mean is left out.
func writeEvaluationRuns(ctx context.Context, r *store.Reader, s *Selection, _ Options, create Create, out *Outcome) error {
	return readRuns(ctx, r, s.Runs, evaluationTables(), func(run *run) error {
		client := &run.doc.Client
		missing := run.missing(map[string]bool{"harness": client.Harness != "", "engine_version": run.doc.EngineVersion != ""})
		sw := newSweep(run, needs{formulas: operatingMetrics, oneOf: operatingMetrics})
		document, values := evaluationDocument(run, sw)
		unexpressed := append(missing, sw.unexpressed...)
		held := len(missing) == 0 && len(sw.levels) > 0
		out.leave(run.doc.Name, unexpressed, held)
		if !held {
			return nil
		}
		out.hold(len(sw.levels), values)
		return writeDocuments(create, run.doc.Name+".yaml", document)
	})
}

// evaluationDocument is the document and how many measured values it holds.
func evaluationDocument(r *run, sw *sweep) (document *mapping, values int) {
	m := newMapping()
	m.text("kind", "EvaluationRun")
	m.text("name", r.doc.Name)
	m.text("scenario", r.doc.Name)
	m.text("harness", r.doc.Client.Harness)
	m.text("harness_version", r.doc.Client.HarnessVersion)
	m.text("engine_version", r.doc.EngineVersion)
	m.text("date", r.measuredOn)
	points := m.list("points")
	fractions := map[string][]string{}
	for i := range sw.levels {
		l := &sw.levels[i]
		values += len(l.means)
		point := points.mapping()
		point.whole("concurrency", l.Concurrency)
		point.whole("completed_requests", l.Completed)
		point.number("output_tokens_per_sec", l.mean("output_throughput"))
		point.number("input_tokens_per_sec", l.mean("input_throughput"))
		point.number("ttft_ms", l.mean("ttft"))
		point.number("itl_ms", l.mean("itl"))
		point.number("e2e_ms", l.mean("e2el"))
		for _, length := range []struct {
			key  string
			mean *float64
		}{{"mean_isl", l.MeanISL}, {"mean_osl", l.MeanOSL}} {
			point.whole(length.key, count(length.mean))
			if length.mean != nil && count(length.mean) == nil {
				fractions[length.key] = append(fractions[length.key], l.ID)
			}
		}
		point.number("kv_utilization", l.KVUtilization)
		point.number("prefix_cache_hit_rate", l.PrefixHitRate)
		point.whole("preemptions", l.Preemptions)
	}
	for _, key := range []string{"mean_isl", "mean_osl"} {
		sw.leavePoints(fractions[key], "not_whole", key+" is an integer in the format and has a fraction in the run")
	}
	sw.sort()
	return m, values
}
