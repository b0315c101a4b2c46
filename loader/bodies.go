package loader

import (
	"crypto/sha256"
	"fmt"
	"io"

	"github.com/inference-sim/blis-warehouse/loader/inferencex"
	"github.com/inference-sim/blis-warehouse/store/record"
)

// loadedBody is a capture of an operation that is no benchmark rows, while it is loaded.
type loadedBody struct {
	sha256    string
	operation string
	known     bool // its rows are stored already
}

// beginBody prepares to store the rows of a body; nil where the source is none. Its rows are
// known by its digest and operation, so that is taken before they are read.
func (l *loading) beginBody(s source) (*loadedBody, error) {
	if s.kind != capture {
		return nil, nil
	}
	r, done, err := l.open(s)
	if err != nil {
		return nil, err
	}
	defer done() // after an error, which says more
	digest := &digester{h: sha256.New()}
	from := io.TeeReader(untilDone{l.ctx, r}, digest)
	kind := inferencex.KindOf(from, s.fileName(), s.operation)
	if !kind.Bodied() {
		return nil, nil
	}
	if _, err := io.Copy(io.Discard, from); err != nil {
		return nil, fmt.Errorf("read %s: %w", s.printed, err)
	}
	if err := done(); err != nil {
		return nil, fmt.Errorf("read %s: %w", s.printed, err)
	}
	b := &loadedBody{sha256: digest.sum(), operation: string(kind)}
	if b.known, err = l.store.HasBody(b.sha256, b.operation); err != nil || b.known || l.rowsUnstored || l.malformed[s.path] {
		return b, err
	}
	return b, l.store.BeginBody(b.sha256, b.operation)
}

// saveBodyRow stores a row of a body that is not stored yet.
func (l *loading) saveBodyRow(row *record.InferenceXBodyRow, b *loadedBody, d *Document) error {
	if b.known {
		d.Rows.Unchanged++
		return nil
	}
	row.SHA256 = b.sha256
	if _, err := l.store.SaveTableRow(row); err != nil {
		return err
	}
	d.Rows.Added++
	return nil
}

// endBody concludes what beginBody began.
func (l *loading) endBody(b *loadedBody, d *Document) error {
	if b == nil || b.known || d.Rows.Added == 0 {
		return nil
	}
	return l.store.EndBody(b.sha256, b.operation, d.Rows.Added)
}
