// Package catalog turns the bytes of one YAML document of a blis-catalog into a
// checked record: a measured run or a licence registry, with every problem the
// document has. It knows no files, no database and no clock.
//
// It is no general YAML decoder. A document is decoded against tables of the
// keys each mapping may have (tables.go and beside it), so that unknown and
// repeated keys, nulls, quoted numbers and the like are seen, each with its
// line; then the rules that join several keys are checked (check*.go). A check
// over a value that is already refused is skipped: one mistake is one problem.
//
// What needs the registries in effect is left to the caller: the licence, the
// computed verdict and the stated one, and the place of a file in a catalog.
package catalog

import (
	"gopkg.in/yaml.v3"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// Kinds of a document.
const (
	KindRun      = "MeasuredRun"
	KindRegistry = "MeasurementSources"
)

// Document is what Parse makes of the bytes of one document.
type Document struct {
	Kind     string           // KindRun, KindRegistry, or "" where it is neither
	Name     string           // the run's name, of an invalid run too; "" where it cannot be read or holds a credential
	Run      *record.Run      // nil unless the document is a run without errors
	Registry *record.Registry // nil unless the document is a registry without errors
	Problems []record.Problem // errors and warnings by path, line and rule
	Secret   bool             // a credential was found: the content must be neither stored nor printed

	root *block
}

// Valid reports that the document has no errors; it may have warnings.
func (d *Document) Valid() bool {
	for i := range d.Problems {
		if d.Problems[i].Severity == record.Error {
			return false
		}
	}
	return true
}

// Line returns the line of the key or list element at a path such as
// "source.license_ref", or 0 where the document has none there.
func (d *Document) Line(path string) int {
	if d.root == nil {
		return 0
	}
	return d.root.lineOf(path)
}

// Limits bound what a document may ask for.
type Limits struct {
	MaxBytes int64 // size of the document
	MaxDepth int   // levels of nested mappings and lists, through aliases too
	MaxNodes int   // nodes that aliases and merges may add by expansion
}

// DefaultLimits returns 16 MiB, 64 levels and 100,000 nodes.
func DefaultLimits() Limits {
	return Limits{MaxBytes: 16 << 20, MaxDepth: 64, MaxNodes: 100_000}
}

// Parse decodes and checks one document. It never fails: what is wrong is in
// the document's problems.
func Parse(data []byte, limits Limits) *Document {
	doc := &Document{}
	p := &problems{}
	read(doc, data, limits, p)
	doc.Problems = p.sorted()
	if !doc.Valid() {
		doc.Run, doc.Registry = nil, nil
	}
	return doc
}

// read does the work of Parse, step by step; a step that leaves nothing to go
// on with ends it.
func read(doc *Document, data []byte, limits Limits, p *problems) {
	text, ok := checkText(data, limits, p)
	var root *yaml.Node
	if ok {
		root, ok = parseYAML(text, p)
	}
	if !ok {
		doc.Secret = scanLines(text, p)
		return
	}
	s := survey(root, limits, p)
	s.scanComments(text)
	doc.Secret = s.found()
	if !s.bounded {
		return
	}
	r := &reader{problems: p, secrets: s.nodes, bangs: findBangs(text)}
	doc.root = r.document(root)
	if doc.root == nil {
		return
	}
	doc.Kind = r.kind(doc.root)
	switch doc.Kind {
	case KindRun:
		doc.Run = &record.Run{}
		doc.Name = r.runName(doc.root)
		readTable(r, doc.root, runTable, doc.Run)
		c := &checker{problems: p}
		c.run(doc.root, doc.Run)
	case KindRegistry:
		doc.Registry = &record.Registry{}
		readTable(r, doc.root, registryTable, doc.Registry)
		c := &checker{problems: p}
		c.registry(doc.root, doc.Registry)
	default:
		doc.Name = r.runName(doc.root)
	}
}
