package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/inference-sim/blis-warehouse/queries/export"
)

// licenceState is a licence as a run may find it.
type licenceState struct {
	id      string
	permits []string // in effect
	entry   string   // in the registry; "" for an unknown licence
	gone    bool     // the registry drops the entry later
}

// licenceStates are all that a licence can be: verified with each set of
// permits, unverified, refused, withdrawn, unknown.
func licenceStates() []licenceState {
	uses := []string{"score", "derive_coefficients", "redistribute"}
	verified := func(id string, permits []string) string {
		return "  - {id: " + id + ", title: t, license: MIT, status: verified, permits: [" + strings.Join(permits, ", ") +
			"], evidence: [{url: 'https://example.org/l', quote: q, location: l}], attribution: by " + id + "}\n"
	}
	states := []licenceState{
		{id: "unverified", entry: "  - {id: unverified, title: t, status: unverified, note: n, attribution: by unverified}\n"},
		{id: "refused", entry: "  - {id: refused, title: t, status: refused, note: n}\n"},
		{id: "withdrawn", entry: verified("withdrawn", uses), gone: true},
		{id: "unknown"},
	}
	for mask := 1; mask < 1<<len(uses); mask++ {
		var permits []string
		for i, use := range uses {
			if mask&(1<<i) != 0 {
				permits = append(permits, use)
			}
		}
		id := fmt.Sprintf("permits%d", mask)
		states = append(states, licenceState{id: id, permits: permits, entry: verified(id, permits)})
	}
	return states
}

func (s *licenceState) permit(use string) bool { return slices.Contains(s.permits, use) }

// gatedRun is a run of a licence: as reproducible as a run can be, or with a
// difference that makes it PARTIAL.
type gatedRun struct {
	licenceState
	partial bool
}

func (r *gatedRun) name() string {
	if r.partial {
		return r.id + "-partial"
	}
	return r.id + "-whole"
}

// document is invented; nothing in it is measured.
func (r *gatedRun) document() string {
	text := `kind: MeasuredRun
name: ` + r.name() + `
schema_version: 1
source:
  kind: paper
  adapter: {name: a, version: "1", sha256: ` + strings.Repeat("a", 64) + `}
  inputs: [{role: report, path: p.pdf, sha256: ` + strings.Repeat("b", 64) + `}]
  extraction: {method: pdf_text}
  license_ref: ` + r.id + `
model: invented-` + r.id + `
engine_version: "1"
cluster: {hardware: h100, nodes: 1, gpus_per_node: 8}
deployment: {kind: Deployment, name: d, pools: [{role: colocated, nodes: 1, parallel: {tp: 8, pp: 1, dp: 1}}]}
workload: {shape: chat}
client: {harness: h}
metric_defs:
`
	for _, formula := range []string{"tpot", "ttft", "itl"} {
		text += "  " + formula + ": {formula: " + formula + ", statistic: mean, population: per_request, clock: client, unit: ms, cite: c}\n"
	}
	text += "points:\n  - {id: c1, load: {concurrency: 1}, metrics: {tpot: {value: 1}, ttft: {value: 2}, itl: {value: 3}}}\n"
	if r.partial {
		text += "diff: [{path: engine.x, kind: conflict, material: \"no\"}]\n"
	}
	return text
}

// gate is a purpose, with the tier of a scoring export.
type gate struct{ purpose, tier, permit string }

// gates are what each purpose asks, apart from the program.
var gates = []gate{
	{"calibration", "", "derive_coefficients"}, {"scoring", "exact", "score"}, {"scoring", "partial", "score"}, {"redistribution", "", "redistribute"},
}

// passes tells whether a run may leave, and else the code of a reason.
func (g *gate) passes(r *gatedRun) (ok bool, code string) {
	exact := !r.partial && r.permit("score") // a run is EXACT only where its licence permits scoring
	switch {
	case !r.permit(g.permit):
		return false, "licence"
	case g.purpose == "redistribution":
		return true, ""
	case g.tier == "partial":
		return r.partial, "tier"
	case g.tier == "exact":
		return exact, "tier"
	case r.partial:
		return false, "diff"
	}
	return exact, "licence"
}

// args is an export through the gate in a form of exportForms.
func (g *gate) args(form []string) []string {
	args := append([]string{"export", "--db", "w.db", "--for", g.purpose}, form...)
	if g.tier != "" {
		args = append(args, "--tier", g.tier)
	}
	return args
}

// exportForms are the flags for every format, in every way in which it can lie.
func exportForms() [][]string {
	var forms [][]string
	for _, name := range export.Formats() {
		form, f := []string{"--format", name}, export.FormatNamed(name)
		if f.Coefficients {
			form = append(form, "--coefficients", "c")
		}
		forms = append(forms, form)
		if f.Partitions {
			forms = append(forms, append(slices.Clone(form), "--partition", "model,hardware"))
		}
	}
	return forms
}

// inProcess runs the program in the working directory.
func inProcess(t *testing.T, want int, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	if code := run(args, strings.NewReader(""), &out, &errs); code != want {
		t.Fatalf("%q: exit code %d, want %d\n%s", args, code, want, errs.String())
	}
	return out.String(), errs.String()
}

func writeText(t *testing.T, name, text string) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(name), 0o777)
	if err == nil {
		err = os.WriteFile(name, []byte(text), 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// gatedWarehouse makes a database with two runs of each licence in the working
// directory, and returns them.
func gatedWarehouse(t *testing.T) []gatedRun {
	t.Helper()
	before, after := "kind: MeasurementSources\nsources:\n", "kind: MeasurementSources\nsources:\n"
	var runs []gatedRun
	for _, state := range licenceStates() {
		before += state.entry
		if !state.gone {
			after += state.entry
		}
		for _, partial := range []bool{false, true} {
			r := gatedRun{state, partial}
			runs = append(runs, r)
			writeText(t, "runs/"+r.name()+".yaml", r.document())
		}
	}
	writeText(t, "sources.yaml", before)
	inProcess(t, 0, "load", "--db", "w.db", "sources.yaml", "runs")
	writeText(t, "sources.yaml", after)
	inProcess(t, 0, "load", "--db", "w.db", "sources.yaml")
	return runs
}

// TestExportGates holds for every licence, purpose and format that exactly the
// exports that should stop do, with the reason, and leave nothing; that those
// that pass hold the run and nothing else, name its attribution, and that the
// manifest's digest is that of what was written.
func TestExportGates(t *testing.T) {
	t.Chdir(t.TempDir())
	runs := gatedWarehouse(t)
	passed, stopped := 0, 0
	for _, g := range gates {
		for _, form := range exportForms() {
			for i := range runs {
				r := &runs[i]
				args := append(g.args(form), "-o", "out", r.name())
				if ok, code := g.passes(r); !ok {
					stdout, stderr := inProcess(t, 1, args...)
					if stdout != "" || !strings.Contains(stderr, r.name()+": "+code+": ") {
						t.Errorf("%q: printed %q and the reason %q, want %s", args, stdout, stderr, code)
					}
					stopped++
				} else {
					inProcess(t, 0, args...)
					checkExport(t, args, runs, []string{r.name()})
					passed++
				}
				if left, err := filepath.Glob("*out*"); err != nil || len(left) > 0 {
					t.Fatalf("%q left %q", args, left)
				}
			}
		}
	}
	if passed < 100 || stopped < 100 {
		t.Errorf("%d passed and %d were stopped", passed, stopped)
	}
}

// TestExportTakesAllThatPass holds that an export without names holds exactly
// the runs that pass its gate, and that one that would stop among those named
// stops all.
func TestExportTakesAllThatPass(t *testing.T) {
	t.Chdir(t.TempDir())
	runs := gatedWarehouse(t)
	for _, g := range gates {
		var names []string
		var all []string
		for i := range runs {
			all = append(all, runs[i].name())
			if ok, _ := g.passes(&runs[i]); ok {
				names = append(names, runs[i].name())
			}
		}
		slices.Sort(names)
		for _, form := range exportForms() {
			args := append(g.args(form), "-o", "out")
			inProcess(t, 0, args...)
			checkExport(t, args, runs, names)
			inProcess(t, 1, append(args, all...)...)
			if left, err := filepath.Glob("*out*"); err != nil || len(left) > 0 {
				t.Fatalf("%q left %q", args, left)
			}
		}
	}
}

// checkExport checks that the export "out" holds the runs of these names alone,
// and removes it.
func checkExport(t *testing.T, args []string, runs []gatedRun, names []string) {
	t.Helper()
	text, err := os.ReadFile("out.manifest.json")
	if err != nil {
		t.Fatalf("%q: %v", args, err)
	}
	var m export.Manifest
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	content, digest := exportedBytes(t)
	if m.SHA256 != digest {
		t.Errorf("%q: the manifest's digest is %s, that of the files %s", args, m.SHA256, digest)
	}
	var held, attributions []string
	for _, r := range m.Runs {
		held = append(held, r.Name)
	}
	if !slices.Equal(held, names) {
		t.Errorf("%q holds %q, want %q", args, held, names)
	}
	verdicts := map[bool]bool{}
	for i := range runs {
		r := &runs[i]
		taken := slices.Contains(names, r.name())
		if bytes.Contains(content, []byte(r.name())) != taken {
			t.Errorf("%q: %s in its bytes: %v", args, r.name(), !taken)
		}
		if taken {
			verdicts[r.partial] = true
			attributions = append(attributions, "by "+r.id)
		}
	}
	slices.Sort(attributions)
	if attributions = slices.Compact(attributions); !slices.Equal(m.Attributions, attributions) {
		t.Errorf("%q demands %q, want %q", args, m.Attributions, attributions)
	}
	if m.Purpose == export.Scoring && len(verdicts) > 1 {
		t.Errorf("%q mixes the tiers", args)
	}
	for _, path := range []string{"out", "out.manifest.json"} {
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
	}
}

// exportedBytes are the bytes of the file or folder "out", with the text that is
// compressed in them, and their digest as a manifest states it: of a folder that
// of what sha256sum prints for its files.
func exportedBytes(t *testing.T) (content []byte, digest string) {
	t.Helper()
	sum := func(b []byte) string {
		h := sha256.Sum256(b)
		return hex.EncodeToString(h[:])
	}
	if info, err := os.Stat("out"); err != nil || !info.IsDir() {
		content, err := os.ReadFile("out")
		if err != nil {
			t.Fatal(err)
		}
		return append(content, uncompressed(t, content)...), sum(content)
	}
	listing := ""
	err := filepath.WalkDir("out", func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		content = append(append(content, b...), uncompressed(t, b)...)
		listing += sum(b) + "  " + strings.TrimPrefix(filepath.ToSlash(path), "out/") + "\n"
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return content, sum([]byte(listing))
}

// uncompressed is all text in the rows of a Parquet file, nothing for any other.
func uncompressed(t *testing.T, content []byte) []byte {
	t.Helper()
	if !bytes.HasPrefix(content, []byte("PAR1")) {
		return nil
	}
	f, err := parquet.OpenFile(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	var text []byte
	for _, group := range f.RowGroups() {
		rows := group.Rows()
		defer rows.Close()
		for buffer := make([]parquet.Row, 64); ; {
			n, err := rows.ReadRows(buffer)
			for _, row := range buffer[:n] {
				for _, v := range row {
					if v.Kind() == parquet.ByteArray {
						text = append(append(text, v.ByteArray()...), '\n')
					}
				}
			}
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	return text
}

// TestBinaryOnTerminal holds that a terminal is not sent what it cannot show,
// and that anything else is.
func TestBinaryOnTerminal(t *testing.T) {
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("NOT RUN: there is no terminal to open: %v", err)
	}
	defer terminal.Close()
	for _, test := range []struct{ format, file, want string }{
		{"parquet", "-", "parquet is not for a terminal"},
		{"parquet", "x", ""},
		{"jsonl", "-", ""},
	} {
		job := &exportJob{format: export.FormatNamed(test.format), file: test.file}
		err := job.check(export.Request{}, terminal)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %v, want %q", test, err, test.want)
		}
		if err := job.check(export.Request{}, &bytes.Buffer{}); err != nil {
			t.Errorf("%+v to no terminal: %v", test, err)
		}
	}
}
