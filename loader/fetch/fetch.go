// Package fetch captures what the InferenceX API publishes into a folder: a file
// for each response and a ledger (package ledger) that says where each is from.
//
// It reads no rows, has no database and no clock of its own. It is the one
// package of the project that opens connections. The one design choice is that
// the folder is the state: what to ask for follows from the captures that lie
// there, so a capture that was interrupted goes on where it stopped, and nothing
// that is complete is asked for twice.
package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/inference-sim/blis-warehouse/loader/catalog/credential"
	"github.com/inference-sim/blis-warehouse/loader/fetch/ledger"
)

// DefaultBaseURL is where the published reference says the API is.
const DefaultBaseURL = "https://inferencex.semianalysis.com"

// A Clock is how time passes.
type Clock struct {
	Now   func() time.Time
	Sleep func(context.Context, time.Duration) error // ends early with the context's error
}

// Options say what to capture, into where, and how much to ask of the server.
type Options struct {
	BaseURL     string            // without a slash at its end
	Folder      string            // created where it is missing
	Operations  []string          // empty for the usual ones
	Params      map[string]string // fixed parameters: of the requests that captures tell of, those that agree
	Refresh     bool              // ask again for what is there, on condition that it changed
	Concurrency int               // requests at a time, at least 1
	Retries     int               // attempts after the first
	Timeout     time.Duration     // of an attempt, to its last byte
	MaxWait     time.Duration     // the longest wait that a server may ask for (Retry-After)
	MaxSize     int64             // bytes of a response, on the wire and decompressed
	MaxRequests int               // in one run
	UserAgent   string
	Clock       Clock
	Random      func() float64 // in [0, 1), for the jitter of waits
	Transport   http.RoundTripper
	Progress    func(done, total int)        // after each request; may be nil
	Each        func(capture ledger.Capture) // after each line of the ledger; may be nil
}

// DefaultTransport connects as the environment says (HTTPS_PROXY and the like),
// and leaves compression to this package.
func DefaultTransport() http.RoundTripper {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DisableCompression = true
	t.MaxResponseHeaderBytes = 256 << 10
	return t
}

// A Result is what stands for a request at the end of a run.
type Result struct {
	Due     Due            // what the request was at its turn
	Capture ledger.Capture // the line of the ledger
}

// A Report is what a run came to.
type Report struct {
	Results []Result // in the order of the plan
	Notes   []string // what could not be asked for, and why
	Unread  []string // captures that are JSON, but not what was promised, so that nothing follows from them
	Broken  int      // lines of the ledger that are none
}

// Counts are the results by what became of them.
type Counts struct {
	Fetched   int   // responses that are new
	Bytes     int64 // of their files
	Unchanged int   // the server said that nothing changed
	Kept      int   // were there
	Refused   int   // the server says that it has no such thing, now or in an earlier run
	Unusable  int   // a response that is none: no JSON, too large, from another host
	Unreached int   // no response: the network, or the server's own trouble
}

// Counts sums the report up.
func (r *Report) Counts() (n Counts) {
	for _, result := range r.Results {
		c := &result.Capture
		switch {
		case c.Outcome == ledger.Refused:
			n.Refused++
		case c.Outcome == ledger.Failed && slices.Contains(transient, c.Reason):
			n.Unreached++
		case c.Outcome == ledger.Failed:
			n.Unusable++
		case result.Due == Kept:
			n.Kept++
		case c.Outcome == ledger.Unchanged:
			n.Unchanged++
		default:
			n.Fetched++
			n.Bytes += c.Size
		}
	}
	return n
}

// An OptionError is an option that makes no sense.
type OptionError struct{ Message string }

func (e *OptionError) Error() string { return e.Message }

// run is the state of Run and Plan.
type run struct {
	opts   Options
	levels [][]*Operation
	states map[string]ledger.State
	client *client
	ledger *ledger.Ledger
	report Report
	mu     sync.Mutex // of what workers share: states, done, and the calls of Progress and Each
	done   int
	total  int
	asked  int // requests that are due
	held   int // requests that were not made, since the server asks to wait longer than is waited
}

func newRun(opts Options) (*run, error) {
	opts.BaseURL = strings.TrimRight(opts.BaseURL, "/")
	if err := check(&opts); err != nil {
		return nil, err
	}
	all, err := levels(opts.Operations, opts.Params)
	if err != nil {
		return nil, err
	}
	r := &run{opts: opts, levels: all, states: map[string]ledger.State{}}
	return r, r.checkParams()
}

// check refuses options that no request can be made of.
func check(opts *Options) error {
	base, err := url.Parse(opts.BaseURL)
	switch {
	case err != nil:
		return &OptionError{"the base URL cannot be read"} // its text may hold a password
	case base.Scheme != "http" && base.Scheme != "https" || base.Host == "":
		return &OptionError{"the base URL must begin with http:// or https:// and a host"}
	case base.User != nil || base.RawQuery != "" || base.Fragment != "" || base.ForceQuery:
		return &OptionError{"the base URL may hold neither a name or password nor a query: no credential belongs in an address"}
	}
	if kind, found := credentialIn(append(textsOf(opts.Params), opts.BaseURL)); found {
		return &OptionError{"an address would hold a credential (" + kind + "): none is sent, and none is written to the ledger"}
	}
	for _, name := range opts.Operations {
		if _, ok := Named(name); !ok {
			return &OptionError{fmt.Sprintf("no operation is called %q", name)}
		}
	}
	for _, name := range sortedKeys(opts.Params) {
		if !usable(opts.Params[name]) {
			return &OptionError{fmt.Sprintf("the value of %q cannot stand in an address", name)}
		}
	}
	return nil
}

// credentialIn looks for a credential in texts.
func credentialIn(texts []string) (kind string, found bool) {
	for _, text := range texts {
		if f, found := credential.Scan(text, ""); found {
			return f.Kind, true
		}
	}
	return "", false
}

// textsOf are the texts of parameters in which a credential can stand.
func textsOf(v values) (texts []string) {
	for _, name := range sortedKeys(v) {
		texts = append(texts, v[name], name+"="+v[name])
	}
	return texts
}

// checkParams refuses a fixed parameter that nothing asked for has, and an
// operation without one that only the caller can say.
func (r *run) checkParams() error {
	var has []string
	for _, level := range r.levels {
		for _, o := range level {
			has = append(has, o.Params()...)
			if _, ok := r.opts.Params["q"]; !ok && slices.Contains(o.Params(), "q") {
				return &OptionError{o.Name + " needs the text to search for, the parameter q"}
			}
		}
	}
	for _, name := range sortedKeys(r.opts.Params) {
		if !slices.Contains(has, name) {
			return &OptionError{fmt.Sprintf("no operation that is asked for has a parameter %q", name)}
		}
	}
	return nil
}

// Run captures what the options ask for. What the server refuses or does not
// send is in the report; an error is one of the folder, or the context's. Then too the
// ledger is whole, and says what was captured.
func Run(ctx context.Context, opts Options) (*Report, error) {
	r, err := newRun(opts)
	if err != nil {
		return nil, err
	}
	l, captures, broken, err := ledger.Open(opts.Folder)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	r.ledger, r.report.Broken, r.states = l, broken, ledger.States(captures)
	r.client = newClient(&r.opts, l)
	for _, level := range r.levels {
		if err := r.level(ctx, level); err != nil {
			return nil, err
		}
	}
	if r.held > 0 {
		r.report.Notes = append(r.report.Notes, fmt.Sprintf("the server asks to wait longer than %v: of what there is to ask for, %d requests were not made", opts.MaxWait, r.held))
	}
	return &r.report, nil
}

// level captures operations that need nothing of each other.
func (r *run) level(ctx context.Context, level []*Operation) error {
	var todo []*Request
	var results []Result
	for _, o := range level {
		requests, note, err := r.requests(o)
		if err != nil { // a response that is JSON, but not what was promised
			r.report.Unread = append(r.report.Unread, err.Error())
			continue
		}
		if note != nil {
			r.report.Notes = append(r.report.Notes, o.Name+": "+note.text)
		}
		for _, q := range requests {
			due, c := r.due(q)
			result := Result{Due: due}
			if c != nil {
				result.Capture = *c
			}
			todo, results = append(todo, q), append(results, result)
		}
	}
	r.total += len(todo)
	for _, result := range results {
		if result.Due == ToFetch || result.Due == ToRefresh {
			r.asked++
		}
	}
	if r.opts.MaxRequests > 0 && r.asked > r.opts.MaxRequests {
		return &OptionError{fmt.Sprintf("%d requests are more than the %d that may be made: name fewer operations, fix parameters, or raise the limit", r.asked, r.opts.MaxRequests)}
	}
	if err := r.all(ctx, todo, results); err != nil {
		return err
	}
	made := slices.DeleteFunc(results, func(result Result) bool { return result.Due == "" })
	r.report.Results = append(r.report.Results, made...)
	return nil
}

// all makes the requests that are due, a few at a time, in their order.
func (r *run) all(ctx context.Context, todo []*Request, results []Result) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := make(chan int)
	var workers sync.WaitGroup
	for range max(1, r.opts.Concurrency) {
		workers.Go(func() {
			for i := range next {
				if err := r.one(ctx, todo[i], &results[i]); err != nil {
					cancel(err)
				}
			}
		})
	}
	for i := range todo {
		if ctx.Err() != nil {
			break
		}
		if due := results[i].Due; due == Kept || due == Known {
			r.progress()
			continue
		}
		select {
		case next <- i:
		case <-ctx.Done():
		}
	}
	close(next)
	workers.Wait()
	return context.Cause(ctx)
}

// one makes a request and writes what became of it to the ledger. A request that
// is not made leaves an empty result.
func (r *run) one(ctx context.Context, q *Request, result *Result) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	var earlier *ledger.Capture
	if result.Due == ToRefresh {
		earlier = &result.Capture
	}
	c, err := r.client.fetch(ctx, q, earlier)
	r.mu.Lock()
	defer r.mu.Unlock()
	if errors.Is(err, errHeld) {
		*result = Result{}
		r.held++
		r.advance()
		return nil
	}
	if err != nil {
		return err
	}
	if err := r.ledger.Add(&c); err != nil {
		return err
	}
	s := r.states[q.URL]
	s.Last = c
	if c.Stored() {
		s.Stored = &c
	}
	r.states[q.URL] = s
	result.Capture = c
	if r.opts.Each != nil {
		r.opts.Each(c)
	}
	r.advance()
	return nil
}

func (r *run) progress() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.advance()
}

func (r *run) advance() {
	r.done++
	if r.opts.Progress != nil {
		r.opts.Progress(r.done, r.total)
	}
}

// IsOption tells whether an error is one of the options rather than of the folder.
func IsOption(err error) bool {
	_, ok := errors.AsType[*OptionError](err)
	return ok
}
