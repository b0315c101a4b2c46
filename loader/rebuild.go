package loader

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/inference-sim/blis-warehouse/loader/catalog"
	"github.com/inference-sim/blis-warehouse/store"
	"github.com/inference-sim/blis-warehouse/store/record"
)

// A database is rebuilt by doing its loads again, in their order, from what
// each stored: documents out of the database, captures wherever they are found
// by their digest. What a load refused changed nothing and is not done again.
// Nothing is judged again that depends on more than the document: it was
// admitted then, under the registries of the time.

// RebuildOptions of a rebuild.
type RebuildOptions struct {
	WorkDir  string   // relative paths start here
	Paths    []string // where captures are searched: files, and directories with all below them
	Limits   catalog.Limits
	Progress func(done, total int) // called after each load; may be nil
}

// Rebuilt is the outcome of a rebuild.
type Rebuilt struct {
	Loads, Documents, Captures int              // done again; Documents and Captures count what was stored
	Missing                    []RebuildFinding // captures that are nowhere, in the order of the loads
	Refused                    []RebuildFinding // documents that cannot be stored again
	Unsure                     []RebuildFinding // what the ledger does not tell, with what was taken
	Unread                     []string         // below Paths, with why
}

// RebuildFinding is a file of a load, and what is the matter with it.
type RebuildFinding struct{ Path, Detail string }

// RuleMissing is the rule of the warning that the ledger of a rebuilt database
// has for a capture that was not found: its rows are not there.
const RuleMissing = "not-found"

// Rebuild does the loads that are recorded in old again, into the empty
// database of w. An error means that the rebuild is of no use.
func Rebuild(ctx context.Context, old *store.Reader, w *store.Writer, opts RebuildOptions) (*Rebuilt, error) {
	r := &rebuilding{ctx: ctx, old: old, w: w, opts: opts, admitted: map[string]store.Admission{}}
	if err := r.search(); err != nil {
		return nil, err
	}
	ids, err := old.RecordedLoads(ctx)
	if err != nil {
		return nil, err
	}
	for i, id := range ids {
		recorded, err := old.RecordedLoad(ctx, id)
		if err != nil {
			return nil, err
		}
		if err := r.load(recorded); err != nil {
			return nil, fmt.Errorf("do load %d again: %w", id, err)
		}
		r.out.Loads++
		if opts.Progress != nil {
			opts.Progress(i+1, len(ids))
		}
	}
	return &r.out, nil
}

type rebuilding struct {
	ctx   context.Context
	old   *store.Reader
	w     *store.Writer
	opts  RebuildOptions
	found map[string]foundFile // by digest
	out   Rebuilt

	admitted map[string]store.Admission // of runs whose admission the ledger does not tell, by digest
}

// load does one recorded load again, in one transaction.
func (r *rebuilding) load(recorded *store.RecordedLoad) error {
	malformed := map[string]bool{}
	for {
		before := r.out
		again, err := r.attempt(recorded, malformed)
		if err != nil || !again {
			return err
		}
		r.out = before
	}
}

func (r *rebuilding) attempt(recorded *store.RecordedLoad, malformed map[string]bool) (again bool, err error) {
	l := &loading{ctx: r.ctx, opts: Options{Limits: r.opts.Limits}, inputs: newSteady(), malformed: malformed}
	if l.store, err = r.w.Begin(r.ctx); err != nil {
		return false, err
	}
	defer l.store.Rollback()
	ledger := recorded.Ledger
	ledger.Documents = r.ordered(recorded)
	for i := range ledger.Documents {
		if err := r.ctx.Err(); err != nil {
			return false, err
		}
		wellFormed, err := r.document(l, &ledger.Documents[i])
		if err != nil {
			return false, fmt.Errorf("%s: %w", ledger.Documents[i].Path, err)
		}
		again = again || !wellFormed
	}
	if again {
		return true, nil
	}
	if err := l.store.Finish(); err != nil {
		return false, err
	}
	slices.SortStableFunc(ledger.Documents, func(a, b store.Document) int { return strings.Compare(a.Path, b.Path) })
	return false, l.store.Commit(ledger)
}

// ordered are the files of a load in the order in which it took them. Where
// that is not recorded, captures are taken in the order of their paths.
func (r *rebuilding) ordered(recorded *store.RecordedLoad) []store.Document {
	documents := slices.Clone(recorded.Documents)
	rank := func(d store.Document) int {
		return slices.Index([]string{"", catalog.KindRegistry, catalog.KindRun, catalog.KindEvaluation, KindCapture}, d.Kind)
	}
	captures := 0
	for _, d := range documents {
		if d.Reading != nil {
			return documents
		}
		if d.Kind == KindCapture && d.Status != store.Rejected {
			captures++
		}
	}
	slices.SortStableFunc(documents, func(a, b store.Document) int { return rank(a) - rank(b) })
	if captures > 1 {
		r.out.Unsure = append(r.out.Unsure, RebuildFinding{fmt.Sprintf("load %d", recorded.ID),
			fmt.Sprintf("the order of its %d captures is not recorded; taken is that of their paths", captures)})
	}
	return documents
}

// document does again what a load did with a file. wellFormed is false where a
// capture turned out to be malformed: then the load is to be done again.
func (r *rebuilding) document(l *loading, d *store.Document) (wellFormed bool, err error) {
	switch {
	case d.Kind == KindCapture && d.Status == store.Rejected:
		return true, l.beginCapture() // its rows counted for nothing
	case d.Kind == KindCapture:
		return r.capture(l, d)
	case d.Status == store.Rejected:
		return true, nil
	case d.Kind == catalog.KindRegistry:
		return true, r.registry(l, d)
	case d.Kind == catalog.KindRun:
		return true, r.run(l, d)
	case d.Kind == catalog.KindEvaluation:
		return true, r.evaluation(l, d)
	}
	return true, nil
}

func (r *rebuilding) refuse(d *store.Document, format string, args ...any) {
	r.out.Refused = append(r.out.Refused, RebuildFinding{d.Path, fmt.Sprintf(format, args...)})
}

// parse reads a stored document. It is nil where that cannot be stored again, which is noted.
func (r *rebuilding) parse(d *store.Document) (*catalog.Document, []byte, error) {
	content, err := r.content(d.SHA256)
	if errors.Is(err, store.ErrNoContent) || errors.Is(err, errOtherContent) {
		r.refuse(d, "%s, and no file below the given paths has this digest", err)
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	doc := catalog.Parse(content, r.opts.Limits)
	if !doc.Valid() || doc.Kind != d.Kind {
		r.refuse(d, "the document %s is no longer valid: %s", d.SHA256, firstError(doc.Problems))
		return nil, nil, nil
	}
	return doc, content, nil
}

var errOtherContent = errors.New("the bytes that the database has are not of this digest")

// content returns the bytes of a document: those in the database, or, where
// these are damaged, of a file that was found.
func (r *rebuilding) content(digest string) ([]byte, error) {
	content, err := r.old.DocumentContent(r.ctx, digest)
	if err == nil && digestOf(content) != digest {
		err = fmt.Errorf("read document %s: %w", digest, errOtherContent)
	}
	if f, ok := r.found[digest]; ok && err != nil {
		return f.read(digest)
	}
	return content, err
}

func digestOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

func firstError(problems []record.Problem) string {
	for _, p := range problems {
		if p.Severity == record.Error {
			return fmt.Sprintf("%s: %s [%s]", p.Path, p.Message, p.Rule)
		}
	}
	return "it is of another kind"
}

func (r *rebuilding) registry(l *loading, d *store.Document) error {
	identity, err := r.registryPath(d)
	if err != nil || identity == "" {
		return err
	}
	doc, content, err := r.parse(d)
	if err != nil || doc == nil {
		return err
	}
	if _, err := l.store.ApplyRegistry(identity, d.SHA256, content, doc.Registry); err != nil {
		return err
	}
	r.out.Documents++
	return nil
}

// registryPath is the registry's identity, "" where it cannot be told, which is noted.
func (r *rebuilding) registryPath(d *store.Document) (string, error) {
	if d.Reading != nil {
		return d.Reading.RegistryPath, nil
	}
	paths, err := r.old.RegistryPaths(r.ctx, d.SHA256)
	if err != nil {
		return "", err
	}
	if len(paths) > 1 {
		paths = slices.DeleteFunc(paths, func(p string) bool { return p != d.Path && !strings.HasSuffix(p, "/"+d.Path) })
	}
	switch len(paths) {
	case 0:
		r.refuse(d, "no registry is recorded to have had the version %s", d.SHA256)
		return "", nil
	case 1:
		return paths[0], nil
	}
	r.out.Unsure = append(r.out.Unsure, RebuildFinding{d.Path, "the load does not tell which registry this was; taken is " + paths[0]})
	return paths[0], nil
}

func (r *rebuilding) run(l *loading, d *store.Document) error {
	as, err := r.admission(d)
	if err != nil {
		return err
	}
	r.out.Documents++
	if stored, err := l.store.Stored(d.Name, d.SHA256, as); err != nil || stored {
		return err
	}
	doc, content, err := r.parse(d)
	if err != nil || doc == nil {
		return err
	}
	_, claim, err := l.store.SaveRun(&store.RunDocument{Run: doc.Run, Content: content, SHA256: d.SHA256, As: as})
	switch {
	case errors.Is(err, store.ErrNameTaken):
		r.refuse(d, "a run of InferenceX has this name")
	case err != nil:
		return err
	case claim != nil:
		r.refuse(d, "%s", claimMessage(doc.Run, claim))
	}
	return nil
}

func (r *rebuilding) evaluation(l *loading, d *store.Document) error {
	r.out.Documents++
	doc, content, err := r.parse(d)
	if err != nil || doc == nil {
		return err
	}
	_, err = l.store.SaveEvaluationRun(&store.EvaluationRunDocument{Evaluation: doc.Evaluation, Content: content, SHA256: d.SHA256})
	if errors.Is(err, store.ErrNameTaken) || errors.Is(err, store.ErrMeasured) {
		r.refuse(d, "%s", err)
		return nil
	}
	return err
}

// admission is as what the run was judged. Where that is not recorded it is
// how the run is admitted now; of a version that is not in effect nothing depends on it.
func (r *rebuilding) admission(d *store.Document) (store.Admission, error) {
	if d.Reading != nil && d.Reading.As != "" {
		return d.Reading.As, nil
	}
	as, ok := r.admitted[d.SHA256]
	if !ok {
		var err error
		if as, err = r.old.AdmittedAs(r.ctx, d.SHA256); err != nil {
			return "", err
		}
		if as == "" {
			as = store.AsFile
		}
		r.admitted[d.SHA256] = as
	}
	return as, nil
}

func (r *rebuilding) capture(l *loading, d *store.Document) (wellFormed bool, err error) {
	before := len(d.Problems)
	d.Problems = slices.DeleteFunc(slices.Clone(d.Problems), func(p record.Problem) bool { return p.Rule == RuleMissing })
	f, ok := r.found[d.SHA256]
	if !ok {
		r.out.Missing = append(r.out.Missing, RebuildFinding{d.Path, fmt.Sprintf("sha256 %s, %d bytes", d.SHA256, d.Size)})
		d.Problems = append(d.Problems, record.Problem{Severity: record.Warning, Rule: RuleMissing,
			Message: "not found when the database was rebuilt: what only this file reported is not here"})
		return true, l.beginCapture()
	}
	if len(d.Problems) < before {
		r.out.Unsure = append(r.out.Unsure, RebuildFinding{d.Path, r.old.Path() + " was itself rebuilt without it; it is there now"})
	}
	s := source{path: f.path, printed: d.Path, kind: f.kind, group: r.artifactGroup(d, f), name: path.Base(filepath.ToSlash(d.Path))}
	if d.Reading != nil {
		s.operation = d.Reading.Operation
	}
	if wellFormed, err = l.loadCapture(s); err != nil {
		return false, err
	}
	if got := l.documents[len(l.documents)-1].SHA256; got != d.SHA256 {
		return false, fmt.Errorf("read %s: it has changed since it was found: its digest was %s and is %s", f.path, d.SHA256, got)
	}
	switch {
	case wellFormed:
		d.Runs = l.documents[len(l.documents)-1].runs
		r.out.Captures++
	case l.malformed[f.path]: // found out before: none of its rows was stored
		r.refuse(d, "%s is refused by this program", f.path)
	default:
		l.malformed[f.path] = true
		return false, nil
	}
	return true, nil
}

// artifactGroup is the directory that grouped raw artifacts. Where the ledger
// does not tell, it is that of the path as printed, or of the place where the file is now.
func (r *rebuilding) artifactGroup(d *store.Document, f foundFile) string {
	if d.Reading != nil {
		return d.Reading.ArtifactGroup
	}
	if printed := artifactGroup(filepath.FromSlash(d.Path)); strings.Count(d.Path, "/") >= 2 {
		return printed
	}
	return artifactGroup(f.path)
}
