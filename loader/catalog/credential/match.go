package credential

import "strings"

// match reports a token whose lead is s[i:j].
func (t token) match(s string, i, j int) (int, int, bool) {
	end := run(s, j, t.class)
	n := end - j
	if n < t.least || t.exact && (n > t.least || end < len(s) && isAlnum(s[end])) || placeholder(s[j:end]) {
		return 0, 0, false
	}
	return i, end, true
}

// leadAlone is satisfied with the lead.
func leadAlone(s string, i, j int) (int, int, bool) { return i, j, true }

// wholeWord wants the lead to end a word.
func wholeWord(s string, i, j int) (int, int, bool) {
	return i, j, j == len(s) || !isWord(s[j])
}

// webToken wants the three dotted parts of a JWT.
func webToken(s string, i, j int) (int, int, bool) {
	at := j
	for part := range 3 {
		if part > 0 {
			if at == len(s) || s[at] != '.' {
				return 0, 0, false
			}
			at++
		}
		end := run(s, at, isURLSafe)
		if end-at < 4 {
			return 0, 0, false
		}
		at = end
	}
	return i, at, true
}

// authorization wants a colon, perhaps a scheme, and 16 token characters.
func authorization(s string, i, j int) (int, int, bool) {
	at := run(s, j, func(c byte) bool { return c == '"' || c == '\'' || c == ' ' })
	if at == len(s) || s[at] != ':' {
		return 0, 0, false
	}
	at = run(s, at+1, quoteOrSpace)
	if end := run(s, at, isLetter); end < len(s) && isSpace(s[end]) {
		at = run(s, end, quoteOrSpace) // Bearer, Basic, token
	}
	return longToken(s, i, at)
}

// bearer wants 16 token characters after the word.
func bearer(s string, i, j int) (int, int, bool) {
	at := run(s, j, func(c byte) bool { return quoteOrSpace(c) || c == ':' || c == '=' })
	if at == j {
		return 0, 0, false
	}
	return longToken(s, i, at)
}

func quoteOrSpace(c byte) bool { return isSpace(c) || c == '"' || c == '\'' }

func longToken(s string, i, at int) (int, int, bool) {
	end := run(s, at, isToken68)
	if end-at < 16 || placeholder(s[at:end]) {
		return 0, 0, false
	}
	return i, end, true
}

// urlPassword wants user:password@host after the scheme's ://, which may be cut
// off before it. An image tag and its digest have the same form and pass.
func urlPassword(s string, i, j int) (int, int, bool) {
	if i > 0 && !isAlnum(s[i-1]) && !quoteOrSpace(s[i-1]) {
		return 0, 0, false
	}
	return userPassword(s, i, j)
}

// relativePassword wants the same after the // of a URL without a scheme.
func relativePassword(s string, i, j int) (int, int, bool) {
	if i > 0 && !quoteOrSpace(s[i-1]) {
		return 0, 0, false
	}
	return userPassword(s, i, j)
}

func userPassword(s string, i, j int) (int, int, bool) {
	colon, at := -1, -1
	for k := j; k < len(s) && !isSpace(s[k]) && strings.IndexByte("/?#\"'`", s[k]) < 0; k++ {
		if s[k] == ':' && colon < 0 {
			colon = k
		}
		if s[k] == '@' {
			at = k
		}
	}
	if colon < 0 || at < colon+2 || at+1 == len(s) || strings.HasPrefix(s[at+1:], "sha256:") || placeholder(s[colon+1:at]) {
		return 0, 0, false
	}
	return i, at, true
}

// slackWebhook wants the path of a webhook with its secret at the end.
func slackWebhook(s string, i, j int) (int, int, bool) {
	end := run(s, j, func(c byte) bool { return isURLSafe(c) || c == '/' })
	for _, kind := range []string{"services/", "workflows/", "triggers/"} {
		rest, ok := strings.CutPrefix(s[j:end], kind)
		if ok && len(rest) >= 8 && !placeholder(rest[strings.LastIndexByte(rest, '/')+1:]) {
			return i, end, true
		}
	}
	return 0, 0, false
}

// pemHeader wants the label of the header to end in PRIVATE KEY, or PRIVATE
// KEY BLOCK as PGP writes it.
func pemHeader(s string, i, j int) (int, int, bool) {
	end := run(s, j, func(c byte) bool { return c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == ' ' })
	label := strings.TrimRight(s[j:end], " ")
	if end == len(s) || s[end] != '-' || !strings.HasSuffix(strings.TrimSuffix(label, " BLOCK"), "PRIVATE KEY") {
		return 0, 0, false
	}
	return i, end, true
}

// secretKind wants `kind: Secret`, as YAML or JSON writes it.
func secretKind(s string, i, j int) (int, int, bool) {
	at := run(s, j, quoteOrSpace)
	if at == len(s) || s[at] != ':' && s[at] != '=' {
		return 0, 0, false
	}
	at = run(s, at+1, quoteOrSpace)
	end := at + len("Secret")
	if !strings.HasPrefix(s[at:], "Secret") || end < len(s) && isWord(s[end]) {
		return 0, 0, false
	}
	return i, end, true
}

// secretPath wants a name after secret/, as kubectl writes a reference; a
// directory called secret within a path passes.
func secretPath(s string, i, j int) (int, int, bool) {
	if i > 0 && strings.IndexByte("/-.", s[i-1]) >= 0 {
		return 0, 0, false
	}
	end := run(s, j, isURLSafe)
	return i, end, end > j
}

// lastPart wants the path to end after its lead.
func lastPart(s string, i, j int) (int, int, bool) {
	if j < len(s) && (isWord(s[j]) || strings.IndexByte("-/\\", s[j]) >= 0) {
		return 0, 0, false
	}
	if j+1 < len(s) && s[j] == '.' && isWord(s[j+1]) {
		return 0, 0, false
	}
	return i, j, true
}

// assignment wants the name before the sign to be that of a secret, and a
// value after it.
func assignment(s string, i, j int) (int, int, bool) {
	from := i
	for from > 0 && isUpperName(s[from-1]) {
		from--
	}
	if from > 0 && isWord(s[from-1]) {
		return 0, 0, false
	}
	for _, end := range assignedNames {
		if strings.HasSuffix(s[from:i], end) && from < i-len(end) {
			_, end, ok := assignedValue(s, from, j)
			return from, end, ok
		}
	}
	return 0, 0, false
}

// assignedValue wants a real value from j on.
func assignedValue(s string, i, j int) (int, int, bool) {
	v := value(s[j:])
	return i, j + len(v), !placeholder(v)
}

// flagValue wants a real value after the flag's = or blank. The value in the
// next element of a command is a matter for Next.
func flagValue(s string, i, j int) (int, int, bool) {
	if j == len(s) || i > 0 && s[i-1] == '-' {
		return 0, 0, false
	}
	if s[j] == '=' {
		return assignedValue(s, i, j+1)
	}
	at := run(s, j, isSpace)
	if at == j {
		return 0, 0, false
	}
	v := value(s[at:])
	if placeholder(v) || v[0] == '-' {
		return 0, 0, false
	}
	for _, w := range proseWords {
		if strings.TrimRight(v, ".,:") == w {
			return 0, 0, false
		}
	}
	return i, at + len(v), true
}

// kubeconfigFlag accepts the flag unless its value is a placeholder.
func kubeconfigFlag(s string, i, j int) (int, int, bool) {
	if i > 0 && s[i-1] == '-' || j < len(s) && isDashed(s[j]) {
		return 0, 0, false
	}
	v := value(s[run(s, j, func(c byte) bool { return c == '=' || isSpace(c) }):])
	return i, j, v == "" || !placeholder(v)
}

// value returns the value that s starts with: quoted, or up to a blank or a
// shell's separator.
func value(s string) string {
	if s == "" {
		return ""
	}
	if q := s[0]; q == '"' || q == '\'' {
		if end := strings.IndexByte(s[1:], q); end >= 0 {
			return s[:end+2]
		}
		return s
	}
	end := run(s, 0, func(c byte) bool { return !isSpace(c) && strings.IndexByte("\"';&|,)", c) < 0 })
	return s[:end]
}

// in reports that text contains the keyword.
func (k keyword) in(text string) bool {
	low := strings.ToLower(text)
	for _, w := range k.words {
		if i := strings.Index(low, w); i >= 0 && startsWord(low, i) {
			return true
		}
	}
	return false
}

// near wants the keyword's secret within its reach of the keyword s[i:j].
func (k keyword) near(s string, i, j int) (int, int, bool) {
	if !startsWord(s, i) {
		return 0, 0, false
	}
	if start, end, ok := k.secret(s, j, min(len(s), j+keywordReach+secretLength+1)); ok {
		return start, end, true
	}
	return k.secret(s, max(0, i-keywordReach-secretLength), i)
}

// startsWord reports that the byte before i is no letter: aws does not stand in
// laws.
func startsWord(s string, i int) bool { return i == 0 || !isLetter(s[i-1]) }

// secretLength is the length of a W&B key and of an AWS secret.
const secretLength = 40

// wandbKey finds 40 hex digits that are not said to be a commit.
func wandbKey(s string, from, to int) (int, int, bool) {
	return fortyBytes(s, from, to, isLowerHex, func(start int) bool {
		before := strings.ToLower(strings.TrimRight(s[max(0, start-12):start], " :=/\"'"))
		for _, w := range []string{"commit", "sha", "sha1", "rev", "revision", "blob", "tree", "@"} {
			if strings.HasSuffix(before, w) {
				return false
			}
		}
		return true
	})
}

// awsSecret finds 40 characters of base64 in both cases with a digit: a commit
// has no capitals.
func awsSecret(s string, from, to int) (int, int, bool) {
	return fortyBytes(s, from, to, isBase64, func(start int) bool {
		var upper, lower, digit bool
		for _, c := range []byte(s[start : start+secretLength]) {
			upper = upper || c >= 'A' && c <= 'Z'
			lower = lower || c >= 'a' && c <= 'z'
			digit = digit || c >= '0' && c <= '9'
		}
		return upper && lower && digit
	})
}

// fortyBytes finds a run of exactly 40 bytes of class that starts and ends
// within s[from:to] and that accept likes. A run that reaches beyond is longer,
// as a digest is.
func fortyBytes(s string, from, to int, class func(byte) bool, accept func(start int) bool) (int, int, bool) {
	for i := from; i < to; {
		if !class(s[i]) {
			i++
			continue
		}
		end := run(s, i, class)
		whole := (i == 0 || !isWord(s[i-1])) && (end == len(s) || !isWord(s[end]))
		if whole && end-i == secretLength && end <= to && accept(i) {
			return i, end, true
		}
		i = end
	}
	return 0, 0, false
}
