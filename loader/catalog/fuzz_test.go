package catalog

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// FuzzParse holds Parse to what its callers rely on, whatever the bytes.
func FuzzParse(f *testing.F) {
	f.Add([]byte(baseRun))
	f.Add([]byte(baseRegistry))
	f.Add([]byte(baseEvaluation))
	for _, of := range []struct {
		base string
		list []mistake
	}{{baseRun, runMistakes}, {baseRegistry, registryMistakes}, {baseEvaluation, evaluationMistakes}} {
		for _, m := range of.list {
			if m.old != "" && len(m.new) < 1000 {
				f.Add([]byte(strings.Replace(of.base, m.old, m.new, 1)))
			}
		}
	}
	for _, s := range []string{"", "---", "a: &a [*a]", "? ? ?", "{{{{", "%YAML 1.2\n---\n", "kind: MeasuredRun\n<<: [*a]", "kind: &k MeasuredRun\n*k: x", "!!", "a: |", "- - - -", "\"\\x41\": 1", "*a : b", "&a *a"} {
		f.Add([]byte(s))
	}
	limits := DefaultLimits()
	limits.MaxBytes = 1 << 16
	f.Fuzz(func(t *testing.T, data []byte) {
		d := Parse(data, limits)
		if d.Valid() != (d.Run != nil || d.Registry != nil || d.Evaluation != nil) {
			t.Fatalf("valid %v with run %v, registry %v, evaluation %v", d.Valid(), d.Run != nil, d.Registry != nil, d.Evaluation != nil)
		}
		if d.Valid() && (d.Secret || d.Kind == "") {
			t.Fatalf("a valid document of kind %q, secret %v", d.Kind, d.Secret)
		}
		if !slices.IsSortedFunc(d.Problems, func(a, b record.Problem) int { return strings.Compare(a.Path, b.Path) }) {
			t.Fatal("problems are not sorted")
		}
		known := map[string]bool{}
		for _, r := range Rules() {
			known[r.Name] = true
		}
		for _, p := range d.Problems {
			if !known[p.Rule] || p.Message == "" || p.Line < 0 {
				t.Fatalf("problem %+v", p)
			}
			d.Line(p.Path)
		}
		again := Parse(data, limits)
		if !reflect.DeepEqual(d.Problems, again.Problems) || !reflect.DeepEqual(d.Run, again.Run) || !reflect.DeepEqual(d.Evaluation, again.Evaluation) || d.Name != again.Name {
			t.Fatal("a second reading differs")
		}
	})
}

func BenchmarkParse(b *testing.B) {
	data := []byte(baseRun)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if d := Parse(data, DefaultLimits()); !d.Valid() {
			b.Fatal(d.Problems)
		}
	}
}

// BenchmarkNodes is the share of BenchmarkParse that the YAML parser takes.
func BenchmarkNodes(b *testing.B) {
	data := []byte(baseRun)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		var n yaml.Node
		if err := yaml.Unmarshal(data, &n); err != nil {
			b.Fatal(err)
		}
	}
}
