package catalog

import "github.com/inference-sim/blis-warehouse/store/record"

// The tables of an EvaluationRun, after the specification of exports: what the
// evaluation harness kept of a sweep. It states means under concurrency caps
// and nothing of how they were defined, where they came from or under which
// terms. Only what makes it a run is required.

var evaluationTable = table[record.EvaluationRun]{
	text("kind", required, func(*record.EvaluationRun) *string { return new(string) }),
	text("name", required, func(v *record.EvaluationRun) *string { return &v.Name }, slug),
	text("scenario", optional, func(v *record.EvaluationRun) *string { return &v.Scenario }),
	text("harness", optional, func(v *record.EvaluationRun) *string { return &v.Harness }),
	text("harness_version", optional, func(v *record.EvaluationRun) *string { return &v.HarnessVersion }),
	text("engine_version", optional, func(v *record.EvaluationRun) *string { return &v.EngineVersion }),
	text("date", optional, func(v *record.EvaluationRun) *string { return &v.Date }, day),
	list("points", required, true, evaluationPointTable, func(v *record.EvaluationRun) *[]record.EvaluationPoint { return &v.Points }),
}

var evaluationPointTable = table[record.EvaluationPoint]{
	whole("concurrency", func(v *record.EvaluationPoint) *int64 { return &v.Concurrency }, atLeast(1)),
	optWhole("completed_requests", func(v *record.EvaluationPoint) **int64 { return &v.CompletedRequests }, atLeast(0)),
	optNumber("output_tokens_per_sec", func(v *record.EvaluationPoint) **float64 { return &v.OutputTokensPerSec }, notNegative),
	optNumber("input_tokens_per_sec", func(v *record.EvaluationPoint) **float64 { return &v.InputTokensPerSec }, notNegative),
	optNumber("ttft_ms", func(v *record.EvaluationPoint) **float64 { return &v.TTFTMs }, notNegative),
	optNumber("itl_ms", func(v *record.EvaluationPoint) **float64 { return &v.ITLMs }, notNegative),
	optNumber("e2e_ms", func(v *record.EvaluationPoint) **float64 { return &v.E2EMs }, notNegative),
	optNumber("mean_isl", func(v *record.EvaluationPoint) **float64 { return &v.MeanISL }, notNegative),
	optNumber("mean_osl", func(v *record.EvaluationPoint) **float64 { return &v.MeanOSL }, notNegative),
	optNumber("kv_utilization", func(v *record.EvaluationPoint) **float64 { return &v.KVUtilization }, fraction),
	optNumber("prefix_cache_hit_rate", func(v *record.EvaluationPoint) **float64 { return &v.PrefixCacheHitRate }, fraction),
	optWhole("preemptions", func(v *record.EvaluationPoint) **int64 { return &v.Preemptions }, atLeast(0)),
}

func readEvaluation(r *reader, root *block, doc *Document) {
	doc.Evaluation = &record.EvaluationRun{}
	readTable(r, root, evaluationTable, doc.Evaluation)
	c := &checker{problems: r.problems}
	c.evaluation(root, doc.Evaluation)
}

// evaluation checks that the loads are distinct; they may stand in any order.
func (c *checker) evaluation(root *block, v *record.EvaluationRun) {
	seen := map[int64]int{}
	for i, el := range root.list("points") {
		if !el.block.stated("concurrency") {
			continue
		}
		load := v.Points[i].Concurrency
		if first, twice := seen[load]; twice {
			c.problems.refuse(el.block.at("concurrency"), RuleDuplicate, "the concurrency of points[%d]; a load stands once", first)
			continue
		}
		seen[load] = i
	}
}
