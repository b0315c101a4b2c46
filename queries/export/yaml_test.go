package export

import (
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/inference-sim/blis-warehouse/queries/visible"
)

// TestText holds that a string comes back as it was, and that what some YAML
// reader may take for something else is in quotes.
func TestText(t *testing.T) {
	for _, s := range []string{
		"4", "0.31.0", "1e3", "0x10", "0o7", "017", "1_000", "1:30", "12e4567", ".5", "-1", "+1", ".inf", ".nan",
		"true", "False", "yes", "NO", "on", "Off", "y", "N", "null", "Null", "~", "", " ", " a", "a ", "2026-10-15", "2026-10-15T13:58:06Z",
		"a: b", "a:", "a #b", "#a", "- a", "-", "?", "? a", "[a]", "{a}", "a]", "&a", "*a", "!a", "!!str a", "|", ">", "'a'", `"a"`, `a"b`, `a\b`, "%a", "@a", "`a`", "=", "<<",
		"a\nb", "a\n", "\na", "a\tb", "\ta", "a\rb", "\u0085", "\u00a0", "\u2028", "\ufeffa", "é", "😀", "\x01", "\x7f", "\u0090",
	} {
		m := newMapping()
		m.add("key", textNode(s))
		m.add(s, textNode("value"))
		m.texts("list", []string{s, "x"})
		text, err := m.encode()
		if err != nil {
			t.Errorf("%q: %v", s, err)
			continue
		}
		if !plainTextIsQuoted(text) {
			t.Errorf("%q stands without quotes:\n%s", s, text)
		}
		var back struct {
			Key  string            `yaml:"key"`
			List []string          `yaml:"list"`
			Rest map[string]string `yaml:",inline"`
		}
		if err := yaml.Unmarshal(text, &back); err != nil {
			t.Errorf("%q: %v\n%s", s, err, text)
			continue
		}
		if back.Key != s || back.List[0] != s || s != "<<" && back.Rest[s] != "value" {
			t.Errorf("%q came back as %q\n%s", s, back, text)
		}
	}
	for _, s := range []string{"vllm bench serve", "a/b.c", "v1.0", "h100", "example/heron-8b", "abc0123"} {
		if !plainText(s) {
			t.Errorf("%q is put in quotes", s)
		}
	}
}

// plainTextIsQuoted tells whether the value of the key "key" is in double quotes.
func plainTextIsQuoted(document []byte) bool {
	return len(document) > 5 && string(document[:6]) == `key: "`
}

func TestNumberText(t *testing.T) {
	for x, want := range map[float64]string{0: "0", 20: "20", 0.1: "0.1", 1e21: "1e+21", 1e-9: "1e-09", 1e20: "100000000000000000000"} {
		if got := visible.Number(x); got != want {
			t.Errorf("%v is written %s, want %s", x, got, want)
		}
	}
}
