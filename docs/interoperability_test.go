package docs_test

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// pythonBlock is a program of a document, and what it prints in the block after it.
var pythonBlock = regexp.MustCompile("(?ms)^```python\n(.*?)^```\n\n```text\n(.*?)^```$")

// TestPython runs the Python programs of docs/interoperability.md, on the
// demonstration data, and compares what they print. Those that use pandas are
// run where it is installed.
func TestPython(t *testing.T) {
	const doc = "docs/interoperability.md"
	text := read(t, doc)
	if n := strings.Count(text, "```python\n"); n < 3 || n != len(pythonBlock.FindAllString(text, -1)) {
		t.Fatalf("%d programs, of which %d show what they print", n, len(pythonBlock.FindAllString(text, -1)))
	}
	dir := checkout(t)
	load := exec.CommandContext(t.Context(), "bash", "-c", "blis-warehouse load testdata/demo/catalog testdata/demo/captures/benchmarks.json")
	load.Dir, load.Env = dir, environment()
	if out, err := load.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	got := pythonBlock.ReplaceAllStringFunc(text, func(block string) string {
		m := pythonBlock.FindStringSubmatch(block)
		needs := "sqlite3"
		if strings.Contains(m[1], "import pandas") {
			needs = "pandas"
		}
		t.Run(needs, func(t *testing.T) {
			python := pythonWith(t, needs)
			if python == "" {
				t.Skipf("NOT RUN: there is no Python with %s, so a program of %s was not run", needs, doc)
			}
			cmd := exec.CommandContext(t.Context(), python, "-c", m[1])
			cmd.Dir, cmd.Env = dir, environment()
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%s\n%v\n%s", m[1], err, out)
			}
			if string(out) == m[2] {
				return
			}
			if *update {
				block = "```python\n" + m[1] + "```\n\n```text\n" + string(out) + "```"
				return
			}
			t.Errorf("%s\nprints\n%sthe document shows\n%s", m[1], out, m[2])
		})
		return block
	})
	if got != text {
		write(t, doc, got)
	}
}

// pythonWith is a Python that has the module, the system's first, or "" where there is none.
func pythonWith(t *testing.T, module string) string {
	t.Helper()
	for _, name := range []string{"/usr/bin/python3", "python3"} {
		python, err := exec.LookPath(name)
		if err == nil && exec.CommandContext(t.Context(), python, "-c", "import "+module).Run() == nil {
			return python
		}
	}
	return ""
}

// TestPint holds, where Python has Pint, that datasette before 1.0 can read the
// units of the metadata with it: as it multiplies a value by each.
func TestPint(t *testing.T) {
	python := pythonWith(t, "pint")
	if python == "" {
		t.Skip("NOT RUN: there is no Python with pint, so units in datasette's metadata were not read with it")
	}
	db := filepath.Join(t.TempDir(), "w.db")
	run(t, "migrate", "--db", db)
	cmd := exec.CommandContext(t.Context(), python, "-c", `
import json, sys, pint
m = json.load(sys.stdin)
u = pint.UnitRegistry()
for d in m["custom_units"]:
    u.define(d)
units = {unit for t in m["databases"]["w"]["tables"].values() for unit in t.get("units", {}).values()}
for unit in sorted(units):
    round((1234.5 * u(unit)).to_compact(), 6)
print(len(units))
`)
	cmd.Stdin = strings.NewReader(run(t, "metadata", "--db", db))
	out, err := cmd.CombinedOutput()
	if err != nil || len(out) < 2 || string(out) < "5" && len(out) == 2 {
		t.Errorf("%v\n%s", err, out)
	}
}
