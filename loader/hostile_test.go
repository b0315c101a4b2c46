package loader

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/inference-sim/blis-warehouse/store"
)

// utf16Text is text in UTF-16 with its mark.
func utf16Text(s string) string {
	var b []byte
	for _, u := range utf16.Encode([]rune("\ufeff" + s)) {
		b = append(b, byte(u), byte(u>>8))
	}
	return string(b)
}

// TestHostileDocuments holds that each document ends with its own problem, that
// none stops the others, and that none takes long.
func TestHostileDocuments(t *testing.T) {
	bomb := "kind: MeasuredRun\na: &a {x: 1, y: 2, z: 3}\n"
	merges := bomb
	for c := 'b'; c <= 'n'; c++ {
		p := string(c - 1)
		bomb += fmt.Sprintf("%c: &%c [%s]\n", c, c, strings.Repeat("*"+p+", ", 9)+"*"+p)
		merges += fmt.Sprintf("%c: &%c {p: {<<: *%s}, q: {<<: *%s}, r: {<<: [*%s, *%s]}}\n", c, c, p, p, p, p)
	}
	name := func(s string) string { return strings.Replace(runYAML("x", "open"), "name: x", "name: "+s, 1) }
	for _, tt := range []struct{ name, text, rule string }{
		{"alias bomb", bomb, "alias"},
		{"bomb of merges", merges, "alias"},
		{"alias to itself", "kind: &a [*a]\n", "alias"},
		{"deep flow", "kind: MeasuredRun\nx: " + strings.Repeat("[", 990_000), "nesting"},
		{"deep flow of maps", "kind: MeasuredRun\nx: " + strings.Repeat("{a: ", 400_000), "nesting"},
		{"deep blocks", "kind: MeasuredRun\nx:\n " + strings.Repeat("- ", 990_000), "nesting"},
		{"many values", "kind: MeasuredRun\nx: [" + strings.Repeat("a,", 2_000_000) + "]", "size"},
		{"many keys", "kind: MeasuredRun\n" + strings.Repeat("k:\n", 2_000_000), "size"},
		{"too large", "# MeasuredRun " + strings.Repeat("a", 17<<20), "size"},
		{"beyond a double", strings.Replace(runYAML("x", "open"), "value: 10", "value: 1e999", 1), "number"},
		{"many digits", strings.Replace(runYAML("x", "open"), "nodes: 1, gpus", "nodes: "+strings.Repeat("9", 100_000)+", gpus", 1), "number"},
		{"long key", runYAML("x", "open", strings.Repeat("k", 1000)+": 1"), "unknown-key"},
		{"longer key", runYAML("x", "open", strings.Repeat("k", 100_000)+": 1"), "syntax"},
		{"long value", strings.Replace(runYAML("x", "open"), "unit: ms", "unit: "+strings.Repeat("n", 1_000_000), 1), "vocabulary"},
		{"not UTF-8", runYAML("x", "open", "# \xff"), "encoding"},
		{"overlong UTF-8", name("\xc0\xaf"), "encoding"},
		{"NUL", runYAML("x", "open", "# \x00"), "encoding"},
		{"UTF-16", utf16Text(runYAML("x", "open")), "encoding"},
		{"a path for a name", name("../../etc/passwd"), "slug"},
		{"SQL for a name", name(`"x'); DROP TABLE runs; --"`), "slug"},
		{"escapes for a name", name(`"\e[2J\u202e\u009b"`), "slug"},
		{"escapes for a key", runYAML("x", "open", `"\e[2J\u202e": 1`), "unknown-key"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, map[string]string{"hostile.yaml": tt.text, "good.yaml": runYAML("good", "open")})
			start := time.Now()
			r := w.load("w.db", w.options(), "hostile.yaml", "good.yaml")
			if took := time.Since(start); took > 30*time.Second {
				t.Errorf("took %v", took)
			}
			bad := r.Documents[1]
			if bad.Valid || bad.Status != store.Rejected || len(bad.Problems) == 0 || len(bad.Problems) > 20 {
				t.Fatalf("%d problems, status %s", len(bad.Problems), bad.Status)
			}
			found := false
			for _, p := range bad.Problems {
				found = found || p.Rule == tt.rule
				if len(p.Message) > 1000 {
					t.Errorf("a message of %d bytes", len(p.Message))
				}
			}
			if !found {
				t.Errorf("no %s: %.300v", tt.rule, bad.Problems)
			}
			w.want("w.db", `SELECT name FROM runs`, "good")
		})
	}
}

// TestLineNumbersWithEveryBreak holds that a problem stands on its line whatever
// ends the lines, and a credential in a comment is found behind each.
func TestLineNumbersWithEveryBreak(t *testing.T) {
	token := "h" + "f_" + strings.Repeat("aB3", 12)
	text := runYAML("x", "open", "nonsense: ! 1", "# "+token)
	for name, eol := range map[string]string{"LF": "\n", "CRLF": "\r\n", "CR": "\r", "NEL": "\u0085", "LS": "\u2028", "PS": "\u2029"} {
		w := newWorld(t, map[string]string{"x.yaml": strings.ReplaceAll(text, "\n", eol), "m.yaml": strings.Replace(text, "\n", eol, 7)})
		for _, d := range w.load("w.db", w.options(), "x.yaml", "m.yaml").Documents {
			var got []string
			for _, p := range d.Problems {
				got = append(got, fmt.Sprintf("%s:%d[%s]", p.Path, p.Line, p.Rule))
			}
			if want := []string{":23[credential]", "nonsense:22[unknown-key]"}; !slices.Equal(got, want) {
				t.Errorf("%s, %s: %q, want %q", name, d.File, got, want)
			}
		}
	}
}

// TestOddThingsInACatalog holds that what is no regular file is neither waited
// for nor read, that no link leads out, and that all of it is named.
func TestOddThingsInACatalog(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "outside.yaml")
	if err := os.WriteFile(outside, []byte(runYAML("outside", "open")), 0o666); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{
		"sources.yaml":   registryYAML(map[string]string{"open": everything}),
		"open/good.yaml": runYAML("good", "open"),
	}
	make := func(t *testing.T, root string) {
		dir := filepath.Join(root, "open")
		for name, target := range map[string]string{
			"absolute.yaml": outside, "up.yaml": "../../../outside.yaml", "loop.yaml": "loop.yaml", "broken.yaml": "nowhere", "self.yaml": ".",
			"device.yaml": "/dev/zero", "inside.yaml": "good.yaml",
		} {
			if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
		if err := syscall.Mkfifo(filepath.Join(dir, "fifo.yaml"), 0o666); err != nil {
			t.Fatal(err)
		}
		if fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0); err == nil {
			t.Chdir(dir) // a socket's path is short
			if err := syscall.Bind(fd, &syscall.SockaddrUnix{Name: "socket.yaml"}); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { syscall.Close(fd) })
		}
	}
	for _, under := range []string{"c/measurements/", "c/plain/"} {
		w := newWorld(t, nil)
		for name, content := range files {
			w.write(map[string]string{under + name: content})
		}
		w.write(map[string]string{"outside.yaml": runYAML("outside", "open")})
		make(t, filepath.Join(w.dir, under))
		r := w.load("w.db", w.options(), "c")
		w.want("w.db", `SELECT name FROM runs ORDER BY 1`, "good")
		named := slices.Clone(r.Skipped)
		for _, d := range r.Documents {
			if d.Status == store.Rejected {
				named = append(named, d.File)
			}
		}
		for _, odd := range []string{"absolute", "up", "loop", "broken", "self", "device", "fifo", "socket"} {
			if !slices.Contains(named, under+"open/"+odd+".yaml") {
				t.Errorf("%s: %s is not named: %q", under, odd, named)
			}
		}
	}
}

// TestFIFOAmongTables holds that a dump folder with a FIFO for a table is no dump.
func TestFIFOAmongTables(t *testing.T) {
	w := newWorld(t, tablesOfDump())
	table := filepath.Join(w.dir, "dump/configs.json")
	if err := os.Remove(table); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(table, 0o666); err != nil {
		t.Fatal(err)
	}
	if r := w.load("w.db", w.options(), "dump"); !slices.Contains(r.Skipped, "dump/configs.json") {
		t.Errorf("skipped %q", r.Skipped)
	}
}

// TestReplacedBetweenSearchAndReading holds that what took a file's place since
// the search is an error, and that a link put there leads nowhere.
func TestReplacedBetweenSearchAndReading(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(secret, []byte("outside"), 0o666); err != nil {
		t.Fatal(err)
	}
	for name, replace := range map[string]func(string) error{
		"directory": func(p string) error { return os.Mkdir(p, 0o777) },
		"fifo":      func(p string) error { return syscall.Mkfifo(p, 0o666) },
		"link":      func(p string) error { return os.Symlink(secret, p) },
		"nothing":   func(string) error { return nil },
	} {
		w := newWorld(t, map[string]string{"d/a.yaml": runYAML("a", "open")})
		found, err := gather(w.dir, []string{"d"}, newSteady())
		if err != nil || len(found.sources) != 1 {
			t.Fatal(err)
		}
		p := filepath.Join(w.dir, "d/a.yaml")
		if err := os.Remove(p); err != nil {
			t.Fatal(err)
		}
		if err := replace(p); err != nil {
			t.Fatal(err)
		}
		l := &loading{ctx: t.Context(), opts: w.options(), inputs: newSteady()}
		if _, err := l.parse(found.sources[0]); err == nil || !strings.Contains(err.Error(), "d/a.yaml") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestHostileCaptures holds the captures to the same.
func TestHostileCaptures(t *testing.T) {
	good := row("100000001", 1, "8", 4, `"median_ttft": 0.25`)
	with := func(old, new string) string { return strings.Replace(good, old, new, 1) }
	zip := func(s string) string {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		io.WriteString(z, s)
		z.Close()
		return b.String()
	}
	blank := zip(strings.Repeat(" ", 100<<20))
	for _, tt := range []struct{ name, text, rule string }{
		{"nested a million times", strings.Repeat("[", 1_000_000), "size"},
		{"a row nested a million times", "[" + with(`"isl"`, `"x":`+strings.Repeat("[", 1_000_000)+strings.Repeat("]", 1_000_000)+`,"isl"`) + "]", "json"},
		{"a key twice", with(`"conc":4`, `"conc":4,"conc":5`), "duplicate-key"},
		{"a metric twice", with(`"median_ttft": 0.25`, `"median_ttft": 0.25,"median_ttft": 0.5`), "duplicate-key"},
		{"half a surrogate pair", with("v0.11.0", `\ud800`), "json"},
		{"not UTF-8", with("v0.11.0", "\xff"), "json"},
		{"UTF-16", utf16Text("[" + good + "]"), "encoding"},
		{"beyond a double", with("0.25", "1e999"), "number-range"},
		{"many digits", with(`"conc":4`, `"conc":`+strings.Repeat("9", 100_000)), "type"},
		{"too many metrics", with(`"median_ttft": 0.25`, `"median_ttft": 0.25`+manyKeys(20_000)), "row-size"},
		{"too many keys", with(`"isl":1024`, `"isl":1024`+manyKeys(20_000)), "row-size"},
		{"a row of more than 64 MiB", with("v0.11.0", strings.Repeat("v", 65<<20)), "row-size"},
		{"cut gzip", zip(rows(good))[:60], "read"},
		{"gzip with a wrong sum", strings.Replace(zip(rows(good)), zip(rows(good))[len(zip(rows(good)))-8:], "12345678", 1), "read"},
		{"gzip of blanks", blank, "read"},
		{"gzip of gzip of blanks", zip(blank), "read"},
		{"gzip of zeros", zip(strings.Repeat("\x00", 100<<20)), "not-rows"},
		{"three times gzip", zip(zip(zip(rows(good)))), "not-rows"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, map[string]string{"hostile.json": tt.text, "good.json": rows(row("100000002", 1, "8", 4, `"median_ttft": 0.5`))})
			r := w.load("w.db", w.options(), "hostile.json", "good.json")
			d := r.Documents[slices.IndexFunc(r.Documents, func(d Document) bool { return d.File == "hostile.json" })]
			if d.Valid || !slices.ContainsFunc(outcomes(r), func(s string) bool {
				return strings.HasPrefix(s, "hostile.json") && strings.Contains(s, "["+tt.rule+"]")
			}) {
				t.Errorf("no %s: %.500q", tt.rule, outcomes(r))
			}
			w.want("w.db", `SELECT github_run_id FROM inferencex_runs`, "100000002")
		})
	}
}

func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"k%d":1`, i)
	}
	return b.String()
}

// TestStdinIsBounded holds that of an endless document no more is read than
// tells that it is too large, and that a capture is read as often as is needed.
func TestStdinIsBounded(t *testing.T) {
	w := newWorld(t, nil)
	opts := w.options()
	endless := &counted{r: zeros{}}
	opts.Stdin = endless
	r := w.load("w.db", opts, "-")
	if d := r.Documents[0]; d.Valid || d.Problems[0].Rule != "size" {
		t.Errorf("%+v", d)
	}
	if most := opts.Limits.MaxBytes + 1<<20; endless.n > most {
		t.Errorf("%d bytes were read, at most %d are needed", endless.n, most)
	}
	var all []string
	for i := range 400 { // more than the head
		all = append(all, row("100000001", 1, "8", 1+i, `"median_ttft": 0.25`))
	}
	opts.Stdin = strings.NewReader(rows(all...))
	if got := w.load("w.db", opts, "-").Documents[0].Rows.Added; got != 400 {
		t.Errorf("%d rows", got)
	}
	s, err := store.OpenMemory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	opts.Stdin = endlessRows{}
	opts.DryRun = true
	if _, err := Load(ctx, s, []string{"-"}, opts); err == nil {
		t.Error("an endless capture ended")
	}
}

type counted struct {
	r io.Reader
	n int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

type endlessRows struct{}

func (endlessRows) Read(p []byte) (int, error) {
	return copy(p, row("100000001", 1, "8", 4, `"median_ttft": 0.25`)+"\n"), nil
}

// TestThousandsOfFiles holds that a directory of many files is read whole.
func TestThousandsOfFiles(t *testing.T) {
	files := map[string]string{"c/measurements/sources.yaml": registryYAML(map[string]string{"open": everything})}
	for i := range 3000 {
		name := fmt.Sprintf("r%04d", i)
		files["c/measurements/open/"+name+".yaml"] = runYAML(name, "open")
	}
	w := newWorld(t, files)
	if r := w.load("w.db", w.options(), "c"); len(r.Documents) != 3001 {
		t.Errorf("%d documents", len(r.Documents))
	}
	w.want("w.db", `SELECT count(*) FROM runs`, "3000")
}

// FuzzGather builds trees of files, folders and links, and holds the search to
// what it promises: every regular file that is not hidden is exactly once a
// source, a table of one, or passed over; nothing is read that lies outside.
func FuzzGather(f *testing.F) {
	f.Add([]byte("\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09"))
	f.Add([]byte("measurements"))
	f.Add([]byte{3, 3, 0, 7, 7, 1, 9, 9, 2, 40, 41, 42, 80, 81, 82, 120, 121, 122, 200, 201, 202})
	names := []string{"a.yaml", "b.yml", "c.json", "d.json.gz", "README.md", ".hidden", "sources.yaml", "configs.json", "benchmark_results.json", "workflow_runs.json", "measurements", "open", "agg_x.json", "e.ndjson", "?x=1#.yaml", "two\nlines.yaml"}
	contents := []string{"kind: MeasuredRun\n", "[]", "{}", "prose", "", "\x1f\x8b\x08", `[{"hardware":"h","conc":1,"metrics":{}}]`}
	f.Fuzz(func(t *testing.T, plan []byte) {
		if len(plan) > 64 {
			plan = plan[:64]
		}
		base := t.TempDir()
		outside := filepath.Join(base, "outside")
		root := filepath.Join(base, "root")
		for _, d := range []string{outside, root} {
			if err := os.Mkdir(d, 0o777); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(outside, "secret.yaml"), []byte("kind: MeasuredRun\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		dirs := []string{root}
		for i := 0; i+2 < len(plan); i += 3 {
			p := filepath.Join(dirs[int(plan[i])%len(dirs)], names[int(plan[i+1])%len(names)])
			switch what := plan[i+2]; what % 8 {
			case 0, 1, 2:
				if _, err := os.Lstat(p); err != nil {
					os.WriteFile(p, []byte(contents[int(what/8)%len(contents)]), 0o666)
				}
			case 3, 4:
				if os.Mkdir(p, 0o777) == nil {
					dirs = append(dirs, p)
				}
			case 5:
				os.Symlink(filepath.Join(outside, "secret.yaml"), p)
			case 6:
				os.Symlink([]string{"..", "../outside", "../../outside/secret.yaml", ".", "a.yaml", outside, "c.json"}[int(what/8)%7], p)
			case 7:
				syscall.Mkfifo(p, 0o666)
			}
		}
		found, err := gather(base, []string{"root"}, newSteady())
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]int{}
		for _, s := range found.sources {
			if s.kind == dump {
				for _, table := range dumpFiles(s.path) {
					seen[filepath.Join(s.path, table)]++
				}
				continue
			}
			seen[s.path]++
			if s.place.misplaced != "" {
				continue
			}
			f, err := openFile(s.root, s.path)
			if err != nil {
				t.Fatalf("%s is a source and cannot be opened: %v", s.path, err)
			}
			f.Close()
			real, err := filepath.EvalSymlinks(s.path)
			if err != nil || strings.HasPrefix(real, outside) {
				t.Fatalf("%s leads to %s (%v)", s.path, real, err)
			}
		}
		for _, s := range found.skipped {
			seen[filepath.Join(base, s)]++
		}
		start := root
		if c := catalogRoot(root); c != "" {
			start = c
		}
		filepath.WalkDir(start, func(p string, e os.DirEntry, err error) error {
			switch {
			case err != nil:
				t.Fatal(err)
			case strings.HasPrefix(e.Name(), ".") && p != start:
				if e.IsDir() {
					return filepath.SkipDir
				}
			case !e.IsDir() && seen[p] != 1:
				t.Fatalf("%q was met %d times: %v", p, seen[p], found)
			}
			return nil
		})
	})
}
