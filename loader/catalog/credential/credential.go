// Package credential recognises credentials in text: tokens, private keys,
// Kubernetes Secret references, kubeconfig paths, and secrets given by
// assignment or flag. It says which kind was found and where, so that a caller
// can refuse the text without repeating it.
//
// What counts is the list in the project's decisions, section Credentials; it
// is data in patterns.go. Digests, commits, uuids, image digests, names of
// variables and placeholders are not credentials.
//
// The scan is one pass over the bytes: a byte that starts no lead costs one
// table lookup, and no regular expression is involved.
package credential

import "strings"

// Finding is a credential in a text: its kind in words, and the bytes it
// occupies. The text of a finding must never be printed or stored.
type Finding struct {
	Kind       string
	Start, End int
}

// Scan returns the first credential in s. key is the mapping key whose value s
// is, or "": it counts as a keyword nearby for the kinds that need one.
func Scan(s, key string) (Finding, bool) {
	if key == "kind" && s == "Secret" {
		return Finding{kindSecretRef, 0, len(s)}, true
	}
	if harmless(s) {
		return Finding{}, false
	}
	for i := 0; i < len(s); i++ {
		if i+1 < len(s) && !pairs.has(s[i], s[i+1]) {
			continue
		}
		for _, p := range byLead[s[i]] {
			if !p.leads(s[i:]) || p.word && i > 0 && isWord(s[i-1]) {
				continue
			}
			if start, end, ok := p.match(s, i, i+len(p.lead)); ok {
				return Finding{p.kind, start, end}, true
			}
		}
	}
	if key == "" || len(s) < secretLength {
		return Finding{}, false
	}
	for _, k := range keywords {
		if k.in(key) {
			if start, end, ok := k.secret(s, 0, len(s)); ok {
				return Finding{k.kind, start, end}, true
			}
		}
	}
	return Finding{}, false
}

// TakesValue reports that arg is a flag whose value, the next element of a
// command, is a secret unless it is a placeholder. Next decides over both.
func TakesValue(arg string) bool {
	for _, f := range flags {
		if arg == f.name {
			return true
		}
	}
	return false
}

// Next returns the credential that next is as the value of the flag arg.
func Next(arg, next string) (Finding, bool) {
	for _, f := range flags {
		if arg == f.name && !placeholder(next) && !strings.HasPrefix(next, "-") {
			return Finding{f.kind, 0, len(next)}, true
		}
	}
	return Finding{}, false
}

// harmless reports that s is too short, or a short word of lower-case letters,
// digits and underscores, which no pattern matches. It spares the scan most
// keys and vocabulary words.
func harmless(s string) bool {
	if len(s) < shortest {
		return true
	}
	if len(s) >= shortestWord {
		return false
	}
	for i := 0; i < len(s); i++ {
		if c := s[i]; c != '_' && (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}

// placeholder reports that v stands for a secret instead of being one.
func placeholder(v string) bool {
	v = strings.Trim(v, `"'`)
	if v == "" || strings.ContainsAny(v[:1], "$<{`%[") || strings.Contains(v, "...") || strings.Contains(v, "…") || strings.Contains(v, "***") {
		return true
	}
	if sameByte(v) {
		return true
	}
	low := strings.ToLower(v)
	for _, w := range placeholderWords {
		if low == w {
			return true
		}
	}
	for _, w := range placeholderStarts {
		if strings.HasPrefix(low, w) {
			return true
		}
	}
	return variableName(v)
}

// sameByte reports that v is one of x, X, 0, *, -, _ and . repeated.
func sameByte(v string) bool {
	if !strings.Contains("xX0*-_.", v[:1]) {
		return false
	}
	for i := 1; i < len(v); i++ {
		if v[i] != v[0] {
			return false
		}
	}
	return true
}

// variableName reports that v is the bare name of a secret's variable, such as
// HF_TOKEN.
func variableName(v string) bool {
	if strings.IndexByte(v, '_') < 1 {
		return false
	}
	for i := 0; i < len(v); i++ {
		if !isUpperName(v[i]) {
			return false
		}
	}
	v = strings.TrimSuffix(v, "_HERE")
	for _, end := range variableEnds {
		if strings.HasSuffix(v, end) {
			return true
		}
	}
	return false
}

func isWord(c byte) bool      { return isAlnum(c) || c == '_' }
func isAlnum(c byte) bool     { return c >= '0' && c <= '9' || isLetter(c) }
func isLetter(c byte) bool    { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isUpperName(c byte) bool { return c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' }
func isSpace(c byte) bool     { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
func isLowerHex(c byte) bool  { return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' }
func isUpper32(c byte) bool   { return c >= 'A' && c <= 'Z' || c >= '2' && c <= '7' }
func isURLSafe(c byte) bool   { return isAlnum(c) || c == '_' || c == '-' }
func isUnderscored(c byte) bool {
	return isAlnum(c) || c == '_'
}
func isDashed(c byte) bool { return isAlnum(c) || c == '-' }
func isBase64(c byte) bool { return isAlnum(c) || c == '/' || c == '+' }
func isToken68(c byte) bool {
	return isAlnum(c) || strings.IndexByte("-._~+/=", c) >= 0
}

// run returns the end of the longest run of bytes of class from i.
func run(s string, i int, class func(byte) bool) int {
	for i < len(s) && class(s[i]) {
		i++
	}
	return i
}
