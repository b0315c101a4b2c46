package loader

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// errChanged is the error of a file that is written while a load reads it.
var errChanged = errors.New("the file changed while it was read: nothing was stored, load it when it is complete")

// steady opens the files of a load and sees to it that they stay as they are.
// A load may read a file more than once (to tell what it is, to be done again,
// for a dump's digest): what is recorded of it must be of one state. It is told
// by size, time of modification and identity.
type steady struct {
	mu   sync.Mutex
	seen map[string]fs.FileInfo // by path, as it was when it was opened first
}

func newSteady() *steady { return &steady{seen: map[string]fs.FileInfo{}} }

// open opens a file as openFile does, which must be as it was when it was opened first.
func (s *steady) open(root, path string) (*steadyFile, error) {
	f, err := openFile(root, path)
	if err != nil {
		return nil, err
	}
	file := &steadyFile{File: f}
	if file.first, err = f.Stat(); err == nil {
		s.mu.Lock()
		first, ok := s.seen[path]
		if !ok {
			s.seen[path] = file.first
		}
		s.mu.Unlock()
		if ok && !unchanged(first, file.first) {
			err = errChanged
		}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return file, nil
}

// steadyFile is a file that a load reads.
type steadyFile struct {
	*os.File
	first fs.FileInfo
}

// done closes the file. It is errChanged where the file is no longer what was opened.
func (f *steadyFile) done() error {
	now, err := f.Stat()
	f.Close()
	if err == nil && !unchanged(f.first, now) {
		return errChanged
	}
	return err
}

func unchanged(a, b fs.FileInfo) bool {
	return a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()) && os.SameFile(a, b)
}

// steadyFolder is a folder of files that stay as they are, and out of which no
// link leads. It is an fs.StatFS.
type steadyFolder struct {
	*steady
	path string
}

// Open opens a file of the folder.
func (f steadyFolder) Open(name string) (fs.File, error) {
	if !filepath.IsLocal(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	file, err := f.open(f.path, filepath.Join(f.path, name))
	if err != nil { // a nil *steadyFile would be no nil fs.File
		return nil, err
	}
	return file, nil
}

// Stat describes a file of the folder.
func (f steadyFolder) Stat(name string) (fs.FileInfo, error) {
	file, err := openFile(f.path, filepath.Join(f.path, name))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return file.Stat()
}
