package catalog

import (
	"math"
	"testing"
)

// TestRanksFit holds the placement to the vectors of the embedded blocks.
func TestRanksFit(t *testing.T) {
	const unset = 0
	for _, c := range []struct {
		tp, pp, dp, pcp, local int64
		nodes, gpus            int64
		want                   placement
	}{
		{8, 1, 1, 4, unset, 1, 8, tooManyRanks},
		{8, 1, 1, unset, unset, 1, 8, fits},
		{4, 4, 1, unset, unset, 1, 8, tooManyRanks},
		{8, 2, 1, unset, unset, 2, 8, fits},
		{8, 2, 1, unset, unset, 1, 8, tooManyRanks},
		{1, 1, 8, unset, 8, 36, 8, fits},
		{4, 1, 4, unset, 4, 2, 8, localTooWide},
		{4, 1, 4, unset, 2, 2, 8, fits},
		{4, 1, 2, unset, 2, 2, 4, localTooWide},
		{8, 2, 1, unset, 1, 2, 8, fits},
		{16, 1, 4, unset, 2, 1, 8, tooManyRanks},
		{6, 1, 2, unset, 2, 3, 8, fits},
		{6, 1, 2, unset, 2, 2, 8, noSplit},
		{12, 1, 2, unset, 1, 3, 8, noSplit},
		{12, 1, 2, unset, 1, 4, 8, fits},
		{9, 1, 1, unset, 1, 2, 8, noSplit},
		{9, 1, 1, unset, 1, 3, 8, fits},
		{16, 1, 4, unset, 2, 8, 8, localTooWide},
		{2, 1, 16, unset, 4, 4, 8, fits},
		{4, 1, 4, unset, unset, 2, 8, fits},
		{1, 1, 32, unset, 8, 4, 8, fits},
		{1, 1, 4, 8, 1, 4, 8, fits},
		// Beyond the vectors: products that overflow, and a search without end.
		{1 << 32, 1 << 32, 1, unset, unset, 1, 8, tooManyRanks},
		{8, 1, math.MaxInt64 / 4, unset, unset, 1, 8, tooManyRanks},
		{math.MaxInt64, math.MaxInt64, math.MaxInt64, math.MaxInt64, 1, math.MaxInt64, math.MaxInt64, tooManyRanks},
		{math.MaxInt64, 1, math.MaxInt64, unset, unset, math.MaxInt64, math.MaxInt64, fits},
		{1 << 40, 1 << 40, 1, unset, 1, math.MaxInt64, math.MaxInt64, undecided},
		{4611686018427387847, 1, 1, unset, 1, 1 << 62, 8, undecided}, // a prime
		{1, 1, 4, unset, 8, 1, 8, fits},                              // dp_local above dp is reported elsewhere
	} {
		r := ranks{TP: c.tp, PP: c.pp, DP: c.dp, PCP: c.pcp, DPLocal: c.local}
		if got := r.fit(c.nodes, c.gpus); got != c.want {
			t.Errorf("%+v on %d×%d: %d, want %d", r, c.nodes, c.gpus, got, c.want)
		}
	}
}

func TestDCPAllowed(t *testing.T) {
	for _, c := range []struct {
		tp, pcp, dcp int64
		want         bool
	}{
		{8, 0, 3, false}, {8, 0, 16, false}, {8, 0, 4, true}, {8, 1, 2, true}, {4, 0, 0, true},
		{4, 2, 0, true}, {4, 2, 1, true}, {4, 2, 2, true}, {4, 2, 8, true}, {4, 2, 3, false}, {4, 2, 4, false},
		{math.MaxInt64, 2, math.MaxInt64 - 1, false},
	} {
		if got := dcpAllowed(c.tp, c.pcp, c.dcp) == ""; got != c.want {
			t.Errorf("tp %d pcp %d dcp %d: %v", c.tp, c.pcp, c.dcp, got)
		}
	}
}
