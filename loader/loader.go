// Package loader turns files into rows of the warehouse. It finds the
// documents and captures that a command names, has them read and checked by
// its subpackages (catalog, inferencex), and hands what is valid to the store
// in one transaction.
//
// It holds no rules of a document and no SQL. The one design choice is that
// whatever only shows at the end (two files with one run name, a capture that
// turns out to be malformed) is not undone piece by piece: the transaction
// goes back to its start and the load is done again, knowing it.
package loader

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/inference-sim/blis-warehouse/loader/catalog"
	"github.com/inference-sim/blis-warehouse/loader/inferencex"
	"github.com/inference-sim/blis-warehouse/store"
	"github.com/inference-sim/blis-warehouse/store/record"
)

// KindCapture is the kind of a file with InferenceX rows.
const KindCapture = "InferenceX"

// Options of a load.
type Options struct {
	WorkDir  string    // relative paths start here, and are printed relative to it
	Stdin    io.Reader // what the path - reads
	Local    bool      // a catalog's licences need score instead of redistribute
	Strict   bool      // captures that deviate from the published reference are refused
	DryRun   bool      // everything but the commit
	Verdicts bool      // fill in verdicts and reasons
	Tool     string    // the program's version, for the ledger
	Again    bool      // captures that this very program, which Tool names exactly, loaded last need not be read to know that they change nothing
	Now      time.Time // the time of the load, for the ledger
	Limits   catalog.Limits
	Progress func(done, total int) // called after each file; may be nil
}

// Document is what became of a file that was read as a document.
type Document struct {
	File     string // as printed
	Kind     string // MeasuredRun, MeasurementSources, EvaluationRun, InferenceX, or "" where it could not be told
	Name     string // of a run, "" for other kinds or where it could not be read
	Valid    bool
	Status   store.Status
	Verdict  *store.Verdict // of a valid run, where Options.Verdicts asks for it
	Problems []record.Problem
	SHA256   string
	Size     int64
	Rows     store.CaptureRows  // of a capture
	Drift    []inferencex.Drift // how a capture deviates from the published reference

	newFailures bool               // some failed point was not known
	newBody     bool               // the capture is one of an operation that is no benchmark rows, and was not known
	newOther    bool               // some row of a dump that is no benchmark row was new or changed one
	points      []store.PointRange // the points that a capture's rows became or were merged into
	runs        map[int64]int      // of a capture: see store.Document
	reading     store.Reading

	unread bool // its bytes told all: see again.go
}

// addPoint notes the point of a row. Rows that follow one another mostly have
// points that do.
func (d *Document) addPoint(point int64) {
	if n := len(d.points); n > 0 && d.points[n-1].Last+1 == point {
		d.points[n-1].Last = point
		return
	}
	d.points = append(d.points, store.PointRange{First: point, Last: point})
}

// Report is the outcome of a load.
type Report struct {
	Documents []Document // in path order
	Skipped   []string   // files of directories that hold nothing of ours, as printed, sorted
	Kept      []string   // captures that the ledger of their folder tells of, and that cannot be loaded yet, as printed, sorted
	Broken    []string   // stored runs whose stated verdict no longer is the computed one, where a registry was loaded

	Ledgers      []string // ledgers of captured folders, as printed
	Requests     int      // that they tell of
	LinesLeftOut int      // of them, which are none or carry a credential
}

// Load reads what the paths name and stores what is valid, in one transaction.
// An error means that nothing was stored.
func Load(ctx context.Context, w *store.Writer, paths []string, opts Options) (*Report, error) {
	return run(ctx, w, paths, opts, false)
}

// Validate reads and checks what the paths name as Load does, and keeps nothing.
func Validate(ctx context.Context, paths []string, opts Options) (*Report, error) {
	w, err := store.OpenMemory(ctx)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	opts.DryRun = true
	return run(ctx, w, paths, opts, true)
}

func run(ctx context.Context, w *store.Writer, paths []string, opts Options, rowsUnstored bool) (*Report, error) {
	inputs := newSteady()
	files, err := gather(opts.WorkDir, paths, inputs)
	if err != nil {
		return nil, err
	}
	var stdin io.ReadSeeker
	if slices.ContainsFunc(files.sources, func(s source) bool { return s.path == "-" }) {
		var kind sourceKind
		var closer func()
		if stdin, kind, closer, err = readStdin(ctx, opts.Stdin, opts.Limits.MaxBytes); err != nil {
			return nil, err
		}
		defer closer()
		if kind == ledgerOfCaptures {
			return nil, errors.New("read standard input: this is the ledger of a captured folder: give the folder, or the file by its name")
		}
		files.setKind("-", kind)
	}
	l := &loading{ctx: ctx, opts: opts, stdin: stdin, sources: files.sources, inputs: inputs, rowsUnstored: rowsUnstored, taken: map[string]bool{}, malformed: map[string]bool{}}
	for {
		l.store, err = w.Begin(ctx)
		if err != nil {
			return nil, err
		}
		again, err := l.attempt()
		if err == nil && !again {
			break
		}
		l.store.Rollback()
		if err != nil {
			return nil, err
		}
	}
	defer l.store.Rollback()
	report := &Report{Documents: l.documents, Skipped: slices.Sorted(slices.Values(slices.Concat(files.skipped, l.skipped))), Kept: slices.Sorted(slices.Values(files.kept))}
	var captures []record.InferenceXCapture
	for _, f := range files.ledgers {
		report.Ledgers = append(report.Ledgers, f.printed)
		report.LinesLeftOut += f.leftOut
		captures = append(captures, f.records...)
	}
	report.Requests = len(captures)
	if err := l.conclude(report); err != nil {
		return nil, err
	}
	if opts.DryRun {
		return report, nil
	}
	return report, l.store.Commit(ledgerOf(report, captures, opts))
}

func ledgerOf(report *Report, captures []record.InferenceXCapture, opts Options) store.Ledger {
	led := store.Ledger{LoadedAt: opts.Now, Tool: opts.Tool, Local: opts.Local, Captures: captures}
	for i := range report.Documents {
		d := &report.Documents[i]
		led.Documents = append(led.Documents, store.Document{
			Path: d.File, Kind: d.Kind, Name: d.Name, SHA256: d.SHA256, Size: d.Size, Status: d.Status, Problems: d.Problems, Reading: &d.reading, Runs: d.runs,
			Rows: d.rows(),
		})
	}
	return led
}

// rows are the counts of a capture's rows, nil of another document.
func (d *Document) rows() *store.CaptureRows {
	if d.Kind != KindCapture {
		return nil
	}
	return &d.Rows
}

// loading is the state of one load. attempt fills it anew; taken and malformed
// are what earlier attempts found out.
type loading struct {
	ctx          context.Context
	opts         Options
	stdin        io.ReadSeeker // what the path - reads, as often as is needed
	sources      []source
	inputs       *steady
	rowsUnstored bool // rows of captures are read and not stored

	taken     map[string]bool // run names that several files use for different content
	malformed map[string]bool // paths of captures that cannot be read to their end

	store      *store.Load
	documents  []Document
	names      map[string]string         // digest by run name, of valid runs
	known      map[string]store.KnownRun // by the digest of their documents
	registries int
	skipped    []string
	done       int
	large      sync.Mutex // held while a large document is parsed
	usualGC    int        // the percentage at which garbage is collected outside of documents, 0 where the loader leaves it
}

// attempt does the whole load. again is true where it found out something that the load must be done again with.
func (l *loading) attempt() (again bool, err error) {
	l.documents, l.names, l.registries, l.skipped, l.done = nil, map[string]string{}, 0, nil, 0
	registry, rest, err := l.splitRegistries()
	if err != nil {
		return false, err
	}
	for _, s := range registry {
		if err := l.ctx.Err(); err != nil {
			return false, err
		}
		if err := l.loadRegistry(s); err != nil {
			return false, err
		}
	}
	takenBefore := len(l.taken)
	if l.known, err = l.knownRuns(len(rest)); err != nil {
		return false, err
	}
	if err := l.loadDocuments(rest); err != nil {
		return false, err
	}
	if len(l.taken) > takenBefore {
		return true, nil
	}
	// What a load remembers of points grows with them: the garbage beside it should not grow as much.
	if os.Getenv("GOGC") == "" {
		defer debug.SetGCPercent(debug.SetGCPercent(50))
	}
	if again, err = l.loadCaptures(); err != nil {
		return false, err
	}
	if again {
		return true, nil
	}
	return false, l.store.Finish()
}

// loadDocuments stores the runs of all documents. Parsing leaves much garbage
// and keeps little, so that collecting it less often costs little memory.
func (l *loading) loadDocuments(sources []source) error {
	if os.Getenv("GOGC") == "" {
		l.usualGC = debug.SetGCPercent(400)
		defer debug.SetGCPercent(l.usualGC)
	}
	return parseAll(l.ctx, sources, l.parse, l.loadDocument)
}

// loadCaptures stores the rows of all captures. again is true where one of them turned out to be malformed.
func (l *loading) loadCaptures() (again bool, err error) {
	captures := slices.DeleteFunc(slices.Clone(l.sources), func(s source) bool { return s.kind == yamlDocument })
	recorded, err := l.storedLast(captures)
	if err != nil {
		return false, err
	}
	if recorded != nil {
		return false, l.reportStored(captures, recorded)
	}
	for _, s := range captures {
		if err := l.ctx.Err(); err != nil {
			return false, err
		}
		wellFormed, err := l.loadCapture(s)
		if err != nil {
			return false, err
		}
		if !wellFormed && !l.malformed[s.path] {
			l.malformed[s.path] = true
			again = true
		}
	}
	return again, nil
}

// conclude completes the report of an attempt that is final.
func (l *loading) conclude(report *Report) error {
	slices.SortStableFunc(report.Documents, func(a, b Document) int { return strings.Compare(a.File, b.File) })
	if err := l.countFlagged(report); err != nil {
		return err
	}
	if l.opts.Verdicts {
		for i := range report.Documents {
			d := &report.Documents[i]
			if !d.Valid || d.Kind != catalog.KindRun && d.Kind != catalog.KindEvaluation {
				continue
			}
			v, err := l.store.Verdict(d.Name)
			if err != nil {
				return err
			}
			d.Verdict = v
		}
	}
	if l.registries == 0 || l.rowsUnstored { // what validate stores is gone at its end
		return nil
	}
	var err error
	report.Broken, err = l.store.FalseClaims()
	return err
}

// countFlagged counts for every capture the rows whose points are flagged.
func (l *loading) countFlagged(report *Report) error {
	for i := range report.Documents {
		d := &report.Documents[i]
		if d.unread {
			continue
		}
		var err error
		if d.Rows.Flagged, err = l.store.CountFlagged(d.points); err != nil {
			return err
		}
		d.points = nil
	}
	return nil
}

// parsed is a document's bytes and what its reader made of them.
type parsed struct {
	doc     *catalog.Document // nil where it is known
	known   *store.KnownRun   // the run whose document it is, nil where it was read
	content []byte
	sha256  string
	size    int64
}

// parse reads a document. A file over the size limit is read no further than the limit.
func (l *loading) parse(s source) (*parsed, error) {
	if s.place.misplaced != "" && !readable(s) {
		return &parsed{doc: &catalog.Document{}}, nil
	}
	content, size, err := l.content(s)
	if err != nil {
		return nil, err
	}
	p := &parsed{content: content, size: size}
	if size == int64(len(content)) { // read whole
		p.sha256 = digestOf(content)
	}
	if known, ok := l.known[p.sha256]; ok {
		p.known = &known
	} else {
		p.doc = l.parseContent(content)
	}
	return p, nil
}

// largeDocument is the size above which documents are parsed one at a time, with
// garbage collected as usual: the parser takes up to a hundred times their size.
const largeDocument = 128 << 10

func (l *loading) parseContent(content []byte) *catalog.Document {
	if len(content) > largeDocument {
		l.large.Lock()
		defer l.large.Unlock()
		if l.usualGC != 0 {
			defer debug.SetGCPercent(debug.SetGCPercent(l.usualGC))
		}
	}
	return catalog.Parse(content, l.opts.Limits)
}

// readable reports that what is misplaced is a file at least, whose problems can be told too.
func readable(s source) bool {
	f, err := openFile(s.root, s.path)
	if err != nil {
		return false
	}
	f.Close()
	return true
}

func (l *loading) content(s source) (content []byte, size int64, err error) {
	r, done, err := l.open(s)
	if err != nil {
		return nil, 0, err
	}
	content, err = io.ReadAll(io.LimitReader(r, l.opts.Limits.MaxBytes+1))
	if err := errors.Join(err, done()); err != nil {
		return nil, 0, fmt.Errorf("read %s: %w", s.printed, err)
	}
	size = int64(len(content))
	if size > l.opts.Limits.MaxBytes && s.path != "-" {
		info, err := os.Stat(s.path)
		if err != nil {
			return nil, 0, fmt.Errorf("read %s: %w", s.printed, err)
		}
		size = max(size, info.Size())
	}
	return content, size, nil
}

// open opens a source. done closes it and fails where it changed meanwhile.
func (l *loading) open(s source) (r io.Reader, done func() error, err error) {
	if s.path == "-" {
		if _, err := l.stdin.Seek(0, io.SeekStart); err != nil {
			return nil, nil, fmt.Errorf("read standard input: %w", err)
		}
		return l.stdin, func() error { return nil }, nil
	}
	f, err := l.inputs.open(s.root, s.path)
	if err != nil {
		return nil, nil, fmt.Errorf("read %s: %w", s.printed, err)
	}
	return f, f.done, nil
}

// splitRegistries parts the documents into registries, which come first, and the rest.
func (l *loading) splitRegistries() (registries, rest []source, err error) {
	for _, s := range l.sources {
		if s.kind != yamlDocument {
			continue
		}
		isRegistry := s.place.registry
		if !s.place.inCatalog {
			content, _, err := l.content(s)
			if err != nil {
				return nil, nil, err
			}
			if s.found && !catalog.Mentions(content) {
				l.skipped = append(l.skipped, s.printed)
				continue
			}
			isRegistry = bytes.Contains(content, []byte(catalog.KindRegistry)) && catalog.Parse(content, l.opts.Limits).Kind == catalog.KindRegistry
		}
		if isRegistry {
			registries = append(registries, s)
		} else {
			rest = append(rest, s)
		}
	}
	return registries, rest, nil
}

func (l *loading) loadRegistry(s source) error {
	p, err := l.parse(s)
	if err != nil {
		return err
	}
	d := l.newDocument(s, p)
	if s.place.registry && p.doc.Kind != "" && p.doc.Kind != catalog.KindRegistry {
		d.refuse("", 1, "layout", "measurements/sources.yaml is the catalog's licence registry: kind must be "+catalog.KindRegistry)
	}
	if d.Valid {
		d.reading.RegistryPath = s.path
		status, err := l.store.ApplyRegistry(s.path, p.sha256, p.content, p.doc.Registry)
		if err != nil {
			return err
		}
		d.Status = status
		l.registries++
	}
	l.report(d)
	return nil
}

func (l *loading) newDocument(s source, p *parsed) *Document {
	d := &Document{File: s.printed, Kind: p.doc.Kind, Name: p.doc.Name, Valid: p.doc.Valid(), Status: store.Rejected, Problems: p.doc.Problems,
		SHA256: p.sha256, Size: p.size}
	if s.place.misplaced != "" {
		d.refuse("", 1, "layout", s.place.misplaced)
	}
	return d
}

// refuse adds an error to a document.
func (d *Document) refuse(path string, line int, rule, message string) {
	d.Valid = false
	d.Status = store.Rejected
	d.Problems = append(d.Problems, record.Problem{Severity: record.Error, Path: path, Line: line, Rule: rule, Message: message})
	slices.SortStableFunc(d.Problems, func(a, b record.Problem) int { return strings.Compare(a.Path, b.Path) })
}

func (l *loading) report(d *Document) {
	d.reading.Position = len(l.documents)
	l.documents = append(l.documents, *d)
	l.done++
	if l.opts.Progress != nil {
		l.opts.Progress(l.done, len(l.sources))
	}
}

// loadDocument stores a run of either kind, unless something stands against it.
func (l *loading) loadDocument(s source, p *parsed) error {
	if p.known != nil {
		if done, err := l.reportKnown(s, p); done || err != nil {
			return err
		}
		p.doc = l.parseContent(p.content)
	}
	d := l.newDocument(s, p)
	if p.doc.Kind == catalog.KindRegistry { // a registry is read before, save where a catalog has no place for it
		l.report(d)
		return nil
	}
	l.checkLayout(s, p, d)
	if d.Valid {
		save := l.storeRun
		if p.doc.Kind == catalog.KindEvaluation {
			save = l.storeEvaluation
		}
		if err := save(s, p, d); err != nil {
			return err
		}
	}
	l.report(d)
	return nil
}

// checkLayout compares a run of a catalog with its place.
func (l *loading) checkLayout(s source, p *parsed, d *Document) {
	if !s.place.inCatalog || s.place.misplaced != "" {
		return
	}
	if p.doc.Kind == catalog.KindEvaluation {
		d.refuse("kind", p.doc.Line("kind"), "layout",
			"an EvaluationRun states no licence, and every run of a catalog has one: keep it in a directory that is no catalog")
	}
	if p.doc.Kind != catalog.KindRun {
		return
	}
	if p.doc.Name != "" && p.doc.Name != s.place.name {
		d.refuse("name", p.doc.Line("name"), "layout",
			fmt.Sprintf("the run is named %s but its file %s.yaml: in a catalog the file name must be the run's name", p.doc.Name, s.place.name))
	}
	if p.doc.Run != nil && p.doc.Run.Source.LicenseRef != s.place.licence {
		d.refuse("source.license_ref", p.doc.Line("source.license_ref"), "layout",
			fmt.Sprintf("the run cites licence %s but lies in the directory %s: in a catalog the directory must be the run's license_ref", p.doc.Run.Source.LicenseRef, s.place.licence))
	}
}

func (l *loading) storeRun(s source, p *parsed, d *Document) error {
	run := p.doc.Run
	if !l.ownsName(p, d) {
		return nil
	}
	as := l.admission(s)
	d.reading.As = as
	stored, err := l.store.Stored(run.Name, p.sha256, as)
	if err != nil {
		return err
	}
	if stored {
		d.Status = store.Unchanged
		return nil
	}
	if s.place.inCatalog {
		refused, err := l.licenceProblem(run.Source.LicenseRef)
		if err != nil {
			return err
		}
		if refused != "" {
			d.refuse("source.license_ref", p.doc.Line("source.license_ref"), "licence", refused)
			return nil
		}
	}
	status, claim, err := l.store.SaveRun(&store.RunDocument{Run: run, Content: p.content, SHA256: p.sha256, As: as})
	if errors.Is(err, store.ErrNameTaken) {
		d.refuse("name", p.doc.Line("name"), "name-taken", "a run of InferenceX has this name: choose another")
		return nil
	}
	if err != nil {
		return err
	}
	d.Status = status
	if claim != nil {
		d.refuse(claim.Path, p.doc.Line(claim.Path), "stated-verdict", claimMessage(run, claim))
	}
	return nil
}

// ownsName claims the document's name for its content. A name of the form that
// runs of InferenceX have belongs to no document, loaded or not. A name that files of
// one command claim for different content belongs to none of them: then the
// document is refused.
func (l *loading) ownsName(p *parsed, d *Document) bool {
	name := p.doc.Name
	if inferencex.IsRunName(name) {
		d.refuse("name", p.doc.Line("name"), "name-taken", "names of this form are those of runs of InferenceX: choose another")
		return false
	}
	if first, ok := l.names[name]; ok && first != p.sha256 {
		l.taken[name] = true
	}
	l.names[name] = p.sha256
	if l.taken[name] {
		d.refuse("name", p.doc.Line("name"), "name-taken",
			fmt.Sprintf("another file of this command states a run %s with different content: a name must be given once, or with identical bytes", name))
	}
	return !l.taken[name]
}

func (l *loading) storeEvaluation(_ source, p *parsed, d *Document) error {
	if !l.ownsName(p, d) {
		return nil
	}
	status, err := l.store.SaveEvaluationRun(&store.EvaluationRunDocument{Evaluation: p.doc.Evaluation, Content: p.content, SHA256: p.sha256})
	switch {
	case errors.Is(err, store.ErrMeasured):
		d.refuse("name", p.doc.Line("name"), "name-taken",
			"a MeasuredRun has this name, which an EvaluationRun does not replace, for it says less: choose another, and let the MeasuredRun name it as supersedes")
	case errors.Is(err, store.ErrNameTaken):
		d.refuse("name", p.doc.Line("name"), "name-taken", "a run of InferenceX has this name: choose another")
	case err != nil:
		return err
	default:
		d.Status = status
	}
	return nil
}

func (l *loading) admission(s source) store.Admission {
	switch {
	case !s.place.inCatalog:
		return store.AsFile
	case l.opts.Local:
		return store.AsLocal
	}
	return store.AsCatalog
}

// licenceProblem says why a catalog may not hold a run under a licence, "" where it may.
func (l *loading) licenceProblem(id string) (string, error) {
	use := "redistribute"
	if l.opts.Local {
		use = "score"
	}
	lic, err := l.store.Licence(id)
	if err != nil {
		return "", err
	}
	switch {
	case !lic.Known:
		return fmt.Sprintf("licence %s is in no registry in effect: a catalog run must cite an entry of measurements/sources.yaml that permits %s", id, use), nil
	case slices.Contains(lic.Permits, use):
		return "", nil
	}
	state := "permits " + strings.Join(lic.Permits, ", ")
	switch {
	case lic.Withdrawn:
		state = "is withdrawn"
	case lic.Status != "verified":
		state = "is " + lic.Status + " and permits nothing"
	}
	return fmt.Sprintf("licence %s %s: a run of a catalog must cite a licence that permits %s", id, state, use), nil
}

// claimMessage says what a run states, what is computed, and why.
func claimMessage(run *record.Run, c *store.Claim) string {
	computed := c.Verdict
	if c.Resolution != "" {
		computed += " (" + c.Resolution + ")"
	}
	stated := run.Verdict
	if c.Path == "resolution" {
		stated = run.Resolution
	}
	message := fmt.Sprintf("the run states %s but its computed verdict is %s", stated, computed)
	for i, r := range c.Reasons {
		switch {
		case i == 3 && len(c.Reasons) > 4:
			return message + fmt.Sprintf("; and %d more", len(c.Reasons)-i)
		default:
			message += "; " + r.Path + ": " + r.Detail
		}
	}
	return message
}

// beginCapture does what every capture brings, whatever becomes of its rows.
func (l *loading) beginCapture() error {
	if err := l.store.EnsureLicence(&inferenceXLicence); err != nil {
		return err
	}
	return l.store.BeginCapture(inferenceXRules())
}

// loadCapture stores the rows of a capture. wellFormed is false where it cannot be read to its end: then none of its rows counts.
func (l *loading) loadCapture(s source) (wellFormed bool, err error) {
	d := &Document{File: s.printed, Kind: KindCapture}
	d.reading.ArtifactGroup, d.reading.Operation = s.group, s.operation
	if err := l.beginCapture(); err != nil {
		return false, err
	}
	body, err := l.beginBody(s)
	if err != nil {
		return false, err
	}
	d.newBody = body != nil && !body.known
	p := newPipe()
	read := make(chan readOutcome, 1)
	go func() {
		var out readOutcome
		out.sum, out.err = l.readCapture(s, d, p)
		p.end()
		read <- out
	}()
	var found []record.Problem // while storing
	err = p.take(func(b *batch) error { return l.saveBatch(s, b, d, body, &found) })
	out := <-read
	if err != nil {
		return false, err
	}
	if out.err != nil {
		return false, out.err
	}
	sum := out.sum
	if err := l.endBody(body, d); err != nil {
		return false, err
	}
	undone, err := l.store.EndCapture()
	if err != nil {
		return false, err
	}
	if stored := body == nil && !l.rowsUnstored && !l.malformed[s.path]; stored && d.SHA256 != "" {
		if err := l.store.SaveIDs(d.SHA256); err != nil {
			return false, err
		}
	}
	d.runs = l.store.CaptureRuns()
	d.Rows.Updated -= undone
	d.Rows.Unchanged += undone
	d.Problems = append(withoutSecrets(sum.Problems, sum.Drift), found...)
	d.Problems = append(d.Problems, ledgerProblems(s, d.SHA256, sum.Kind)...)
	d.Rows.Refused += sum.Refused
	d.Drift = slices.DeleteFunc(sum.Drift, func(drift inferencex.Drift) bool { return isSecret(drift.Key) || isSecret(drift.Detail) })
	wellFormed = !slices.ContainsFunc(sum.Problems, refusesFile)
	d.Valid = !slices.ContainsFunc(d.Problems, func(p record.Problem) bool { return p.Severity == record.Error })
	d.Status = captureStatus(d, wellFormed)
	if wellFormed && !l.rowsUnstored {
		if err := l.store.SaveDrift(d.SHA256, storedDrift(d.Drift)); err != nil {
			return false, err
		}
	}
	l.report(d)
	return wellFormed, nil
}

// saveBatch stores what was read of a capture.
func (l *loading) saveBatch(s source, b *batch, d *Document, body *loadedBody, found *[]record.Problem) error {
	if err := l.ctx.Err(); err != nil {
		return err
	}
	for i := range b.arrivals {
		a := &b.arrivals[i]
		switch {
		case a.isSecret:
			*found = append(*found, a.refusal)
			if a.row != nil || body != nil {
				d.Rows.Refused++
			}
		case l.rowsUnstored || l.malformed[s.path]:
		case a.row != nil:
			if err := l.saveRow(a, d, found); err != nil {
				return err
			}
		case body != nil:
			if err := l.saveBodyRow(a.table.(*record.InferenceXBodyRow), body, d); err != nil {
				return err
			}
		default:
			changed, err := l.store.SaveTableRow(a.table)
			if err != nil {
				return err
			}
			d.newOther = d.newOther || changed
		}
	}
	return l.store.Flush()
}

func storedDrift(drifts []inferencex.Drift) []store.Drift {
	all := make([]store.Drift, len(drifts))
	for i, d := range drifts {
		all[i] = store.Drift{Kind: d.Kind, Key: d.Key, Detail: d.Detail, Path: d.Path, Line: d.Line, Count: d.Count}
	}
	return all
}

// readCapture reads a capture or dump into a pipe, and fills in the document's
// digest and size.
func (l *loading) readCapture(s source, d *Document, p *pipe) (inferencex.Summary, error) {
	opts := inferencex.Options{FileName: s.fileName(), Operation: s.operation, Strict: l.opts.Strict, NewRow: p.newRow}
	describe := describer()
	var scanner rowScanner
	each := func(row *record.InferenceXRow) error {
		a := arrival{row: row, run: describe(row)}
		a.refusal, a.isSecret = scanner.secretOf(row)
		return p.put(a)
	}
	other := func(row record.InferenceXTableRow) error {
		a := arrival{table: row}
		a.refusal, a.isSecret = tableSecret(row)
		return p.put(a)
	}
	if s.kind == dump {
		folder := steadyFolder{l.inputs, s.path}
		sum, err := inferencex.ReadDump(folder, opts, each, other)
		if err != nil {
			return sum, err
		}
		return sum, digestFiles(d, folder, inferencex.DumpFiles(folder))
	}
	opts.Dir, opts.Other = s.group, other
	r, done, err := l.open(s)
	if err != nil {
		return inferencex.Summary{}, err
	}
	defer done() // after an error, which says more
	digest := &digester{h: sha256.New()}
	sum, err := inferencex.Read(io.TeeReader(untilDone{l.ctx, r}, digest), opts, each)
	if err != nil {
		return sum, err
	}
	_, err = io.Copy(digest, r) // what follows a malformed place
	if err := errors.Join(err, done()); err != nil {
		return sum, fmt.Errorf("read %s: %w", s.printed, err)
	}
	d.SHA256, d.Size = digest.sum(), digest.n
	return sum, nil
}

// digestFiles gives a folder the digest of its files' names and contents.
func digestFiles(d *Document, folder steadyFolder, names []string) error {
	all := &digester{h: sha256.New()}
	for _, name := range names {
		f, err := folder.open(folder.path, filepath.Join(folder.path, name))
		if err != nil {
			return fmt.Errorf("read %s: %w", d.File, err)
		}
		one := &digester{h: sha256.New()}
		_, err = io.Copy(one, f)
		if err := errors.Join(err, f.done()); err != nil {
			return fmt.Errorf("read %s: %w", d.File, err)
		}
		fmt.Fprintf(all.h, "%s %s\n", one.sum(), name)
		d.Size += one.n
	}
	d.SHA256 = all.sum()
	return nil
}

// refusesFile tells whether a problem stands against the whole file rather than a row.
func refusesFile(p record.Problem) bool {
	return p.Path == "" || strings.HasPrefix(p.Rule, "drift-")
}

func captureStatus(d *Document, wellFormed bool) store.Status {
	switch {
	case !wellFormed:
		return store.Rejected
	case d.Rows.Refused > 0 || !d.Valid: // of a dump another table's row may have been refused
		return store.Partial
	case d.Rows.Updated > 0:
		return store.Updated
	case d.Rows.Added > 0 || d.newFailures || d.newBody:
		return store.Added
	case d.newOther:
		return store.Updated
	}
	return store.Unchanged
}

func (l *loading) saveRow(a *arrival, d *Document, problems *[]record.Problem) error {
	row := a.row
	outcome, err := l.store.SaveRow(row, a.run)
	if errors.Is(err, store.ErrNameTaken) {
		d.Rows.Refused++
		*problems = append(*problems, record.Problem{
			Severity: record.Error, Path: fmt.Sprintf("[%d]", row.Position-1), Line: row.Line, Rule: "name-taken",
			Message: "the run of a document has the name of this row's run: that run must be renamed",
		})
		return nil
	}
	if err != nil {
		return err
	}
	switch outcome.Status {
	case store.RowAdded:
		d.Rows.Added++
	case store.RowUpdated:
		d.Rows.Updated++
	case store.RowUnchanged:
		d.Rows.Unchanged++
	case store.RowFailed:
		d.Rows.Failed++
		d.newFailures = d.newFailures || outcome.New
	}
	if outcome.Point != 0 {
		d.addPoint(outcome.Point)
	}
	for _, r := range slices.Concat(outcome.Revisions, outcome.RunRevisions) {
		if r.Position == 0 {
			continue
		}
		*problems = append(*problems, record.Problem{
			Severity: record.Warning, Path: fmt.Sprintf("[%d].%s", row.Position-1, r.Key), Line: row.Line, Rule: "conflict",
			Message: fmt.Sprintf("%v, but row [%d] of this file gives the same point %v: the later is kept", r.New, r.Position-1, r.Old),
		})
	}
	if len(outcome.Revisions)+len(outcome.RunRevisions) > 0 {
		d.Rows.Revised++
	}
	return nil
}

// untilDone reads until its context ends.
type untilDone struct {
	ctx context.Context
	r   io.Reader
}

func (u untilDone) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.r.Read(p)
}

// digester counts and digests what is read.
type digester struct {
	h interface {
		io.Writer
		Sum([]byte) []byte
	}
	n int64
}

func (d *digester) Write(p []byte) (int, error) {
	d.n += int64(len(p))
	return d.h.Write(p)
}

func (d *digester) sum() string { return hex.EncodeToString(d.h.Sum(nil)) }

// parseAll parses the sources on all processors and calls each in their order.
// No more than a few documents for each processor are held at a time.
func parseAll(ctx context.Context, sources []source, parse func(source) (*parsed, error), each func(source, *parsed) error) error {
	type result struct {
		p   *parsed
		err error
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	pending := make(chan chan result, 4*runtime.GOMAXPROCS(0))
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	go func() {
		defer close(pending)
		for _, s := range sources {
			out := make(chan result, 1)
			select {
			case pending <- out:
			case <-ctx.Done():
				return
			}
			slots <- struct{}{}
			go func() {
				p, err := parse(s)
				<-slots
				out <- result{p, err}
			}()
		}
	}()
	i := 0
	for out := range pending {
		if err := ctx.Err(); err != nil {
			return err
		}
		r := <-out
		if r.err != nil {
			return r.err
		}
		if err := each(sources[i], r.p); err != nil {
			return err
		}
		i++
	}
	return ctx.Err()
}
