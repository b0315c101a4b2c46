package loader

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/inference-sim/blis-warehouse/loader/fetch/ledger"
	"github.com/inference-sim/blis-warehouse/loader/inferencex"
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

// capturedAs is what the ledgers say of the file at path, nil for nothing.
func (g *gatherer) capturedAs(path string) *ledger.Capture {
	for _, f := range g.out.ledgers {
		if c, ok := f.byFile[path]; ok {
			return &c
		}
	}
	return nil
}

// settle tells the sources from the one at index first on what the ledgers of
// their folders say of them: captures of which one tells are taken in the order
// in which they were captured, behind the others, so that the newest is the last.
// What their content does not tell, the ledger does. Those that cannot be loaded yet
// are named as such, and so are those that read as a document of ours: what a server
// answers brings neither runs nor licences.
func (g *gatherer) settle(first, firstSkipped int) error {
	if len(g.out.ledgers) == 0 {
		return nil
	}
	found := slices.Clone(g.out.sources[first:])
	for _, s := range found {
		delete(g.seen, s.path)
	}
	skipped := slices.Clone(g.out.skipped[firstSkipped:])
	g.out.sources, g.out.skipped = g.out.sources[:first:first], g.out.skipped[:firstSkipped:firstSkipped]
	for _, p := range skipped {
		full := p
		if !filepath.IsAbs(full) {
			full = filepath.Join(g.workDir, p)
		}
		if g.capturedAs(full) == nil {
			g.out.skipped = append(g.out.skipped, p)
			continue
		}
		if info, err := os.Lstat(full); err != nil || g.oddity(full, info.Mode().Type()) != "" { // what leads elsewhere is not read
			g.out.kept = append(g.out.kept, p)
			continue
		}
		found = append(found, source{path: full, root: g.root, printed: p, kind: yamlDocument, group: artifactGroup(full), found: true})
	}
	settled := found[:0]
	for _, s := range found {
		loadable := true
		if s.captured = g.capturedAs(s.path); s.captured != nil {
			var err error
			if loadable, err = g.ask(&s); err != nil {
				return err
			}
		}
		if loadable {
			settled = append(settled, s)
		} else {
			g.out.kept = append(g.out.kept, s.printed)
		}
	}
	at := func(s source) time.Time {
		if s.captured == nil {
			return time.Time{}
		}
		return s.captured.StartedAt
	}
	slices.SortStableFunc(settled, func(a, b source) int { return at(a).Compare(at(b)) })
	for _, s := range settled {
		g.add(s)
	}
	return nil
}

// ask finds out what a captured source is and whether that is loaded. Where its
// content does not tell, the operation of its ledger does, if the file has the bytes
// that the ledger names. A file with others is loaded all the same, or refused with
// what is the matter.
func (g *gatherer) ask(s *source) (loadable bool, err error) {
	if s.kind == dump {
		return true, nil
	}
	f, err := g.inputs.open(s.root, s.path)
	if err != nil {
		return false, fmt.Errorf("read %s: %w", s.printed, err)
	}
	defer f.Close()
	_, of, err := sniff(f, s.fileName())
	if err != nil {
		return false, fmt.Errorf("read %s: %w", s.printed, err)
	}
	asked := of.Asked(askedOperation(s.captured))
	switch {
	case !asked.Loadable():
		return false, nil
	case asked != of:
		digest, err := digestFrom(f)
		if err != nil {
			return false, fmt.Errorf("read %s: %w", s.printed, err)
		}
		if digest == s.captured.SHA256 {
			s.operation = s.captured.Operation
		}
	}
	s.kind = capture
	return true, nil
}

// askedOperation is the operation of a capture, as content that does not tell is read
// by it. A log is text only where it was asked for as an attachment.
func askedOperation(c *ledger.Capture) string {
	if c.Operation == "server-log" && c.Params["download"] != "1" {
		return ""
	}
	return c.Operation
}

// digestFrom is the digest of all of a file.
func digestFrom(f io.ReadSeeker) (string, error) {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	digest := &digester{h: sha256.New()}
	_, err := io.Copy(digest, f)
	return digest.sum(), err
}

// named tells the files that were named themselves, beside the ledger of their
// folder, what that says of them where their content does not tell.
func (g *gatherer) named() error {
	for i := range g.out.sources {
		s := &g.out.sources[i]
		c := g.capturedAs(s.path)
		if c == nil || s.captured != nil || s.found {
			continue
		}
		with := *s
		with.captured = c
		if _, err := g.ask(&with); err != nil {
			return err
		}
		if with.operation != "" {
			*s = with
		}
	}
	return nil
}

// ledgerProblems says how a file with a digest and content of a kind is another than
// the one that the ledger of its folder tells of. What it is its bytes say, and where
// it is from is in doubt.
func ledgerProblems(s source, digest string, of inferencex.Kind) []record.Problem {
	warn := func(rule, message string) []record.Problem {
		return []record.Problem{{Severity: record.Warning, Line: 1, Rule: rule, Message: message}}
	}
	switch {
	case s.captured == nil && of == inferencex.KindEmptyList && s.operation == "":
		return warn("operation", of.Refusal())
	case s.captured == nil:
		return nil
	case s.captured.SHA256 != digest:
		return warn("captured-digest", "the ledger of its folder says that the file had other bytes when it was captured: where these are from is not known")
	case of.Loadable() && !of.Answers(s.captured.Operation):
		return warn("captured-operation", fmt.Sprintf("the ledger of its folder says that the file answers %s, which its content does not: it is loaded as what it is, %s",
			strconv.Quote(s.captured.Operation), of))
	}
	return nil
}
