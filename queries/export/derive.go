package export

import (
	"math"
	"slices"
	"strings"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// expertParallelWidth is the width that a pool's experts are spread over:
// tp × max(pcp, 1) × dp where expert parallelism is enabled, else 1. It is nil
// where the product is beyond 64 bits.
func expertParallelWidth(p *record.Parallel) *int64 {
	width := int64(1)
	if p.EnableExpertParallel == nil || !*p.EnableExpertParallel {
		return &width
	}
	pcp := int64(1)
	if p.PCP != nil {
		pcp = max(*p.PCP, 1)
	}
	for _, factor := range []int64{p.TP, pcp, p.DP} {
		if factor < 1 || width > math.MaxInt64/factor {
			return nil
		}
		width *= factor
	}
	return &width
}

// shifted is x × 10^places, decimally exact, nil where that is beyond a double.
func shifted(x float64, places int) *float64 {
	y, ok := record.ShiftDecimal(x, places)
	if !ok {
		return nil
	}
	return &y
}

// microseconds is a latency in µs, nil for a metric that is not in ms. Where the
// publisher reports seconds (scale 1000) it comes from the reported value, not
// from its rounded product.
func microseconds(v *value, unit string) *float64 {
	switch {
	case unit != "ms":
		return nil
	case v.scale == 1000:
		return shifted(v.Value.Value, 6)
	}
	return shifted(v.inUnit, 3)
}

// ratio is a value divided by the anchor's value of the same metric, nil where
// the anchor has none (nil), where it is 0, or where the quotient is beyond a
// double.
func ratio(v float64, anchor *float64) *float64 {
	if anchor == nil || *anchor == 0 {
		return nil
	}
	q := v / *anchor
	if math.IsInf(q, 0) {
		return nil
	}
	return &q
}

// rowID is the stable name by which a row can be cited: <run>/<point>/<metric>.
// A slash or percent sign in a point's id or a metric's name is written as in a
// URL, so that no two rows share an id.
func rowID(run, point, metric string) string {
	return run + "/" + idEscape.Replace(point) + "/" + idEscape.Replace(metric)
}

var idEscape = strings.NewReplacer("%", "%25", "/", "%2F")

// settingValue is an engine setting as its document states it: the warehouse
// keeps booleans as 0 and 1.
func settingValue(name string, stored any) any {
	if n, ok := stored.(int64); ok && slices.Contains(record.BooleanSettings, name) {
		return n != 0
	}
	return stored
}
