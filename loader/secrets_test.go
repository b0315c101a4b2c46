package loader

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A credential in a row is refused and neither stored nor printed, however
// JSON writes it. Tokens are made of pieces, none was ever valid.
func TestRowsWithCredentials(t *testing.T) {
	token := "h" + "f_" + strings.Repeat("aB3", 12)
	escaped := "h\\u0066_" + strings.Repeat("aB3", 12)
	password := "s3cr3t" + "Pa55"
	base := row("100000001", 1, "8", 4, `"median_ttft": 0.25`)
	with := func(old, new string) string { return strings.Replace(base, old, new, 1) }
	for name, text := range map[string]string{
		"metric":          with(`"median_ttft": 0.25`, `"median_ttft": 0.25, "note": "`+token+`"`),
		"metric escaped":  with(`"median_ttft": 0.25`, `"median_ttft": 0.25, "note": "`+escaped+`"`),
		"metric nested":   with(`"median_ttft": 0.25`, `"median_ttft": 0.25, "note": {"deep":["`+escaped+`"]}`),
		"image":           with("vllm/vllm-openai:v0.11.0", token),
		"extra escaped":   with(`"isl":1024`, `"isl":1024,"curve":{"deep":["`+escaped+`"]}`),
		"key of extra":    with(`"isl":1024`, `"isl":1024,"curve":{"`+escaped+`":1}`),
		"workers escaped": with(`"isl":1024`, `"isl":1024,"workers":[{"c":"`+escaped+`"}]`),
		"url":             with(`"isl":1024`, `"isl":1024,"curve":"https:\/\/user:`+password+`@example.org\/x"`),
		"flag":            with(`"isl":1024`, `"isl":1024,"curve":"--api-key\t`+password+`xyz1234567890"`),
		"wrong type":      with(`"conc":4`, `"conc":"`+token+`"`),
		"word":            with(`"hardware":"h200"`, `"hardware":"runner-MY_API`+`_KEY=`+strings.Repeat("Q7w", 10)+`"`),
	} {
		for _, strict := range []bool{false, true} {
			w := newWorld(t, map[string]string{"a.json": rows(text, row("100000002", 1, "8", 4, `"median_ttft": 0.5`))})
			opts := w.options()
			opts.Strict = strict
			r := w.load("w.db", opts, "a.json")
			d := r.Documents[0]
			found := false
			for _, p := range d.Problems {
				found = found || p.Rule == "credential"
				if strings.Contains(p.Path+p.Message, token[:20]) || strings.Contains(p.Message, password) || strings.Contains(p.Message, "Q7wQ7w") {
					t.Errorf("%s: %+v shows it", name, p)
				}
			}
			if !found || d.Valid {
				t.Errorf("%s: %+v", name, d.Problems)
			}
			for _, drift := range d.Drift {
				if strings.Contains(drift.Detail, "Q7wQ7w") {
					t.Errorf("%s: drift %+v shows it", name, drift)
				}
			}
			content, err := os.ReadFile(filepath.Join(w.dir, "w.db"))
			if err != nil {
				t.Fatal(err)
			}
			for _, secret := range []string{token, strings.Repeat("aB3", 12), password, "Q7wQ7w"} {
				if strings.Contains(string(content), secret) {
					t.Errorf("%s: the database holds it", name)
				}
			}
			if !strict {
				w.want("w.db", `SELECT github_run_id FROM inferencex_runs`, "100000002")
			}
		}
	}
}

// The same of the tables of a dump that are no benchmark rows.
func TestDumpRowsWithEscapedCredentials(t *testing.T) {
	files := tablesOfDump()
	files["dump/eval_results.json"] = strings.Replace(array(inventedEvaluation("metrics", object{"note": object{"deep": "TOKEN"}})),
		"TOKEN", "h\\u0066_"+strings.Repeat("aB3", 12), 1)
	w := newWorld(t, files)
	d := w.load("w.db", w.options(), "dump").Documents[0]
	found := false
	for _, p := range d.Problems {
		found = found || p.Rule == "credential" && strings.HasPrefix(p.Path, "eval_results[0]")
	}
	if !found {
		t.Errorf("%+v", d.Problems)
	}
	w.want("w.db", `SELECT count(*) FROM inferencex_evaluations`, "0")
	content, err := os.ReadFile(filepath.Join(w.dir, "w.db"))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(content), "aB3aB3") {
		t.Error("the database holds it")
	}
}

func TestRowsWithNUL(t *testing.T) {
	w := newWorld(t, map[string]string{"a.json": rows(strings.Replace(row("100000001", 1, "8", 4, `"median_ttft": 0.25`), "v0.11.0", `v0\u0000`, 1))})
	d := w.load("w.db", w.options(), "a.json").Documents[0]
	if len(d.Problems) != 1 || d.Problems[0].Rule != "encoding" || d.Rows.Refused != 1 {
		t.Errorf("%+v", d)
	}
}

// What rows say of their whole run is settled by the last, whatever point says
// it, and the same capture again changes nothing.
func TestValuesOfTheWholeRun(t *testing.T) {
	at := func(conc int, started string) string {
		return strings.Replace(row("100000001", 1, "8", conc, `"median_ttft": 0.25`), `"date"`, `"run_started_at":"2026-01-02T`+started+`Z","date"`, 1)
	}
	w := newWorld(t, map[string]string{"a.json": rows(at(4, "21:10:00"), at(8, "22:10:00"))})
	d := w.load("w.db", w.options(), "a.json").Documents[0]
	if len(d.Problems) != 1 || d.Problems[0].Rule != "conflict" || !strings.Contains(d.Problems[0].Message, "row [0]") {
		t.Errorf("problems %+v", d.Problems)
	}
	for range 3 {
		if got := w.load("w.db", w.options(), "a.json").Documents[0]; got.Rows.Unchanged != 2 || got.Status != "unchanged" {
			t.Errorf("again: %+v", got)
		}
		w.want("w.db", `SELECT key, value FROM inferencex_run_revisions ORDER BY value`, "run_started_at|2026-01-02T21:10:00Z", "run_started_at|2026-01-02T22:10:00Z")
		w.want("w.db", `SELECT run_started_at FROM inferencex_runs`, "2026-01-02T22:10:00Z")
		w.want("w.db", `SELECT count(*) FROM inferencex_revisions`, "0")
	}
}
