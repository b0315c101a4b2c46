package main

import (
	"bytes"
	"database/sql"
	"encoding/csv"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// damages are changes of a good database, and the findings that each must
// bring: all of them, as regular expressions over finding, subject and detail.
var damages = []struct {
	name, change string
	findings     []string
}{
	{"a byte of a run's document", `UPDATE document_contents SET content = CAST(replace(content, 'tp4', 'tp5') AS BLOB) WHERE sha256 = (SELECT document_sha256 FROM runs WHERE name = 'demo-h100-tp4')`,
		[]string{`document\|run demo-h100-tp4\|its stored document \w{64} has the digest \w{64}: its bytes were changed`}},
	{"a byte of a registry's document", `UPDATE document_contents SET content = CAST(content || ' ' AS BLOB) WHERE sha256 IN (SELECT sha256 FROM registries)`,
		[]string{`document\|/.*sources.yaml\|its stored document \w{64} has the digest \w{64}.*`}},
	{"a document that belongs to nothing", `INSERT INTO document_contents SELECT '2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881', CAST('x' AS BLOB)`,
		[]string{`document\|document 2d71.*\|no run and no registry had this document`}},
	{"a document that is not there", `DELETE FROM document_contents WHERE sha256 = (SELECT document_sha256 FROM runs WHERE name = 'demo-h100-tp4')`,
		[]string{`foreign key\|runs\|.* points to no row of document_contents`, `foreign key\|run_versions\|.* points to no row of document_contents`}},
	{"a value", `UPDATE catalog_values SET value = 90.5 WHERE metric = 'ttft_p50' AND value = 90`,
		[]string{`derived\|demo-h100-tp4\|its stored signature is not that of its values`,
			`derived\|run_contents\|no run has content \d+`,
			`document\|demo-h100-tp4\|catalog_values: its document states another row: value is 90.5, stated is 90 \(metric "ttft_p50", point_id "demo-h100-tp4/c4"\)`}},
	{"what is said of a value", `UPDATE catalog_values SET label_verified = 1 - ifnull(label_verified, 0) WHERE point_id = (SELECT min(point_id) FROM points p JOIN runs r USING (run_id) WHERE r.name = 'demo-h100-tp4') AND metric = 'ttft_p50'`,
		[]string{`document\|demo-h100-tp4\|catalog_values: its document states another row: label_verified is .*`}},
	{"a field of a run", `UPDATE runs SET fabric = 'pigeons' WHERE name = 'demo-h100-tp4'`,
		[]string{`document\|demo-h100-tp4\|runs: its document states another row: fabric is "pigeons", stated is .*`}},
	{"a setting", `UPDATE pool_settings SET value = CAST(value AS TEXT) || '0' WHERE setting = 'max_model_len' AND run_id = (SELECT run_id FROM runs WHERE name = 'demo-h100-tp4')`,
		[]string{`document\|demo-h100-tp4\|pool_settings: its document states another row: value is .*setting "max_model_len".*`}},
	{"a row that is gone", `DELETE FROM provenance WHERE position = 1 AND run_id = (SELECT run_id FROM runs WHERE name = 'demo-h100-tp4')`,
		[]string{`document\|demo-h100-tp4\|provenance: its document states a row that is not there: .*`}},
	{"a row that was added", `INSERT INTO selectors SELECT run_id, 99, 'forged' FROM runs WHERE name = 'demo-h100-tp4'`,
		[]string{`document\|demo-h100-tp4\|selectors: its document does not state the row position 99, selector "forged"`}},
	{"a run that is gone", `PRAGMA foreign_keys = 1; DELETE FROM runs WHERE name = 'demo-a100-tp8'; PRAGMA foreign_keys = 0`,
		[]string{`document\|demo-a100-tp8\|its documents are stored, but the run is not`, `derived\|run_contents\|no run has content \d+`}},
	{"another version in effect", `UPDATE runs SET document_sha256 = (SELECT document_sha256 FROM runs WHERE name = 'demo-h100-tp8') WHERE name = 'demo-h100-tp4'`,
		[]string{`document\|demo-h100-tp4\|its document \w{64} is not among its versions`, `document\|demo-h100-tp4\|in effect is document \w{64}, loaded last was \w{64}`,
			`document\|demo-h100-tp4\|its document \w{64} is of the run demo-h100-tp8`}},
	{"a row that points to nothing", `INSERT INTO selectors VALUES (9999, 0, 'x')`, []string{`foreign key\|selectors\|row .* points to no row of runs`}},
	{"a licence's permit", `INSERT INTO licence_permits VALUES ('demo-archive', 'derive_coefficients')`,
		[]string{`document\|licence demo-archive\|it is not what its registry's document states: permits is .*`}},
	{"a licence's status", `UPDATE licences SET title = 'Forged' WHERE licence_id = 'demo-open'`,
		[]string{`document\|licence demo-open\|it is not what its registry's document states: title is "Forged", stated is .*`}},
	{"the program's own licence", `UPDATE licences SET note = 'free for all' WHERE licence_id = 'inferencex'`,
		[]string{`document\|licence inferencex\|it is not what the program states for want of a registry`}},
	{"a licence from nowhere", `INSERT INTO licences VALUES ('forged', 'f', NULL, 'verified', NULL, NULL, 0, NULL)`,
		[]string{`document\|licence forged\|no registry states it`}},
	{"a licence called withdrawn", `UPDATE licences SET withdrawn = 1 WHERE licence_id = 'demo-archive'`,
		[]string{`licence\|demo-a100-tp8\|licence demo-archive is withdrawn.*`, `document\|licence demo-archive\|it is withdrawn, but its registry states it`}},
	{"a registry's claim", `UPDATE licence_claims SET entry = replace(entry, 'demo', 'damo') WHERE licence_id = 'demo-archive'`,
		[]string{`document\|/.*sources.yaml\|the claim of licence demo-archive is not of its digest`}},
	{"a claim that is gone", `DELETE FROM licence_claims WHERE licence_id = 'demo-archive'`,
		[]string{`document\|/.*sources.yaml\|its document states licence demo-archive, which is not stored as its claim`}},
	{"a definition", `UPDATE definitions SET clock = 'server' WHERE definition_id = (SELECT min(definition_id) FROM definitions WHERE clock = 'client')`,
		[]string{`document\|definition set \w{64}\|its definitions are not of this digest`}},
	{"what a metric is compared by", `UPDATE definition_set_members SET identity = 'x' WHERE metric = 'ttft_p99' AND definition_set_id = (SELECT max(definition_set_id) FROM definition_set_members WHERE metric = 'ttft_p99' AND slot > 0)`,
		[]string{`document\|definition set \w{64}\|what its metrics are compared by is not .*`, `derived\|.*`}},
	{"a failed point's row", `UPDATE inferencex_failed_points SET row = '{}'`,
		[]string{`document\|inferencex-\S+/c\d+\|the row of its failed point is not of the digest \w{64}`,
			`derived\|inferencex_failed_points\|its rows of inferencex-\S+ are not those that were loaded`}},
	{"a value of InferenceX", `UPDATE inferencex_points SET median_ttft = median_ttft * 2 WHERE point_id = (SELECT max(point_id) FROM inferencex_points WHERE median_ttft IS NOT NULL)`,
		[]string{`derived\|inferencex-\S+\|its stored signature is not that of its values`, `derived\|run_contents\|no run has content \d+`, `derived\|flags\|1 flags are missing`,
			`derived\|inferencex-\S+\|the row of its point c\d+ is not the one that was loaded`}},
	{"a value of InferenceX that is kept raw", `UPDATE inferencex_points SET power_audit = '{}', workers = '[]', avg_power_w = 1 WHERE point_id = (SELECT max(point_id) FROM inferencex_points WHERE avg_power_w IS NOT NULL)`,
		[]string{`derived\|inferencex-\S+\|the row of its point c\d+ is not the one that was loaded`}},
	{"a row and its digest", `UPDATE inferencex_points SET avg_power_w = 1 WHERE avg_power_w = 612.5; DELETE FROM inferencex_row_digests WHERE point_id = (SELECT point_id FROM inferencex_points WHERE avg_power_w = 1)`,
		[]string{`derived\|inferencex-\S+\|the row of its point c\d+ has no digest`, `derived\|inferencex-\S+\|what is stored of it is not what was loaded: .*`}},
	{"a configuration of InferenceX", `UPDATE inferencex_configs SET prefill_ep = 64 WHERE config_id = (SELECT min(config_id) FROM inferencex_runs)`,
		[]string{`derived\|inferencex-\S+\|what is stored of it is not what was loaded: .*`, `derived\|inferencex_configs\|its rows are not those that were loaded`}},
	{"a field of a run of InferenceX", `UPDATE runs SET harness = 'another' WHERE run_id = (SELECT min(run_id) FROM inferencex_runs)`,
		[]string{`derived\|inferencex-\S+\|what is stored of it is not what was loaded: .*`}},
	{"a row of a document at a run of InferenceX", `INSERT INTO selectors SELECT min(run_id), 0, 'x' FROM inferencex_runs`,
		[]string{`derived\|inferencex-\S+\|no capture gives a run rows in selectors`}},
	{"what a key means", `UPDATE inferencex_metrics SET scale = 1 WHERE key = 'median_ttft'`,
		[]string{`derived\|inferencex_metrics\|its rows are not those that were loaded`}},
	{"how a capture deviated", `DELETE FROM inferencex_drift`,
		[]string{`derived\|inferencex_drift\|its rows of \w{64} are gone`}},
	{"a rule of the schema", `UPDATE flag_rules SET why = 'because'`,
		[]string{`document\|flag_rules\|its rows are not those of the schema`}},
	{"an admission", `UPDATE runs SET admitted_as = 'file' WHERE name = 'demo-h100-tp4'`,
		[]string{`document\|demo-h100-tp4\|it was admitted as file, by the ledger as catalog`}},
	{"a mean of an evaluation run", `UPDATE evaluation_points SET ttft_ms = ttft_ms + 1 WHERE point_id = (SELECT min(point_id) FROM evaluation_points WHERE ttft_ms IS NOT NULL)`,
		[]string{`document\|demo-eval-chat\|evaluation_points: its document states another row: ttft_ms is .*`}},
	{"a derived row that is stale", `UPDATE content_overlaps SET shared_values = shared_values + 1`,
		[]string{`derived\|content_overlaps\|.*`}},
	{"the order of a line", `UPDATE inferencex_successors SET next_run_id = NULL WHERE next_run_id IS NOT NULL`,
		[]string{`derived\|inferencex-\S+\|the stored next run of its line is not the next newer one`}},
	{"a flag too few", `DELETE FROM flags WHERE rowid = (SELECT max(rowid) FROM flags)`,
		[]string{`derived\|flags\|1 flags are missing`}},
}

// Whatever is damaged, check names it, and nothing else.
func TestCheckFindsDamage(t *testing.T) {
	good := filepath.Join(t.TempDir(), "good.db")
	for _, paths := range [][]string{{"catalog"}, {"evaluations"}, {"captures"}} {
		args := []string{"--db", good, "load"}
		for _, p := range paths {
			args = append(args, filepath.Join("..", "..", "testdata", "demo", p))
		}
		if code := run(args, strings.NewReader(""), io.Discard, io.Discard); code != exitDone {
			t.Fatalf("load ended with %d", code)
		}
	}
	if code, found := checkDatabase(t, good); code != exitDone || len(found) > 0 {
		t.Fatalf("a good database: exit code %d, %q", code, found)
	}
	content, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range damages {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "damaged.db")
			if err := os.WriteFile(path, content, 0o644); err != nil {
				t.Fatal(err)
			}
			db, err := sql.Open("sqlite", path)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := db.Exec(tt.change); err != nil {
				t.Fatal(err)
			}
			db.Close()
			if damaged, err := os.ReadFile(path); err != nil || bytes.Equal(damaged, content) {
				t.Fatalf("nothing was damaged: %v", err)
			}
			code, found := checkDatabase(t, path)
			if code != exitFindings {
				t.Errorf("exit code %d", code)
			}
			matchAll(t, found, tt.findings)
		})
	}
}

// matchAll holds that every finding is wanted, and every wanted one found.
func matchAll(t *testing.T, found, wanted []string) {
	t.Helper()
	used := make([]bool, len(wanted))
	for _, f := range found {
		matched := false
		for i, w := range wanted {
			if regexp.MustCompile("^" + w + "$").MatchString(f) {
				used[i], matched = true, true
			}
		}
		if !matched {
			t.Errorf("found %s", f)
		}
	}
	for i, w := range wanted {
		if !used[i] {
			t.Errorf("not found: %s", w)
		}
	}
}

func checkDatabase(t *testing.T, path string) (code int, found []string) {
	t.Helper()
	var out, stderr bytes.Buffer
	code = run([]string{"--db", path, "check", "--format", "csv"}, strings.NewReader(""), &out, &stderr)
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil || len(rows) == 0 {
		t.Fatalf("%v; %s", err, stderr.Bytes())
	}
	for _, row := range rows[1:] {
		found = append(found, strings.Join(row, "|"))
	}
	return code, found
}
