package loader

import (
	"fmt"
	"testing"

	"github.com/inference-sim/blis-warehouse/store"
)

// TestPipe puts rows of runs of several lengths through a pipe: all arrive once
// and in order, no batch is larger than it may be, and only a run that is longer
// than what a batch takes of it is in two.
func TestPipe(t *testing.T) {
	for _, length := range []int{1, 7, 12, rowsOfRun, rowsOfRun + 1, rowsTogether + rowsOfRun + 1, 2 * rowsTogether} {
		const rows = 5000
		p := newPipe()
		go func() {
			defer p.end()
			for i := range rows {
				row := p.newRow()
				row.Position = i + 1
				if err := p.put(arrival{row: row, run: store.InferenceXRun{Name: fmt.Sprint(i / length)}}); err != nil {
					t.Error(err)
					return
				}
			}
		}()
		next, parted, last := 1, 0, ""
		err := p.take(func(b *batch) error {
			if len(b.arrivals) > rowsTogether+rowsOfRun {
				return fmt.Errorf("a batch has %d rows", len(b.arrivals))
			}
			for i := range b.arrivals {
				a := &b.arrivals[i]
				if a.row.Position != next {
					return fmt.Errorf("row %d arrives where %d is next", a.row.Position, next)
				}
				if i == 0 && a.run.Name == last {
					parted++
				}
				next, last = next+1, a.run.Name
			}
			return nil
		})
		if err != nil {
			t.Errorf("runs of %d rows: %v", length, err)
		}
		if next != rows+1 {
			t.Errorf("runs of %d rows: %d rows arrived of %d", length, next-1, rows)
		}
		if whole := length <= rowsOfRun+1; whole != (parted == 0) {
			t.Errorf("runs of %d rows: %d are in two batches", length, parted)
		}
	}
}
