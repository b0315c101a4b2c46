package loader

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	generate "github.com/inference-sim/blis-warehouse/bench/invented"
	"github.com/inference-sim/blis-warehouse/store"
)

// hookContext calls hook at the n-th time that it is asked whether it has
// ended, which a load asks while it reads, from several goroutines.
type hookContext struct {
	context.Context
	n    atomic.Int64
	hook func()
}

func (c *hookContext) Err() error {
	if c.n.Add(-1) == 0 {
		c.hook()
	}
	return c.Context.Err()
}

// loadChanging loads paths while the files change, and tells how often the context was asked.
func (w *world) loadChanging(n int, change func(), paths ...string) (asked int, err error) {
	w.t.Helper()
	s, err := store.OpenWriter(w.t.Context(), filepath.Join(w.dir, "w.db"), store.WriterOptions{Create: true})
	if err != nil {
		w.t.Fatal(err)
	}
	defer s.Close()
	ctx := &hookContext{Context: w.t.Context(), hook: change}
	ctx.n.Store(int64(n))
	if _, err = Load(ctx, s, paths, w.options()); err == nil {
		err = s.Publish()
	}
	return n - int(ctx.n.Load()), err
}

// A file that is written, replaced or removed while a load reads it ends the
// load, whenever that happens, and nothing is stored.
func TestInputThatChanges(t *testing.T) {
	files := map[string]string{
		"rows.json":                    inventedRows(t, 4000),
		"c/measurements/sources.yaml":  registryYAML(map[string]string{"open": everything}),
		"c/measurements/open/run.yaml": runYAML("run", "open"),
	}
	changes := map[string]func(t *testing.T, path, content string){
		"appended to": func(t *testing.T, path, content string) {
			f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if _, err := f.WriteString("\n"); err != nil {
				t.Fatal(err)
			}
		},
		"rewritten": func(t *testing.T, path, content string) {
			if err := os.WriteFile(path, []byte(strings.Replace(content, "e", "E", 1)), 0o644); err != nil {
				t.Fatal(err)
			}
		},
		"truncated": func(t *testing.T, path, content string) {
			if err := os.Truncate(path, 100); err != nil {
				t.Fatal(err)
			}
		},
	}
	asked, err := newWorld(t, files).loadChanging(-1, func() {}, "c", "rows.json")
	if err != nil {
		t.Fatal(err)
	}
	if asked < 10 {
		t.Fatalf("the context was asked %d times: there is nothing to hook to", asked)
	}
	for how, change := range changes {
		refused := 0
		for n := 1; n <= asked; n += 1 + asked/6 {
			w := newWorld(t, files)
			changed := filepath.Join(w.dir, "rows.json")
			_, err := w.loadChanging(n, func() { change(t, changed, files["rows.json"]) }, "c", "rows.json")
			switch {
			case err == nil: // it had been read: what was recorded must be what it was
				want := fmt.Sprintf("%x", sha256.Sum256([]byte(files["rows.json"])))
				if got := w.query("w.db", `SELECT sha256 FROM documents WHERE path = 'rows.json'`); len(got) != 1 || got[0] != want {
					t.Errorf("%s at %d: recorded %q, was %s", how, n, got, want)
				}
			case !errors.Is(err, errChanged) || !strings.Contains(err.Error(), "rows.json"):
				t.Errorf("%s at %d: %v", how, n, err)
			default:
				refused++
				if _, err := os.Stat(filepath.Join(w.dir, "w.db")); err == nil {
					t.Errorf("%s at %d: a database appeared", how, n)
				}
			}
		}
		if refused < 2 {
			t.Errorf("%s: only %d loads were refused", how, refused)
		}
	}
}

// What a load found and then is gone, or another file, ends the load.
func TestInputThatVanishes(t *testing.T) {
	for how, change := range map[string]func(path string) error{
		"removed": os.Remove,
		"replaced": func(path string) error {
			if err := os.WriteFile(path+".new", []byte(rows(row("100000001", 1, "8", 4, `"median_ttft": 0.5`))), 0o644); err != nil {
				return err
			}
			return os.Rename(path+".new", path)
		},
	} {
		w := newWorld(t, map[string]string{"rows.json": rows(row("100000001", 1, "8", 4, `"median_ttft": 0.25`))})
		_, err := w.loadChanging(1, func() {
			if err := change(filepath.Join(w.dir, "rows.json")); err != nil {
				t.Error(err)
			}
		}, "rows.json")
		if err == nil || !strings.Contains(err.Error(), "rows.json") || !errors.Is(err, errChanged) && !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: %v", how, err)
		}
		if left, _ := os.ReadDir(w.dir); len(left) > 1 {
			t.Errorf("%s: left %v", how, left)
		}
	}
}

// A file of a dump is read for its rows and again for its digest: both must
// read the same.
func TestFolderThatChanges(t *testing.T) {
	w := newWorld(t, map[string]string{"dump/configs.json": "[1]"})
	folder := steadyFolder{newSteady(), filepath.Join(w.dir, "dump")}
	for range 2 {
		f, err := folder.open(folder.path, filepath.Join(folder.path, "configs.json"))
		if err != nil {
			t.Fatal(err)
		}
		if err := f.done(); err != nil {
			t.Fatal(err)
		}
	}
	w.write(map[string]string{"dump/configs.json": "[1, 2]"})
	if _, err := folder.Open("configs.json"); !errors.Is(err, errChanged) {
		t.Errorf("read again: %v", err)
	}
	if err := digestFiles(&Document{File: "dump"}, folder, []string{"configs.json"}); !errors.Is(err, errChanged) {
		t.Errorf("digested: %v", err)
	}
	if _, err := folder.Open("../configs.json"); err == nil {
		t.Error("a name outside the folder was opened")
	}
}

// inventedRows is a capture of n invented rows.
func inventedRows(t *testing.T, n int) string {
	t.Helper()
	var b strings.Builder
	if err := generate.Rows(&b, n, generate.Array); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
