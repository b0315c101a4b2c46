package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/inference-sim/blis-warehouse/queries/export"
	"github.com/inference-sim/blis-warehouse/store"
)

// writeFolder writes a selection to the folder of the job, with its manifest
// beside it.
func (job *exportJob) writeFolder(ctx context.Context, env *environment, r *store.Reader, s *export.Selection) error {
	f, err := openFolder(job.file, job.force)
	if err != nil {
		return err
	}
	defer f.discard()
	beside, err := job.openManifest(env, r.Path())
	if err != nil {
		return err
	}
	outcome, err := job.format.Write(ctx, r, s, job.options, f.create)
	if err != nil {
		beside.discard()
		return err
	}
	if job.unheld(s, outcome) {
		beside.discard()
		return refuseExport(ctx, env, r, s, "cannot be written as "+job.format.Name)
	}
	out := f.output()
	out.Outcome = outcome
	m := job.manifest(r, s, out)
	if err := prepareManifest(beside, m); err != nil {
		return err
	}
	if err := f.place(); err != nil {
		beside.discard()
		return err
	}
	if err := beside.commit(); err != nil {
		return errors.Join(err, f.takeBack())
	}
	if err := f.finish(); err != nil {
		return err
	}
	return job.report(env, m, outcome)
}

// folder is a folder that appears complete or not at all.
type folder struct {
	path  string
	force bool
	temp  string // where it is built, "" once it has its place
	old   string // where the folder it replaces is kept, "" for none
	files []export.File
}

// openFolder prepares writing a folder to path. What is there is replaced only
// with force, and only the folder of an earlier export.
func openFolder(path string, force bool) (*folder, error) {
	if path == "" {
		return nil, errors.New("-o needs the name of a folder")
	}
	f := &folder{path: filepath.Clean(path), force: force}
	if err := f.checkReplaceable(); err != nil {
		return nil, err
	}
	var err error
	if f.temp, err = f.freeName("tmp"); err == nil {
		err = os.Mkdir(f.temp, 0o777)
	}
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", f.path, cause(err))
	}
	return f, nil
}

// freeName is an unused hidden name beside the folder.
func (f *folder) freeName(suffix string) (string, error) {
	for i := os.Getpid(); ; i++ {
		name := filepath.Join(filepath.Dir(f.path), fmt.Sprintf(".%s.%d.%s", filepath.Base(f.path), i, suffix))
		switch _, err := os.Lstat(name); {
		case errors.Is(err, fs.ErrNotExist):
			return name, nil
		case err != nil:
			return "", err
		}
	}
}

// checkReplaceable refuses what must not be replaced: only the folder of an
// earlier export is, with its manifest beside it and no file that the manifest
// does not list. A catalog that somebody keeps would be lost.
func (f *folder) checkReplaceable() error {
	info, err := os.Lstat(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("write %s: %w", f.path, cause(err))
	case !f.force:
		return fmt.Errorf("%s exists: --force replaces it", f.path)
	case !info.IsDir():
		return fmt.Errorf("%s is not a folder: it is not replaced", f.path)
	}
	listed, err := exportedFiles(f.path + ".manifest.json")
	if err != nil {
		return fmt.Errorf("%s is not replaced, for nothing shows that an export wrote it: %w", f.path, err)
	}
	return filepath.WalkDir(f.path, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		rel, err := filepath.Rel(f.path, path)
		if err == nil && !listed[filepath.ToSlash(rel)] {
			err = fmt.Errorf("%s holds %s, which no export wrote: it is not replaced", f.path, rel)
		}
		return err
	})
}

// exportedFiles are the files of a folder that the manifest at path lists.
func exportedFiles(path string) (map[string]bool, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var m export.Manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, fmt.Errorf("%s is no manifest: %w", path, err)
	}
	listed := map[string]bool{}
	for _, file := range m.Files {
		listed[file.Path] = true
	}
	return listed, nil
}

// create opens a file of the folder. A file that is there already is an error:
// on a file system that ignores case two names can mean one file.
func (f *folder) create(path string) (io.WriteCloser, error) {
	name := filepath.Join(f.temp, filepath.FromSlash(path))
	var file *os.File
	err := os.MkdirAll(filepath.Dir(name), 0o777)
	if err == nil {
		file, err = os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	}
	if err != nil {
		return nil, f.failed(path, err)
	}
	digest := newDigester(file)
	return &openFile{fileWriter{f, path, digest}, func() error {
		if err := file.Close(); err != nil {
			return f.failed(path, err)
		}
		f.files = append(f.files, export.File{Path: path, SHA256: digest.sum(), Size: digest.n})
		return nil
	}}, nil
}

// fileWriter names the file in the errors of writing it.
type fileWriter struct {
	folder *folder
	path   string
	w      io.Writer
}

func (w fileWriter) Write(p []byte) (int, error) {
	n, err := w.w.Write(p)
	if err != nil {
		err = w.folder.failed(w.path, err)
	}
	return n, err
}

// failed is the error of writing a file of the folder.
func (f *folder) failed(path string, err error) error {
	return fmt.Errorf("write %s: %w", filepath.Join(f.path, filepath.FromSlash(path)), cause(err))
}

// output is what was written.
func (f *folder) output() export.Output {
	slices.SortFunc(f.files, func(a, b export.File) int { return strings.Compare(a.Path, b.Path) })
	out := export.Output{Files: f.files}
	digest := newDigester(io.Discard)
	for _, file := range f.files {
		fmt.Fprintf(digest, "%s  %s\n", file.SHA256, file.Path)
		out.Size += file.Size
	}
	out.SHA256 = digest.sum()
	return out
}

// place gives the folder its name. What it replaces is kept until finish.
func (f *folder) place() error {
	err := f.moveOldAway()
	if err == nil {
		err = os.Rename(f.temp, f.path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", f.path, cause(err)), f.putOldBack())
	}
	f.temp = ""
	return nil
}

func (f *folder) moveOldAway() error {
	if _, err := os.Lstat(f.path); err != nil || !f.force {
		return nil // nothing is there, or what has appeared meanwhile makes the renaming fail
	}
	old, err := f.freeName("old")
	if err == nil {
		err = os.Rename(f.path, old)
	}
	if err == nil {
		f.old = old
	}
	return err
}

func (f *folder) putOldBack() error {
	if f.old == "" {
		return nil
	}
	old := f.old
	f.old = ""
	return os.Rename(old, f.path)
}

// takeBack undoes place.
func (f *folder) takeBack() error {
	return errors.Join(os.RemoveAll(f.path), f.putOldBack())
}

// finish removes what was replaced.
func (f *folder) finish() error {
	if f.old != "" {
		if err := os.RemoveAll(f.old); err != nil {
			return fmt.Errorf("remove what %s replaces: %w", f.path, err)
		}
	}
	return syncFolder(filepath.Dir(f.path))
}

// discard removes a folder that has not been given its place.
func (f *folder) discard() {
	if f.temp != "" {
		os.RemoveAll(f.temp)
	}
}

// cause is err without a path that is not the user's.
func cause(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}
