package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/inference-sim/blis-warehouse/queries/lineage"
)

// How much of a long list people are shown without --all.
const (
	changesShown = 8   // changes of one kind
	valueShown   = 48  // columns of a value beside another
	aloneShown   = 100 // columns of one that stands alone
)

// changeLines says what changed from a run to the next: a line of counts, then
// a line for each change, long lists cut unless all are wanted.
func changeLines(changes []lineage.Change, all bool) []string {
	if len(changes) == 0 {
		return []string{"nothing changed"}
	}
	byKind := map[string][]lineage.Change{}
	for _, c := range changes {
		byKind[c.Kind] = append(byKind[c.Kind], c)
	}
	var counts, lines []string
	for _, kind := range lineage.Kinds() {
		list := byKind[kind]
		if len(list) == 0 {
			continue
		}
		counts = append(counts, countOf(kind, list))
		for i, c := range list {
			if !all && i == changesShown && len(list) > changesShown+1 {
				lines = append(lines, fmt.Sprintf("  ... and %d more (--all)", len(list)-i))
				break
			}
			lines = append(lines, "  "+changeLine(&c, all))
		}
	}
	return append([]string{strings.Join(counts, ", ")}, lines...)
}

func countOf(kind string, list []lineage.Change) string {
	switch kind {
	case lineage.KindVerdict:
		return "verdict"
	case lineage.KindPoint, lineage.KindReason:
		added := 0
		for _, c := range list {
			if c.Before == nil {
				added++
			}
		}
		var parts []string
		if added > 0 {
			parts = append(parts, "+"+plural(added, kind, kind+"s"))
		}
		if gone := len(list) - added; gone > 0 {
			parts = append(parts, "-"+plural(gone, kind, kind+"s"))
		}
		return strings.Join(parts, ", ")
	}
	return plural(len(list), kind, kind+"s")
}

// changeLine is a change in words: what was before, then what is now.
func changeLine(c *lineage.Change, all bool) string {
	most := valueShown
	if c.Before == nil || c.After == nil {
		most = aloneShown
	}
	value := func(v any) string {
		s := shown(v)
		if !all {
			s = cut(s, most)
		}
		return s
	}
	path, unit := printable(c.Path), ""
	if c.Unit != "" {
		unit = " " + printable(c.Unit)
	}
	switch {
	case c.Kind == lineage.KindValue && c.Before != nil && c.After != nil:
		line := fmt.Sprintf("%s: %s → %s%s", path, value(c.Before), value(c.After), unit)
		if ratio := c.Ratio(); ratio != nil {
			line += " (× " + strconv.FormatFloat(*ratio, 'g', 4, 64) + ")"
		}
		return line
	case c.Before == nil:
		return fmt.Sprintf("+ %s: %s%s", path, value(c.After), unit)
	case c.After == nil:
		return fmt.Sprintf("- %s: %s%s", path, value(c.Before), unit)
	}
	return fmt.Sprintf("%s: %s → %s", path, value(c.Before), value(c.After))
}

// changeCells are the columns of a change in the machine formats: kind, path,
// before, after, unit, ratio.
func changeCells(c *lineage.Change) []any {
	cells := []any{c.Kind, c.Path, c.Before, c.After, nil, nil}
	if c.Unit != "" {
		cells[4] = c.Unit
	}
	if ratio := c.Ratio(); ratio != nil {
		cells[5] = *ratio
	}
	return cells
}

// orNull is NULL for "".
func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}
