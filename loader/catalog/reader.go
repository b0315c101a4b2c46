package catalog

import (
	"strings"

	"gopkg.in/yaml.v3"
)

// reader decodes nodes into blocks and records.
type reader struct {
	problems *problems
	secrets  map[*yaml.Node]bool // nodes that carry a credential, already reported
	bangs    bangs
}

// document opens the root mapping.
func (r *reader) document(root *yaml.Node) *block {
	s := spot{index: -1, line: int32(root.Line), source: posOf(root)}
	if !r.plain(root, s) {
		return nil
	}
	if root.Kind != yaml.MappingNode {
		if !r.secrets[root] {
			r.problems.refuse(s, RuleType, "the document is %s; a mapping with the key kind is expected", describe(root))
		}
		return nil
	}
	return r.open(root, s)
}

// kind returns the document's kind, or "" after reporting why there is none.
func (r *reader) kind(root *block) string {
	e := root.find("kind")
	if e == nil || isNull(e.value) || r.isEmptyText(e.value) {
		r.problems.refuse(root.at("kind"), RuleMissingKey, "required: %s", kindNames())
		return ""
	}
	n := resolve(e.value)
	if r.secrets[n] || !r.plain(n, e.spot) {
		return ""
	}
	if n.Kind != yaml.ScalarNode {
		r.problems.refuse(e.spot, RuleType, "%s; %s is expected", describe(n), kindNames())
		return ""
	}
	for _, k := range kinds {
		if n.Value == k.name {
			return k.name
		}
	}
	r.problems.refuse(e.spot, RuleKind, "%s is no kind of document: %s", shown(n.Value), kindNames())
	return ""
}

// kindNames are the names of the kinds in a sentence.
func kindNames() string {
	last := len(kinds) - 1
	names := make([]string, last)
	for i := range names {
		names[i] = kinds[i].name
	}
	return strings.Join(names, ", ") + " or " + kinds[last].name
}

func (r *reader) isEmptyText(n *yaml.Node) bool {
	n = resolve(n)
	return n.Kind == yaml.ScalarNode && n.Value == "" && n.Style&yaml.TaggedStyle == 0
}

// runName returns the name of a run as far as it can be read and shown.
func (r *reader) runName(root *block) string {
	e := root.find("name")
	if e == nil {
		return ""
	}
	n := resolve(e.value)
	if n.Kind != yaml.ScalarNode || isNull(n) || r.secrets[n] {
		return ""
	}
	return n.Value
}

// plain refuses a node with an explicit tag.
func (r *reader) plain(n *yaml.Node, s spot) bool {
	tag := n.Tag
	if n.Style&yaml.TaggedStyle == 0 {
		if !r.bangs.at(n) {
			return true
		}
		tag = "!"
	}
	if !r.secrets[n] {
		r.problems.refuse(s, RuleTag, "the explicit tag %s; write the value without a tag", shown(tag))
	}
	return false
}

// open lists the keys of a mapping, merges included. What is wrong with the
// keys themselves is reported; their values are not looked at.
func (r *reader) open(n *yaml.Node, s spot) *block {
	b := &block{spot: s, path: s.path(), entries: make([]entry, 0, len(n.Content)/2)}
	r.collect(b, n, s.shared)
	return b
}

// collect adds the pairs of the mapping n to b, then those of its merges. A key
// that b already has from elsewhere is not overridden.
func (r *reader) collect(b *block, n *yaml.Node, shared bool) {
	var merges []spot
	var values []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := resolve(n.Content[i]), n.Content[i+1]
		if r.secrets[k] {
			continue
		}
		s := spot{in: b, key: k.Value, index: -1, line: int32(n.Content[i].Line), source: posOf(k), shared: shared || n.Content[i] != k}
		if !r.textKey(b, k, s) {
			continue
		}
		if isMerge(k) {
			if len(merges) > 0 {
				r.problems.refuse(s, RuleDuplicateKey, "<< stands twice, on lines %d and %d; merge a list instead", merges[0].line, s.line)
				continue
			}
			merges, values = append(merges, s), append(values, v)
			continue
		}
		first := b.find(k.Value)
		switch {
		case first == nil:
			s.source = posOf(resolve(v))
			s.shared = s.shared || v.Kind == yaml.AliasNode
			b.add(entry{spot: s, value: v, from: n})
		case first.from == n:
			r.problems.refuse(s, RuleDuplicateKey, "the key %s stands twice, on lines %d and %d", shown(k.Value), first.line, s.line)
		}
	}
	for i, v := range values {
		r.merge(b, v, merges[i])
	}
}

// textKey refuses a key that is not a string.
func (r *reader) textKey(b *block, k *yaml.Node, s spot) bool {
	switch {
	case k.Kind != yaml.ScalarNode:
		r.problems.refuse(b.spot, RuleKeyType, "a key on line %d is %s; keys are strings", k.Line, describe(k))
	case !r.plain(k, s):
	case k.Tag == "!!str" || isMerge(k):
		return true
	default:
		r.problems.refuse(s, RuleKeyType, "the key is %s; keys are strings, quote it if it is one", describe(k))
	}
	return false
}

// isMerge reports that a key is the merge key, which is << without quotes.
func isMerge(k *yaml.Node) bool { return k.Tag == "!!merge" }

// merge adds what << brings to b.
func (r *reader) merge(b *block, v *yaml.Node, s spot) {
	n := resolve(v)
	if !r.plain(n, s) {
		return
	}
	switch n.Kind {
	case yaml.MappingNode:
		r.collect(b, n, true)
	case yaml.SequenceNode:
		for _, el := range n.Content {
			m := resolve(el)
			if m.Kind != yaml.MappingNode {
				r.problems.refuse(s, RuleMerge, "<< merges %s; a mapping or a list of mappings is expected", describe(m))
				return
			}
			r.collect(b, m, true)
		}
	default:
		r.problems.refuse(s, RuleMerge, "<< merges %s; a mapping or a list of mappings is expected", describe(n))
	}
}

// describe says what a node is, without its text.
func describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	if n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 {
		return "a quoted string"
	}
	switch n.Tag {
	case "!!null":
		return "null"
	case "!!bool":
		return "a boolean"
	case "!!int", "!!float":
		return "a number"
	case "!!timestamp":
		return "a timestamp"
	}
	return "a string"
}

// nearest returns the name that key was likely meant to be, or "".
func nearest(key string, names []string) string {
	const longest = 40
	if len(key) > longest {
		return ""
	}
	best, least := "", 1+max(1, len(key)/3)
	for _, name := range names {
		if d := distance(strings.ToLower(key), name); d < least {
			best, least = name, d
		}
	}
	if best != "" || len(key) < 3 {
		return best
	}
	for _, name := range names { // kv_cache_dtype for cache_dtype, sha for sha256
		if strings.Contains(key, name) || strings.Contains(name, key) {
			return name
		}
	}
	return ""
}

// distance is the number of bytes to insert, remove or replace between a and b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next := min(row[j]+1, row[j+1]+1, diagonal+cost)
			diagonal, row[j+1] = row[j+1], next
		}
	}
	return row[len(b)]
}
