package loader

import (
	"strings"
	"testing"

	"github.com/inference-sim/blis-warehouse/loader/catalog"
)

// Some vocabularies stand in CHECKs of the schema too, so that no other
// program can write a word that nobody knows. A new word of these needs a
// migration: this test says so.
func TestVocabulariesAreAdmitted(t *testing.T) {
	columns := map[string]string{ // a table's CHECK by vocabulary
		"population":         "definitions",
		"clock":              "definitions",
		"unit":               "definitions",
		"provenance.verdict": "provenance",
		"material":           "provenance",
		"diff.kind":          "diffs",
		"router.kind":        "routers",
		"pools.role":         "pools",
		"mode":               "traces",
		"status":             "licences",
		"permits":            "licence_permits",
		"verdict":            "runs",
		"resolution":         "runs",
	}
	w := newWorld(t, map[string]string{"a.yaml": runYAML("a", "open")})
	w.load("w.db", w.options(), "a.yaml")
	seen := 0
	for _, v := range catalog.Vocabularies() {
		table, ok := columns[v.Name]
		if !ok {
			continue
		}
		seen++
		schema := strings.Join(w.query("w.db", `SELECT sql FROM sqlite_schema WHERE name = '`+table+`'`), "")
		for _, word := range v.Words {
			if !strings.Contains(schema, "'"+word+"'") {
				t.Errorf("table %s does not admit %s of the vocabulary %s: it needs a migration", table, word, v.Name)
			}
		}
	}
	if seen != len(columns) {
		t.Errorf("%d of %d vocabularies are there", seen, len(columns))
	}
}
