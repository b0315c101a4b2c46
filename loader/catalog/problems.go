package catalog

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// maxProblems bounds the problems of one document. A document with more is not
// one that a person mends line by line.
const maxProblems = 10_000

// problems collects the problems of a document.
type problems struct {
	list []record.Problem
	at   map[mark]bool
	full bool
}

// mark identifies a mistake by where its text stands. A text that aliases and
// merges bring to several places is one mistake.
type mark struct {
	source    pos
	rule, key string
}

// add records a problem of the document's text rather than of a value in it.
func (p *problems) add(path string, line int, rule, format string, args ...any) {
	p.append(record.Problem{Severity: record.Error, Path: path, Line: line, Rule: rule, Message: fmt.Sprintf(format, args...)})
}

func (p *problems) append(x record.Problem) {
	switch {
	case len(p.list) < maxProblems:
		p.list = append(p.list, x)
	case !p.full:
		p.full = true
		p.list = append(p.list, record.Problem{Severity: record.Error, Rule: RuleProblemLimit, Message: fmt.Sprintf("more than %d problems; the rest is not listed", maxProblems)})
	}
}

// refuse records an error at a spot.
func (p *problems) refuse(s spot, rule, format string, args ...any) {
	if !p.full {
		p.report(s, "", record.Error, rule, fmt.Sprintf(format, args...))
	}
}

// warn records a warning at a spot.
func (p *problems) warn(s spot, rule, format string, args ...any) {
	p.report(s, "", record.Warning, rule, fmt.Sprintf(format, args...))
}

// missing records that the mapping b lacks a key that why calls for.
func (p *problems) missing(b *block, key, why string) {
	if b.find(key) != nil {
		why += "; null and an empty string count as absent"
	}
	p.report(b.at(key), key, record.Error, RuleMissingKey, "required"+why)
}

func (p *problems) report(s spot, key, severity, rule, message string) {
	m := mark{s.source, rule, key}
	if s.shared && p.at[m] {
		return
	}
	if p.at == nil {
		p.at = map[mark]bool{}
	}
	p.at[m] = true
	p.append(record.Problem{Severity: severity, Path: s.path(), Line: int(s.line), Rule: rule, Message: message})
}

// sorted returns the problems by path, line and rule.
func (p *problems) sorted() []record.Problem {
	slices.SortStableFunc(p.list, func(a, b record.Problem) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), strings.Compare(a.Rule, b.Rule), strings.Compare(a.Message, b.Message))
	})
	return p.list
}

// shown quotes a value for a message, cut to a readable length.
func shown(s string) string {
	const most = 60
	if len(s) <= most {
		return fmt.Sprintf("%q", s)
	}
	cut := most
	for cut > 0 && s[cut]&0xC0 == 0x80 {
		cut--
	}
	return fmt.Sprintf("%q…", s[:cut])
}
