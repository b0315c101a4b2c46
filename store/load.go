package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// Status is what became of a document.
type Status string

// The statuses of a document.
const (
	Added     Status = "added"     // stored for the first time
	Updated   Status = "updated"   // replaced or completed what was stored
	Unchanged Status = "unchanged" // was stored already
	Rejected  Status = "rejected"  // refused
	Partial   Status = "partial"   // a capture of which some rows were refused
)

// Load is one load: a single transaction over everything that a command reads.
// Either all of it is committed or nothing is.
type Load struct {
	session *session   // see own
	storing chan error // ends the storing of incoming rows beside the load, nil where there is none
	failed  error      // what that ended with
	ctx     context.Context
	w       *Writer

	definitionSets map[string]int64 // keys by digest
	finder         *duplicateFinder // nil before the first content
	judge          *judge           // nil before the first InferenceX run
	late           []lateIndex      // indexes to be made when the rows are in
	flagged        []int64          // the flagged points, sorted, nil before they are asked for

	inferencex *inferencexState   // nil before the first row
	touched    map[int64]bool     // runs whose content may have changed
	stale      map[int64]bool     // contents that may have lost their last run
	references bool               // some duplicate_of or supersedes may have changed
	parts      map[tablePart]bool // whose digests have to be made anew
}

// Begin starts a load. Every method of the load works under ctx.
func (w *Writer) Begin(ctx context.Context) (*Load, error) {
	if err := w.useLog(ctx); err != nil {
		return nil, err
	}
	var tx *sql.Tx
	err := retryBusy(ctx, w.timeout, func() (err error) {
		// Were the transaction bound to ctx, its end would roll back in the
		// background, and the program could end in the middle of that.
		tx, err = w.db.BeginTx(context.WithoutCancel(ctx), nil)
		return err
	})
	if isBusy(err) {
		return nil, w.waitedForWriter()
	}
	if err != nil {
		return nil, fmt.Errorf("begin the load into %s: %w", w.path, err)
	}
	return &Load{
		session: &session{tx: tx, ctx: ctx, db: w.db, stmts: map[string]*sql.Stmt{}}, ctx: ctx, w: w,
		definitionSets: map[string]int64{},
		touched:        map[int64]bool{},
		stale:          map[int64]bool{},
		parts:          map[tablePart]bool{},
	}, nil
}

// Rollback undoes the load. After a commit it does nothing.
func (l *Load) Rollback() {
	_ = l.await() // its error is told by what needs the session
	l.session.tx.Rollback()
}

// Document is a file that a load read, for the ledger.
type Document struct {
	Path     string // as printed
	Kind     string // "" where it could not be told
	Name     string // the run's name, or ""
	SHA256   string // "" where it was not read whole
	Size     int64
	Status   Status
	Problems []record.Problem
	Reading  *Reading      // nil where it is not known
	Runs     map[int64]int // of a capture: as CaptureRuns
	Rows     *CaptureRows  // of a capture, nil where they are not known
}

// Reading is how a load read a file, as far as the file itself does not tell.
type Reading struct {
	Position      int       // in the order in which the load took its files, from 0
	As            Admission // of a run document, "" for other kinds
	RegistryPath  string    // absolute, of a licence registry, "" for other kinds
	ArtifactGroup string    // the directory that groups raw artifacts into runs, "" for documents and dumps
	Operation     string    // of the InferenceX API, as which the ledger of its folder had the file read, "" where the file tells
}

// Ledger is what a committed load is recorded with.
type Ledger struct {
	LoadedAt  time.Time
	Tool      string
	Local     bool
	Documents []Document
	Captures  []record.InferenceXCapture // requests that ledgers of captured folders tell of
}

// Finish brings everything that is derived from the stored facts up to date.
// Verdicts, which are views, need no Finish.
func (l *Load) Finish() error {
	for _, step := range []struct {
		name string
		run  func() error
	}{
		{"store the last rows", l.endCaptures},
		{"complete the InferenceX runs", l.finishInferenceX},
		{"order the runs of lines", l.updateSuccessors},
		{"flag what is implausible", l.updateFlags},
		{"drop withdrawn licences", l.dropWithdrawn},
		{"find duplicates", l.updateContents},
		{"connect references", l.connectReferences},
		{"drop unused definitions", l.dropUnusedDefinitions},
		{"digest the InferenceX runs", l.digestTouched},
		{"add up their digests", l.digestAllRuns},
		{"digest what belongs to no run", l.digestParts},
	} {
		if err := step.run(); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
	}
	return nil
}

// Commit writes the ledger and commits. Finish comes before it.
func (l *Load) Commit(ledger Ledger) error {
	if err := l.writeLedger(ledger); err != nil {
		return fmt.Errorf("write the ledger: %w", err)
	}
	if !l.w.log && l.w.path != "" { // the commit needs a moment without readers
		if _, err := l.session.tx.ExecContext(l.ctx, "PRAGMA "+busyPragma(l.w.timeout)); err != nil {
			return fmt.Errorf("commit the load: %w", err)
		}
	}
	if err := l.session.tx.Commit(); err != nil {
		if isBusy(err) {
			return fmt.Errorf("commit the load: another process kept reading the database for longer than the busy timeout; nothing was stored: %w", err)
		}
		return fmt.Errorf("commit the load: %w", err)
	}
	return nil
}

func (l *Load) writeLedger(ledger Ledger) error {
	at := ledger.LoadedAt.UTC().Format(time.RFC3339)
	loadID, err := l.insert(
		`INSERT INTO loads (loaded_at, tool, local) VALUES (?, ?, ?)`,
		at, ledger.Tool, ledger.Local)
	if err != nil {
		return err
	}
	if err := l.saveCaptures(loadID, ledger.Captures); err != nil {
		return err
	}
	for _, d := range ledger.Documents {
		id, err := l.insert(`
			INSERT INTO documents (load_id, path, kind, name, sha256, size, status, loaded_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
			loadID, d.Path, text(d.Kind), text(d.Name), text(d.SHA256), d.Size, string(d.Status), at)
		if err != nil {
			return err
		}
		for i, p := range d.Problems {
			_, err := l.exec(`
				INSERT INTO problems (document_id, position, severity, path, line, rule, message)
				VALUES (?, ?, ?, ?, ?, ?, ?)`,
				id, i, p.Severity, p.Path, number(p.Line), p.Rule, p.Message)
			if err != nil {
				return err
			}
		}
		if err := l.saveCaptureRuns(id, d.Runs); err != nil {
			return err
		}
		if err := l.saveCaptureRows(id, d.Rows); err != nil {
			return err
		}
		if d.Reading == nil {
			continue
		}
		_, err = l.exec(`INSERT INTO document_readings (document_id, position, admitted_as, registry_path, artifact_group, operation) VALUES (?, ?, ?, ?, ?, ?)`,
			id, d.Reading.Position, text(string(d.Reading.As)), text(d.Reading.RegistryPath), text(d.Reading.ArtifactGroup), text(d.Reading.Operation))
		if err != nil {
			return err
		}
	}
	return nil
}

// saveCaptureRuns records which runs a capture changed, those that are still
// there: one that lost its last point to another directory's is gone.
func (l *Load) saveCaptureRuns(document int64, runs map[int64]int) error {
	changed := slices.Sorted(maps.Keys(runs))
	return l.feed(`
		INSERT INTO inferencex_capture_runs (run_id, document_id, rows)
		SELECT c0, c1, c2 FROM temp.feed CROSS JOIN runs ON run_id = c0`,
		len(changed), func(i, column int) driver.Value {
			switch column {
			case 0:
				return changed[i]
			case 1:
				return document
			}
			return int64(runs[changed[i]])
		})
}

// text is NULL for "", which records use for "not stated".
func text(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// number is NULL for 0, for fields where 0 stands for unknown.
func number[T int | int64](n T) any {
	if n == 0 {
		return nil
	}
	return int64(n)
}

// optional is NULL for nil, else the value pointed to. Booleans become 0 or 1.
func optional[T int64 | float64 | bool](p *T) any {
	if p == nil {
		return nil
	}
	if b, ok := any(*p).(bool); ok {
		if b {
			return int64(1)
		}
		return int64(0)
	}
	return *p
}

// saveContent keeps the bytes of a document, once.
func (l *Load) saveContent(sha256 string, content []byte) error {
	_, err := l.exec(`INSERT INTO document_contents (sha256, content) VALUES (?, ?) ON CONFLICT DO NOTHING`, sha256, content)
	return err
}
