package catalog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// bangs finds the non-specific tag, a bare !, which the parser drops from its
// nodes: `! 5` is a string to YAML, and an explicit tag to this package.
type bangs struct{ lines [][]byte }

func findBangs(text []byte) bangs {
	if !bytes.Contains(text, []byte("!")) {
		return bangs{}
	}
	return bangs{slices.Collect(lines(text))}
}

// at reports that the text of a node starts with a bare !.
func (b bangs) at(n *yaml.Node) bool {
	if n.Line < 1 || n.Line > len(b.lines) {
		return false
	}
	rest := b.lines[n.Line-1]
	for range n.Column - 1 {
		_, size := utf8.DecodeRune(rest)
		rest = rest[size:]
	}
	if n.Anchor != "" {
		rest = bytes.TrimLeft(bytes.TrimPrefix(rest, []byte("&"+n.Anchor)), " \t")
	}
	return bytes.HasPrefix(rest, []byte("! ")) || len(rest) > 0 && rest[0] == '!' && breakAt(rest[1:]) == len(rest)-1
}

// lines yields the lines of a text with their breaks, where the YAML parser
// counts them: at CR LF, LF, CR and the three breaks of Unicode (NEL, LS, PS).
func lines(text []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		start := 0
		for i := 0; i < len(text); {
			n := breakAt(text[i:])
			if n == 0 {
				i++
				continue
			}
			i += n
			if !yield(text[start:i]) {
				return
			}
			start = i
		}
		if start < len(text) {
			yield(text[start:])
		}
	}
}

// breakAt returns the length of the line break that b starts with, 0 for none.
func breakAt(b []byte) int {
	switch {
	case len(b) == 0:
	case b[0] == '\n':
		return 1
	case b[0] == '\r':
		if len(b) > 1 && b[1] == '\n' {
			return 2
		}
		return 1
	case b[0] == 0xC2 && len(b) > 1 && b[1] == 0x85: // NEL
		return 2
	case b[0] == 0xE2 && len(b) > 2 && b[1] == 0x80 && (b[2] == 0xA8 || b[2] == 0xA9): // LS, PS
		return 3
	}
	return 0
}

// values counts the places of a text where a value may begin, which are at
// least as many as its nodes. The parser takes some 200 bytes for each.
func values(text []byte) int {
	n := 1
	for i, c := range text {
		switch c {
		case '\n', '\r', ',', ':', '[', '{', '?':
			n++
		case '-':
			if i+1 < len(text) && (text[i+1] == ' ' || text[i+1] == '\t') {
				n++
			}
		case 0x85, 0xA8, 0xA9:
			if breakAt(text[max(0, i-1):]) == 2 || breakAt(text[max(0, i-2):]) == 3 {
				n++
			}
		}
	}
	return n
}

// checkText refuses what is no text to parse, and returns the text without its
// byte order mark; nil where it is too large to look at.
func checkText(data []byte, limits Limits, p *problems) ([]byte, bool) {
	if int64(len(data)) > limits.MaxBytes {
		p.add("", 0, RuleSize, "the document is larger than %d bytes", limits.MaxBytes)
		return nil, false
	}
	data = bytes.TrimPrefix(data, []byte("\xEF\xBB\xBF"))
	if i := bytes.IndexByte(data, 0); i >= 0 {
		p.add("", lineAt(data, i), RuleEncoding, "a NUL byte; a document is plain UTF-8 text")
		return data, false
	}
	if !utf8.Valid(data) {
		p.add("", lineAt(data, invalidUTF8(data)), RuleEncoding, "not UTF-8; a document is plain UTF-8 text")
		return data, false
	}
	if values(data) > limits.MaxValues {
		p.add("", 0, RuleSize, "the document has more than %d keys and values", limits.MaxValues)
		return data, false
	}
	return data, true
}

func invalidUTF8(data []byte) int {
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return len(data)
}

// lineAt returns the line of the byte at i.
func lineAt(data []byte, i int) int {
	line := 1
	for at := 0; at < i; {
		n := breakAt(data[at:])
		if n > 0 && at+n <= i {
			line++
		}
		at += max(n, 1)
	}
	return line
}

// parseYAML returns the root of the one document that text holds.
func parseYAML(text []byte, p *problems) (*yaml.Node, bool) {
	dec := yaml.NewDecoder(bytes.NewReader(asYAML11(text)))
	first, err := decodeNext(dec)
	if err != nil && !errors.Is(err, io.EOF) {
		syntaxProblem(text, err, p)
		return nil, false
	}
	if err != nil || isEmptyDocument(first) || isNull(first.Content[0]) {
		if err == nil && moreDocuments(dec, text, p) {
			return nil, false
		}
		p.add("", 1, RuleNoDocument, "the file holds no document: a mapping with the key kind is expected")
		return nil, false
	}
	moreDocuments(dec, text, p)
	return first.Content[0], true
}

// asYAML11 lets the parser, which knows YAML 1.1 alone, read a text that says
// it is 1.2: nothing that a document may hold differs.
func asYAML11(text []byte) []byte {
	const directive = "%YAML 1.2"
	if !bytes.HasPrefix(text, []byte(directive)) {
		return text
	}
	text = bytes.Clone(text)
	text[len(directive)-1] = '1'
	return text
}

// moreDocuments reports what follows the first document, and that something
// did. Empty documents are nothing.
func moreDocuments(dec *yaml.Decoder, text []byte, p *problems) bool {
	for {
		next, err := decodeNext(dec)
		if errors.Is(err, io.EOF) {
			return false
		}
		if err != nil {
			syntaxProblem(text, err, p)
			return true
		}
		if isEmptyDocument(next) {
			continue
		}
		p.add("", next.Content[0].Line, RuleMultipleDocuments, "a second document; a file holds one")
		return true
	}
}

// decodeNext returns the next document of a stream. The parser panics on some
// hostile input; that is a syntax error like others.
func decodeNext(dec *yaml.Decoder) (n *yaml.Node, err error) {
	defer func() {
		if v := recover(); v != nil {
			n, err = nil, fmt.Errorf("yaml: cannot be parsed")
		}
	}()
	n = new(yaml.Node)
	if err := dec.Decode(n); err != nil {
		return nil, err
	}
	if n.Kind != yaml.DocumentNode {
		n = &yaml.Node{Kind: yaml.DocumentNode, Content: []*yaml.Node{n}}
	}
	return n, nil
}

func isEmptyDocument(doc *yaml.Node) bool {
	if len(doc.Content) == 0 || doc.Content[0].Kind == 0 {
		return true
	}
	n := doc.Content[0]
	return isNull(n) && n.Value == "" && n.Anchor == ""
}

var (
	yamlLine      = regexp.MustCompile(`\bline (\d+): `)
	unknownAnchor = regexp.MustCompile(`unknown anchor '(.*)' referenced`)
)

// syntaxProblem reports an error of the YAML parser, with its line and without
// anything of the document.
func syntaxProblem(text []byte, err error, p *problems) {
	message := strings.TrimPrefix(err.Error(), "yaml: ")
	if m := unknownAnchor.FindStringSubmatch(message); m != nil {
		line := 0
		if i := bytes.Index(text, []byte("*"+m[1])); i >= 0 {
			line = lineAt(text, i)
		}
		p.add("", line, RuleSyntax, "an alias names an anchor that the document does not have")
		return
	}
	line := 1 // the parser names no line where it is the first
	if m := yamlLine.FindStringSubmatchIndex(message); m != nil {
		line, _ = strconv.Atoi(message[m[2]:m[3]])
		message = message[:m[0]] + message[m[1]:]
		for _, start := range []string{"did not find expected", "found undefined tag", "found incompatible", "found duplicate %"} {
			if strings.HasPrefix(message, start) {
				line++ // the parser's grammar counts lines from 0, its scanner from 1
			}
		}
	}
	switch {
	case strings.Contains(message, "max depth"):
		p.add("", line, RuleNesting, "nested far more than 64 levels deep")
	case indentedByTab(text, line):
		p.add("", line, RuleSyntax, "a tab as indentation; indent with spaces")
	default:
		p.add("", line, RuleSyntax, "not YAML: %s", message)
	}
}

// indentedByTab reports that a line has a tab in the white space before its text.
func indentedByTab(text []byte, line int) bool {
	n := 0
	for l := range lines(text) {
		if n++; n == line {
			blank := l[:len(l)-len(bytes.TrimLeft(l, " \t"))]
			return bytes.IndexByte(blank, '\t') >= 0
		}
	}
	return false
}

// isNull reports that a node is a null in any of its forms.
func isNull(n *yaml.Node) bool {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n.Kind == yaml.ScalarNode && n.Tag == "!!null" && n.Style&yaml.TaggedStyle == 0
}
