package fetch

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/inference-sim/blis-warehouse/loader/catalog/credential"
	"github.com/inference-sim/blis-warehouse/loader/fetch/ledger"
)

// Reasons of the ledger: what kept a request from its response.
const (
	reasonNetwork   = "network"   // no connection, or one that broke
	reasonTimeout   = "timeout"   // an attempt took too long
	reasonServer    = "server"    // the server's own trouble, 5xx
	reasonBusy      = "busy"      // the server asks to wait: 408, 425, 429
	reasonTruncated = "truncated" // the body ends before its end
	reasonCorrupt   = "corrupt"   // the body does not decompress
	reasonStatus    = "status"    // a status that is no answer
	reasonRefused   = "refused"   // an error of the request, 4xx
	reasonRedirect  = "redirect"  // to another host or scheme, or too often
	reasonEncoding  = "encoding"  // compressed in a way that was not asked for
	reasonTooLarge  = "too-large" // more bytes than are taken
	reasonNotJSON   = "not-json"  // something else than was promised
	reasonAPIError  = "api-error" // an error message in place of a response
)

// transient are the reasons that may be gone at the next attempt.
var transient = []string{reasonNetwork, reasonTimeout, reasonServer, reasonBusy, reasonTruncated, reasonCorrupt}

// settled tells whether a refusal is an answer that will be the same tomorrow: what
// is asked for does not exist, or is not to be asked for so. Others, such as 403,
// may be about who asks.
func settled(status int) bool { return status == 400 || status == 404 || status == 410 }

// client makes requests, and waits when it is asked to.
type client struct {
	opts   *Options
	http   *http.Client
	ledger *ledger.Ledger

	mu        sync.Mutex
	notBefore time.Time // nobody asks before, since the server said so
}

// maxRedirects is how often a request follows its host to another address.
const maxRedirects = 5

var (
	errElsewhere  = errors.New("the server redirects to another host or scheme, which is not followed")
	errCircles    = errors.New("the server redirects too often")
	errCredential = errors.New("the server redirects to an address that holds what looks like a credential, which is not followed")
	errHeld       = errors.New("the server asks to wait longer than is waited")
)

func newClient(opts *Options, l *ledger.Ledger) *client {
	return &client{opts: opts, ledger: l, http: &http.Client{
		Transport: opts.Transport,
		CheckRedirect: func(to *http.Request, via []*http.Request) error {
			from := via[0].URL
			if to.URL.Scheme != from.Scheme || !strings.EqualFold(to.URL.Host, from.Host) || to.URL.User != nil {
				return errElsewhere
			}
			if len(via) > maxRedirects {
				return errCircles
			}
			if carriesCredential(to.URL) {
				return errCredential
			}
			return nil
		},
	}}
}

// carriesCredential tells whether an address holds what looks like a credential, as it stands or as it reads.
func carriesCredential(u *url.URL) bool {
	texts := []string{u.String(), u.Path}
	for name, all := range u.Query() {
		for _, value := range all {
			texts = append(texts, value, name+"="+value)
		}
	}
	_, found := credentialIn(texts)
	return found
}

// fetch makes a request until it is answered or its attempts are used up. earlier is
// the response that is in the folder, nil for none. An error is the context's, one
// of writing to the folder, or errHeld where nothing was asked.
func (c *client) fetch(ctx context.Context, q *Request, earlier *ledger.Capture) (ledger.Capture, error) {
	var a answer
	for n := 1; ; n++ {
		if err := c.await(ctx); errors.Is(err, errHeld) && n > 1 {
			return a.Capture, nil
		} else if err != nil {
			return ledger.Capture{}, err
		}
		started := c.opts.Clock.Now()
		var err error
		a, err = c.attempt(ctx, q, earlier)
		if err == nil && a.Outcome != ledger.Complete {
			err = ctx.Err() // what a cancelled request came to says nothing of the server
		}
		if err != nil {
			return ledger.Capture{}, err
		}
		a.Operation, a.Params, a.URL, a.Attempts = q.operation.Name, q.Params, q.URL, n
		a.StartedAt = started.UTC().Truncate(time.Millisecond)
		a.Duration = c.opts.Clock.Now().Sub(started).Milliseconds()
		again, err := c.again(ctx, &a, n)
		if err != nil {
			return ledger.Capture{}, err
		}
		if !again {
			return a.Capture, nil
		}
	}
}

// An answer is what an attempt came to.
type answer struct {
	ledger.Capture
	retryAfter time.Duration // that the server asks for, negative for none
}

// again waits for the next attempt; false is that there is none.
func (c *client) again(ctx context.Context, a *answer, n int) (bool, error) {
	if a.Outcome != ledger.Failed || !slices.Contains(transient, a.Reason) {
		return false, nil
	}
	if a.retryAfter >= 0 {
		c.hold(a.retryAfter)
	}
	if a.retryAfter > c.opts.MaxWait { // to come back earlier than it says would be impolite, and of no use
		a.Error = bounded(fmt.Sprintf("%s (the server asks to wait %v, longer than %v)", a.Error, a.retryAfter, c.opts.MaxWait))
		return false, nil
	}
	if n > c.opts.Retries {
		return false, nil
	}
	if err := c.opts.Clock.Sleep(ctx, max(c.backoff(n), a.retryAfter)); err != nil {
		return false, err
	}
	return true, nil
}

// The waits between attempts double from the first to the longest.
const (
	firstWait   = time.Second
	longestWait = time.Minute
)

// backoff is the wait after the n-th attempt: half of it is chance, so that those who failed together do not come back together.
func (c *client) backoff(n int) time.Duration {
	wait := longestWait
	if n < 7 {
		wait = min(wait, firstWait<<(n-1))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return wait/2 + time.Duration(c.opts.Random()*float64(wait/2))
}

// hold keeps all requests for a while.
func (c *client) hold(wait time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if until := c.opts.Clock.Now().Add(wait); until.After(c.notBefore) {
		c.notBefore = until
	}
}

// await waits until requests may be made. Where that is later than is waited, it returns errHeld.
func (c *client) await(ctx context.Context) error {
	c.mu.Lock()
	wait := c.notBefore.Sub(c.opts.Clock.Now())
	c.mu.Unlock()
	if wait <= 0 {
		return ctx.Err()
	}
	if wait > c.opts.MaxWait {
		return errHeld
	}
	return c.opts.Clock.Sleep(ctx, wait)
}

// attempt makes a request once.
func (c *client) attempt(ctx context.Context, q *Request, earlier *ledger.Capture) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, c.opts.Timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, q.URL, nil)
	if err != nil {
		return answer{}, fmt.Errorf("ask for %s: %w", q.operation.Name, err)
	}
	request.Header.Set("User-Agent", c.opts.UserAgent)
	request.Header.Set("Accept", accepts[q.operation.extension(q.Params)])
	request.Header.Set("Accept-Encoding", "gzip")
	if earlier != nil && !setCondition(request.Header, earlier) {
		earlier = nil // a 304 would answer what was not asked
	}
	response, err := c.http.Do(request)
	if response != nil {
		defer response.Body.Close()
	}
	if err != nil {
		return failure(ctx, err), nil
	}
	a := answer{retryAfter: -1}
	a.Status = response.StatusCode
	if to := response.Request.URL.String(); to != q.URL {
		a.FinalURL = clean(to)
	}
	header := func(name string) string { return clean(response.Header.Get(name)) }
	a.ContentType, a.ContentEncoding, a.Date = header("Content-Type"), header("Content-Encoding"), header("Date")
	a.ETag, a.LastModified = header("ETag"), header("Last-Modified")
	return a, c.answer(ctx, q, response, earlier, &a)
}

// accepts is what is asked for, by the extension of the file.
var accepts = map[string]string{".json": "application/json", ".csv": "text/csv", ".txt": "text/plain"}

// setCondition asks for a response only if it is another than the earlier one, and
// tells whether the ledger has a header, whole, by which that can be asked.
func setCondition(h http.Header, earlier *ledger.Capture) (asked bool) {
	for _, of := range []struct{ header, value string }{{"If-None-Match", earlier.ETag}, {"If-Modified-Since", earlier.LastModified}} {
		if of.value != "" && !strings.HasPrefix(of.value, leftOut) && !strings.HasSuffix(of.value, cutOff) {
			h.Set(of.header, of.value)
			asked = true
		}
	}
	return asked
}

// failure is the answer of a request that got no response.
func failure(ctx context.Context, err error) answer {
	a := answer{retryAfter: -1}
	a.Outcome, a.Reason = ledger.Failed, reasonNetwork
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err // the address is in the ledger already
	}
	switch {
	case errors.Is(err, errElsewhere) || errors.Is(err, errCircles) || errors.Is(err, errCredential):
		a.Reason = reasonRedirect
	case errors.Is(ctx.Err(), context.DeadlineExceeded) || isTimeout(err):
		a.Reason = reasonTimeout
	}
	a.Error = clean(err.Error())
	return a
}

func isTimeout(err error) bool {
	e, ok := errors.AsType[interface {
		error
		Timeout() bool
	}](err)
	return ok && e.Timeout()
}

// answer reads a response. An error is one of the folder.
func (c *client) answer(ctx context.Context, q *Request, response *http.Response, earlier *ledger.Capture, a *answer) error {
	status := response.StatusCode
	if wait, ok := retryAfter(response.Header.Get("Retry-After"), c.opts.Clock.Now()); ok {
		a.retryAfter = wait
	}
	switch {
	case status == http.StatusOK:
		return c.store(ctx, q, response, a)
	case status == http.StatusNotModified && earlier != nil:
		a.Outcome = ledger.Unchanged
		a.File, a.Size, a.SHA256 = earlier.File, earlier.Size, earlier.SHA256
		a.ContentType, a.ContentEncoding = earlier.ContentType, earlier.ContentEncoding
		a.ETag, a.LastModified = cmp.Or(a.ETag, earlier.ETag), cmp.Or(a.LastModified, earlier.LastModified)
		return nil
	case status >= 500:
		a.Outcome, a.Reason = ledger.Failed, reasonServer
	case status == http.StatusRequestTimeout || status == http.StatusTooEarly || status == http.StatusTooManyRequests:
		a.Outcome, a.Reason = ledger.Failed, reasonBusy
	case status >= 400:
		a.Outcome, a.Reason = ledger.Refused, reasonRefused
	default:
		a.Outcome, a.Reason = ledger.Failed, reasonStatus
	}
	a.Error = cmp.Or(serverError(response.Body), http.StatusText(status), "status "+strconv.Itoa(status))
	return nil
}

// retryAfter reads the header that asks to wait: seconds, or a date. ok is false where there is none.
func retryAfter(header string, now time.Time) (wait time.Duration, ok bool) {
	if header == "" {
		return 0, false
	}
	if seconds, err := strconv.ParseInt(strings.TrimSpace(header), 10, 64); err == nil || errors.Is(err, strconv.ErrRange) { // the nearest there is
		return time.Duration(min(max(seconds, 0), math.MaxInt64/int64(time.Second))) * time.Second, true
	}
	at, err := http.ParseTime(header)
	if err != nil {
		return 0, false
	}
	return max(0, at.Sub(now)), true
}

// maxErrorBody is how much of an error's body is read.
const maxErrorBody = 64 << 10

// serverError is what the body of an error says: its JSON string error, else how the body begins.
func serverError(body io.Reader) string {
	content, _ := io.ReadAll(io.LimitReader(body, maxErrorBody)) // what there is of it
	if bytes.HasPrefix(content, gzipMagic) {
		content = gunzipped(content)
	}
	var of struct {
		Error string `json:"error"`
	}
	if json.Unmarshal(content, &of) == nil && of.Error != "" {
		return clean(of.Error)
	}
	return clean(strings.Join(strings.Fields(string(content)), " "))
}

// What stands in the ledger in place of a text that may hold a credential, and behind one that was cut.
const (
	leftOut = "(left out: it holds what looks like a credential"
	cutOff  = "…"
)

// maxText bounds what the ledger holds of a text that a server sent, in bytes.
const maxText = 500

// clean is text of a server as it may stand in the ledger: bounded, and nothing where it holds a credential.
func clean(text string) string {
	if f, found := credential.Scan(text, ""); found {
		return leftOut + ", " + f.Kind + ")"
	}
	return bounded(strings.ToValidUTF8(text, "\ufffd"))
}

func bounded(text string) string {
	if len(text) <= maxText {
		return text
	}
	return strings.ToValidUTF8(text[:maxText], "") + cutOff
}
