package loader

import (
	"errors"

	"github.com/inference-sim/blis-warehouse/loader/inferencex"
	"github.com/inference-sim/blis-warehouse/store"
	"github.com/inference-sim/blis-warehouse/store/record"
)

// A pipe hands what one goroutine reads of a capture to the one that stores
// it, in batches whose memory is used again: reading and storing take turns
// on no processor, and memory does not grow with the capture.
type pipe struct {
	full chan *batch
	free chan *batch
	stop chan struct{} // closed when nothing more is wanted
	to   *batch        // that the reader fills
}

// rowsTogether is how many rows a batch holds: enough that a statement a batch
// costs nothing, and few enough that the batches stay in the processor's cache.
const rowsTogether = 512

// batches are as many as the reader, the channel and the writer hold.
const batches = 3

// batch is what was read of a capture.
type batch struct {
	rows     []record.InferenceXRow
	arrivals []arrival
}

// arrival is one thing that was read of a capture.
type arrival struct {
	row      *record.InferenceXRow
	run      store.InferenceXRun       // of row
	table    record.InferenceXTableRow // a row of a dump that is no benchmark row, where row is nil
	refusal  record.Problem            // why it is refused
	isSecret bool                      // it is refused
}

func newPipe() *pipe {
	p := &pipe{full: make(chan *batch, batches), free: make(chan *batch, batches), stop: make(chan struct{})}
	for range batches {
		p.free <- &batch{rows: make([]record.InferenceXRow, rowsTogether), arrivals: make([]arrival, 0, rowsTogether)}
	}
	p.to = <-p.free
	return p
}

// errStopped ends the reading when nothing more is wanted.
var errStopped = errors.New("stopped")

// newRow is the record that the next row is read into.
func (p *pipe) newRow() *record.InferenceXRow {
	return &p.to.rows[len(p.to.arrivals)]
}

// put adds to the batch and hands it on when it is full.
func (p *pipe) put(a arrival) error {
	p.to.arrivals = append(p.to.arrivals, a)
	if len(p.to.arrivals) < rowsTogether {
		return nil
	}
	p.full <- p.to
	select {
	case p.to = <-p.free:
		return nil
	case <-p.stop:
		return errStopped
	}
}

// end hands on the last batch.
func (p *pipe) end() {
	p.full <- p.to
	close(p.full)
}

// take calls each with the batches, which are used again when it returns.
func (p *pipe) take(each func(*batch) error) error {
	for b := range p.full {
		if err := each(b); err != nil {
			close(p.stop)
			for range p.full { // until the reader ends
			}
			return err
		}
		clear(b.arrivals)
		b.arrivals = b.arrivals[:0]
		p.free <- b
	}
	return nil
}

// outcome of reading a capture.
type readOutcome struct {
	sum inferencex.Summary
	err error
}
