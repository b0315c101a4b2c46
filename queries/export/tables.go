package export

import (
	"github.com/inference-sim/blis-warehouse/store/record"
)

// rowTables are what a row of an export is made of.
func rowTables() []table {
	return []table{
		{"runs", fillRun}, {"inputs", fillInput}, {"clients", fillClient}, {"pools", fillPool}, {"pool-settings", fillSetting},
		{"stated-pools", fillStatedPool}, {"traces", fillTrace}, {"definitions", fillDefinition}, {"points", fillPoint}, {"measurements", fillMeasurement},
	}
}

// documentTables are what a document is made of.
func documentTables() []table {
	return append(rowTables(), []table{
		{"adapters", fillAdapter}, {"selectors", fillSelector}, {"client-args", fillArg}, {"storage", fillStorage}, {"offloads", fillOffload},
		{"offload-tiers", fillTier}, {"pd-transfers", fillTransfer}, {"routers", fillRouter}, {"slo-targets", fillTarget},
		{"provenance", fillProvenance}, {"diffs", fillDiff},
	}...)
}

// sweepTables are what the scorers' files are made of.
func sweepTables() []table {
	return []table{
		{"runs", fillRun}, {"inputs", fillInput}, {"pools", fillPool}, {"pool-settings", fillSetting}, {"stated-pools", fillStatedPool},
		{"configurations", fillConfiguration}, {"definitions", fillDefinition}, {"points", fillPoint}, {"measurements", fillMeasurement},
	}
}

// scenarioTables are what a scenario is made of.
func scenarioTables() []table {
	return []table{
		{"runs", fillRun}, {"pools", fillPool}, {"pool-settings", fillSetting}, {"traces", fillTrace}, {"storage", fillStorage},
		{"offloads", fillOffload}, {"offload-tiers", fillTier}, {"pd-transfers", fillTransfer}, {"slo-targets", fillTarget},
	}
}

// evaluationTables are what an EvaluationRun is made of.
func evaluationTables() []table {
	return []table{{"runs", fillRun}, {"definitions", fillDefinition}, {"points", fillPoint}, {"measurements", fillMeasurement}}
}

// Each fill function reads the columns of its statement in their order.

func fillRun(r *run, c *cells) {
	d := &r.doc
	d.Name = c.text()
	r.documentSHA256 = c.text()
	if v := c.optWhole(); v != nil {
		d.SchemaVersion = *v
	}
	d.Source.Kind, d.Source.LicenseRef = c.text(), c.text()
	d.Model, r.engine, d.EngineVersion = c.text(), c.text(), c.text()
	r.hardware, r.fabric = c.text(), c.text()
	r.nodes, r.gpusPerNode, r.gpusPerRack = c.optWhole(), c.optWhole(), c.optWhole()
	if name := c.text(); name != "" {
		d.Deployment = &record.Deployment{Name: name}
	}
	r.workloadKind, r.workload = c.text(), c.text()
	d.Client.Harness, d.Client.HarnessVersion = c.text(), c.text()
	r.verdict, r.resolution = c.text(), c.text()
	d.Verdict, d.Resolution = c.text(), c.text()
	d.DuplicateOf, d.Supersedes = c.text(), c.text()
	d.Source.RetrievedUTC = c.text()
	r.origin, r.isl, r.osl, r.measuredOn, r.retrievedOn = c.text(), c.optWhole(), c.optWhole(), c.text(), c.text()
	switch {
	case r.workloadKind == "shape":
		d.Workload = &record.Workload{Shape: r.workload}
	case r.workloadKind == "trace":
		d.Workload = &record.Workload{Trace: &record.Trace{Data: r.workload}}
	}
	if r.hardware != "" && r.nodes != nil && r.gpusPerNode != nil {
		d.Cluster = &record.Cluster{Hardware: r.hardware, Nodes: *r.nodes, GPUsPerNode: *r.gpusPerNode, Fabric: r.fabric, GPUsPerRack: r.gpusPerRack}
	}
}

func fillAdapter(r *run, c *cells) {
	s := &r.doc.Source
	s.Adapter = record.Adapter{Name: c.text(), Version: c.text(), SHA256: c.text()}
	s.Extraction.Method, s.Extraction.LabelVerified = c.text(), c.flag()
}

func fillSelector(r *run, c *cells) {
	e := &r.doc.Source.Extraction
	e.Selectors = append(e.Selectors, c.text())
}

func fillInput(r *run, c *cells) {
	r.doc.Source.Inputs = append(r.doc.Source.Inputs, record.Input{
		Role: c.text(), URL: c.text(), Repo: c.text(), Commit: c.text(), Path: c.text(), GitBlob: c.text(),
		Size: c.optWhole(), SHA256: c.text(), FetchedUTC: c.text(), Note: c.text(),
	})
}

func fillClient(r *run, c *cells) {
	l := &r.doc.Client
	l.Harness, l.HarnessVersion, l.ImageDigest = c.text(), c.text(), c.text()
	l.Seed, l.NumPrompts, l.Burstiness = c.optWhole(), c.optWhole(), c.optNumber()
	strategy, start, end := c.text(), c.optNumber(), c.optNumber()
	if strategy != "" && start != nil && end != nil {
		l.RampUp = &record.RampUp{Strategy: strategy, Start: *start, End: *end}
	}
	l.NumWarmups, l.IgnoreEOS, l.Endpoint = c.optWhole(), c.flag(), c.text()
	tokenizer := record.Tokenizer{Repo: c.text(), Revision: c.text(), SHA256: c.text(), Mode: c.text()}
	if tokenizer.Repo != "" {
		l.Tokenizer = &tokenizer
	}
	l.DurationS, l.GraceS = c.optNumber(), c.optNumber()
}

func fillArg(r *run, c *cells) {
	r.doc.Client.Command = append(r.doc.Client.Command, c.text())
}

func fillStorage(r *run, c *cells) {
	r.doc.Cluster.Storage = append(r.doc.Cluster.Storage, c.text())
}

func fillPool(r *run, c *cells) {
	d := r.doc.Deployment
	d.Pools = append(d.Pools, record.Pool{
		Role: c.text(), Nodes: c.whole(),
		Parallel: record.Parallel{
			TP: c.whole(), PP: c.whole(), DP: c.whole(), DPLocal: c.optWhole(), PCP: c.optWhole(), DCP: c.optWhole(),
			EnableExpertParallel: c.flag(),
		},
	})
}

func fillStatedPool(r *run, c *cells) {
	r.statedPools = append(r.statedPools, statedPool{
		role: c.text(), nodes: c.optWhole(), tp: c.optWhole(), pp: c.optWhole(), dp: c.optWhole(), ep: c.optWhole(), workers: c.optWhole(),
		dpAttention: c.flag(),
	})
}

func fillConfiguration(r *run, c *cells) {
	r.statedConfig = configuration{c.text(), c.text(), c.text(), c.text()}
}

func fillSetting(r *run, c *cells) {
	p := &r.doc.Deployment.Pools[c.whole()]
	name, v := c.text(), c.next()
	p.Settings = append(p.Settings, record.Setting{Name: name, Value: settingValue(name, v)})
}

func fillOffload(r *run, c *cells) {
	r.doc.Deployment.Offload = &record.Offload{EvictionPolicy: c.text(), PrefetchDepth: c.optWhole(), Connector: c.text(), Spec: c.text()}
}

func fillTier(r *run, c *cells) {
	o := r.doc.Deployment.Offload
	o.Tiers = append(o.Tiers, record.OffloadTier{Tier: c.text(), Bytes: c.whole()})
}

func fillTransfer(r *run, c *cells) {
	r.doc.Deployment.PDTransfer = &record.PDTransfer{Connector: c.text()}
}

func fillRouter(r *run, c *cells) {
	r.doc.Router = &record.Router{Kind: c.text()}
	epp := record.EPP{Version: c.text(), Image: c.text(), ConfigPath: c.text(), ConfigSHA256: c.text(), FlowControl: c.text()}
	if epp.Version != "" {
		r.doc.Router.EPP = &epp
	}
}

func fillTrace(r *run, c *cells) {
	t := &record.Trace{
		Data: c.text(), SHA256: c.text(), Rows: c.optWhole(), TraceVersion: c.whole(), TimeUnit: c.text(), Mode: c.text(), WorkloadSeed: c.optWhole(),
	}
	server := record.TraceServer{
		Type: c.text(), Model: c.text(), TensorParallel: c.optWhole(), MaxNumSeqs: c.optWhole(), BlockSize: c.optWhole(), MaxModelLen: c.optWhole(),
		GPUMemoryUtilization: c.optNumber(),
	}
	if server != (record.TraceServer{}) {
		t.Server = &server
	}
	r.doc.Workload.Trace = t
}

func fillTarget(r *run, c *cells) {
	t := r.doc.Workload.Trace
	t.SLOTargets = append(t.SLOTargets, record.SLOTarget{Class: c.text(), TTFTMs: c.optNumber(), ITLMs: c.optNumber(), E2EMs: c.optNumber()})
}

func fillDefinition(r *run, c *cells) {
	r.doc.MetricDefs = append(r.doc.MetricDefs, record.MetricDef{
		Name: c.text(), Formula: c.text(), Statistic: c.text(), Population: c.text(), Denominator: c.text(), Clock: c.text(),
		StartEvent: c.text(), StopEvent: c.text(), OutputLenSource: c.text(), ReasoningCountedAsContent: c.flag(),
		PercentileMethod: c.text(), Unit: c.text(), GPUScope: c.text(), Cite: c.text(),
	})
}

func fillPoint(r *run, c *cells) {
	r.points = append(r.points, point{Point: record.Point{
		ID: c.text(), Concurrency: c.optWhole(), RequestRate: c.optNumber(), Completed: c.optWhole(), Failed: c.optWhole(),
		MeanISL: c.optNumber(), MeanOSL: c.optNumber(), KVUtilization: c.optNumber(), PrefixHitRate: c.optNumber(),
		Preemptions: c.optWhole(), NoiseSeeds: c.optWhole(), NoiseCV: c.optNumber(),
	}})
}

func fillMeasurement(r *run, c *cells) {
	p := &r.points[c.whole()]
	metric, inUnit := c.text(), c.number()
	reported, scale := c.number(), c.number()
	p.values = append(p.values, value{
		Value:  record.Value{Metric: metric, Value: reported, ReportLabel: c.text(), RawKey: c.text(), LabelVerified: c.flag()},
		inUnit: inUnit, scale: scale,
	})
}

func fillProvenance(r *run, c *cells) {
	p := record.Provenance{Setting: c.text()}
	p.Report, p.Script, p.Artifact, p.BLIS = stated(c), stated(c), stated(c), stated(c)
	p.Verdict, p.ResolvedBy, p.Material, p.Bound, p.Note = c.text(), c.text(), c.text(), c.text(), c.text()
	r.doc.Provenance = append(r.doc.Provenance, p)
}

// stated is a source's value of a setting, nil where it does not state it.
func stated(c *cells) *record.Stated {
	s := record.Stated{Value: c.text(), Ref: c.text(), Commit: c.text()}
	if s.Value == "" {
		return nil
	}
	return &s
}

func fillDiff(r *run, c *cells) {
	r.doc.Diff = append(r.doc.Diff, record.Diff{
		Path: c.text(), Measured: c.text(), BLIS: c.text(), Kind: c.text(), Removable: c.flag(),
		OwnerRepo: c.text(), Material: c.text(), Bound: c.text(), Issue: c.text(),
	})
}
