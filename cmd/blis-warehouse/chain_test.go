package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/inference-sim/blis-warehouse/queries/lineage"
	"github.com/inference-sim/blis-warehouse/store"
)

// Of a long chain the oldest, the newest and those around the run that was
// asked for are drawn, and the others counted.
func TestLongChainIsCut(t *testing.T) {
	chain := &lineage.Chain{}
	for i := range 1000 {
		chain.Places = append(chain.Places, lineage.Place{Member: &lineage.Member{Name: fmt.Sprint("r", i)}, Number: i, Last: i == 999})
	}
	places := shownPlaces(chain, "r500", false)
	var b strings.Builder
	d := &drawing{w: &b, chain: chain}
	for i := range places {
		d.gap(&places[i])
		d.place(&places[i], lineage.Worth{}, nil)
	}
	if n := oldestShown + newestShown + 2*aroundShown + 1; len(places) != n || strings.Count(b.String(), "●") != n {
		t.Errorf("%d of %d places are drawn\n%s", len(places), n, &b)
	}
	for _, want := range []string{"┆ ... 492 more runs (--all)", "┆ ... 481 more runs (--all)", "● r0 ", "● r497 ", "● r503 ", "● r999 "} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, &b)
		}
	}
	if all := shownPlaces(chain, "r500", true); len(all) != 1000 {
		t.Errorf("with --all %d places are drawn", len(all))
	}
}

func TestChangeLines(t *testing.T) {
	var changes []lineage.Change
	for i := range 20 {
		changes = append(changes, lineage.Change{Kind: lineage.KindField, Path: fmt.Sprintf("client.command[%d]", i), Before: "a", After: "b\x1b[31m"})
	}
	changes = append(changes,
		lineage.Change{Kind: lineage.KindPoint, Path: "points[c1]", Before: "concurrency 1"},
		lineage.Change{Kind: lineage.KindPoint, Path: "points[c2]", After: "concurrency 2"},
		lineage.Change{Kind: lineage.KindValue, Path: "points[c4].metrics.m.value", Before: 3.0, After: 1.0, Unit: "ms"},
		lineage.Change{Kind: lineage.KindValue, Path: "points[c8].metrics.m.value", Before: 0.0, After: 1.0, Unit: "ms"},
		lineage.Change{Kind: lineage.KindValue, Path: "points[c8].metrics.n.value", After: 2.0, Unit: "ms"},
		lineage.Change{Kind: lineage.KindValue, Path: "points[c8].metrics.ttft_ms.value", Before: 2.0},
	)
	lines := changeLines(changes, false)
	want := []string{"20 fields, +1 point, -1 point, 4 values"}
	for i := range changesShown {
		want = append(want, fmt.Sprintf(`  client.command[%d]: a → b\x1b[31m`, i))
	}
	want = append(want, "  ... and 12 more (--all)", "  - points[c1]: concurrency 1", "  + points[c2]: concurrency 2",
		"  points[c4].metrics.m.value: 3 → 1 ms (× 0.3333)", "  points[c8].metrics.m.value: 0 → 1 ms",
		"  + points[c8].metrics.n.value: 2 ms", "  - points[c8].metrics.ttft_ms.value: 2")
	if !slices.Equal(lines, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
	if all := changeLines(changes, true); len(all) != 27 {
		t.Errorf("with --all there are %d lines", len(all))
	}
	if none := changeLines(nil, false); !slices.Equal(none, []string{"nothing changed"}) {
		t.Errorf("no change is %q", none)
	}
}

func TestWorthText(t *testing.T) {
	loaded := &lineage.Place{Member: &lineage.Member{Name: "a", Loaded: true}}
	blocked := lineage.Worth{Verdict: store.Verdict{Verdict: "NOT_REPRODUCIBLE"}, BlockedBy: "licence"}
	if got, want := worthText(loaded, blocked), "NOT_REPRODUCIBLE, no licence, not scorable: licence"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	scorable := lineage.Worth{Verdict: store.Verdict{Verdict: "EXACT", Resolution: "STRICT"}, Licence: "open\x1b", Scorable: true}
	if got, want := worthText(loaded, scorable), `EXACT (STRICT), licence open\x1b, scorable`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
