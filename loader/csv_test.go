package loader

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/inference-sim/blis-warehouse/store"
)

// tcoRows are the rows of a capture of /tco-feed, without what only the JSON form states.
func (w *world) tcoRows(db, sha string) (all []string) {
	for _, r := range w.records(db, `SELECT * FROM inferencex_api_tco_rows WHERE sha256 = ? ORDER BY position`, sha) {
		var extra any
		if text, ok := r["extra"].(string); ok {
			var members map[string]any
			if err := json.Unmarshal([]byte(text), &members); err != nil {
				w.t.Fatal(err)
			}
			for key, v := range members {
				if v == nil {
					delete(members, key)
				}
			}
			extra = jsonText(members)
		}
		all = append(all, fmt.Sprint(picked(r, "position", "hardware", "workload", "tier", "tput_per_gpu", "score", "as_written"), "|", extra))
	}
	return all
}

// TestTCOFeedInCSV holds that a feed in CSV makes the rows that its JSON form makes, of
// both views, as the publisher writes them and as the reference has them: all but
// is_interpolated, which CSV does not have.
func TestTCOFeedInCSV(t *testing.T) {
	const head = `{"model":"dsv4","db_model_keys":["dsv4"],"date":null,"workloads":["1024x1024","8192x1024"],"tiers":[30,50.5],`
	for name, tt := range map[string]struct{ csv, json string }{
		"points": {"hardware,workload,tier,output_tput_per_gpu,boundary,frontier_points,latest_date,oldest_frontier_date\n" +
			"cluster:H200-nv,1024x1024,50.5,118.25,interpolated,3,2026-01-02,\nb200,1024x1024,30,0,unreachable,12345678901234567890,2026-01-02,2026-01-01\n",
			head + `"rows":[{"hardware":"cluster:H200-nv","workload":"1024x1024","tier":50.5,"output_tput_per_gpu":118.25,"boundary":"interpolated","frontier_points":3,"latest_date":"2026-01-02","oldest_frontier_date":null,"is_interpolated":true},
			{"hardware":"b200","workload":"1024x1024","tier":30,"output_tput_per_gpu":0,"boundary":"unreachable","frontier_points":12345678901234567890,"latest_date":"2026-01-02","oldest_frontier_date":"2026-01-01","is_interpolated":false}]}`},
		"scores": {"hardware,score,score_1024x1024,score_8192x1024,workloads_covered\nh200,99.5,120.25,,1\nb200,0,0,1.5,2\n",
			head + `"weights":[0.5,0.5],"workload_weights":[1,0],"alpha":0.25,"rows":[{"hardware":"h200","score":99.5,"workload_scores":{"1024x1024":120.25,"8192x1024":null},"workloads_covered":1},
			{"hardware":"b200","score":0,"workload_scores":{"1024x1024":0,"8192x1024":1.5},"workloads_covered":2}]}`},
		"the reference": {"model,hardware,workload,tier,tput_per_gpu\ndsv4,h200_sxm,1024x1024,50,118.2", // no line ends it
			head + `"rows":[{"model":"dsv4","hardware":"h200_sxm","workload":"1024x1024","tier":50,"tput_per_gpu":118.2,"is_interpolated":true}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			var zipped bytes.Buffer
			z := gzip.NewWriter(&zipped)
			fmt.Fprint(z, "\xef\xbb\xbf", tt.csv)
			z.Close()
			quoted := `"` + strings.NewReplacer(",", `","`, "\n", "\"\r\n\"").Replace(strings.TrimSuffix(tt.csv, "\n")) + `"`
			w := newWorld(t, map[string]string{"f/feed.csv": tt.csv, "f/captures.jsonl": ledgerLine("tco-feed", "feed.csv", tt.csv, earlyCapture, "complete"),
				"feed.json": tt.json, "g/z.csv.gz": zipped.String(), "g/quoted.csv": quoted})
			r := w.load("w.db", w.options(), "f", "feed.json", "g")
			want := []string(nil)
			for _, d := range r.Documents {
				if d.File == "feed.json" {
					want = w.tcoRows("w.db", d.SHA256)
				}
			}
			if len(r.Documents) != 4 || len(want) == 0 {
				t.Fatalf("%+v", r.Documents)
			}
			for _, d := range r.Documents {
				if !d.Valid || d.Status != store.Added || d.Rows.Added == 0 {
					t.Errorf("%+v", d)
				}
				if got := w.tcoRows("w.db", d.SHA256); strings.Join(got, "\n") != strings.Join(want, "\n") {
					t.Errorf("%s\n%s\nthe JSON form has\n%s", d.File, strings.Join(got, "\n"), strings.Join(want, "\n"))
				}
			}
			w.want("w.db", `SELECT count(*) FROM inferencex_bodies WHERE operation = 'tco-feed'`, "4")
			w.want("w.db", `SELECT count(*) FROM inferencex_api_tco_feeds`, "1") // of the JSON form
			again := w.load("w.db", w.options(), "f", "g")
			for _, d := range again.Documents {
				if d.Status != store.Unchanged {
					t.Errorf("again: %+v", d)
				}
			}
		})
	}
}

// TestTCOFeedInBadCSV holds what is refused of a feed in CSV, the rows or the whole, and
// that another CSV is none.
func TestTCOFeedInBadCSV(t *testing.T) {
	const header = "hardware,workload,tier,tput_per_gpu\n"
	token := "hf_" + strings.Repeat("a1B2", 10)
	w := newWorld(t, map[string]string{
		"rows.csv":    header + "h200,1024x1024,50,118.2\n\nh200,1024x1024,50\nh200,1024x1024,fast,1\n,1024x1024,50,1\nh200,1024x1024,50,1e999\nh200," + token + ",50,1\n\"h2\n00\",1024x1024,50,1\nh200,1024x1024,50,118.2,7\n",
		"quotes.csv":  header + "h200,\"1024x1024,50,118.2\n",
		"quotes2.csv": header + "h200,1024x1024,50,1\nh2\"00,1024x1024,50,118.2\n",
		"twice.csv":   "hardware,workload,tier,tier\nh200,1024x1024,50,118.2\n",
		"unnamed.csv": "hardware,workload,tier,\nh200,1024x1024,50,118.2\n",
		"bytes.csv":   header + "h200,\xff,50,118.2\n",
		"d/other.csv": "model,tier\nx,5\n", "d/prices.csv": "hardware,price\nh200,5\n",
		"empty.csv": header,
	})
	r := w.load("w.db", w.options(), "rows.csv")
	wantOutcomes(t, r, "rows.csv partial rows[1]:4[csv] rows[2].tier:5[type] rows[3].hardware:6[missing-key] rows[4].tput_per_gpu:7[number-range] rows[7]:11[csv] rows[5]:8[credential]")
	if d := r.Documents[0]; d.Rows.Added != 2 || d.Rows.Refused != 6 || strings.Contains(fmt.Sprint(d.Problems), token) {
		t.Errorf("%+v", d)
	}
	w.want("w.db", `SELECT position, hardware, as_written FROM inferencex_api_tco_rows ORDER BY 1`, "1|h200|NULL", "7|h2\n00|NULL")
	for name, line := range map[string]int{"quotes.csv": 2, "quotes2.csv": 3, "twice.csv": 1, "unnamed.csv": 1, "bytes.csv": 1} {
		d := w.load("w.db", w.options(), name).Documents[0]
		if d.Status != store.Rejected || len(d.Problems) != 1 || d.Problems[0].Rule != "csv" || d.Problems[0].Line != line {
			t.Errorf("%s: %+v", name, d)
		}
	}
	w.want("w.db", `SELECT count(*) FROM inferencex_bodies`, "1")
	if r := w.load("w.db", w.options(), "d"); len(r.Documents) != 0 || len(r.Skipped) != 2 {
		t.Errorf("%+v, skipped %q", r.Documents, r.Skipped)
	}
	if d := w.load("w.db", w.options(), "empty.csv").Documents[0]; !d.Valid || d.Rows.Added != 0 {
		t.Errorf("%+v", d)
	}
}
