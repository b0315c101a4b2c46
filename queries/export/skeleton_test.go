package export

import (
	"bytes"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/inference-sim/blis-warehouse/loader/catalog"
	"github.com/inference-sim/blis-warehouse/store"
	"github.com/inference-sim/blis-warehouse/store/record"
)

// inventedCapture are rows invented for tests; none is measured.
var inventedCapture = "[" + strings.Join([]string{
	// A single node, three loads; the second is hung and was reported with p50_.
	inventedRow(1, `"conc":4,"metrics":{"median_ttft":0.00435,"p99_itl":0.012345678901234567,"tput_per_gpu":128.4,"num_requests_total":40,"num_requests_successful":39}`),
	inventedRow(1, `"conc":8,"metrics":{"p50_ttft":0.1,"median_e2el":0.3,"p99_e2el":7.0000000000000001e-1,"p99_itl":1e-9,"tput_per_gpu":200,"num_requests_total":80}`),
	inventedRow(1, `"conc":16,"metrics":{"mean_ttft":1.1,"p99.9_tpot":0.07,"median_e2el":0.3,"p99_e2el":30,"tput_per_gpu":300.00000000000006}`),
	// Two nodes, disaggregated, agentic: another client, no lengths, a model without a name in the catalog, an image that states no release.
	inventedRow(2, `"model":"dsr1","framework":"dynamo-vllm","precision":"fp8","spec_method":"mtp","disagg":true,"is_multinode":true,"prefill_tp":4,"prefill_num_workers":2,
		"decode_tp":8,"decode_ep":8,"decode_dp_attention":true,"decode_num_workers":1,"num_prefill_gpu":8,"num_decode_gpu":8,"benchmark_type":"agentic_traces",
		"isl":null,"osl":null,"offload_mode":"on","image":"example/nightly:latest\u2028x","conc":2,
		"metrics":{"median_ttft":2.675,"input_tput_per_gpu":5,"prefill_pp":2,"decode_dcp_size":2,"kv_p2p_transfer":"a: \"b\"\n#c"}`),
	// As many requests at every load; a width that rows do not agree on.
	inventedRow(3, `"conc":1,"metrics":{"median_tpot":0.029,"num_requests_total":20,"pp":1,"pcp_size":2}`),
	inventedRow(3, `"conc":2,"metrics":{"median_tpot":0.031,"num_requests_total":20,"pp":1,"pcp_size":1}`),
	// Disaggregated on what the rows say is one node; the second row states no value.
	inventedRow(4, `"disagg":true,"prefill_num_workers":1,"decode_num_workers":1,"image":null,"conc":1,"metrics":{"p95_itl":0.5}`),
	inventedRow(4, `"disagg":true,"prefill_num_workers":1,"decode_num_workers":1,"image":null,"conc":2,"metrics":{"mean_intvty":30}`),
	// Disaggregated without a split.
	inventedRow(5, `"disagg":true,"is_multinode":true,"conc":1,"metrics":{"p95_itl":0.5}`),
	// No GitHub run.
	inventedRow(0, `"run_url":null,"conc":1,"metrics":{"std_ttft":0}`),
}, ",\n") + "]"

// inventedArtifact is a raw artifact of the first format, invented too.
const inventedArtifact = `{"hw":"h100","tp":8,"ep":1,"dp_attention":false,"conc":64,"model":"deepseek-ai/DeepSeek-R1-0528","infmax_model_prefix":"dsr1",
	"framework":"vllm","precision":"fp8","isl":1024,"osl":1024,"median_ttft":0.25,"median_tpot":0.03,"tput_per_gpu":100.5}`

// inventedRow is a row of a GitHub run: the keys given, and of the others what
// the rows have in common.
func inventedRow(run int, changes string) string {
	var b strings.Builder
	b.WriteString("{" + changes)
	for _, pair := range []string{
		`"hardware":"h200"`, `"framework":"vllm"`, `"model":"gptoss120b"`, `"precision":"fp4"`, `"spec_method":"none"`, `"disagg":false`, `"is_multinode":false`,
		`"prefill_tp":8`, `"prefill_ep":1`, `"prefill_dp_attention":false`, `"prefill_num_workers":0`, `"decode_tp":8`, `"decode_ep":1`,
		`"decode_dp_attention":false`, `"decode_num_workers":0`, `"num_prefill_gpu":8`, `"num_decode_gpu":8`, `"benchmark_type":"single_turn"`,
		`"isl":1024`, `"osl":1024`, `"offload_mode":"off"`, `"image":"vllm/vllm-openai:v0.10.2"`, `"recipe_fingerprint":null`, `"date":"2026-08-08"`,
		fmt.Sprintf(`"run_url":"https://github.com/SemiAnalysisAI/InferenceX/actions/runs/%d/attempts/1"`, 100000000+run),
	} {
		key, _, _ := strings.Cut(pair, ":")
		if !strings.Contains(changes, key+":") {
			b.WriteString("," + pair)
		}
	}
	b.WriteString("}")
	return b.String()
}

// inventedRuns loads the invented rows and returns the names of its runs.
func inventedRuns(t *testing.T) (*store.Reader, []string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "invented") // the name is part of an artifact's run
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	capture, artifact := filepath.Join(dir, "capture.json"), filepath.Join(dir, "agg_invented.json")
	for path, content := range map[string]string{capture: inventedCapture, artifact: inventedArtifact} {
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	r := warehouse(t, capture, artifact)
	names, err := Names(t.Context(), r)
	if err != nil || len(names) != 7 {
		t.Fatal(names, err)
	}
	return r, names
}

func skeletonOf(t *testing.T, r *store.Reader, name string) []byte {
	t.Helper()
	content, origin, err := Skeleton(t.Context(), r, name)
	if err != nil || origin != "inferencex" {
		t.Fatal(name, origin, err)
	}
	return content
}

// marked is a place that an author fills in.
var marked = regexp.MustCompile(`(?m)^( *)# (required|to be EXACT): ([a-z0-9_]+): <.*>$`)

// fillings are what an author could put in the marked places.
var fillings = map[string]string{
	"name": "invented", "version": `"1"`, "sha256": strings.Repeat("ab", 32), "path": "rows.json", "method": "json",
	"nodes": "1", "gpus_per_node": "16", "fabric": "invented", "tp": "1", "pp": "1", "dp": "1", "pd_transfer": "{}",
	"client": "{}", "model": "invented", "engine_version": `"1"`, "workload": "{shape: invented}", "harness": "invented", "population": "per_request",
}

// filledIn is a skeleton with the marked places of a kind filled in, or of all
// kinds for "".
func filledIn(t *testing.T, skeleton []byte, kind string) []byte {
	t.Helper()
	filled := marked.ReplaceAllFunc(skeleton, func(line []byte) []byte {
		parts := marked.FindSubmatch(line)
		if kind != "" && kind != string(parts[2]) {
			return line
		}
		key := string(parts[3])
		value, ok := fillings[key]
		if key == "nodes" && len(parts[1]) == 2 { // of the cluster: one for each pool
			value = strconv.Itoa(bytes.Count(skeleton, []byte("\n    - role: ")) - 1) // an input has a role too
		}
		if !ok {
			t.Errorf("nothing to fill in for %s", line)
		}
		return []byte(string(parts[1]) + key + ": " + value)
	})
	if bytes.Contains(filled, []byte("# required:")) {
		t.Errorf("a mark has another form:\n%s", filled)
	}
	return filled
}

func TestSkeletonGolden(t *testing.T) {
	r, names := inventedRuns(t)
	for _, name := range names {
		golden(t, "skeleton-"+name+".yaml", skeletonOf(t, r, name))
		if !bytes.Equal(skeletonOf(t, r, name), skeletonOf(t, r, name)) {
			t.Errorf("%s: another skeleton the second time", name)
		}
	}
}

// TestSkeletonValidates holds that a skeleton is a valid document once its
// required places are filled in, and that its values are those of the
// warehouse to the last decimal.
func TestSkeletonValidates(t *testing.T) {
	r, names := inventedRuns(t)
	for _, name := range names {
		skeleton := skeletonOf(t, r, name)
		for _, kind := range []string{"required", ""} {
			text := filledIn(t, skeleton, kind)
			doc := catalog.Parse(text, catalog.DefaultLimits())
			for _, p := range doc.Problems {
				t.Errorf("%s: %s: %s\n%s", name, p.Path, p.Message, text)
			}
			if doc.Run == nil {
				t.Fatalf("%s: no run", name)
			}
			if got, want := documentValues(doc.Run), warehouseValues(t, r, name); len(want) == 0 || !slices.Equal(got, want) {
				t.Errorf("%s: values\n%q\nwant\n%q", name, got, want)
			}
		}
		if doc := catalog.Parse(skeleton, catalog.DefaultLimits()); doc.Valid() {
			t.Errorf("%s: valid without anything filled in", name)
		}
	}
}

// documentValues are the values of a document: point, metric, key and number.
func documentValues(run *record.Run) (all []string) {
	for i := range run.Points {
		for _, v := range run.Points[i].Metrics {
			all = append(all, fmt.Sprint(run.Points[i].ID, " ", v.Metric, " ", v.RawKey, " ", decimal(v.Text, 0)))
		}
	}
	return all
}

// warehouseValues are the same of the view measurements, the reported value
// shifted to the unit of the definition.
func warehouseValues(t *testing.T, r *store.Reader, run string) (all []string) {
	t.Helper()
	rows, err := r.Query(t.Context(), `
		SELECT p.id, m.metric, m.reported_key, m.reported_value, m.value, d.unit
		FROM runs AS r JOIN points AS p ON p.run_id = r.run_id JOIN measurements AS m ON m.point_id = p.point_id
		JOIN metric_defs AS d ON d.run_id = r.run_id AND d.metric = m.metric
		WHERE r.name = :run ORDER BY p.position, m.metric`, map[string]any{"run": run})
	if err != nil {
		t.Fatal(err)
	}
	for row, err := range rows.All() {
		if err != nil {
			t.Fatal(err)
		}
		places := 0
		if row[5] == "ms" {
			places = 3
		}
		exact := decimal(strconv.FormatFloat(row[3].(float64), 'g', -1, 64), places)
		// The view multiplies doubles: it is within a unit of the last place of the exact value.
		if value, _ := strconv.ParseFloat(exact, 64); value != row[4] && (value-row[4].(float64))/value > 1e-15 {
			t.Errorf("%s %s is %v in the view, %s exactly", row[0], row[1], row[4], exact)
		}
		all = append(all, fmt.Sprint(row[0], " ", row[1], " ", row[2], " ", exact))
	}
	return all
}

// decimal is a number × 10^places, without an exponent and without rounding.
func decimal(text string, places int) string {
	x, ok := new(big.Rat).SetString(text)
	if !ok {
		return "no number: " + text
	}
	x.Mul(x, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(places)), nil)))
	return strings.TrimRight(strings.TrimRight(x.FloatString(40), "0"), ".")
}

// TestSkeletonExact holds that with all marked places filled in, only the
// licence can stand against EXACT.
func TestSkeletonExact(t *testing.T) {
	r, names := inventedRuns(t)
	registry, err := os.ReadFile("testdata/changed/inferencex.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		dir := t.TempDir()
		text := filledIn(t, skeletonOf(t, r, name), "")
		text = bytes.Replace(text, []byte("\nclient: {}\n"), []byte("\nclient: {harness: invented}\n"), 1)
		for file, content := range map[string][]byte{
			"run.yaml": text, "sources.yaml": bytes.Replace(registry, []byte("[redistribute]"), []byte("[score]"), 1),
		} {
			if err := os.WriteFile(filepath.Join(dir, file), content, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		loaded := warehouse(t, filepath.Join(dir, "run.yaml"), filepath.Join(dir, "sources.yaml"))
		if got := result(t, loaded, "SELECT verdict || ' ' || resolution FROM verdicts"); !slices.Equal(got, []string{"EXACT STRICT"}) {
			t.Errorf("%s: %q because of %q", name, got, result(t, loaded, "SELECT path, detail FROM verdict_reasons"))
		}
	}
}

// TestSkeletonOfOthers holds that a run of another origin, or of no name that
// a run has, gives nothing.
func TestSkeletonOfOthers(t *testing.T) {
	r := warehouse(t, "testdata/catalog")
	for name, want := range map[string]string{"invented-exact": "catalog", "nosuch": ""} {
		content, origin, err := Skeleton(t.Context(), r, name)
		if content != nil || origin != want || err != nil {
			t.Errorf("%s: %q %q %v", name, content, origin, err)
		}
	}
}

func TestShiftedText(t *testing.T) {
	for _, test := range []struct {
		x      float64
		places int
		want   string
	}{
		{0, 3, "0"}, {0.00435, 3, "4.35"}, {0.29, 3, "290"}, {1.1, 3, "1100"}, {12, 0, "12"}, {0.012345678901234567, 3, "12.345678901234567"},
		{1e-9, 3, "0.000001"}, {1.5e-10, 3, "1.5e-7"}, {1e17, 3, "100000000000000000000"}, {1e18, 3, "1e21"}, {5e-324, 0, "5e-324"}, {123.456, 0, "123.456"},
	} {
		if got := shiftedText(test.x, test.places); got != test.want {
			t.Errorf("%v × 10^%d is %s, want %s", test.x, test.places, got, test.want)
		}
	}
	for _, v := range []value{{Value: record.Value{Value: -1}, scale: 1}, {Value: record.Value{Value: 1e306}, scale: 1000}} {
		if got := valueText(&v); got != "" {
			t.Errorf("%v is written %s", v, got)
		}
	}
	if got := valueText(&value{inUnit: 0.5, scale: 3}); got != "0.5" {
		t.Errorf("a value of another scale is written %s", got)
	}
}

func TestSlugOf(t *testing.T) {
	for text, want := range map[string]string{"GLM-5.1_x": "glm-5.1-x", "-a..b.-c/": "a-b-c", "é h200": "h200", "kimi-k2.5": "kimi-k2.5"} {
		if got := slugOf(text); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
}
