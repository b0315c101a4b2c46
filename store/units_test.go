package store

import (
	"regexp"
	"strings"
	"testing"
)

// TestUnits holds the units of columns that each part of the rule tells, and
// that what has none gets none.
func TestUnits(t *testing.T) {
	want := map[string]string{
		"inferencex_points.median_ttft":                 "s", // comment
		"inferencex_points.tput_per_gpu":                "tokens/s/GPU",
		"inferencex_points.p99_9_intvty":                "tokens/s/user",
		"inferencex_points.avg_power_w":                 "W",
		"inferencex_points.avg_temp_c":                  "°C",
		"inferencex_points.avg_util_pct":                "%",
		"inferencex_points.avg_mem_used_mb":             "MB",
		"inferencex_points.joules_per_output_token":     "J",
		"inferencex_points.power_valid":                 "",
		"inferencex_points.power_metric_schema_version": "",
		"evaluation_points.ttft_ms":                     "ms",
		"evaluation_points.output_tokens_per_sec":       "tokens/s",
		"points.request_rate":                           "requests/s",
		"clients.ramp_up_end":                           "requests/s",
		"clients.num_prompts":                           "",
		"clients.grace_s":                               "s",
		"collectivex_points.latency_p50_us":             "µs",
		"inferencex_api_agentic_aggregates.isl_p99":     "tokens",
		"inferencex_api_agentic_aggregates.isl_n":       "",
		"inferencex_api_server_metrics.start_ns":        "ns",
		"inferencex_api_server_metrics.duration_s":      "s",
		"server_metric_samples.t_s":                     "s",
		"server_metric_samples.value":                   "",
		"inferencex_api_timeline_requests.end_ns":       "ns",
		"inferencex_api_timeline_requests.isl":          "tokens",
		"inferencex_timelines.duration_s":               "s",
		"documents.size":                                "bytes",
		"runs.isl":                                      "tokens",
		"points.mean_osl":                               "tokens",
		"curves.interactivity_p50_tok_s":                "tokens/s/user",
		"curves.total_tok_s_per_gpu":                    "tokens/s/GPU",
		"curves.output_tok_s":                           "tokens/s",
		"curves.goodput_requests_per_s":                 "requests/s",
		"curves.energy_j_per_total_token":               "J",
		"curves.ttft_p99_ms":                            "ms",
		"curves.isl":                                    "tokens",
		"curves.tp":                                     "",
		"slo_targets.e2e_ms":                            "ms", // name
		"offload_tiers.bytes":                           "bytes",
		"inferencex_power.prefill_avg_power_w":          "W",
		"inferencex_rows.median_ttft":                   "s", // the same name elsewhere
		"inferencex_rows.tput_per_gpu":                  "tokens/s/GPU",
		"inferencex_latest_runs.isl":                    "tokens",
		"metric_defs.unit":                              "", // none
		"measurements.value":                            "",
		"measurements.reported_value":                   "",
		"definition_set_members.scale":                  "",
		"points.kv_utilization":                         "",
		"runs.gpus":                                     "",
		"points.completed":                              "",
	}
	relations, err := Dictionary(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ownUnits := map[string]string{}
	for _, r := range relations {
		for _, c := range r.Columns {
			name := r.Name + "." + c.Name
			if unit, ok := want[name]; ok && unit != c.Unit {
				t.Errorf("%s: unit %q, want %q", name, c.Unit, unit)
			}
			delete(want, name)
			own := c.ownUnit()
			if named := firstUnit(nameUnits, c.Name); own != "" && named != "" && own != named {
				t.Errorf("%s: the comment says %s, the name %s", name, own, named)
			}
			if other, ok := ownUnits[c.Name]; ok && own != "" && other != own {
				t.Errorf("%s: unit %s, another column of the name has %s", name, own, other)
			}
			if own != "" {
				ownUnits[c.Name] = own
			}
			// A unit that a comment names must not be overlooked.
			if spoken := regexp.MustCompile(`(?i)(?:^|, )(?:seconds|ms|watts|joules|bytes|percent)\b`); c.Unit == "" && c.mayHaveUnit() && spoken.MatchString(c.Meaning) && !strings.HasPrefix(c.Type, "ANY") {
				t.Errorf("%s: no unit is read from %q", name, c.Meaning)
			}
		}
	}
	for name := range want {
		t.Errorf("there is no column %s", name)
	}
}

func TestUnitsThatDiffer(t *testing.T) {
	relations := []Relation{
		{Columns: []Column{{Name: "x", Meaning: "it, seconds"}, {Name: "y", Meaning: "it, ms"}}},
		{Columns: []Column{{Name: "x", Meaning: "it, bytes"}, {Name: "z"}}},
		{Columns: []Column{{Name: "x"}, {Name: "y"}, {Name: "y", Type: "TEXT NOT NULL"}}},
	}
	setUnits(relations)
	if last := relations[2].Columns; last[0].Unit != "" || last[1].Unit != "ms" || last[2].Unit != "" {
		t.Errorf("got %q", last)
	}
}
