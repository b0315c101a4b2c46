package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// lockFile is an exclusive lock on a database, held by the one process that
// writes it, from before it looks for the database until after the commit or
// rename. SQLite's own locks cannot serve: goose takes none, and a database
// that does not exist yet has none. The file lies beside the database, holds
// what is known of its owner while it is held, and is removed on release. The
// lock is the kernel's: it ends with the process, so a file that a killed
// process left keeps nobody out.
type lockFile struct{ f *os.File }

// acquireLock waits up to timeout for the lock of the database at path.
// A lock that is held longer is an error that names its owner.
func acquireLock(ctx context.Context, path string, timeout time.Duration) (*lockFile, error) {
	name := path + ".lock"
	deadline := time.Now().Add(timeout)
	for {
		f, err := openLockFile(name)
		if err != nil {
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			if !sameFile(f, name) { // the owner before us removed it while we opened it
				f.Close()
				continue
			}
			if !isLock(f) {
				f.Close()
				return nil, fmt.Errorf("lock %s: %s is there and no lock of this program: move it away", path, name)
			}
			if err := f.Truncate(0); err == nil {
				host, _ := os.Hostname()
				fmt.Fprintf(f, "%d %s %s\n", os.Getpid(), time.Now().UTC().Format(time.RFC3339), host)
			}
			return &lockFile{f}, nil
		case !errors.Is(err, syscall.EWOULDBLOCK):
			f.Close()
			return nil, fmt.Errorf("lock %s: %w", name, err)
		}
		owner := lockOwner(f)
		f.Close()
		if !time.Now().Before(deadline) {
			return nil, fmt.Errorf("%s is being written by %s; waited %v", path, owner, max(0, timeout))
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// openLockFile opens the lock file, or makes it. Where a link has its name it is
// an error: what that leads to is not ours to write.
func openLockFile(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o644)
	if errors.Is(err, syscall.ELOOP) {
		return nil, fmt.Errorf("%s is a link: move it away", name)
	}
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil, fmt.Errorf("%s is not a regular file: move it away", name)
	}
	return f, nil
}

// isLock tells whether a file is empty or begins as a lock does, perhaps one
// that could not be written to its end: with a number.
func isLock(f *os.File) bool {
	buf := make([]byte, lockBytes+1)
	n, _ := f.ReadAt(buf, 0)
	first, _, _ := strings.Cut(string(buf[:n]), " ")
	_, err := strconv.ParseUint(strings.TrimSuffix(first, "\n"), 10, 32)
	return n == 0 || n <= lockBytes && err == nil
}

// lockBytes is more than a lock is long.
const lockBytes = 600

func sameFile(f *os.File, name string) bool {
	a, errA := f.Stat()
	b, errB := os.Stat(name)
	return errA == nil && errB == nil && os.SameFile(a, b)
}

// lockOwner names who holds a lock, as far as its file tells.
func lockOwner(f *os.File) string {
	buf := make([]byte, lockBytes)
	n, _ := f.ReadAt(buf, 0)
	words := strings.Fields(string(buf[:n]))
	if len(words) < 2 {
		return "another process"
	}
	pid, err := strconv.Atoi(words[0])
	since, errSince := time.Parse(time.RFC3339, words[1])
	if err != nil || errSince != nil {
		return "another process"
	}
	owner := fmt.Sprintf("process %d since %s", pid, since.Format(time.RFC3339))
	if host, err := os.Hostname(); err == nil && len(words) == 3 && words[2] != host {
		owner += fmt.Sprintf(" on %q", words[2])
	}
	return owner
}

// release removes the lock file and gives up the lock. It may be called twice.
func (l *lockFile) release() {
	if l == nil || l.f == nil {
		return
	}
	os.Remove(l.f.Name())
	l.f.Close()
	l.f = nil
}
