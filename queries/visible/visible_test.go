package visible

import (
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestText(t *testing.T) {
	for s, want := range map[string]string{
		"":                  "",
		"plain ASCII ~":     "plain ASCII ~",
		"é 日本 √":            "é 日本 √",
		"\x1b[31m\a":        `\x1b[31m\a`,
		"a\nb\tc\r":         `a\nb\tc\r`,
		"\u202ex\u200b":     `\u202ex\u200b`,
		"bad \xff\xc3":      `bad \xff\xc3`,
		"\ufffd":            "\ufffd",
		"\U000e0001\u00a0 ": `\U000e0001\u00a0 `,
	} {
		if got := Text(s); got != want {
			t.Errorf("%q is shown as %q, want %q", s, got, want)
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add("\x1b]0;t\a\u202e\xff")
	f.Fuzz(func(t *testing.T, s string) {
		got := Text(s)
		if !utf8.ValidString(got) {
			t.Fatalf("%q is not UTF-8", got)
		}
		for _, r := range got {
			if !unicode.IsPrint(r) {
				t.Fatalf("%q shows %U", s, r)
			}
		}
		if Text(got) != got {
			t.Fatalf("%q changes again", got)
		}
	})
}
