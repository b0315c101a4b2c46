package docs_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// keyTable is a table of keys in docs/catalog-entries.md under the heading that names its mapping.
var (
	keyTable = regexp.MustCompile("(?m)^### (`?)([A-Za-z_.\\[\\]]+)`?\n((?:[^#\n].*\n|\n)*)")
	keyRow   = regexp.MustCompile("(?m)^\\| `([a-z0-9_]+)` \\| ([^|]+) \\| ([^|]+) \\|")
	keysHere = regexp.MustCompile(`: error: ([^:]+): unknown key [^[]*?[Tt]he keys here are ([a-z0-9_, ]+) \[unknown-key\]`)
	required = regexp.MustCompile(`: error: ([^:]+): required \[missing-key\]`)
)

// TestEveryKey holds that docs/catalog-entries.md has exactly the keys that a
// document may have, mapping by mapping, and says which are required: it gives
// the program a document with an unknown key in each.
func TestEveryKey(t *testing.T) {
	text := read(t, "docs/catalog-entries.md")
	_, text, _ = strings.Cut(text, "\n## Every key\n")
	tables := keyTable.FindAllStringSubmatch(text, -1)
	if len(tables) < 30 {
		t.Fatalf("only %d tables of keys were found", len(tables))
	}
	headings := map[string]bool{}
	for _, m := range tables {
		headings[m[2]] = true
	}
	sameAs := map[string]string{"provenance[].script": "provenance[].report", "provenance[].artifact": "provenance[].report", "provenance[].blis": "provenance[].report"}
	for _, m := range tables {
		kind, path := "MeasuredRun", m[2]
		switch {
		case m[1] == "": // the document itself
			kind, path = m[2], ""
		case strings.HasPrefix(path, "sources[]"):
			kind = "MeasurementSources"
		}
		var keys, must []string
		for _, row := range keyRow.FindAllStringSubmatch(m[3], -1) {
			keys = append(keys, row[1])
			if row[3] == "yes" {
				must = append(must, row[1])
			}
			if row[2] == "mapping" || row[2] == "list" {
				at := strings.TrimPrefix(path+"."+row[1], ".")
				if !headings[at] && !headings[at+"[]"] && !headings[at+".NAME"] && !headings[sameAs[at]] {
					t.Errorf("there is no table of the keys of %s", at)
				}
			}
		}
		t.Run(m[2], func(t *testing.T) {
			at, out := probe(t, kind, path)
			found := keysHere.FindStringSubmatch(out)
			if found == nil || found[1] != strings.TrimPrefix(at+".zzzzzzzz", ".") {
				t.Fatalf("the program does not list the keys:\n%s", out)
			}
			if got := strings.Split(found[2], ", "); !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(keys))) {
				t.Errorf("the keys are\n%q, the page has\n%q", got, keys)
			}
			var needed []string
			for _, r := range required.FindAllStringSubmatch(out, -1) {
				if parent, key := parted(r[1]); parent == at {
					needed = append(needed, key)
				}
			}
			if kind == "MeasuredRun" && path == "" || kind == "MeasurementSources" && path == "" {
				must = slices.DeleteFunc(must, func(k string) bool { return k == "kind" }) // which the document has
			}
			if !slices.Equal(slices.Sorted(slices.Values(needed)), slices.Sorted(slices.Values(must))) {
				t.Errorf("required are %q, the page says %q", needed, must)
			}
		})
	}
}

// parted is the path of the mapping that a key stands in, and the key.
func parted(path string) (parent, key string) {
	i := strings.LastIndex(path, ".")
	return path[:max(i, 0)], path[i+1:]
}

// probe validates a document with an unknown key at path, where [] is a list
// of one and NAME any name. It returns the path as the program prints it, and
// what that prints.
func probe(t *testing.T, kind, path string) (at, out string) {
	t.Helper()
	var value any = map[string]any{"zzzzzzzz": 1}
	parts := strings.Split(path, ".")
	if path == "" {
		parts = nil
	}
	for _, part := range slices.Backward(parts) {
		name, isList := strings.CutSuffix(part, "[]")
		if name == "NAME" {
			name = "x"
		}
		if isList {
			value = []any{value}
		}
		value = map[string]any{name: value}
	}
	document := value.(map[string]any)
	document["kind"] = kind
	content, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "probe.yaml")
	if err := os.WriteFile(file, content, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join(program, "blis-warehouse"), "validate", file)
	printed, err := cmd.CombinedOutput()
	if err == nil {
		t.Fatalf("a document with an unknown key is valid:\n%s", content)
	}
	return strings.NewReplacer("[]", "[0]", "NAME", "x").Replace(path), string(printed)
}
