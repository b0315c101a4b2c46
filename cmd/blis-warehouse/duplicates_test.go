package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Many copies of one run stay as many rows, and few lines for people; only the
// machine formats print all pairs.
func TestManyCopies(t *testing.T) {
	dir := t.TempDir()
	capture, database := filepath.Join(dir, "rows.json"), filepath.Join(dir, "w.db")
	var rows bytes.Buffer
	const copies = 150
	inventedCapture(&rows, 1, 1, copies) // one run, then its copies
	if err := os.WriteFile(capture, rows.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	program := func(want int, args ...string) (stdout, stderr string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "blis-warehouse", append([]string{"--db", database}, args...)...) // that testscript put on PATH
		var out, err bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &err
		if e := cmd.Run(); cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != want {
			t.Fatalf("%q: %v\n%s", args, e, err.String())
		}
		return out.String(), err.String()
	}
	program(exitDone, "load", capture)
	lines := func(s string) int { return strings.Count(s, "\n") }

	table, findings := program(exitFindings, "duplicates", "--check")
	if !strings.Contains(table, fmt.Sprintf("... and %d more (--groups --format csv)", copies+1-membersShown)) || lines(table) != 2+membersShown+1 {
		t.Errorf("the table is\n%s", table)
	}
	if !strings.HasSuffix(findings, fmt.Sprintf("... and %d more (query undeclared-duplicates)\n", copies-findingsShown)) || lines(findings) != findingsShown+1 {
		t.Errorf("the check says\n%s", findings)
	}
	name, _ := program(exitDone, "sql", "--format", "tsv", "SELECT min(name) FROM runs")
	explained, _ := program(exitDone, "explain", strings.Fields(name)[1])
	if lines(explained) > 60 || !strings.Contains(explained, fmt.Sprintf("... and %d more exact", copies-20)) {
		t.Errorf("explain says\n%s", explained)
	}
	for _, c := range []struct {
		rows int
		args []string
	}{
		{copies, []string{"query", "undeclared-duplicates"}},
		{copies + 1, []string{"duplicates", "--groups"}},
		{(copies + 1) * copies / 2, []string{"duplicates"}},
	} {
		if out, _ := program(exitDone, append(c.args, "--format", "csv")...); lines(out) != c.rows+1 {
			t.Errorf("%q: %d rows, want %d", c.args, lines(out)-1, c.rows)
		}
	}
}

// Pairs and near pairs are merged in the order of their names, and a failure of either ends the list.
func TestMergePairs(t *testing.T) {
	list := func(pairs ...string) func(func([]any, error) bool) {
		return func(yield func([]any, error) bool) {
			for _, p := range pairs {
				var err error
				row := []any{p[:1], p[1:], "left out"}
				if p == "!!" {
					row, err = nil, fmt.Errorf("damaged")
				}
				if !yield(row, err) {
					return
				}
			}
		}
	}
	for _, c := range []struct{ a, b, want string }{
		{"ab ac bd", "aa ad bc", "aa ab ac ad bc bd"},
		{"", "ab", "ab"}, {"ab", "", "ab"}, {"", "", ""},
		{"ab !!", "aa ac", "aa ab damaged"}, {"ab", "!!", "damaged"},
	} {
		var got []string
		for row, err := range mergePairs(list(strings.Fields(c.a)...), list(strings.Fields(c.b)...), 2) {
			if err != nil {
				got = append(got, err.Error())
				continue
			}
			got = append(got, fmt.Sprint(row...))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%q and %q: %q, want %q", c.a, c.b, got, c.want)
		}
	}
}
