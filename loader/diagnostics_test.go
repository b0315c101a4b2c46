package loader

import (
	"slices"
	"strings"
	"testing"

	"github.com/inference-sim/blis-warehouse/store"
)

// TestServerMetrics holds what the server metrics of a benchmark are as rows.
func TestServerMetrics(t *testing.T) {
	w := newWorld(t, map[string]string{"m.json": inventedBodies(t)["trace-server-metrics.json"]})
	d := w.load("w.db", w.options(), "m.json").Documents[0]
	if len(d.Drift) != 1 || d.Drift[0].Key != "trace-server-metrics.later" {
		t.Errorf("drift %+v", d.Drift)
	}
	w.want("w.db", `SELECT start_ns, end_ns, duration_s, timeslices, kv_cache_pool_tokens, extra FROM inferencex_api_server_metrics`, `1789508185611923200|1789508190611923200|5|5|983040|{"later":[1]}`)
	w.want("w.db", `SELECT published_id, hardware, benchmark_type, as_written, extra FROM inferencex_api_server_metrics_meta`, `421|h200|agentic_traces|{"hardware":"h200-nv"}|{"owner":{"name":"x"}}`)
	w.want("w.db", `SELECT position, series, label, samples FROM inferencex_api_server_series ORDER BY position`,
		"1|kvCacheUsage|NULL|5", "2|prefixCacheHitRate|NULL|0", "3|queueDepth|NULL|2", "4|promptTokensBySource|local_cache_hit|1", "5|promptTokensBySource|miss / ü|2", "6|prefillTps|NULL|1",
		"7|decodeTps|NULL|1", "8|prefixCacheHitsTps|NULL|1", "9|hostKvCacheUsage|NULL|1", "10|kvCacheUsageByEngine|0|1", "11|kvCacheUsageByEngine|1|0", "12|kvCacheUsageByEngine|NULL|NULL")
	w.want("w.db", `SELECT published_id, series, label, position, sample, t_s, key, value FROM server_metric_samples WHERE series NOT IN ('kvCacheUsage', 'decodeTps') ORDER BY position, sample, key`,
		"421|queueDepth|NULL|3|1|0.5|note|x", "421|queueDepth|NULL|3|1|0.5|running|3", "421|queueDepth|NULL|3|1|0.5|total|5", "421|queueDepth|NULL|3|1|0.5|waiting|2", "421|queueDepth|NULL|3|2|1.5|NULL|NULL",
		"421|promptTokensBySource|local_cache_hit|4|1|0|value|120", "421|promptTokensBySource|miss / ü|5|1|0|value|30", "421|promptTokensBySource|miss / ü|5|2|1|value|100",
		"421|prefillTps|NULL|6|1|0|v|150", "421|prefixCacheHitsTps|NULL|8|1|0|value|120", "421|hostKvCacheUsage|NULL|9|1|0|value|0.125", "421|kvCacheUsageByEngine|0|10|1|0|value|0.25")
	w.want("w.db", `SELECT source_id, dp_rank, engine, extra FROM inferencex_api_server_metric_sources`, `dynamo|decode|a|0|NULL|{"kvCacheUsage":[{"t":0,"value":1}],"source.zone":"z"}`)
}

// TestTraceSamples holds what histograms are as rows, and that what the publisher could not tell is kept and no sample.
func TestTraceSamples(t *testing.T) {
	w := newWorld(t, map[string]string{"h.json": inventedBodies(t)["trace-histograms.json"]})
	w.load("w.db", w.options(), "h.json")
	w.want("w.db", `SELECT published_id, length, sample, tokens FROM trace_samples ORDER BY 1, 2, 3`, "421|isl|1|4000", "421|isl|2|1000", "421|isl|3|2000", "421|isl|4|3000",
		"421|osl|1|30", "421|osl|2|10", "421|osl|3|20", "422|isl|1|7", "424|isl|1|1500", "424|isl|3|0")
	w.want("w.db", `SELECT published_id, isl_count, osl_count, isl_samples, osl_samples, extra FROM inferencex_api_trace_histograms ORDER BY 1`, "421|4|3|[4000,1000,2000,3000]|[30,10,20]|NULL",
		"422|1|0|[7]|[]|NULL", `424|2|NULL|[1.5e3,null,0]|NULL|{"shape":"x"}`)
}

// TestHostileMembers holds that of members named by ids, and of series, those that
// cannot be used are refused by themselves, each with its path, and the others loaded.
func TestHostileMembers(t *testing.T) {
	for _, tt := range []struct {
		name, body, outcome, query string
		want                       []string
	}{
		{"ids", `{"421":{"p75_e2e_norm_intvty":1},
"0422":{"p75_e2e_norm_intvty":2},"1e3":{"p75_e2e_norm_intvty":3},
"423":{"id":424,"p75_e2e_norm_intvty":4},"425":null,
"426":{"id":null,"p75_e2e_norm_intvty":5},"\u003421":{"p75_e2e_norm_intvty":6},"9007199254740992":{},"427":{"id":"x"},"428":{"id":428.0,"id":428},"429":[1],"430":{"id":430.0}}`,
			"ids partial 0422:2[id] 1e3:2[id] 423.id:3[id] 425:3[type] 421:4[duplicate-key] 9007199254740992:4[id] 427.id:4[type] 428.id:4[duplicate-key] 429:4[type]",
			`SELECT position, published_id, p75_e2e_norm_intvty FROM inferencex_api_derived_agentic_metrics ORDER BY 1`, []string{"1|421|1", "6|426|5", "12|430|NULL"}},
		{"statistics", `{"1":{"kvCacheUtil":5},"2":{"kvCacheUtil":{"mean":"NaN"}},"3":{"kvCacheUtil":{"mean":1e999}},"4":{"kvCacheUtil":{"n":1.5}},"5":{"kvCacheUtil":{"mean":[1]}},"6":{"kvCacheUtil":{"mean":null,"n":-1}},
"7":{"kvCacheUtil":{},"osl":{"mean":2,"mean":3}},"8":{"kvCacheUtil":{"mean":0.5,"deep":{"a":[]}}}}`,
			"statistics partial 2.kvCacheUtil.mean:1[type] 3.kvCacheUtil.mean:1[number-range] 4.kvCacheUtil.n:1[type] 5.kvCacheUtil.mean:1[type] 6.kvCacheUtil.n:1[range] 7.osl.mean:2[duplicate-key]",
			`SELECT published_id, kv_cache_util_mean, extra FROM inferencex_api_agentic_aggregates ORDER BY 1`, []string{`1|NULL|{"kvCacheUtil":5}`, `8|0.5|{"kvCacheUtil.deep":{"a":[]}}`}},
		{"samples", `{"1":{"isl":[1,"NaN"]},"2":{"isl":[1e999]},"3":{"isl":{"0":1}},"4":{"isl":[[1]]},"5":{"isl":[` + strings.Repeat("12,", 200_000) + `13],"osl":[]},"6":{"isl":[],"osl":true}}`,
			"samples partial 1.isl[1]:1[type] 2.isl[0]:1[number-range] 3.isl:1[type] 4.isl[0]:1[type] 6.osl:1[type]",
			`SELECT published_id, isl_count, (SELECT sum(tokens) FROM trace_samples s WHERE s.published_id = h.published_id) FROM inferencex_api_trace_histograms h`, []string{"5|200001|2400013"}},
		{"series", `{"meta":{"id":1},"startNs":1.5,"kvCacheUsage":[5],"queueDepth":{"a":[]},
"promptTokensBySource":{"a":[{}],"b":5,"c":[{},null],"a":[{"t":1}]},"decodeTps":null,"kvCacheUsageByEngine":[7,{"engineLabel":5},{"label":"x","series":1,"points":[]}],"prefillTps":[],"prefillTps":[{"t":1}],"metricSources":[{"source":5}],"meta":{"id":2}}`,
			"series partial kvCacheUsage[0]:1[type] queueDepth:1[type] promptTokensBySource.b:2[type] promptTokensBySource.c[1]:2[type] promptTokensBySource.a:2[duplicate-key] kvCacheUsageByEngine[0]:2[type] kvCacheUsageByEngine[1].label:2[type] prefillTps:2[duplicate-key] meta:2[duplicate-key] startNs:1[type]",
			`SELECT m.published_id, s.position, series, label, samples, s.extra FROM inferencex_api_server_metrics_meta m JOIN inferencex_api_server_series s USING (sha256) ORDER BY s.position`,
			[]string{"1|2|promptTokensBySource|a|1|NULL", `1|8|kvCacheUsageByEngine|NULL|0|{"entry.label":"x","entry.series":1}`, "1|9|prefillTps|NULL|0|NULL"}},
		{"sections", `{"summary":[],"volume":[{"date":"2026-01-02","hardware":"h200","datapoints":1}],"volume":[{"date":"2026-01-03","hardware":"h200","datapoints":2}]}`,
			"sections partial volume:1[duplicate-key]", `SELECT date FROM inferencex_api_volume`, []string{"2026-01-02"}},
		{"cut", `{"1":{"kvCacheUtil":null},"2":{"kvCa`, "cut rejected :1[json]", `SELECT count(*) FROM inferencex_bodies`, []string{"0"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, map[string]string{tt.name: tt.body})
			wantOutcomes(t, w.load("w.db", w.options(), tt.name), tt.outcome)
			w.want("w.db", tt.query, tt.want...)
			content := w.logicalContent("w.db")
			w.load("w.db", w.options(), tt.name)
			compareContent(t, "loaded again", w.logicalContent("w.db"), content)
		})
	}
}

// TestHostileFlags holds the same of members that are true or false.
func TestHostileFlags(t *testing.T) {
	const body = "{\"421\":true,\n\"422\":1,\"423\":null,\"424\":{\"id\":424},\"0425\":true,\"426\":\"true\",\"421\":false}"
	w := newWorld(t, map[string]string{"f/a.json": body, "f/captures.jsonl": ledgerLine("trace-availability", "a.json", body, earlyCapture, "complete")})
	wantOutcomes(t, w.load("w.db", w.options(), "f"), "f/a.json partial 422:2[type] 423:2[missing-key] 424:2[type] 0425:2[id] 421:2[duplicate-key]")
	w.want("w.db", `SELECT position, published_id, available FROM inferencex_api_trace_availability ORDER BY 1`, "1|421|1", "6|426|1")
}

// TestAlikeDiagnostics holds that the same bytes are the answer of each operation that
// a ledger says they answer, empty or not, in any order and rebuilt.
func TestAlikeDiagnostics(t *testing.T) {
	operations := []string{"log-availability", "trace-availability", "agentic-aggregates", "derived-agentic-metrics", "trace-histograms"}
	const flags, empty, nothing = `{"421":true}`, `{}`, `{"421":{}}`
	files := map[string]string{}
	var inputs []string
	for _, operation := range operations {
		body := map[bool]string{true: flags, false: nothing}[strings.HasSuffix(operation, "-availability")]
		files[operation+"/a.json"], files[operation+"/b.json"] = body, empty
		files[operation+"/captures.jsonl"] = askedLine(operation, "a.json", body, earlyCapture) + askedLine(operation, "b.json", empty, lateCapture)
		inputs = append(inputs, operation)
	}
	w := newWorld(t, files)
	for _, d := range w.load("all.db", w.options(), inputs...).Documents {
		if !d.Valid || len(d.Problems) > 0 || d.Status != store.Added {
			t.Errorf("%+v", d)
		}
	}
	w.want("all.db", `SELECT operation, count(*), sum(rows) FROM inferencex_bodies GROUP BY operation ORDER BY operation`,
		"agentic-aggregates|2|1", "derived-agentic-metrics|2|1", "log-availability|2|1", "trace-availability|2|1", "trace-histograms|2|1")
	w.want("all.db", `SELECT l.published_id, l.available, t.available FROM inferencex_api_log_availability l JOIN inferencex_api_trace_availability t USING (sha256, position)`, "421|1|1")
	want := w.logicalContent("all.db")
	slices.Reverse(inputs)
	for _, input := range inputs {
		w.load("other.db", w.options(), input)
	}
	compareContent(t, "in another order", w.logicalContent("other.db"), want)
	w.rebuild("all.db", "rebuilt.db", ".")
	if w.digest("other.db") != w.digest("all.db") || w.digest("rebuilt.db") != w.digest("all.db") {
		t.Error("another digest")
	}
}
