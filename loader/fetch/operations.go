package fetch

import (
	"slices"
	"strings"
)

// An Operation is one of the API's read operations.
type Operation struct {
	Name  string   // what the command and the ledger call it
	Path  string   // with {NAME} where a parameter stands
	Keys  []string // its parameters; "!" marks one that must be given, "!NAME" one that must be given unless NAME is
	After []string // the operations whose captures say what there is to ask for
	Usual bool     // captured where the command names no operation: what is not asked for point by point
	// each lists what to ask for, by what was captured. nil is one request without parameters.
	each func(*known) ([]values, error)
}

// values are parameters by name.
type values = map[string]string

// operations are all operations of the published reference, each after those that it needs.
var operations = []Operation{
	{"availability", "/api/v1/availability", nil, nil, true, nil},
	{"benchmarks", "/api/v1/benchmarks", keys("model! date exact runId exactRun view sequence powerValid"), keys("availability"), true, (*known).models},
	{"benchmarks-history", "/api/v1/benchmarks/history", keys("model! isl!benchmarkType osl!benchmarkType benchmarkType view"), keys("availability"), true, (*known).sequences},
	{"workflow-info", "/api/v1/workflow-info", keys("date benchmarkType"), nil, true, nil},
	{"evaluations", "/api/v1/evaluations", nil, nil, true, nil},
	{"reliability", "/api/v1/reliability", nil, nil, true, nil},
	{"tco-feed", "/api/v1/tco-feed", keys("model workloads tiers date format view weights workload_weights alpha"), keys("availability"), true, (*known).workloads},
	{"submissions", "/api/v1/submissions", nil, nil, true, nil},
	{"framework-releases", "/api/v1/framework-releases", nil, nil, true, nil},
	{"latest-images", "/api/v1/latest-images", nil, nil, true, nil},
	{"datasets", "/api/v1/datasets", nil, nil, true, nil},
	{"dataset", "/api/v1/datasets/{slug}", keys("slug!"), keys("datasets"), true, (*known).slugs},
	{"conversations", "/api/v1/datasets/{slug}/conversations", keys("slug! search limit offset sort"), keys("datasets"), false, (*known).pages},
	{"conversation", "/api/v1/datasets/{slug}/conversations/{convId}", keys("slug! convId!"), keys("conversations"), false, (*known).conversations},
	{"collectivex-latest", "/api/v1/collectivex/latest", keys("version!"), nil, true, (*known).version},
	{"collectivex-runs", "/api/v1/collectivex/runs", keys("version!"), nil, true, (*known).version},
	{"collectivex-run", "/api/v1/collectivex/runs/{runId}", keys("runId! version!"), keys("collectivex-runs"), false, (*known).collectives},
	{"benchmark-siblings", "/api/v1/benchmark-siblings", keys("id!"), keys("benchmarks"), false, (*known).groups},
	{"log-availability", "/api/v1/log-availability", keys("ids!"), keys("benchmarks"), false, (*known).batchesOf500},
	{"server-log-files", "/api/v1/server-log-files", keys("id!"), keys("log-availability"), false, (*known).logged},
	{"server-log", "/api/v1/server-log", keys("id! file offset limit download"), keys("server-log-files"), false, (*known).logFiles},
	{"server-log-search", "/api/v1/server-log-search", keys("id! q! limit"), keys("log-availability"), false, (*known).logged},
	{"trace-availability", "/api/v1/trace-availability", keys("ids!"), keys("benchmarks"), false, (*known).batchesOf500},
	{"agentic-aggregates", "/api/v1/agentic-aggregates", keys("ids!"), keys("trace-availability"), false, (*known).tracedBatches},
	{"derived-agentic-metrics", "/api/v1/derived-agentic-metrics", keys("ids!"), keys("trace-availability"), false, (*known).tracedBatches},
	{"trace-histograms", "/api/v1/trace-histograms", keys("ids!"), keys("trace-availability"), false, (*known).tracedBatches},
	{"request-timeline", "/api/v1/request-timeline", keys("id!"), keys("trace-availability"), false, (*known).traced},
	{"trace-server-metrics", "/api/v1/trace-server-metrics", keys("id!"), keys("trace-availability"), false, (*known).traced},
}

func keys(names string) []string { return strings.Fields(names) }

// Operations are the operations that can be captured, each after those that it needs.
func Operations() []Operation { return slices.Clone(operations) }

// Named returns the operation of that name.
func Named(name string) (Operation, bool) {
	i := slices.IndexFunc(operations, func(o Operation) bool { return o.Name == name })
	if i < 0 {
		return Operation{}, false
	}
	return operations[i], true
}

// Params are the names of the operation's parameters.
func (o *Operation) Params() []string {
	var names []string
	for _, key := range o.Keys {
		name, _, _ := strings.Cut(key, "!")
		names = append(names, name)
	}
	return names
}

// missing is the first parameter that must be given and is not, "" for none.
func (o *Operation) missing(given values) string {
	for _, key := range o.Keys {
		name, unless, needed := strings.Cut(key, "!")
		if _, ok := given[name]; !needed || ok {
			continue
		}
		if _, ok := given[unless]; unless == "" || !ok {
			return name
		}
	}
	return ""
}

// extension is that of the files of a request, which says what its response must be.
func (o *Operation) extension(given values) string {
	switch {
	case o.Name == "tco-feed" && given["format"] == "csv":
		return ".csv"
	case o.Name == "server-log" && given["download"] == "1":
		return ".txt"
	}
	return ".json"
}
