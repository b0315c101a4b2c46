package record

// EvaluationRun is an EvaluationRun document after decoding and validation. Field
// names follow the document's keys. It states means and no definition of them,
// no model, no deployment, no provenance and no licence.
type EvaluationRun struct {
	Name           string
	Scenario       string
	Harness        string
	HarnessVersion string
	EngineVersion  string
	Date           string            // YYYY-MM-DD, or RFC 3339 normalised to upper-case T and Z
	Points         []EvaluationPoint // in document order
}

// EvaluationPoint is a load level of an evaluation run. Nil is "not stated".
type EvaluationPoint struct {
	Concurrency        int64 // requests in flight at most
	CompletedRequests  *int64
	OutputTokensPerSec *float64 // tokens per second
	InputTokensPerSec  *float64 // tokens per second
	TTFTMs             *float64 // ms
	ITLMs              *float64 // ms
	E2EMs              *float64 // ms
	MeanISL            *float64 // tokens
	MeanOSL            *float64 // tokens
	KVUtilization      *float64 // 0 to 1
	PrefixCacheHitRate *float64 // 0 to 1
	Preemptions        *int64
}
