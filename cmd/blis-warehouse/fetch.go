package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/inference-sim/blis-warehouse/loader/fetch"
	"github.com/inference-sim/blis-warehouse/loader/fetch/ledger"
)

func fetchCommand() command {
	return command{
		name:    "fetch",
		args:    "[OPERATION...]",
		maxArgs: -1,
		summary: "capture what the InferenceX API publishes into a folder, with a ledger of where each file is from",
		help: `Asks for the operations that are named, and for those that say what there is to
ask for: availability tells of models and lengths, benchmarks of ids. Without a
name: everything that is not asked for point by point. Each response becomes a
file of the folder, decompressed, and a line of captures.jsonl in it, with address,
time, status, size, digest and headers. load takes the folder as it is, or --load
does it at once.

What is there is not asked for again: the same command goes on where another was
interrupted. --refresh asks for it on condition that it changed, and keeps the
earlier file beside the new one. A refusal (4xx) is recorded with what the server
says, and is an answer. The server's trouble (5xx, 429), timeouts and broken
responses are tried again, later and later, and as late as the server asks.

--param NAME=VALUE fixes a parameter: of what there is to ask for, that which
agrees. Redirects are followed on the same host only. The connection is as
HTTPS_PROXY and the like say.

The exit code is 1 where the server refused something or sent what is no
response, 2 where it could not be reached or the folder not be written.

Examples:
  blis-warehouse fetch --dry-run -o captures
  blis-warehouse fetch --dry-run benchmarks --param model=DeepSeek-R1-0528 -o captures
  blis-warehouse fetch --dry-run benchmarks-history -o testdata/demo/fetched
  blis-warehouse fetch --dry-run --format jsonl request-timeline -o testdata/demo/fetched`,
		words: fetchWords,
		setup: setupFetch,
	}
}

// fetchWords are the operations, for completion.
func fetchWords() []string {
	var names []string
	for _, o := range fetch.Operations() {
		names = append(names, o.Name)
	}
	return names
}

// fetchFlags are the flags of fetch.
type fetchFlags struct {
	fetch.Options
	maxSize sizeFlag
	params  []string
	dryRun  bool
	load    bool
	total   time.Duration
	out     *rowOutput
	db      *database
}

func setupFetch(fs *pflag.FlagSet) runFunc {
	f := &fetchFlags{maxSize: 1 << 30}
	fs.StringVarP(&f.Folder, "output", "o", "", "capture into `FOLDER`, which is created where it is missing")
	fs.StringVar(&f.BaseURL, "base-url", fetch.DefaultBaseURL, "ask the server at `URL`")
	fs.StringArrayVar(&f.params, "param", nil, "fix a parameter of the requests, as `NAME=VALUE` (repeatable)")
	fs.BoolVar(&f.dryRun, "dry-run", false, "print what would be asked for, and ask for nothing")
	fs.BoolVar(&f.Refresh, "refresh", false, "ask for what is there too, on condition that it changed")
	fs.BoolVar(&f.load, "load", false, "load the folder into the database afterwards")
	fs.IntVar(&f.Concurrency, "concurrency", 2, "make up to `N` requests at a time")
	fs.IntVar(&f.Retries, "retries", 4, "try a request that failed up to `N` times more")
	fs.DurationVar(&f.Timeout, "timeout", 2*time.Minute, "end an attempt after `TIME`, body included")
	fs.DurationVar(&f.total, "max-time", 0, "end the whole capture after `TIME`; 0 never does")
	fs.DurationVar(&f.MaxWait, "max-wait", 5*time.Minute, "wait for up to `TIME` where the server asks to wait")
	fs.Var(&f.maxSize, "max-size", "take up to `SIZE` of a response, on the wire and decompressed, such as 500MB or 2GiB")
	fs.IntVar(&f.MaxRequests, "max-requests", 10000, "make up to `N` requests; 0 is no limit")
	f.db = databaseFlags(fs)
	f.out = formatFlags(fs, "")
	return f.run
}

func (f *fetchFlags) run(ctx context.Context, env *environment, args []string) error {
	if err := f.complete(args); err != nil {
		return err
	}
	if f.dryRun {
		return f.plan(env)
	}
	report, err := f.capture(ctx, env)
	if err != nil {
		return err
	}
	outcome := f.report(env, report)
	if outcome != nil && !errors.Is(outcome, errFindings) && !errors.Is(outcome, errUnreached) || !f.load {
		return outcome
	}
	opts, err := loaderOptions(env, false, false, &rowOutput{})
	if err != nil {
		return err
	}
	if err := load(ctx, env, f.db, []string{f.Folder}, opts, &rowOutput{file: "-"}); err != nil && !errors.Is(err, errFindings) {
		return err
	} else if outcome == nil {
		outcome = err
	}
	return outcome
}

// complete checks the flags and completes the options.
func (f *fetchFlags) complete(args []string) error {
	wrong := func(format string, args ...any) error {
		return &usageError{message: fmt.Sprintf(format, args...), command: "fetch"}
	}
	switch {
	case f.Folder == "":
		return wrong("fetch needs a folder: -o FOLDER")
	case f.Folder == "-":
		return wrong("fetch captures into a folder, not to standard output: -o FOLDER")
	case f.dryRun && f.load:
		return wrong("--dry-run captures nothing that --load could load")
	case f.Concurrency < 1 || f.Retries < 0 || f.MaxRequests < 0:
		return wrong("--concurrency must be at least 1, --retries and --max-requests at least 0")
	case f.Timeout <= 0 || f.total < 0 || f.MaxWait < 0:
		return wrong("--timeout must be longer than 0, --max-time and --max-wait not negative")
	}
	for _, name := range args {
		if _, ok := fetch.Named(name); !ok {
			return wrong("unknown operation %s%s", quote(name), didYouMean(name, fetchWords()))
		}
	}
	f.Operations, f.Params = args, map[string]string{}
	for _, p := range f.params {
		name, value, ok := strings.Cut(p, "=")
		switch _, twice := f.Params[name]; {
		case !ok || name == "":
			return wrong("--param: expected NAME=VALUE") // what was given may be a secret
		case twice:
			return wrong("--param %s is given twice", quote(name))
		}
		f.Params[name] = value
	}
	f.MaxSize = int64(f.maxSize)
	f.UserAgent = "blis-warehouse/" + programVersion()
	f.Clock = fetch.Clock{Now: time.Now, Sleep: sleep}
	f.Random = rand.Float64
	f.Transport = fetch.DefaultTransport()
	log.SetOutput(io.Discard) // where net/http writes what a server sends unasked
	return nil
}

// sleep waits, or ends with the context.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// optionError is what an error of the options is on the command line.
func optionError(err error) error {
	if fetch.IsOption(err) {
		return &usageError{message: err.Error(), command: "fetch"}
	}
	return err
}

// plan prints what would be asked for.
func (f *fetchFlags) plan(env *environment) error {
	steps, err := fetch.Plan(f.Options)
	if err != nil {
		return optionError(err)
	}
	if f.out.format == "" {
		f.out.format = "table"
	}
	var rows [][]any
	due := 0
	for _, s := range steps {
		rows = append(rows, []any{s.Operation, string(s.Due), textOrNull(s.URL), textOrNull(s.File), textOrNull(s.Note)})
		if s.Due == fetch.ToFetch || s.Due == fetch.ToRefresh {
			due++
		}
	}
	if err := f.out.print(env, "", []string{"operation", "due", "url", "file", "note"}, rowsOf(rows)); err != nil {
		return err
	}
	return printText(env.stderr, fmt.Sprintf("%s would be made, as far as can be told from what is captured\n", plural(due, "request", "requests")))
}

// capture captures, and tells as it goes what the server refused.
func (f *fetchFlags) capture(ctx context.Context, env *environment) (*fetch.Report, error) {
	within := ctx
	if f.total > 0 {
		var stop context.CancelFunc
		within, stop = context.WithTimeout(ctx, f.total)
		defer stop()
	}
	f.Progress = progressTo(env, "responses")
	var failed error // to write standard error
	f.Each = func(c ledger.Capture) {
		if c.Outcome != ledger.Refused && c.Outcome != ledger.Failed || failed != nil {
			return
		}
		clearProgress(env)
		failed = printText(env.stderr, captureLine(&c))
	}
	report, err := fetch.Run(within, f.Options)
	clearProgress(env)
	switch {
	case err != nil && ctx.Err() == nil && within.Err() != nil:
		return nil, fmt.Errorf("the capture took longer than %v; what is complete is in %s, and the same command goes on with the rest", f.total, f.Folder)
	case err != nil:
		return nil, interrupted(ctx, optionError(err))
	}
	return report, failed
}

// captureLine tells of a request that came to no response.
func captureLine(c *ledger.Capture) string {
	what := "failed"
	if c.Outcome == ledger.Refused {
		what = "refused"
	}
	status := ""
	if c.Status != 0 {
		status = " " + strconv.Itoa(c.Status)
	}
	return fmt.Sprintf("%s%s: %s: %s [%s]\n", what, status, printable(c.URL), printable(c.Error), c.Reason)
}

// errUnreached is the error of responses that did not come.
var errUnreached = errors.New("some responses did not come: the same command asks for them again")

// report prints what a capture came to, and returns what its exit code says.
func (f *fetchFlags) report(env *environment, report *fetch.Report) error {
	if f.out.format != "" {
		if err := f.out.print(env, "", captureColumns, rowsOf(captureRows(report))); err != nil {
			return err
		}
	}
	var b strings.Builder
	for _, note := range report.Notes {
		fmt.Fprintf(&b, "note: %s\n", printable(note))
	}
	if report.Broken > 0 {
		fmt.Fprintf(&b, "note: %s of the ledger is none, and counts as nothing\n", plural(report.Broken, "line", "lines"))
	}
	for _, text := range report.Unread {
		fmt.Fprintf(&b, "%s\n", printable(text))
	}
	n := report.Counts()
	fmt.Fprintf(&b, "%s: %d fetched, %d unchanged, %d there before, %d refused, %d unusable, %d unreached; %s new\n",
		plural(len(report.Results), "response", "responses"), n.Fetched, n.Unchanged, n.Kept, n.Refused, n.Unusable, n.Unreached, plural(int(n.Bytes), "byte", "bytes"))
	if err := printText(env.stderr, b.String()); err != nil {
		return err
	}
	switch {
	case n.Unreached > 0:
		return errUnreached
	case n.Refused+n.Unusable+len(report.Unread) > 0:
		return errFindings
	}
	return nil
}

var captureColumns = []string{"operation", "url", "final_url", "due", "outcome", "status", "started_at", "duration_ms", "attempts", "file", "size", "wire_size", "sha256",
	"content_type", "content_encoding", "etag", "last_modified", "date", "reason", "error"}

// captureRows are the ledger's lines of a report, in captureColumns.
func captureRows(report *fetch.Report) (rows [][]any) {
	number := func(n int64) any {
		if n == 0 {
			return nil
		}
		return n
	}
	for i := range report.Results {
		c := &report.Results[i].Capture
		stored := func(n int64) any { // 0 is a size where there is a file
			if c.File == "" {
				return number(n)
			}
			return n
		}
		rows = append(rows, []any{c.Operation, c.URL, textOrNull(c.FinalURL), string(report.Results[i].Due), string(c.Outcome), number(int64(c.Status)),
			c.Started(), c.Duration, int64(c.Attempts), textOrNull(c.File), stored(c.Size), stored(c.WireSize), textOrNull(c.SHA256),
			textOrNull(c.ContentType), textOrNull(c.ContentEncoding), textOrNull(c.ETag), textOrNull(c.LastModified), textOrNull(c.Date), textOrNull(c.Reason), textOrNull(c.Error)})
	}
	return rows
}

// sizeFlag is a number of bytes, written with or without a unit.
type sizeFlag int64

var sizeUnits = []struct {
	name  string
	bytes int64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"B", 1}, {"", 1}}

func (s *sizeFlag) Type() string { return "size" }

func (s *sizeFlag) String() string {
	for _, u := range []int{2, 1, 0} {
		if unit := sizeUnits[u]; int64(*s) >= unit.bytes && int64(*s)%unit.bytes == 0 {
			return strconv.FormatInt(int64(*s)/unit.bytes, 10) + unit.name
		}
	}
	return strconv.FormatInt(int64(*s), 10)
}

// Set reads a size. One that is not positive, or over a thousand TB, makes no sense.
func (s *sizeFlag) Set(text string) error {
	for _, unit := range sizeUnits {
		digits, ok := strings.CutSuffix(text, unit.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(digits, 10, 64)
		if err != nil || n <= 0 || n > 1e15/unit.bytes {
			break
		}
		*s = sizeFlag(n * unit.bytes)
		return nil
	}
	return errors.New("expected a number of bytes, such as 1000000, 500MB or 2GiB")
}
