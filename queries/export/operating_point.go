package export

import (
	"context"

	"github.com/inference-sim/blis-warehouse/store"
)

// operatingPoint is an element of the point scorer's array. Null is what the
// warehouse does not know; the scorer cannot do without itl_ms.
type operatingPoint struct {
	Scenario    string   `json:"scenario"`
	Report      *string  `json:"report"`
	Series      string   `json:"series"`
	Label       *string  `json:"label"`
	Concurrency int64    `json:"concurrency"`
	ITL         *float64 `json:"itl_ms"`
	TTFT        *float64 `json:"ttft_ms"`
	ISL         *float64 `json:"isl"` // realised means, as osl
	OSL         *float64 `json:"osl"`
	KVPercent   *float64 `json:"kv_pct"` // 0 to 100, as hit_pct
	HitPercent  *float64 `json:"hit_pct"`
	Preempted   *int64   `json:"preempted"`
	Running     *float64 `json:"running"` // no run states it, nor waiting
	Waiting     *float64 `json:"waiting"`
	InTPS       *float64 `json:"in_tps"` // tokens per second of the whole deployment, as out_tps
	OutTPS      *float64 `json:"out_tps"`
	E2E         *float64 `json:"e2e_ms"`
}

// operatingMetrics is what describes an operating point.
var operatingMetrics = []string{"itl", "ttft", "e2el", "input_throughput", "output_throughput"}

func writePoints(ctx context.Context, r *store.Reader, s *Selection, _ Options, create Create, out *Outcome) error {
	file := arrayFile{head: "["}
	return file.write(ctx, r, s, create, out, func(run *run) ([]any, *sweep, int) {
		sw := newSweep(run, needs{formulas: operatingMetrics, oneOf: []string{"itl"}})
		var elements []any
		values := 0
		for i := range sw.levels {
			elements = append(elements, run.operatingPoint(&sw.levels[i]))
			values += len(sw.levels[i].means)
		}
		return elements, sw, values
	})
}

func (r *run) operatingPoint(l *level) operatingPoint {
	p := operatingPoint{
		Scenario: r.scenarioFile(), Report: orNull(r.address()), Series: r.doc.Name, Concurrency: *l.Concurrency,
		ITL: l.mean("itl"), TTFT: l.mean("ttft"), ISL: l.MeanISL, OSL: l.MeanOSL,
		KVPercent: percent(l.KVUtilization), HitPercent: percent(l.PrefixHitRate), Preempted: l.Preemptions,
		InTPS: l.mean("input_throughput"), OutTPS: l.mean("output_throughput"), E2E: l.mean("e2el"),
	}
	if r.doc.Deployment != nil {
		p.Label = &r.doc.Deployment.Name
	}
	return p
}

// mean is the mean of a formula in the definition's unit, nil where the point
// has none.
func (l *level) mean(formula string) *float64 {
	if v := l.means[formula]; v != nil {
		return &v.inUnit
	}
	return nil
}

// percent is a fraction as a percentage, decimally exact.
func percent(fraction *float64) *float64 {
	if fraction == nil {
		return nil
	}
	return shifted(*fraction, 2)
}
