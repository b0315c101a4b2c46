package export

import (
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// FuzzRowID holds that a row's id can be taken apart into what it was made of,
// so that no two rows share one.
func FuzzRowID(f *testing.F) {
	for _, s := range []string{"c1", "a/b", "%2F", "%", "../..", "", "a%25/", "\n"} {
		f.Add(s, "ttft_p50")
	}
	f.Fuzz(func(t *testing.T, point, metric string) {
		parts := strings.Split(rowID("run-1", point, metric), "/")
		if len(parts) != 3 || parts[0] != "run-1" {
			t.Fatalf("%q", parts)
		}
		for i, want := range []string{point, metric} {
			if got, err := url.PathUnescape(parts[i+1]); err != nil || got != want {
				t.Fatalf("%q became %q (%v)", want, parts[i+1], err)
			}
		}
	})
}

// FuzzYAML holds that text written into a document reads back as that text,
// as a key and as a value.
func FuzzYAML(f *testing.F) {
	for _, s := range []string{"", "a", "yes", "1e3", "0x1F", "- a", "a: b", "#", "\t", "\n", "a\nb", "'", `"`, "\\", "\u2028", "\u0085", "\u202e", "\x1b[2J", "!!binary", "&a", "<<", "~", "2026-01-02", " x ", "\ufeff", "𝄞"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if s == "" || !utf8.ValidString(s) {
			return // unset, and no text of the warehouse
		}
		m := newMapping()
		m.text("value", s)
		m.text(s, "under it")
		m.texts("list", []string{s})
		text, err := m.encode()
		if err != nil {
			t.Fatalf("%q: %v", s, err)
		}
		var root yaml.Node
		if err := yaml.Unmarshal(text, &root); err != nil {
			t.Fatalf("%q as %q: %v", s, text, err)
		}
		for _, n := range []*yaml.Node{root.Content[0].Content[1], root.Content[0].Content[2], root.Content[0].Content[5].Content[0]} {
			if n.Value != s || n.Tag != "!!str" {
				t.Fatalf("%q as %q reads back as %s %q", s, text, n.Tag, n.Value)
			}
		}
	})
}
