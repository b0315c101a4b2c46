package loader

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
)

// readStdin reads standard input once and returns it so that it can be read as
// often as a load needs, with what it holds. The end of ctx ends the wait for it.
// Memory does not grow with it: of a document no more is read than tells that it is too large,
// and a capture that is longer than its head is kept in a file without a name.
func readStdin(ctx context.Context, r io.Reader, maxDocument int64) (in io.ReadSeeker, kind sourceKind, closer func(), err error) {
	type input struct {
		in     io.ReadSeeker
		kind   sourceKind
		closer func()
		err    error
	}
	read := make(chan input, 1)
	go func() {
		var i input
		i.in, i.kind, i.closer, i.err = keepStdin(untilDone{ctx, r}, maxDocument)
		read <- i
	}()
	select {
	case <-ctx.Done():
		return nil, 0, nil, ctx.Err()
	case i := <-read:
		if i.err != nil {
			return nil, 0, nil, fmt.Errorf("read standard input: %w", i.err)
		}
		return i.in, i.kind, i.closer, nil
	}
}

func keepStdin(r io.Reader, maxDocument int64) (in io.ReadSeeker, kind sourceKind, closer func(), err error) {
	head, err := io.ReadAll(io.LimitReader(r, sniffBytes))
	if err != nil {
		return nil, 0, nil, err
	}
	kind, _, err = sniff(bytes.NewReader(head), "-")
	switch {
	case err != nil:
		return nil, 0, nil, err
	case len(head) < sniffBytes:
		return bytes.NewReader(head), kind, func() {}, nil
	case kind == yamlDocument:
		rest, err := io.ReadAll(io.LimitReader(r, max(0, maxDocument+1-int64(len(head)))))
		return bytes.NewReader(append(head, rest...)), kind, func() {}, err
	}
	f, err := os.CreateTemp("", "blis-warehouse-")
	if err != nil {
		return nil, 0, nil, err
	}
	os.Remove(f.Name()) // where a file in use can be removed; else the closer does
	closer = func() {
		f.Close()
		os.Remove(f.Name())
	}
	if _, err = io.Copy(f, io.MultiReader(bytes.NewReader(head), r)); err != nil {
		closer()
		return nil, 0, nil, err
	}
	return f, kind, closer, nil
}

// setKind says what the source at path holds.
func (g *gathered) setKind(path string, kind sourceKind) {
	for i := range g.sources {
		if g.sources[i].path == path {
			g.sources[i].kind = kind
		}
	}
}
