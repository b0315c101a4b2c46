package catalog

import (
	"strings"

	"gopkg.in/yaml.v3"
)

// table is the schema of a mapping that is read into a T: its keys in the
// order of the specification.
type table[T any] []key[T]

// key is one key of a mapping: its name, whether it must be stated, and how its
// value is read into the record.
type key[T any] struct {
	name     string
	required bool
	read     func(r *reader, e *entry, n *yaml.Node, v *T) state
}

const (
	required = true
	optional = false
)

func (t table[T]) find(name string) *key[T] {
	for i := range t {
		if t[i].name == name {
			return &t[i]
		}
	}
	return nil
}

func (t table[T]) names() []string {
	names := make([]string, len(t))
	for i := range t {
		names[i] = t[i].name
	}
	return names
}

// readTable reads the opened mapping b into v.
func readTable[T any](r *reader, b *block, t table[T], v *T) {
	var misspelt []string
	for i := range b.entries {
		e := &b.entries[i]
		n := e.value
		e.value, e.from = nil, nil
		if k := t.find(e.key); k != nil {
			e.state = r.value(e, n, func(n *yaml.Node) state { return k.read(r, e, n, v) })
		} else if name := r.unknown(e, t.names()); name != "" {
			misspelt = append(misspelt, name)
		}
	}
	for _, name := range misspelt { // reported: its absence is no further mistake
		if b.find(name) == nil {
			b.add(entry{spot: b.at(name), state: refused})
		}
	}
	for i := range t {
		if e := b.find(t[i].name); t[i].required && (e == nil || e.state == absent) {
			r.problems.missing(b, t[i].name, "")
		}
	}
}

// value reads a value that may be null, tagged or a credential; read does the
// rest.
func (r *reader) value(e *entry, n *yaml.Node, read func(n *yaml.Node) state) state {
	n = resolve(n)
	switch {
	case r.secrets[n]:
		return refused
	case !r.plain(n, e.spot):
		return refused
	case isNull(n):
		return absent
	}
	return read(n)
}

// unknown reports a key that its mapping does not have. It returns the name of
// the key that differs only in case, if there is one.
func (r *reader) unknown(e *entry, names []string) string {
	e.state = refused
	for _, name := range names {
		if strings.EqualFold(name, e.key) {
			r.problems.refuse(e.spot, RuleUnknownKey, "unknown key %s; keys are lower-case: %s", shown(e.key), name)
			return name
		}
	}
	if name := nearest(e.key, names); name != "" {
		r.problems.refuse(e.spot, RuleUnknownKey, "unknown key %s; did you mean %s? The keys here are %s", shown(e.key), name, strings.Join(names, ", "))
	} else {
		r.problems.refuse(e.spot, RuleUnknownKey, "unknown key %s; the keys here are %s", shown(e.key), strings.Join(names, ", "))
	}
	return ""
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// text is a key whose value is read as its source text. Empty counts as absent.
func text[T any](name string, required bool, field func(*T) *string, checks ...textCheck) key[T] {
	return key[T]{name, required, func(r *reader, e *entry, n *yaml.Node, v *T) state {
		s, st := r.text(e.spot, n, checks)
		if st == stated {
			*field(v) = s
		}
		return st
	}}
}

// whole is a required integer key.
func whole[T any](name string, field func(*T) *int64, checks ...wholeCheck) key[T] {
	return key[T]{name, required, func(r *reader, e *entry, n *yaml.Node, v *T) state {
		x, st := r.whole(e.spot, n, checks)
		if st == stated {
			*field(v) = x
		}
		return st
	}}
}

// optWhole is an integer key that may be unstated.
func optWhole[T any](name string, field func(*T) **int64, checks ...wholeCheck) key[T] {
	return key[T]{name, optional, func(r *reader, e *entry, n *yaml.Node, v *T) state {
		x, st := r.whole(e.spot, n, checks)
		if st == stated {
			*field(v) = &x
		}
		return st
	}}
}

// number is a required number key.
func number[T any](name string, field func(*T) *float64, checks ...numberCheck) key[T] {
	return key[T]{name, required, func(r *reader, e *entry, n *yaml.Node, v *T) state {
		x, st := r.number(e.spot, n, checks)
		if st == stated {
			*field(v) = x
		}
		return st
	}}
}

// optNumber is a number key that may be unstated.
func optNumber[T any](name string, field func(*T) **float64, checks ...numberCheck) key[T] {
	return key[T]{name, optional, func(r *reader, e *entry, n *yaml.Node, v *T) state {
		x, st := r.number(e.spot, n, checks)
		if st == stated {
			*field(v) = &x
		}
		return st
	}}
}

// flag is a boolean key, which may always be unstated.
func flag[T any](name string, field func(*T) **bool) key[T] {
	return key[T]{name, optional, func(r *reader, e *entry, n *yaml.Node, v *T) state {
		x, st := r.boolean(e.spot, n)
		if st == stated {
			*field(v) = &x
		}
		return st
	}}
}

// mapping is a key whose value is a mapping, read into a part of the record.
func mapping[T, U any](name string, required bool, t table[U], field func(*T) *U) key[T] {
	return key[T]{name, required, func(r *reader, e *entry, n *yaml.Node, v *T) state {
		if e.block = r.mapping(e.spot, n); e.block == nil {
			return refused
		}
		readTable(r, e.block, t, field(v))
		return stated
	}}
}

// optMapping is a mapping that the record holds only where it is stated.
func optMapping[T, U any](name string, t table[U], field func(*T) **U) key[T] {
	return key[T]{name, optional, func(r *reader, e *entry, n *yaml.Node, v *T) state {
		if e.block = r.mapping(e.spot, n); e.block == nil {
			return refused
		}
		*field(v) = new(U)
		readTable(r, e.block, t, *field(v))
		return stated
	}}
}

// named is a mapping with free keys, each the name of a U. null entries count
// as absent.
func named[T, U any](keyName string, required, filled bool, t table[U], field func(*T) *[]U, name func(*U) *string) key[T] {
	return key[T]{keyName, required, func(r *reader, e *entry, n *yaml.Node, v *T) state {
		if e.block = r.mapping(e.spot, n); e.block == nil {
			return refused
		}
		list := make([]U, 0, len(e.block.entries))
		for i := range e.block.entries {
			el := &e.block.entries[i]
			value := el.value
			el.value, el.from = nil, nil
			if el.key == "" {
				r.problems.refuse(e.block.spot, RuleEmpty, "a name on line %d is empty", el.line)
				el.state = refused
				continue
			}
			el.state = r.value(el, value, func(n *yaml.Node) state {
				if el.block = r.mapping(el.spot, n); el.block == nil {
					return refused
				}
				list = append(list, *new(U))
				u := &list[len(list)-1]
				*name(u) = el.key
				readTable(r, el.block, t, u)
				return stated
			})
		}
		*field(v) = list
		if filled && !anyStated(e.block) {
			r.problems.refuse(e.spot, RuleEmpty, "empty; at least one is required")
			return refused
		}
		return stated
	}}
}

func anyStated(b *block) bool {
	for i := range b.entries {
		if b.entries[i].state != absent {
			return true
		}
	}
	return false
}

// list is a list of mappings, each read into a U. A refused element keeps its
// place, so that indexes are those of the document.
func list[T, U any](name string, required, filled bool, t table[U], field func(*T) *[]U) key[T] {
	return key[T]{name, required, func(r *reader, e *entry, n *yaml.Node, v *T) state {
		st := r.elements(e, n, filled)
		if st != stated {
			return st
		}
		us := make([]U, len(n.Content))
		for i, el := range n.Content {
			s, el, ok := r.element(e, el, i)
			if !ok {
				continue
			}
			if b := r.mapping(s, el); b != nil {
				e.list[i].block = b
				readTable(r, b, t, &us[i])
			}
		}
		*field(v) = us
		return stated
	}}
}

// texts is a list of strings. An empty one is text unless a check refuses it.
func texts[T any](name string, required bool, field func(*T) *[]string, checks ...textCheck) key[T] {
	return key[T]{name, required, func(r *reader, e *entry, n *yaml.Node, v *T) state {
		st := r.elements(e, n, false)
		if st != stated {
			return st
		}
		list := make([]string, len(n.Content))
		for i, el := range n.Content {
			s, el, ok := r.element(e, el, i)
			if ok {
				list[i], ok = r.string(s, el, checks)
			}
			if !ok {
				st = refused
			}
		}
		*field(v) = list
		return st
	}}
}

// elements prepares the entry of a list.
func (r *reader) elements(e *entry, n *yaml.Node, filled bool) state {
	if n.Kind != yaml.SequenceNode {
		r.problems.refuse(e.spot, RuleType, "%s; a list is expected", describe(n))
		return refused
	}
	if filled && len(n.Content) == 0 {
		r.problems.refuse(e.spot, RuleEmpty, "an empty list; at least one element is required")
		return refused
	}
	e.list = make([]element, len(n.Content))
	for i, el := range n.Content {
		e.list[i].line = int32(el.Line)
	}
	return stated
}

// element returns the spot and the node of a list element that may be read.
func (r *reader) element(e *entry, el *yaml.Node, i int) (spot, *yaml.Node, bool) {
	s := e.spot
	s.index, s.line = int32(i), int32(el.Line)
	n := resolve(el)
	s.shared = s.shared || n != el
	s.source = posOf(n)
	switch {
	case r.secrets[n]:
		return s, n, false
	case !r.plain(n, s):
		return s, n, false
	case isNull(n):
		r.problems.refuse(s, RuleNullElement, "a null element; leave it out")
		return s, n, false
	}
	return s, n, true
}

// mapping opens a value that must be a mapping, or reports that it is none.
func (r *reader) mapping(s spot, n *yaml.Node) *block {
	if n.Kind != yaml.MappingNode {
		r.problems.refuse(s, RuleType, "%s; a mapping is expected", describe(n))
		return nil
	}
	return r.open(n, s)
}
