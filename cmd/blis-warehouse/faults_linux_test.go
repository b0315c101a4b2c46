package main

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestDiskFull fills a small file system. It needs the right to mount one.
func TestDiskFull(t *testing.T) {
	fixtures := fixtures(t, 400)
	for _, f := range faults(fixtures) {
		t.Run(f.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=12m"); err != nil {
				t.Skipf("NOT RUN: no small file system can be mounted: %v", err)
			}
			defer syscall.Unmount(dir, 0)
			if f.from != "" {
				copyFile(t, filepath.Join(fixtures, f.from), filepath.Join(dir, "w.db"))
			}
			for _, kib := range []int{40, 200} {
				var left syscall.Statfs_t
				must(t, syscall.Statfs(dir, &left))
				filler := make([]byte, max(0, int64(left.Bavail)*int64(left.Bsize)-int64(kib)<<10))
				must(t, os.WriteFile(filepath.Join(dir, "filler"), filler, 0o644))
				fails(t, program(t, f.args...), dir, f.says)
				must(t, os.Remove(filepath.Join(dir, "filler")))
			}
			// With room again everything goes as if nothing had been.
			if cmd := program(t, f.args...); f.name != "sql -o" {
				cmd.Dir = dir
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("with room again: %v: %s", err, out)
				}
			}
		})
	}
}
