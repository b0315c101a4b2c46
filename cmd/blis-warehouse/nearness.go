package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/inference-sim/blis-warehouse/store"
)

// nearness is how near two values of a metric are that count as near: as the
// flags --tolerance and --absolute of duplicates say it.
type nearness struct {
	relative, absolute bounds
}

// bounds are figures of one kind: for all metrics, and for single ones.
type bounds struct {
	flag    string
	general *float64 // nil where not given
	metrics map[string]float64
}

// parseNearness reads the values of --tolerance and --absolute.
func parseNearness(tolerances, absolutes []string) (*nearness, error) {
	n := &nearness{bounds{flag: "tolerance"}, bounds{flag: "absolute"}}
	if err := n.relative.parse(tolerances); err != nil {
		return nil, err
	}
	return n, n.absolute.parse(absolutes)
}

// parse reads flags, each X or METRIC=X. A metric's name may hold any character.
func (b *bounds) parse(flags []string) error {
	b.metrics = map[string]float64{}
	for _, flag := range flags {
		metric, text := "", flag
		i := strings.LastIndexByte(flag, '=')
		if i >= 0 {
			metric, text = flag[:i], flag[i+1:]
		}
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || !(x >= 0) || math.IsInf(x, 0) || strings.ContainsAny(text, "xX_") || i == 0 {
			return b.refuse("%s is neither a finite number of at least 0 nor METRIC=NUMBER", quote(flag))
		}
		if i < 0 && b.general != nil {
			return b.refuse("a second figure for all metrics, %s; METRIC=X is for one", quote(flag))
		}
		if _, again := b.metrics[metric]; again {
			return b.refuse("a second figure for %s, %s", quote(metric), quote(text))
		}
		if i < 0 {
			b.general = &x
		} else {
			b.metrics[metric] = x
		}
	}
	return nil
}

func (b *bounds) refuse(format string, args ...any) error {
	return &usageError{message: "--" + b.flag + ": " + fmt.Sprintf(format, args...), command: "duplicates"}
}

// checkMetrics refuses metrics that no run in the warehouse has.
func (n *nearness) checkMetrics(ctx context.Context, r *store.Reader) error {
	if len(n.relative.metrics)+len(n.absolute.metrics) == 0 {
		return nil
	}
	known, err := runNamed(ctx, r, "metric-names", nil)
	if err != nil {
		return err
	}
	var names []string
	for _, row := range known.rows {
		names = append(names, known.text(row, "metric"), known.text(row, "identity"))
	}
	slices.Sort(names)
	names = slices.Compact(names)
	for _, b := range []*bounds{&n.relative, &n.absolute} {
		for _, metric := range slices.Sorted(maps.Keys(b.metrics)) {
			if _, ok := slices.BinarySearch(names, metric); !ok {
				return b.refuse("no run has a metric %s%s", quote(metric), didYouMean(metric, names))
			}
		}
	}
	return nil
}

// params are the parameters of the query near-duplicates: pairs of contents, or of runs.
func (n *nearness) params(contents bool) map[string]any {
	params := map[string]any{"tolerance": nil, "absolute": nil, "tolerances": n.relative.object(), "absolutes": n.absolute.object(), "contents": int64(0)}
	if n.relative.general != nil {
		params["tolerance"] = *n.relative.general
	}
	if n.absolute.general != nil {
		params["absolute"] = *n.absolute.general
	}
	if contents {
		params["contents"] = int64(1)
	}
	return params
}

// object is the figures of single metrics as a JSON object, nil for none.
func (b *bounds) object() any {
	if len(b.metrics) == 0 {
		return nil
	}
	text, err := json.Marshal(b.metrics) // finite numbers by text: it cannot fail
	if err != nil {
		panic(err)
	}
	return string(text)
}

// String says what is near, such as "within 0.01, or 5 in the metric's unit; within ttft_p50 0.02".
func (n *nearness) String() string {
	general := 0.01
	if n.relative.general != nil {
		general = *n.relative.general
	}
	var b strings.Builder
	fmt.Fprintf(&b, "within %g", general)
	if n.absolute.general != nil {
		fmt.Fprintf(&b, " or %g in the metric's unit", *n.absolute.general)
	}
	for _, kind := range []struct {
		of   map[string]float64
		word string
	}{{n.relative.metrics, "relative"}, {n.absolute.metrics, "absolute"}} {
		for _, metric := range slices.Sorted(maps.Keys(kind.of)) {
			fmt.Fprintf(&b, ", %s %s %g", metric, kind.word, kind.of[metric])
		}
	}
	return b.String()
}
