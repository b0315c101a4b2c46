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
	"iter"
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
		pos = tok.End
		if tok.Kind == Space {
			continue
		}
		if tok.Kind == Semicolon {
			ended = ended || begun
			continue
		}
		if ended {
			return Statement{}, &Error{Offset: tok.Start, Message: "more than one statement: only one is run at a time"}
		}
		if !begun {
			begun, s.Start = true, tok.Start
		}
		end = tok.End
		word := text[tok.Start:tok.End]
		switch tok.Kind {
		case Unfinished:
			return Statement{}, &Error{Offset: tok.Start, Message: fmt.Sprintf("unfinished quotation: the closing %s is missing", closing(text[tok.Start]))}
		case Illegal:
			return Statement{}, &Error{Offset: tok.Start, Message: fmt.Sprintf("unrecognized token: %q", word)}
		case Positional:
			return Statement{}, &Error{Offset: tok.Start, Message: fmt.Sprintf("positional parameter %s: use a named one, such as :name", word)}
		case Parameter:
			if name := word[1:]; !seen[name] {
				seen[name] = true
				s.Params = append(s.Params, name)
			}
		case Open:
			depth++
		case Shut:
			depth--
		case Word:
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
	for tok := range Tokens(text) {
		if strings.EqualFold(Name(text, tok), name) && name != "" {
			return tok.Start
		}
	}
	return -1
}

// ReplaceParams is text with each of its parameters replaced by what replace
// makes of its name, which has no leading colon, @ or $. Strings, quoted names
// and comments stay as they are.
func ReplaceParams(text string, replace func(name string) string) string {
	var b strings.Builder
	for tok := range Tokens(text) {
		word := text[tok.Start:tok.End]
		if tok.Kind == Parameter {
			word = replace(word[1:])
		}
		b.WriteString(word)
	}
	return b.String()
}

// Kind is a class of token, as far as this package tells them apart.
type Kind int

// The kinds of tokens.
const (
	Space      Kind = iota // white space or a comment
	Semicolon              // ;
	Open                   // (
	Shut                   // )
	Word                   // an unquoted word: a keyword or a name
	Quoted                 // a string or a quoted name
	Parameter              // :name, @name, $name
	Positional             // ?, ?1
	Unfinished             // a quotation without its end
	Illegal                // what no SQL contains
	Other                  // numbers, operators
)

// Token is a piece of a text.
type Token struct {
	Kind       Kind
	Start, End int // the bytes of the text from Start to before End
}

// Tokens are the tokens of text in order. White space and comments are tokens
// too, so that the tokens are the whole text.
func Tokens(text string) iter.Seq[Token] {
	return func(yield func(Token) bool) {
		for pos := 0; pos < len(text); {
			tok := next(text, pos)
			if !yield(tok) {
				return
			}
			pos = tok.End
		}
	}
}

// Name is the name that a token's text is: a word as it is, or what stands in
// double quotes, backquotes or brackets. It is "" for a string and for all else.
func Name(text string, tok Token) string {
	word := text[tok.Start:tok.End]
	switch {
	case tok.Kind == Word:
		return word
	case tok.Kind != Quoted || word[0] == '\'':
		return ""
	}
	q := closing(word[0])
	return strings.ReplaceAll(word[1:len(word)-1], q+q, q)
}

// Split parts text after the semicolon that ends its first statement; what
// stands before that statement comes with it. complete is false where no
// statement of text is ended: then rest is "".
func Split(text string) (first, rest string, complete bool) {
	begun := false
	for tok := range Tokens(text) {
		switch {
		case tok.Kind == Semicolon && begun:
			return text[:tok.End], text[tok.End:], true
		case tok.Kind != Space && tok.Kind != Semicolon:
			begun = true
		}
	}
	return text, "", false
}

// next is the token that begins at pos, which must be inside text. Every token
// is at least one byte long.
func next(text string, pos int) Token {
	at := func(i int) byte {
		if i < len(text) {
			return text[i]
		}
		return 0
	}
	tok := func(k Kind, end int) Token { return Token{k, pos, end} }
	switch c := text[pos]; {
	case c == 0:
		return tok(Illegal, pos+1)
	case isSpace(c):
		return tok(Space, pos+1)
	case strings.HasPrefix(text[pos:], "\ufeff"): // a byte order mark is white space
		return tok(Space, pos+3)
	case c == '-' && at(pos+1) == '-':
		if n := strings.IndexByte(text[pos:], '\n'); n >= 0 {
			return tok(Space, pos+n+1)
		}
		return tok(Space, len(text))
	case c == '/' && at(pos+1) == '*' && pos+2 < len(text):
		// An unfinished comment reaches to the end of the text, as in SQLite.
		if n := strings.Index(text[pos+2:], "*/"); n >= 0 {
			return tok(Space, pos+2+n+2)
		}
		return tok(Space, len(text))
	case c == ';':
		return tok(Semicolon, pos+1)
	case c == '(':
		return tok(Open, pos+1)
	case c == ')':
		return tok(Shut, pos+1)
	case c == '\'' || c == '"' || c == '`':
		return quotation(text, pos, c)
	case c == '[':
		if n := strings.IndexByte(text[pos:], ']'); n >= 0 {
			return tok(Quoted, pos+n+1)
		}
		return tok(Unfinished, len(text))
	case c == '?':
		end := pos + 1
		for isDigit(at(end)) {
			end++
		}
		return tok(Positional, end)
	case c == ':' || c == '@' || c == '$' || c == '#':
		return variable(text, pos)
	case isDigit(c) || c == '.' && isDigit(at(pos+1)):
		end := pos + 1
		for end < len(text) && (isWord(text[end]) || text[end] == '.') {
			end++
		}
		return tok(Other, end)
	case isWord(c):
		end := pos + 1
		for end < len(text) && isWord(text[end]) {
			end++
		}
		return tok(Word, end)
	}
	return tok(Other, pos+1)
}

// quotation is the token in quotes of kind q at pos; the quote doubled stands
// for itself.
func quotation(text string, pos int, q byte) Token {
	for i := pos + 1; i < len(text); i++ {
		if text[i] != q {
			continue
		}
		if i+1 < len(text) && text[i+1] == q {
			i++
			continue
		}
		return Token{Quoted, pos, i + 1}
	}
	return Token{Unfinished, pos, len(text)}
}

// variable is the named parameter at pos, with SQLite's Tcl forms
// $a::b and $a(b).
func variable(text string, pos int) Token {
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
				return Token{Illegal, pos, end}
			}
			return Token{Parameter, pos, end + 1}
		}
		break
	}
	if letters == 0 || text[pos] == '#' {
		return Token{Illegal, pos, i}
	}
	return Token{Parameter, pos, i}
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
