package loader

import (
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/inference-sim/blis-warehouse/loader/catalog"
	"github.com/inference-sim/blis-warehouse/store"
)

// foundFile is a file, or the folder of a dump, that has a digest that was looked for.
type foundFile struct {
	path string
	kind sourceKind
}

// read returns the bytes of the file if they still have the digest.
func (f foundFile) read(digest string) ([]byte, error) {
	file, err := openFile("", f.path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	content, err := io.ReadAll(file)
	if err == nil && digestOf(content) != digest {
		err = fmt.Errorf("read %s: it has changed since it was found", f.path)
	}
	return content, err
}

// search looks below the given paths for the captures that the ledger names,
// and for documents whose bytes are damaged. Only files of a size that is
// looked for are read.
func (r *rebuilding) search() error {
	s := &search{wanted: map[string]bool{}, sizes: map[int64]bool{}, found: map[string]foundFile{}, ctxErr: r.ctx.Err}
	err := r.old.RecordedCaptures(r.ctx, func(sha256 string, size int64) {
		s.wanted[sha256], s.sizes[size] = true, true
	})
	if err == nil {
		err = r.damaged(s)
	}
	if err != nil {
		return err
	}
	for _, p := range r.opts.Paths {
		if !filepath.IsAbs(p) {
			p = filepath.Join(r.opts.WorkDir, p)
		}
		if err := s.argument(filepath.Clean(p)); err != nil {
			return err
		}
	}
	r.found, r.out.Unread = s.found, s.unread
	return nil
}

// damaged adds the documents that the database has no good bytes of.
func (r *rebuilding) damaged(s *search) error {
	ids, err := r.old.RecordedLoads(r.ctx)
	if err != nil {
		return err
	}
	checked := map[string]bool{}
	for _, id := range ids {
		load, err := r.old.RecordedLoad(r.ctx, id)
		if err != nil {
			return err
		}
		for _, d := range load.Documents {
			if d.Status == store.Rejected || d.Kind != catalog.KindRun && d.Kind != catalog.KindRegistry || checked[d.SHA256] {
				continue
			}
			checked[d.SHA256] = true
			if content, err := r.old.DocumentContent(r.ctx, d.SHA256); err != nil || digestOf(content) != d.SHA256 {
				s.wanted[d.SHA256], s.sizes[d.Size] = true, true
			}
		}
	}
	return nil
}

// search finds files by their digests.
type search struct {
	wanted map[string]bool
	sizes  map[int64]bool
	found  map[string]foundFile
	unread []string
	ctxErr func() error
}

// argument searches a path that was given, which must be there.
func (s *search) argument(p string) error {
	info, err := os.Stat(p)
	if err != nil {
		return fmt.Errorf("search %s: %w", p, err)
	}
	if !info.IsDir() {
		return s.file(p)
	}
	return filepath.WalkDir(p, func(p string, e fs.DirEntry, err error) error {
		if s.ctxErr() != nil {
			return s.ctxErr()
		}
		switch {
		case err != nil:
			s.unread = append(s.unread, err.Error())
			return nil
		case len(s.found) == len(s.wanted):
			return fs.SkipAll
		case e.IsDir():
			return s.folder(p)
		}
		if err := s.file(p); err != nil {
			s.unread = append(s.unread, err.Error())
		}
		return nil
	})
}

// file takes a file whose size and digest are looked for. What is no regular
// file is none. A link is followed wherever it leads: what has the digest is
// what was loaded.
func (s *search) file(p string) error {
	info, err := os.Stat(p)
	if err != nil || !info.Mode().IsRegular() || !s.sizes[info.Size()] {
		return err
	}
	f, err := openFile("", p)
	if err != nil {
		return err
	}
	defer f.Close()
	d := &digester{h: sha256.New()}
	if _, err := io.Copy(d, f); err != nil {
		return fmt.Errorf("read %s: %w", p, err)
	}
	s.take(d.sum(), foundFile{p, capture})
	return nil
}

// folder takes a folder that is a dump of InferenceX's database and is looked for.
func (s *search) folder(p string) error {
	names := dumpFiles(p)
	if names == nil {
		return nil
	}
	folder := steadyFolder{newSteady(), p}
	var size int64
	for _, name := range names {
		if info, err := fs.Stat(folder, name); err == nil {
			size += info.Size()
		}
	}
	if !s.sizes[size] {
		return nil
	}
	var d Document
	d.File = p
	if err := digestFiles(&d, folder, names); err != nil {
		s.unread = append(s.unread, err.Error())
		return nil
	}
	s.take(d.SHA256, foundFile{p, dump})
	return nil
}

func (s *search) take(digest string, f foundFile) {
	if _, known := s.found[digest]; !known && s.wanted[digest] {
		s.found[digest] = f
	}
}
