package store

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sort"
	"strings"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// Member is a metric of a definition set.
type Member struct {
	Def         record.MetricDef // Name is the metric
	Slot        int              // 0 for catalog_values, else 1 + the index in record.InferenceXColumns
	ReportedKey string           // "" for Slot 0
	Scale       float64          // from the reported value to the definition's unit
}

// definitionSet returns the key of the set of these members, which it stores
// where it is new. Runs that state the same definitions share a set.
func (l *Load) definitionSet(members []Member) (int64, error) {
	sort.Slice(members, func(i, j int) bool { return members[i].Def.Name < members[j].Def.Name })
	digest := definitionSetDigest(members)
	if id, ok := l.definitionSets[digest]; ok {
		return id, nil
	}
	var id int64
	found, err := l.queryRow(`SELECT definition_set_id FROM definition_sets WHERE sha256 = ?`, []any{digest}, &id)
	if err != nil {
		return 0, err
	}
	if !found {
		if id, err = l.insert(`INSERT INTO definition_sets (sha256) VALUES (?)`, digest); err != nil {
			return 0, err
		}
		identities := metricIdentities(members)
		for i, m := range members {
			definition, err := l.definition(m.Def)
			if err != nil {
				return 0, err
			}
			_, err = l.exec(`
				INSERT INTO definition_set_members (definition_set_id, metric, definition_id, identity, slot, reported_key, scale)
				VALUES (?, ?, ?, ?, ?, ?, ?)`,
				id, m.Def.Name, definition, identities[i], m.Slot, text(m.ReportedKey), m.Scale)
			if err != nil {
				return 0, err
			}
		}
	}
	l.definitionSets[digest] = id
	return id, nil
}

// definitionSetDigest is the digest of the canonical form of a set's members, sorted by name.
func definitionSetDigest(members []Member) string {
	var b strings.Builder
	for _, m := range members {
		d := m.Def
		fmt.Fprintf(&b, "%q %q %q %q %q %q %q %q %q %q %q %q %q %q %d %q %g\n", d.Name, d.Formula, d.Statistic, d.Population, d.Denominator, d.Clock,
			d.StartEvent, d.StopEvent, d.OutputLenSource, triState(d.ReasoningCountedAsContent), d.PercentileMethod, d.Unit, d.GPUScope, d.Cite,
			m.Slot, m.ReportedKey, m.Scale)
	}
	sum := sha256.Sum256([]byte(b.String()))
	return hex.EncodeToString(sum[:])
}

// metricIdentities returns the members' identities in a comparison. Two that
// share formula and statistic fall back to their names.
func metricIdentities(members []Member) []string {
	identities := make([]string, len(members))
	count := map[string]int{}
	for i, m := range members {
		identities[i] = metricIdentity(m.Def.Name, m.Def.Formula, m.Def.Statistic)
		count[identities[i]]++
	}
	for i, m := range members {
		if count[identities[i]] > 1 {
			identities[i] = metricIdentity(m.Def.Name, "", "")
		}
	}
	return identities
}

func triState(b *bool) string {
	switch {
	case b == nil:
		return ""
	case *b:
		return "true"
	}
	return "false"
}

// definition returns the key of a definition, which it stores where it is new.
func (l *Load) definition(d record.MetricDef) (int64, error) {
	d.Name = ""
	_, err := l.exec(`
		INSERT INTO definitions (formula, statistic, population, denominator, clock, start_event, stop_event, output_len_source,
			reasoning_counted_as_content, percentile_method, unit, gpu_scope, cite)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT DO NOTHING`,
		text(d.Formula), text(d.Statistic), text(d.Population), text(d.Denominator), text(d.Clock), text(d.StartEvent), text(d.StopEvent),
		text(d.OutputLenSource), optional(d.ReasoningCountedAsContent), text(d.PercentileMethod), d.Unit, text(d.GPUScope), d.Cite)
	if err != nil {
		return 0, err
	}
	// The terms are those of the index definitions_by_content.
	var id int64
	found, err := l.queryRow(`
		SELECT definition_id FROM definitions
		WHERE ifnull(formula, '') = ? AND ifnull(statistic, '') = ? AND ifnull(population, '') = ? AND ifnull(denominator, '') = ? AND ifnull(clock, '') = ?
			AND ifnull(start_event, '') = ? AND ifnull(stop_event, '') = ? AND ifnull(output_len_source, '') = ?
			AND ifnull(reasoning_counted_as_content, -1) = ifnull(?, -1)
			AND ifnull(percentile_method, '') = ? AND unit = ? AND ifnull(gpu_scope, '') = ? AND cite = ?`,
		[]any{d.Formula, d.Statistic, d.Population, d.Denominator, d.Clock, d.StartEvent, d.StopEvent, d.OutputLenSource,
			optional(d.ReasoningCountedAsContent), d.PercentileMethod, d.Unit, d.GPUScope, d.Cite}, &id)
	if err == nil && !found {
		err = fmt.Errorf("definition %+v was not stored", d)
	}
	return id, err
}

// dropUnusedDefinitions removes definition sets that no run uses any more.
func (l *Load) dropUnusedDefinitions() error {
	for _, statement := range []string{
		`DELETE FROM definition_set_members WHERE definition_set_id IN (
			SELECT s.definition_set_id FROM definition_sets s WHERE NOT EXISTS (SELECT 1 FROM runs r WHERE r.definition_set_id = s.definition_set_id))`,
		`DELETE FROM definition_sets WHERE NOT EXISTS (SELECT 1 FROM runs r WHERE r.definition_set_id = definition_sets.definition_set_id)`,
		`DELETE FROM definitions WHERE NOT EXISTS (SELECT 1 FROM definition_set_members m WHERE m.definition_id = definitions.definition_id)`,
	} {
		if _, err := l.exec(statement); err != nil {
			return err
		}
	}
	clear(l.definitionSets)
	return nil
}
