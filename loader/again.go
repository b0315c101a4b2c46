package loader

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/inference-sim/blis-warehouse/loader/catalog"
	"github.com/inference-sim/blis-warehouse/loader/inferencex"
	"github.com/inference-sim/blis-warehouse/store"
)

// Loading again, in the same order, what was loaded last changes nothing, since
// a load that is repeated changes nothing. So where the captures of a command
// are the last ones of the ledger, byte for byte and one by one, they are not
// read. Anything else that was loaded since may have revised their values, which
// they then have to revise again: it has to be all of them, and the last. Nor may
// they contradict each other, for then reading them is a revision each time.

// A run document is known by its bytes alone: it is unchanged wherever its run
// is in effect, whatever else was loaded.

// knownRuns returns the runs whose documents need not be read, none where another
// program loaded them, which may read them otherwise.
func (l *loading) knownRuns(documents int) (map[string]store.KnownRun, error) {
	if !l.opts.Again || l.rowsUnstored || documents == 0 {
		return nil, nil
	}
	return l.store.KnownRuns(l.opts.Tool)
}

// reportKnown reports a known document that lies where it may, whose run is in
// effect, and whose name no other document of the command claims. Of any
// other, done is false.
func (l *loading) reportKnown(s source, p *parsed) (done bool, err error) {
	k := p.known
	if s.place.misplaced != "" || s.place.inCatalog && (k.Name != s.place.name || k.Licence != s.place.licence) {
		return false, nil
	}
	if first, ok := l.names[k.Name]; l.taken[k.Name] || ok && first != p.sha256 {
		return false, nil
	}
	as := l.admission(s)
	if stored, err := l.store.Stored(k.Name, p.sha256, as); !stored || err != nil {
		return false, err
	}
	l.names[k.Name] = p.sha256
	d := &Document{File: s.printed, Kind: catalog.KindRun, Name: k.Name, Valid: true, Status: store.Unchanged, SHA256: p.sha256, Size: p.size, unread: true}
	d.reading.As = as
	l.report(d)
	return true, nil
}

// storedLast returns what the ledger has of the captures, nil where any of them
// has to be read: where they are not those that were loaded last, where one was
// not stored whole or something was the matter with it, where one may have
// changed what another said, or where another program did it, which may read
// them otherwise.
func (l *loading) storedLast(captures []source) ([]store.RecordedCapture, error) {
	if !l.opts.Again || l.opts.Strict || l.rowsUnstored || len(captures) == 0 {
		return nil, nil
	}
	last, err := l.store.LastCaptures(len(captures))
	if err != nil || len(last) < len(captures) {
		return nil, err
	}
	for i, s := range captures {
		if !l.mayBe(s, &last[i]) || i > 0 && !leftAlone(s, &last[0], &last[i]) {
			return nil, nil
		}
	}
	for i, s := range captures {
		digest, err := l.digestOf(s)
		if err != nil || digest != last[i].SHA256 {
			return nil, err
		}
	}
	return last, nil
}

// leftAlone tells whether a capture changed nothing that was recorded of those
// before it, of which first is the first: their values, and how many of their
// points are flagged, which is counted at a load's end.
func leftAlone(s source, first, c *store.RecordedCapture) bool {
	if c.Status == store.Unchanged {
		return true
	}
	// What a dump revises in its other tables is not counted.
	return c.Load == first.Load && c.Rows.Revised == 0 && s.kind != dump
}

// mayBe tells whether a source can be what the ledger has, as far as it can be
// told without reading it.
func (l *loading) mayBe(s source, c *store.RecordedCapture) bool {
	if s.captured != nil && s.captured.SHA256 != c.SHA256 { // what it is from has to be doubted
		return false
	}
	if !c.Whole || c.Tool != l.opts.Tool || c.ArtifactGroup != s.group || c.Operation != s.operation || path.Base(filepath.ToSlash(c.Path)) != path.Base(filepath.ToSlash(s.printed)) {
		return false
	}
	if s.kind == dump || s.path == "-" {
		return true
	}
	info, err := os.Stat(s.path)
	return err == nil && info.Size() == c.Size
}

// digestOf is the digest of a capture's bytes as a load records it. It is ""
// where they cannot be read: reading them says why.
func (l *loading) digestOf(s source) (string, error) {
	if s.kind == dump {
		folder := steadyFolder{l.inputs, s.path}
		d := &Document{File: s.printed}
		err := digestFiles(d, folder, inferencex.DumpFiles(folder))
		return d.SHA256, notThere(err)
	}
	r, done, err := l.open(s)
	if err != nil {
		return "", notThere(err)
	}
	digest := &digester{h: sha256.New()}
	_, err = io.Copy(digest, untilDone{l.ctx, r})
	if err := errors.Join(err, done()); err != nil {
		return "", fmt.Errorf("read %s: %w", s.printed, err)
	}
	return digest.sum(), nil
}

func notThere(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// reportStored reports captures that were not read. Their rows are as they were;
// their licence, which a registry may have withdrawn since, is in effect again.
func (l *loading) reportStored(captures []source, recorded []store.RecordedCapture) error {
	if err := l.store.EnsureLicence(&inferenceXLicence); err != nil {
		return err
	}
	for i, s := range captures {
		c := &recorded[i]
		drifts, err := l.store.Drift(c.SHA256)
		if err != nil {
			return err
		}
		d := &Document{File: s.printed, Kind: KindCapture, Valid: true, Status: store.Unchanged, SHA256: c.SHA256, Size: c.Size, unread: true}
		d.reading.ArtifactGroup, d.reading.Operation = s.group, s.operation
		r := c.Rows
		d.Rows = store.CaptureRows{Unchanged: r.Added + r.Updated + r.Unchanged, Failed: r.Failed, Flagged: r.Flagged}
		for _, drift := range drifts {
			d.Drift = append(d.Drift, inferencex.Drift(drift))
		}
		l.report(d)
	}
	return nil
}
