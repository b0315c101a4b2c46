package loader

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"

	"github.com/inference-sim/blis-warehouse/loader/inferencex"
	"github.com/inference-sim/blis-warehouse/store/record"
)

// loadedBody is a capture of an operation that is no benchmark rows, while it is loaded.
type loadedBody struct {
	sha256 string
	known  bool // its rows are stored already
}

// beginBody prepares to store the rows of a body; nil where the source is none. Its rows are
// known by its digest, so that is taken before they are read.
func (l *loading) beginBody(s source) (*loadedBody, error) {
	if s.kind != capture {
		return nil, nil
	}
	r, done, err := l.open(s)
	if err != nil {
		return nil, err
	}
	defer done() // after an error, which says more
	head := make([]byte, sniffBytes)
	n, err := io.ReadFull(r, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, fmt.Errorf("read %s: %w", s.printed, err)
	}
	kind := bodyKind(head[:n], s.fileName())
	if !kind.Bodied() {
		return nil, nil
	}
	digest := &digester{h: sha256.New()}
	_, err = io.Copy(digest, io.MultiReader(bytes.NewReader(head[:n]), untilDone{l.ctx, r}))
	if err := errors.Join(err, done()); err != nil {
		return nil, fmt.Errorf("read %s: %w", s.printed, err)
	}
	b := &loadedBody{sha256: digest.sum()}
	if b.known, err = l.store.HasBody(b.sha256); err != nil || b.known || l.rowsUnstored || l.malformed[s.path] {
		return b, err
	}
	return b, l.store.BeginBody(b.sha256, string(kind))
}

// bodyKind tells what a file is by its first bytes, decompressed as the reader of captures does.
func bodyKind(head []byte, name string) inferencex.Kind {
	for range 2 {
		if !bytes.HasPrefix(head, []byte{0x1f, 0x8b}) {
			break
		}
		z, err := gzip.NewReader(bytes.NewReader(head))
		if err != nil {
			return ""
		}
		plain := make([]byte, sniffBytes)
		n, _ := io.ReadFull(z, plain) // what follows head is missing: the error says nothing
		head = plain[:n]
	}
	kind, _ := inferencex.Sniff(head, name)
	return kind
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
	return l.store.EndBody(b.sha256, d.Rows.Added)
}
