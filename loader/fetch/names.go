package fetch

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// displayNames maps model keys, which availability lists, to the display names
// that benchmarks are asked for by. Releases of one model share a name. A model
// that is not here is asked for by its key: the server says what it thinks of that.
var displayNames = map[string]string{
	"dsr1":        "DeepSeek-R1-0528",
	"dsv4":        "DeepSeek-V4-Pro",
	"glm5":        "GLM-5",
	"glm5.1":      "GLM-5",
	"gptoss120b":  "gpt-oss-120b",
	"kimik2.5":    "Kimi-K2.5",
	"kimik2.6":    "Kimi-K2.5",
	"llama70b":    "Llama-3.3-70B-Instruct-FP8",
	"minimaxm2.5": "MiniMax-M2.5",
	"minimaxm2.7": "MiniMax-M2.5",
	"qwen3.5":     "Qwen-3.5-397B-A17B",
}

func displayName(key string) string { return cmp.Or(displayNames[strings.ToLower(key)], key) }

// maxValue bounds a parameter's value, in bytes.
const maxValue = 4096

// usable tells whether a value may stand in a request: other captures are where
// most come from, and a server may write there what it likes.
func usable(value string) bool {
	return value != "" && len(value) <= maxValue && utf8.ValidString(value) && value != "." && value != ".." &&
		strings.IndexFunc(value, func(r rune) bool { return !unicode.IsPrint(r) }) < 0
}

// address is the URL of a request: parameters of the path in their place, those
// of the query sorted by name, so that one request has one address.
func address(base string, o *Operation, given values) string {
	path := o.Path
	query := url.Values{}
	for _, name := range o.Params() {
		value, ok := given[name]
		if !ok {
			continue
		}
		if slot := "{" + name + "}"; strings.Contains(path, slot) {
			path = strings.ReplaceAll(path, slot, url.PathEscape(value))
		} else {
			query.Set(name, value)
		}
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return base + path
}

// fileName is the name of the file of a response: readable, the same for the
// same response, and another for any other response of any request.
func fileName(r *Request, contentSHA256 string) string {
	sum := sha256.Sum256([]byte(r.URL + "\n" + contentSHA256))
	parts := []string{r.operation.Name}
	for _, name := range r.operation.Params() {
		if value, ok := r.Params[name]; ok {
			parts = append(parts, value)
		}
	}
	return slug(strings.Join(parts, "-")) + "-" + hex.EncodeToString(sum[:8]) + r.operation.extension(r.Params)
}

// slug is text that every file system takes, shortened: lower-case letters,
// digits, dots and single hyphens.
func slug(text string) string {
	const most = 80
	var b []byte
	for _, c := range []byte(strings.ToLower(text)) {
		if c != '.' && (c < '0' || c > '9') && (c < 'a' || c > 'z') {
			c = '-'
		}
		if c != '-' || len(b) > 0 && b[len(b)-1] != '-' {
			b = append(b, c)
		}
	}
	return strings.Trim(string(b[:min(len(b), most)]), "-.")
}

// sortedKeys are the names of values in order.
func sortedKeys(v values) []string {
	names := make([]string, 0, len(v))
	for name := range v {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
