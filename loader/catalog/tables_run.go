package catalog

import (
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// The tables of a MeasuredRun, in the order of its specification, Keys.

var runTable = table[record.Run]{
	text("kind", required, func(*record.Run) *string { return new(string) }),
	text("name", required, func(v *record.Run) *string { return &v.Name }, slug),
	whole("schema_version", func(v *record.Run) *int64 { return &v.SchemaVersion }, schemaVersion),
	mapping("source", required, sourceTable, func(v *record.Run) *record.Source { return &v.Source }),
	text("model", optional, func(v *record.Run) *string { return &v.Model }),
	text("engine_version", optional, func(v *record.Run) *string { return &v.EngineVersion }),
	optMapping("cluster", clusterTable, func(v *record.Run) **record.Cluster { return &v.Cluster }),
	optMapping("deployment", deploymentTable, func(v *record.Run) **record.Deployment { return &v.Deployment }),
	optMapping("router", routerTable, func(v *record.Run) **record.Router { return &v.Router }),
	optMapping("workload", workloadTable, func(v *record.Run) **record.Workload { return &v.Workload }),
	mapping("client", required, clientTable, func(v *record.Run) *record.Client { return &v.Client }),
	named("metric_defs", required, false, metricDefTable, func(v *record.Run) *[]record.MetricDef { return &v.MetricDefs },
		func(v *record.MetricDef) *string { return &v.Name }),
	list("points", required, true, pointTable, func(v *record.Run) *[]record.Point { return &v.Points }),
	list("provenance", optional, false, provenanceTable, func(v *record.Run) *[]record.Provenance { return &v.Provenance }),
	list("diff", optional, false, diffTable, func(v *record.Run) *[]record.Diff { return &v.Diff }),
	text("verdict", optional, func(v *record.Run) *string { return &v.Verdict }, oneOf(vocabVerdict)),
	text("resolution", optional, func(v *record.Run) *string { return &v.Resolution }, oneOf(vocabResolution)),
	text("duplicate_of", optional, func(v *record.Run) *string { return &v.DuplicateOf }, slug),
	text("supersedes", optional, func(v *record.Run) *string { return &v.Supersedes }, slug),
}

func schemaVersion(x int64) (string, string) {
	if x != 1 {
		return RuleSchemaVersion, "the version is 1"
	}
	return "", ""
}

var sourceTable = table[record.Source]{
	text("kind", required, func(v *record.Source) *string { return &v.Kind }, oneOf(vocabSourceKind)),
	mapping("adapter", required, adapterTable, func(v *record.Source) *record.Adapter { return &v.Adapter }),
	list("inputs", required, true, inputTable, func(v *record.Source) *[]record.Input { return &v.Inputs }),
	mapping("extraction", required, extractionTable, func(v *record.Source) *record.Extraction { return &v.Extraction }),
	text("retrieved_utc", optional, func(v *record.Source) *string { return &v.RetrievedUTC }, timestamp),
	text("license_ref", required, func(v *record.Source) *string { return &v.LicenseRef }, slug),
}

var adapterTable = table[record.Adapter]{
	text("name", required, func(v *record.Adapter) *string { return &v.Name }),
	text("version", required, func(v *record.Adapter) *string { return &v.Version }),
	text("sha256", required, func(v *record.Adapter) *string { return &v.SHA256 }, digest),
}

var inputTable = table[record.Input]{
	text("role", required, func(v *record.Input) *string { return &v.Role }, oneOf(vocabInputRole)),
	text("url", optional, func(v *record.Input) *string { return &v.URL }, webURL),
	text("repo", optional, func(v *record.Input) *string { return &v.Repo }),
	text("commit", optional, func(v *record.Input) *string { return &v.Commit }),
	text("path", optional, func(v *record.Input) *string { return &v.Path }),
	text("git_blob", optional, func(v *record.Input) *string { return &v.GitBlob }),
	optWhole("size", func(v *record.Input) **int64 { return &v.Size }, atLeast(0)),
	text("sha256", required, func(v *record.Input) *string { return &v.SHA256 }, digest),
	text("fetched_utc", optional, func(v *record.Input) *string { return &v.FetchedUTC }, timestamp),
	text("note", optional, func(v *record.Input) *string { return &v.Note }),
}

var extractionTable = table[record.Extraction]{
	text("method", required, func(v *record.Extraction) *string { return &v.Method }, oneOf(vocabMethod)),
	texts("selectors", optional, func(v *record.Extraction) *[]string { return &v.Selectors }),
	flag("label_verified", func(v *record.Extraction) **bool { return &v.LabelVerified }),
}

var clientTable = table[record.Client]{
	text("harness", optional, func(v *record.Client) *string { return &v.Harness }),
	text("harness_version", optional, func(v *record.Client) *string { return &v.HarnessVersion }),
	text("image_digest", optional, func(v *record.Client) *string { return &v.ImageDigest }, imageDigest),
	texts("command", optional, func(v *record.Client) *[]string { return &v.Command }),
	optWhole("seed", func(v *record.Client) **int64 { return &v.Seed }),
	optWhole("num_prompts", func(v *record.Client) **int64 { return &v.NumPrompts }, atLeast(0)),
	optNumber("burstiness", func(v *record.Client) **float64 { return &v.Burstiness }, positive),
	optMapping("ramp_up", rampUpTable, func(v *record.Client) **record.RampUp { return &v.RampUp }),
	optWhole("num_warmups", func(v *record.Client) **int64 { return &v.NumWarmups }, atLeast(0)),
	flag("ignore_eos", func(v *record.Client) **bool { return &v.IgnoreEOS }),
	text("endpoint", optional, func(v *record.Client) *string { return &v.Endpoint }),
	optMapping("tokenizer", tokenizerTable, func(v *record.Client) **record.Tokenizer { return &v.Tokenizer }),
	optNumber("duration_s", func(v *record.Client) **float64 { return &v.DurationS }, positive),
	optNumber("grace_s", func(v *record.Client) **float64 { return &v.GraceS }, notNegative),
}

var rampUpTable = table[record.RampUp]{
	text("strategy", required, func(v *record.RampUp) *string { return &v.Strategy }, oneOf(vocabRamp)),
	number("start", func(v *record.RampUp) *float64 { return &v.Start }, notNegative),
	number("end", func(v *record.RampUp) *float64 { return &v.End }, notNegative),
}

var tokenizerTable = table[record.Tokenizer]{
	text("repo", required, func(v *record.Tokenizer) *string { return &v.Repo }),
	text("revision", optional, func(v *record.Tokenizer) *string { return &v.Revision }),
	text("sha256", optional, func(v *record.Tokenizer) *string { return &v.SHA256 }, digest),
	text("mode", optional, func(v *record.Tokenizer) *string { return &v.Mode }),
}

var metricDefTable = table[record.MetricDef]{
	text("formula", optional, func(v *record.MetricDef) *string { return &v.Formula }, isFormula),
	text("statistic", optional, func(v *record.MetricDef) *string { return &v.Statistic }, statistic()),
	text("population", optional, func(v *record.MetricDef) *string { return &v.Population }, oneOf(vocabPopulation)),
	text("denominator", optional, func(v *record.MetricDef) *string { return &v.Denominator }, oneOf(vocabDenominator)),
	text("clock", optional, func(v *record.MetricDef) *string { return &v.Clock }, oneOf(vocabClock)),
	text("start_event", optional, func(v *record.MetricDef) *string { return &v.StartEvent }, oneOf(vocabStartEvent)),
	text("stop_event", optional, func(v *record.MetricDef) *string { return &v.StopEvent }, oneOf(vocabStopEvent)),
	text("output_len_source", optional, func(v *record.MetricDef) *string { return &v.OutputLenSource }, oneOf(vocabOutputLen)),
	flag("reasoning_counted_as_content", func(v *record.MetricDef) **bool { return &v.ReasoningCountedAsContent }),
	text("percentile_method", optional, func(v *record.MetricDef) *string { return &v.PercentileMethod }, oneOf(vocabPercentileMethod)),
	text("unit", required, func(v *record.MetricDef) *string { return &v.Unit }, oneOf(vocabUnit)),
	text("cite", required, func(v *record.MetricDef) *string { return &v.Cite }),
}

// The record keeps a point flat: load, realized and noise are read into the
// point itself.

func same(v *record.Point) *record.Point { return v }

var pointTable = table[record.Point]{
	text("id", required, func(v *record.Point) *string { return &v.ID }),
	mapping("load", required, loadTable, same),
	named("metrics", required, true, valueTable, func(v *record.Point) *[]record.Value { return &v.Metrics },
		func(v *record.Value) *string { return &v.Metric }),
	optWhole("completed", func(v *record.Point) **int64 { return &v.Completed }, atLeast(0)),
	optWhole("failed", func(v *record.Point) **int64 { return &v.Failed }, atLeast(0)),
	mapping("realized", optional, realizedTable, same),
	optNumber("kv_utilization", func(v *record.Point) **float64 { return &v.KVUtilization }, fraction),
	optNumber("prefix_hit_rate", func(v *record.Point) **float64 { return &v.PrefixHitRate }, fraction),
	optWhole("preemptions", func(v *record.Point) **int64 { return &v.Preemptions }, atLeast(0)),
	mapping("noise", optional, noiseTable, same),
}

var loadTable = table[record.Point]{
	optWhole("concurrency", func(v *record.Point) **int64 { return &v.Concurrency }, atLeast(1)),
	optNumber("request_rate", func(v *record.Point) **float64 { return &v.RequestRate }, positive),
}

var realizedTable = table[record.Point]{
	optNumber("mean_isl", func(v *record.Point) **float64 { return &v.MeanISL }, notNegative),
	optNumber("mean_osl", func(v *record.Point) **float64 { return &v.MeanOSL }, notNegative),
}

var noiseTable = table[record.Point]{
	must(optWhole("seeds", func(v *record.Point) **int64 { return &v.NoiseSeeds }, atLeast(2))),
	must(optNumber("cv", func(v *record.Point) **float64 { return &v.NoiseCV }, notNegative)),
}

// must makes a key required whose record can be unstated.
func must[T any](k key[T]) key[T] {
	k.required = true
	return k
}

var valueTable = table[record.Value]{
	measured("value"),
	text("report_label", optional, func(v *record.Value) *string { return &v.ReportLabel }),
	text("raw_key", optional, func(v *record.Value) *string { return &v.RawKey }),
	flag("label_verified", func(v *record.Value) **bool { return &v.LabelVerified }),
}

// measured is the key of a measured value: the number and its text, which
// comparisons of runs convert decimally.
func measured(name string) key[record.Value] {
	return key[record.Value]{name, required, func(r *reader, e *entry, n *yaml.Node, v *record.Value) state {
		x, st := r.number(e.spot, n, []numberCheck{notNegative})
		if st == stated {
			v.Value, v.Text = x, n.Value
			if x == 0 {
				v.Text = strings.TrimPrefix(n.Value, "-")
			}
		}
		return st
	}}
}

var provenanceTable = table[record.Provenance]{
	text("setting", required, func(v *record.Provenance) *string { return &v.Setting }),
	optMapping("report", statedTable, func(v *record.Provenance) **record.Stated { return &v.Report }),
	optMapping("script", statedTable, func(v *record.Provenance) **record.Stated { return &v.Script }),
	optMapping("artifact", statedTable, func(v *record.Provenance) **record.Stated { return &v.Artifact }),
	optMapping("blis", blisTable, func(v *record.Provenance) **record.Stated { return &v.BLIS }),
	text("verdict", required, func(v *record.Provenance) *string { return &v.Verdict }, oneOf(vocabProvenance)),
	text("resolved_by", optional, func(v *record.Provenance) *string { return &v.ResolvedBy }),
	text("material", required, func(v *record.Provenance) *string { return &v.Material }, oneOf(vocabMaterial)),
	text("bound", optional, func(v *record.Provenance) *string { return &v.Bound }),
	text("note", optional, func(v *record.Provenance) *string { return &v.Note }),
}

var (
	statedTable = sourceOfSetting(required)
	blisTable   = sourceOfSetting(optional)
)

func sourceOfSetting(ref bool) table[record.Stated] {
	return table[record.Stated]{
		text("value", required, func(v *record.Stated) *string { return &v.Value }),
		text("ref", ref, func(v *record.Stated) *string { return &v.Ref }),
		text("commit", optional, func(v *record.Stated) *string { return &v.Commit }),
	}
}

var diffTable = table[record.Diff]{
	text("path", required, func(v *record.Diff) *string { return &v.Path }),
	text("measured", optional, func(v *record.Diff) *string { return &v.Measured }),
	text("blis", optional, func(v *record.Diff) *string { return &v.BLIS }),
	text("kind", required, func(v *record.Diff) *string { return &v.Kind }, oneOf(vocabDiffKind)),
	flag("removable", func(v *record.Diff) **bool { return &v.Removable }),
	text("owner_repo", optional, func(v *record.Diff) *string { return &v.OwnerRepo }),
	text("material", required, func(v *record.Diff) *string { return &v.Material }, oneOf(vocabMaterial)),
	text("bound", optional, func(v *record.Diff) *string { return &v.Bound }),
	text("issue", optional, func(v *record.Diff) *string { return &v.Issue }),
}
