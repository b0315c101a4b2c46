package record

import "strings"

// An InferenceXBodyTable says what of an operation's response lands in which
// table: a line of the table below. What a capture states is kept as it states it,
// row by row, known by the capture's digest and the row's position.
type InferenceXBodyTable struct {
	Operation string // of the API
	Section   string // the key of the body that the rows stand under, "" where the body is a list of them, or one of the constants below
	Name      string // the table
	Open      bool   // the reference allows any key: those without a column are no deviation
	Columns   []InferenceXBodyColumn
}

// InferenceXContract is the version of CollectiveX's contract whose bodies are loaded.
const InferenceXContract = 1

// Sections that are no key of a body.
const (
	BodyItself   = "."   // the keys of the body that are no sections themselves, as one row
	BodyByID     = "id"  // a body whose members are named by benchmark result ids and are objects: each is a row
	BodyFlagByID = "id=" // one whose members are named likewise and are true or false: each is a row with its value under BodyFlag
	BodySeries   = "[]"  // the series of server metrics, each as one row with its points
)

// BodyFlag is the key that the value of a member has where the section is BodyFlagByID.
const BodyFlag = "available"

// An InferenceXBodyColumn is a column for a key of a row.
type InferenceXBodyColumn struct {
	Key    string // of the row, or OUTER.KEY of an object under its key OUTER
	Name   string // of the column
	Type   InferenceXBodyType
	Needed bool // a row without it is refused
}

// An InferenceXBodyType says how a value is read: as a plain type, or as one of the publisher's names.
type InferenceXBodyType string

// The types.
const (
	BodyText      InferenceXBodyType = "text"
	BodyInteger   InferenceXBodyType = "integer" // also one in a string
	BodyDigits    InferenceXBodyType = "digits"  // an integer in a string, as the reference has it, or by itself
	BodyTicks     InferenceXBodyType = "ticks"   // an integer of 64 bits with a sign, such as of nanoseconds
	BodyNumber    InferenceXBodyType = "number"
	BodyBool      InferenceXBodyType = "bool"
	BodyDay       InferenceXBodyType = "day"
	BodyTime      InferenceXBodyType = "time"
	BodyList      InferenceXBodyType = "list"    // of texts, as JSON
	BodyJSON      InferenceXBodyType = "json"    // anything, as JSON
	BodyID        InferenceXBodyType = "id"      // the benchmark result id that names the member; the member's own key must say the same where it is stated
	BodySamples   InferenceXBodyType = "samples" // a list of numbers, some of which may be null, as JSON
	BodyPoints    InferenceXBodyType = "points"  // a list of objects, as JSON
	BodyCount     InferenceXBodyType = "count"   // the elements of the list under the key that are not null
	BodyHardware  InferenceXBodyType = "hardware"
	BodyFramework InferenceXBodyType = "framework"
	BodyModel     InferenceXBodyType = "model"
	BodyPrecision InferenceXBodyType = "precision"
	BodyMethod    InferenceXBodyType = "spec_method"
	BodyBenchmark InferenceXBodyType = "benchmark_type"
	BodyLength    InferenceXBodyType = "length"  // of the text under the key, in characters: the text is in the table of the section of that key
	BodyElement   InferenceXBodyType = "element" // the row itself, a text
	BodyPiece     InferenceXBodyType = "piece"   // what the reader of a long text makes of a piece of it
	BodyVersion   InferenceXBodyType = "version" // of the body's contract: InferenceXContract, a body of another is refused
)

// InferenceXBodyTables are the tables of the operations whose responses are loaded
// as they are. A column is KEY:TYPE, KEY=COLUMN:TYPE where the two differ, and ends in ! where it is needed.
var InferenceXBodyTables = []InferenceXBodyTable{
	{"availability", "", "inferencex_api_availability", false, bodyColumns(
		"model:model! isl:integer osl:integer precision:precision! hardware:hardware! framework:framework! spec_method:spec_method disagg:bool! benchmark_type:benchmark_type date:day!")},
	{"evaluations", "", "inferencex_api_evaluations", false, bodyColumns("id=published_id:integer config_id=published_config_id:integer " + configurationColumns +
		" task:text! date:day! isl:integer osl:integer conc:integer timestamp:time run_url:text")},
	{"reliability", "", "inferencex_api_reliability", false, bodyColumns("hardware:hardware! date:day! n_success:integer! total:integer!")},
	{"workflow-info", "runs", "inferencex_api_workflow_runs", false, bodyColumns(
		"github_run_id:integer! name:text conclusion:text run_attempt:integer html_url:text created_at:time date:day")},
	{"workflow-info", "changelogs", "inferencex_api_changelogs", true, bodyColumns(
		"workflow_run_id=github_run_id:integer date:day base_ref:text head_ref:text config_keys:list description:text pr_link:text")},
	{"workflow-info", "configs", "inferencex_api_configs", true, bodyColumns(
		"model:model isl:integer osl:integer precision:precision hardware:hardware framework:framework spec_method:spec_method disagg:bool benchmark_type:benchmark_type")},
	{"workflow-info", "runConfigs", "inferencex_api_run_configs", true, bodyColumns(
		"github_run_id:integer model:model isl:integer osl:integer precision:precision hardware:hardware framework:framework spec_method:spec_method disagg:bool benchmark_type:benchmark_type")},
	{"submissions", "summary", "inferencex_api_submissions", false, bodyColumns(
		"model:model! hardware:hardware! framework:framework! precision:precision! spec_method:spec_method disagg:bool! is_multinode:bool! num_prefill_gpu:integer! num_decode_gpu:integer! " +
			"prefill_tp:integer! prefill_ep:integer! decode_tp:integer! decode_ep:integer! date:day! total_datapoints:integer! distinct_sequences:integer! distinct_concurrencies:integer! " +
			"max_concurrency:integer! image:text")},
	{"submissions", "volume", "inferencex_api_volume", false, bodyColumns("date:day! hardware:hardware! datapoints:integer!")},
	{"latest-images", "", "inferencex_api_latest_images", false, bodyColumns(
		"model:model! hardware:hardware! framework:framework! precision:precision! spec_method:spec_method disagg:bool! isl:integer osl:integer benchmark_type:benchmark_type image:text! date:day!")},
	{"framework-releases", BodyItself, "inferencex_api_framework_releases", true, bodyColumns("vllm:text sglang:text")},
	{"tco-feed", BodyItself, "inferencex_api_tco_feeds", false, bodyColumns(
		"model:text! db_model_keys:list date:day workloads:list tiers:json weights:json workload_weights:json alpha:number")},
	{"tco-feed", "rows", "inferencex_api_tco_rows", true, bodyColumns("hardware:hardware! workload:text tier:number tput_per_gpu:number is_interpolated:bool score:number")},
	{"benchmark-siblings", "sku", "inferencex_api_sibling_skus", true, bodyColumns(
		"hardware:hardware framework:framework model:model precision:precision spec_method:spec_method benchmark_type:benchmark_type github_run_id:integer date:day dataset_slug:text")},
	{"benchmark-siblings", "siblings", "inferencex_api_siblings", true, bodyColumns("id=published_id:integer! conc:integer offload_mode:text " +
		"decode_tp:integer decode_ep:integer decode_pp:integer decode_dcp_size:integer decode_pcp_size:integer decode_dp_attention:bool decode_num_workers:integer " +
		"prefill_tp:integer prefill_ep:integer prefill_pp:integer prefill_dcp_size:integer prefill_pcp_size:integer prefill_dp_attention:bool prefill_num_workers:integer " +
		"num_prefill_gpu:integer num_decode_gpu:integer disagg:bool is_multinode:bool tput_per_gpu:number total_requests:integer is_current:bool has_trace:bool")},
	{"datasets", "", "inferencex_api_datasets", false, bodyColumns(datasetColumns)},
	{"dataset", BodyItself, "inferencex_api_dataset_details", false, bodyColumns(datasetColumns + " chart_data:json")},
	{"conversations", BodyItself, "inferencex_api_conversation_pages", false, bodyColumns("total:integer!")},
	{"conversations", "items", "inferencex_api_conversations", false, bodyColumns(conversationColumns)},
	{"conversation", BodyItself, "inferencex_api_conversation_structures", false, bodyColumns(conversationColumns + " structure:json")},
	{"request-timeline", BodyItself, "inferencex_api_timelines", false, bodyColumns("version:integer! startNs=start_ns:ticks! endNs=end_ns:ticks! durationS=duration_s:number!")},
	{"request-timeline", "requests", "inferencex_api_timeline_requests", false, bodyColumns("cid=conversation_id:text! ri=replay_index:integer ti=turn_index:integer! " +
		"srcTrace=source_trace:text srcOuter=source_outer_index:integer srcInner=source_inner_index:integer srcKind=source_kind:text wid=worker_id:text! ad=agent_depth:integer! phase:text! " +
		"credit=credit_ns:ticks! start=start_ns:ticks! ack=ack_ns:ticks end=end_ns:ticks! ttftMs=ttft_ms:number tpotMs=tpot_ms:number isl:integer osl:integer cancelled:bool!")},
	// A body of collectivex-latest is one of collectivex-run: nothing in it tells them apart.
	{"collectivex-run", BodyItself, "inferencex_api_collectivex_datasets", false, bodyColumns("version:version!")},
	{"collectivex-run", "run", "inferencex_api_collectivex_runs", false, bodyColumns(collectiveRunColumns + " source_sha:text requested_cases:integer terminal_cases:integer " +
		"measured_cases:integer unsupported_cases:integer failed_cases:integer requested_points:integer terminal_points:integer measured_points:integer " +
		"kv_requested_cases:integer kv_measured_cases:integer")},
	{"collectivex-run", "coverage", "inferencex_api_collectivex_cases", true, bodyColumns(collectiveCaseColumns + " phase:text mode:text points:json")},
	{"collectivex-run", "series", "inferencex_api_collectivex_series", true, bodyColumns("series_id:text! phase:text mode:text precision:precision backend:text " +
		"system.sku=hardware:hardware system.vendor=vendor:text " + topologyColumns("system") + " points:json")},
	{"collectivex-run", "kv", "inferencex_api_collectivex_kv_cases", true, bodyColumns(collectiveCaseColumns + " vendor:text fabric:text workload:text rows:json")},
	{"collectivex-runs", BodyItself, "inferencex_api_collectivex_lists", false, bodyColumns("version:version! discovery_complete:bool")},
	{"collectivex-runs", "runs", "inferencex_api_collectivex_summaries", false, bodyColumns(collectiveRunColumns + " requested_cases:integer measured_cases:integer " +
		"requested_points:integer terminal_points:integer terminal_counts.measured=measured_points:integer terminal_counts.unsupported=unsupported_points:integer " +
		"terminal_counts.failed=failed_points:integer kv_cases.requested=kv_requested_cases:integer kv_cases.measured=kv_measured_cases:integer")},
	{"agentic-aggregates", BodyByID, "inferencex_api_agentic_aggregates", false, bodyColumns("id=published_id:id! " + aggregateColumns("isl", "isl") + aggregateColumns("osl", "osl") +
		aggregateColumns("kvCacheUtil", "kv_cache_util") + aggregateColumns("prefixCacheHitRate", "prefix_cache_hit_rate"))},
	{"derived-agentic-metrics", BodyByID, "inferencex_api_derived_agentic_metrics", false, bodyColumns("id=published_id:id! p75_e2e_norm_intvty:number p90_e2e_norm_intvty:number")},
	{"trace-histograms", BodyByID, "inferencex_api_trace_histograms", false, bodyColumns("id=published_id:id! isl=isl_count:count osl=osl_count:count isl=isl_samples:samples osl=osl_samples:samples")},
	// Nothing in a body of these two tells them apart: the ledger does.
	{"log-availability", BodyFlagByID, "inferencex_api_log_availability", false, bodyColumns("id=published_id:id! " + BodyFlag + ":bool!")},
	{"trace-availability", BodyFlagByID, "inferencex_api_trace_availability", false, bodyColumns("id=published_id:id! " + BodyFlag + ":bool!")},
	{"trace-server-metrics", BodyItself, "inferencex_api_server_metrics", false, bodyColumns("startNs=start_ns:ticks endNs=end_ns:ticks durationS=duration_s:number timeslicesCount=timeslices:integer " +
		"kvCachePoolTokens=kv_cache_pool_tokens:number")},
	{"trace-server-metrics", "meta", "inferencex_api_server_metrics_meta", true, bodyColumns("id=published_id:integer hardware:hardware framework:framework model:model precision:precision spec_method:spec_method " +
		"disagg:bool is_multinode:bool conc:integer offload_mode:text kv_offloading:text kv_offload_backend:text kv_offload_backend_version:text kv_p2p_transfer:text router_name:text router_version:text " +
		"isl:integer osl:integer benchmark_type:text date:day run_url:text server_gpu_cache_hit_rate:number server_cpu_cache_hit_rate:number")},
	{"trace-server-metrics", BodySeries, "inferencex_api_server_series", true, bodyColumns("series:text! label:text points=samples:count points:points")},
	{"trace-server-metrics", "metricSources", "inferencex_api_server_metric_sources", true, bodyColumns("source.id=source_id:text source.adapter=adapter:text source.role=role:text " +
		"source.endpointUrl=endpoint_url:text source.nativeRole=native_role:text source.workerId=worker_id:text source.dpRank=dp_rank:text source.engine=engine:text")},
	{"server-log-files", "", "inferencex_api_server_log_files", false, bodyColumns("=file_name:element")},
	{"server-log", BodyItself, "inferencex_api_server_logs", false, bodyColumns(
		"id=published_id:integer fileName=file_name:text offset=first_character:integer nextOffset=next_character:integer serverLog=characters:length")},
	{"server-log", "serverLog", "inferencex_api_server_log_pieces", false, bodyColumns("=first_character:piece =characters:piece =nuls:piece =text:piece")},
	{"server-log-search", BodyItself, "inferencex_api_server_log_searches", false, bodyColumns("id=published_id:integer! query=searched_text:text! truncated:bool!")},
	{"server-log-search", "matches", "inferencex_api_server_log_matches", false, bodyColumns(
		"fileName=file_name:text! offset=first_character:integer! before=before_text:text match=match_text:text! after=after_text:text")},
}

// collectiveRunColumns are the columns of a run of collective benchmarks,
// collectiveCaseColumns those of a case, measured or not.
var (
	collectiveRunColumns  = "run_id=github_run_id:digits! run_attempt:integer generated_at:time conclusion:text covered_skus:list"
	collectiveCaseColumns = "case_id:text! label:text disposition:text sku=hardware:hardware backend:text precision:precision " + topologyColumns("topology") +
		" outcome:text reason:text detail:text"
)

// aggregateColumns are the columns of the statistics under a key.
func aggregateColumns(key, name string) string {
	return strings.NewReplacer("KEY", key, "NAME", name).Replace("KEY.mean=NAME_mean:number KEY.p50=NAME_p50:number KEY.p75=NAME_p75:number KEY.p90=NAME_p90:number " +
		"KEY.p95=NAME_p95:number KEY.p99=NAME_p99:number KEY.n=NAME_n:integer ")
}

// topologyColumns are the columns of what stands under a key that describes GPUs and what joins them.
func topologyColumns(key string) string {
	return strings.ReplaceAll("KEY.ep_size=ep_size:integer KEY.nodes=nodes:integer KEY.gpus_per_node=gpus_per_node:integer KEY.scale_up_domain=scale_up_domain:integer "+
		"KEY.scale_up_transport=scale_up_transport:text KEY.scale_out_transport=scale_out_transport:text KEY.topology_class=topology_class:text", "KEY", key)
}

// datasetColumns are the columns of a data set, conversationColumns those of a conversation.
const (
	datasetColumns = "id=published_dataset_id:text slug:text! label:text variant:text description:text hf_url:text license=licence:text " +
		"conversation_count:integer summary:json ingested_at:time"
	conversationColumns = "conv_id:text! models:list num_turns:integer num_subagent_groups:integer total_in:integer total_out:integer total_cached:integer"
)

// configurationColumns are the 17 columns that tell configurations apart.
const configurationColumns = "hardware:hardware! framework:framework! model:model! precision:precision! spec_method:spec_method disagg:bool is_multinode:bool " +
	"prefill_tp:integer prefill_ep:integer prefill_dp_attention:bool prefill_num_workers:integer decode_tp:integer decode_ep:integer decode_dp_attention:bool " +
	"decode_num_workers:integer num_prefill_gpu:integer num_decode_gpu:integer"

func bodyColumns(text string) (all []InferenceXBodyColumn) {
	for _, word := range strings.Fields(text) {
		word, needed := strings.CutSuffix(word, "!")
		name, kind, _ := strings.Cut(word, ":")
		key, column, renamed := strings.Cut(name, "=")
		if !renamed {
			column = key
		}
		all = append(all, InferenceXBodyColumn{key, column, InferenceXBodyType(kind), needed})
	}
	return all
}

// InferenceXBodies are the tables of an operation, by section; nil where its responses are not loaded so.
func InferenceXBodies(operation string) map[string]*InferenceXBodyTable {
	var tables map[string]*InferenceXBodyTable
	for i := range InferenceXBodyTables {
		if t := &InferenceXBodyTables[i]; t.Operation == operation {
			if tables == nil {
				tables = map[string]*InferenceXBodyTable{}
			}
			tables[t.Section] = t
		}
	}
	return tables
}

// Bare tells a table whose rows are no objects of the body: it has no columns for
// what they hold otherwise or beyond.
func (t *InferenceXBodyTable) Bare() bool {
	return t.Columns[0].Type == BodyElement || t.Columns[0].Type == BodyPiece
}

// InferenceXBodyRow is a row of an operation's response.
type InferenceXBodyRow struct {
	InferenceXPlace // Table is the section, or the operation where there is none
	Of              *InferenceXBodyTable
	SHA256          string // of the capture, filled in by who stores it
	Values          []any  // of the columns: nil, string, int64 or float64; names are canonical
	AsWritten       string // JSON object of the texts that the columns hold otherwise, by key, "" for none
	Extra           string // JSON object of what has no column, "" for nothing
	Metrics         []InferenceXOther
}

// Texts returns the row's texts, the keys and texts of its metrics included.
func (r *InferenceXBodyRow) Texts() []string {
	all := []string{r.AsWritten, r.Extra}
	for _, v := range r.Values {
		if s, ok := v.(string); ok {
			all = append(all, s)
		}
	}
	for _, m := range r.Metrics {
		all = append(all, m.Key, m.Text)
	}
	return all
}
