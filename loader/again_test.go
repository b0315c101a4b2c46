package loader

import (
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/inference-sim/blis-warehouse/store"
)

// again are the options of a program that knows itself.
func (w *world) again() Options {
	opts := w.options()
	opts.Again = true
	return opts
}

// disturb changes a value behind the program's back: a capture that is read puts it right.
func (w *world) disturb(db string) {
	w.t.Helper()
	r, err := w.writable(db).Exec(`UPDATE inferencex_points SET median_ttft = 99; DELETE FROM inferencex_row_digests`)
	if err != nil {
		w.t.Fatal(err)
	}
	if n, err := r.RowsAffected(); err != nil || n == 0 {
		w.t.Fatalf("nothing was changed: %v", err)
	}
}

// loadDisturbed loads into a database whose derived tables no longer fit.
func (w *world) loadDisturbed(db string, opts Options, paths ...string) *Report {
	w.t.Helper()
	s, err := store.OpenWriter(w.t.Context(), filepath.Join(w.dir, db), store.WriterOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
	defer s.Close()
	report, err := Load(w.t.Context(), s, paths, opts)
	if err != nil {
		w.t.Fatal(err)
	}
	return report
}

// The captures that were loaded last are not read again; whatever differs has them read.
func TestCapturesAgain(t *testing.T) {
	a := rows(row("100000001", 1, "8", 4, `"median_ttft": 0.25, "odd": 1`), row("100000001", 1, "8", 2, `"median_ttft": 0.125`))
	files := map[string]string{
		"a.json":                  a,
		"other.json":              strings.Replace(a, "0.125", "0.25", 1),
		"b.json":                  rows(row("100000002", 1, "8", 4, `"median_ttft": 0.5`)),
		"refused.json":            rows(row("100000003", 1, "8", 4, `"median_ttft": 0.5`), row("100000003", 1, "8", -8, `"median_ttft": 1`)),
		"conflict.json":           rows(row("100000004", 1, "8", 4, `"median_ttft": 0.5`), row("100000004", 1, "8", 4, `"median_ttft": 0.25`)),
		"x/results/agg_1k1k.json": inventedArtifact("conc", 4).String(),
		"y/results/agg_1k1k.json": inventedArtifact("conc", 4).String(),
		"elsewhere/a.json":        a,
		"elsewhere/other.json":    a,
		"sources.yaml":            registryYAML(map[string]string{"open": everything}),
	}
	for name, content := range tablesOfDump() {
		files[name] = content
	}
	for _, test := range []struct {
		name      string
		first     [][]string // loads
		before    func(*world, *Options)
		paths     []string
		unread    bool
		unchanged int // rows
	}{
		{"the same file", [][]string{{"a.json"}}, nil, []string{"a.json"}, true, 2},
		{"both files in their order", [][]string{{"a.json", "b.json"}}, nil, []string{"a.json", "b.json"}, true, 3},
		{"both files, loaded one by one and together", [][]string{{"a.json"}, {"b.json"}, {"a.json", "b.json"}}, nil, []string{"a.json", "b.json"}, true, 3},
		{"a file and a dump, the second time", [][]string{{"a.json", "dump"}, {"a.json", "dump"}}, nil, []string{"a.json", "dump"}, true, 3},
		{"the last of two", [][]string{{"a.json", "b.json"}}, nil, []string{"b.json"}, true, 1},
		{"beside a document", [][]string{{"a.json"}, {"sources.yaml"}}, nil, []string{"sources.yaml", "a.json"}, true, 2},
		{"a dump", [][]string{{"dump"}}, nil, []string{"dump"}, true, 0},
		{"an artifact of the same directory", [][]string{{"x/results/agg_1k1k.json"}}, nil, []string{"x/results/agg_1k1k.json"}, true, 1},
		{"twice in a row", [][]string{{"a.json"}, {"a.json"}}, nil, []string{"a.json"}, true, 2},

		{"both files, loaded one by one", [][]string{{"a.json"}, {"b.json"}}, nil, []string{"a.json", "b.json"}, false, 3},
		{"two that contradict each other", [][]string{{"a.json", "other.json"}, {"a.json", "other.json"}}, nil, []string{"a.json", "other.json"}, false, 4},
		{"a file and a dump", [][]string{{"a.json", "dump"}}, nil, []string{"a.json", "dump"}, false, 3},
		{"the first of two", [][]string{{"a.json", "b.json"}}, nil, []string{"a.json"}, false, 2},
		{"another order", [][]string{{"a.json", "b.json"}}, nil, []string{"b.json", "a.json"}, false, 3},
		{"one more", [][]string{{"a.json"}}, nil, []string{"a.json", "b.json"}, false, 2},
		{"another directory", [][]string{{"a.json"}}, nil, []string{"elsewhere/a.json"}, false, 2},
		{"another name", [][]string{{"a.json"}}, nil, []string{"elsewhere/other.json"}, false, 2},
		{"another directory of artifacts", [][]string{{"x/results/agg_1k1k.json"}}, nil, []string{"y/results/agg_1k1k.json"}, false, 1},
		{"a row was refused", [][]string{{"refused.json"}}, nil, []string{"refused.json"}, false, 1},
		{"it contradicted itself", [][]string{{"conflict.json"}}, nil, []string{"conflict.json"}, false, 2},
		{"another program", [][]string{{"a.json"}}, func(_ *world, opts *Options) { opts.Tool = "newer" }, []string{"a.json"}, false, 2},
		{"a program that does not know itself", [][]string{{"a.json"}}, func(_ *world, opts *Options) { opts.Again = false }, []string{"a.json"}, false, 2},
		{"strictly", [][]string{{"a.json"}}, func(_ *world, opts *Options) { opts.Strict = true }, []string{"a.json"}, false, 0},
		{"other bytes of the same size", [][]string{{"a.json"}},
			func(w *world, _ *Options) {
				w.write(map[string]string{"a.json": strings.Replace(a, "0.125", "0.126", 1)})
			}, []string{"a.json"}, false, 2},
		{"the ledger has no counts", [][]string{{"a.json"}},
			func(w *world, _ *Options) {
				if _, err := w.writable("w.db").Exec("DELETE FROM capture_rows"); err != nil {
					w.t.Fatal(err)
				}
			}, []string{"a.json"}, false, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t, files)
			for _, paths := range test.first {
				w.load("w.db", w.again(), paths...)
			}
			opts := w.again()
			if test.before != nil {
				test.before(w, &opts)
			}
			w.disturb("w.db")
			report := w.loadDisturbed("w.db", opts, test.paths...)
			disturbed := w.query("w.db", "SELECT count(*) FROM inferencex_points WHERE median_ttft = 99")[0]
			all := w.query("w.db", "SELECT count(*) FROM inferencex_points")[0]
			if test.unread && disturbed != all {
				t.Errorf("%s of %s points are as they were disturbed", disturbed, all)
			}
			got := 0
			for _, d := range report.Documents {
				if d.Kind == KindCapture && d.unread != test.unread {
					t.Errorf("unread is %v, want %v", d.unread, test.unread)
				}
				got += d.Rows.Unchanged + d.Rows.Updated
			}
			if test.unchanged > 0 && got != test.unchanged {
				t.Errorf("%d rows are unchanged or put right, want %d", got, test.unchanged)
			}
		})
	}
}

// A run document that is in effect is not read again where it lies as it may.
func TestDocumentsAgain(t *testing.T) {
	catalog := map[string]string{
		"c/measurements/sources.yaml":    registryYAML(map[string]string{"open": everything, "closed": everything}),
		"c/measurements/open/r.yaml":     runYAML("r", "open"),
		"lone/r.yaml":                    runYAML("r", "open"),
		"d/measurements/sources.yaml":    registryYAML(map[string]string{"open": everything, "closed": everything}),
		"d/measurements/open/other.yaml": runYAML("r", "open"),
		"e/measurements/sources.yaml":    registryYAML(map[string]string{"open": everything, "closed": everything}),
		"e/measurements/closed/r.yaml":   runYAML("r", "open"),
		"f/r.yaml":                       strings.Replace(runYAML("r", "open"), "value: 20", "value: 21", 1),
	}
	for _, test := range []struct {
		name   string
		first  []string
		then   []string
		tool   string
		unread int
		status store.Status // of the run's document that is reported last
	}{
		{"the same catalog", []string{"c"}, []string{"c"}, "test", 1, store.Unchanged},
		{"the same file", []string{"lone/r.yaml"}, []string{"lone/r.yaml"}, "test", 1, store.Unchanged},
		{"a file that the catalog had", []string{"c"}, []string{"lone/r.yaml"}, "test", 1, store.Unchanged},
		{"it and a copy", []string{"c"}, []string{"lone/r.yaml", "c"}, "test", 2, store.Unchanged},
		{"a file that becomes the catalog's", []string{"lone/r.yaml"}, []string{"c"}, "test", 0, store.Unchanged},
		{"another program", []string{"c"}, []string{"c"}, "newer", 0, store.Unchanged},
		{"under another file name", []string{"c"}, []string{"d"}, "test", 0, store.Rejected},
		{"under another licence", []string{"c"}, []string{"e"}, "test", 0, store.Rejected},
		{"beside a document of that name", []string{"c"}, []string{"c", "f/r.yaml"}, "test", 0, store.Rejected},
		{"a version that was replaced", []string{"lone/r.yaml", ""}, []string{"lone/r.yaml"}, "test", 0, store.Updated},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t, catalog)
			w.load("w.db", w.again(), test.first[0])
			if len(test.first) > 1 {
				w.load("w.db", w.again(), "f/r.yaml")
			}
			opts := w.again()
			opts.Tool = test.tool
			report := w.load("w.db", opts, test.then...)
			unread := 0
			var status store.Status
			for _, d := range report.Documents {
				if d.unread {
					unread++
				}
				if d.Name == "r" {
					status = d.Status
				}
			}
			if unread != test.unread || status != test.status {
				t.Errorf("%d were not read and the run is %s, want %d and %s", unread, status, test.unread, test.status)
			}
		})
	}
}

// Whatever was loaded before, a load that does not read captures again leaves
// the content that one that reads them leaves, and says the same of them.
func TestAgainRandom(t *testing.T) {
	unread, documents := 0, 0
	for seed := range 16 {
		w := newWorld(t, nil)
		rnd := rand.New(rand.NewSource(int64(seed)))
		inputs := w.randomInputs(rnd)
		var paths []string
		for range 2 + rnd.Intn(3) {
			paths = paths[:0]
			for range 1 + rnd.Intn(4) {
				paths = append(paths, inputs[rnd.Intn(len(inputs))])
			}
			w.load("read.db", w.options(), paths...)
			w.load("unread.db", w.again(), paths...)
		}
		paths = slices.Clone(paths[rnd.Intn(2)*rnd.Intn(len(paths)):])
		counts := w.query("unread.db", "SELECT group_concat(rows, ' ') FROM inferencex_capture_runs")
		read := w.load("read.db", w.options(), paths...)
		got := w.load("unread.db", w.again(), paths...)
		compareContent(t, fmt.Sprint(seed, paths), w.logicalContent("unread.db"), w.logicalContent("read.db"))
		for i := range read.Documents {
			a, b := read.Documents[i], got.Documents[i]
			if a.Kind != KindCapture {
				if b.unread {
					documents++
				}
				if a.Status != b.Status || a.Name != b.Name || a.Kind != b.Kind || a.Valid != b.Valid || a.Size != b.Size || a.SHA256 != b.SHA256 ||
					!reflect.DeepEqual(a.Problems, b.Problems) || !reflect.DeepEqual(a.Verdict, b.Verdict) || a.reading != b.reading {
					t.Errorf("seed %d, %s: read, it is %+v, unread %+v", seed, a.File, a, b)
				}
				continue
			}
			if b.unread {
				unread++
			}
			if !reflect.DeepEqual(a.Rows, b.Rows) || a.Status != b.Status || !slices.Equal(a.Drift, b.Drift) || a.SHA256 != b.SHA256 || a.Size != b.Size || a.Valid != b.Valid {
				t.Errorf("seed %d, %s: read, it is %+v %s, unread %+v %s (changed so far: %s)", seed, a.File, a.Rows, a.Status, b.Rows, b.Status, counts)
			}
		}
		if t.Failed() {
			return
		}
	}
	if unread < 5 {
		t.Errorf("only %d captures were not read", unread)
	}
	if documents < 4 {
		t.Errorf("only %d documents were not read", documents)
	}
}

// A capture that cannot be read any more is told so, not passed over.
func TestCaptureAgainUnreadable(t *testing.T) {
	w := newWorld(t, map[string]string{"a.json": rows(row("100000001", 1, "8", 4, `"median_ttft": 0.25`))})
	w.load("w.db", w.again(), "a.json")
	if err := os.Remove(filepath.Join(w.dir, "a.json")); err != nil {
		t.Fatal(err)
	}
	s, err := store.OpenWriter(t.Context(), filepath.Join(w.dir, "w.db"), store.WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := Load(t.Context(), s, []string{"a.json"}, w.again()); err == nil {
		t.Error("no error")
	}
}

// Where a registry has withdrawn the licence of captures, a capture brings it
// back, read or not.
func TestCaptureAgainLicence(t *testing.T) {
	w := newWorld(t, map[string]string{"a.json": rows(row("100000001", 1, "8", 4, `"median_ttft": 0.25`))})
	for _, db := range []string{"read.db", "unread.db"} {
		w.load(db, w.again(), "a.json")
		for _, licence := range []string{store.InferenceXLicence, "other"} {
			w.write(map[string]string{"c/measurements/sources.yaml": registryYAML(map[string]string{licence: everything})})
			w.load(db, w.again(), "c")
		}
		w.want(db, `SELECT withdrawn FROM licences WHERE licence_id = 'inferencex'`, "1")
	}
	w.load("read.db", w.options(), "a.json")
	if d := w.load("unread.db", w.again(), "a.json").Documents[0]; !d.unread {
		t.Error("it was read")
	}
	w.want("unread.db", `SELECT withdrawn FROM licences WHERE licence_id = 'inferencex'`, "0")
	compareContent(t, "withdrawn", w.logicalContent("unread.db"), w.logicalContent("read.db"))
}
