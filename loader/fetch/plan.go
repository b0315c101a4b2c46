package fetch

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/inference-sim/blis-warehouse/loader/fetch/ledger"
)

// maxPlanned is the most requests that planning lists for one operation, whatever a server lets it count.
const maxPlanned = 1_000_000

// A Request is one response to ask for.
type Request struct {
	Params map[string]string
	URL    string

	operation *Operation
}

// Operation is the name of what is asked for.
func (r *Request) Operation() string { return r.operation.Name }

// A Due says whether a request is to be made.
type Due string

// What a plan says of a request.
const (
	ToFetch   Due = "to fetch"   // no response of it is in the folder
	ToRefresh Due = "to refresh" // one is, and is asked for anew where it changed
	Kept      Due = "kept"       // one is, and stays
	Known     Due = "refused"    // the server has said that there is none
	Later     Due = "later"      // what there is to ask for shows when another operation is captured
	Nothing   Due = "nothing"    // there is nothing to ask for
)

// A Step is a request of a plan, or an operation of which the requests are not known.
type Step struct {
	Operation string
	URL       string // "" of Later and Nothing
	Due       Due
	File      string // that holds the response, "" for none
	Note      string // of Later and Nothing, why
}

// Plan says what Run would ask for, as far as the captures of the folder tell. It
// opens no connection and writes nothing.
func Plan(opts Options) ([]Step, error) {
	r, err := newRun(opts)
	if err != nil {
		return nil, err
	}
	f, err := openRegular(filepath.Join(opts.Folder, ledger.FileName))
	if err == nil {
		captures, _, readErr := ledger.Read(f)
		f.Close()
		if readErr != nil {
			return nil, readErr
		}
		r.states = ledger.States(captures)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("open the ledger: %w", err)
	}
	var steps []Step
	damaged := map[string]bool{} // operations of which a file is missing or is not what the ledger says
	for _, level := range r.levels {
		for _, o := range level {
			if i := slices.IndexFunc(o.After, func(name string) bool { return damaged[name] }); i >= 0 && !o.stated(r.opts.Params) {
				damaged[o.Name] = true
				steps = append(steps, Step{Operation: o.Name, Due: Later, Note: "what there is to ask for shows in " + o.After[i] + ", which is captured again"})
				continue
			}
			requests, note, err := r.requests(o)
			if err != nil {
				return nil, err
			}
			if note != nil {
				steps = append(steps, Step{Operation: o.Name, Due: note.due, Note: note.text})
			}
			for _, q := range requests {
				due, c := r.due(q)
				damaged[o.Name] = damaged[o.Name] || due == ToFetch && r.states[q.URL].Stored != nil
				step := Step{Operation: o.Name, URL: q.URL, Due: due}
				if c != nil {
					step.File = c.File
				}
				steps = append(steps, step)
			}
		}
	}
	slices.SortStableFunc(steps, func(a, b Step) int { return rank(a.Operation) - rank(b.Operation) })
	return steps, nil
}

// rank is the place of an operation in the table.
func rank(operation string) int {
	return slices.IndexFunc(operations, func(o Operation) bool { return o.Name == operation })
}

// levels sorts the operations that are asked for, with those that they need,
// into lists of which each needs only those before it.
func levels(names []string, fixed values) ([][]*Operation, error) {
	depth := map[string]int{}
	var need func(o *Operation) int
	need = func(o *Operation) int {
		d, ok := depth[o.Name]
		if ok {
			return d
		}
		if !o.stated(fixed) {
			for _, name := range o.After {
				d = max(d, need(&operations[rank(name)])+1)
			}
		}
		depth[o.Name] = d
		return d
	}
	for i := range operations {
		if o := &operations[i]; slices.Contains(names, o.Name) || len(names) == 0 && o.Usual {
			need(o)
		}
	}
	var all [][]*Operation
	for i := range operations {
		o := &operations[i]
		d, ok := depth[o.Name]
		if !ok {
			continue
		}
		for len(all) <= d {
			all = append(all, nil)
		}
		all[d] = append(all[d], o)
	}
	return all, nil
}

// given are those of the fixed parameters that the operation has.
func (o *Operation) given(fixed values) values {
	given := values{}
	for _, name := range o.Params() {
		if value, ok := fixed[name]; ok {
			given[name] = value
		}
	}
	return given
}

// stated tells whether the fixed parameters alone make a request: then no other operation needs to be captured.
func (o *Operation) stated(fixed values) bool {
	if o.each == nil {
		return true
	}
	given := o.given(fixed)
	return len(given) > 0 && o.missing(values{}) != "" && o.missing(given) == ""
}

// A note says why an operation has no requests.
type note struct {
	due  Due
	text string
}

// requests lists the requests of an operation, each once, in the order in which captures tell of them.
func (r *run) requests(o *Operation) ([]*Request, *note, error) {
	given := o.given(r.opts.Params)
	if o.stated(r.opts.Params) {
		return []*Request{r.request(o, given)}, nil, nil
	}
	k := knownOf(r.opts.Folder, r.opts.BaseURL, r.states)
	for _, name := range o.After {
		if len(k.stored[name]) == 0 {
			return nil, &note{Later, "what there is to ask for shows in " + name + ", which is not captured"}, nil
		}
	}
	derived, err := o.each(k)
	if err != nil {
		return nil, nil, fmt.Errorf("plan %s: %w", o.Name, err)
	}
	var requests []*Request
	seen := map[string]bool{}
	unusable := 0
	for _, v := range derived {
		if !agree(v, given) {
			continue
		}
		all := values{}
		maps.Copy(all, v)
		maps.Copy(all, given)
		if _, found := credentialIn(textsOf(all)); found || slices.ContainsFunc(sortedKeys(all), func(name string) bool { return !usable(all[name]) }) {
			unusable++
			continue
		}
		if q := r.request(o, all); !seen[q.URL] {
			seen[q.URL] = true
			requests = append(requests, q)
		}
	}
	switch {
	case unusable > 0:
		return requests, &note{Nothing, fmt.Sprintf("%d of what the captures name cannot stand in an address", unusable)}, nil
	case len(requests) == 0 && len(given) > 0 && o.missing(given) == "":
		return []*Request{r.request(o, given)}, nil, nil
	case len(requests) == 0:
		return nil, &note{Nothing, "there is nothing to ask for in " + strings.Join(o.After, " and ")}, nil
	}
	return requests, nil, nil
}

// agree tells whether two sets of parameters state the same where both state something.
func agree(a, b values) bool {
	for name, value := range a {
		if other, ok := b[name]; ok && other != value {
			return false
		}
	}
	return true
}

func (r *run) request(o *Operation, given values) *Request {
	return &Request{Params: given, URL: address(r.opts.BaseURL, o, given), operation: o}
}

// due says whether a request is to be made, and what stands for it in the ledger.
func (r *run) due(q *Request) (Due, *ledger.Capture) {
	s := r.states[q.URL]
	if s.Stored != nil && whole(r.opts.Folder, s.Stored) {
		if r.opts.Refresh {
			return ToRefresh, s.Stored
		}
		return Kept, s.Stored
	}
	if !r.opts.Refresh && s.Stored == nil && s.Last.Outcome == ledger.Refused && settled(s.Last.Status) {
		return Known, &s.Last
	}
	return ToFetch, nil
}

// openRegular opens a regular file. Anything else is not waited for, as a pipe would be.
func openRegular(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil, fmt.Errorf("%s is no regular file", path)
	}
	return f, nil
}

// whole tells whether a capture's file has the bytes that the ledger says.
func whole(folder string, c *ledger.Capture) bool {
	f, err := openRegular(filepath.Join(folder, c.File))
	if err != nil {
		return false
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.Size() != c.Size {
		return false
	}
	h := sha256.New()
	_, err = io.Copy(h, f)
	return err == nil && hex.EncodeToString(h.Sum(nil)) == c.SHA256
}
