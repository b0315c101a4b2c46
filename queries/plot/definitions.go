package plot

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/inference-sim/blis-warehouse/store"
)

// DefinitionsError reports metrics that runs define differently, so that their
// values do not belong on one axis.
type DefinitionsError struct{ Lines []string }

func (e *DefinitionsError) Error() string { return strings.Join(e.Lines, "\n") }

// checkDefinitions holds that the runs define the metrics alike. Fields that
// the request lets differ are told in notes.
func (s *runs) checkDefinitions(ctx context.Context, r *store.Reader, req *Request, metrics ...Metric) (notes []string, err error) {
	var refused []string
	for _, m := range metrics {
		identity := m.Identity
		if m.Name == "interactivity_p50_tok_s" { // it is reported, or made of this
			identity = "tpot median"
		}
		if identity == "" || len(s.all) < 2 {
			continue
		}
		t, err := ask(ctx, r, "definitions", map[string]any{"names": list(s.names()), "identity": identity})
		if err != nil {
			return nil, err
		}
		for _, d := range differing(t) {
			line := fmt.Sprintf("%s: the runs differ in %s: %s", m.Name, d.field, strings.Join(d.values, "; "))
			if slices.Contains(req.Despite, d.field) || slices.Contains(req.Despite, "all") {
				notes = append(notes, "Definitions differ. "+line+".")
			} else {
				refused = append(refused, line)
			}
		}
	}
	if refused != nil {
		return nil, &DefinitionsError{refused}
	}
	return notes, nil
}

// difference is a field of a definition with what runs state, each with the
// first run that states it.
type difference struct {
	field  string
	values []string
}

// differing are the fields of definitions.sql with more than one value.
func differing(t *table) (all []difference) {
	var d difference
	var seen []string
	flush := func() {
		if len(seen) > 1 {
			all = append(all, d)
		}
		seen = nil
	}
	for _, row := range t.rows {
		if field := t.text(row, "field"); field != d.field {
			flush()
			d = difference{field: field}
		}
		value := "not stated"
		if t.cell(row, "value") != nil {
			value = t.text(row, "value")
		}
		if !slices.Contains(seen, value) {
			seen = append(seen, value)
			d.values = append(d.values, fmt.Sprintf("%s (%s)", value, t.text(row, "name")))
		}
	}
	flush()
	return all
}
