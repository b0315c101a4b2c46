package store

import (
	"regexp"
	"strings"
)

// The units of columns are read from the schema, not listed beside it:
//
//  1. a part of the column's comment, between commas, that is a unit ("seconds",
//     "offered requests per second", "watts per GPU") is its unit;
//  2. else the end of its name is ("_ms", "_bytes", "tokens_per_s");
//  3. else its unit is that of the columns of the same name in other tables
//     and views, for views repeat what tables have.
//
// Columns of text have none, and neither has a column called unit or one that
// holds values of many units, which stand beside it (measurements.value).

// unitRule gives a unit to what matches.
type unitRule struct {
	pattern *regexp.Regexp
	unit    string
}

// commentUnits match a whole part of a comment; the first that does counts.
var commentUnits = []unitRule{
	{regexp.MustCompile(`^(?:\w+ )*tokens(?:/s| per second)(?: per| and) GPU$`), "tokens/s/GPU"},
	{regexp.MustCompile(`^(?:\w+ )*tokens(?:/s| per second)(?:/| per | and )user$`), "tokens/s/user"},
	{regexp.MustCompile(`^(?:\w+ )*tokens(?:/s| per second)(?: of .*)?$`), "tokens/s"},
	{regexp.MustCompile(`^(?:\w+ )*requests per second(?: that .*)?$`), "requests/s"},
	{regexp.MustCompile(`^(?:mean )?(?:input |output )?tokens(?: actually served| of .*)?$`), "tokens"},
	{regexp.MustCompile(`^(?:ms|milliseconds)$`), "ms"},
	{regexp.MustCompile(`^seconds$`), "s"},
	{regexp.MustCompile(`^bytes$`), "bytes"},
	{regexp.MustCompile(`^MB$`), "MB"},
	{regexp.MustCompile(`^watts(?: per .*)?$`), "W"},
	{regexp.MustCompile(`^joules(?: per .*)?$`), "J"},
	{regexp.MustCompile(`^degrees Celsius$`), "°C"},
	{regexp.MustCompile(`^percent$`), "%"},
}

// nameUnits match the end of a column's name; the first that does counts.
var nameUnits = []unitRule{
	{regexp.MustCompile(`tok(?:ens_per_s(?:ec)?|_s)_per_gpu$`), "tokens/s/GPU"},
	{regexp.MustCompile(`tok(?:ens_per_s(?:ec)?|_s)_per_user$|interactivity_.*tok_s$`), "tokens/s/user"},
	{regexp.MustCompile(`tok(?:ens_per_s(?:ec)?|_s)$`), "tokens/s"},
	{regexp.MustCompile(`requests_per_s(?:ec)?$`), "requests/s"},
	{regexp.MustCompile(`_ms$`), "ms"},
	{regexp.MustCompile(`_us$`), "µs"},
	{regexp.MustCompile(`_ns$`), "ns"},
	{regexp.MustCompile(`_s$`), "s"},
	{regexp.MustCompile(`(?:^|_)bytes$`), "bytes"},
	{regexp.MustCompile(`_mb$`), "MB"},
	{regexp.MustCompile(`power_w(?:_per_gpu)?$`), "W"},
	{regexp.MustCompile(`(?:^|_)joules_per_[a-z_]+$|energy_j_per_[a-z_]+$`), "J"},
	{regexp.MustCompile(`temp_c$`), "°C"},
	{regexp.MustCompile(`_pct$`), "%"},
}

// setUnits fills in the units of the columns.
func setUnits(relations []Relation) {
	known := map[string]string{} // by name; "" where columns of a name differ
	for _, r := range relations {
		for i := range r.Columns {
			c := &r.Columns[i]
			if c.Unit = c.ownUnit(); c.Unit == "" {
				continue
			}
			if unit, ok := known[c.Name]; ok && unit != c.Unit {
				known[c.Name] = ""
			} else if !ok {
				known[c.Name] = c.Unit
			}
		}
	}
	for _, r := range relations {
		for i := range r.Columns {
			if c := &r.Columns[i]; c.Unit == "" && c.mayHaveUnit() {
				c.Unit = known[c.Name]
			}
		}
	}
}

func (c Column) mayHaveUnit() bool {
	return c.Name != "unit" && !strings.HasPrefix(c.Type, "TEXT") && !strings.HasPrefix(c.Type, "BLOB")
}

// ownUnit is the unit that the column's comment or name tells.
func (c Column) ownUnit() string {
	if !c.mayHaveUnit() {
		return ""
	}
	for _, part := range regexp.MustCompile(`[,;.] `).Split(c.Meaning, -1) {
		if unit := firstUnit(commentUnits, part); unit != "" {
			return unit
		}
	}
	return firstUnit(nameUnits, c.Name)
}

func firstUnit(rules []unitRule, text string) string {
	for _, r := range rules {
		if r.pattern.MatchString(text) {
			return r.unit
		}
	}
	return ""
}
