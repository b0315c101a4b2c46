package catalog

import (
	"net/url"
	"regexp"
	"strings"
	"time"
)

// oneOf accepts the words of a vocabulary.
func oneOf(name string) textCheck {
	list := words(name)
	allowed := "one of " + strings.Join(list, ", ")
	if len(list) == 1 {
		allowed = list[0]
	}
	return func(s string) (string, string, string) {
		if contains(list, s) {
			return s, "", ""
		}
		return s, RuleVocabulary, allowed
	}
}

// isFormula accepts the name of a formula.
func isFormula(s string) (string, string, string) {
	if formulaOf(s) != nil {
		return s, "", ""
	}
	return s, RuleVocabulary, "one of " + strings.Join(formulaNames(), ", ")
}

// percentile is p and a number above 0 and below 100, with at most two digits
// before the point.
var percentile = regexp.MustCompile(`^p[0-9]{1,2}(\.[0-9]+)?$`)

func isPercentile(s string) bool {
	return percentile.MatchString(s) && strings.Trim(s, "p0.") != ""
}

// statistic accepts the words of its vocabulary and percentiles.
func statistic() textCheck {
	list := words(vocabStatistic)
	return func(s string) (string, string, string) {
		if contains(list, s) || isPercentile(s) {
			return s, "", ""
		}
		return s, RuleVocabulary, "one of " + strings.Join(list, ", ") + ", or a percentile above p0 and below p100 such as p99 or p99.9"
	}
}

var slugForm = regexp.MustCompile(`^[a-z0-9]+([.-][a-z0-9]+)*$`)

func slug(s string) (string, string, string) {
	if slugForm.MatchString(s) {
		return s, "", ""
	}
	return s, RuleSlug, "a slug is lower-case letters and digits, with single - or . between"
}

// digest accepts a SHA-256 in 64 lower-case hex characters.
func digest(s string) (string, string, string) {
	if isDigest(s) {
		return s, "", ""
	}
	return s, RuleDigest, "a digest is 64 lower-case hex characters"
}

func isDigest(s string) bool {
	if len(s) != 64 {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// imageDigest accepts sha256:<digest>, alone or after a name and @.
func imageDigest(s string) (string, string, string) {
	name, pin, found := strings.Cut(s, "@")
	if !found {
		name, pin = "image", s
	}
	if hex, ok := strings.CutPrefix(pin, "sha256:"); ok && isDigest(hex) && name != "" && !strings.ContainsAny(name, " \t\n") {
		return s, "", ""
	}
	return s, RuleImageDigest, "an image is pinned by sha256:<64 lower-case hex>, alone or after name@"
}

var timestampForm = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?([Zz]|\+00:00)$`)

// timestamp accepts RFC 3339 in UTC and normalises it to T and Z.
func timestamp(s string) (string, string, string) {
	if timestampForm.MatchString(s) {
		normal := strings.TrimSuffix(strings.ToUpper(s), "+00:00")
		normal = strings.TrimSuffix(normal, "Z") + "Z"
		if _, err := time.Parse("2006-01-02T15:04:05Z", normal[:19]+"Z"); err == nil {
			return normal, "", ""
		}
	}
	return s, RuleTimestamp, "an RFC 3339 time in UTC such as 2026-10-15T13:58:06Z"
}

// day accepts a day of the calendar, YYYY-MM-DD, or a time as timestamp does.
func day(s string) (string, string, string) {
	if _, err := time.Parse(time.DateOnly, s); err == nil {
		return s, "", ""
	}
	normal, rule, _ := timestamp(s)
	if rule != "" {
		return s, RuleDate, "a day such as 2026-10-15, or an RFC 3339 time in UTC such as 2026-10-15T13:58:06Z"
	}
	return normal, "", ""
}

// webURL accepts an absolute http or https URL with a host.
func webURL(s string) (string, string, string) {
	u, err := url.Parse(s)
	if err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && !strings.ContainsAny(s, " \t\n") {
		return s, "", ""
	}
	return s, RuleURL, "an absolute http or https URL with a host"
}

// filled refuses an empty list element.
func filled(s string) (string, string, string) {
	if s != "" {
		return s, "", ""
	}
	return s, RuleEmpty, "an empty element; leave it out"
}
