package loader

import (
	"context"
	"fmt"
	"math"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/inference-sim/blis-warehouse/store"
)

// plausible are metrics in which nothing is odd.
func plausible(pairs ...any) object {
	return object{
		"mean_ttft": 0.27, "median_ttft": 0.25, "p75_ttft": 0.3, "p90_ttft": 0.4, "p95_ttft": 0.5, "p99_ttft": 0.6, "p99.9_ttft": 0.7,
		"mean_tpot": 0.02, "median_tpot": 0.02, "p75_tpot": 0.021, "p90_tpot": 0.022, "p95_tpot": 0.023, "p99_tpot": 0.024, "p99.9_tpot": 0.025,
		"mean_itl": 0.02, "median_itl": 0.02, "p75_itl": 0.02, "p90_itl": 0.02, "p95_itl": 0.03, "p99_itl": 0.04, "p99.9_itl": 0.05,
		"mean_e2el": 20, "median_e2el": 20, "p75_e2el": 21, "p90_e2el": 22, "p95_e2el": 23, "p99_e2el": 24, "p99.9_e2el": 25,
		"median_intvty": 50, "p99_intvty": 41.6, "tput_per_gpu": 90, "input_tput_per_gpu": 60, "output_tput_per_gpu": 30,
	}.with(pairs...)
}

func odd(pairs ...any) object { return invented("metrics", plausible(pairs...)) }

var split = []any{"disagg", true, "prefill_num_workers", 1, "decode_num_workers", 2, "decode_tp", 4}

func TestPlausibleRowsHaveNoFlags(t *testing.T) {
	w := loaded(t,
		odd(), odd("tput_per_gpu", 179, "input_tput_per_gpu", 119, "output_tput_per_gpu", 60).with("conc", 8), odd("tput_per_gpu", 200, "input_tput_per_gpu", 140, "output_tput_per_gpu", 60).with("conc", 16),
		odd().with("isl", 100, "num_decode_gpu", 0), odd().with("isl", 101, "num_prefill_gpu", 0),
		odd("median_intvty", 50.49, "tput_per_gpu", 90.8).with("isl", 102), // within the thresholds
		odd("p99_e2el", 199, "p99.9_e2el", 1000).with("isl", 103),
		odd("median_ttft", 20, "p75_ttft", 20, "p90_ttft", 20, "p95_ttft", 20, "p99_ttft", 24, "p99.9_ttft", 25, "mean_ttft", 20).with("isl", 104), // equal to the bound
		odd("input_tput_per_gpu", 20, "output_tput_per_gpu", 40).with(split...).with("isl", 105),                                                   // parts over the GPUs of their roles
		odd("input_tput_per_gpu", 20, "median_intvty", 33).with("isl", 106, "benchmark_type", "agentic_traces"),
		odd("tput_per_gpu", 10, "input_tput_per_gpu", 5, "output_tput_per_gpu", 5).with("isl", 107), odd("tput_per_gpu", 1000, "input_tput_per_gpu", 500, "output_tput_per_gpu", 500).with("isl", 107, "conc", 8), // no neighbour on the other side
		invented("isl", 108, "metrics", object{"p90_ttft": 1, "p99_itl": 2, "tput_per_gpu": 3, "median_intvty": 4, "median_e2el": 5}), // each without its counterpart
		invented("isl", 109, "image", "a/vllm:v0.1.0"), invented("isl", 109, "conc", 8, "image", nil), invented("isl", 109, "conc", 16, "image", "a/vllm:v0.1.0"))
	w.want("w.db", `SELECT * FROM flags`)
	w.want("w.db", `SELECT count(*) FROM flagged_points`, "0")
	for _, line := range w.shipped("w.db", "flag-counts", nil) {
		if !strings.Contains(line, "|0|0|") {
			t.Errorf("query flag-counts: %s", line)
		}
	}
}

func TestEveryFlag(t *testing.T) {
	fork := "https://github.com/somebody/InferenceX/actions/runs/100000001/attempts/1"
	tests := map[string]struct {
		rows []object
		want []string // point, subject, measured, expected
	}{
		"gpu_count": {
			[]object{
				odd().with("isl", 101, "num_prefill_gpu", 64, "num_decode_gpu", 64), odd().with("isl", 102, "num_decode_gpu", 4), odd().with("isl", 103, "num_prefill_gpu", 0, "num_decode_gpu", 16),
				odd("pp", 2).with("isl", 104),
			},
			[]string{"101|NULL|num_prefill_gpu|64|8", "102|NULL|num_decode_gpu|4|8", "103|NULL|num_decode_gpu|16|8", "104|NULL|num_prefill_gpu|8|16"},
		},
		"collapsed_topology": {[]object{odd().with("disagg", true)}, []string{"1024|NULL|prefill_tp, decode_tp|8|NULL"}},
		"unofficial":         {[]object{odd().with("run_url", fork), odd().with("run_url", nil, "isl", 101)}, []string{"101|NULL|run_url|NULL|NULL", "1024|NULL|run_url|NULL|NULL"}},
		"two_images":         {[]object{odd().with("image", "a:1"), odd().with("image", "a:2", "conc", 8), odd().with("conc", 16)}, []string{"1024|NULL|image|2|1"}},
		"intvty_tpot":        {[]object{odd("median_intvty", 51), odd("median_intvty", 25).with("conc", 8)}, []string{"1024|c4|median_intvty, median_tpot|1.02|1", "1024|c8|median_intvty, median_tpot|0.5|1"}},
		"percentile_order": {
			[]object{
				odd("p90_ttft", 0.29).with("isl", 101), odd("p75_tpot", 0.0199).with("isl", 102), odd("p99_itl", 0.025).with("isl", 103), odd("p99.9_e2el", 23.5).with("isl", 104),
				odd("p75_ttft", nil, "p90_ttft", nil, "p95_ttft", 0.24).with("isl", 105), odd("p90_ttft", 0.29, "p75_itl", 0.01).with("isl", 106),
			},
			[]string{"101|c4|p90_ttft|0.29|0.3", "102|c4|p75_tpot|0.0199|0.02", "103|c4|p99_itl|0.025|0.03", "104|c4|p99.9_e2el|23.5|24", "105|c4|p95_ttft|0.24|0.25",
				"106|c4|p75_itl|0.01|0.02", "106|c4|p90_ttft|0.29|0.3"},
		},
		"ttft_above_e2el": {
			[]object{
				odd("median_e2el", 0.2).with("isl", 101), odd("mean_e2el", 0.2).with("isl", 102),
				odd("p99_ttft", 24.5, "p99.9_ttft", 25).with("isl", 103),
			},
			[]string{"101|c4|median_ttft|0.25|0.2", "102|c4|mean_ttft|0.27|0.2", "103|c4|p99_ttft|24.5|24"},
		},
		"parts_and_total": {[]object{odd("output_tput_per_gpu", 31), odd("input_tput_per_gpu", 30).with("conc", 8)},
			[]string{"1024|c4|input_tput_per_gpu, output_tput_per_gpu|91|90", "1024|c8|input_tput_per_gpu, output_tput_per_gpu|60|90"}},
		"negative": {[]object{odd("std_itl", -0.5).with("isl", 101), odd("input_tput_per_gpu", -1, "output_tput_per_gpu", 91, "std_ttft", -0.25).with("isl", 102)},
			[]string{"101|c4|std_itl|-0.5|0", "102|c4|input_tput_per_gpu|-1|0"}},
		"hung": {[]object{odd("p99_e2el", 201, "p99.9_e2el", 300)}, []string{"1024|c4|p99_e2el, median_e2el|201|20"}},
		"far_from_neighbours": {
			[]object{
				invented("isl", 101, "metrics", object{"tput_per_gpu": 10}), invented("isl", 101, "conc", 8, "metrics", object{"tput_per_gpu": 50}), invented("isl", 101, "conc", 16, "metrics", object{"tput_per_gpu": 20}),
				invented("isl", 102, "metrics", object{"tput_per_gpu": 10}), invented("isl", 102, "conc", 8, "metrics", object{"tput_per_gpu": 3}), invented("isl", 102, "conc", 16, "metrics", object{"tput_per_gpu": 20}),
				invented("isl", 103, "metrics", object{"tput_per_gpu": 10}), invented("isl", 103, "conc", 8, "metrics", object{"tput_per_gpu": 30}), invented("isl", 103, "conc", 16, "metrics", object{"tput_per_gpu": 100}),
			},
			[]string{"101|c8|tput_per_gpu|50|20", "102|c8|tput_per_gpu|3|10"}, // the third rises steeply and is fine
		},
	}
	const shown = `SELECT r.isl, p.id, f.subject, f.measured, f.expected FROM flags f JOIN runs r USING (run_id) LEFT JOIN points p ON p.point_id = f.point_id WHERE f.code = '%s' ORDER BY 1, 2, 3`
	var codes []string
	for code, test := range tests {
		codes = append(codes, code)
		w := loaded(t, test.rows...)
		w.want("w.db", fmt.Sprintf(shown, code), test.want...)
		allowed := code
		if code == "ttft_above_e2el" { // a median below the first token's is below its own percentiles, and they look hung
			allowed += "', 'hung"
		}
		w.want("w.db", `SELECT code, subject FROM flags WHERE code NOT IN ('`+allowed+`')`)
		agreesWithOracle(t, w, "w.db")
		// The report counts the rows whose point, or whose run, is flagged; so does the view.
		d := w.load("x.db", w.options(), "a.json").Documents[0]
		points := w.query("x.db", `SELECT count(DISTINCT point_id) FROM flagged_points`)[0]
		if fmt.Sprint(d.Rows.Flagged) != points || points == "0" || d.Rows.Added != len(test.rows) {
			t.Errorf("%s: %+v, %s points flagged", code, d.Rows, points)
		}
		if got := w.shipped("w.db", "flagged-points", map[string]string{"code": code}); len(got) < len(test.want) {
			t.Errorf("%s: query flagged-points shows %q", code, got)
		}
	}
	slices.Sort(codes)
	w := loaded(t, odd())
	w.want("w.db", `SELECT code FROM flag_rules ORDER BY 1`, codes...)
	w.want("w.db", `SELECT code FROM flag_rules WHERE length(why) < 20 OR length(meaning) < 10 OR (threshold IS NULL) <> (unit IS NULL)`)
}

// flagsOracle computes the flags of a database by SQL.
func flagsOracle(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("testdata/flags.sql")
	if err != nil {
		t.Fatal(err)
	}
	return "SELECT NULL AS run_id, NULL AS point_id, NULL AS code, NULL AS subject, NULL AS measured, NULL AS expected WHERE 0 UNION ALL " + string(text)
}

func agreesWithOracle(t *testing.T, w *world, db string) {
	t.Helper()
	const columns = `run_id, point_id, code, subject, measured, expected`
	oracle := `SELECT ` + columns + ` FROM (` + flagsOracle(t) + `)`
	stored := `SELECT ` + columns + ` FROM flags`
	w.want(db, `SELECT 'missing', * FROM (`+oracle+` EXCEPT `+stored+`)`)
	w.want(db, `SELECT 'too many', * FROM (`+stored+` EXCEPT `+oracle+`)`)
	w.want(db, `SELECT (SELECT count(*) FROM (`+oracle+`)) - (SELECT count(*) FROM (`+stored+`))`, "0")
}

// Random rows, with gaps and equal and negative values, are flagged as the rules in SQL say.
func TestFlagsAgreeWithSQL(t *testing.T) {
	rnd := rand.New(rand.NewSource(7))
	var keys []string
	for _, q := range []string{"ttft", "tpot", "itl", "e2el"} {
		for _, s := range []string{"mean", "median", "std", "p75", "p90", "p95", "p99", "p99.9"} {
			keys = append(keys, s+"_"+q)
		}
	}
	keys = append(keys, "median_intvty", "tput_per_gpu", "input_tput_per_gpu", "output_tput_per_gpu")
	values := []float64{-1, 0, 1, 1, 1.005, 1.02, 2, 2.5, 3, 6, 30}
	var all []object
	for run := range 60 {
		for k := range 1 + rnd.Intn(6) {
			metrics := object{}
			for _, key := range keys {
				if rnd.Intn(4) > 0 {
					metrics[key] = values[rnd.Intn(len(values))]
				}
			}
			row := invented("isl", 100+run, "conc", 1<<k, "metrics", metrics, "image", fmt.Sprint("a:", rnd.Intn(2)), "num_decode_gpu", []int{0, 8, 16}[run%3])
			if run%4 == 1 {
				row = row.with(split...)
			}
			if run%4 == 2 {
				row = row.with("benchmark_type", "agentic_traces", "disagg", run%8 == 2)
			}
			all = append(all, row)
		}
	}
	w := loaded(t, all...)
	agreesWithOracle(t, w, "w.db")
	if n := len(w.query("w.db", `SELECT DISTINCT code FROM flags`)); n < 10 {
		t.Errorf("only %d rules point at anything", n)
	}
	rnd.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	x := loaded(t, all...)
	agreesWithOracle(t, x, "w.db")
	compareContent(t, "shuffled", x.content("w.db"), w.content("w.db"))
}

// wantFindings holds that check finds the stored flags to be wrong, or not.
func wantFindings(t *testing.T, w *world, wrong bool) {
	t.Helper()
	findings, err := store.CheckDerived(context.Background(), filepath.Join(w.dir, "w.db"))
	if err != nil || len(findings) > 0 != wrong {
		t.Errorf("check finds %v, %v", findings, err)
	}
}

// A digest that is not that of its point's row is found, and a row is known again by it.
func TestDigests(t *testing.T) {
	w := loaded(t, odd(), odd("median_ttft", 0.26, "novel_key", 3, "router_name", "r").with("conc", 8))
	wantFindings(t, w, false)
	w.load("w.db", w.options(), "a.json")
	w.want("w.db", `SELECT count(*), count(DISTINCT digest) FROM inferencex_row_digests`, "2|2")
	w.want("w.db", `UPDATE inferencex_row_digests SET digest = digest + 1 WHERE point_id = 1 RETURNING point_id`, "1")
	wantFindings(t, w, true)
	w.want("w.db", `DELETE FROM inferencex_row_digests RETURNING digest <> 0`, "1", "1")
	d := w.load("w.db", w.options(), "a.json").Documents[0] // compared value by value
	if d.Rows.Unchanged != 2 {
		t.Errorf("without digests: %+v", d.Rows)
	}
	w.want("w.db", `SELECT count(*), count(DISTINCT digest) FROM inferencex_row_digests`, "2|2")
	wantFindings(t, w, false)
}

// What is flagged follows the thresholds of flag_rules, on either side of each.
func TestThresholdsAreData(t *testing.T) {
	w := loaded(t, odd())
	for _, line := range w.query("w.db", `SELECT code, threshold FROM flag_rules WHERE threshold IS NOT NULL ORDER BY 1`) {
		code, text, _ := strings.Cut(line, "|")
		threshold, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		for _, side := range []float64{0.999, 1.001} {
			bound := threshold * side
			var all []object
			switch code {
			case "intvty_tpot":
				all = []object{odd("median_intvty", 50*(1+bound))}
			case "parts_and_total":
				all = []object{odd("input_tput_per_gpu", 60+90*bound)}
			case "hung":
				all = []object{odd("p99_e2el", 20*bound, "p99.9_e2el", 30*bound)}
			case "far_from_neighbours":
				all = []object{invented("metrics", object{"tput_per_gpu": 10}), invented("conc", 8, "metrics", object{"tput_per_gpu": 20 * bound}), invented("conc", 16, "metrics", object{"tput_per_gpu": 20})}
			default:
				t.Errorf("the threshold of %s is not tested", code)
				continue
			}
			x := loaded(t, all...)
			want := []string{"0"}
			if side > 1 {
				want[0] = "1"
			}
			x.want("w.db", `SELECT count(*) FROM flags WHERE code = '`+code+`'`, want...)
			// Another threshold in the table is another answer.
			x.want("w.db", fmt.Sprintf(`UPDATE flag_rules SET threshold = %v WHERE code = '%s' RETURNING code`, threshold*0.99, code), code)
			wantFindings(t, x, want[0] != "1")
			x.want("w.db", `UPDATE flag_rules SET threshold = 1e9 WHERE code = '`+code+`' RETURNING code`, code)
			wantFindings(t, x, want[0] != "0")
		}
	}
}

// A best leaves flagged points out and says how many.
func TestBestLeavesFlaggedOut(t *testing.T) {
	w := loaded(t, odd(), odd("tput_per_gpu", 95, "input_tput_per_gpu", 65).with("conc", 8), odd("tput_per_gpu", 99).with("conc", 16), odd("tput_per_gpu", 120, "median_intvty", 77).with("conc", 32),
		odd("tput_per_gpu", 999).with("run_url", "https://github.com/somebody/x/actions/runs/5", "hardware", "b200"))
	got := w.shipped("w.db", "best-throughput", nil)
	if len(got) != 2 || !strings.HasPrefix(got[0], "dsr1|b200|fp8|1024|1024|NULL|NULL|NULL|NULL|NULL|0|1") || !strings.HasPrefix(got[1], "dsr1|h200|fp8|1024|1024|95|250|20|inferencex-") || !strings.Contains(got[1], "|c8|2|2|") {
		t.Errorf("%q", got)
	}
}

// Loads one after the other flag what one load of everything flags.
func TestFlagsGrowWithLoads(t *testing.T) {
	files := map[string]string{}
	var names []string
	for i := range 60 { // so many runs that a later load touches few of them
		all := []object{odd("tput_per_gpu", 10, "input_tput_per_gpu", 10, "output_tput_per_gpu", 0).with("isl", 100+i), odd("tput_per_gpu", 12).with("isl", 100+i, "conc", 16)}
		if i%7 == 0 {
			all[1] = all[1].with("image", "a:2")
			all[0] = all[0].with("image", "a:1")
		}
		name := fmt.Sprintf("base%02d.json", i)
		files[name] = array(all...)
		names = append(names, name)
	}
	files["late1.json"] = array(odd("tput_per_gpu", 70).with("isl", 103, "conc", 8), odd("median_intvty", 9).with("isl", 104, "conc", 8))                // between two that are there
	files["late2.json"] = array(odd("tput_per_gpu", 11, "input_tput_per_gpu", 11, "output_tput_per_gpu", 0).with("isl", 103, "conc", 8, "image", "a:3")) // a revision clears the flag
	files["late3.json"] = array(odd("p99_e2el", 900, "p99.9_e2el", 901).with("isl", 110), odd().with("isl", 500, "run_url", nil))
	w := newWorld(t, files)
	late := []string{"late1.json", "late2.json", "late3.json"}
	w.load("w.db", w.options(), append(slices.Clone(names), late...)...)
	w.load("x.db", w.options(), names...)
	for _, name := range late {
		w.load("x.db", w.options(), name)
	}
	if n := len(w.query("w.db", `SELECT 1 FROM flags`)); n < 70 {
		t.Errorf("%d flags show nothing", n)
	}
	w.want("w.db", `SELECT count(*) FROM flags f JOIN points p USING (point_id) WHERE f.code = 'intvty_tpot'`, "1")
	compareContent(t, "load by load", w.content("x.db"), w.content("w.db"))
	agreesWithOracle(t, w, "w.db")
	w.load("y.db", w.options(), names...)
	w.load("y.db", w.options(), "late1.json")
	w.want("y.db", `SELECT f.measured, f.expected FROM flags f JOIN runs r USING (run_id) WHERE r.isl = 103 AND f.code = 'far_from_neighbours'`, "70|12")
	w.want("w.db", `SELECT count(*) FROM flags f JOIN runs r USING (run_id) WHERE r.isl = 103 AND f.code = 'far_from_neighbours'`, "0")
}

// Every raw key of a family has one meaning under every combination of conditions.
func TestMeaningsCoverAllConditions(t *testing.T) {
	w := loaded(t, odd("power_valid", 1, "avg_power_w", 3))
	const combinations = `WITH agentic (agentic) AS (VALUES (0), (1)), artifact (artifact) AS (VALUES (0), (1)), disagg (disagg) AS (VALUES (0), (1)),
		versioned (versioned) AS (VALUES (0), (1)), valid (power_valid) AS (VALUES (-1), (0), (1)),
		held AS (SELECT f.key, c.*, m.position, m.meaning FROM inferencex_families f
			CROSS JOIN (SELECT * FROM agentic, artifact, disagg, versioned, valid) c
			LEFT JOIN inferencex_meanings m ON m.family = f.family
				AND ifnull(m.agentic, c.agentic) = c.agentic AND ifnull(m.artifact, c.artifact) = c.artifact AND ifnull(m.disagg, c.disagg) = c.disagg
				AND ifnull(m.versioned, c.versioned) = c.versioned AND ifnull(m.power_valid, c.power_valid) = c.power_valid)
		`
	w.want("w.db", combinations+`SELECT count(*), count(DISTINCT key) * 48 = count(*) FROM (SELECT DISTINCT key, agentic, artifact, disagg, versioned, power_valid FROM held)`, "1200|1")
	w.want("w.db", combinations+`SELECT key, agentic, artifact, disagg, versioned, power_valid FROM held WHERE meaning IS NULL`)
	// The first that holds is one: no two conditions share a position, and each is of use somewhere.
	w.want("w.db", combinations+`SELECT key, agentic, artifact, disagg, versioned, power_valid FROM held GROUP BY 1, 2, 3, 4, 5, 6
		HAVING sum(position = (SELECT min(h.position) FROM inferencex_meanings h JOIN inferencex_families f USING (family) WHERE f.key = held.key AND h.position >= held.position)) < 1`)
	w.want("w.db", combinations+`SELECT family, position FROM inferencex_meanings EXCEPT
		SELECT family, min(position) FROM held JOIN inferencex_families USING (key) GROUP BY key, agentic, artifact, disagg, versioned, power_valid`)
	// Raw keys with a column all have a family, and a family's keys all are raw keys.
	w.want("w.db", `SELECT key FROM inferencex_keys WHERE slot IS NOT NULL EXCEPT SELECT key FROM inferencex_families`)
	w.want("w.db", `SELECT key FROM inferencex_families EXCEPT SELECT key FROM inferencex_keys`)
	// No key is raw and a metric at once, and the metrics of every context are the same keys.
	w.want("w.db", `SELECT key FROM inferencex_metrics INTERSECT SELECT key FROM inferencex_families`)
	w.want("w.db", `SELECT key, count(*) FROM inferencex_metrics GROUP BY 1 HAVING count(*) <> 4`)
	w.want("w.db", `SELECT count(DISTINCT key) FROM inferencex_metrics`, "35")
}

// Values are comparable exactly when key and meaning are: a meaning that may not be compared says why.
func TestMeaningsSayWhy(t *testing.T) {
	w := loaded(t, odd())
	w.want("w.db", `SELECT family, meaning FROM inferencex_meanings WHERE length(why) < 20`)
	w.want("w.db", `SELECT meaning, count(DISTINCT comparable) FROM inferencex_meanings GROUP BY 1 HAVING count(DISTINCT comparable) > 1`)
}

// inventedSweep makes rows that agree with each other: runs with attempts, points of more or
// fewer metrics, raw artifacts in several directories, and rows that are given twice.
func inventedSweep(rnd *rand.Rand) (captures []object, artifacts map[string][]object) {
	trimmed := func(full object) object {
		metrics := object{}
		for key, v := range full["metrics"].(object) {
			if rnd.Intn(3) > 0 && !strings.HasPrefix(key, "mean_") && !strings.HasPrefix(key, "std_") {
				metrics[key] = v
			}
		}
		return full.with("metrics", metrics, "image", absent, "workers", absent, "run_started_at", absent)
	}
	value := func() float64 { return math.Round(rnd.Float64()*1e6) / 1e6 }
	for run := range 5 {
		for attempt := 1; attempt <= 1+run%3; attempt++ {
			for _, isl := range []any{1024, 8192} {
				id, image := 100000001+run, fmt.Sprint("a/vllm:v0.", run, ".", attempt)
				framework := []string{"vllm", "sglang", "sglang-disagg", "trtllm"}[rnd.Intn(4)]
				for _, conc := range []int{4, 8, 16, 32}[:1+rnd.Intn(4)] {
					metrics := object{"router_name": "r"}
					for _, key := range []string{"median_ttft", "p99_ttft", "mean_ttft", "std_ttft", "median_tpot", "median_itl", "median_e2el", "tput_per_gpu", "input_tput_per_gpu", "avg_power_w", "novel_key"} {
						metrics[key] = value()
					}
					full := invented("run_url", fmt.Sprint(actions, id, "/attempts/", attempt), "isl", isl, "conc", conc, "framework", framework, "metrics", metrics, "date", fmt.Sprintf("2026-01-%02d", 1+run),
						"run_started_at", fmt.Sprintf("2026-01-%02dT0%d:00:00Z", 1+run, attempt), "workers", []any{conc})
					if rnd.Intn(3) > 0 {
						full = full.with("image", image)
					}
					switch rnd.Intn(4) {
					case 0:
						captures = append(captures, full)
					case 1:
						captures = append(captures, full, full)
					case 2:
						captures = append(captures, full, trimmed(full))
					case 3:
						captures = append(captures, trimmed(full), full, trimmed(full))
					}
				}
			}
		}
	}
	captures = append(captures, invented("conc", 64, "metrics", object{"num_requests_total": 4, "num_requests_successful": 0}))
	artifacts = map[string][]object{}
	for range 12 {
		a := inventedArtifact("conc", 1<<rnd.Intn(6), "median_ttft", value(), "mtp", []string{"on", "off"}[rnd.Intn(2)])
		for range 1 + rnd.Intn(3) {
			dir := []string{"x", "y", "z"}[rnd.Intn(3)]
			artifacts[dir] = append(artifacts[dir], a)
		}
	}
	return captures, artifacts
}

func TestAnyOrderOfInventedRows(t *testing.T) {
	if testing.Short() {
		t.Skip("NOT RUN with -short: orders of loading")
	}
	for seed := range int64(2) {
		rnd := rand.New(rand.NewSource(seed))
		captures, artifacts := inventedSweep(rnd)
		w := newWorld(t, nil)
		var want []string
		for order := range 5 {
			// Distribute anew over files each time, for the files say nothing.
			dir := fmt.Sprint("order", order)
			rnd.Shuffle(len(captures), func(i, j int) { captures[i], captures[j] = captures[j], captures[i] })
			files := map[string][]object{}
			for _, row := range captures {
				name := fmt.Sprintf("%s/c%d.json", dir, rnd.Intn(3))
				files[name] = append(files[name], row)
			}
			for group, all := range artifacts {
				rnd.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
				for i, a := range all {
					name := fmt.Sprintf("%s/in/%s/agg_%d_1k1k.json", dir, group, i/(1+order%3))
					files[name] = append(files[name], a)
				}
			}
			text := map[string]string{}
			for name, all := range files {
				text[name] = array(all...)
			}
			w.write(text)
			inputs := []string{dir + "/in/x", dir + "/in/y", dir + "/in/z"}
			for name := range text {
				if strings.HasPrefix(name, dir+"/c") {
					inputs = append(inputs, name)
				}
			}
			inputs = slices.DeleteFunc(inputs, func(name string) bool { _, err := os.Stat(filepath.Join(w.dir, name)); return err != nil })
			slices.Sort(inputs)
			rnd.Shuffle(len(inputs), func(i, j int) { inputs[i], inputs[j] = inputs[j], inputs[i] })
			db := dir + ".db"
			if order%2 == 0 {
				w.load(db, w.options(), inputs...)
			} else {
				for _, input := range inputs {
					w.load(db, w.options(), input)
				}
			}
			got := w.content(db)
			if want == nil {
				want = got
				if len(want) < 150 || !slices.ContainsFunc(want, func(s string) bool { return strings.HasPrefix(s, "flags ") }) {
					t.Fatalf("%d rows: the comparison shows nothing", len(want))
				}
				w.want(db, `SELECT count(*) FROM inferencex_revisions`, "0")
				continue
			}
			compareContent(t, fmt.Sprintf("seed %d, %q", seed, inputs), got, want)
		}
	}
}

// Of rows that disagree the later argument's is in effect, and what was there before stays a revision.
func TestLaterArgumentWins(t *testing.T) {
	files := map[string]string{}
	for i := range 4 {
		files[fmt.Sprint(i, ".json")] = array(invented("metrics", object{"median_ttft": 1 + i, "odd": 10 + i}))
	}
	w := newWorld(t, files)
	rnd := rand.New(rand.NewSource(3))
	for n := range 6 {
		order := rnd.Perm(4)
		var names []string
		for _, i := range order {
			names = append(names, fmt.Sprint(i, ".json"))
		}
		db := fmt.Sprint(n, ".db")
		if n%2 == 0 {
			w.load(db, w.options(), names...)
		} else {
			for _, name := range names {
				w.load(db, w.options(), name)
			}
		}
		last := order[3]
		w.want(db, `SELECT median_ttft FROM inferencex_rows`, fmt.Sprint(1+last))
		w.want(db, `SELECT reported_value FROM inferencex_values WHERE key = 'odd'`, fmt.Sprint(10+last))
		w.want(db, `SELECT key, value FROM inferencex_revisions ORDER BY 1, 2`, "median_ttft|1", "median_ttft|2", "median_ttft|3", "median_ttft|4", "odd|10", "odd|11", "odd|12", "odd|13")
	}
}
