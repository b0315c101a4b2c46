package catalog

import (
	"github.com/inference-sim/blis-warehouse/store/record"
)

// checker applies the rules that join several keys of a document whose single
// values are read. It asks the blocks which values were refused, and accuses
// nothing that depends on them.
type checker struct {
	problems *problems
}

// run checks a MeasuredRun after its specification, Checks.
func (c *checker) run(root *block, v *record.Run) {
	c.source(root.child("source"), &v.Source)
	if v.Cluster != nil {
		c.cluster(root.child("cluster"), v.Cluster)
	}
	if v.Deployment != nil {
		c.deployment(root.child("deployment"), v.Deployment)
		if v.Cluster != nil {
			c.fit(root, v)
		}
	}
	if v.Router != nil {
		c.router(root.child("router"), v.Router)
	}
	if v.Workload != nil {
		c.workload(root.child("workload"), v.Workload)
	}
	for i := range v.MetricDefs {
		c.metricDef(root.child("metric_defs").child(v.MetricDefs[i].Name), &v.MetricDefs[i])
	}
	c.points(root, v.Points)
	c.provenance(root, v.Provenance)
	for i, el := range root.list("diff") {
		if el.block != nil {
			c.diff(el.block, &v.Diff[i])
		}
	}
	if v.Verdict == "EXACT" && !root.stated("resolution") && !root.refused("resolution") {
		c.problems.missing(root, "resolution", " with verdict EXACT: STRICT or RESOLVED")
	}
	for key, named := range map[string]string{"duplicate_of": v.DuplicateOf, "supersedes": v.Supersedes} {
		if root.stated("name", key) && named == v.Name {
			c.problems.refuse(root.at(key), RuleSelfReference, "names the run itself; another run is expected")
		}
	}
}

func (c *checker) source(b *block, v *record.Source) {
	if !b.stated("inputs") {
		return
	}
	report := false
	for i, el := range b.list("inputs") {
		in := el.block
		if in == nil || !in.stated("role") {
			report = true // unknown: accuse nobody
		} else if v.Inputs[i].Role == "report" {
			report = true
		}
		if in != nil && !in.stated("url") && !in.stated("path") && !in.refused("url", "path") {
			c.problems.refuse(in.spot, RuleInputLocation, "neither url nor path; one of them is required")
		}
	}
	if !report {
		c.problems.refuse(b.at("inputs"), RuleReportInput, "no input has the role report; at least one is required")
	}
}

func (c *checker) router(b *block, v *record.Router) {
	switch {
	case !b.stated("kind") || b.refused("epp"):
	case v.Kind == "epp" && v.EPP == nil:
		c.problems.missing(b, "epp", " with kind epp")
	case v.Kind == "direct" && v.EPP != nil:
		c.problems.refuse(b.at("epp"), RuleNotAllowed, "not allowed with kind direct")
	}
}

func (c *checker) workload(b *block, v *record.Workload) {
	if b.refused("shape", "trace") {
		return
	}
	if b.stated("shape") == b.stated("trace") {
		c.problems.refuse(b.spot, RuleShapeOrTrace, "exactly one of shape and trace is required")
	}
	if v.Trace == nil {
		return
	}
	targets := b.child("trace").child("header").child("goodput_slo_targets")
	for _, t := range v.Trace.SLOTargets {
		class := targets.child(t.Class)
		if class.refused("ttft_ms", "itl_ms", "e2e_ms") || above(t.TTFTMs) || above(t.ITLMs) || above(t.E2EMs) {
			continue
		}
		c.problems.refuse(class.spot, RuleSLOTarget, "no target; at least one of ttft_ms, itl_ms and e2e_ms above 0 is required")
	}
}

// above reports a stated number above zero.
func above(x *float64) bool { return x != nil && *x > 0 }

// metricDef checks a definition: a throughput takes a denominator and no
// statistic, a latency the reverse; an unstated formula allows either.
func (c *checker) metricDef(b *block, v *record.MetricDef) {
	if f := formulaOf(v.Formula); f != nil {
		switch {
		case f.Kind == Throughput && b.stated("statistic"):
			c.problems.refuse(b.at("statistic"), RuleThroughputStatistic, "not allowed: %s is a throughput", f.Name)
			b.refuse("statistic")
		case f.Kind == Latency && b.stated("denominator"):
			c.problems.refuse(b.at("denominator"), RuleLatencyDenominator, "not allowed: %s is a latency", f.Name)
		}
		if b.stated("unit") && v.Unit != f.Unit {
			c.problems.refuse(b.at("unit"), RuleUnit, "%s is not the unit of %s: %s", v.Unit, f.Name, f.Unit)
		}
	}
	if b.stated("statistic") && isPercentile(v.Statistic) && !b.stated("percentile_method") && !b.refused("percentile_method") {
		c.problems.missing(b, "percentile_method", " with a percentile: numpy_linear")
	}
}

// points checks the load levels against each other and against the definitions.
func (c *checker) points(root *block, points []record.Point) {
	ids := map[string]int{}
	defs := root.child("metric_defs")
	for i, el := range root.list("points") {
		b := el.block
		if b == nil {
			continue
		}
		if b.stated("id") {
			if first, twice := ids[points[i].ID]; twice {
				c.problems.refuse(b.at("id"), RuleDuplicate, "the id of points[%d]; ids are unique within a run", first)
			} else {
				ids[points[i].ID] = i
			}
		}
		if load := b.child("load"); load != nil && !load.stated("concurrency") && !load.stated("request_rate") && !load.refused("concurrency", "request_rate") {
			c.problems.refuse(load.spot, RuleLoad, "no load; concurrency, request_rate or both are required")
		}
		if metrics := b.child("metrics"); metrics != nil && defs != nil {
			c.defined(metrics, defs)
		}
	}
	c.loads(root.list("points"), points)
}

// defined checks that every metric of a point has a definition.
func (c *checker) defined(metrics, defs *block) {
	for i := range metrics.entries {
		e := &metrics.entries[i]
		if e.state == absent || e.key == "" {
			continue
		}
		if d := defs.find(e.key); d == nil || d.state == absent {
			c.problems.refuse(e.spot, RuleUndefinedMetric, "the metric has no definition in metric_defs")
		}
	}
}

// loads checks that points use the same load keys and increase strictly: no
// key decreases from one point to the next, and at least one increases.
func (c *checker) loads(list []element, points []record.Point) {
	var usable []int
	modes := map[string]int{}
	for i, el := range list {
		load := el.block.child("load")
		if load != nil && !load.refused("concurrency", "request_rate") && mode(&points[i]) != "" {
			usable = append(usable, i)
			modes[mode(&points[i])]++
		}
	}
	if len(usable) == 0 {
		return
	}
	common := mode(&points[usable[0]]) // the first of the most frequent
	for _, i := range usable {
		if m := mode(&points[i]); modes[m] > modes[common] {
			common = m
		}
	}
	previous := -1
	for _, i := range usable {
		at := list[i].block.at("load")
		if m := mode(&points[i]); m != common {
			c.problems.refuse(at, RuleLoadMode, "states %s, other points %s; every point uses the same", m, common)
			continue
		}
		if previous >= 0 && !increases(&points[previous], &points[i]) {
			c.problems.refuse(at, RuleLoadOrder, "not above the load of points[%d]; no load may decrease from point to point and one must increase", previous)
		}
		previous = i
	}
}

// mode names the load keys that a point states.
func mode(p *record.Point) string {
	switch {
	case p.Concurrency != nil && p.RequestRate != nil:
		return "concurrency and request_rate"
	case p.Concurrency != nil:
		return "concurrency"
	case p.RequestRate != nil:
		return "request_rate"
	}
	return ""
}

// increases reports that the load of b is above that of a, which states the
// same keys.
func increases(a, b *record.Point) bool {
	up := false
	if a.Concurrency != nil {
		if *b.Concurrency < *a.Concurrency {
			return false
		}
		up = *b.Concurrency > *a.Concurrency
	}
	if a.RequestRate != nil {
		if *b.RequestRate < *a.RequestRate {
			return false
		}
		up = up || *b.RequestRate > *a.RequestRate
	}
	return up
}

func (c *checker) provenance(root *block, rows []record.Provenance) {
	settings := map[string]int{}
	for i, el := range root.list("provenance") {
		b := el.block
		if b == nil {
			continue
		}
		v := &rows[i]
		if b.stated("setting") {
			if first, twice := settings[v.Setting]; twice {
				c.problems.refuse(b.at("setting"), RuleDuplicate, "the setting of provenance[%d]; settings are unique within a run", first)
			} else {
				settings[v.Setting] = i
			}
		}
		if b.stated("verdict") && v.Verdict != "UNSTATED" && b.stated("resolved_by") {
			c.problems.refuse(b.at("resolved_by"), RuleNotAllowed, "not allowed with verdict %s; only UNSTATED rows are resolved", v.Verdict)
		}
		c.bound(b, v.Material)
		c.support(b, v)
	}
}

// support counts the sources of a row. Values are not compared, save for a
// warning where they contradict the verdict as text.
func (c *checker) support(b *block, v *record.Provenance) {
	if !b.stated("verdict") || b.refused("report", "script", "artifact", "blis") {
		return
	}
	outside := 0 // sources other than BLIS
	for _, s := range []*record.Stated{v.Report, v.Script, v.Artifact} {
		if s != nil {
			outside++
		}
	}
	all := outside
	if v.BLIS != nil {
		all++
	}
	refuse := func(allowed string) {
		c.problems.refuse(b.at("verdict"), RuleProvenanceSupport, "the sources do not support %s, which needs %s", v.Verdict, allowed)
	}
	switch v.Verdict {
	case "MATCH", "MISMATCH":
		if all < 2 {
			refuse("at least two of report, script, artifact and blis")
			return
		}
		c.compare(b, v)
	case "UNSTATED":
		if outside > 1 {
			refuse("at most one of report, script and artifact")
		}
	case "UNVERIFIABLE":
		if v.Report == nil || v.Script == nil || v.Artifact != nil {
			refuse("report and script and no artifact")
		}
	}
}

// compare warns where the values of a row belie its verdict.
func (c *checker) compare(b *block, v *record.Provenance) {
	var values []string
	for _, source := range []struct {
		key   string
		value *record.Stated
	}{{"report", v.Report}, {"script", v.Script}, {"artifact", v.Artifact}, {"blis", v.BLIS}} {
		if source.value == nil {
			continue
		}
		if !b.child(source.key).stated("value") {
			return
		}
		values = append(values, source.value.Value)
	}
	equal := true
	for _, x := range values {
		equal = equal && x == values[0]
	}
	switch {
	case v.Verdict == "MATCH" && !equal:
		c.problems.warn(b.at("verdict"), RuleMatchDiffers, "MATCH, but the values differ as text")
	case v.Verdict == "MISMATCH" && equal:
		c.problems.warn(b.at("verdict"), RuleMismatchEqual, "MISMATCH, but all values are equal")
	}
}

// bound checks that a bound is stated exactly when material is bounded.
func (c *checker) bound(b *block, material string) {
	switch {
	case !b.stated("material") || b.refused("bound"):
	case material == "bounded" && !b.stated("bound"):
		c.problems.missing(b, "bound", " with material bounded")
	case material != "bounded" && b.stated("bound"):
		c.problems.refuse(b.at("bound"), RuleNotAllowed, "not allowed with material %s; only bounded takes a bound", material)
	}
}

func (c *checker) diff(b *block, v *record.Diff) {
	if v.Removable != nil && *v.Removable && !b.stated("owner_repo") && !b.refused("owner_repo") {
		c.problems.missing(b, "owner_repo", " where removable is true")
	}
	c.bound(b, v.Material)
}

// need reports a key that is neither stated nor refused.
func (c *checker) need(b *block, key, why string) {
	if !b.stated(key) && !b.refused(key) {
		c.problems.missing(b, key, why)
	}
}
