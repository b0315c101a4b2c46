package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/inference-sim/blis-warehouse/queries/lineage"
	"github.com/inference-sim/blis-warehouse/queries/plot"
	"github.com/inference-sim/blis-warehouse/store"
)

func plotCommand() command {
	return command{
		name:    "plot",
		args:    "[PICTURE [RUN...]]",
		maxArgs: -1,
		summary: "draw a picture of curves, frontiers, scaling, history or ratios to the anchor, as SVG or PNG",
		help: `Without arguments the pictures are listed. -o says where a picture goes, and its
suffix whether it is SVG or PNG; - is standard output, as SVG unless --format says
png.

curve shows throughput against interactivity, or latency where not all runs have
that; scaling both over the load, on axes of powers of two; pareto the best points
of every hardware and precision of a model; history a value over time, at each
load, with the engine's versions; anchor the ratio to the lowest load, with a bar
of one standard deviation where runs state their noise.

--x and --y choose other metrics among those that all runs have: columns of the
view curves, such as ttft_p50_ms. Metrics whose definitions differ are not drawn
over one axis: each difference is named and the exit code is 1, unless --despite
lets a field differ, which the picture then says.

A picture names the licences of its data and what they ask to be said. The same
database gives the same bytes.

Examples:
  blis-warehouse plot
  blis-warehouse plot curve demo-h100-tp8 demo-h100-tp4 -o curve.svg
  blis-warehouse plot curve demo-h100-tp8 demo-h100-tp4 --x ttft_p50_ms --log-x -o curve.png
  blis-warehouse plot scaling demo-h100-tp8 demo-h100-tp4 -o scaling.svg
  blis-warehouse plot pareto --model dsr1 --accept unofficial -o pareto.svg
  blis-warehouse plot history inferencex-100000002-1-450245705d98 -o history.svg
  blis-warehouse plot anchor demo-h200-trace -o anchor.png --dpi 300`,
		words: pictureNames,
		setup: setupPlot,
	}
}

// pictureFormats are the values of plot's --format.
func pictureFormats() []string { return []string{"svg", "png"} }

// plotFlags are the values of plot's flags.
type plotFlags struct {
	request  plot.Request
	size     plot.Size
	isl, osl int64
	format   string
	file     string
	force    bool
}

func setupPlot(fs *pflag.FlagSet) runFunc {
	database := databaseFlags(fs)
	f := &plotFlags{size: plot.DefaultSize()}
	fs.StringVarP(&f.file, "output", "o", "", "write to `FILE`.svg or FILE.png, which appears complete or not at all; - is standard output")
	fs.BoolVar(&f.force, "force", false, "let -o overwrite a file")
	fs.StringVarP(&f.format, "format", "f", "", "the `FORMAT`: svg or png (default that of the file's suffix, else svg)")
	fs.IntVar(&f.size.Width, "width", f.size.Width, "the width in `PIXELS` of 1/96 inch")
	fs.IntVar(&f.size.Height, "height", f.size.Height, "the height in `PIXELS` of 1/96 inch")
	fs.IntVar(&f.size.DPI, "dpi", f.size.DPI, "png: `DOTS` per inch")
	fs.StringVar(&f.request.Title, "title", "", "the picture's `TITLE`, instead of what it shows")
	fs.StringVar(&f.request.X, "x", "", "the `METRIC` to the right, of scaling the latency")
	fs.StringVar(&f.request.Y, "y", "", "the `METRIC` upwards")
	fs.BoolVar(&f.request.LogX, "log-x", false, "make the axis to the right logarithmic")
	fs.BoolVar(&f.request.LogY, "log-y", false, "make the axis upwards logarithmic")
	fs.StringArrayVar(&f.request.Despite, "despite", nil, "draw metrics whose definitions differ in this `FIELD`, or in all (repeatable)")
	fs.StringVar(&f.request.Filter.Model, "model", "", "pareto: the `MODEL`")
	fs.StringVar(&f.request.Filter.Hardware, "hardware", "", "pareto: one `ACCELERATOR`")
	fs.StringVar(&f.request.Filter.Precision, "precision", "", "pareto: one `PRECISION`")
	fs.StringVar(&f.request.Filter.Accept, "accept", "", "pareto: `FLAGS` that leave no point out, parted by commas (see the query flag-counts)")
	fs.Int64Var(&f.isl, "isl", 0, "pareto: the input length in `TOKENS`")
	fs.Int64Var(&f.osl, "osl", 0, "pareto: the output length in `TOKENS`")
	return func(ctx context.Context, env *environment, args []string) error {
		if fs.Changed("isl") {
			f.request.Filter.ISL = &f.isl
		}
		if fs.Changed("osl") {
			f.request.Filter.OSL = &f.osl
		}
		if len(args) == 0 {
			return listPictures(env, f)
		}
		picture, err := f.check(args)
		if err != nil {
			return err
		}
		return f.draw(ctx, env, database, picture)
	}
}

func pictureNames() []string {
	var names []string
	for _, p := range plot.Pictures() {
		names = append(names, p.Name)
	}
	return names
}

func listPictures(env *environment, f *plotFlags) error {
	if f.file != "" {
		return &usageError{message: "plot needs the name of a picture: " + strings.Join(pictureNames(), ", "), command: "plot"}
	}
	var rows [][]any
	for _, p := range plot.Pictures() {
		rows = append(rows, []any{p.Name, p.Args, p.Summary})
	}
	return writeTable(env.stdout, nil, []string{"picture", "arguments", "what it shows"}, rowsOf(rows))
}

// check takes the arguments and flags apart, and says what was meant where
// they do not fit the picture.
func (f *plotFlags) check(args []string) (plot.Picture, error) {
	wrong := func(format string, values ...any) (plot.Picture, error) {
		return plot.Picture{}, &usageError{message: fmt.Sprintf(format, values...), command: "plot"}
	}
	p, ok := plot.Named(args[0])
	if !ok {
		return wrong("unknown picture %s%s; the pictures are %s", quote(args[0]), didYouMean(args[0], pictureNames()), strings.Join(pictureNames(), ", "))
	}
	f.request.Runs = args[1:]
	filter := f.request.Filter
	switch n := len(f.request.Runs); {
	case n < p.MinRuns:
		return wrong("plot %s needs the name of a run", p.Name)
	case n > p.MaxRuns && p.MaxRuns == 0:
		return wrong("plot %s takes no run: --model and the like choose them", p.Name)
	case n > p.MaxRuns:
		return wrong("plot %s takes at most %s: more cannot be told apart", p.Name, plural(p.MaxRuns, "run", "runs"))
	case p.Filters && filter.Model == "":
		return wrong("plot %s needs --model", p.Name)
	case !p.Filters && filter != (plot.Filter{}):
		return wrong("plot %s takes runs: --model, --hardware, --precision, --isl, --osl and --accept are for pareto", p.Name)
	case f.request.X != "" && !p.X:
		return wrong("plot %s has no choice of --x", p.Name)
	case f.request.LogX && !p.LogX:
		return wrong("plot %s has no choice of --log-x", p.Name)
	case f.file == "":
		return wrong("plot needs -o FILE.svg or FILE.png; - is standard output")
	}
	for _, metric := range []string{f.request.X, f.request.Y} {
		if names := plot.Names(plot.Metrics()); metric != "" && !slices.Contains(names, metric) {
			return wrong("unknown metric %s%s; the metrics are %s", quote(metric), didYouMean(metric, names), strings.Join(names, ", "))
		}
	}
	known := append(lineage.DefinitionFields(), "all")
	for _, field := range f.request.Despite {
		if !slices.Contains(known, field) {
			return wrong("--despite: the fields are %s%s", strings.Join(known, ", "), didYouMean(field, known))
		}
	}
	if err := f.size.Check(); err != nil {
		return wrong("%v", err)
	}
	return p, f.chooseFormat()
}

// chooseFormat settles the format: the flag's, else that of the suffix, else SVG
// on standard output.
func (f *plotFlags) chooseFormat() error {
	suffix := strings.ToLower(strings.TrimPrefix(filepath.Ext(f.file), "."))
	switch {
	case f.format != "" && !slices.Contains(pictureFormats(), f.format):
		return &usageError{message: "the formats of a picture are " + strings.Join(pictureFormats(), ", ") + didYouMean(f.format, pictureFormats()), command: "plot"}
	case f.format != "":
	case f.file == "-":
		f.format = "svg"
	case slices.Contains(pictureFormats(), suffix):
		f.format = suffix
	default:
		return &usageError{message: quote(f.file) + " ends neither in .svg nor in .png: --format says which it is", command: "plot"}
	}
	return nil
}

// draw reads the picture and writes it.
func (f *plotFlags) draw(ctx context.Context, env *environment, database *database, p plot.Picture) error {
	if f.format == "png" && f.file == "-" && isTerminal(env.stdout) {
		return &usageError{message: "a PNG is not printed on a terminal: -o FILE.png", command: "plot"}
	}
	r, err := database.open(ctx, env)
	if err != nil {
		return err
	}
	defer r.Close()
	figure, err := p.Read(ctx, r, &f.request)
	if err != nil {
		return f.explain(ctx, env, r, p, err)
	}
	out := &rowOutput{file: f.file, force: f.force}
	return out.write(env, database.path(env), func(w io.Writer) error {
		if f.format == "png" {
			return plot.WritePNG(w, figure, f.size)
		}
		return plot.WriteSVG(w, figure, f.size)
	})
}

// explain says what to do about a figure that cannot be made.
func (f *plotFlags) explain(ctx context.Context, env *environment, r *store.Reader, p plot.Picture, err error) error {
	if unknown, ok := errors.AsType[*plot.UnknownRunError](err); ok {
		return noSuchRun(ctx, r, unknown.Name)
	}
	if differ, ok := errors.AsType[*plot.DefinitionsError](err); ok {
		var b strings.Builder
		for _, line := range differ.Lines {
			b.WriteString(printable(line) + "\n")
		}
		b.WriteString("nothing is drawn, for the definitions differ: --despite FIELD draws it anyway\n")
		if err := printText(env.stderr, b.String()); err != nil {
			return err
		}
		return errFindings
	}
	return interrupted(ctx, fmt.Errorf("plot %s: %w", p.Name, err))
}
