// Package catalog turns the bytes of one YAML document into a checked record: a
// measured run, a licence registry or an evaluation run, with every problem the
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
	"bytes"

	"gopkg.in/yaml.v3"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// Kinds of a document.
const (
	KindRun        = "MeasuredRun"
	KindRegistry   = "MeasurementSources"
	KindEvaluation = "EvaluationRun"
)

// kinds are the kinds of document and how each is read into the document. A
// new kind is one line.
var kinds = []struct {
	name string
	read func(r *reader, root *block, doc *Document)
}{
	{KindRun, readRun},
	{KindRegistry, readRegistry},
	{KindEvaluation, readEvaluation},
}

// Mentions reports that a text contains the name of a kind, without which it
// is no document of ours.
func Mentions(text []byte) bool {
	for _, k := range kinds {
		if bytes.Contains(text, []byte(k.name)) {
			return true
		}
	}
	return false
}

// Document is what Parse makes of the bytes of one document.
type Document struct {
	Kind       string                // one of the kinds, or "" where it is none
	Name       string                // the run's name, of an invalid run too; "" where it cannot be read or holds a credential
	Run        *record.Run           // nil unless the document is a MeasuredRun without errors
	Registry   *record.Registry      // nil unless the document is a registry without errors
	Evaluation *record.EvaluationRun // nil unless the document is an EvaluationRun without errors
	Problems   []record.Problem      // errors and warnings by path, line and rule
	Secret     bool                  // a credential was found: the content must be neither stored nor printed

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
	MaxBytes  int64 // size of the document
	MaxValues int   // places in its text where a value may begin, which bound what the parser builds
	MaxDepth  int   // levels of nested mappings and lists, through aliases too
	MaxNodes  int   // nodes that aliases and merges may add by expansion
}

// DefaultLimits returns 16 MiB, 1,000,000 values, 64 levels and 100,000 nodes.
func DefaultLimits() Limits {
	return Limits{MaxBytes: 16 << 20, MaxValues: 1_000_000, MaxDepth: 64, MaxNodes: 100_000}
}

// Parse decodes and checks one document. It never fails: what is wrong is in
// the document's problems.
func Parse(data []byte, limits Limits) *Document {
	doc := &Document{}
	p := &problems{}
	read(doc, data, limits, p)
	doc.Problems = p.sorted()
	if !doc.Valid() {
		doc.Run, doc.Registry, doc.Evaluation = nil, nil, nil
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
	if doc.Kind != KindRegistry {
		doc.Name = r.runName(doc.root)
	}
	for _, k := range kinds {
		if k.name == doc.Kind {
			k.read(r, doc.root, doc)
		}
	}
}

func readRun(r *reader, root *block, doc *Document) {
	doc.Run = &record.Run{}
	readTable(r, root, runTable, doc.Run)
	c := &checker{problems: r.problems}
	c.run(root, doc.Run)
}

func readRegistry(r *reader, root *block, doc *Document) {
	doc.Registry = &record.Registry{}
	readTable(r, root, registryTable, doc.Registry)
	c := &checker{problems: r.problems}
	c.registry(root, doc.Registry)
}
