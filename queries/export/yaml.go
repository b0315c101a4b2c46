package export

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/inference-sim/blis-warehouse/queries/visible"
)

// mapping is a YAML mapping that is being written. A key whose value is unset
// is left out.
type mapping struct{ node *yaml.Node }

// list is a YAML list of mappings that is being written.
type list struct{ node *yaml.Node }

func newMapping() *mapping { return &mapping{&yaml.Node{Kind: yaml.MappingNode}} }

// encode is the mapping as a document.
func (m *mapping) encode() ([]byte, error) { return encodeDocuments(m) }

// encodeDocuments is a stream of documents.
func encodeDocuments(documents ...*mapping) ([]byte, error) {
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	for _, m := range documents {
		if err := enc.Encode(m.node); err != nil {
			return nil, err
		}
	}
	err := enc.Close()
	return b.Bytes(), err
}

func (m *mapping) add(key string, value *yaml.Node) {
	m.node.Content = append(m.node.Content, textNode(key), value)
}

// text adds a string, "" is unset.
func (m *mapping) text(key, s string) {
	if s != "" {
		m.add(key, textNode(s))
	}
}

func (m *mapping) whole(key string, n *int64) {
	if n != nil {
		m.add(key, plainNode(strconv.FormatInt(*n, 10)))
	}
}

// number adds a number in the shortest form that reads back as the same double,
// in the grammar of JSON numbers.
func (m *mapping) number(key string, x *float64) {
	if x != nil {
		m.add(key, plainNode(visible.Number(*x)))
	}
}

func (m *mapping) flag(key string, b *bool) {
	if b != nil {
		m.add(key, plainNode(strconv.FormatBool(*b)))
	}
}

// texts adds a list of strings, whose empty elements are text; a list without
// elements is unset.
func (m *mapping) texts(key string, elements []string) {
	if len(elements) == 0 {
		return
	}
	n := &yaml.Node{Kind: yaml.SequenceNode}
	for _, s := range elements {
		n.Content = append(n.Content, textNode(s))
	}
	m.add(key, n)
}

// mapping adds an empty mapping, to be filled.
func (m *mapping) mapping(key string) *mapping {
	inner := newMapping()
	m.add(key, inner.node)
	return inner
}

// list adds an empty list, to be filled.
func (m *mapping) list(key string) *list {
	l := &list{&yaml.Node{Kind: yaml.SequenceNode}}
	m.add(key, l.node)
	return l
}

// mapping adds an empty mapping as the next element, to be filled.
func (l *list) mapping() *mapping {
	m := newMapping()
	l.node.Content = append(l.node.Content, m.node)
	return m
}

// plainNode is a number or a boolean.
func plainNode(text string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Value: text}
}

// textNode is a string, in quotes unless every reader takes it for one without.
func textNode(s string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s}
	if !plainText(s) {
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

// unmistakable is text that begins with a letter and holds nothing that YAML
// gives a meaning to: no number, date, tag or comment.
var unmistakable = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_./@+()=,;%^ -]*$`)

// yamlWords are what some version of YAML takes for a boolean or null.
var yamlWords = []string{"y", "n", "yes", "no", "on", "off", "true", "false", "null"}

// plainText reports whether s can stand without quotes. In doubt it cannot.
func plainText(s string) bool {
	return unmistakable.MatchString(s) && !strings.HasSuffix(s, " ") && !slices.Contains(yamlWords, strings.ToLower(s))
}
