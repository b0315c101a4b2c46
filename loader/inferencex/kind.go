package inferencex

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
)

// A Kind says what a JSON file of InferenceX is.
type Kind string

// The kinds that hold benchmark rows.
const (
	KindRows     Kind = "rows"     // rows of /benchmarks or /benchmarks/history
	KindArtifact Kind = "artifact" // raw artifacts, agg_*.json
)

// The kinds that are recognised and refused. Other operations of the API are
// named by their last path element (availability, evaluations, submissions), whether they are loaded or not.
const (
	KindClientOutput Kind = "client-output"
	KindDumpTable    Kind = "dump-table"
	KindDumpArchive  Kind = "dump-archive"
	KindAPIError     Kind = "api-error"
)

// Loadable tells whether the file holds benchmark rows, or those of an operation that is loaded.
func (k Kind) Loadable() bool {
	return k == KindRows || k == KindArtifact || k == KindEmptyList || k.Bodied()
}

// Refusal says, in one sentence, what a file that holds no benchmark rows is.
func (k Kind) Refusal() string {
	switch k {
	case KindClientOutput:
		return "this is the raw output of a benchmark client, in ms and without its configuration, not benchmark rows: load the agg_*.json made from it"
	case KindDumpTable:
		return "this is one table of a dump of the publisher's database: give the folder that holds configs.json, workflow_runs.json and benchmark_results.json"
	case KindDumpArchive:
		return "this is a PostgreSQL custom archive: extract its tables with pg_restore into one JSON array per table, and give their folder"
	case KindAPIError:
		return "this is an error message of the InferenceX API, not benchmark rows"
	case KindEmptyList:
		return "this is an empty list, which several operations answer alike: " + noLedger
	case KindEmptyObject:
		return "this is an empty object, which several operations answer alike: " + noLedger
	case KindNames:
		return "this is a list of texts, such as server-log-files answers, and does not say of which benchmark: " + noLedger
	case KindIDs:
		return "this is an object of benchmark ids, and what it says of them several operations answer alike: " + noLedger
	case "":
		return "this is not JSON of InferenceX: neither benchmark rows nor a raw artifact"
	}
	return "this is a body of the InferenceX operation " + string(k) + ", which is not loaded yet"
}

// noLedger says what is missing of content that does not tell its operation.
const noLedger = "what was asked for is in the ledger captures.jsonl of the folder that it was captured into, so load that folder"

// A shape is how rows lie in a file.
type shape int

const (
	shapeArray   shape = iota // one array of rows
	shapeObjects              // one row, or one after another on lines of their own
	shapeKeyed                // an object of arrays of rows, by model
)

// Sniff tells what a file is from its first bytes, after gunzip; 64 KiB are
// enough. ok is false where it is nothing of InferenceX: not JSON, or JSON of
// another kind, such as a document with a kind of its own.
func Sniff(head []byte, fileName string) (kind Kind, ok bool) {
	kind, _ = sniff(head, fileName)
	return kind, kind != ""
}

func sniff(head []byte, fileName string) (Kind, shape) {
	head = bytes.TrimPrefix(head, byteOrderMark)
	if bytes.HasPrefix(head, []byte("PGDMP")) {
		return KindDumpArchive, 0
	}
	i := skipSpace(head, 0)
	if i >= len(head) {
		return "", 0
	}
	base := strings.ToLower(filepath.Base(fileName))
	named := strings.HasPrefix(base, "agg_") && strings.Contains(base, ".json")
	switch head[i] {
	case '[':
		kind := sniffArray(head, i)
		if kind == KindNames && isYAML(base) {
			kind = ""
		}
		if next := skipSpace(head, i+1); kind == "" && named && next < len(head) && head[next] == '{' {
			kind = KindArtifact
		}
		return kind, shapeArray
	case '{':
		top := sniffKeys(head, i)
		if top.has("kind") || top.has("apiVersion") {
			return "", 0
		}
		if kind := top.kind(); kind == "datasets" {
			return "dataset", shapeObjects // one of the list by itself
		} else if kind == KindIDs {
			return sniffByID(head, top), shapeObjects
		} else if kind != "" {
			return kind, shapeObjects
		}
		if isEmpty(head, i, '}') && !isYAML(base) {
			return KindEmptyObject, shapeObjects
		}
		for _, k := range top {
			if k.first == '[' {
				if kind := sniffArray(head, k.value); kind == KindRows || kind == KindArtifact {
					return kind, shapeKeyed
				}
			}
		}
		if named && len(top) > 0 {
			return KindArtifact, shapeObjects
		}
	default:
		if isTCOHeader(head[i:]) {
			return tcoFeed, 0
		}
	}
	return "", 0
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// sniffArray classifies an array by the first of its elements that tells.
func sniffArray(b []byte, i int) Kind {
	if isEmpty(b, i, ']') {
		return KindEmptyList
	}
	i = skipSpace(b, i+1)
	if i < len(b) && b[i] == ']' { // and more behind it
		return ""
	}
	names := true
	for range 20 {
		if i < len(b) && b[i] == '{' {
			if kind := sniffKeys(b, i).kind(); kind != "" {
				return kind
			}
		}
		names = names && i < len(b) && b[i] == '"'
		end, err := scanValue(b, i, false, 0)
		if err != nil {
			return ""
		}
		more, next, err := scanSeparator(b, end, ']')
		if err != nil || !more {
			if err == nil && names {
				return KindNames
			}
			return ""
		}
		i = next
	}
	if names {
		return KindNames
	}
	return ""
}

// isEmpty tells whether the list or object at b[i], which closing ends, is empty and all there is.
func isEmpty(b []byte, i int, closing byte) bool {
	i = skipSpace(b, i+1)
	return i < len(b) && b[i] == closing && skipSpace(b, i+1) == len(b)
}

// isYAML tells a file that by its name is a document, which a list or object of JSON may be too.
func isYAML(base string) bool {
	return strings.HasSuffix(base, ".yaml") || strings.HasSuffix(base, ".yml")
}

// A sniffedKey is a key of an object with the first byte and offset of its value.
type sniffedKey struct {
	key   string
	first byte
	value int
}

type sniffedKeys []sniffedKey

// sniffKeys returns the keys of the object at b[i], as far as b goes and is JSON.
func sniffKeys(b []byte, i int) (keys sniffedKeys) {
	i = skipSpace(b, i+1)
	for {
		keyEnd, value, err := scanKey(b, i)
		if err != nil || value >= len(b) {
			return keys
		}
		keys = append(keys, sniffedKey{unquote(b[i:keyEnd]), b[value], value})
		end, err := scanValue(b, value, false, 0)
		if err != nil {
			return keys
		}
		more, next, err := scanSeparator(b, end, '}')
		if err != nil || !more {
			return keys
		}
		i = next
	}
}

func (ks sniffedKeys) has(keys ...string) bool {
	for _, key := range keys {
		found := false
		for _, k := range ks {
			found = found || k.key == key
		}
		if !found {
			return false
		}
	}
	return true
}

// signatures tell a kind by keys that an object of it has and others do not.
// The first that fits counts.
var signatures = []struct {
	kind   Kind
	has    []string
	hasNot []string
}{
	{KindArtifact, []string{"hw"}, nil},
	{KindClientOutput, []string{"request_goodput:"}, nil},
	{KindClientOutput, []string{"request_rate", "num_prompts"}, nil},
	{KindClientOutput, []string{"mean_ttft_ms"}, nil},
	{KindClientOutput, []string{"median_ttft_ms"}, nil},
	{KindClientOutput, []string{"input_lens", "ttfts"}, nil},
	{"evaluations", []string{"task", "metrics", "hardware"}, nil},
	{KindDumpTable, []string{"config_id", "workflow_run_id"}, nil},
	{KindDumpTable, []string{"id", "github_run_id", "run_attempt"}, nil},
	{KindDumpTable, []string{"workflow_run_id", "n_success"}, nil},
	{KindDumpTable, []string{"workflow_run_id", "base_ref"}, nil},
	{KindDumpTable, []string{"id", "hardware", "num_prefill_gpu"}, []string{"metrics", "conc", "date"}},
	{KindRows, []string{"hardware", "metrics"}, nil},
	{KindRows, []string{"conc", "metrics"}, nil},
	{KindRows, []string{"hardware", "conc", "prefill_tp"}, nil},
	{KindRows, []string{"hardware", "framework", "prefill_tp", "decode_tp"}, nil},
	{"latest-images", []string{"model", "hardware", "framework", "image"}, []string{"metrics", "conc"}},
	{"availability", []string{"model", "isl", "osl", "hardware", "framework", "date"}, []string{"metrics", "conc"}},
	{"reliability", []string{"hardware", "n_success", "total"}, nil},
	{"submissions", []string{"summary", "volume"}, nil},
	{"workflow-info", []string{"runs", "changelogs"}, nil},
	{"tco-feed", []string{"workloads", "tiers", "rows"}, nil},
	{"datasets", []string{"slug", "conversation_count"}, nil},
	{"conversation", []string{"conv_id", "structure"}, nil},
	{"conversation", []string{"conv_id", "num_turns"}, nil},
	{"conversations", []string{"total", "items"}, nil},
	{"collectivex-run", []string{"version", "run"}, nil}, // and collectivex-latest, which answers the same
	{"collectivex-run", []string{"version", "series"}, nil},
	{"collectivex-run", []string{"version", "coverage"}, nil},
	{"collectivex-runs", []string{"version", "runs"}, nil},
	{"benchmark-siblings", []string{"sku", "siblings"}, nil},
	{"request-timeline", []string{"startNs", "requests"}, nil},
	{"trace-server-metrics", []string{"meta", "startNs"}, nil},
	{"trace-server-metrics", []string{"meta", "kvCacheUsage"}, nil},
	{"trace-server-metrics", []string{"kvCacheUsage", "kvCachePoolTokens"}, nil},
	{operationLog, []string{sectionLog}, nil}, // of which more than is seen may come before the others
	{"server-log-search", []string{"query", "matches"}, nil},
}

func (ks sniffedKeys) kind() Kind {
	for _, s := range signatures {
		if ks.has(s.has...) && !(len(s.hasNot) > 0 && ks.hasAny(s.hasNot)) {
			return s.kind
		}
	}
	if len(ks) == 1 && ks[0].key == "error" && ks[0].first == '"' {
		return KindAPIError
	}
	if ks.byID() {
		return KindIDs
	}
	if ks.releases() {
		return "framework-releases"
	}
	return ""
}

func (ks sniffedKeys) hasAny(keys []string) bool {
	for _, k := range keys {
		if ks.has(k) {
			return true
		}
	}
	return false
}

// byID tells a map by benchmark result id, as the diagnostic operations return, by its first key.
func (ks sniffedKeys) byID() bool {
	if len(ks) == 0 {
		return false
	}
	n, rest := leadingInt(ks[0].key)
	return n != 0 && rest == ""
}

// sniffByID tells which operation answers a map by benchmark result id, by the
// first of its members that tells.
func sniffByID(b []byte, ids sniffedKeys) Kind {
	for _, id := range ids {
		if id.first != '{' {
			continue
		}
		switch member := sniffKeys(b, id.value); {
		case member.hasAny([]string{"p75_e2e_norm_intvty", "p90_e2e_norm_intvty"}):
			return "derived-agentic-metrics"
		case member.hasAny([]string{"kvCacheUtil", "prefixCacheHitRate"}), member.begins('{', "isl", "osl"):
			return "agentic-aggregates"
		case member.begins('[', "isl", "osl"):
			return "trace-histograms"
		}
	}
	return KindIDs
}

// begins tells whether the value of one of the keys begins with c.
func (ks sniffedKeys) begins(c byte, keys ...string) bool {
	return slices.ContainsFunc(ks, func(k sniffedKey) bool { return k.first == c && slices.Contains(keys, k.key) })
}

// releases tells a map from frameworks to their newest release.
func (ks sniffedKeys) releases() bool {
	for _, k := range ks {
		if _, _, known := CanonicalFramework(k.key); !known || k.first != '"' && k.first != 'n' {
			return false
		}
	}
	return len(ks) > 0
}
