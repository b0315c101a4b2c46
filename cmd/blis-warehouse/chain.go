package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/inference-sim/blis-warehouse/queries/lineage"
	"github.com/inference-sim/blis-warehouse/store"
)

func chainCommand() command {
	return command{
		name:    "chain",
		args:    "RUN",
		minArgs: 1,
		maxArgs: 1,
		summary: "draw the chain of supersession that a run is part of, with what changed at each step",
		help: `Everything that supersession connects with the run is drawn, the oldest first:
each run with its verdict, its licence and whether it may be scored, and beneath
it what changed from the run it supersedes. Where several runs supersede one, the
chain branches; a name that is not loaded and a cycle are drawn as what they are.
RUN may be such a name.

Metrics are compared by what they mean and load levels by their load, whatever a
run calls them, so a run may supersede one of another origin. A ratio is the newer
value divided by the older.

As a table, long lists and long chains are cut; --all shows everything. The
machine formats print a row for each change, of all runs.

Examples:
  blis-warehouse chain demo-h200-trace
  blis-warehouse chain demo-h200-trace-r1 --all
  blis-warehouse chain demo-h200-trace --format csv`,
		setup: setupChain,
	}
}

func setupChain(fs *pflag.FlagSet) runFunc {
	database := databaseFlags(fs)
	all := fs.Bool("all", false, "show every run and every change of a long chain")
	out := rowFlags(fs, "table")
	return func(ctx context.Context, env *environment, args []string) error {
		path := database.path(env)
		r, err := database.open(ctx, env)
		if err != nil {
			return err
		}
		defer r.Close()
		chain, err := lineage.Find(ctx, r, args[0])
		if err != nil {
			return err
		}
		if chain == nil {
			return noSuchRun(ctx, r, args[0])
		}
		if out.format != "table" {
			columns := []string{"step", "name", "supersedes", "kind", "path", "before", "after", "unit", "ratio"}
			return out.print(env, path, columns, chainRows(ctx, r, chain))
		}
		return out.write(env, path, func(w io.Writer) error { return drawChain(ctx, w, r, chain, args[0], *all) })
	}
}

// errStop ends a walk whose rows nobody wants any more.
var errStop = errors.New("stop")

// chainRows are the changes of all steps, a row each. A step is counted from
// the oldest name of the chain, which is 0, in the order of the drawing.
func chainRows(ctx context.Context, r *store.Reader, chain *lineage.Chain) iter.Seq2[[]any, error] {
	return func(yield func([]any, error) bool) {
		err := chain.Steps(ctx, r, chain.Places, func(p *lineage.Place, changes []lineage.Change) error {
			for i := range changes {
				if !yield(append([]any{int64(p.Number), p.Name, p.Supersedes}, changeCells(&changes[i])...), nil) {
					return errStop
				}
			}
			return nil
		})
		if err != nil && err != errStop {
			yield(nil, err)
		}
	}
}

// Of a long chain people are shown the oldest and the newest runs, and those
// around the one they asked for.
const (
	oldestShown = 5
	newestShown = 15
	aroundShown = 3
)

// shownPlaces are the places of a chain that are drawn.
func shownPlaces(chain *lineage.Chain, run string, all bool) []lineage.Place {
	at := slices.IndexFunc(chain.Places, func(p lineage.Place) bool { return p.Name == run })
	var places []lineage.Place
	for i, p := range chain.Places {
		if all || i < oldestShown || i >= len(chain.Places)-newestShown || at-aroundShown <= i && i <= at+aroundShown {
			places = append(places, p)
		}
	}
	return places
}

// drawChain draws a chain. The line of a column goes on until its newest run;
// columns further to the left always go on, for the longest branch is drawn last.
func drawChain(ctx context.Context, w io.Writer, r *store.Reader, chain *lineage.Chain, run string, all bool) error {
	d := &drawing{w: w, chain: chain, all: all}
	return chain.Steps(ctx, r, shownPlaces(chain, run, all), func(p *lineage.Place, changes []lineage.Change) error {
		worth, err := lineage.ReadWorth(ctx, r, p.Name)
		if err != nil {
			return err
		}
		d.gap(p)
		d.place(p, worth, changes)
		return d.err
	})
}

// drawing writes the lines of a chain. Its first error is kept.
type drawing struct {
	w     io.Writer
	chain *lineage.Chain
	all   bool
	drawn int // steps so far, those left out included
	err   error
}

func (d *drawing) line(text string) {
	if d.err == nil {
		_, d.err = io.WriteString(d.w, strings.TrimRight(text, " ")+"\n")
	}
}

// gap draws the line that leads to a place, and says how many were left out.
func (d *drawing) gap(p *lineage.Place) {
	left := p.Number - d.drawn
	d.drawn = p.Number + 1
	if p.Number == 0 {
		return
	}
	bars := strings.Repeat("│ ", p.Column)
	if !p.Opens {
		bars += "│"
	}
	if left > 0 {
		d.line(bars)
		d.line(fmt.Sprintf("┆ ... %s (--all)", plural(left, "more run", "more runs")))
	}
	d.line(bars)
}

// place draws a run with what it is worth and what changed from the one it supersedes.
func (d *drawing) place(p *lineage.Place, worth lineage.Worth, changes []lineage.Change) {
	bars := strings.Repeat("│ ", p.Column)
	first := bars
	if p.Opens {
		first = strings.Repeat("│ ", p.Column-1) + "├─"
	}
	below := "│   "
	if p.Last {
		below = "    "
	}
	d.line(first + "● " + printable(p.Name) + "  " + worthText(p, worth))
	if p.Closes {
		d.line(bars + below + "a cycle: it supersedes " + printable(p.Supersedes) + ", which is drawn below")
	}
	if p.Forks > 1 {
		d.line(bars + below + fmt.Sprintf("a fork: %d runs supersede it", p.Forks))
	}
	if !d.chain.Superseded(p) {
		return
	}
	for _, text := range changeLines(changes, d.all) {
		d.line(bars + below + text)
	}
}

// worthText is what a run is worth, in words.
func worthText(p *lineage.Place, worth lineage.Worth) string {
	if !p.Loaded {
		return "is not loaded"
	}
	scorable := "scorable"
	if !worth.Scorable {
		scorable = "not scorable: " + worth.BlockedBy
	}
	licence := "no licence"
	if worth.Licence != "" {
		licence = "licence " + printable(worth.Licence)
	}
	return fmt.Sprintf("%s, %s, %s", lineage.VerdictText(&worth.Verdict), licence, scorable)
}
