package loader

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/inference-sim/blis-warehouse/store"
)

// askedWorld has folders whose ledgers name the same bytes by different operations,
// and a file that no ledger names.
func askedWorld(t *testing.T) *world {
	const list, object = "[]", "{}\n"
	return newWorld(t, map[string]string{
		"f/a.json": list, "f/b.json": object,
		"f/captures.jsonl": ledgerLine("evaluations", "a.json", list, earlyCapture, "complete") + ledgerLine("workflow-info", "b.json", object, earlyCapture, "complete"),
		"g/a.json":         list, "g/b.json": object, "g/c.json": list, "g/d.json": list,
		"g/captures.jsonl": ledgerLine("reliability", "a.json", list, lateCapture, "complete") + ledgerLine("submissions", "b.json", object, lateCapture, "complete") +
			ledgerLine("benchmarks", "c.json", list, lateCapture, "complete"),
	})
}

// TestEmptyAnswers holds that an empty list or object is recorded as the answer of
// what its ledger says was asked for, of each operation once, in any order.
func TestEmptyAnswers(t *testing.T) {
	w := askedWorld(t)
	r := w.load("all.db", w.options(), "f", "g")
	for _, d := range r.Documents {
		problems := 0
		if d.File == "g/d.json" { // no ledger names it
			problems = 1
		}
		if !d.Valid || len(d.Problems) != problems || problems == 0 && (d.Status == store.Added) != (d.File != "g/c.json") {
			t.Errorf("%+v", d)
		}
	}
	bodies := []string{"evaluations|0", "reliability|0", "submissions|0", "workflow-info|0"}
	w.want("all.db", `SELECT operation, rows FROM inferencex_bodies ORDER BY 1`, bodies...)
	w.want("all.db", `SELECT count(*) FROM inferencex_body_files`, "2")
	w.want("all.db", `SELECT operation, captured_at FROM inferencex_newest_bodies ORDER BY 1`, "evaluations|2026-08-08T03:00:00.000Z", "reliability|2026-08-09T03:00:00.500Z",
		"submissions|2026-08-09T03:00:00.500Z", "workflow-info|2026-08-08T03:00:00.000Z")
	w.want("all.db", `SELECT d.path, r.operation FROM documents d JOIN document_readings r USING (document_id) ORDER BY 1`, "f/a.json|evaluations", "f/b.json|workflow-info", "g/a.json|reliability",
		"g/b.json|submissions", "g/c.json|benchmarks", "g/d.json|NULL")
	want := w.logicalContent("all.db")
	if r := w.load("all.db", w.options(), "f", "g"); slices.ContainsFunc(r.Documents, func(d Document) bool { return d.Status != store.Unchanged }) {
		t.Errorf("again: %+v", r.Documents)
	}
	compareContent(t, "loaded again", w.logicalContent("all.db"), want)
	inputs := []string{"f", "g", "f/a.json", "g"}
	rnd := rand.New(rand.NewSource(3))
	for i := range 3 {
		rnd.Shuffle(len(inputs), func(i, j int) { inputs[i], inputs[j] = inputs[j], inputs[i] })
		db := fmt.Sprintf("order%d.db", i)
		for _, input := range inputs {
			w.load(db, w.options(), input)
		}
		compareContent(t, fmt.Sprint(inputs), w.logicalContent(db), want)
		if w.digest(db) != w.digest("all.db") {
			t.Errorf("%s: another digest", inputs)
		}
	}
	w.rebuild("all.db", "rebuilt.db", ".")
	w.want("rebuilt.db", `SELECT operation, rows FROM inferencex_bodies ORDER BY 1`, bodies...)
	if w.digest("rebuilt.db") != w.digest("all.db") {
		t.Error("rebuilt it has another digest")
	}
}

// TestAgainByOperation holds that bytes which were loaded as one operation's are not
// taken for loaded where they are another's.
func TestAgainByOperation(t *testing.T) {
	line := func(operation string) map[string]string {
		return map[string]string{"f/a.json": "[]", "f/captures.jsonl": ledgerLine(operation, "a.json", "[]", earlyCapture, "complete")}
	}
	w := newWorld(t, line("evaluations"))
	again := w.options()
	again.Again = true
	w.load("w.db", again, "f")
	if d := w.load("w.db", again, "f").Documents[0]; d.Status != store.Unchanged || !d.unread {
		t.Errorf("%+v", d)
	}
	w.write(line("reliability"))
	if d := w.load("w.db", again, "f").Documents[0]; d.Status != store.Added {
		t.Errorf("%+v", d)
	}
	w.want("w.db", `SELECT operation FROM inferencex_bodies ORDER BY 1`, "evaluations", "reliability")
}

// TestAskedWithoutLedger holds what is said of a file that takes a ledger to be read and has none.
func TestAskedWithoutLedger(t *testing.T) {
	const list = "[]"
	w := newWorld(t, map[string]string{
		"list.json": list, "object.json": "{}", "names.json": `["results/server.log"]`, "ids.json": `{"421":true}`,
		"f/other.json": list, "f/captures.jsonl": ledgerLine("evaluations", "other.json", list+" ", earlyCapture, "complete"),
	})
	r := w.load("w.db", w.options(), "list.json", "object.json", "names.json", "ids.json")
	wantOutcomes(t, r, "ids.json rejected :0[not-rows]", "list.json unchanged :1[operation]", "names.json rejected :0[not-rows]", "object.json rejected :0[not-rows]")
	for _, d := range r.Documents {
		if !strings.HasSuffix(d.Problems[0].Message, "what was asked for is in the ledger captures.jsonl of the folder that it was captured into, so load that folder") {
			t.Errorf("%s: %s", d.File, d.Problems[0].Message)
		}
	}
	wantOutcomes(t, w.load("w.db", w.options(), "f"), "f/other.json unchanged :1[captured-digest]")
	w.want("w.db", `SELECT count(*) FROM inferencex_bodies`, "0")
}

// TestLedgerAgainstContent holds that a ledger is not believed against the bytes.
func TestLedgerAgainstContent(t *testing.T) {
	const body = `[{"hardware":"h200","date":"2026-01-02","n_success":3,"total":4}]`
	w := newWorld(t, map[string]string{"f/a.json": body, "f/captures.jsonl": ledgerLine("evaluations", "a.json", body, earlyCapture, "complete")})
	r := w.load("w.db", w.options(), "f")
	wantOutcomes(t, r, "f/a.json added :1[captured-operation]")
	w.want("w.db", `SELECT operation, rows FROM inferencex_bodies`, "reliability|1")
	w.want("w.db", `SELECT captured_at FROM inferencex_newest_bodies`, "NULL")
}
