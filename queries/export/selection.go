package export

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/inference-sim/blis-warehouse/store"
)

// Request says which runs are wanted.
type Request struct {
	Purpose   Purpose
	Tier      Tier     // of a scoring export, "" for the others
	Runs      []string // names; empty for all that the purpose takes
	Documents bool     // the runs are to be written as documents, which not every run can be
}

// Chosen is a run that leaves.
type Chosen struct {
	Name           string
	DocumentSHA256 string // "" for a run without a document
	LicenceID      string
	SPDX           string
	attribution    string
	id             int64
}

// Reason is a reason why a run does not leave. Its code is one of those of the
// views verdict_reasons and unscorable_reasons, or one of
//
//	tier            a scorable run of the other tier
//	no_document     a run that comes from no catalog has no document to write
//	stated_verdict  the document would not load: its stated verdict no longer holds
//	not_catalog     redistribution takes catalog runs, others only by name
//	no_such_run     the warehouse has no run of the name
//	not_available   the purpose's view does not have it
type Reason struct {
	Code   string `json:"code"`
	Detail string `json:"detail"`
}

// LeftOut is a run that does not leave, with every reason.
type LeftOut struct {
	Name    string   `json:"name"`
	Reasons []Reason `json:"reasons"`
}

// Sum counts the runs of an origin that do not leave for one reason.
type Sum struct {
	Origin string `json:"origin"`
	Reason
	Runs int64 `json:"runs"`
}

// Selection is what an export takes and what it leaves out.
type Selection struct {
	Request Request
	Runs    []Chosen  // by name
	Refused []LeftOut // runs that were asked for by name and may not leave, by name: nothing may be exported then
	LeftOut []LeftOut // catalog runs that are not taken, by name; nil where runs are asked for by name
	Sums    []Sum     // the same of runs from elsewhere, of which there are many
}

// Select finds the runs that may leave for a purpose. With names it is these
// runs, in the order of their names: one that may not leave is in Refused with
// every reason. A run that is superseded, or a declared duplicate, may be
// redistributed only by name.
func Select(ctx context.Context, r *store.Reader, req Request) (*Selection, error) {
	s := &Selection{Request: req}
	reasons, err := s.reasons(ctx, r)
	if err != nil {
		return nil, err
	}
	named := map[string]bool{}
	for _, name := range req.Runs {
		named[name] = true
	}
	allowed := map[string]bool{}
	err = query(ctx, r, "select-"+string(req.Purpose), s.tierParams(nil), func(c *cells) error {
		run := Chosen{id: c.whole(), Name: c.text(), DocumentSHA256: c.text(), LicenceID: c.text(), SPDX: c.text(), attribution: c.text()}
		taken := c.whole() == 1
		if len(req.Runs) > 0 {
			taken = named[run.Name]
		}
		if taken && !cannotBeDocument(reasons[run.Name]) {
			allowed[run.Name] = true
			s.Runs = append(s.Runs, run)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for name := range allowed {
		delete(reasons, name)
	}
	if len(req.Runs) > 0 {
		return s, s.refuse(ctx, r, allowed, reasons)
	}
	s.LeftOut = listed(reasons)
	if req.Purpose == Redistribution {
		return s, s.sum(ctx, r, "left-out-redistribution")
	}
	return s, s.sum(ctx, r, "left-out-scoring")
}

// cannotBeDocument tells whether a reason of the query reasons-document is
// among reasons.
func cannotBeDocument(reasons []Reason) bool {
	return slices.ContainsFunc(reasons, func(r Reason) bool { return r.Code == "no_document" || r.Code == "stated_verdict" })
}

// tierParams adds the verdict of the tier to the parameters of a statement,
// where the purpose has tiers.
func (s *Selection) tierParams(params map[string]any) map[string]any {
	if s.Request.Purpose != Scoring {
		return params
	}
	if params == nil {
		params = map[string]any{}
	}
	params["verdict"] = strings.ToUpper(string(s.Request.Tier))
	return params
}

// reasons are all reasons against the runs in question: those that are named,
// else the catalog runs. A run that may leave can have reasons too, against
// being taken without being named.
func (s *Selection) reasons(ctx context.Context, r *store.Reader) (map[string][]Reason, error) {
	var names any
	if len(s.Request.Runs) > 0 {
		list, err := array(s.Request.Runs)
		if err != nil {
			return nil, err
		}
		names = list
	}
	reasons := map[string][]Reason{}
	add := func(c *cells) error {
		name, reason := c.text(), Reason{c.text(), c.text()}
		reasons[name] = append(reasons[name], reason)
		return nil
	}
	if err := query(ctx, r, "reasons-"+string(s.Request.Purpose), s.tierParams(map[string]any{"names": names}), add); err != nil {
		return nil, err
	}
	if s.Request.Documents {
		if err := query(ctx, r, "reasons-document", map[string]any{"names": names}, add); err != nil {
			return nil, err
		}
	}
	return reasons, nil
}

// listed are left-out runs by name.
func listed(reasons map[string][]Reason) []LeftOut {
	list := make([]LeftOut, 0, len(reasons))
	for name, all := range reasons {
		list = append(list, LeftOut{name, all})
	}
	slices.SortFunc(list, func(a, b LeftOut) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// refuse fills Refused with the named runs that may not leave.
func (s *Selection) refuse(ctx context.Context, r *store.Reader, allowed map[string]bool, reasons map[string][]Reason) error {
	var wanting []string
	for _, name := range s.Request.Runs {
		if !allowed[name] && len(reasons[name]) == 0 {
			wanting = append(wanting, name)
		}
	}
	if len(wanting) > 0 {
		known, err := Names(ctx, r)
		if err != nil {
			return err
		}
		for _, name := range wanting {
			reason := Reason{"no_such_run", "the warehouse has no run of this name"}
			if _, found := slices.BinarySearch(known, name); found {
				reason = Reason{"not_available", fmt.Sprintf("it is not among the runs for %s", s.Request.Purpose)}
			}
			reasons[name] = []Reason{reason}
		}
	}
	s.Refused = listed(reasons)
	return nil
}

// sum fills Sums from a statement.
func (s *Selection) sum(ctx context.Context, r *store.Reader, name string) error {
	return query(ctx, r, name, nil, func(c *cells) error {
		s.Sums = append(s.Sums, Sum{Origin: c.text(), Reason: Reason{c.text(), c.text()}, Runs: c.whole()})
		return nil
	})
}
