package loader

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// The queries that put evaluations, reliability, images and collective benchmarks
// beside results are held against oracles over rows that the tests invent, which know
// no table, and are tried on real captures where they are at hand.

// A tested is an invented configuration, and a sweep of it by a GitHub run.
type tested struct {
	hardware string
	tp, isl  int
	run      int // of GitHub, measured on the day of that number
	image    string
	tput     map[int]float64 // by concurrency
}

// A scored is an invented evaluation; ep is what it states, nil for nothing.
type scored struct {
	hardware string
	tp, conc int
	ep       any
	run      int
	task     string
	scores   map[string]float64 // with the standard errors and the number of samples
}

func dayOf(run int) string { return fmt.Sprintf("2026-01-%02d", run) }

// accuracyInputs are sweeps and evaluations at random, with files of them: rows.json,
// evaluations.json and a dump of the evaluations with an even GitHub run.
func accuracyInputs(rnd *rand.Rand) (sweeps []tested, evaluations []scored, files map[string]string) {
	var all []object
	for _, hardware := range []string{"h200", "b200"} {
		for _, tp := range []int{4, 8} {
			for _, isl := range []int{1024, 8192} {
				for run := 1; run <= 6; run++ {
					if rnd.Intn(2) == 0 {
						continue
					}
					s := tested{hardware, tp, isl, run, "", map[int]float64{}}
					for _, conc := range []int{4, 16, 64} {
						if rnd.Intn(4) > 0 {
							s.tput[conc] = 100 + float64(rnd.Intn(100_000))/64
						}
					}
					for conc, tput := range s.tput {
						all = append(all, invented("hardware", hardware, "prefill_tp", tp, "decode_tp", tp, "num_prefill_gpu", tp, "num_decode_gpu", tp, "isl", isl, "conc", conc,
							"date", dayOf(run), "run_url", fmt.Sprint(actions, 100000000+run, "/attempts/1"), "metrics", object{"tput_per_gpu": tput}))
					}
					if len(s.tput) > 0 {
						sweeps = append(sweeps, s)
					}
				}
			}
		}
	}
	var captured, dumped []object
	var configs, runs []object
	for i := range 40 {
		e := scored{hardware: []string{"h200", "b200", "mi355x"}[rnd.Intn(3)], tp: 4 << rnd.Intn(2), conc: 4 << (2 * rnd.Intn(3)), run: 1 + rnd.Intn(6), task: []string{"gsm8k", "gpqa"}[rnd.Intn(2)], ep: 1}
		if rnd.Intn(3) == 0 {
			e.ep = nil
		}
		if slices.ContainsFunc(evaluations, func(o scored) bool {
			return o.hardware == e.hardware && o.tp == e.tp && o.conc == e.conc && o.run == e.run && o.task == e.task
		}) {
			continue
		}
		e.scores = map[string]float64{"em_strict": float64(rnd.Intn(1000)) / 1024, "em_strict_se": 0.0078125, "n_eff": 1319, "word_perplexity": 8 + float64(rnd.Intn(64))/8}
		config := invented("hardware", e.hardware, "prefill_tp", e.tp, "decode_tp", e.tp, "num_prefill_gpu", 64, "num_decode_gpu", 64)
		for _, key := range []string{"isl", "osl", "conc", "metrics", "date", "run_url"} {
			delete(config, key)
		}
		stated := config.with("id", fmt.Sprint(i), "config_id", i+1, "task", e.task, "date", dayOf(e.run), "isl", nil, "osl", nil, "conc", e.conc, "metrics", e.scores,
			"timestamp", dayOf(e.run)+"T03:00:00Z", "run_url", fmt.Sprint(actions, 100000000+e.run))
		if e.ep == nil {
			stated = stated.with("prefill_ep", absent, "decode_ep", absent)
		}
		captured = append(captured, stated)
		if e.run%2 == 0 && e.ep != nil {
			configs = append(configs, config.with("id", i+1))
			dumped = append(dumped, object{"id": 500 + i, "workflow_run_id": e.run, "config_id": i + 1, "task": e.task, "date": dayOf(e.run), "isl": nil, "osl": nil, "conc": e.conc,
				"lm_eval_version": "0.4", "metrics": e.scores})
		}
		evaluations = append(evaluations, e)
	}
	for run := 1; run <= 6; run++ {
		runs = append(runs, inventedWorkflowRun("id", run, "github_run_id", 100000000+run, "run_attempt", 1, "date", dayOf(run)))
	}
	return sweeps, evaluations, map[string]string{"rows.json": array(all...), "evaluations.json": array(captured...), "dump/configs.json": array(configs...),
		"dump/workflow_runs.json": array(runs...), "dump/benchmark_results.json": "[]", "dump/eval_results.json": array(dumped...)}
}

// accuracyWanted are the rows of accuracy-throughput, of evaluations whose source is given.
func accuracyWanted(sweeps []tested, evaluations []scored, source func(scored) string) (want []string) {
	best := map[string]float64{}
	newest := map[string]int{}
	key := func(e scored, metric string) string {
		return fmt.Sprint(e.hardware, e.tp, e.ep, e.conc, e.task, metric)
	}
	for _, e := range evaluations {
		for metric, value := range e.scores {
			best[e.task+metric] = max(best[e.task+metric], value)
			newest[key(e, metric)] = max(newest[key(e, metric)], e.run)
		}
	}
	for _, e := range evaluations {
		for _, metric := range []string{"em_strict", "word_perplexity"} {
			if newest[key(e, metric)] != e.run {
				continue
			}
			bestValue, below, se := any(best[e.task+metric]), any(best[e.task+metric]-e.scores[metric]), any(e.scores["em_strict_se"])
			if metric == "word_perplexity" {
				bestValue, below, se = nil, nil, nil
			}
			begin := fmt.Sprint(e.hardware, "|", e.tp, "|", e.task, "|", metric, "|", e.scores[metric], "|", se, "|", e.scores["n_eff"], "|", bestValue, "|", below, "|", source(e), "|", dayOf(e.run), "|", e.conc, "|")
			lines := 0
			for _, isl := range []int{1024, 8192} {
				var run *tested
				for i := range sweeps {
					s := &sweeps[i]
					if s.hardware == e.hardware && s.tp == e.tp && s.isl == isl && (run == nil || s.run == e.run || run.run != e.run && s.run > run.run) {
						run = s
					}
				}
				if run == nil {
					continue
				}
				lines++
				top, at := 0.0, 0
				for conc, tput := range run.tput {
					if tput > top || tput == top && conc < at {
						top, at = tput, conc
					}
				}
				same := 0
				if run.run == e.run {
					same = 1
				}
				there := any(nil)
				if tput, ok := run.tput[e.conc]; ok {
					there = tput
				}
				want = append(want, fmt.Sprint(begin, isl, "|", dayOf(run.run), "|", same, "|", len(run.tput), "|", top, "|", at, "|", there))
			}
			if lines == 0 {
				want = append(want, begin+"<nil>|<nil>|<nil>|<nil>|<nil>|<nil>|<nil>")
			}
		}
	}
	return want
}

// TestAccuracyThroughputOracle holds the query against the oracle, with evaluations of a
// capture, of a dump, and of both.
func TestAccuracyThroughputOracle(t *testing.T) {
	columns := []string{"hardware", "decode_tp", "task", "metric", "value", "standard_error", "samples", "best_value", "below_best", "source", "evaluated_on", "eval_conc",
		"isl", "measured_on", "same_github_run", "points", "best_tok_s_per_gpu", "best_conc", "tok_s_per_gpu_at_eval_conc"}
	alone, same, differs := 0, 0, 0
	for seed := range int64(3) {
		sweeps, evaluations, files := accuracyInputs(rand.New(rand.NewSource(seed)))
		w := newWorld(t, files)
		dumped := slices.DeleteFunc(slices.Clone(evaluations), func(e scored) bool { return e.run%2 != 0 || e.ep == nil })
		isDumped := func(e scored) string {
			if e.run%2 == 0 && e.ep != nil {
				return "both"
			}
			return "capture"
		}
		for _, tt := range []struct {
			db          string
			inputs      []string
			evaluations []scored
			source      func(scored) string
		}{
			{"capture.db", []string{"rows.json", "evaluations.json"}, evaluations, func(scored) string { return "capture" }},
			{"dump.db", []string{"dump", "rows.json"}, dumped, func(scored) string { return "dump" }},
			{"both.db", []string{"evaluations.json", "dump", "rows.json"}, evaluations, isDumped},
		} {
			w.load(tt.db, w.options(), tt.inputs...)
			var got []string
			for _, r := range w.answer(tt.db, "accuracy-throughput", cells{}) {
				got = append(got, picked(r, columns...))
			}
			want := accuracyWanted(sweeps, tt.evaluations, tt.source)
			sameSet(t, fmt.Sprint(seed, " ", tt.db), got, want)
			for _, line := range want {
				switch cells := strings.Split(line, "|"); cells[14] {
				case "<nil>":
					alone++
				case "1":
					same++
				default:
					differs++
				}
			}
			below := 0
			for _, r := range w.answer(tt.db, "accuracy-throughput", cells{"hardware": "h200", "min_below": 0.25}) {
				if r["hardware"] != "h200" || r["below_best"].(float64) < 0.25 {
					t.Errorf("%v", r)
				}
				below++
			}
			wantBelow := 0
			for _, line := range want {
				cells := strings.Split(line, "|")
				var far float64
				if cells[0] == "h200" && cells[8] != "<nil>" {
					fmt.Sscan(cells[8], &far)
				}
				if far >= 0.25 {
					wantBelow++
				}
			}
			if below != wantBelow {
				t.Errorf("%d rows far below the best, want %d", below, wantBelow)
			}
		}
	}
	if alone < 10 || same < 10 || differs < 10 {
		t.Errorf("%d without a run, %d of the evaluated GitHub run, %d of another show little", alone, same, differs)
	}
}

// circumstancesInputs are sweeps with images at random, and captures of reliability,
// latest images and releases.
func circumstancesInputs(rnd *rand.Rand) (sweeps []tested, reliability map[string][2]int, latest map[string][2]string, files map[string]string) {
	images := []string{"vllm/vllm-openai:v0.11.0", "vllm/vllm-openai:v0.12.0", "vllm/vllm-openai:nightly", ""}
	var all, jobs, newest []object
	for _, hardware := range []string{"h200", "b200"} {
		for _, tp := range []int{4, 8} {
			for run := 1; run <= 6; run++ {
				if rnd.Intn(3) == 0 {
					continue
				}
				s := tested{hardware, tp, 1024, run, images[rnd.Intn(len(images))], nil}
				row := invented("hardware", hardware, "prefill_tp", tp, "decode_tp", tp, "num_prefill_gpu", tp, "num_decode_gpu", tp, "date", dayOf(run),
					"run_url", fmt.Sprint(actions, 100000000+run, "/attempts/1"), "image", s.image)
				if s.image == "" {
					row = row.with("image", nil)
				}
				all, sweeps = append(all, row), append(sweeps, s)
			}
		}
	}
	reliability = map[string][2]int{}
	latest = map[string][2]string{}
	for _, hardware := range []string{"h200", "b200"} {
		for run := 1; run <= 6; run++ {
			for range rnd.Intn(3) {
				total := rnd.Intn(3)
				success := rnd.Intn(total + 1)
				at := reliability[hardware+dayOf(run)]
				reliability[hardware+dayOf(run)] = [2]int{at[0] + success, at[1] + total}
				jobs = append(jobs, object{"hardware": hardware, "date": dayOf(run), "n_success": success, "total": total})
			}
		}
	}
	latest["h200"] = [2]string{"vllm/vllm-openai:v0.13.0", "2026-02-01"}
	newest = append(newest, object{"model": "dsr1", "hardware": "h200", "framework": "vllm", "precision": "fp8", "spec_method": "none", "disagg": false, "isl": 1024, "osl": 1024,
		"benchmark_type": "single_turn", "image": latest["h200"][0], "date": latest["h200"][1]})
	return sweeps, reliability, latest, map[string]string{"rows.json": array(all...), "reliability.json": array(jobs...), "images.json": array(newest...), "releases.json": `{"vllm":"v0.12.0","sglang":null}`}
}

// TestRunCircumstancesOracle holds the query, asked for each run, against an oracle.
func TestRunCircumstancesOracle(t *testing.T) {
	days := func(from, to string) int {
		a, _ := time.Parse(time.DateOnly, from)
		b, _ := time.Parse(time.DateOnly, to)
		return int(b.Sub(a).Hours() / 24)
	}
	none, undefined, older := 0, 0, 0
	for seed := range int64(3) {
		sweeps, reliability, latest, files := circumstancesInputs(rand.New(rand.NewSource(seed)))
		w := newWorld(t, files)
		w.load("w.db", w.options(), "rows.json", "reliability.json", "images.json", "releases.json")
		var got, want []string
		names := w.records("w.db", `SELECT name FROM runs`)
		for _, name := range names {
			for _, r := range w.answer("w.db", "run-circumstances", cells{"run": name["name"]}) {
				tp := w.query("w.db", `SELECT tp FROM pools JOIN runs USING (run_id) WHERE name = '`+r["run"].(string)+`'`)[0]
				got = append(got, tp+"|"+picked(r, "hardware", "measured_on", "image", "image_first_on", "image_last_on", "image_age_days", "newest_image", "newest_image_on", "newest_image_days",
					"is_newest_release", "jobs", "jobs_succeeded", "success_ratio"))
			}
		}
		for _, s := range sweeps {
			day := dayOf(s.run)
			image, first, last, age := any(nil), any(nil), any(nil), any(nil)
			if s.image != "" {
				from, to := day, day
				for _, o := range sweeps {
					if o.image == s.image {
						from, to = min(from, dayOf(o.run)), max(to, dayOf(o.run))
					}
				}
				image, first, last, age = s.image, from, to, days(from, day)
			}
			newest, newestOn := any(nil), any(nil)
			if l, ok := latest[s.hardware]; ok {
				newest, newestOn = l[0], l[1]
			} else {
				on, names := "", []string{}
				for _, o := range sweeps { // of the hardware at either width
					switch at := dayOf(o.run); {
					case o.hardware != s.hardware || o.image == "" || at < on:
					case at > on:
						on, names = at, []string{o.image}
					default:
						names = append(names, o.image)
					}
				}
				if slices.Contains(names, s.image) {
					newest, newestOn = s.image, on
				} else if len(names) > 0 {
					newest, newestOn = slices.Min(names), on
				}
			}
			behind := any(nil)
			switch {
			case image == nil || newest == nil:
			case image == newest:
				behind = 0
			default:
				behind = days(day, newestOn.(string))
				older++
			}
			released := any(nil)
			switch s.image {
			case "vllm/vllm-openai:v0.11.0":
				released = 0
			case "vllm/vllm-openai:v0.12.0":
				released = 1
			}
			jobs, succeeded, ratio := any(nil), any(nil), any(nil)
			if r, ok := reliability[s.hardware+day]; ok {
				jobs, succeeded = r[1], r[0]
				if r[1] > 0 {
					ratio = float64(r[0]) / float64(r[1])
				} else {
					undefined++
				}
			} else {
				none++
			}
			want = append(want, fmt.Sprint(s.tp, "|", s.hardware, "|", day, "|", image, "|", first, "|", last, "|", age, "|", newest, "|", newestOn, "|", behind, "|", released, "|", jobs, "|", succeeded, "|", ratio))
		}
		sameSet(t, fmt.Sprint(seed), got, want)
		newest := map[string]bool{} // without a run, the newest of each line
		for _, r := range w.answer("w.db", "run-circumstances", cells{}) {
			newest[r["run"].(string)] = true
		}
		if want := len(w.records("w.db", `SELECT name FROM inferencex_latest_runs`)); len(newest) != want || want >= len(names) {
			t.Errorf("%d newest runs of %d, want %d", len(newest), len(names), want)
		}
	}
	if none == 0 || undefined == 0 || older < 3 {
		t.Errorf("%d days without jobs, %d without a ratio, %d with an older image show little", none, undefined, older)
	}
}

// TestReliabilityIsSummedOnce holds that a capture and a dump of the same jobs stand side by side, not added up.
func TestReliabilityIsSummedOnce(t *testing.T) {
	files := inventedDump(inventedResult())
	files["reliability.json"] = `[{"hardware":"h200","date":"2026-01-02","n_success":1,"total":2},{"hardware":"h200","date":"2026-01-02","n_success":0,"total":1},{"hardware":"b200","date":"2026-01-02","n_success":0,"total":0}]`
	w := newWorld(t, files)
	w.load("w.db", w.options(), "dump", "reliability.json")
	w.want("w.db", `SELECT * FROM inferencex_daily_reliability ORDER BY 1, 2`, "capture|b200|2026-01-02|1|0|0|NULL", "capture|h200|2026-01-02|2|1|3|0.3333333333333333", "dump|h200|2026-01-02|1|1|1|1")
	for _, r := range w.answer("w.db", "run-circumstances", cells{}) {
		if picked(r, "jobs", "reliability_source") != "3|capture" {
			t.Errorf("%v", r)
		}
	}
}

// TestRunCollectivesOracle holds the query against a reading of its own of the body.
func TestRunCollectivesOracle(t *testing.T) {
	type series struct {
		hardware, phase string
		ep, nodes       int
	}
	var all []object
	var invent []series
	for i, s := range []series{{"h200", "decode", 8, 1}, {"h200", "decode", 8, 2}, {"h200", "prefill", 8, 1}, {"h200", "prefill", 4, 1}, {"h200", "", 8, 1}, {"b200", "decode", 8, 1}, {"h200", "decode", 16, 2}} {
		o := object{"series_id": fmt.Sprint("s", i), "mode": "normal", "precision": "fp8", "backend": "invented", "system": object{"sku": s.hardware, "ep_size": s.ep, "nodes": s.nodes},
			"points": []any{object{"tokens_per_rank": 16, "global_tokens": 16 * s.ep, "components": object{
				"dispatch": object{"latency_us": object{"p50": 10 + i, "p99": 20 + i}, "payload_bytes": 1000 + i}, "combine": object{"latency_us": object{"p50": 30 + i}}, "stage": nil}}}}
		if s.phase != "" {
			o["phase"] = s.phase
		}
		all, invent = append(all, o), append(invent, s)
	}
	body := object{"version": 1, "run": object{"run_id": "5"}, "series": all}.String()
	row := func(hardware string, multinode, disagg bool, prefill, decode int, run string) object {
		framework, workers := "vllm", 0
		if disagg {
			framework, workers = "dynamo-vllm", 1
		}
		return invented("hardware", hardware, "framework", framework, "is_multinode", multinode, "disagg", disagg, "prefill_ep", prefill, "decode_ep", decode, "prefill_num_workers", workers,
			"decode_num_workers", workers, "run_url", actions+run+"/attempts/1", "metrics", object{"median_tpot": 0.02})
	}
	w := newWorld(t, map[string]string{"collectives.json": body, "rows.json": array(
		row("h200", false, false, 8, 8, "100000001"), row("h200", true, false, 8, 8, "100000002"), row("h200", true, true, 4, 8, "100000003"),
		row("h200", false, false, 1, 1, "100000004"), row("b200", false, false, 8, 8, "100000005"), row("mi355x", false, false, 8, 8, "100000006"))})
	w.load("w.db", w.options(), "collectives.json", "rows.json")
	type pool struct {
		run, role, hardware string
		ep, nodes           int // 0 for unstated
	}
	var want []string
	for _, p := range []pool{{"100000001", "colocated", "h200", 8, 1}, {"100000002", "colocated", "h200", 8, 0}, {"100000003", "prefill", "h200", 4, 0}, {"100000003", "decode", "h200", 8, 0}, {"100000005", "colocated", "b200", 8, 1}} {
		for i, s := range invent {
			if s.hardware == p.hardware && s.ep == p.ep && (p.nodes == 0 || p.nodes == s.nodes) && (p.role == "colocated" || s.phase == "" || s.phase == p.role) {
				want = append(want, fmt.Sprintf("%s|%s|s%d|%d|dispatch|%d|%d|%d|20|1", p.run, p.role, i, s.nodes, 10+i, 20+i, 1000+i),
					fmt.Sprintf("%s|%s|s%d|%d|combine|%d|<nil>|<nil>|20|1", p.run, p.role, i, s.nodes, 30+i))
			}
		}
	}
	var got []string
	for _, run := range w.records("w.db", `SELECT name FROM runs`) {
		name := run["name"].(string)
		for _, r := range w.answer("w.db", "run-collectives", cells{"run": name}) {
			got = append(got, strings.Split(name, "-")[1]+"|"+picked(r, "role", "series_id", "series_nodes", "operation", "latency_p50_us", "latency_p99_us", "payload_bytes", "tpot_p50_ms_highest", "concurrencies"))
		}
	}
	sameSet(t, "collectives", got, want)
	if len(want) < 16 {
		t.Errorf("%d rows show little", len(want))
	}
}

// TestUsesOfRealCaptures holds that the queries say something sensible of captures of
// May 2026: every evaluation of a loaded model stands in the answer, most beside a
// throughput, scores are fractions and none is above the best, and days add up.
func TestUsesOfRealCaptures(t *testing.T) {
	folder := realCaptures(t)
	w := newWorld(t, nil)
	w.load("w.db", w.options(), folder)
	var evaluations []struct {
		Model   string
		Metrics map[string]float64
	}
	content, err := os.ReadFile(filepath.Join(folder, "evaluations.json"))
	if err == nil {
		err = json.Unmarshal(content, &evaluations)
	}
	if err != nil {
		t.Fatal(err)
	}
	best := map[string]float64{}
	for _, e := range evaluations {
		best[e.Model] = max(best[e.Model], e.Metrics["em_strict"])
	}
	beside, wrong := 0, 0
	all := w.answer("w.db", "accuracy-throughput", cells{"metric": "em_strict"})
	models := map[string]bool{}
	for _, r := range all {
		models[r["model"].(string)] = true
		value := r["value"].(float64)
		if r["best_value"] != best[r["model"].(string)] || value < 0 || value > 1 || r["below_best"].(float64) < 0 || r["samples"] != int64(1319) && r["samples"] != 1319.0 {
			t.Errorf("%v", r)
		}
		if r["run"] != nil && r["best_tok_s_per_gpu"].(float64) > 0 {
			beside++
			if r["below_best"].(float64) > 0.5 {
				wrong++
			}
		}
	}
	if len(models) != len(best) || beside < 150 || wrong == 0 {
		t.Errorf("%d models of %d, %d scores beside a throughput, %d of them far below the best", len(models), len(best), beside, wrong)
	}
	known := 0
	for _, r := range w.answer("w.db", "run-circumstances", cells{}) {
		if r["jobs"] == nil || r["success_ratio"].(float64) > 1 {
			t.Errorf("%v", r)
		}
		if r["image"] != nil {
			known++
			if age := r["image_age_days"].(int64); age < 0 || r["image_first_on"].(string) > r["image_last_on"].(string) {
				t.Errorf("%v", r)
			}
		}
	}
	if known < 200 {
		t.Errorf("%d runs with an image", known)
	}
	t.Logf("%d scores, %d beside a throughput, %d far below the best; %d runs with an image", len(all), beside, wrong, known)
}
