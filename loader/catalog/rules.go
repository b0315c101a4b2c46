package catalog

// Rule names a check of this package.
type Rule struct {
	Name   string // kebab-case, as in a problem
	Text   string // what the rule asks for
	Source string // where it is written down
}

// Names of the rules.
const (
	RuleSize              = "size"
	RuleEncoding          = "encoding"
	RuleSyntax            = "syntax"
	RuleNoDocument        = "no-document"
	RuleMultipleDocuments = "multiple-documents"
	RuleNesting           = "nesting"
	RuleAlias             = "alias"
	RuleMerge             = "merge"
	RuleTag               = "tag"
	RuleKeyType           = "key-type"
	RuleUnknownKey        = "unknown-key"
	RuleDuplicateKey      = "duplicate-key"
	RuleMissingKey        = "missing-key"
	RuleNullElement       = "null-element"
	RuleType              = "type"
	RuleNumber            = "number"
	RuleNotFinite         = "not-finite"
	RuleCredential        = "credential"
	RuleProblemLimit      = "problem-limit"

	RuleKind          = "kind"
	RuleSchemaVersion = "schema-version"
	RuleSlug          = "slug"
	RuleVocabulary    = "vocabulary"
	RuleDigest        = "digest"
	RuleImageDigest   = "image-digest"
	RuleTimestamp     = "timestamp"
	RuleDate          = "date"
	RuleURL           = "url"
	RuleRange         = "range"
	RuleEmpty         = "empty"
	RuleDuplicate     = "duplicate"
	RuleNotAllowed    = "not-allowed"

	RuleInputLocation       = "input-location"
	RuleReportInput         = "report-input"
	RuleUnit                = "unit"
	RuleThroughputStatistic = "throughput-statistic"
	RuleLatencyDenominator  = "latency-denominator"
	RuleLoad                = "load"
	RuleLoadMode            = "load-mode"
	RuleLoadOrder           = "load-order"
	RuleUndefinedMetric     = "undefined-metric"
	RuleProvenanceSupport   = "provenance-support"
	RuleMatchDiffers        = "match-differs"
	RuleMismatchEqual       = "mismatch-equal"
	RuleSelfReference       = "self-reference"

	RuleRackGPUs       = "rack-gpus"
	RulePoolRoles      = "pool-roles"
	RulePoolNodes      = "pool-nodes"
	RuleDPLocal        = "dp-local"
	RuleContextWidth   = "context-parallel"
	RuleDCPWidth       = "dcp-width"
	RuleExpertParallel = "expert-parallel"
	RuleAllreduce      = "allreduce"
	RuleAllreduceNCCL  = "allreduce-nccl"
	RuleThreshold      = "dbo-threshold"
	RuleOffloadTier    = "offload-tier"
	RuleRankFit        = "rank-fit"
	RuleRankFitSearch  = "rank-fit-undecided"
	RuleShapeOrTrace   = "shape-or-trace"
	RuleSLOTarget      = "slo-target"
)

// Rules returns every rule that a problem of this package can name.
func Rules() []Rule {
	const (
		decoding   = "embedded blocks, Decoding a document"
		keys       = "MeasuredRun specification, Keys"
		checks     = "MeasuredRun specification, Checks"
		fields     = "decisions, Fields"
		cluster    = "embedded blocks, Cluster"
		deployment = "embedded blocks, Deployment on its own"
		fit        = "embedded blocks, Deployment against its cluster"
		workload   = "embedded blocks, Workload binding"
	)
	return []Rule{
		{RuleSize, "a document is no larger than the limit (16 MiB)", decoding},
		{RuleEncoding, "a document is UTF-8 without NUL bytes; a byte order mark is accepted", decoding},
		{RuleSyntax, "a document is well-formed YAML, indented with spaces", decoding},
		{RuleNoDocument, "a file holds a document", decoding},
		{RuleMultipleDocuments, "a file holds one document", decoding},
		{RuleNesting, "mappings and lists nest at most 64 levels deep", decoding},
		{RuleAlias, "aliases do not contain themselves and expand within a bound", decoding},
		{RuleMerge, "<< merges a mapping or a list of mappings", decoding},
		{RuleTag, "no value has an explicit tag", decoding},
		{RuleKeyType, "keys are strings", decoding},
		{RuleUnknownKey, "a mapping has only the keys of its table", decoding},
		{RuleDuplicateKey, "a mapping has each key once", decoding},
		{RuleMissingKey, "required keys are stated; null and an empty string count as absent", keys},
		{RuleNullElement, "a list has no null element", decoding},
		{RuleType, "a value has the type of its key; numbers and booleans are not quoted", decoding},
		{RuleNumber, "a number is written plainly, as in JSON, an integer without fraction and within 64 bits", decoding},
		{RuleNotFinite, "numbers are finite", decoding},
		{RuleCredential, "no string, key or comment carries a credential", "decisions, Credentials"},
		{RuleProblemLimit, "a document has at most 10,000 problems; the rest is not listed", "this package"},

		{RuleKind, "kind is MeasuredRun, MeasurementSources or EvaluationRun", checks},
		{RuleSchemaVersion, "schema_version is 1", checks},
		{RuleSlug, "names and references are slugs", "decisions, Identity and layout"},
		{RuleVocabulary, "a closed word is one of its vocabulary", "decisions, Vocabularies"},
		{RuleDigest, "a digest is 64 lower-case hex characters", fields},
		{RuleImageDigest, "an image is pinned by sha256:<64 hex>, alone or after a name and @", fields},
		{RuleTimestamp, "a timestamp is RFC 3339 in UTC", fields},
		{RuleDate, "a date is a day of the calendar, or an RFC 3339 time in UTC", "exports, EvaluationRun"},
		{RuleURL, "a url is absolute, http or https, with a host", fields},
		{RuleRange, "a number lies in the range of its key", fields},
		{RuleEmpty, "a list or mapping that must hold something is not empty", keys},
		{RuleDuplicate, "what identifies an entry stands once", checks},
		{RuleNotAllowed, "a key that only goes with another value is absent", keys},

		{RuleInputLocation, "an input has a url or a path", checks},
		{RuleReportInput, "at least one input has the role report", checks},
		{RuleUnit, "a unit is that of its formula", "decisions, Metric definitions"},
		{RuleThroughputStatistic, "a throughput has no statistic", "decisions, Metric definitions"},
		{RuleLatencyDenominator, "a latency has no denominator", "decisions, Metric definitions"},
		{RuleLoad, "a point states concurrency, request_rate or both", checks},
		{RuleLoadMode, "every point uses the same load keys", "decisions, Points"},
		{RuleLoadOrder, "points are strictly increasing in load", "decisions, Points"},
		{RuleUndefinedMetric, "a measured metric has a definition", checks},
		{RuleProvenanceSupport, "the listed sources support the row's verdict", "decisions, Fields"},
		{RuleMatchDiffers, "warning: the values of a MATCH differ as text", "decisions, Settled readings"},
		{RuleMismatchEqual, "warning: the values of a MISMATCH are all equal", "decisions, Settled readings"},
		{RuleSelfReference, "a run does not name itself", fields},

		{RuleRackGPUs, "gpus_per_rack is a multiple of gpus_per_node", cluster},
		{RulePoolRoles, "prefill and decode pools come together, colocated pools alone", deployment},
		{RulePoolNodes, "the nodes of the pools sum to the cluster's", fit},
		{RuleDPLocal, "dp_local is at most dp and divides gpus_per_node", fit},
		{RuleContextWidth, "pcp and dcp are not negative", deployment},
		{RuleDCPWidth, "dcp is one of the widths that tp and pcp admit", deployment},
		{RuleExpertParallel, "warning: expert parallelism is enabled with a width of 1", deployment},
		{RuleAllreduce, "the custom allreduce is not both chosen and disabled", deployment},
		{RuleAllreduceNCCL, "warning: nccl is chosen while the custom allreduce is left enabled", deployment},
		{RuleThreshold, "thresholds of an enabled dbo are not negative", deployment},
		{RuleOffloadTier, "an offload tier is one of the storage that the cluster lists", fit},
		{RuleRankFit, "the ranks of a pool fit its nodes", fit},
		{RuleRankFitSearch, "warning: no placement of the ranks was found within the search bound", fit},
		{RuleShapeOrTrace, "a workload is exactly one of a shape and a trace", workload},
		{RuleSLOTarget, "a class of goodput targets has a target above zero", workload},
	}
}
