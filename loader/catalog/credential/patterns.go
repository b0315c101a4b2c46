package credential

import "strings"

// shortest is the length of the shortest text that can hold a credential
// (secret/x), shortestWord that of the shortest made of lower-case letters,
// digits and underscores alone (hf_ and 30 more).
const (
	shortest     = 8
	shortestWord = 33
)

const (
	kindSecretRef  = "Kubernetes Secret reference"
	kindKubeconfig = "kubeconfig"
	kindFlag       = "secret given by a flag"
	kindAssignment = "secret given by an assignment"
	kindPrivateKey = "private key"
	kindHeader     = "authorization header"
	kindWandb      = "W&B API key"
	kindAWSSecret  = "AWS secret key"
)

// pattern is a kind of credential that starts with a literal.
type pattern struct {
	lead string
	kind string
	word bool // the lead must not continue a word
	fold bool // letters of the lead match in either case
	// match tries the pattern whose lead occupies s[i:j] and returns what it covers.
	match func(s string, i, j int) (start, end int, ok bool)
}

func (p *pattern) leads(s string) bool {
	if len(s) < len(p.lead) {
		return false
	}
	if p.fold {
		return strings.EqualFold(s[:len(p.lead)], p.lead)
	}
	return s[:len(p.lead)] == p.lead
}

// token is a credential known by its prefix: at least least bytes of class
// follow, or exactly as many.
type token struct {
	kind  string
	leads string // separated by blanks
	least int
	class func(byte) bool
	exact bool
}

var tokens = []token{
	{"Hugging Face token", "hf_", 30, isAlnum, false},
	{"Hugging Face token", "api_org_", 34, isAlnum, false},
	{"GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_", 36, isAlnum, false},
	{"GitHub token", "github_pat_", 36, isUnderscored, false},
	{"GitLab token", "glpat- gldt- glrt- glptt- glcbt- glsoat- glffct-", 20, isURLSafe, false},
	{"AWS key id", "AKIA ASIA ABIA ACCA", 16, isUpper32, true},
	{"API key (sk-)", "sk-", 32, isAlnum, false},
	{"API key (sk-)", "sk-proj- sk-ant- sk-or-v1-", 16, isURLSafe, false},
	{"Groq API key", "gsk_", 52, isAlnum, false},
	{"Replicate token", "r8_", 37, isAlnum, false},
	{"Perplexity API key", "pplx-", 48, isAlnum, false},
	{"Slack token", "xoxb- xoxp- xoxa- xoxr- xoxs- xapp-", 16, isDashed, false},
	{"Google API key", "AIza", 35, isURLSafe, false},
	{"Google access token", "ya29.", 16, isURLSafe, false},
	{"NVIDIA API key", "nvapi-", 64, isURLSafe, false},
	{"npm token", "npm_", 36, isAlnum, false},
	{"PyPI token", "pypi-AgE", 50, isURLSafe, false},
	{"Docker token", "dckr_pat_", 27, isURLSafe, false},
	{"Vault token", "hvs.", 90, isURLSafe, false},
	{"age secret key", "AGE-SECRET-KEY-1", 16, isAlnum, false},
}

// flags take a secret as their value, after = or a blank or as the next
// element of a command.
var flags = []struct {
	name, kind string
	match      func(s string, i, j int) (start, end int, ok bool)
}{
	{"--api-key", kindFlag, flagValue},
	{"--token", kindFlag, flagValue},
	{"--hf-token", kindFlag, flagValue},
	{"--password", kindFlag, flagValue},
	{"--kubeconfig", kindKubeconfig, kubeconfigFlag},
}

// secretWords name a Kubernetes Secret by their mere presence.
var secretWords = []string{"secretKeyRef", "secretRef", "secretName", "existingSecret", "imagePullSecrets"}

// assignedNames are the ends of the upper-case names whose assignment is a secret.
var assignedNames = []string{"_API_KEY", "_TOKEN", "_SECRET", "_PASSWORD"}

// keyword is a kind that is only told from a digest by a word near it.
type keyword struct {
	kind  string
	words []string // lower case
	// secret finds the secret in s[from:to].
	secret func(s string, from, to int) (start, end int, ok bool)
}

var keywords = []keyword{
	{kindWandb, []string{"wandb", "w&b", "weights & biases", "weights and biases", "weights-and-biases"}, wandbKey},
	{kindAWSSecret, []string{"aws", "secret_access_key", "secretaccesskey", "secret access key"}, awsSecret},
}

// keywordReach is how far from its keyword a secret may stand, in bytes.
const keywordReach = 40

// Words that stand for a secret; the comparison ignores case.
var (
	placeholderWords = []string{"empty", "none", "null", "nil", "redacted", "dummy", "fake", "placeholder", "changeme", "change-me", "change_me",
		"example", "unset", "omitted", "removed", "hidden", "masked", "token-abc123", "api-key", "api_key", "apikey", "token", "password", "not-needed", "not_needed"}
	placeholderStarts = []string{"your-", "your_", "my-", "my_", "insert-", "insert_", "redacted", "xxx", "(redacted"}
	variableEnds      = []string{"_KEY", "_TOKEN", "_SECRET", "_PASSWORD", "_PASS"}
)

// proseWords follow a flag that a sentence mentions without giving it a value.
var proseWords = []string{"a", "an", "and", "argument", "arguments", "are", "as", "at", "be", "but", "by", "can", "flag", "flags", "for", "from", "given",
	"has", "if", "in", "instead", "is", "may", "must", "not", "of", "on", "option", "options", "or", "parameter", "set", "should", "switch", "the", "to",
	"value", "via", "was", "were", "when", "which", "with", "without"}

// byLead holds the patterns by the first byte of their lead.
var byLead = leadTable()

func leadTable() (t [256][]*pattern) {
	add := func(p pattern) {
		first := p.lead[0]
		t[first] = append(t[first], &p)
		if p.fold && isLetter(first) {
			t[first^0x20] = append(t[first^0x20], &p)
		}
	}
	for _, tok := range tokens {
		for lead := range strings.FieldsSeq(tok.leads) {
			add(pattern{lead: lead, kind: tok.kind, word: true, match: tok.match})
		}
	}
	for _, f := range flags {
		add(pattern{lead: f.name, kind: f.kind, word: true, match: f.match})
	}
	for _, w := range secretWords {
		add(pattern{lead: w, kind: kindSecretRef, word: true, match: wholeWord})
	}
	for _, k := range keywords {
		for _, w := range k.words {
			add(pattern{lead: w, kind: k.kind, fold: true, match: k.near})
		}
	}
	for _, p := range []pattern{
		{lead: "eyJ", kind: "JSON web token", word: true, match: webToken},
		{lead: "authorization", kind: kindHeader, word: true, fold: true, match: authorization},
		{lead: "bearer", kind: kindHeader, word: true, fold: true, match: bearer},
		{lead: "//", kind: "URL with a password", match: relativePassword},
		{lead: "://", kind: "URL with a password", match: urlPassword},
		{lead: "hooks.slack.com/", kind: "Slack webhook", match: slackWebhook},
		{lead: "-----BEGIN ", kind: kindPrivateKey, match: pemHeader},
		{lead: "---- BEGIN ", kind: kindPrivateKey, match: pemHeader},
		{lead: "PuTTY-User-Key-File-", kind: kindPrivateKey, match: leadAlone},
		{lead: "kind", kind: kindSecretRef, word: true, match: secretKind},
		{lead: "secret/", kind: kindSecretRef, word: true, match: secretPath},
		{lead: ".kube/config", kind: kindKubeconfig, match: leadAlone},
		{lead: "/kubeconfig", kind: kindKubeconfig, match: lastPart},
		{lead: `\kubeconfig`, kind: kindKubeconfig, match: lastPart},
		{lead: "=", kind: kindAssignment, match: assignment},
		{lead: "KUBECONFIG=", kind: kindKubeconfig, word: true, match: assignedValue},
	} {
		add(p)
	}
	return t
}

// pairSet is a set of two bytes in a row.
type pairSet [1 << 10]uint64

// pairs holds the first two bytes of every lead. Few places of a text pass it,
// and only those look at patterns.
var pairs = leadPairs()

func (p *pairSet) has(a, b byte) bool {
	return p[int(a)<<2|int(b)>>6]>>(b&63)&1 != 0
}

func (p *pairSet) add(a, b byte) { p[int(a)<<2|int(b)>>6] |= 1 << (b & 63) }

func leadPairs() *pairSet {
	set := new(pairSet)
	for first, patterns := range byLead {
		for _, p := range patterns {
			for second := range 256 {
				b := byte(second)
				if len(p.lead) == 1 || b == p.lead[1] || p.fold && isLetter(b) && b|0x20 == p.lead[1]|0x20 {
					set.add(byte(first), b)
				}
			}
		}
	}
	return set
}
