package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// destination is where a command's data go: standard output, or a file that
// appears complete or not at all.
type destination struct {
	*bufio.Writer
	path  string // "-" for standard output
	force bool
	temp  *os.File // nil for standard output
}

// openDestination prepares writing to path; "-" is stdout. An existing file is
// replaced only with force, and only a regular file that is not keep, the
// database read from.
func openDestination(path string, force bool, stdout io.Writer, keep string) (*destination, error) {
	if path == "-" {
		return &destination{Writer: bufio.NewWriterSize(stdout, 64<<10), path: path}, nil
	}
	if path == "" {
		return nil, errors.New("-o needs the name of a file")
	}
	// A link is followed, so that the file it names is replaced.
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	if err := checkReplaceable(path, force, keep); err != nil {
		return nil, err
	}
	temp, err := createBeside(path)
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", path, cause(err))
	}
	return &destination{Writer: bufio.NewWriterSize(temp, 64<<10), path: path, force: force, temp: temp}, nil
}

// createBeside creates a new hidden file in the folder of path. Unlike
// os.CreateTemp it leaves the permissions to the umask, as the file will stay.
func createBeside(path string) (*os.File, error) {
	for i := os.Getpid(); ; i++ {
		name := filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.%d.tmp", filepath.Base(path), i))
		f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

// checkReplaceable refuses an existing file that must not be replaced.
func checkReplaceable(path string, force bool, keep string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	database, err := os.Stat(keep)
	switch {
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file: redirect the output instead", path)
	case err == nil && os.SameFile(info, database):
		return fmt.Errorf("%s is the database: it is not overwritten", path)
	case !force:
		return fmt.Errorf("%s exists: --force overwrites it", path)
	}
	return nil
}

// commit makes the data durable and gives the file its name.
func (d *destination) commit() error {
	if err := d.Flush(); err != nil {
		return d.abandon(err)
	}
	if d.temp == nil {
		return nil
	}
	if err := errors.Join(d.temp.Sync(), d.temp.Close()); err != nil {
		return d.abandon(err)
	}
	if err := d.place(); err != nil {
		return d.abandon(err)
	}
	d.temp = nil
	return syncFolder(filepath.Dir(d.path))
}

// place renames the temporary file. Without force it must not replace a file
// that has appeared since: a link refuses that, a rename would not.
func (d *destination) place() error {
	if d.force {
		return os.Rename(d.temp.Name(), d.path)
	}
	if err := os.Link(d.temp.Name(), d.path); err == nil {
		return os.Remove(d.temp.Name())
	} else if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("the file has appeared meanwhile: --force overwrites it")
	}
	// The file system has no links.
	return os.Rename(d.temp.Name(), d.path)
}

func syncFolder(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	// Some file systems cannot sync a folder; the file itself is safe.
	_ = dir.Sync()
	return dir.Close()
}

// abandon leaves no file behind and returns err with the name of what could
// not be written. Data already printed on standard output stay.
func (d *destination) abandon(err error) error {
	err = cause(err) // the name in it is ours or the temporary file's
	if d.temp == nil {
		return fmt.Errorf("write standard output: %w", err)
	}
	d.temp.Close()
	os.Remove(d.temp.Name())
	d.temp = nil
	return fmt.Errorf("write %s: %w", d.path, err)
}

// discard is abandon for a failure that is not the destination's. What
// standard output was given so far is printed.
func (d *destination) discard() {
	if d.temp == nil {
		d.Flush()
		return
	}
	d.abandon(nil)
}
