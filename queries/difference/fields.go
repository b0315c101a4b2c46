package difference

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// sheet is a run written out: all it states, and the labels of the elements
// that are known by an identity, in their order.
type sheet struct {
	fields                    []field
	points, provenance, diffs []string
}

// field is a key of a document with its value.
type field struct {
	path   string
	value  any    // string, int64, float64 or bool
	point  string // the label of the load level, "" outside points
	metric string // of a measured value, else ""
}

func (s *sheet) byPath() map[string]int {
	at := make(map[string]int, len(s.fields))
	for i := range s.fields {
		at[s.fields[i].path] = i
	}
	return at
}

// block is a mapping of the document that is being written out.
type block struct {
	sheet *sheet
	path  string // "" for the document
	point string
}

func (b block) at(key string) string {
	if b.path == "" {
		return key
	}
	return b.path + "." + key
}

func (b block) add(key string, value any) {
	b.sheet.fields = append(b.sheet.fields, field{path: b.at(key), value: value, point: b.point})
}

// text writes a string, which is not stated when it is empty.
func (b block) text(key, v string) {
	if v != "" {
		b.add(key, v)
	}
}

// texts writes a list of strings, whose elements are text also when empty.
func (b block) texts(key string, list []string) {
	for i, v := range list {
		b.add(fmt.Sprintf("%s[%d]", key, i), v)
	}
}

// stated writes what may be unstated.
func stated[T int64 | float64 | bool](b block, key string, v *T) {
	if v != nil {
		b.add(key, *v)
	}
}

// atLeastOne writes an integer that a document states as 1 or more: 0 is a run
// from elsewhere that does not state it.
func (b block) atLeastOne(key string, v int64) {
	if v != 0 {
		b.add(key, v)
	}
}

// mapping is the mapping at a key.
func (b block) mapping(key string) block {
	b.path = b.at(key)
	return b
}

// element is the mapping in a list.
func (b block) element(key, label string) block {
	b.path = b.at(key) + "[" + label + "]"
	return b
}

// position is the element of a list that has no identity.
func (b block) position(key string, i int) block { return b.element(key, strconv.Itoa(i)) }

// present is the value of a mapping that is there and may have no key.
const present = "{}"

// fieldsOf writes a run out: everything that its document can state, in the
// order of the specification, what stands under names sorted by name. The text
// of a number is no field, and the kind of a document is always the same.
func fieldsOf(r *record.Run) *sheet {
	s := &sheet{}
	b := block{sheet: s}
	b.text("name", r.Name)
	b.atLeastOne("schema_version", r.SchemaVersion)
	b.mapping("source").source(&r.Source)
	b.text("model", r.Model)
	b.text("engine_version", r.EngineVersion)
	if r.Cluster != nil {
		b.mapping("cluster").cluster(r.Cluster)
	}
	if r.Deployment != nil {
		b.mapping("deployment").deployment(r.Deployment)
	}
	if r.Router != nil {
		b.mapping("router").router(r.Router)
	}
	if r.Workload != nil {
		b.mapping("workload").workload(r.Workload)
	}
	b.mapping("client").client(&r.Client)
	b.metricDefs(r.MetricDefs)
	b.points(r.Points)
	b.provenance(r.Provenance)
	b.diff(r.Diff)
	b.text("verdict", r.Verdict)
	b.text("resolution", r.Resolution)
	b.text("duplicate_of", r.DuplicateOf)
	b.text("supersedes", r.Supersedes)
	return s
}

func (b block) source(s *record.Source) {
	b.text("kind", s.Kind)
	adapter := b.mapping("adapter")
	adapter.text("name", s.Adapter.Name)
	adapter.text("version", s.Adapter.Version)
	adapter.text("sha256", s.Adapter.SHA256)
	for i := range s.Inputs {
		in, v := b.position("inputs", i), &s.Inputs[i]
		in.text("role", v.Role)
		in.text("url", v.URL)
		in.text("repo", v.Repo)
		in.text("commit", v.Commit)
		in.text("path", v.Path)
		in.text("git_blob", v.GitBlob)
		stated(in, "size", v.Size)
		in.text("sha256", v.SHA256)
		in.text("fetched_utc", v.FetchedUTC)
		in.text("note", v.Note)
	}
	extraction := b.mapping("extraction")
	extraction.text("method", s.Extraction.Method)
	extraction.texts("selectors", s.Extraction.Selectors)
	stated(extraction, "label_verified", s.Extraction.LabelVerified)
	b.text("retrieved_utc", s.RetrievedUTC)
	b.text("license_ref", s.LicenseRef)
}

func (b block) cluster(c *record.Cluster) {
	b.text("hardware", c.Hardware)
	b.atLeastOne("nodes", c.Nodes)
	b.atLeastOne("gpus_per_node", c.GPUsPerNode)
	b.text("fabric", c.Fabric)
	stated(b, "gpus_per_rack", c.GPUsPerRack)
	b.texts("storage", c.Storage)
}

func (b block) deployment(d *record.Deployment) {
	b.text("name", d.Name)
	for i := range d.Pools {
		pool, v := b.position("pools", i), &d.Pools[i]
		pool.text("role", v.Role)
		pool.atLeastOne("nodes", v.Nodes)
		pool.mapping("parallel").parallel(&v.Parallel)
		pool.mapping("engine").settings(v.Settings)
	}
	if o := d.Offload; o != nil {
		b.add("offload", present)
		offload := b.mapping("offload")
		for i := range o.Tiers {
			tier := offload.position("tiers", i)
			tier.text("tier", o.Tiers[i].Tier)
			tier.atLeastOne("bytes", o.Tiers[i].Bytes)
		}
		offload.text("eviction_policy", o.EvictionPolicy)
		stated(offload, "prefetch_depth", o.PrefetchDepth)
		offload.text("connector", o.Connector)
		offload.text("spec", o.Spec)
	}
	if d.PDTransfer != nil {
		b.add("pd_transfer", present)
		b.mapping("pd_transfer").text("connector", d.PDTransfer.Connector)
	}
}

func (b block) parallel(p *record.Parallel) {
	b.atLeastOne("tp", p.TP)
	b.atLeastOne("pp", p.PP)
	b.atLeastOne("dp", p.DP)
	stated(b, "dp_local", p.DPLocal)
	stated(b, "pcp", p.PCP)
	stated(b, "dcp", p.DCP)
	stated(b, "enable_expert_parallel", p.EnableExpertParallel)
}

func (b block) settings(settings []record.Setting) {
	for _, s := range sortedBy(settings, func(s record.Setting) string { return s.Name }) {
		b.add(s.Name, s.Value)
	}
}

func (b block) router(r *record.Router) {
	b.text("kind", r.Kind)
	if r.EPP == nil {
		return
	}
	epp := b.mapping("epp")
	epp.text("version", r.EPP.Version)
	epp.text("image", r.EPP.Image)
	config := epp.mapping("config")
	config.text("path", r.EPP.ConfigPath)
	config.text("sha256", r.EPP.ConfigSHA256)
	epp.text("flow_control", r.EPP.FlowControl)
}

func (b block) workload(w *record.Workload) {
	b.text("shape", w.Shape)
	t := w.Trace
	if t == nil {
		return
	}
	trace := b.mapping("trace")
	trace.text("data", t.Data)
	trace.text("sha256", t.SHA256)
	stated(trace, "rows", t.Rows)
	header := trace.mapping("header")
	header.add("trace_version", t.TraceVersion)
	header.text("time_unit", t.TimeUnit)
	header.text("mode", t.Mode)
	stated(header, "workload_seed", t.WorkloadSeed)
	if s := t.Server; s != nil { // one that states nothing is none
		server := header.mapping("server")
		server.text("type", s.Type)
		server.text("model", s.Model)
		stated(server, "tensor_parallel", s.TensorParallel)
		stated(server, "max_num_seqs", s.MaxNumSeqs)
		stated(server, "block_size", s.BlockSize)
		stated(server, "max_model_len", s.MaxModelLen)
		stated(server, "gpu_memory_utilization", s.GPUMemoryUtilization)
	}
	for _, s := range sortedBy(t.SLOTargets, func(s record.SLOTarget) string { return s.Class }) {
		target := header.mapping("goodput_slo_targets").mapping(s.Class)
		stated(target, "ttft_ms", s.TTFTMs)
		stated(target, "itl_ms", s.ITLMs)
		stated(target, "e2e_ms", s.E2EMs)
	}
}

func (b block) client(c *record.Client) {
	b.text("harness", c.Harness)
	b.text("harness_version", c.HarnessVersion)
	b.text("image_digest", c.ImageDigest)
	b.texts("command", c.Command)
	stated(b, "seed", c.Seed)
	stated(b, "num_prompts", c.NumPrompts)
	stated(b, "burstiness", c.Burstiness)
	if r := c.RampUp; r != nil {
		ramp := b.mapping("ramp_up")
		ramp.text("strategy", r.Strategy)
		ramp.add("start", r.Start)
		ramp.add("end", r.End)
	}
	stated(b, "num_warmups", c.NumWarmups)
	stated(b, "ignore_eos", c.IgnoreEOS)
	b.text("endpoint", c.Endpoint)
	if t := c.Tokenizer; t != nil {
		tokenizer := b.mapping("tokenizer")
		tokenizer.text("repo", t.Repo)
		tokenizer.text("revision", t.Revision)
		tokenizer.text("sha256", t.SHA256)
		tokenizer.text("mode", t.Mode)
	}
	stated(b, "duration_s", c.DurationS)
	stated(b, "grace_s", c.GraceS)
}

func (b block) metricDefs(defs []record.MetricDef) {
	for _, d := range sortedBy(defs, func(d record.MetricDef) string { return d.Name }) {
		def := b.mapping("metric_defs").mapping(d.Name)
		def.text("formula", d.Formula)
		def.text("statistic", d.Statistic)
		def.text("population", d.Population)
		def.text("denominator", d.Denominator)
		def.text("clock", d.Clock)
		def.text("start_event", d.StartEvent)
		def.text("stop_event", d.StopEvent)
		def.text("output_len_source", d.OutputLenSource)
		stated(def, "reasoning_counted_as_content", d.ReasoningCountedAsContent)
		def.text("percentile_method", d.PercentileMethod)
		def.text("unit", d.Unit)
		def.text("gpu_scope", d.GPUScope) // only of InferenceX: a document has no key for it
		def.text("cite", d.Cite)
	}
}

func (b block) points(points []record.Point) {
	b.sheet.points = labels(points, func(p *record.Point) string { return p.ID })
	for i := range points {
		p := &points[i]
		point := b.element("points", b.sheet.points[i])
		point.point = b.sheet.points[i]
		load := point.mapping("load")
		stated(load, "concurrency", p.Concurrency)
		stated(load, "request_rate", p.RequestRate)
		point.mapping("metrics").values(p.Metrics)
		stated(point, "completed", p.Completed)
		stated(point, "failed", p.Failed)
		realized := point.mapping("realized")
		stated(realized, "mean_isl", p.MeanISL)
		stated(realized, "mean_osl", p.MeanOSL)
		stated(point, "kv_utilization", p.KVUtilization)
		stated(point, "prefix_hit_rate", p.PrefixHitRate)
		stated(point, "preemptions", p.Preemptions)
		noise := point.mapping("noise")
		stated(noise, "seeds", p.NoiseSeeds)
		stated(noise, "cv", p.NoiseCV)
	}
}

func (b block) values(values []record.Value) {
	for _, v := range sortedBy(values, func(v record.Value) string { return v.Metric }) {
		metric := b.mapping(v.Metric)
		metric.add("value", v.Value)
		b.sheet.fields[len(b.sheet.fields)-1].metric = v.Metric
		metric.text("report_label", v.ReportLabel)
		metric.text("raw_key", v.RawKey)
		stated(metric, "label_verified", v.LabelVerified)
	}
}

func (b block) provenance(rows []record.Provenance) {
	b.sheet.provenance = labels(rows, func(p *record.Provenance) string { return p.Setting })
	for i := range rows {
		p := &rows[i]
		row := b.element("provenance", b.sheet.provenance[i])
		row.mapping("report").statement(p.Report)
		row.mapping("script").statement(p.Script)
		row.mapping("artifact").statement(p.Artifact)
		row.mapping("blis").statement(p.BLIS)
		row.text("verdict", p.Verdict)
		row.text("resolved_by", p.ResolvedBy)
		row.text("material", p.Material)
		row.text("bound", p.Bound)
		row.text("note", p.Note)
	}
}

// statement writes what a source states of a setting; one without a value
// states nothing.
func (b block) statement(s *record.Stated) {
	if s == nil || s.Value == "" {
		return
	}
	b.text("value", s.Value)
	b.text("ref", s.Ref)
	b.text("commit", s.Commit)
}

func (b block) diff(rows []record.Diff) {
	b.sheet.diffs = labels(rows, func(d *record.Diff) string { return d.Path })
	for i := range rows {
		d := &rows[i]
		row := b.element("diff", b.sheet.diffs[i])
		row.text("measured", d.Measured)
		row.text("blis", d.BLIS)
		row.text("kind", d.Kind)
		stated(row, "removable", d.Removable)
		row.text("owner_repo", d.OwnerRepo)
		row.text("material", d.Material)
		row.text("bound", d.Bound)
		row.text("issue", d.Issue)
	}
}

// labels are the identities of a list's elements as paths have them: quoted
// where they would not be told from the path around them, the second of the
// same name with #2.
func labels[T any](list []T, identity func(*T) string) []string {
	all := make([]string, len(list))
	used := make(map[string]bool, len(list))
	for i := range list {
		label := identity(&list[i])
		if label == "" || strings.ContainsAny(label, `[]"`) || strings.ContainsFunc(label, unicode.IsControl) {
			label = strconv.Quote(label)
		}
		unique := label
		for n := 2; used[unique]; n++ {
			unique = label + "#" + strconv.Itoa(n)
		}
		used[unique] = true
		all[i] = unique
	}
	return all
}

// sortedBy is a list in the order of its elements' names.
func sortedBy[T any](list []T, name func(T) string) []T {
	sorted := slices.Clone(list)
	slices.SortStableFunc(sorted, func(a, b T) int { return cmp.Compare(name(a), name(b)) })
	return sorted
}
