package plot

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"gonum.org/v1/plot/vg"

	"github.com/inference-sim/blis-warehouse/loader"
	"github.com/inference-sim/blis-warehouse/loader/catalog"
	"github.com/inference-sim/blis-warehouse/migrations"
	"github.com/inference-sim/blis-warehouse/store"
)

var update = flag.Bool("update", false, "write the golden files")

// demo opens a fresh database with the demonstration data.
func demo(t *testing.T) *store.Reader {
	t.Helper()
	return loaded(t, "../../testdata/demo/catalog", "../../testdata/demo/captures", "../../testdata/demo/evaluations")
}

// loaded opens a fresh database with what the paths hold.
func loaded(t *testing.T, paths ...string) *store.Reader {
	t.Helper()
	path := filepath.Join(t.TempDir(), "w.db")
	w, err := store.OpenWriter(t.Context(), path, store.WriterOptions{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	_, err = loader.Load(t.Context(), w, paths, loader.Options{Tool: "test", Now: time.Unix(0, 0), Limits: catalog.DefaultLimits()})
	if err == nil {
		err = w.Publish()
	}
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	r, err := store.OpenReader(t.Context(), path, store.ReaderOptions{SchemaVersion: migrations.Latest()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// asked are pictures of the demonstration data.
var asked = []struct {
	name, picture string
	req           Request
}{
	{"curve", "curve", Request{Runs: []string{"demo-h100-tp8", "demo-h100-tp4", "demo-h100-tp8-extended"}}},
	{"curve-log", "curve", Request{Runs: []string{"demo-h100-tp8", "demo-b200-pd"}, X: "ttft_p50_ms", LogX: true, LogY: true}},
	{"curve-inferencex", "curve", Request{Runs: []string{"inferencex-100000002-1-450245705d98", "inferencex-100000003-1-9d3898697da6"}}},
	{"scaling", "scaling", Request{Runs: []string{"demo-h100-tp8", "demo-h100-tp4"}}},
	{"pareto", "pareto", Request{Filter: Filter{Model: "dsr1", Accept: "unofficial"}}},
	{"history", "history", Request{Runs: []string{"inferencex-100000002-1-450245705d98"}}},
	{"history-chain", "history", Request{Runs: []string{"demo-h200-trace-r1"}}},
	{"anchor", "anchor", Request{Runs: []string{"demo-h200-trace", "demo-h200-trace-r1"}, Y: "goodput_requests_per_s"}},
}

func read(t *testing.T, r *store.Reader, picture string, req *Request) *Figure {
	t.Helper()
	p, ok := Named(picture)
	if !ok {
		t.Fatalf("no picture %s", picture)
	}
	f, err := p.Read(t.Context(), r, req)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func svg(t *testing.T, f *Figure, s Size) string {
	t.Helper()
	var b strings.Builder
	if err := WriteSVG(&b, f, s); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestPictures draws every picture of the demonstration data twice, in both
// formats: the bytes are the same, the SVG is well-formed, no two texts overlap
// or lie outside, none is small, and a PNG has the dots that were asked for.
func TestPictures(t *testing.T) {
	r := demo(t)
	drawn := map[string]bool{}
	for _, a := range asked {
		t.Run(a.name, func(t *testing.T) {
			drawn[a.picture] = true
			for _, size := range []Size{{Width: 880, Height: 560, DPI: 96}, {Width: 480, Height: 520, DPI: 96}} {
				f := read(t, r, a.picture, &a.req)
				text := svg(t, f, size)
				if again := svg(t, read(t, r, a.picture, &a.req), size); again != text {
					t.Error("the same picture has other bytes the second time")
				}
				checkTexts(t, text, size)
				var one, two bytes.Buffer
				if err := errors.Join(WritePNG(&one, f, size), WritePNG(&two, f, size)); err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(one.Bytes(), two.Bytes()) {
					t.Error("the same PNG has other bytes the second time")
				}
				config, err := png.DecodeConfig(&one)
				if err != nil || config.Width != size.Width*size.DPI/96 || config.Height != size.Height*size.DPI/96 {
					t.Errorf("the PNG is %d by %d: %v", config.Width, config.Height, err)
				}
			}
		})
	}
	for _, p := range Pictures() {
		if !drawn[p.Name] {
			t.Errorf("no test draws %s", p.Name)
		}
	}
}

// TestGolden holds the drawing itself: a change of it is to be looked at.
func TestGolden(t *testing.T) {
	r := demo(t)
	history := read(t, r, "history", &asked[5].req)
	for name, f := range map[string]*Figure{"history": history, "twelve": twelve()} {
		file := filepath.Join("testdata", name+".svg")
		got := svg(t, f, Size{Width: 640, Height: 420, DPI: 96})
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s is drawn otherwise: look at both, then go test ./queries/plot -update", file)
		}
	}
}

// twelve is a figure with as many series as there can be.
func twelve() *Figure {
	f := &Figure{Title: "As many series as can be told apart", Panels: []Panel{{X: Axis{Label: "Load", Scale: Log2}, Y: Axis{Label: "Value (units), higher is better", Zero: true}}}}
	for i := range MaxSeries {
		f.Series = append(f.Series, Series{Name: fmt.Sprintf("series %d", i+1)})
		line := Line{Series: i}
		for k := range 6 {
			line.Points = append(line.Points, Point{X: math.Exp2(float64(k)), Y: float64((i + 2) * (k + 1))})
		}
		f.Panels[0].Lines = append(f.Panels[0].Lines, line)
	}
	return f
}

// element is a text element of an SVG.
type element struct {
	text               string
	x, y, size, length float64
	rotated            bool
}

// elements reads an SVG with a strict parser and returns its texts; names of
// all elements are counted.
func elements(t *testing.T, svg string) (texts []element, names map[string]int) {
	t.Helper()
	names = map[string]int{}
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := d.Token()
		if err == io.EOF {
			return texts, names
		}
		if err != nil {
			t.Fatalf("not well-formed: %v", err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			names[token.Name.Local]++
			if token.Name.Local == "text" {
				var e element
				for _, a := range token.Attr {
					v, _ := strconv.ParseFloat(a.Value, 64)
					switch a.Name.Local {
					case "x":
						e.x = v
					case "y":
						e.y = v
					case "font-size":
						e.size = v
					case "textLength":
						e.length = v
					case "transform":
						e.rotated = true
					}
				}
				texts = append(texts, e)
			}
		case xml.CharData:
			if n := len(texts); n > 0 && texts[n-1].text == "" {
				texts[n-1].text = strings.TrimSpace(string(token))
			}
		}
	}
}

func checkTexts(t *testing.T, svg string, s Size) {
	t.Helper()
	texts, names := elements(t, svg)
	if len(texts) < 5 || names["title"] < 2 {
		t.Errorf("the picture has %d texts and %d titles", len(texts), names["title"])
	}
	width, height := float64(points(s.Width)), float64(points(s.Height))
	for i, a := range texts {
		if a.size < smallSize {
			t.Errorf("%q is set in %g points", a.text, a.size)
		}
		if a.length == 0 { // of up to three letters
			a.length = float64(textStyle(vg.Length(a.size), ink, false).Width(a.text))
			texts[i].length = a.length
		}
		if !a.rotated && (a.x < 0 || a.y < 0 || a.x+a.length > width+0.5 || a.y > height) || a.rotated && (a.y > height || a.y-a.length < 0) {
			t.Errorf("%q lies outside the picture", a.text)
		}
		for _, b := range texts[:i] {
			if !a.rotated && !b.rotated && a.x < b.x+b.length && b.x < a.x+a.length && a.y-a.size*0.7 < b.y && b.y-b.size*0.7 < a.y {
				t.Errorf("%q and %q overlap", a.text, b.text)
			}
		}
	}
}

// TestHostileText holds that no text of the data is markup or steers anything.
func TestHostileText(t *testing.T) {
	hostile := []string{`"><script>alert(1)</script>`, "\x1b]0;title\a\x1b[31m", "a\u202eb\u200bc", "bad \xff byte", "]]>&amp;<!--", strings.Repeat("long ", 3000), strings.Repeat("W", 10000), "日本語 الاسم", ""}
	f := twelve()
	for i, s := range hostile {
		f.Series[i].Name = s
		f.Panels[0].Lines[i].Points[0].Label, f.Panels[0].Lines[i].Points[1].Tag = s, s
		f.Panels[0].Marks = append(f.Panels[0].Marks, Mark{X: 4, Text: s})
	}
	size := Size{Width: 900, Height: 900, DPI: 96}
	f.Title, f.Subtitle, f.Notes = hostile[0], hostile[1], hostile
	f.Panels[0].X.Label, f.Panels[0].Y.Label = hostile[0]+hostile[6], hostile[5]
	for name, write := range map[string]func(io.Writer, *Figure, Size) error{"svg": WriteSVG, "inline": WriteInline} {
		var b strings.Builder
		if err := write(&b, f, size); err != nil {
			t.Fatal(err)
		}
		_, names := elements(t, b.String())
		for _, tag := range []string{"script", "image", "a", "style", "foreignObject"} {
			if names[tag] > 0 {
				t.Errorf("%s: the picture has an element %s", name, tag)
			}
		}
		for _, r := range b.String() {
			if r != '\n' && r != '\u2009' && (unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r)) || r == unicode.ReplacementChar {
				t.Fatalf("%s: the picture holds %U", name, r)
			}
		}
		if !strings.Contains(b.String(), "&lt;script&gt;") || !strings.Contains(b.String(), `\x1b`) {
			t.Errorf("%s: what is hostile is not shown for what it is", name)
		}
	}
	if err := WritePNG(io.Discard, f, size); err != nil {
		t.Error(err)
	}
}

// TestNumbers compares the points of curves with the values that the runs state.
func TestNumbers(t *testing.T) {
	r := demo(t)
	f := read(t, r, "curve", &asked[0].req)
	n := 0
	for _, l := range f.Panels[0].Lines {
		for _, p := range l.Points {
			for metric, got := range map[string]float64{"output_tps": p.Y, "ttft_p50": p.X} {
				rows, err := r.Query(t.Context(), "SELECT m.value FROM runs AS r JOIN points AS p USING (run_id) JOIN measurements AS m USING (point_id) WHERE r.name = :run AND p.id = :point AND m.metric = :metric",
					map[string]any{"run": p.Run, "point": p.Point, "metric": metric})
				if err != nil {
					t.Fatal(err)
				}
				for row, err := range rows.All() {
					if err != nil || row[0] != got {
						t.Errorf("%s %s: %s is %v, drawn at %v: %v", p.Run, p.Point, metric, row[0], got, err)
					}
					n++
				}
			}
			if !strings.Contains(svg(t, f, DefaultSize()), "<title>"+p.Run+", "+p.Point+"\n") {
				t.Errorf("the picture does not tell %q to who points at it", p.Label)
			}
			if !strings.Contains(p.Label, precise(p.X)) || !strings.Contains(p.Label, precise(p.Y)) {
				t.Errorf("the label %q does not tell %v and %v", p.Label, p.X, p.Y)
			}
		}
	}
	if n != 2*(4+4+5) {
		t.Errorf("%d values were compared", n)
	}
}

// TestAnchor compares ratios and bars with figures computed by hand.
func TestAnchor(t *testing.T) {
	r := demo(t)
	f := read(t, r, "anchor", &asked[7].req)
	bars := 0
	for i, p := range f.Panels[0].Lines[0].Points {
		if i == 0 {
			if p.Y != 1 || p.Spread != 0 {
				t.Errorf("the anchor is %v ± %v", p.Y, p.Spread)
			}
			continue
		}
		want := p.Y * math.Sqrt(0.02*0.02+0.02*0.02) // every point of the run states a cv of 0.02
		if math.Abs(p.Spread-want) > 1e-12 {
			t.Errorf("%s: the bar is %v, want %v", p.Label, p.Spread, want)
		}
		bars++
	}
	if bars != 2 {
		t.Errorf("%d bars", bars)
	}
	none := read(t, r, "anchor", &Request{Runs: []string{"demo-h100-tp8"}})
	for _, p := range none.Panels[0].Lines[0].Points {
		if p.Spread != 0 {
			t.Errorf("%s: a bar of a run that states no noise", p.Label)
		}
	}
}

// TestPareto holds that the frontier and what lies behind it are the points
// that pareto-points finds, each once, and that nothing beats the frontier.
func TestPareto(t *testing.T) {
	r := demo(t)
	req := Request{Filter: Filter{Accept: "unofficial,gpu_count,hung,intvty_tpot,far_from_neighbours", Model: "qwen3.5-397b-a17b"}}
	f := read(t, r, "pareto", &req)
	all, err := ask(t.Context(), r, "pareto-points", req.Filter.params())
	if err != nil {
		t.Fatal(err)
	}
	var on, behind []Point
	for _, l := range f.Panels[0].Lines {
		for _, p := range l.Points {
			if p.Behind {
				behind = append(behind, p)
			} else {
				on = append(on, p)
			}
		}
	}
	if len(on)+len(behind) != len(all.rows) || len(on) == 0 || len(behind) == 0 {
		t.Errorf("%d on the frontier, %d behind, %d in all", len(on), len(behind), len(all.rows))
	}
	beaten := func(p Point, by []Point) bool {
		return slices.ContainsFunc(by, func(q Point) bool { return q.X >= p.X && q.Y >= p.Y && (q.X > p.X || q.Y > p.Y) })
	}
	for _, p := range on {
		if beaten(p, slices.Concat(on, behind)) {
			t.Errorf("%s is on the frontier, and beaten", p.Label)
		}
	}
	for _, p := range behind {
		if !beaten(p, on) {
			t.Errorf("%s lies behind, and nothing beats it", p.Label)
		}
	}
}

// TestParetoFlagged holds that flagged points are counted, also of a hardware
// that has no other.
func TestParetoFlagged(t *testing.T) {
	r := demo(t)
	filter := Filter{Model: "qwen3.5-397b-a17b", Accept: "unofficial,gpu_count,hung,intvty_tpot,far_from_neighbours"}
	all := len(read(t, r, "pareto", &Request{Filter: filter}).Panels[0].Lines[0].Points)
	filter.Accept = "unofficial,gpu_count"
	f := read(t, r, "pareto", &Request{Filter: filter})
	left := all - len(f.Panels[0].Lines[0].Points)
	want := plural(left, "flagged point is left out", "flagged points are left out")
	if left == 0 || !slices.ContainsFunc(f.Notes, func(note string) bool { return strings.HasPrefix(note, want) }) {
		t.Errorf("%d points are left out: %q", left, f.Notes)
	}
}

// TestHistoryDays holds that an axis of days says of what they are.
func TestHistoryDays(t *testing.T) {
	r := demo(t)
	for run, want := range map[string]string{
		"inferencex-100000002-1-450245705d98": "Day of measurement (UTC)",
		"demo-h200-trace-r1":                  "Day on which the inputs were fetched (UTC)",
	} {
		if got := read(t, r, "history", &Request{Runs: []string{run}}).Panels[0].X.Label; got != want {
			t.Errorf("%s: %q, want %q", run, got, want)
		}
	}
}

// TestScalingOverRate holds that runs with one cap of concurrency and several
// rates are drawn over the rates.
func TestScalingOverRate(t *testing.T) {
	text, err := os.ReadFile("../../testdata/demo/catalog/measurements/demo-open/demo-h200-trace.yaml")
	if err != nil {
		t.Fatal(err)
	}
	capped := strings.ReplaceAll(string(text), "      request_rate:", "      concurrency: 64\n      request_rate:")
	file := filepath.Join(t.TempDir(), "demo-h200-trace.yaml")
	if err := os.WriteFile(file, []byte(capped), 0o600); err != nil {
		t.Fatal(err)
	}
	f := read(t, loaded(t, "../../testdata/demo/catalog/measurements/sources.yaml", file), "scaling", &Request{Runs: []string{"demo-h200-trace"}})
	for _, p := range f.Panels {
		points := p.Lines[0].Points
		if len(points) != 3 || points[0].X != 0.5 || points[2].X != 4 || !strings.HasPrefix(p.X.Label, "Offered request rate") {
			t.Errorf("%s: %+v", p.X.Label, points)
		}
	}
}

// TestRefusals holds what is said of figures that cannot be made.
func TestRefusals(t *testing.T) {
	r := demo(t)
	curve, _ := Named("curve")
	roles := []string{"inferencex-100000001-1-070791e3156b", "inferencex-100000003-1-9d3898697da6"}
	_, err := curve.Read(t.Context(), r, &Request{Runs: roles, Y: "output_tok_s_per_gpu"})
	differ, ok := errors.AsType[*DefinitionsError](err)
	if !ok || len(differ.Lines) != 1 || !strings.Contains(differ.Lines[0], "gpu_scope: all (inferencex-100000001-1-070791e3156b); decode (inferencex-100000003-1-9d3898697da6)") {
		t.Errorf("definitions that differ: %v", err)
	}
	for _, despite := range []string{"gpu_scope", "all"} {
		f := read(t, r, "curve", &Request{Runs: roles, Y: "output_tok_s_per_gpu", Despite: []string{despite}})
		if !strings.HasPrefix(f.Notes[0], "Definitions differ. output_tok_s_per_gpu: the runs differ in gpu_scope") {
			t.Errorf("the picture does not say that definitions differ: %q", f.Notes)
		}
	}
	if _, err := curve.Read(t.Context(), r, &Request{Runs: roles, Y: "output_tok_s_per_gpu", Despite: []string{"clock"}}); err == nil {
		t.Error("another field lets gpu_scope differ")
	}
	_, err = curve.Read(t.Context(), r, &Request{Runs: []string{"nobody"}})
	if unknown, ok := errors.AsType[*UnknownRunError](err); !ok || unknown.Name != "nobody" {
		t.Errorf("a run that is not there: %v", err)
	}
	_, err = curve.Read(t.Context(), r, &Request{Runs: []string{"demo-h100-tp8", "demo-h100-tp4"}, Y: "tpot_mean_ms"})
	if shared, ok := errors.AsType[*SharedError](err); !ok || !slices.Equal(shared.Shared, []string{"output_tok_s", "ttft_p50_ms"}) {
		t.Errorf("a metric that one run lacks: %v", err)
	}
	pareto, _ := Named("pareto")
	for model, want := range map[string]string{"no such": "no newest run", "dsr1": "all 4 points are flagged"} {
		if _, err := pareto.Read(t.Context(), r, &Request{Filter: Filter{Model: model}}); !errors.Is(err, ErrEmpty) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s has no point to draw: %v", model, err)
		}
	}
	low := twelve()
	for i := range low.Series {
		low.Series[i].Name = strings.Repeat("a long name ", 4)
	}
	if err := WriteSVG(io.Discard, low, Size{Width: 320, Height: 240, DPI: 96}); err == nil || !strings.Contains(err.Error(), "pixels higher") {
		t.Errorf("a picture without room: %v", err)
	}
	for name, spoil := range map[string]func(*Figure){
		"thirteen":  func(f *Figure) { f.Series = append(f.Series, Series{Name: "one more"}) },
		"zero":      func(f *Figure) { f.Panels[0].Lines[0].Points[0].X = 0 },
		"infinite":  func(f *Figure) { f.Panels[0].Lines[0].Points[0].Y = math.Inf(1) },
		"no number": func(f *Figure) { f.Panels[0].Lines[0].Points[0].Y = math.NaN() },
		"no points": func(f *Figure) { f.Panels[0].Lines = nil },
	} {
		f := twelve()
		spoil(f)
		if err := WriteSVG(io.Discard, f, DefaultSize()); err == nil {
			t.Errorf("%s: drawn", name)
		}
	}
}

func TestSize(t *testing.T) {
	if err := DefaultSize().Check(); err != nil {
		t.Error(err)
	}
	for _, s := range []Size{{}, {319, 240, 96}, {320, 239, 96}, {4001, 400, 96}, {400, 4001, 96}, {400, 400, 47}, {400, 400, 601}, {4000, 4000, 600}} {
		if s.Check() == nil {
			t.Errorf("%+v is accepted", s)
		}
	}
}

// TestExtremes draws values at the ends of what there is, and such as are
// nearly one: it ends, and what has no place is refused.
func TestExtremes(t *testing.T) {
	drawn, refused := 0, 0
	for _, scale := range []Scale{Linear, Log2, Log10} {
		for _, values := range [][2]float64{{1e17, 1e17 + 32}, {1, 1 + 1e-15}, {1e-149, 1e149}, {5e-324, 1}, {1, 1.7e308}, {0, 5e-324}, {7, 7}, {1e-12, 2e-12}, {123456789, 123456790}} {
			f := &Figure{Title: "Extremes", Series: []Series{{Name: "one"}}, Panels: []Panel{{X: Axis{Label: "x", Scale: scale}, Y: Axis{Label: "y", Scale: scale}}}}
			f.Panels[0].Lines = []Line{{Points: []Point{{X: values[0], Y: values[0]}, {X: values[1], Y: values[1], Spread: values[1]}}}}
			var b strings.Builder
			if err := WriteSVG(&b, f, DefaultSize()); err != nil {
				refused++
				continue
			}
			drawn++
			if text := b.String(); strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
				t.Errorf("%v on scale %d: a place that is no number", values, scale)
			}
		}
	}
	if drawn < 15 || refused < 5 {
		t.Errorf("%d drawn, %d refused", drawn, refused)
	}
}

// TestTicks holds that numbers at axes are few, in order, within the axis and
// told apart.
func TestTicks(t *testing.T) {
	for _, scale := range []Scale{Linear, Log2, Log10, Days} {
		for _, ends := range [][2]float64{{0, 1}, {0, 5020}, {0.5, 4}, {1, 512}, {3, 3.0001}, {1e-7, 1e7}, {48, 505}, {99, 101}, {20000, 20500}, {1e-30, 1e30}} {
			if (scale == Log2 || scale == Log10) && ends[0] <= 0 || scale == Days && (ends[1] > 1e5 || ends[0] < 1e-6) {
				continue
			}
			for most := 2; most <= 10; most++ {
				all := ticks{scale, most}.Ticks(ends[0], ends[1])
				seen := map[string]bool{}
				for i, tick := range all {
					if tick.Value < ends[0] || tick.Value > ends[1] || i > 0 && tick.Value <= all[i-1].Value {
						t.Errorf("scale %d of %v: a tick at %v", scale, ends, tick.Value)
					}
					if seen[tick.Label] {
						t.Errorf("scale %d of %v: %s twice", scale, ends, tick.Label)
					}
					seen[tick.Label] = true
				}
				if len(all) > most+1 || len(all) == 0 && scale != Days && ends != [2]float64{3, 3.0001} {
					t.Errorf("scale %d of %v: %d ticks where there is room for %d", scale, ends, len(all), most)
				}
			}
		}
	}
}

func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 0.5: "0.5", 1740: "1740", 12000: "12\u202f000", 1234567.5: "1\u202f234\u202f567.5", -0.25: "−0.25", 1e-7: "1e-07", 3e12: "3e+12"} {
		if got := number(v); got != want {
			t.Errorf("%v is %q, want %q", v, got, want)
		}
	}
	if got := number(math.Copysign(0, -1)); got != "0" {
		t.Errorf("−0 is %q", got)
	}
}

// TestStyles holds that any two series differ in mark and stroke, without their colours.
func TestStyles(t *testing.T) {
	seen := map[string]int{}
	for i := range MaxSeries {
		s := styleOf(i, false)
		key := fmt.Sprint(s.shape, s.dash)
		if other, ok := seen[key]; ok {
			t.Errorf("series %d and %d look the same in black and white", other, i)
		}
		seen[key] = i
	}
}

// TestColumns holds the legend's layout against trying all.
func TestColumns(t *testing.T) {
	widths := []vg.Length{50, 80, 30, 60, 200, 40, 40}
	for room := vg.Length(200); room < 700; room += 25 {
		rows, lefts := columns(widths, room)
		total := vg.Length(0)
		for column := range slices.Chunk(widths, rows) {
			total += slices.Max(column)
		}
		if total > room || len(lefts) != (len(widths)+rows-1)/rows {
			t.Errorf("%v: %d rows take %v", room, rows, total)
		}
	}
	if rows, _ := columns(widths, 10); rows != len(widths) {
		t.Errorf("without room there are %d rows", rows)
	}
}
