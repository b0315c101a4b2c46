// Package ledger keeps the record of what was captured from the InferenceX API
// into a folder: a line of JSON for each request that came to an end, with the
// operation, the address, when, and the size and digest of the file that holds
// the response. It makes a folder of captures provenance.
//
// It opens no connection and knows no database. The one design choice is that
// lines are only ever added, each synced to disk before its request counts as
// done: what a process that was killed leaves is a whole ledger, at most with
// one torn line at its end, which counts as nothing.
package ledger

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Kind is the kind that every line of a ledger states, by which a file is known as one.
const Kind = "InferenceXCapture"

// FileName is the name that a folder's ledger has.
const FileName = "captures.jsonl"

// An Outcome says what became of a request.
type Outcome string

// The outcomes.
const (
	Complete  Outcome = "complete"  // the response is in the file
	Unchanged Outcome = "unchanged" // the server said that what the file holds is still so (304)
	Refused   Outcome = "refused"   // the server answered with an error of the request, 4xx
	Failed    Outcome = "failed"    // no usable response: the network, the server's own errors (5xx), or a body that is none
)

// Outcomes are all outcomes.
func Outcomes() []Outcome { return []Outcome{Complete, Unchanged, Refused, Failed} }

// A Capture is a line of the ledger: a request that came to an end. What does
// not apply is the zero value, and left out of the line.
type Capture struct {
	Kind      string            `json:"kind"`
	Operation string            `json:"operation"`        // as the table of operations calls it
	Params    map[string]string `json:"params,omitempty"` // of the path and the query
	URL       string            `json:"url"`              // as it was asked for, without credentials
	FinalURL  string            `json:"final_url,omitempty"`
	StartedAt time.Time         `json:"started_at"`  // UTC, of the last attempt
	Duration  int64             `json:"duration_ms"` // of the last attempt
	Attempts  int               `json:"attempts"`    // the last included
	Outcome   Outcome           `json:"outcome"`
	Status    int               `json:"status,omitempty"` // of HTTP, 0 where there was no response
	File      string            `json:"file,omitempty"`   // in the ledger's folder
	Size      int64             `json:"size,omitempty"`   // bytes of the file
	SHA256    string            `json:"sha256,omitempty"` // of the file, 64 lower-case hex
	WireSize  int64             `json:"wire_size,omitempty"`

	// Headers of the response, as received.
	ContentType     string `json:"content_type,omitempty"`
	ContentEncoding string `json:"content_encoding,omitempty"`
	ETag            string `json:"etag,omitempty"`
	LastModified    string `json:"last_modified,omitempty"`
	Date            string `json:"date,omitempty"`

	Reason string `json:"reason,omitempty"` // of Refused and Failed, a word
	Error  string `json:"error,omitempty"`  // what the server or the network said, bounded
}

// Started is StartedAt as rows have it: RFC 3339 in UTC, to the millisecond.
func (c *Capture) Started() string { return c.StartedAt.UTC().Format("2006-01-02T15:04:05.000Z") }

// Stored tells whether the line stands for a response that is in a file.
func (c *Capture) Stored() bool {
	return (c.Outcome == Complete || c.Outcome == Unchanged) && c.File != "" && c.File == filepath.Base(c.File) && !strings.HasPrefix(c.File, ".")
}

// maxLine bounds a line: error texts and headers in it are bounded, so a longer one is none of ours.
const maxLine = 1 << 20

// Read reads a ledger. Lines that are none, such as the torn one that a killed
// process leaves at the end, are counted in broken.
func Read(r io.Reader) (captures []Capture, broken int, err error) {
	lines := bufio.NewReaderSize(r, 64<<10)
	for {
		line, tooLong, err := readLine(lines)
		if err != nil && err != io.EOF {
			return captures, broken, fmt.Errorf("read the ledger: %w", err)
		}
		var c Capture
		switch {
		case len(bytes.TrimSpace(line)) == 0 && !tooLong:
		case tooLong || json.Unmarshal(line, &c) != nil || !c.sound():
			broken++
		default:
			captures = append(captures, c)
		}
		if err == io.EOF {
			return captures, broken, nil
		}
	}
}

// sound tells whether a line is one that this package could have written.
func (c *Capture) sound() bool {
	digest := len(c.SHA256) == 64 && strings.Trim(c.SHA256, "0123456789abcdef") == ""
	year := c.StartedAt.UTC().Year()
	return c.Kind == Kind && c.URL != "" && c.Operation != "" && slices.Contains(Outcomes(), c.Outcome) && year > 1 && year < 10000 &&
		(c.SHA256 == "" || digest) && (c.File == "") == (c.SHA256 == "") && min(c.Size, c.WireSize, c.Duration, int64(c.Attempts), int64(c.Status)) >= 0
}

// readLine returns the next line; of one that is too long it keeps nothing.
func readLine(r *bufio.Reader) (line []byte, tooLong bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if tooLong = tooLong || len(line)+len(part) > maxLine; tooLong {
			line = nil
		} else {
			line = append(line, part...)
		}
		if err != bufio.ErrBufferFull {
			return line, tooLong, err
		}
	}
}

// A State is what a ledger says of one address.
type State struct {
	Last   Capture  // the last line of it
	Stored *Capture // the last of those with a file; nil where there is none
}

// States sums a ledger up by address.
func States(captures []Capture) map[string]State {
	states := map[string]State{}
	for _, c := range captures {
		s := states[c.URL]
		s.Last = c
		if c.Stored() {
			s.Stored = &c
		}
		states[c.URL] = s
	}
	return states
}

// A Ledger is the ledger of a folder, open for adding. One process at a time has it open.
type Ledger struct {
	f      *os.File
	folder string
}

// ErrInUse is the error of a folder that another process captures into.
var ErrInUse = errors.New("another process captures into this folder")

// Open opens the ledger of a folder, which it creates where it is missing, and
// returns what it holds. Temporary files that a killed process left are removed.
func Open(folder string) (l *Ledger, captures []Capture, broken int, err error) {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return nil, nil, 0, fmt.Errorf("create the folder: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(folder, FileName), os.O_RDWR|os.O_CREATE|os.O_APPEND|syscall.O_NOFOLLOW, 0o666)
	if err != nil {
		return nil, nil, 0, fmt.Errorf("open the ledger: %w", err)
	}
	l = &Ledger{f, folder}
	captures, broken, err = l.begin()
	if err != nil {
		f.Close()
		return nil, nil, 0, err
	}
	return l, captures, broken, nil
}

func (l *Ledger) begin() (captures []Capture, broken int, err error) {
	if info, err := l.f.Stat(); err != nil || !info.Mode().IsRegular() { // a pipe would be waited for
		return nil, 0, errors.Join(fmt.Errorf("%s is no regular file", l.f.Name()), err)
	}
	// The lock is the kernel's and ends with the process, however that ends.
	if err := syscall.Flock(int(l.f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, 0, fmt.Errorf("%s: %w", l.folder, ErrInUse)
	} else if err != nil {
		return nil, 0, fmt.Errorf("lock the ledger: %w", err)
	}
	left, err := filepath.Glob(filepath.Join(escapeGlob(l.folder), temporaryPattern))
	if err != nil {
		return nil, 0, fmt.Errorf("look for temporary files: %w", err)
	}
	for _, name := range left {
		if err := os.Remove(name); err != nil {
			return nil, 0, fmt.Errorf("remove a temporary file: %w", err)
		}
	}
	if captures, broken, err = Read(l.f); err != nil {
		return nil, 0, err
	}
	if len(captures) == 0 && broken > 0 && !l.begun() {
		return nil, 0, fmt.Errorf("%s is no ledger of captures: it is left as it is", l.f.Name())
	}
	return captures, broken, l.endLine()
}

// begun tells whether the file begins as a ledger does, as far as it goes: a process may be killed in its first line.
func (l *Ledger) begun() bool {
	start := []byte(`{"kind":"` + Kind + `"`)
	head := make([]byte, len(start))
	n, _ := l.f.ReadAt(head, 0) // what there is of it
	return bytes.HasPrefix(start, bytes.TrimRight(head[:n], "\r\n"))
}

// endLine ends a torn line, so that the next begins one.
func (l *Ledger) endLine() error {
	info, err := l.f.Stat()
	if err != nil {
		return fmt.Errorf("read the ledger: %w", err)
	}
	last := make([]byte, 1)
	if info.Size() == 0 {
		return nil
	}
	if _, err := l.f.ReadAt(last, info.Size()-1); err != nil {
		return fmt.Errorf("read the ledger: %w", err)
	}
	if last[0] == '\n' {
		return nil
	}
	if _, err := l.f.Write([]byte("\n")); err != nil {
		return fmt.Errorf("write the ledger: %w", err)
	}
	return nil
}

// Add writes a line, which is on disk when it returns.
func (l *Ledger) Add(c *Capture) error {
	c.Kind = Kind
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(c); err != nil {
		return fmt.Errorf("write the ledger: %w", err)
	}
	if _, err := l.f.Write(line.Bytes()); err != nil {
		return fmt.Errorf("write the ledger: %w", err)
	}
	if err := l.f.Sync(); err != nil {
		return fmt.Errorf("write the ledger: %w", err)
	}
	return nil
}

// Close closes the ledger, which another process may then open.
func (l *Ledger) Close() error { return l.f.Close() }

// temporaryPattern is what files are called that are not complete; they are hidden, so that no load takes one.
const temporaryPattern = ".capture-*.tmp"

// A Temporary is a file of the folder that is being written.
type Temporary struct {
	*os.File
	kept bool
}

// Temporary creates a file that appears under its name when it is kept.
func (l *Ledger) Temporary() (*Temporary, error) {
	for i := 0; ; i++ {
		name := filepath.Join(l.folder, strings.Replace(temporaryPattern, "*", fmt.Sprintf("%d-%d", os.Getpid(), i), 1))
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("create a file: %w", err)
		}
		return &Temporary{File: f}, nil
	}
}

// Keep gives the file its name in the folder. When it returns the file is on disk, whole.
func (t *Temporary) Keep(name string) error {
	err := t.Sync()
	if err == nil {
		err = t.Close()
	}
	folder := filepath.Dir(t.Name())
	if err == nil {
		err = os.Rename(t.Name(), filepath.Join(folder, name))
	}
	if err == nil {
		t.kept = true
		err = syncFolder(folder)
	}
	if err != nil {
		return fmt.Errorf("keep %s: %w", name, err)
	}
	return nil
}

// Discard removes the file, unless it was kept.
func (t *Temporary) Discard() {
	if t.kept { // its temporary name may be another's by now
		return
	}
	t.Close()
	os.Remove(t.Name())
}

// syncFolder sees to it that a new name is on disk.
func syncFolder(folder string) error {
	d, err := os.Open(folder)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}
