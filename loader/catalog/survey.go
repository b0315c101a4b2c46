package catalog

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/inference-sim/blis-warehouse/loader/catalog/credential"
)

// A surveyor walks the nodes of a document once, as they stand in the text,
// before any of them is believed: how deep they nest and how far aliases
// expand, and which strings carry a credential.
type surveyor struct {
	problems *problems
	limits   Limits

	bounded bool                // nesting and expansion are within the limits
	nodes   map[*yaml.Node]bool // scalars and keys that carry a credential
	secrets []string            // their texts, to tell a comment from a string
	sizes   map[*yaml.Node]extent
	path    []step
	added   int // nodes that the aliases met so far add
}

// extent is the size and height of an anchored value with its aliases
// expanded; open while the walk is still inside it.
type extent struct {
	size, height int
	open         bool
}

// step is one step of the path from the root: a key, or an index where key is
// "" and index is not negative.
type step struct {
	key   string
	index int
}

func survey(root *yaml.Node, limits Limits, p *problems) *surveyor {
	s := &surveyor{problems: p, limits: limits, bounded: true}
	s.walk(root, "", 0)
	return s
}

// found reports that a credential was seen.
func (s *surveyor) found() bool { return len(s.secrets) > 0 }

// walk surveys a node below depth collections and returns its expanded size
// and height. key is the mapping key whose value it is, or "".
func (s *surveyor) walk(n *yaml.Node, key string, depth int) (size, height int) {
	if n.Kind == yaml.AliasNode {
		return s.alias(n, depth)
	}
	if n.Anchor != "" {
		s.scan(n, n.Anchor, "")
		if s.sizes == nil {
			s.sizes = map[*yaml.Node]extent{}
		}
		s.sizes[n] = extent{open: true}
		defer func() { s.sizes[n] = extent{size: size, height: height} }()
	}
	if n.Style&yaml.TaggedStyle != 0 {
		s.scan(n, n.Tag, "")
	}
	size = 1
	switch n.Kind {
	case yaml.MappingNode:
		s.level(n, depth+1)
		for i := 0; i+1 < len(n.Content); i += 2 {
			k, v := n.Content[i], n.Content[i+1]
			keySize, keyHeight := s.walk(k, "", depth+1) // a key's problem is reported at its mapping
			name := ""
			if k.Kind == yaml.ScalarNode {
				name = k.Value
				if s.nodes[k] {
					name = ""
				}
			}
			s.path = append(s.path, step{key: name, index: -1})
			valueSize, valueHeight := s.walk(v, name, depth+1)
			s.path = s.path[:len(s.path)-1]
			size = sum(size, sum(keySize, valueSize))
			height = max(height, keyHeight, valueHeight)
		}
		height++
	case yaml.SequenceNode:
		s.level(n, depth+1)
		command := len(s.path) == 2 && s.path[0].key == "client" && s.path[1].key == "command"
		for i, v := range n.Content {
			s.path = append(s.path, step{index: i})
			if command && s.argument(n.Content, i) {
				size = sum(size, 1)
			} else {
				valueSize, valueHeight := s.walk(v, key, depth+1)
				size = sum(size, valueSize)
				height = max(height, valueHeight)
			}
			s.path = s.path[:len(s.path)-1]
		}
		height++
	case yaml.ScalarNode:
		s.scan(n, n.Value, key)
	}
	return size, height
}

// argument looks at an element of client.command together with its neighbours
// and reports that nothing more is to be said about it: a flag that takes a
// secret is judged by its value, and a value that is one by its flag.
func (s *surveyor) argument(args []*yaml.Node, i int) bool {
	n := resolve(args[i])
	if n.Kind != yaml.ScalarNode {
		return false
	}
	if i > 0 {
		if f, found := credential.Next(resolve(args[i-1]).Value, n.Value); found {
			s.report(args[i], f, n.Value)
			return true
		}
	}
	return i+1 < len(args) && credential.TakesValue(n.Value)
}

// alias returns the extent of what an alias stands for.
func (s *surveyor) alias(n *yaml.Node, depth int) (size, height int) {
	e, known := s.sizes[n.Alias]
	switch {
	case !known || e.open:
		s.refuse(n, RuleAlias, "the alias stands within the value it names")
		return 1, 0
	case depth+e.height > s.limits.MaxDepth:
		s.refuse(n, RuleNesting, "nested more than %d levels deep through an alias", s.limits.MaxDepth)
	}
	s.added = sum(s.added, e.size)
	if s.added > s.limits.MaxNodes || e.size > s.limits.MaxNodes {
		s.refuse(n, RuleAlias, "aliases add more than %d values to the document", s.limits.MaxNodes)
	}
	return e.size, e.height
}

func (s *surveyor) level(n *yaml.Node, depth int) {
	if depth > s.limits.MaxDepth {
		s.refuse(n, RuleNesting, "nested more than %d levels deep", s.limits.MaxDepth)
	}
}

// refuse reports the first excess, which ends the reading of the document.
func (s *surveyor) refuse(n *yaml.Node, rule, format string, args ...any) {
	if s.bounded {
		s.problems.add(s.at(), n.Line, rule, format, args...)
	}
	s.bounded = false
}

// scan looks for a credential in a text of n.
func (s *surveyor) scan(n *yaml.Node, text, key string) {
	if f, found := credential.Scan(text, key); found {
		s.report(n, f, text)
	}
}

func (s *surveyor) report(n *yaml.Node, f credential.Finding, text string) {
	if s.nodes == nil {
		s.nodes = map[*yaml.Node]bool{}
	}
	if s.nodes[resolve(n)] {
		return
	}
	s.nodes[n] = true
	s.nodes[resolve(n)] = true
	s.secrets = append(s.secrets, text[f.Start:f.End])
	s.problems.add(s.at(), n.Line, RuleCredential, "carries a credential (%s); remove it and revoke it", f.Kind)
}

// at renders the path of the walk.
func (s *surveyor) at() string {
	var b strings.Builder
	for _, step := range s.path {
		if step.index < 0 {
			b.WriteString(join(b.Len() == 0, step.key))
		} else {
			b.WriteString("[" + strconv.Itoa(step.index) + "]")
		}
		if b.Len() > maxPath {
			break
		}
	}
	return b.String()
}

// maxPath bounds the paths of a hostile document.
const maxPath = 1000

// scanComments looks for credentials in comments: in what follows a # that may
// start one. A # within a string is no comment, so a text that a string was
// found to carry is not reported again.
func (s *surveyor) scanComments(text []byte) {
	if bytes.IndexByte(text, '#') < 0 {
		return
	}
	line := 0
	for l := range lines(text) {
		line++
		from := commentStart(l)
		if from < 0 {
			continue
		}
		comment := string(l[from:])
		if f, found := credential.Scan(comment, ""); found && !s.known(comment[f.Start:f.End]) {
			s.secrets = append(s.secrets, comment[f.Start:f.End])
			s.problems.add("", line, RuleCredential, "a comment carries a credential (%s); remove it and revoke it", f.Kind)
		}
	}
}

// commentStart returns where a comment may start in a line, or -1.
func commentStart(line []byte) int {
	for from := 0; ; {
		i := bytes.IndexByte(line[from:], '#')
		if i < 0 {
			return -1
		}
		i += from
		if i == 0 || line[i-1] == ' ' || line[i-1] == '\t' {
			return i
		}
		from = i + 1
	}
}

func (s *surveyor) known(secret string) bool {
	for _, k := range s.secrets {
		if strings.Contains(k, secret) || strings.Contains(secret, k) {
			return true
		}
	}
	return false
}

// scanLines looks for credentials in the lines of a text that is no YAML.
func scanLines(text []byte, p *problems) (found bool) {
	line := 0
	for l := range lines(text) {
		line++
		if f, ok := credential.Scan(string(l), ""); ok {
			found = true
			p.add("", line, RuleCredential, "carries a credential (%s); remove it and revoke it", f.Kind)
		}
	}
	return found
}

func sum(a, b int) int {
	if a > math.MaxInt-b {
		return math.MaxInt
	}
	return a + b
}

// resolve returns what an alias stands for.
func resolve(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}
