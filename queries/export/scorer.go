package export

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/inference-sim/blis-warehouse/queries/visible"
	"github.com/inference-sim/blis-warehouse/store"
	"github.com/inference-sim/blis-warehouse/store/record"
)

// The files of the metric scorer, absolutes and corpus. A sweep of one and an
// anchor of the other belong together by scenario and label, which are made
// here for both. Null is what the warehouse does not know; docs/exports.md says
// where each member comes from.
type (
	// anchorPart is the measured curve of a run.
	anchorPart struct {
		Scenario      string  `json:"scenario"`
		Label         *string `json:"label"`
		Framework     *string `json:"framework"`
		GPU           *string `json:"gpu"`
		TPOT          curve   `json:"absolute_tpot_us"`
		TTFT          curve   `json:"absolute_ttft_us"`
		SourceRunDate *string `json:"source_run_date"`
		ConfigID      *int64  `json:"source_config_id"`   // the publisher's: never known
		Agreement     *string `json:"relative_agreement"` // with another source: there is none
	}

	// sweepPart is the same relative to the run's first point.
	sweepPart struct {
		Scenario    string          `json:"scenario"`
		Model       *string         `json:"model"`
		GPU         *string         `json:"gpu"`
		Workload    *string         `json:"workload"` // <isl>:<osl>
		Label       *string         `json:"label"`
		Framework   *string         `json:"framework"`
		Precision   *string         `json:"precision"`
		Serving     *string         `json:"serving"`
		SpecMethod  *string         `json:"spec_method"`
		Parallelism parallelismPart `json:"parallelism"`
		Points      []relativePart  `json:"points"`
	}
	parallelismPart struct {
		TP          *int64 `json:"tp_size"`
		PP          *int64 `json:"pp_size"`
		AttentionDP *int64 `json:"attention_dp_size"`
		MoEEP       *int64 `json:"moe_ep_size"`
		MoETP       *int64 `json:"moe_tp_size"`
	}
	relativePart struct {
		Concurrency int64    `json:"concurrency"`
		TPOT        *float64 `json:"measured_tpot_relative"`
		TTFT        *float64 `json:"measured_ttft_relative"`
		Status      *string  `json:"status"`
	}
)

// curve is µs by concurrency, in the order of the loads: an object whose keys
// are decimal integers.
type curve []struct {
	concurrency int64
	us          float64
}

// MarshalJSON writes the object.
func (c curve) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, at := range c {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '"')
		b = strconv.AppendInt(b, at.concurrency, 10)
		b = append(b, `":`...)
		b = append(b, visible.Number(at.us)...)
	}
	return append(b, '}'), nil
}

// latencies is what the metric scorer takes of a run.
var latencies = needs{formulas: []string{"tpot", "ttft"}, oneOf: []string{"tpot", "ttft"}, each: []string{"tpot", "ttft"}}

func writeAbsolutes(ctx context.Context, r *store.Reader, s *Selection, _ Options, create Create, out *Outcome) error {
	urls := map[string]bool{}
	file := arrayFile{
		head: fmt.Sprintf(`{"source":%q,"release_tag":null,"metrics":"mean tpot and mean ttft, in microseconds","validation":null,"anchors":[`, sourceOf(s)),
		last: "source_url",
		value: func() *string {
			if len(urls) != 1 {
				return nil
			}
			return orNull(slices.Collect(maps.Keys(urls))[0])
		},
	}
	return file.write(ctx, r, s, create, out, func(run *run) ([]any, *sweep, int) {
		sw := newSweep(run, latencies)
		for _, formula := range latencies.formulas {
			sw.drop(formula, "beyond_double", "the value in microseconds is beyond a double", func(l *level) bool {
				return microseconds(l.means[formula], "ms") == nil
			})
		}
		if len(sw.levels) == 0 {
			return nil, sw, 0
		}
		urls[run.address()] = true
		tpot, ttft := sw.curve("tpot"), sw.curve("ttft")
		return []any{anchorPart{
			Scenario: run.scenarioFile(), Label: run.workloadLabel(), Framework: run.framework(), GPU: orNull(run.hardware),
			TPOT: tpot, TTFT: ttft, SourceRunDate: orNull(run.measuredOn),
		}}, sw, len(tpot) + len(ttft)
	})
}

// curve are the means of a formula in µs.
func (s *sweep) curve(formula string) curve {
	c := curve{}
	for i := range s.levels {
		l := &s.levels[i]
		if v := l.means[formula]; v != nil {
			c = append(c, struct {
				concurrency int64
				us          float64
			}{*l.Concurrency, *microseconds(v, "ms")})
		}
	}
	return c
}

func writeCorpus(ctx context.Context, r *store.Reader, s *Selection, _ Options, create Create, out *Outcome) error {
	kinds := map[string]bool{}
	file := arrayFile{
		head: fmt.Sprintf(`{"source":%q,"sweeps":[`, sourceOf(s)), last: "measurement_source",
		value: func() *string { return orNull(strings.Join(slices.Sorted(maps.Keys(kinds)), ", ")) },
	}
	return file.write(ctx, r, s, create, out, func(run *run) ([]any, *sweep, int) {
		sw := newSweep(run, latencies)
		for _, formula := range latencies.formulas {
			sw.drop(formula, "no_anchor", "the run's first point has no value above 0 of the metric, to which the others could be relative", func(l *level) bool {
				v := l.means[formula]
				return ratio(v.inUnit, run.anchor(v.Metric)) == nil
			})
		}
		if len(sw.levels) == 0 {
			return nil, sw, 0
		}
		kinds[run.doc.Source.Kind] = true
		if run.lengths() == nil {
			sw.leavePoints(run.pointIDs(), "no_lengths", "the lengths of the workload are not stated: workload is null")
			sw.sort()
		}
		part := sweepPart{
			Scenario: run.scenarioFile(), Model: orNull(run.doc.Model), GPU: orNull(run.hardware), Workload: run.lengths(), Label: run.workloadLabel(),
			Framework: run.framework(), Precision: orNull(run.statedConfig.precision), Serving: run.serving(), SpecMethod: run.specMethod(),
			Parallelism: run.parallelism(), Points: []relativePart{},
		}
		values := 0
		for i := range sw.levels {
			l := &sw.levels[i]
			part.Points = append(part.Points, relativePart{*l.Concurrency, sw.relative(l, "tpot"), sw.relative(l, "ttft"), run.status(l.point)})
			values += len(l.means)
		}
		return []any{part}, sw, values
	})
}

// relative is the mean of a formula divided by that of the run's first point.
func (s *sweep) relative(l *level, formula string) *float64 {
	v := l.means[formula]
	if v == nil {
		return nil
	}
	return ratio(v.inUnit, s.run.anchor(v.Metric))
}

// arrayFile is a JSON document whose only long member is an array. It is
// written as it comes: the member that depends on all runs stands last.
type arrayFile struct {
	head  string         // up to the bracket that opens the array
	last  string         // the member behind the array, "" for a document that is the array alone
	value func() *string // of the last member
}

// write writes the document with the elements that each returns for the runs,
// one on a line. each returns also the sweep that they were made of and how
// many measured values they hold.
func (f *arrayFile) write(ctx context.Context, r *store.Reader, s *Selection, create Create, out *Outcome,
	each func(*run) (elements []any, sw *sweep, values int)) error {
	e := newEncoder()
	separator := "\n"
	return writeFile(create, "", func(w io.Writer) error {
		if _, err := io.WriteString(w, f.head); err != nil {
			return err
		}
		err := readRuns(ctx, r, s.Runs, sweepTables(), func(run *run) error {
			elements, sw, values := each(run)
			out.leave(run.doc.Name, sw.unexpressed, len(elements) > 0)
			if len(elements) == 0 {
				return nil
			}
			out.hold(len(sw.levels), values)
			for _, element := range elements {
				text, err := e.text(element)
				if err != nil {
					return fmt.Errorf("export %s: %w", run.doc.Name, err)
				}
				if _, err := w.Write(append([]byte(separator), text...)); err != nil {
					return err
				}
				separator = ",\n"
			}
			return nil
		})
		if err != nil {
			return err
		}
		return f.close(w, e)
	})
}

// close writes what stands behind the elements.
func (f *arrayFile) close(w io.Writer, e *encoder) error {
	tail := "\n]\n"
	if f.last != "" {
		value, err := e.text(f.value())
		if err != nil {
			return err
		}
		tail = "\n],\"" + f.last + "\":" + string(value) + "}\n"
	}
	_, err := io.WriteString(w, tail)
	return err
}

// sourceOf names where a file comes from, the tier included.
func sourceOf(s *Selection) string {
	source := "blis-warehouse, runs for " + string(s.Request.Purpose)
	if s.Request.Purpose == Scoring {
		source += ", tier " + string(s.Request.Tier)
	}
	return source
}

// scenarioFile is the file that the format scenario writes for the run.
func (r *run) scenarioFile() string { return r.doc.Name + ".yaml" }

// address is where the run's report is: the URL of the first input that is a
// report, else its path; for InferenceX the address of the GitHub run.
func (r *run) address() string {
	for i := range r.doc.Source.Inputs {
		if in := &r.doc.Source.Inputs[i]; in.Role == "report" {
			if in.URL != "" {
				return in.URL
			}
			return in.Path
		}
	}
	return r.statedConfig.runURL
}

// framework is the serving framework, nil where nothing names it.
func (r *run) framework() *string {
	if r.statedConfig.framework != "" {
		return &r.statedConfig.framework
	}
	return orNull(r.engine)
}

// workloadLengths are the input and output length of the workload in tokens:
// those the run states, else those that it served where they are whole and the
// same at every point.
func (r *run) workloadLengths() (isl, osl int64, ok bool) {
	if r.isl != nil && r.osl != nil {
		return *r.isl, *r.osl, true
	}
	for i := range r.points {
		in, out := whole(r.points[i].MeanISL), whole(r.points[i].MeanOSL)
		if in == nil || out == nil || i > 0 && (*in != isl || *out != osl) {
			return 0, 0, false
		}
		isl, osl = *in, *out
	}
	return isl, osl, len(r.points) > 0
}

// whole is a number that is an integer of at least 1, nil for any other.
func whole(x *float64) *int64 {
	n := count(x)
	if n == nil || *n < 1 {
		return nil
	}
	return n
}

// lengths is <isl>:<osl>, nil where the lengths are not known.
func (r *run) lengths() *string {
	isl, osl, ok := r.workloadLengths()
	if !ok {
		return nil
	}
	text := fmt.Sprintf("%d:%d", isl, osl)
	return &text
}

// pointIDs are the ids of all points.
func (r *run) pointIDs() []string {
	ids := make([]string, len(r.points))
	for i := range r.points {
		ids[i] = r.points[i].ID
	}
	return ids
}

// workloadLabel is a short name of the workload: 1k1k for lengths in whole
// multiples of 1,024, else the shape's name, else nil.
func (r *run) workloadLabel() *string {
	if isl, osl, ok := r.workloadLengths(); ok && isl%1024 == 0 && osl%1024 == 0 {
		text := fmt.Sprintf("%dk%dk", isl/1024, osl/1024)
		return &text
	}
	if r.doc.Workload != nil {
		return orNull(r.doc.Workload.Shape)
	}
	return nil
}

// serving is disaggregated where prefill or decode has a pool of its own,
// aggregated where all pools do both, nil where no pool is known.
func (r *run) serving() *string {
	var roles []string
	if d := r.doc.Deployment; d != nil {
		for i := range d.Pools {
			roles = append(roles, d.Pools[i].Role)
		}
	}
	for i := range r.statedPools {
		roles = append(roles, r.statedPools[i].role)
	}
	serving := "aggregated"
	switch {
	case len(roles) == 0:
		return nil
	case slices.ContainsFunc(roles, func(role string) bool { return role != "colocated" }):
		serving = "disaggregated"
	}
	return &serving
}

// specMethod is the method of speculative decoding: none for a deployment that
// states none, for no engine speculates by default; nil where no deployment is
// stated or its pools differ.
func (r *run) specMethod() *string {
	d := r.doc.Deployment
	if d == nil {
		return orNull(r.statedConfig.specMethod)
	}
	var method string
	for i := range d.Pools {
		of := "none"
		for _, s := range d.Pools[i].Settings {
			if s.Name == "speculative.method" {
				of = fmt.Sprint(s.Value)
			}
		}
		if i > 0 && of != method {
			return nil
		}
		method = of
	}
	return &method
}

// parallelism is the layout of the only pool. With several pools there is no
// one layout, and all is nil.
func (r *run) parallelism() parallelismPart {
	if d := r.doc.Deployment; d != nil && len(d.Pools) == 1 {
		return poolParallelism(&d.Pools[0].Parallel)
	}
	if len(r.statedPools) != 1 {
		return parallelismPart{}
	}
	p := &r.statedPools[0]
	part := parallelismPart{TP: p.tp, PP: p.pp, MoEEP: p.ep}
	if p.dpAttention != nil && !*p.dpAttention {
		one := int64(1)
		part.AttentionDP = &one
	}
	return part
}

// poolParallelism is the layout of a pool. moe_tp_size is known where expert
// parallelism takes all ranks, and where the ranks are those of one replica.
func poolParallelism(l *record.Parallel) parallelismPart {
	part := parallelismPart{TP: &l.TP, PP: &l.PP, AttentionDP: &l.DP, MoEEP: expertParallelWidth(l)}
	one := int64(1)
	switch {
	case l.EnableExpertParallel != nil && *l.EnableExpertParallel:
		part.MoETP = &one
	case l.DP == 1 && (l.PCP == nil || *l.PCP <= 1):
		part.MoETP = &l.TP
	}
	return part
}

// status is success where requests are known to have completed: a point says
// how many, and rows of InferenceX without a successful request are no points.
func (r *run) status(p *point) *string {
	if r.origin != "inferencex" && (p.Completed == nil || *p.Completed < 1) {
		return nil
	}
	success := "success"
	return &success
}
