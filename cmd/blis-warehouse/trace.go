package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/inference-sim/blis-warehouse/queries/trace"
	"github.com/inference-sim/blis-warehouse/store"
)

func traceCommand() command {
	return command{
		name:    "trace",
		args:    "CAPTURE",
		minArgs: 1,
		maxArgs: 1,
		summary: "write a captured timeline of requests as a BLIS workload trace",
		help: `CAPTURE is the digest of a capture of /request-timeline, 8 or more of its first
digits, or the publisher's id of the benchmark, where one capture alone is known of
it. SELECT * FROM inferencex_timelines lists what there is.

-o PREFIX writes the requests, PREFIX.csv, and the header, PREFIX.yaml, in the form
TraceV2 that BLIS replays; standard output has the block "workload" by which a
MeasuredRun document cites the trace: its digest, rows and header. Without -o the
CSV goes to standard output and the block to standard error.

Only requests of the phase profiling are written unless --phase names another; with
--phase all those of the warm-up come first, and the header counts them. Cancelled
requests are there, with the status incomplete. Where the times of a request
contradict each other nothing is written, and the exit code is 1. The same capture
gives the same bytes. What each of the 27 columns holds is told in docs/exports.md.

Examples:
  blis-warehouse load testdata/demo/timelines
  blis-warehouse trace 422 -o agents
  blis-warehouse trace 422 --phase all -o agents-and-warmup
  blis-warehouse trace 422 | cut -d, -f1,5,6,10,11,20 | head -3`,
		setup: setupTrace,
	}
}

// traceJob is what the command line of trace asks for.
type traceJob struct {
	phase  string
	prefix string // of the files, "-" for standard output
	force  bool
}

func setupTrace(fs *pflag.FlagSet) runFunc {
	database := databaseFlags(fs)
	job := &traceJob{}
	fs.StringVar(&job.phase, "phase", trace.Profiling, "write the requests of this `PHASE`: profiling, warmup, what else the timeline states, or all")
	fs.StringVarP(&job.prefix, "output", "o", "-", "write `PREFIX`.csv and PREFIX.yaml, which appear complete or not at all; - is standard output")
	fs.BoolVar(&job.force, "force", false, "let -o overwrite files")
	return func(ctx context.Context, env *environment, args []string) error {
		if job.prefix = strings.TrimSuffix(job.prefix, ".csv"); job.prefix == "" || strings.HasSuffix(job.prefix, string(os.PathSeparator)) {
			return &usageError{message: "-o needs what the names of the files begin with", command: "trace"}
		}
		r, err := database.open(ctx, env)
		if err != nil {
			return err
		}
		defer r.Close()
		capture, err := oneTimeline(ctx, r, args[0])
		if err != nil {
			return err
		}
		return job.run(ctx, env, r, capture)
	}
}

// oneTimeline is the digest of the only capture that name means.
func oneTimeline(ctx context.Context, r *store.Reader, name string) (string, error) {
	found, err := trace.Find(ctx, r, name)
	switch {
	case err != nil:
		return "", err
	case len(found) == 0:
		return "", &usageError{message: fmt.Sprintf("no loaded timeline has the id or a digest that begins with %s; SELECT * FROM inferencex_timelines lists those there are", quote(name)), command: "trace"}
	}
	var b strings.Builder
	ambiguous := false
	for i, t := range found {
		ambiguous = ambiguous || t.SHA256 != found[0].SHA256
		if i < 20 {
			fmt.Fprintf(&b, "\n%s", t.SHA256)
			if t.CapturedAt != "" {
				fmt.Fprintf(&b, ", captured %s", printable(t.CapturedAt))
			}
			if t.ID != nil {
				fmt.Fprintf(&b, ", of benchmark %d", *t.ID)
			}
		}
	}
	if ambiguous {
		return "", &usageError{message: fmt.Sprintf("%s may be any of several captures: name one by its digest%s", quote(name), b.String()), command: "trace"}
	}
	return found[0].SHA256, nil
}

// run writes the trace of a capture.
func (job *traceJob) run(ctx context.Context, env *environment, r *store.Reader, capture string) error {
	phases, err := trace.Phases(ctx, r, capture)
	if err != nil {
		return err
	}
	requests, warmups := job.count(phases)
	if requests == 0 {
		return &usageError{message: "the timeline has no request of the phase " + quote(job.phase) + "; it has " + listed(phases), command: "trace"}
	}
	wrong, err := trace.Contradictions(ctx, r, capture, job.phase)
	if err != nil {
		return err
	}
	if len(wrong) > 0 {
		return refuseTrace(env, wrong)
	}
	if job.prefix == "-" {
		return job.print(ctx, env, r, capture)
	}
	return job.write(ctx, env, r, capture, warmups)
}

// count returns how many requests the job writes, and how many of them are warm-up.
func (job *traceJob) count(phases []trace.Count) (requests, warmups int64) {
	for _, p := range phases {
		if job.phase == p.What || job.phase == trace.AllPhases {
			requests += p.Requests
			if p.What == trace.Warmup {
				warmups = p.Requests
			}
		}
	}
	return requests, warmups
}

// listed are the phases of a timeline in words.
func listed(phases []trace.Count) string {
	if len(phases) == 0 {
		return "no requests"
	}
	var all []string
	for _, p := range phases {
		all = append(all, fmt.Sprintf("%s (%s)", quote(p.What), plural(int(p.Requests), "request", "requests")))
	}
	return strings.Join(all, ", ")
}

// refuseTrace says why there is no trace.
func refuseTrace(env *environment, wrong []trace.Count) error {
	var b strings.Builder
	for _, w := range wrong {
		first := ""
		if w.Requests > 1 {
			first = fmt.Sprintf(", the first of %d,", w.Requests)
		}
		fmt.Fprintf(&b, "request %d%s %s\n", w.First, first, w.What)
	}
	b.WriteString("nothing was written: times that contradict each other cannot be replayed\n")
	if err := printText(env.stderr, b.String()); err != nil {
		return err
	}
	return errFindings
}

// print writes the CSV to standard output and the binding to standard error.
func (job *traceJob) print(ctx context.Context, env *environment, r *store.Reader, capture string) error {
	out, err := openDestination("-", false, env.stdout, "")
	if err != nil {
		return err
	}
	var shown io.Writer = out
	if isTerminal(env.stdout) {
		shown = terminalText{out}
	}
	written := &sink{w: shown}
	digest := newDigester(written)
	rows, err := trace.WriteRows(ctx, digest, r, capture, job.phase)
	if err != nil {
		return failed(out, written, err)
	}
	if err := out.commit(); err != nil {
		return err
	}
	return trace.Binding{Data: "trace.csv", SHA256: digest.sum(), Rows: rows}.Write(env.stderr)
}

// failed is an error while rows were written to a destination, which names it where it
// could not be written to.
func failed(to *destination, written *sink, err error) error {
	if written.err != nil {
		return to.abandon(written.err)
	}
	to.discard()
	return err
}

// write writes both files, and the binding to standard output.
func (job *traceJob) write(ctx context.Context, env *environment, r *store.Reader, capture string, warmups int64) error {
	data, err := openDestination(job.prefix+".csv", job.force, nil, r.Path())
	if err != nil {
		return err
	}
	beside, err := openDestination(job.prefix+".yaml", job.force, nil, r.Path())
	if err != nil {
		data.discard()
		return err
	}
	written := &sink{w: data}
	digest := newDigester(written)
	rows, err := trace.WriteRows(ctx, digest, r, capture, job.phase)
	if err != nil {
		beside.discard()
		return failed(data, written, err)
	}
	if err := trace.WriteHeader(beside, warmups); err != nil {
		data.discard()
		return beside.abandon(err)
	}
	if err := data.commit(); err != nil {
		beside.discard()
		return err
	}
	if err := beside.commit(); err != nil { // data without their header are not left behind
		os.Remove(data.path)
		return err
	}
	return trace.Binding{Data: filepath.Base(job.prefix) + ".csv", SHA256: digest.sum(), Rows: rows}.Write(env.stdout)
}
