package inferencex

import (
	"strings"
	"time"
)

// day returns the UTC day that s states: YYYY-MM-DD, or a timestamp at midnight
// UTC as the publisher's database dumps write days (plain is then false).
func day(s string) (d string, plain, ok bool) {
	if len(s) >= 10 {
		if _, err := time.Parse(time.DateOnly, s[:10]); err == nil {
			if len(s) == 10 {
				return s, true, true
			}
			if t, _, ok := moment(s); ok && t.Equal(t.Truncate(24*time.Hour)) {
				return t.Format(time.DateOnly), false, true
			}
		}
	}
	return "", false, false
}

// rfc3339 is the form in which timestamps are kept: UTC, with a fraction only where there is one.
const rfc3339 = time.RFC3339Nano

// momentLayouts are the forms of a timestamp: RFC 3339, then PostgreSQL's, whose
// offset may be hours alone or missing, which is UTC.
var momentLayouts = []string{
	"2006-01-02T15:04:05Z07:00",
	"2006-01-02T15:04:05Z0700",
	"2006-01-02T15:04:05Z07",
	"2006-01-02T15:04:05",
}

// moment parses a timestamp. plain says that it was RFC 3339.
func moment(s string) (t time.Time, plain, ok bool) {
	plain = true
	if len(s) > 10 && s[10] == ' ' {
		s, plain = s[:10]+"T"+s[11:], false
	}
	s = strings.ToUpper(s)
	for i, layout := range momentLayouts {
		if t, err := time.Parse(layout, s); err == nil && t.Year() >= 1 {
			return t.UTC(), plain && i == 0, true
		}
	}
	return time.Time{}, false, false
}
