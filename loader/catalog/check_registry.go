package catalog

import "github.com/inference-sim/blis-warehouse/store/record"

// registry checks a licence registry after the MeasuredRun specification,
// Licence registry.
func (c *checker) registry(root *block, v *record.Registry) {
	ids := map[string]int{}
	for i, el := range root.list("sources") {
		b := el.block
		if b == nil {
			continue
		}
		l := &v.Sources[i]
		if b.stated("id") {
			if first, twice := ids[l.ID]; twice {
				c.problems.refuse(b.at("id"), RuleDuplicate, "the id of sources[%d]; ids are unique", first)
			} else {
				ids[l.ID] = i
			}
		}
		c.licence(b, l)
	}
}

func (c *checker) licence(b *block, v *record.Licence) {
	if b.stated("permits") {
		seen := map[string]bool{}
		for i, use := range v.Permits {
			if seen[use] {
				c.problems.refuse(b.element("permits", i), RuleDuplicate, "%s stands twice", use)
			}
			seen[use] = true
		}
	}
	if !b.stated("status") {
		return
	}
	if v.Status != "verified" {
		if b.stated("permits") && len(v.Permits) > 0 {
			c.problems.refuse(b.at("permits"), RuleNotAllowed, "not allowed with status %s; only a verified source permits anything", v.Status)
		}
		c.need(b, "note", " with status "+v.Status)
		return
	}
	const with = " with status verified"
	c.need(b, "license", with)
	c.need(b, "permits", with)
	c.need(b, "evidence", with)
	for key, n := range map[string]int{"permits": len(v.Permits), "evidence": len(v.Evidence)} {
		if b.stated(key) && n == 0 {
			c.problems.refuse(b.at(key), RuleEmpty, "an empty list; at least one element is required%s", with)
		}
	}
}
