package inferencex

import (
	"bytes"
	"strings"
	"testing"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// bodies reads a body and returns its rows by table.
func bodies(t *testing.T, text string, opts Options) (map[string][]*record.InferenceXBodyRow, Summary) {
	t.Helper()
	rows := map[string][]*record.InferenceXBodyRow{}
	opts.Other = func(row record.InferenceXTableRow) error {
		r := row.(*record.InferenceXBodyRow)
		rows[r.Of.Name] = append(rows[r.Of.Name], r)
		return nil
	}
	sum, err := Read(strings.NewReader(text), opts, func(*record.InferenceXRow) error {
		t.Error("a benchmark row")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows, sum
}

// TestBodySections holds the places of rows, and what is not under a section.
func TestBodySections(t *testing.T) {
	rows, sum := bodies(t, "{\"summary\": [],\n \"volume\": [{\"date\": \"2026-01-02\", \"hardware\": \"h200\", \"datapoints\": 1},\n{\"date\": \"2026-01-03\", \"hardware\": \"h200\", \"datapoints\": \"2\"},\n"+
		"{\"date\": \"x\", \"hardware\": \"h200\", \"datapoints\": 3}],\n\"more\": {\"a\": 1}}", Options{})
	volume := rows["inferencex_api_volume"]
	if len(rows) != 1 || len(volume) != 2 || volume[1].Position != 2 || volume[1].Line != 3 || volume[1].Values[2] != int64(2) || sum.Rows != 2 || sum.Refused != 1 {
		t.Errorf("%+v %+v", rows, sum)
	}
	if p := onlyProblem(t, sum); p.Path != "volume[2].date" || p.Line != 4 {
		t.Errorf("%+v", p)
	}
	if len(sum.Drift) != 2 || sum.Drift[0] != (Drift{"key", "submissions.more", "", "more", 5, 1}) || sum.Drift[1].Key != "datapoints" {
		t.Errorf("%+v", sum.Drift)
	}
}

// TestBodyItself holds that the keys of a body are a row.
func TestBodyItself(t *testing.T) {
	rows, sum := bodies(t, `{"rows": [], "model": "dsv4", "tiers": [30, 5e1], "workloads": ["1x1"], "date": null, "colour": "red"}`, Options{})
	feed := rows["inferencex_api_tco_feeds"]
	if len(feed) != 1 || feed[0].Values[0] != "dsv4" || feed[0].Values[4] != "[30,5e1]" || feed[0].Values[2] != nil || feed[0].Extra != `{"colour":"red"}` || sum.Rows != 1 {
		t.Errorf("%+v %+v", rows, sum)
	}
	if len(sum.Drift) != 1 || sum.Drift[0].Path != "colour" {
		t.Errorf("%+v", sum.Drift)
	}
	_, sum = bodies(t, `{"rows": [], "workloads": ["1x1"], "tiers": [1]}`, Options{})
	if p := onlyProblem(t, sum); p.Rule != "missing-key" || p.Path != "model" || sum.Refused != 1 {
		t.Errorf("%+v", p)
	}
}

// TestBodyOfAnotherShape holds that a body which is a list where it should be an object, or the other way, is refused.
func TestBodyOfAnotherShape(t *testing.T) {
	for _, text := range []string{`{"hardware":"h200","n_success":1,"total":2}`, `[{"summary":[],"volume":[]}]`} {
		rows, sum := bodies(t, text, Options{})
		if len(rows) != 0 || len(sum.Problems) != 1 || sum.Problems[0].Path != "" {
			t.Errorf("%s: %+v", text, sum)
		}
	}
}

// FuzzBodies holds that whatever a body is, its rows have the columns of their
// tables, and it is refused or read, not both.
func FuzzBodies(f *testing.F) {
	for _, seed := range []string{
		`[{"hardware":"h200","date":"2026-01-02","n_success":"3","total":4,"x":{"y":[1]}}]`,
		`{"summary":[],"volume":[{"date":"2026-01-02","hardware":"h200","datapoints":1}]}`,
		`{"runs":[],"changelogs":[{"config_keys":["a"],"workflow_run_id":"1"}],"configs":[5],"runConfigs":{}}`,
		`{"model":"a","workloads":[],"tiers":[1e999],"rows":[{"hardware":"h200","tput_per_gpu":1}]}`,
		`{"sku":{"hardware":"h200"},"siblings":[{"id":1,"decode_pp":null}]}`, `{"vllm":"v1","sglang":null}`,
		`[{"task":"a","metrics":{"b":1,"b":"c","d":null},"hardware":"h200","framework":"sglang-disagg"}]`, `[{"slug":"a","license":null,"conversation_count":"2","summary":{"x":[1,{}]}}]`, `{"slug":"a","conversation_count":1,"chart_data":{"tokens":{"bins":[0]}}}`,
		`{"total":2,"items":[{"conv_id":"c","models":["m"],"total_in":1},{"conv_id":""}]}`, `{"conv_id":"c","num_turns":1,"structure":{"children":[{}]}}`,
		`{"version":1,"run":{"run_id":"5","covered_skus":["h200"]},"coverage":[{"case_id":"a","topology":{"ep_size":"8","ep_size":8}}],"series":[{"series_id":"s","system":5},{"system.sku":1}],"kv":[{}]}`,
		`{"version":"1","runs":[{"run_id":5,"terminal_counts":{"measured":1,"x":2},"kv_cases":null}],"discovery_complete":true}`, `{"runs":[],"version":2}`,
		`{"version":6,"startNs":1,"endNs":9223372036854775807,"durationS":1,"requests":[{"cid":"c","ti":0,"wid":"w","ad":0,"phase":"p","credit":-1,"start":1e3,"ack":null,"end":9007199254740993,"ttftMs":0.5,"isl":1,"cancelled":true},{"cid":""}]}`,
		`{"startNs":9223372036854775808,"requests":[{"start":1.5}]}`,
		`{"421":{"id":"421","isl":{"mean":1,"n":2.0},"osl":null,"kvCacheUtil":{"p42":1}},"0422":{"kvCacheUtil":5},"421":{}}`, `{"1":{"p75_e2e_norm_intvty":null,"id":2},"2":null,"x":[1]}`,
		`{"1":{"isl":[1,null,1e999],"osl":[]},"2":{"isl":["NaN"]}}`, `{"meta":{"id":1,"disagg":"true"},"startNs":1789508185611923200,"kvCacheUsage":[{"t":0,"value":1}],"prefillTps":null,"decodeTps":5,
			"promptTokensBySource":{"a":[{}],"a":5},"kvCacheUsageByEngine":[{"engineLabel":"0","points":[{}],"series":1},7],"metricSources":[{"source":{"id":"x"}}],"meta":{}}`,
		`{"id":1,"serverLog":"a\u0000\ud83d\ude00"}`, `{"id":1,"fileName":"a","serverLog":"","offset":5,"nextOffset":null,"x":[]}`, `{"serverLog":[],"serverLog":"a"}`,
		`{"id":1,"query":"a","truncated":false,"matches":[{"fileName":"b","offset":0,"before":"","match":"A","after":null},5]}`,
		`{"summary":[`, `{"volume":[],"summary":1,"summary":{}}`,
		"hardware,workload,tier,later\nh200,1x1,5,1e3\n\"b\n200\",,x\n", "hardware,score,score_1x1\r\nh200,1,\n,2,3\n\"", "score,hardware\n1e999,h\xff",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		n := 0
		sum, err := Read(bytes.NewReader(data), Options{Other: func(row record.InferenceXTableRow) error {
			r := row.(*record.InferenceXBodyRow)
			if len(r.Values) != len(r.Of.Columns) || r.Position < 1 || r.Line < 1 {
				t.Errorf("%+v", r)
			}
			for i, c := range r.Of.Columns {
				if c.Needed && r.Values[i] == nil {
					t.Errorf("%s is missing in %+v", c.Key, r)
				}
			}
			n++
			return nil
		}}, func(*record.InferenceXRow) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		if sum.Kind.Bodied() && n != sum.Rows {
			t.Errorf("%d rows, counted %d", n, sum.Rows)
		}
	})
}
