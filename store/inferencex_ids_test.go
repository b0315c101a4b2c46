package store

import (
	"fmt"
	"slices"
	"testing"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// TestIDsOfManyRows holds that what more ids mean than one statement stores is kept
// once, in whatever order they come, that a capture which is known or not saved leaves
// nothing, and that check finds a change.
func TestIDsOfManyRows(t *testing.T) {
	const n = idsTogether + 5
	rows := func(l *Load, step int64) {
		for i := range int64(n) {
			id := i * step % n // each once, for n is odd and step a power of 2
			must(t, l.noteID(&record.InferenceXRow{ID: &id}, id%1000))
		}
		id := int64(7)
		must(t, l.noteID(&record.InferenceXRow{ID: &id}, 7)) // again
		must(t, l.noteID(&record.InferenceXRow{ID: &id}, 0)) // and as a row that was set aside
		must(t, l.noteID(&record.InferenceXRow{ID: &id, ArtifactDigest: "x"}, 8))
		must(t, l.noteID(&record.InferenceXRow{}, 9))
	}
	w := newWarehouse(t)
	w.load(func(l *Load) {
		l.inferencex = &inferencexState{}
		defer func() { l.inferencex = nil }()
		for _, c := range []struct {
			sha256 string
			step   int64
		}{{"a", 1}, {"a", 1}, {"b", 8}, {"", 2}, {"c", 1}} {
			must(t, l.forgetIDs())
			rows(l, c.step)
			if c.sha256 != "" { // a capture that breaks off is not saved
				must(t, l.SaveIDs(c.sha256))
			}
		}
		must(t, l.forgetIDs())
	})
	got := w.rows(`SELECT c.sha256 || ' ' || c.ids || ' ' || count(*) || ' ' || count(DISTINCT i.id) || ' ' || sum(i.point_id = i.id % 1000) FROM inferencex_id_captures c JOIN inferencex_ids i USING (capture_id) GROUP BY c.sha256 ORDER BY c.sha256`)
	all := fmt.Sprintf(" %d %d %d %d", n+1, n+1, n, n)
	if want := []string{"a" + all, "b" + all, "c" + all}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if digests := w.rows(`SELECT DISTINCT digest FROM inferencex_table_digests WHERE table_name = 'inferencex_ids'`); len(digests) != 1 {
		t.Errorf("the same ids have the digests %q", digests)
	}
	for _, change := range []string{"UPDATE inferencex_ids SET point_id = 1001 WHERE id = 99 AND capture_id = 2", "DELETE FROM inferencex_ids WHERE capture_id = 3", "UPDATE inferencex_id_captures SET ids = 1 WHERE sha256 = 'a'"} {
		before, err := CheckDerived(t.Context(), w.path)
		must(t, err)
		w.exec(change)
		after, err := CheckDerived(t.Context(), w.path)
		must(t, err)
		if len(after) != len(before)+1 {
			t.Errorf("%s: %v", change, after)
		}
	}
}
