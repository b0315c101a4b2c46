package loader

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/inference-sim/blis-warehouse/loader/fetch/ledger"
	"github.com/inference-sim/blis-warehouse/store/record"
)

// maxLedger bounds the ledger of a captured folder, which is held in memory; a
// line has some 600 bytes.
const maxLedger = 256 << 20

// capturedFolder is a folder with a ledger of what was captured into it.
type capturedFolder struct {
	path    string // of the ledger
	printed string
	byFile  map[string]ledger.Capture // the last line with a file, by the file's path
	records []record.InferenceXCapture
	leftOut int // lines that are none, or carry a credential
}

// readLedger reads the ledger at path.
func readLedger(r io.Reader, path, printed string) (*capturedFolder, error) {
	content, err := io.ReadAll(io.LimitReader(r, maxLedger+1))
	if err == nil && len(content) > maxLedger {
		err = fmt.Errorf("a ledger of captures has at most %d MiB", maxLedger>>20)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", printed, err)
	}
	captures, broken, err := ledger.Read(bytes.NewReader(content))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", printed, err)
	}
	f := &capturedFolder{path: path, printed: printed, byFile: map[string]ledger.Capture{}, leftOut: broken}
	for i := range captures {
		c := &captures[i]
		rec, err := captureRecord(c)
		if err != nil || slices.ContainsFunc(rec.Texts(), isSecret) || secretAddress(c) {
			f.leftOut++
			continue
		}
		f.records = append(f.records, rec)
		if c.Stored() {
			f.byFile[filepath.Join(filepath.Dir(path), c.File)] = *c
		}
	}
	return f, nil
}

// captureRecord is a line of a ledger as it is stored.
func captureRecord(c *ledger.Capture) (record.InferenceXCapture, error) {
	params := c.Params
	if params == nil {
		params = map[string]string{}
	}
	text, err := json.Marshal(params)
	rec := record.InferenceXCapture{
		URL: c.URL, StartedAt: c.Started(), Outcome: string(c.Outcome), Operation: c.Operation, Params: string(text), FinalURL: c.FinalURL,
		DurationMS: c.Duration, Attempts: int64(c.Attempts), Status: int64(c.Status), WireSize: c.WireSize, ContentType: c.ContentType, Encoding: c.ContentEncoding,
		ETag: c.ETag, LastModified: c.LastModified, Date: c.Date, Reason: c.Reason, Error: c.Error,
	}
	if c.Stored() {
		rec.File, rec.Size, rec.SHA256 = c.File, c.Size, c.SHA256
	}
	for _, text := range rec.Texts() {
		if bytes.IndexByte([]byte(text), 0) >= 0 {
			err = errors.New("a NUL")
		}
	}
	return rec, err
}

// secretAddress tells whether the parameters or addresses of a line carry a
// credential, under its name or escaped as addresses are.
func secretAddress(c *ledger.Capture) bool {
	for name, value := range c.Params {
		if _, found := scanText(value, name); found {
			return true
		}
	}
	return isSecret(unescaped(c.URL)) || isSecret(unescaped(c.FinalURL))
}

var escape = regexp.MustCompile("%[0-9A-Fa-f]{2}")

// unescaped is an address as it reads. It may be cut anywhere, or be none.
func unescaped(address string) string {
	return escape.ReplaceAllStringFunc(address, func(e string) string {
		b, _ := hex.DecodeString(e[1:]) // is hex
		return string(b)
	})
}

// isLedger tells a ledger of captures by the beginning of its content.
func isLedger(head []byte) bool {
	if !bytes.Contains(head, []byte(ledger.Kind)) || !bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte("{")) {
		return false
	}
	captures, _, err := ledger.Read(bytes.NewReader(head))
	return err == nil && len(captures) > 0
}

// settle tells the sources from the one at index first on what the ledgers of
// their folders say of them: captures of which one tells are taken in the order
// in which they were captured, behind the others, so that the newest is the last.
// Those that cannot be loaded yet are named as such, and so are those that read as a
// document of ours: what a server answers brings neither runs nor licences.
func (g *gatherer) settle(first, firstSkipped int) {
	if len(g.out.ledgers) == 0 {
		return
	}
	of := func(path string) *ledger.Capture {
		for _, f := range g.out.ledgers {
			if c, ok := f.byFile[path]; ok {
				return &c
			}
		}
		return nil
	}
	found := g.out.sources[first:]
	for i := range found {
		found[i].captured = of(found[i].path)
	}
	at := func(s source) time.Time {
		if s.captured == nil {
			return time.Time{}
		}
		return s.captured.StartedAt
	}
	found = slices.DeleteFunc(found, func(s source) bool {
		if s.kind != yamlDocument || s.captured == nil {
			return false
		}
		delete(g.seen, s.path)
		g.out.kept = append(g.out.kept, s.printed)
		return true
	})
	g.out.sources = g.out.sources[:first+len(found)]
	slices.SortStableFunc(found, func(a, b source) int { return at(a).Compare(at(b)) })
	for i := range found {
		g.seen[found[i].path] = first + i
	}
	skipped := g.out.skipped[firstSkipped:]
	g.out.skipped = g.out.skipped[:firstSkipped:firstSkipped]
	for _, p := range skipped {
		full := p
		if !filepath.IsAbs(full) {
			full = filepath.Join(g.workDir, p)
		}
		if of(full) != nil {
			g.out.kept = append(g.out.kept, p)
		} else {
			g.out.skipped = append(g.out.skipped, p)
		}
	}
}
