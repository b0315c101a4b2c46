package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/inference-sim/blis-warehouse/queries/statement"
	"github.com/inference-sim/blis-warehouse/queries/visible"
	"github.com/inference-sim/blis-warehouse/store"
)

// completerOn is a completer with the program's schema and invented values.
func completerOn(t *testing.T) *completer {
	t.Helper()
	relations, err := store.Dictionary(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return &completer{
		relations: func() []store.Relation { return relations },
		values: func(column string) []string {
			if column == "model" {
				return []string{"model-a", "model-b"}
			}
			return []string{"run 1", "run-2", "it's", "steers\x1b[2J", "é"}
		},
		params: func() []string { return []string{"first", "second"} },
	}
}

// TestComplete holds what is offered at the cursor, which is where the bar stands.
func TestComplete(t *testing.T) {
	c := completerOn(t)
	for _, tt := range []struct {
		text, word string
		has, hasnt string // insertions, separated by commas
	}{
		{"sel|", "sel", "select", "SELECT,self"},
		{"SEL|", "SEL", "SELECT", "select"},
		{"SELECT * FROM |", "", "runs,points,scorable_runs", "SELECT,name"},
		{"SELECT * FROM ru|", "ru", "runs,run_versions", "points"},
		{"SELECT * FROM runs, po|", "po", "points", "position"},
		{"SELECT name, mo| FROM runs", "mo", "model", "models"},
		{"SELECT mo|", "mo", "model", ""},
		{"SELECT | FROM licences", "", "spdx,FROM", "model"},
		{"SELECT r.mod| FROM runs AS r", "mod", "model", ""},
		{"SELECT x FROM runs r WHERE r.mod|", "mod", "model", ""},
		{"SELECT x FROM runs r WHERE r.|", "", "model,name", "point_id,SELECT"},
		{"SELECT x FROM runs r JOIN points p ON p.|", "", "point_id,run_id", "model"},
		{"SELECT x FROM runs r JOIN points p ON r|", "r", "r,run_id,replace(", ""},
		{"SELECT points.|", "", "point_id", "model"},
		{"SELECT x FROM runs WHERE name = '|", "", "run 1',run-2'", "model-a'"},
		{"SELECT x FROM runs WHERE name = 'run |", "run ", "run 1'", "run-2'"},
		{"SELECT x FROM runs WHERE name = '|'", "", "run 1,run-2", "run-2'"},
		{"SELECT x FROM runs r WHERE r.model = '|", "", "model-a'", "run-2'"},
		{"SELECT x FROM runs WHERE model IN ('model-a', 'mod|", "mod", "model-b'", ""},
		{"SELECT x FROM runs WHERE model = 'a' AND '|", "", "run-2'", "model-a'"},
		{"SELECT x FROM \"ru|", "ru", "runs\"", ""},
		{"SELECT :|", "", "first,second", ""},
		{"SELECT :se|", "se", "second", "first"},
		{"SELECT cou|", "cou", "count(", ""},
		{"SELECT 1; .sch|", ".sch", ".schema", ""},
		{".|", ".", ".help,.quit,.query", ""},
		{".schema po|", "po", "points", ""},
		{`\d po|`, "po", "points", ""},
		{".query run-c|", "run-c", "run-curve", ""},
		{".query run-curve |", "", "run=,metric=", ""},
		{".query run-curve run=run-|", "run-", "run-2", ""},
		{".query best-throughput statistic=p9|", "p9", "p90,p95,p99", "p50"},
		{".query best-throughput isl=|", "", "", "run-2"},
		{".format j|", "j", "json,jsonl", "csv"},
		{".param unset |", "", "first", ""},
		{".explain SELECT * FROM po|", "po", "points", ""},
		{"SELECT 1;\nSELECT name FROM runs;\nSELECT * FROM po|", "po", "points", ""},
		{"-- FROM |", "", "", "runs"},
		{"SELECT é|", "é", "", ""},
		{"|", "", "SELECT", ""},
	} {
		before, after, _ := strings.Cut(tt.text, "|")
		word, found := c.complete(before, after)
		var inserts []string
		for _, f := range found {
			inserts = append(inserts, f.insert)
			if !visible.Plain(f.insert) || !visible.Plain(strings.ReplaceAll(f.meaning, cutSign, "")) && printable(f.meaning) != f.meaning || f.kind == "" {
				t.Errorf("%s: candidate %+v", tt.text, f)
			}
			if !strings.HasPrefix(strings.ToLower(f.insert), strings.ToLower(word)) {
				t.Errorf("%s: %q does not continue %q", tt.text, f.insert, word)
			}
		}
		if word != tt.word {
			t.Errorf("%s: the word is %q, want %q", tt.text, word, tt.word)
		}
		for _, want := range strings.Split(tt.has, ",") {
			if want != "" && !slices.Contains(inserts, want) {
				t.Errorf("%s: does not offer %q: %.300q", tt.text, want, fmt.Sprint(inserts))
			}
		}
		for _, not := range strings.Split(tt.hasnt, ",") {
			if not != "" && slices.Contains(inserts, not) {
				t.Errorf("%s: offers %q", tt.text, not)
			}
		}
	}
}

// FuzzSteps holds that a text is parted into steps without loss and to its end,
// that what is finished has no step that is not ended, and that completing never
// fails, wherever the cursor is.
func FuzzSteps(f *testing.F) {
	for _, s := range []string{"SELECT 1; .help\nSELECT 'a", ".explain\nSELECT 1;x", ".explain", "\\d runs", ";;-- x", ".5 + 1;", ".query a b=c", "'", "SELECT \"", "SELECT a.b. FROM x.", ":", ".", "\\"} {
		f.Add(s, len(s)/2)
	}
	relations := []store.Relation{{Name: "runs", Kind: "table", Columns: []store.Column{{Name: "name"}, {Name: "é"}}}}
	c := &completer{relations: func() []store.Relation { return relations }, values: func(string) []string { return []string{"é", "a'b", "ab"} }, params: func() []string { return nil }}
	f.Fuzz(func(t *testing.T, text string, cursor int) {
		rest, unended := text, false
		for n := 0; ; n++ {
			step := skipBlank(rest)
			if !strings.HasSuffix(rest, step) || n > len(text) {
				t.Fatalf("%q: %q is not the end of %q", text, step, rest)
			}
			if step == "" {
				break
			}
			first, after := cutStep(step)
			if first == "" || first+after != step {
				t.Fatalf("%q: %q is parted into %q and %q", text, step, first, after)
			}
			_, _, ended := statement.Split(first)
			unended = unended || !ended && (!isCommand(first) || takesStatement(first))
			if isCommand(first) && !takesStatement(first) {
				if words, err := splitWords(strings.TrimRight(first, "; \t\r\n")); err == nil && len(words) == 0 {
					t.Fatalf("%q: a command without a name", first)
				}
			}
			rest = after
		}
		if finished(text) == unended {
			t.Fatalf("%q: finished %v, a step that is not ended %v", text, finished(text), unended)
		}
		if cursor >= 0 && cursor <= len(text) {
			word, found := c.complete(text[:cursor], text[cursor:])
			if !strings.HasSuffix(text[:cursor], word) {
				t.Fatalf("%q before the cursor does not end with the word %q", text[:cursor], word)
			}
			for _, f := range found {
				if !visible.Plain(f.insert) {
					t.Fatalf("%q: offers %q", text, f.insert)
				}
			}
		}
	})
}
