package catalog

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"
)

// accepts reports that a check of a single text passes.
func accepts(check textCheck, s string) bool {
	_, rule, _ := check(s)
	return rule == ""
}

// TestSlug compares the check with a definition by character, over random
// texts that are nearly slugs.
func TestSlug(t *testing.T) {
	isSlug := func(s string) bool {
		alnum := func(c byte) bool { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' }
		if s == "" {
			return false
		}
		for i := range len(s) {
			inner := i > 0 && i < len(s)-1 && alnum(s[i-1]) && alnum(s[i+1])
			if !alnum(s[i]) && !((s[i] == '-' || s[i] == '.') && inner) {
				return false
			}
		}
		return true
	}
	compare(t, "abz09-.-.A_ é", isSlug, slug)
}

// TestPercentile compares the check with the number that follows the p.
func TestPercentile(t *testing.T) {
	inRange := func(s string) bool {
		digits, ok := strings.CutPrefix(s, "p")
		whole, frac, point := strings.Cut(digits, ".")
		if !ok || len(whole) < 1 || len(whole) > 2 || point && frac == "" || strings.Trim(whole+frac, "0123456789") != "" {
			return false
		}
		x, err := strconv.ParseFloat(digits, 64)
		return err == nil && x > 0 && x < 100
	}
	compare(t, "ppp0059..9", inRange, statistic())
	for s, want := range map[string]bool{"p50": true, "p05": true, "p50.0": true, "p99.": false, "p0": false, "p00.0": false, "p0.1": true, "p100": false, "P50": false, "p": false,
		"mean": true, "median": true, "std": true, "max": true, "min": false} {
		if accepts(statistic(), s) != want {
			t.Errorf("statistic %s: want %v", s, want)
		}
	}
}

// compare holds a check to an oracle over random texts of an alphabet, and
// guards against samples that are all on one side.
func compare(t *testing.T, alphabet string, oracle func(string) bool, check textCheck) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	yes, no := 0, 0
	for range 20_000 {
		b := make([]byte, r.IntN(7))
		for i := range b {
			b[i] = alphabet[r.IntN(len(alphabet))]
		}
		s := string(b)
		want := oracle(s)
		if want {
			yes++
		} else {
			no++
		}
		if accepts(check, s) != want {
			t.Fatalf("%q: want %v", s, want)
		}
	}
	if yes < 100 || no < 100 {
		t.Errorf("a one-sided sample: %d accepted, %d refused", yes, no)
	}
}

// TestTimestamp accepts every time that Go formats in UTC, normalises it to the
// same instant, and refuses it in any other zone.
func TestTimestamp(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		at := time.Unix(r.Int64N(4e9), int64(r.IntN(2))*int64(r.IntN(1e9))).UTC()
		s := at.Format(time.RFC3339Nano)
		for _, form := range []string{s, strings.ToLower(s), strings.Replace(s, "Z", "+00:00", 1)} {
			normal, rule, _ := timestamp(form)
			if rule != "" || normal != s {
				t.Fatalf("%s gives %q, %s", form, normal, rule)
			}
		}
		if accepts(timestamp, at.In(time.FixedZone("", 3600*(1+r.IntN(11)))).Format(time.RFC3339)) {
			t.Fatalf("%s is accepted in another zone", s)
		}
	}
	for _, s := range []string{"2026-10-15", "2026-10-15 13:58:06Z", "2026-10-15T13:58Z", "2026-10-15T13:58:60Z", "2026-10-15T13:58:06-00:00", "2026-10-15T13:58:06", "2026-10-15T24:00:00Z",
		"2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "20261015T135806Z", "2026-10-15T13:58:06.Z", "2026-10-15T13:58:06,5Z", " 2026-10-15T13:58:06Z", ""} {
		if accepts(timestamp, s) {
			t.Errorf("%q is accepted", s)
		}
	}
}

func TestURLAndImage(t *testing.T) {
	hex := strings.Repeat("0f", 32)
	for s, want := range map[string]bool{"http://example.org/x": true, "https://example.org:8443/a?b=c#d": true, "ftp://example.org": false, "example.org/x": false, "https:///x": false, "/x": false,
		"https://": false, "https://:80/": false, "mailto:a@example.org": false, "https://exa mple.org": false} {
		if accepts(webURL, s) != want {
			t.Errorf("url %s: want %v", s, want)
		}
	}
	for s, want := range map[string]bool{"sha256:" + hex: true, "vllm/vllm:v1@sha256:" + hex: true, "@sha256:" + hex: false, "vllm:v1": false, "vllm@" + hex: false, "a@b@sha256:" + hex: false,
		"vllm@sha256:" + strings.ToUpper(hex): false, "sha256:" + hex[1:]: false} {
		if accepts(imageDigest, s) != want {
			t.Errorf("image %s: want %v", s, want)
		}
	}
}

func TestVocabulariesAreDistinct(t *testing.T) {
	names := map[string]bool{}
	for _, v := range Vocabularies() {
		words := map[string]bool{}
		for _, w := range v.Words {
			if words[w] {
				t.Errorf("%s stands twice in %s", w, v.Name)
			}
			words[w] = true
		}
		if names[v.Name] || len(words) == 0 {
			t.Errorf("vocabulary %s", v.Name)
		}
		names[v.Name] = true
	}
	for _, f := range Formulas() {
		if !contains(words(vocabUnit), f.Unit) || f.Kind != Latency && f.Kind != Throughput || (f.Kind == Latency) != (f.Unit == "ms") {
			t.Errorf("formula %+v", f)
		}
	}
}

func TestNearest(t *testing.T) {
	names := []string{"concurrency", "request_rate", "sha256", "cache_dtype", "id"}
	for key, want := range map[string]string{"concurency": "concurrency", "requestrate": "request_rate", "sha": "sha256", "kv_cache_dtype": "cache_dtype", "SHA256": "sha256", "zzz": "", "x": "",
		strings.Repeat("c", 1000): ""} {
		if got := nearest(key, names); got != want {
			t.Errorf("nearest(%.20s) = %q, want %q", key, got, want)
		}
	}
}
