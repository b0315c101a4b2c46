package loader

import (
	"errors"
	"unsafe"

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

	ahead record.InferenceXRow // on its way from one batch to the next
}

// rowsTogether is how many rows a batch holds: enough that a statement a batch
// costs nothing, and few enough that the batches stay in the processor's cache.
const rowsTogether = 512

// rowsOfRun is how many rows more a batch takes for its last run: what follows
// from the rows of a run is made once where they are together.
const rowsOfRun = 64

// bytesTogether is what the rows of a batch may take beyond themselves before it
// is handed on: rows are of a few kilobytes, but each may be of 64 MiB.
const bytesTogether = 4 << 20

// batches are as many as the reader, the channel and the writer hold, which has
// one more that is being stored.
const batches = 4

// batch is what was read of a capture.
type batch struct {
	rows     []record.InferenceXRow
	arrivals []arrival
	bytes    int // that the arrivals take beyond themselves
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
		p.free <- &batch{rows: make([]record.InferenceXRow, rowsTogether+rowsOfRun), arrivals: make([]arrival, 0, rowsTogether+rowsOfRun)}
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

// put adds to the batch, which is handed on when it is full.
func (p *pipe) put(a arrival) error {
	if n := len(p.to.arrivals); n >= rowsTogether && !a.sameRun(&p.to.arrivals[n-1]) {
		if a.row != nil { // it was read into this batch, and goes into the next
			p.ahead, *a.row = *a.row, p.ahead
		}
		if err := p.handOn(); err != nil {
			return err
		}
		if a.row != nil {
			a.row = &p.to.rows[0]
			p.ahead, *a.row = *a.row, p.ahead
		}
	}
	p.to.arrivals = append(p.to.arrivals, a)
	p.to.bytes += a.bytes()
	if len(p.to.arrivals) < cap(p.to.arrivals) && p.to.bytes < bytesTogether {
		return nil
	}
	return p.handOn()
}

// handOn hands on the batch and takes another.
func (p *pipe) handOn() error {
	p.full <- p.to
	select {
	case p.to = <-p.free:
		return nil
	case <-p.stop:
		return errStopped
	}
}

// sameRun tells whether two arrivals are rows of one run.
func (a *arrival) sameRun(b *arrival) bool {
	return a.row != nil && b.row != nil && a.run.Name == b.run.Name
}

// end hands on the last batch.
func (p *pipe) end() {
	p.full <- p.to
	close(p.full)
}

// take calls each with the batches. One is used again when each has returned
// for the one after it, for until then its rows are being stored (see store.Load.Flush).
func (p *pipe) take(each func(*batch) error) error {
	var stored *batch
	for b := range p.full {
		if err := each(b); err != nil {
			close(p.stop)
			for range p.full { // until the reader ends
			}
			return err
		}
		if stored != nil {
			stored.empty()
			p.free <- stored
		}
		stored = b
	}
	return nil
}

// empty makes the batch ready for the next rows. Only rows of an ordinary size
// lend their memory to them.
func (b *batch) empty() {
	if b.bytes >= bytesTogether {
		clear(b.rows)
	}
	clear(b.arrivals)
	b.arrivals, b.bytes = b.arrivals[:0], 0
}

// bytes is about what the arrival takes beyond itself. What may be long counts.
func (a *arrival) bytes() int {
	n := 0
	if a.row == nil {
		for _, text := range a.table.Texts() {
			n += len(text)
		}
		return n
	}
	r := a.row
	n += len(r.Extra) + len(r.JSON) + len(r.Workers) + len(r.PowerAudit) + len(r.PowerInvalidReasons) + len(r.Error) + len(r.Image)
	n += cap(r.Other) * int(unsafe.Sizeof(record.InferenceXOther{}))
	for i := range r.Other {
		n += len(r.Other[i].Key) + len(r.Other[i].Text)
	}
	return n
}

// outcome of reading a capture.
type readOutcome struct {
	sum inferencex.Summary
	err error
}
