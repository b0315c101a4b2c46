package loader

import (
	"context"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/inference-sim/blis-warehouse/store"
)

// ledgerLine is an invented line of a ledger for a file with that content, "" for none.
func ledgerLine(operation, file, content, at, outcome string, more ...string) string {
	line := fmt.Sprintf(`{"kind":"InferenceXCapture","operation":%q,"params":{"model":"demo"},"url":"https://api.invalid/api/v1/%s?model=demo","started_at":%q,"duration_ms":12,"attempts":2,"outcome":%q`,
		operation, operation, at, outcome)
	if file != "" {
		line += fmt.Sprintf(`,"file":%q,"size":%d,"sha256":"%x","wire_size":7`, file, len(content), sha256.Sum256([]byte(content)))
	}
	return strings.Join(append([]string{line}, more...), ",") + "}\n"
}

const lateCapture, earlyCapture = "2026-08-09T03:00:00.5Z", "2026-08-08T03:00:00Z"

// capturedWorld has a folder as fetch leaves it: the newer of two captures of one
// point sorts before the older, and one operation is not loaded yet.
func capturedWorld(t *testing.T) *world {
	newer, older := rows(row("100000001", 1, "8", 4, `"median_ttft": 0.25`)), rows(row("100000001", 1, "8", 4, `"median_ttft": 0.5`))
	other := `{"points":[]}`
	return newWorld(t, map[string]string{
		"f/benchmarks-a.json": newer, "f/benchmarks-b.json": older, "f/later-c.json": other,
		"f/captures.jsonl": ledgerLine("benchmarks", "benchmarks-b.json", older, earlyCapture, "complete", `"status":200`, `"content_type":"application/json"`,
			`"content_encoding":"gzip"`, `"etag":"\"one\""`, `"last_modified":"Sat, 08 Aug 2026 02:00:00 GMT"`, `"date":"Sat, 08 Aug 2026 03:00:00 GMT"`,
			`"final_url":"https://api.invalid/api/v2/benchmarks"`) +
			ledgerLine("later", "later-c.json", other, "2026-08-08T03:00:01Z", "complete", `"status":200`) +
			ledgerLine("reliability", "", "", "2026-08-08T03:00:02Z", "refused", `"status":404`, `"reason":"refused"`, `"error":"Not found"`) +
			ledgerLine("evaluations", "", "", "2026-08-08T03:00:03Z", "failed", `"reason":"network"`, `"error":"connection refused"`) +
			ledgerLine("benchmarks", "benchmarks-a.json", newer, lateCapture, "complete", `"status":200`) +
			ledgerLine("benchmarks", "benchmarks-a.json", newer, "2026-08-10T03:00:00Z", "unchanged", `"status":304`) +
			`{"kind":"InferenceXCap`, // torn
	})
}

// TestLedgerOfCaptures holds that a folder's ledger is read as what it is, field
// by field, that the newest capture is in effect whatever its name, and that
// what cannot be loaded yet is named.
func TestLedgerOfCaptures(t *testing.T) {
	w := capturedWorld(t)
	r := w.load("w.db", w.options(), "f")
	if len(r.Documents) != 2 || r.Requests != 6 || r.LinesLeftOut != 1 || !slices.Equal(r.Ledgers, []string{"f/captures.jsonl"}) || len(r.Skipped) != 0 || !slices.Equal(r.Kept, []string{"f/later-c.json"}) {
		t.Errorf("%+v", r)
	}
	w.want("w.db", `SELECT reported_value FROM measurements`, "0.25")
	newer, older := fmt.Sprintf("%x", sha256.Sum256([]byte(rows(row("100000001", 1, "8", 4, `"median_ttft": 0.25`))))), fmt.Sprintf("%x", sha256.Sum256([]byte(rows(row("100000001", 1, "8", 4, `"median_ttft": 0.5`)))))
	size := fmt.Sprint(len(rows(row("100000001", 1, "8", 4, `"median_ttft": 0.25`))))
	sizeOfOlder := fmt.Sprint(len(rows(row("100000001", 1, "8", 4, `"median_ttft": 0.5`))))
	benchmarks := `https://api.invalid/api/v1/benchmarks?model=demo|`
	w.want("w.db", `SELECT * FROM inferencex_captures WHERE operation = 'benchmarks' ORDER BY started_at`,
		benchmarks+`2026-08-08T03:00:00.000Z|complete|1|benchmarks|{"model":"demo"}|https://api.invalid/api/v2/benchmarks|12|2|200|benchmarks-b.json|`+sizeOfOlder+`|`+older+
			`|7|application/json|gzip|"one"|Sat, 08 Aug 2026 02:00:00 GMT|Sat, 08 Aug 2026 03:00:00 GMT|NULL|NULL`,
		benchmarks+`2026-08-09T03:00:00.500Z|complete|1|benchmarks|{"model":"demo"}|NULL|12|2|200|benchmarks-a.json|`+size+`|`+newer+`|7|NULL|NULL|NULL|NULL|NULL|NULL|NULL`,
		benchmarks+`2026-08-10T03:00:00.000Z|unchanged|1|benchmarks|{"model":"demo"}|NULL|12|2|304|benchmarks-a.json|`+size+`|`+newer+`|7|NULL|NULL|NULL|NULL|NULL|NULL|NULL`)
	w.want("w.db", `SELECT operation, outcome, status, file, size, sha256, wire_size, reason, error FROM inferencex_captures WHERE outcome IN ('refused', 'failed') ORDER BY 1`,
		"evaluations|failed|NULL|NULL|NULL|NULL|0|network|connection refused", "reliability|refused|404|NULL|NULL|NULL|0|refused|Not found")
	w.want("w.db", `SELECT d.path, count(*) FROM documents d JOIN inferencex_captures c USING (sha256) GROUP BY d.path ORDER BY 1`, "f/benchmarks-a.json|2", "f/benchmarks-b.json|1")

	// Again, by the file's name, and without the ledger: the same content.
	want := w.logicalContent("w.db")
	w.load("w.db", w.options(), "f")
	w.load("w.db", w.options(), "f/captures.jsonl", "f")
	w.want("w.db", `SELECT count(*), max(load_id) FROM inferencex_captures`, "6|1")
	compareContent(t, "loaded again", w.logicalContent("w.db"), want)
	w.load("plain.db", w.options(), "f/benchmarks-b.json", "f/benchmarks-a.json")
	compareContent(t, "without the ledger", w.logicalContent("plain.db"), want)
	if w.digest("plain.db") != w.digest("w.db") {
		t.Error("where captures are from is part of the content")
	}
	alone := w.load("alone.db", w.options(), "f/captures.jsonl")
	if len(alone.Documents) != 0 || alone.Requests != 6 {
		t.Errorf("%+v", alone)
	}
	w.want("alone.db", `SELECT count(*) FROM inferencex_captures`, "6")
}

// TestLedgerOfAnotherFile holds that a file which is not what was captured is loaded, with a warning and without provenance.
func TestLedgerOfAnotherFile(t *testing.T) {
	w := capturedWorld(t)
	w.write(map[string]string{"f/benchmarks-a.json": rows(row("100000001", 1, "8", 4, `"median_ttft": 0.75`))})
	r := w.load("w.db", w.options(), "f")
	wantOutcomes(t, r, "f/benchmarks-a.json updated :1[captured-digest]", "f/benchmarks-b.json added")
	w.want("w.db", `SELECT d.path FROM documents d JOIN inferencex_captures c USING (sha256)`, "f/benchmarks-b.json")
}

// TestHostileLedger holds that what a ledger says reaches no file outside its folder, and that no credential of it is stored.
func TestHostileLedger(t *testing.T) {
	token := "hf_" + strings.Repeat("a1B2", 10)
	good := ledgerLine("benchmarks", "", "", earlyCapture, "refused", `"status":404`)
	w := newWorld(t, map[string]string{"f/captures.jsonl": good +
		ledgerLine("reliability", "../b.json", rows(), lateCapture, "complete") +
		ledgerLine("evaluations", "", "", earlyCapture, "refused", `"error":"`+token+`"`) +
		ledgerLine("evaluations", "", "", earlyCapture, "refused", `"url":"http://h/api?x=`+strings.Replace(token, "_", "%5F", 1)+`"`) +
		ledgerLine("evaluations", "", "", earlyCapture, "refused", `"final_url":"http://h/`+strings.Replace(token, "_", "%5f", 1)+`%zz"`) +
		ledgerLine("evaluations", "", "", earlyCapture, "refused", `"error":"a\u0000b"`) +
		ledgerLine("evaluations", "", "", earlyCapture, "refused", `"status":-1`) +
		ledgerLine("evaluations", "", "", "0001-01-01T00:00:00Z", "refused") +
		ledgerLine("evaluations", "", "", earlyCapture, "stolen") +
		ledgerLine("evaluations", "x.json", "", earlyCapture, "complete", `"sha256":"00"`) +
		strings.Repeat("x", 2<<20) + "\n[]\n5\n",
		"b.json": rows(row("100000001", 1, "8", 4, `"median_ttft": 0.25`))})
	r := w.load("w.db", w.options(), "f")
	if r.Requests != 2 || r.LinesLeftOut != 11 || len(r.Documents) != 0 {
		t.Errorf("%+v", r)
	}
	w.want("w.db", `SELECT operation, file FROM inferencex_captures ORDER BY 1`, "benchmarks|NULL", "reliability|NULL")
	s, err := store.OpenWriter(context.Background(), filepath.Join(w.dir, "s.db"), store.WriterOptions{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	opts := w.options()
	opts.Stdin = strings.NewReader(good)
	if _, err := Load(context.Background(), s, []string{"-"}, opts); err == nil || !strings.Contains(err.Error(), "ledger of a captured folder") {
		t.Errorf("standard input: %v", err)
	}
}

// TestCapturedDocuments holds that a response which reads as a run or a registry is loaded as neither, and that another file of its folder is.
func TestCapturedDocuments(t *testing.T) {
	const run, registry = `{"kind":"MeasuredRun","name":"planted"}`, `{"kind":"MeasurementSources","sources":[]}`
	w := newWorld(t, map[string]string{
		"f/a.json": run, "f/b.json": registry, "f/own.json": run, "f/c.txt": "kind: MeasuredRun\n",
		"f/captures.jsonl": ledgerLine("dataset", "a.json", run, earlyCapture, "complete") + ledgerLine("datasets", "b.json", registry, lateCapture, "complete") +
			ledgerLine("server-log", "c.txt", "kind: MeasuredRun\n", lateCapture, "complete"),
	})
	r := w.load("w.db", w.options(), "f")
	if len(r.Documents) != 1 || r.Documents[0].File != "f/own.json" || len(r.Kept) < 2 || r.Kept[0] != "f/a.json" || r.Kept[1] != "f/b.json" {
		t.Errorf("%+v", r)
	}
}

// TestLedgersOfSeveralFolders holds that folders are taken together by time, and any order gives the same requests.
func TestLedgersOfSeveralFolders(t *testing.T) {
	one, two := rows(row("100000001", 1, "8", 4, `"median_ttft": 0.25`)), rows(row("100000001", 1, "8", 4, `"median_ttft": 0.5`))
	w := newWorld(t, map[string]string{
		"d/a/x.json": one, "d/a/captures.jsonl": ledgerLine("benchmarks", "x.json", one, lateCapture, "complete"),
		"d/b/x.json": two, "d/b/captures.jsonl": ledgerLine("benchmarks", "x.json", two, earlyCapture, "complete"),
		"d/c.json": rows(row("100000001", 1, "8", 4, `"median_ttft": 0.75`)),
	})
	w.load("w.db", w.options(), "d")
	w.want("w.db", `SELECT reported_value FROM measurements`, "0.25")
	w.load("v.db", w.options(), "d/b", "d/a")
	w.load("u.db", w.options(), "d/a", "d/b")
	all := `SELECT url, started_at, outcome, file, sha256 FROM inferencex_captures ORDER BY 1, 2, 3`
	if got, want := w.query("u.db", all), w.query("v.db", all); !slices.Equal(got, want) || len(got) != 2 {
		t.Errorf("%q and %q", got, want)
	}
	w.want("u.db", `SELECT reported_value FROM measurements`, "0.5") // of folders that are named, the later
}

// TestRebuildKeepsWhereCapturesAreFrom holds that the ledger of a rebuilt database has the requests too.
func TestRebuildKeepsWhereCapturesAreFrom(t *testing.T) {
	w := capturedWorld(t)
	w.load("w.db", w.options(), "f")
	w.rebuild("w.db", "new.db", "f")
	all := `SELECT * FROM inferencex_captures ORDER BY url, started_at, outcome`
	if got, want := w.query("new.db", all), w.query("w.db", all); !slices.Equal(got, want) || len(got) != 6 {
		t.Errorf("%q\nexpected\n%q", got, want)
	}
	if w.digest("new.db") != w.digest("w.db") {
		t.Error("another digest")
	}
}
