package catalog

import (
	"slices"
	"strings"
	"testing"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// The settings that the record calls booleans are read as booleans, and none
// of those in the base document are but these.
func TestBooleanSettings(t *testing.T) {
	nested := map[string]string{}
	var flat strings.Builder
	for _, name := range record.BooleanSettings {
		if outer, inner, ok := strings.Cut(name, "."); ok {
			nested[outer] = inner
			continue
		}
		flat.WriteString("\n        " + name + ": true")
	}
	for outer, inner := range nested {
		flat.WriteString("\n        " + outer + ": {" + inner + ": true}")
	}
	const second = "\n    - role: decode\n      nodes: 1\n"
	doc := Parse([]byte(strings.Replace(baseRun, second, second+"      engine:"+flat.String()+"\n", 1)), DefaultLimits())
	if !doc.Valid() {
		t.Fatalf("%+v", doc.Problems)
	}
	if got := doc.Run.Deployment.Pools[1].Settings; len(got) != len(record.BooleanSettings) {
		t.Errorf("read %+v", got)
	}
	for _, pool := range doc.Run.Deployment.Pools {
		for _, s := range pool.Settings {
			if _, isBool := s.Value.(bool); isBool != slices.Contains(record.BooleanSettings, s.Name) {
				t.Errorf("%s is read as a boolean: %t", s.Name, isBool)
			}
		}
	}
}
