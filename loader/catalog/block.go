package catalog

import (
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// spot is where a value stands: under a key of a mapping, and perhaps as an
// element of the list there.
type spot struct {
	in     *block // nil for the document
	key    string
	index  int32 // -1 unless an element of a list
	line   int32 // of the key, or of the element
	source pos   // of the value's text, which aliases may bring here
	shared bool  // reached through an alias or a merge
}

// pos is a position in the text, from 1.
type pos struct{ line, column int32 }

func posOf(n *yaml.Node) pos { return pos{int32(n.Line), int32(n.Column)} }

// path renders the spot: points[2].load.
func (s spot) path() string {
	if s.in == nil {
		return ""
	}
	path := s.in.path + join(s.in.path == "", s.key)
	if s.index >= 0 {
		path += "[" + strconv.Itoa(int(s.index)) + "]"
	}
	return path
}

// join renders a key as the next step of a path. A key that would make the
// path unreadable is quoted.
func join(first bool, key string) string {
	const longest = 100
	if key == "" || len(key) > longest || strings.ContainsFunc(key, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return "[" + shown(key) + "]"
	}
	if first {
		return key
	}
	return "." + key
}

// state is what became of the value of a key.
type state int

const (
	absent  state = iota // null, or an empty string
	refused              // a problem of it is reported
	stated
)

// block is a mapping of the document after reading: which keys it states, where,
// and what became of their values. Checks ask it before they accuse.
type block struct {
	spot
	path    string
	entries []entry
	byKey   map[string]int // of the entries by key, where it is large
}

// entry is a key of a block with its value.
type entry struct {
	spot
	value *yaml.Node // nil after reading, so that a document does not keep its text's tree
	from  *yaml.Node // the mapping that the key stands in; nil after reading
	state state
	block *block    // where the value is a mapping
	list  []element // where it is a list
}

// element is an element of a list; block is nil unless it is an accepted mapping.
type element struct {
	line  int32
	block *block
}

// find returns the entry of a key, or nil.
func (b *block) find(key string) *entry {
	if b == nil {
		return nil
	}
	if b.byKey != nil {
		if i, ok := b.byKey[key]; ok {
			return &b.entries[i]
		}
		return nil
	}
	for i := range b.entries {
		if b.entries[i].key == key {
			return &b.entries[i]
		}
	}
	return nil
}

// stated reports that every key has an accepted value.
func (b *block) stated(keys ...string) bool {
	for _, key := range keys {
		if e := b.find(key); e == nil || e.state != stated {
			return false
		}
	}
	return true
}

// refused reports that the value of some key is refused.
func (b *block) refused(keys ...string) bool {
	for _, key := range keys {
		if e := b.find(key); e != nil && e.state == refused {
			return true
		}
	}
	return false
}

// child returns the mapping under a key, or nil.
func (b *block) child(key string) *block {
	if e := b.find(key); e != nil {
		return e.block
	}
	return nil
}

// list returns the elements of the list under a key.
func (b *block) list(key string) []element {
	if e := b.find(key); e != nil {
		return e.list
	}
	return nil
}

// at returns the spot of a key, for a problem of its value. A key that the
// block lacks stands where the block does.
func (b *block) at(key string) spot {
	if e := b.find(key); e != nil {
		return e.spot
	}
	return spot{in: b, key: key, index: -1, line: b.line, source: b.source, shared: b.shared}
}

// element returns the spot of an element of the list under a key.
func (b *block) element(key string, i int) spot {
	s := b.at(key)
	s.index = int32(i)
	if list := b.list(key); i < len(list) {
		s.line = list[i].line
	}
	return s
}

// refuse marks the value of a key as refused, after a check reported it.
func (b *block) refuse(key string) {
	if e := b.find(key); e != nil {
		e.state = refused
	}
}

// lineOf returns the line of the key or element at a path below b, or 0.
func (b *block) lineOf(path string) int {
	for i := range b.entries {
		e := &b.entries[i]
		here := e.path()
		if path == here {
			return int(e.line)
		}
		if !strings.HasPrefix(path, here) {
			continue
		}
		if e.block != nil {
			if line := e.block.lineOf(path); line > 0 {
				return line
			}
		}
		for j, el := range e.list {
			at := here + "[" + strconv.Itoa(j) + "]"
			if path == at {
				return int(el.line)
			}
			if el.block != nil && strings.HasPrefix(path, at+".") {
				return el.block.lineOf(path)
			}
		}
	}
	return 0
}

// add appends a key.
func (b *block) add(e entry) {
	const small = 32
	b.entries = append(b.entries, e)
	if b.byKey != nil {
		b.byKey[e.key] = len(b.entries) - 1
	} else if len(b.entries) > small {
		b.byKey = make(map[string]int, len(b.entries))
		for i := range b.entries {
			b.byKey[b.entries[i].key] = i
		}
	}
}
