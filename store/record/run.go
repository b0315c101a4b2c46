// Package record holds the checked, normalised records that travel from the
// loader to the store: plain structs, no behaviour, no database, no YAML.
//
// Unset and zero are told apart wherever zero means something: a nil pointer
// is "not stated". A string key of a document treats the empty string as
// absent, so "" is "not stated" for every string here, except list elements
// (selectors, command), whose empty strings are text.
package record

// Run is a MeasuredRun document as its author wrote it, after decoding and
// validation. Field names follow the document's keys.
type Run struct {
	Name          string
	SchemaVersion int64
	Source        Source
	Model         string
	EngineVersion string
	Cluster       *Cluster
	Deployment    *Deployment
	Router        *Router
	Workload      *Workload
	Client        Client
	MetricDefs    []MetricDef // in document order
	Points        []Point     // in document order
	Provenance    []Provenance
	Diff          []Diff
	Verdict       string // the stated one; never believed
	Resolution    string // the stated one
	DuplicateOf   string
	Supersedes    string
}

// Source says where the numbers of a run came from.
type Source struct {
	Kind         string
	Adapter      Adapter
	Inputs       []Input
	Extraction   Extraction
	RetrievedUTC string // RFC 3339, normalised to upper-case T and Z
	LicenseRef   string
}

// Adapter is the extracting code.
type Adapter struct{ Name, Version, SHA256 string }

// Input is a file the run was read from.
type Input struct {
	Role, URL, Repo, Commit, Path, GitBlob string
	Size                                   *int64 // bytes
	SHA256                                 string
	FetchedUTC                             string // normalised as RetrievedUTC
	Note                                   string
}

// Extraction says how values were read.
type Extraction struct {
	Method        string
	Selectors     []string
	LabelVerified *bool
}

// Cluster is the hardware a run used.
type Cluster struct {
	Hardware    string
	Nodes       int64
	GPUsPerNode int64
	Fabric      string
	GPUsPerRack *int64
	Storage     []string
}

// Deployment is the layout of the engine over the cluster.
type Deployment struct {
	Name       string
	Pools      []Pool
	Offload    *Offload
	PDTransfer *PDTransfer
}

// Pool is a group of nodes with one role.
type Pool struct {
	Role     string
	Nodes    int64
	Parallel Parallel
	Settings []Setting // engine settings that the document states, in document order
}

// Parallel is the parallel layout of a pool. Nil widths are not stated.
type Parallel struct {
	TP, PP, DP           int64
	DPLocal, PCP, DCP    *int64
	EnableExpertParallel *bool
}

// Setting is an engine setting: Name is the key, dotted for nested ones
// (dbo.enable_dbo). Value is a string, int64, float64 or bool.
type Setting struct {
	Name  string
	Value any
}

// BooleanSettings are the settings whose values are booleans, which the
// database keeps as 0 and 1.
var BooleanSettings = []string{"disable_custom_all_reduce", "async_scheduling", "disable_cascade_attn", "enable_prefix_caching", "dcp_q_replicate",
	"dbo.enable_dbo", "eplb.enable_eplb"}

// Offload describes the KV offload tiers of a deployment.
type Offload struct {
	Tiers          []OffloadTier
	EvictionPolicy string
	PrefetchDepth  *int64
	Connector      string
	Spec           string
}

// OffloadTier is one tier; Bytes is its capacity.
type OffloadTier struct {
	Tier  string
	Bytes int64
}

// PDTransfer is the transfer between prefill and decode pools.
type PDTransfer struct{ Connector string }

// Router is what stands in front of the deployment.
type Router struct {
	Kind string // direct or epp
	EPP  *EPP
}

// EPP is an endpoint picker, pinned by the digest of its config.
type EPP struct {
	Version, Image, ConfigPath, ConfigSHA256, FlowControl string
}

// Workload is exactly one of a named shape and a trace.
type Workload struct {
	Shape string
	Trace *Trace
}

// Trace binds a recorded or generated request stream.
type Trace struct {
	Data, SHA256 string
	Rows         *int64
	TraceVersion int64
	TimeUnit     string
	Mode         string
	WorkloadSeed *int64
	Server       *TraceServer
	SLOTargets   []SLOTarget // in document order
}

// TraceServer is the server a trace was recorded against.
type TraceServer struct {
	Type, Model                                        string
	TensorParallel, MaxNumSeqs, BlockSize, MaxModelLen *int64
	GPUMemoryUtilization                               *float64
}

// SLOTarget is a goodput target of a request class, in ms.
type SLOTarget struct {
	Class                string
	TTFTMs, ITLMs, E2EMs *float64
}

// Client is the load generator.
type Client struct {
	Harness, HarnessVersion, ImageDigest string
	Command                              []string
	Seed, NumPrompts                     *int64
	Burstiness                           *float64
	RampUp                               *RampUp
	NumWarmups                           *int64
	IgnoreEOS                            *bool
	Endpoint                             string
	Tokenizer                            *Tokenizer
	DurationS, GraceS                    *float64
}

// RampUp is a rate ramp, in requests per second.
type RampUp struct {
	Strategy   string
	Start, End float64
}

// Tokenizer is what the client counted tokens with.
type Tokenizer struct{ Repo, Revision, SHA256, Mode string }

// MetricDef is the definition of a metric: what was measured, over what, by
// which clock. Empty fields are unstated.
type MetricDef struct {
	Name                                               string
	Formula, Statistic, Population, Denominator, Clock string
	StartEvent, StopEvent, OutputLenSource             string
	ReasoningCountedAsContent                          *bool
	PercentileMethod, Unit                             string
	GPUScope                                           string // all, prefill, decode, or "": what a per-GPU figure was divided by
	Cite                                               string
}

// Point is a load level.
type Point struct {
	ID                string
	Concurrency       *int64
	RequestRate       *float64 // requests per second
	Metrics           []Value  // in document order
	Completed, Failed *int64
	MeanISL, MeanOSL  *float64 // tokens
	KVUtilization     *float64 // 0 to 1
	PrefixHitRate     *float64 // 0 to 1
	Preemptions       *int64
	NoiseSeeds        *int64
	NoiseCV           *float64
}

// Value is a measured value in the unit of its definition.
type Value struct {
	Metric        string
	Value         float64
	Text          string // the number as the document writes it
	ReportLabel   string
	RawKey        string
	LabelVerified *bool
}

// Provenance compares one setting across the sources that state it.
type Provenance struct {
	Setting                        string
	Report, Script, Artifact, BLIS *Stated
	Verdict                        string
	ResolvedBy                     string
	Material, Bound, Note          string
}

// Stated is a source's value of a setting.
type Stated struct{ Value, Ref, Commit string }

// Diff is a difference between the measured configuration and BLIS's.
type Diff struct {
	Path, Measured, BLIS, Kind string
	Removable                  *bool
	OwnerRepo, Material, Bound string
	Issue                      string
}

// Registry is a MeasurementSources document.
type Registry struct{ Sources []Licence }

// Licence is an entry of a registry.
type Licence struct {
	ID, Title, License, Status string
	Permits                    []string
	Evidence                   []Evidence
	Attribution, Note          string
}

// Evidence is a quoted statement of the terms.
type Evidence struct{ URL, Quote, Location string }
