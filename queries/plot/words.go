package plot

import (
	"fmt"
	"sort"
	"strings"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"

	"github.com/inference-sim/blis-warehouse/queries/visible"
)

// clean is text as a picture shows it: what does not print is escaped.
func clean(s string) string { return visible.Text(strings.ReplaceAll(s, "\u202f", "\u2009")) }

// cleanLines is clean for a text of several lines. A line feed in the data makes
// a line too, which is all that it can do.
func cleanLines(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = clean(lines[i])
	}
	return strings.Join(lines, "\n")
}

// lowerFirst is a phrase as it stands within a sentence.
func lowerFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}

// plural is a number with what is counted, in the form that belongs to it.
func plural(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}

// wrap breaks text into lines of at most width at its spaces, or within a word
// that is wider; what does not fit into most lines is cut.
func wrap(s string, sty text.Style, width vg.Length, most int) []string {
	var lines []string
	line := ""
	words := strings.Fields(s)
	for i, word := range words {
		longer := strings.TrimPrefix(line+" "+word, " ")
		if line == "" || sty.Width(longer) <= width {
			line = longer
			continue
		}
		if len(lines) == most-1 {
			return append(lines, cutTo(line+" "+strings.Join(words[i:], " "), sty, width))
		}
		lines = append(lines, cutTo(line, sty, width))
		line = word
	}
	return append(lines, cutTo(line, sty, width))
}

// cutTo is text cut to a width, with … for what is missing.
func cutTo(s string, sty text.Style, width vg.Length) string {
	const longest = 2000 // no picture shows as many letters in a line
	if len(s) > longest {
		s = strings.ToValidUTF8(s[:longest], "")
	}
	if sty.Width(s) <= width {
		return s
	}
	var ends []int // of its letters
	for i := range s {
		ends = append(ends, i)
	}
	fits := sort.Search(len(ends), func(i int) bool { return sty.Width(s[:ends[i]]+"…") > width })
	return strings.TrimRight(s[:ends[max(0, fits-1)]], " ") + "…"
}
