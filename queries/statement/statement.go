// Package statement reads SQL text far enough to know where a statement begins
// and ends and which parameters it names. It is not a parser: whether a
// statement means anything is for SQLite to say. The one design choice: it
// splits text into tokens exactly where SQLite's own tokenizer does, so that a
// semicolon or a colon inside a string, a quoted name or a comment is never
// mistaken for the end of a statement or for a parameter.
package statement

import (
	"errors"
	"fmt"
	"strings"
)

// Statement is the one SQL statement of a text.
type Statement struct {
	// Text is the statement without what surrounds it: comments before its
	// first word and everything from the semicolon on are gone.
	Text string
	// Start is the byte offset of Text in the text that was parsed.
	Start int
	// Params are the names of its parameters in order of first use, each once,
	// without the leading colon, @ or $.
	Params []string

	words []string // unquoted words outside parentheses, upper-case
}

// ErrEmpty reports a text without a statement: nothing, white space,
// comments or semicolons.
var ErrEmpty = errors.New("no SQL statement")

// Error is a text that cannot be run as one statement.
type Error struct {
	Offset  int // byte offset of the trouble in the text
	Message string
}

func (e *Error) Error() string { return e.Message }

// Parse finds the one statement in text. A second statement, an unfinished
// string or quoted name, a NUL byte and a positional parameter (?, ?1) are
// refused with an *Error; a text without a statement is ErrEmpty.
func Parse(text string) (Statement, error) {
	var s Statement
	var end, depth int
	begun, ended := false, false
	seen := map[string]bool{}
	for pos := 0; pos < len(text); {
		tok := next(text, pos)
		pos = tok.end
		if tok.kind == space {
			continue
		}
		if tok.kind == semicolon {
			ended = ended || begun
			continue
		}
		if ended {
			return Statement{}, &Error{Offset: tok.start, Message: "more than one statement: only one is run at a time"}
		}
		if !begun {
			begun, s.Start = true, tok.start
		}
		end = tok.end
		word := text[tok.start:tok.end]
		switch tok.kind {
		case unfinished:
			return Statement{}, &Error{Offset: tok.start, Message: fmt.Sprintf("unfinished quotation: the closing %s is missing", closing(text[tok.start]))}
		case illegal:
			return Statement{}, &Error{Offset: tok.start, Message: fmt.Sprintf("unrecognized token: %q", word)}
		case positional:
			return Statement{}, &Error{Offset: tok.start, Message: fmt.Sprintf("positional parameter %s: use a named one, such as :name", word)}
		case parameter:
			if name := word[1:]; !seen[name] {
				seen[name] = true
				s.Params = append(s.Params, name)
			}
		case open:
			depth++
		case shut:
			depth--
		case identifier:
			if depth == 0 {
				s.words = append(s.words, strings.ToUpper(word))
			}
		}
	}
	if !begun {
		return Statement{}, ErrEmpty
	}
	s.Text = text[s.Start:end]
	return s, nil
}

// Verb is the first word of the statement in upper case, such as SELECT; it is
// empty when the statement does not begin with a word.
func (s Statement) Verb() string {
	if len(s.words) == 0 || !strings.EqualFold(s.Text[:min(len(s.Text), len(s.words[0]))], s.words[0]) {
		return ""
	}
	return s.words[0]
}

// Ordered reports whether the statement has an ORDER BY outside parentheses,
// that is, one that orders its result.
func (s Statement) Ordered() bool {
	for i := 1; i < len(s.words); i++ {
		if s.words[i-1] == "ORDER" && s.words[i] == "BY" {
			return true
		}
	}
	return false
}

// Find is the byte offset of the first word or quoted name in text that is name
// without regard to case, -1 when there is none. Strings and comments do not
// count.
func Find(text, name string) int {
	for pos := 0; pos < len(text); {
		tok := next(text, pos)
		pos = tok.end
		word := text[tok.start:tok.end]
		if tok.kind == quoted && word[0] != '\'' {
			q := closing(word[0])
			word = strings.ReplaceAll(word[1:len(word)-1], q+q, q)
		} else if tok.kind != identifier {
			continue
		}
		if strings.EqualFold(word, name) {
			return tok.start
		}
	}
	return -1
}

// kind is a class of token, as far as this package tells them apart.
type kind int

const (
	space      kind = iota // white space or a comment
	semicolon              // ;
	open                   // (
	shut                   // )
	identifier             // an unquoted word
	quoted                 // a string or a quoted name
	parameter              // :name, @name, $name
	positional             // ?, ?1
	unfinished             // a quotation without its end
	illegal                // what no SQL contains
	other                  // numbers, operators
)

type token struct {
	kind       kind
	start, end int
}

// next is the token that begins at pos, which must be inside text. Every token
// is at least one byte long.
func next(text string, pos int) token {
	at := func(i int) byte {
		if i < len(text) {
			return text[i]
		}
		return 0
	}
	tok := func(k kind, end int) token { return token{k, pos, end} }
	switch c := text[pos]; {
	case c == 0:
		return tok(illegal, pos+1)
	case isSpace(c):
		return tok(space, pos+1)
	case strings.HasPrefix(text[pos:], "\ufeff"): // a byte order mark is white space
		return tok(space, pos+3)
	case c == '-' && at(pos+1) == '-':
		if n := strings.IndexByte(text[pos:], '\n'); n >= 0 {
			return tok(space, pos+n+1)
		}
		return tok(space, len(text))
	case c == '/' && at(pos+1) == '*' && pos+2 < len(text):
		// An unfinished comment reaches to the end of the text, as in SQLite.
		if n := strings.Index(text[pos+2:], "*/"); n >= 0 {
			return tok(space, pos+2+n+2)
		}
		return tok(space, len(text))
	case c == ';':
		return tok(semicolon, pos+1)
	case c == '(':
		return tok(open, pos+1)
	case c == ')':
		return tok(shut, pos+1)
	case c == '\'' || c == '"' || c == '`':
		return quotation(text, pos, c)
	case c == '[':
		if n := strings.IndexByte(text[pos:], ']'); n >= 0 {
			return tok(quoted, pos+n+1)
		}
		return tok(unfinished, len(text))
	case c == '?':
		end := pos + 1
		for isDigit(at(end)) {
			end++
		}
		return tok(positional, end)
	case c == ':' || c == '@' || c == '$' || c == '#':
		return variable(text, pos)
	case isDigit(c) || c == '.' && isDigit(at(pos+1)):
		end := pos + 1
		for end < len(text) && (isWord(text[end]) || text[end] == '.') {
			end++
		}
		return tok(other, end)
	case isWord(c):
		end := pos + 1
		for end < len(text) && isWord(text[end]) {
			end++
		}
		return tok(identifier, end)
	}
	return tok(other, pos+1)
}

// quotation is the token in quotes of kind q at pos; the quote doubled stands
// for itself.
func quotation(text string, pos int, q byte) token {
	for i := pos + 1; i < len(text); i++ {
		if text[i] != q {
			continue
		}
		if i+1 < len(text) && text[i+1] == q {
			i++
			continue
		}
		return token{quoted, pos, i + 1}
	}
	return token{unfinished, pos, len(text)}
}

// variable is the named parameter at pos, with SQLite's Tcl forms
// $a::b and $a(b).
func variable(text string, pos int) token {
	letters := 0
	i := pos + 1
	for i < len(text) {
		switch c := text[i]; {
		case isWord(c):
			letters++
			i++
			continue
		case c == ':' && i+1 < len(text) && text[i+1] == ':':
			i += 2
			continue
		case c == '(' && letters > 0:
			end := i + 1
			for end < len(text) && text[end] != ')' && !isSpace(text[end]) {
				end++
			}
			if end == len(text) || text[end] != ')' {
				return token{illegal, pos, end}
			}
			return token{parameter, pos, end + 1}
		}
		break
	}
	if letters == 0 || text[pos] == '#' {
		return token{illegal, pos, i}
	}
	return token{parameter, pos, i}
}

func closing(quote byte) string {
	if quote == '[' {
		return "]"
	}
	return string(rune(quote))
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r'
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// isWord reports whether c belongs to an unquoted name: SQLite takes letters,
// digits, _, $ and every byte above ASCII.
func isWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || isDigit(c) || c == '_' || c == '$' || c >= 0x80
}
