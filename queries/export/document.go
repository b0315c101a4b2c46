package export

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/inference-sim/blis-warehouse/store"
	"github.com/inference-sim/blis-warehouse/store/record"
)

// writeCatalog writes the runs of a selection back as MeasuredRun documents, in
// the order of their names, and last the licence registry with the entries that
// they cite: the files of a catalog. The documents load to the rows that they
// were made from. What a run states as its verdict is written as it states it.
// Keys stand in the order of the specification, metrics in that of their names.
func writeCatalog(ctx context.Context, r *store.Reader, s *Selection, _ Options, create Create, out *Outcome) error {
	licences := map[string]*record.Licence{}
	err := readRuns(ctx, r, s.Runs, documentTables(), func(run *run) error {
		out.holdAll(run)
		licences[run.licence.ID] = run.licence
		path := "measurements/" + run.doc.Source.LicenseRef + "/" + run.doc.Name + ".yaml"
		return writeDocuments(create, path, runDocument(run))
	})
	if err != nil {
		return err
	}
	return writeDocuments(create, "measurements/sources.yaml", registryDocument(licences))
}

// writeDocuments writes a file of YAML documents.
func writeDocuments(create Create, path string, documents ...*mapping) error {
	content, err := encodeDocuments(documents...)
	if err != nil {
		return fmt.Errorf("export %s: %w", path, err)
	}
	return writeFile(create, path, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

func runDocument(r *run) *mapping {
	d := &r.doc
	m := newMapping()
	m.text("kind", "MeasuredRun")
	m.text("name", d.Name)
	m.whole("schema_version", &d.SchemaVersion)
	writeSource(m.mapping("source"), &d.Source)
	m.text("model", d.Model)
	m.text("engine_version", d.EngineVersion)
	if d.Cluster != nil {
		writeCluster(m.mapping("cluster"), d.Cluster)
	}
	if d.Deployment != nil {
		writeDeployment(m.mapping("deployment"), d.Deployment)
	}
	if d.Router != nil {
		writeRouter(m.mapping("router"), d.Router)
	}
	if d.Workload != nil {
		writeWorkload(m.mapping("workload"), d.Workload)
	}
	writeClient(m.mapping("client"), &d.Client)
	defs := m.mapping("metric_defs")
	for i := range d.MetricDefs {
		writeDefinition(defs.mapping(d.MetricDefs[i].Name), &d.MetricDefs[i])
	}
	points := m.list("points")
	for i := range r.points {
		writePoint(points.mapping(), &r.points[i])
	}
	writeProvenance(m, d.Provenance)
	writeDiff(m, d.Diff)
	m.text("verdict", d.Verdict)
	m.text("resolution", d.Resolution)
	m.text("duplicate_of", d.DuplicateOf)
	m.text("supersedes", d.Supersedes)
	return m
}

func writeSource(m *mapping, s *record.Source) {
	m.text("kind", s.Kind)
	adapter := m.mapping("adapter")
	adapter.text("name", s.Adapter.Name)
	adapter.text("version", s.Adapter.Version)
	adapter.text("sha256", s.Adapter.SHA256)
	inputs := m.list("inputs")
	for i := range s.Inputs {
		in, v := inputs.mapping(), &s.Inputs[i]
		in.text("role", v.Role)
		in.text("url", v.URL)
		in.text("repo", v.Repo)
		in.text("commit", v.Commit)
		in.text("path", v.Path)
		in.text("git_blob", v.GitBlob)
		in.whole("size", v.Size)
		in.text("sha256", v.SHA256)
		in.text("fetched_utc", v.FetchedUTC)
		in.text("note", v.Note)
	}
	extraction := m.mapping("extraction")
	extraction.text("method", s.Extraction.Method)
	extraction.texts("selectors", s.Extraction.Selectors)
	extraction.flag("label_verified", s.Extraction.LabelVerified)
	m.text("retrieved_utc", s.RetrievedUTC)
	m.text("license_ref", s.LicenseRef)
}

func writeCluster(m *mapping, c *record.Cluster) {
	m.text("hardware", c.Hardware)
	m.whole("nodes", &c.Nodes)
	m.whole("gpus_per_node", &c.GPUsPerNode)
	m.text("fabric", c.Fabric)
	m.whole("gpus_per_rack", c.GPUsPerRack)
	m.texts("storage", c.Storage)
}

func writeDeployment(m *mapping, d *record.Deployment) {
	m.text("kind", "Deployment")
	m.text("name", d.Name)
	pools := m.list("pools")
	for i := range d.Pools {
		p := &d.Pools[i]
		pool := pools.mapping()
		pool.text("role", p.Role)
		pool.whole("nodes", &p.Nodes)
		parallel := pool.mapping("parallel")
		parallel.whole("tp", &p.Parallel.TP)
		parallel.whole("pp", &p.Parallel.PP)
		parallel.whole("dp", &p.Parallel.DP)
		parallel.whole("dp_local", p.Parallel.DPLocal)
		parallel.whole("pcp", p.Parallel.PCP)
		parallel.whole("dcp", p.Parallel.DCP)
		parallel.flag("enable_expert_parallel", p.Parallel.EnableExpertParallel)
		writeSettings(pool, p.Settings)
	}
	if o := d.Offload; o != nil {
		offload := m.mapping("offload")
		tiers := offload.list("tiers")
		for i := range o.Tiers {
			tier := tiers.mapping()
			tier.text("tier", o.Tiers[i].Tier)
			tier.whole("bytes", &o.Tiers[i].Bytes)
		}
		offload.text("eviction_policy", o.EvictionPolicy)
		offload.whole("prefetch_depth", o.PrefetchDepth)
		offload.text("connector", o.Connector)
		offload.text("spec", o.Spec)
	}
	if d.PDTransfer != nil {
		m.mapping("pd_transfer").text("connector", d.PDTransfer.Connector)
	}
}

// writeSettings writes engine settings, which come sorted; dotted ones are in a
// mapping of their own.
func writeSettings(pool *mapping, settings []record.Setting) {
	if len(settings) == 0 {
		return
	}
	engine := pool.mapping("engine")
	groups := map[string]*mapping{}
	for _, s := range settings {
		m, key := engine, s.Name
		if group, nested, ok := strings.Cut(s.Name, "."); ok {
			if groups[group] == nil {
				groups[group] = engine.mapping(group)
			}
			m, key = groups[group], nested
		}
		switch v := s.Value.(type) {
		case string:
			m.text(key, v)
		case int64:
			m.whole(key, &v)
		case float64:
			m.number(key, &v)
		case bool:
			m.flag(key, &v)
		}
	}
}

func writeRouter(m *mapping, r *record.Router) {
	m.text("kind", r.Kind)
	if r.EPP == nil {
		return
	}
	epp := m.mapping("epp")
	epp.text("version", r.EPP.Version)
	epp.text("image", r.EPP.Image)
	config := epp.mapping("config")
	config.text("path", r.EPP.ConfigPath)
	config.text("sha256", r.EPP.ConfigSHA256)
	epp.text("flow_control", r.EPP.FlowControl)
}

func writeWorkload(m *mapping, w *record.Workload) {
	m.text("shape", w.Shape)
	t := w.Trace
	if t == nil {
		return
	}
	trace := m.mapping("trace")
	trace.text("data", t.Data)
	trace.text("sha256", t.SHA256)
	trace.whole("rows", t.Rows)
	header := trace.mapping("header")
	header.whole("trace_version", &t.TraceVersion)
	header.text("time_unit", t.TimeUnit)
	header.text("mode", t.Mode)
	header.whole("workload_seed", t.WorkloadSeed)
	if s := t.Server; s != nil {
		server := header.mapping("server")
		server.text("type", s.Type)
		server.text("model", s.Model)
		server.whole("tensor_parallel", s.TensorParallel)
		server.whole("max_num_seqs", s.MaxNumSeqs)
		server.whole("block_size", s.BlockSize)
		server.whole("max_model_len", s.MaxModelLen)
		server.number("gpu_memory_utilization", s.GPUMemoryUtilization)
	}
	if len(t.SLOTargets) == 0 {
		return
	}
	targets := header.mapping("goodput_slo_targets")
	for _, s := range t.SLOTargets {
		target := targets.mapping(s.Class)
		target.number("ttft_ms", s.TTFTMs)
		target.number("itl_ms", s.ITLMs)
		target.number("e2e_ms", s.E2EMs)
	}
}

func writeClient(m *mapping, c *record.Client) {
	m.text("harness", c.Harness)
	m.text("harness_version", c.HarnessVersion)
	m.text("image_digest", c.ImageDigest)
	m.texts("command", c.Command)
	m.whole("seed", c.Seed)
	m.whole("num_prompts", c.NumPrompts)
	m.number("burstiness", c.Burstiness)
	if r := c.RampUp; r != nil {
		ramp := m.mapping("ramp_up")
		ramp.text("strategy", r.Strategy)
		ramp.number("start", &r.Start)
		ramp.number("end", &r.End)
	}
	m.whole("num_warmups", c.NumWarmups)
	m.flag("ignore_eos", c.IgnoreEOS)
	m.text("endpoint", c.Endpoint)
	if t := c.Tokenizer; t != nil {
		tokenizer := m.mapping("tokenizer")
		tokenizer.text("repo", t.Repo)
		tokenizer.text("revision", t.Revision)
		tokenizer.text("sha256", t.SHA256)
		tokenizer.text("mode", t.Mode)
	}
	m.number("duration_s", c.DurationS)
	m.number("grace_s", c.GraceS)
}

func writeDefinition(m *mapping, d *record.MetricDef) {
	m.text("formula", d.Formula)
	m.text("statistic", d.Statistic)
	m.text("population", d.Population)
	m.text("denominator", d.Denominator)
	m.text("clock", d.Clock)
	m.text("start_event", d.StartEvent)
	m.text("stop_event", d.StopEvent)
	m.text("output_len_source", d.OutputLenSource)
	m.flag("reasoning_counted_as_content", d.ReasoningCountedAsContent)
	m.text("percentile_method", d.PercentileMethod)
	m.text("unit", d.Unit)
	m.text("cite", d.Cite)
}

func writePoint(m *mapping, p *point) {
	m.text("id", p.ID)
	load := m.mapping("load")
	load.whole("concurrency", p.Concurrency)
	load.number("request_rate", p.RequestRate)
	metrics := m.mapping("metrics")
	for i := range p.values {
		v := &p.values[i].Value
		metric := metrics.mapping(v.Metric)
		metric.number("value", &v.Value)
		metric.text("report_label", v.ReportLabel)
		metric.text("raw_key", v.RawKey)
		metric.flag("label_verified", v.LabelVerified)
	}
	m.whole("completed", p.Completed)
	m.whole("failed", p.Failed)
	if p.MeanISL != nil || p.MeanOSL != nil {
		realized := m.mapping("realized")
		realized.number("mean_isl", p.MeanISL)
		realized.number("mean_osl", p.MeanOSL)
	}
	m.number("kv_utilization", p.KVUtilization)
	m.number("prefix_hit_rate", p.PrefixHitRate)
	m.whole("preemptions", p.Preemptions)
	if p.NoiseSeeds != nil {
		noise := m.mapping("noise")
		noise.whole("seeds", p.NoiseSeeds)
		noise.number("cv", p.NoiseCV)
	}
}

func writeProvenance(m *mapping, rows []record.Provenance) {
	if len(rows) == 0 {
		return
	}
	list := m.list("provenance")
	for i := range rows {
		p := &rows[i]
		row := list.mapping()
		row.text("setting", p.Setting)
		for _, source := range []struct {
			key    string
			stated *record.Stated
		}{{"report", p.Report}, {"script", p.Script}, {"artifact", p.Artifact}, {"blis", p.BLIS}} {
			if source.stated == nil {
				continue
			}
			stated := row.mapping(source.key)
			stated.text("value", source.stated.Value)
			stated.text("ref", source.stated.Ref)
			stated.text("commit", source.stated.Commit)
		}
		row.text("verdict", p.Verdict)
		row.text("resolved_by", p.ResolvedBy)
		row.text("material", p.Material)
		row.text("bound", p.Bound)
		row.text("note", p.Note)
	}
}

func writeDiff(m *mapping, rows []record.Diff) {
	if len(rows) == 0 {
		return
	}
	list := m.list("diff")
	for i := range rows {
		d := &rows[i]
		row := list.mapping()
		row.text("path", d.Path)
		row.text("measured", d.Measured)
		row.text("blis", d.BLIS)
		row.text("kind", d.Kind)
		row.flag("removable", d.Removable)
		row.text("owner_repo", d.OwnerRepo)
		row.text("material", d.Material)
		row.text("bound", d.Bound)
		row.text("issue", d.Issue)
	}
}

func registryDocument(licences map[string]*record.Licence) *mapping {
	var entries []*record.Licence
	for _, l := range licences {
		entries = append(entries, l)
	}
	slices.SortFunc(entries, func(a, b *record.Licence) int { return cmp.Compare(a.ID, b.ID) })
	m := newMapping()
	m.text("kind", "MeasurementSources")
	sources := m.list("sources")
	for _, l := range entries {
		entry := sources.mapping()
		entry.text("id", l.ID)
		entry.text("title", l.Title)
		entry.text("license", l.License)
		entry.text("status", l.Status)
		entry.texts("permits", l.Permits)
		if len(l.Evidence) > 0 {
			evidence := entry.list("evidence")
			for i := range l.Evidence {
				quotation := evidence.mapping()
				quotation.text("url", l.Evidence[i].URL)
				quotation.text("quote", l.Evidence[i].Quote)
				quotation.text("location", l.Evidence[i].Location)
			}
		}
		entry.text("attribution", l.Attribution)
		entry.text("note", l.Note)
	}
	return m
}
