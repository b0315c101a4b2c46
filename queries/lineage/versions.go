package lineage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/inference-sim/blis-warehouse/loader/catalog"
	"github.com/inference-sim/blis-warehouse/queries/difference"
	"github.com/inference-sim/blis-warehouse/store"
	"github.com/inference-sim/blis-warehouse/store/record"
)

// Version is a document that was a run's for a time: from the load that made
// it so until another took its place. A document that came back is a version
// again.
type Version struct {
	SHA256   string
	InEffect bool
	First    Reading   // the load that brought it; zero where the ledger has none
	Readings []Reading // every reading of these bytes while it was in effect, First included
	Verdict  *store.Verdict
	// Problems are the errors that its bytes have under today's rules. Then it
	// has no verdict, and no changes can be told to or from it.
	Problems []record.Problem
	Changes  []Change // from the version before; nil for the first
	Compared bool     // Changes were told: both this version and the one before can be read
}

// Reading is a load that read a version's bytes from a file.
type Reading struct {
	Load     int64  // loads.load_id
	LoadedAt string // RFC 3339 in UTC
	Path     string // as the load printed it
}

// Versions reads the versions of a run in the order of the loads, whose bytes
// the warehouse keeps. Each is read by today's rules, and its verdict computed
// under the licences in effect now, by the views that give any run its verdict:
// they are asked in a database in memory. Nothing for a run without documents.
func Versions(ctx context.Context, r *store.Reader, run string, limits catalog.Limits) ([]Version, error) {
	versions, err := readings(ctx, r, run)
	if err != nil || len(versions) == 0 {
		return nil, err
	}
	judge, err := newJudge(ctx, r)
	if err != nil {
		return nil, err
	}
	defer judge.close()
	var before *state
	for i := range versions {
		v := &versions[i]
		doc, err := judge.read(run, v.SHA256, limits)
		if err != nil {
			return nil, err
		}
		if doc.Run == nil && doc.Evaluation == nil {
			v.Problems, before = errorsOf(doc), nil
			continue
		}
		if v.Verdict, err = judge.verdict(doc, v.SHA256); err != nil {
			return nil, err
		}
		now := stateOf(doc, v.Verdict)
		if before != nil {
			fields := append(difference.Between(before.run, now.run), evaluationFields(before.evaluation, now.evaluation)...)
			v.Compared, v.Changes = true, changes(before, now, fields)
		}
		before = now
	}
	return versions, nil
}

// readings groups what the ledger says of a run's documents into versions. In
// one load all documents of a name have the same bytes, or none is stored.
func readings(ctx context.Context, r *store.Reader, run string) ([]Version, error) {
	var versions []Version
	inEffect := map[string]bool{}
	err := rows(ctx, r, "run-versions", map[string]any{"run": run}, func(row []any) {
		reading := Reading{Load: whole(row[0]), LoadedAt: text(row[1]), Path: text(row[2])}
		status, digest, kept := text(row[3]), text(row[4]), whole(row[6]) == 1
		if status == string(store.Rejected) || !kept {
			return
		}
		inEffect[digest] = whole(row[7]) == 1
		if n := len(versions); n > 0 && versions[n-1].SHA256 == digest {
			versions[n-1].Readings = append(versions[n-1].Readings, reading)
			return
		}
		v := Version{SHA256: digest, First: reading}
		if reading.Load != 0 {
			v.Readings = []Reading{reading}
		}
		versions = append(versions, v)
	})
	if err != nil {
		return nil, err
	}
	// The version in effect is the last time that its bytes became the run's.
	for i := len(versions) - 1; i >= 0; i-- {
		if inEffect[versions[i].SHA256] {
			versions[i].InEffect = true
			break
		}
	}
	return versions, nil
}

// stateOf is what a version states. An evaluation run is written as a run whose
// metrics have no definition.
func stateOf(doc *catalog.Document, v *store.Verdict) *state {
	if doc.Run != nil {
		return &state{run: doc.Run, verdict: *v}
	}
	e := doc.Evaluation
	run := &record.Run{Name: e.Name, EngineVersion: e.EngineVersion, Client: record.Client{Harness: e.Harness, HarnessVersion: e.HarnessVersion}}
	for i := range e.Points {
		p := &e.Points[i]
		point := record.Point{ID: fmt.Sprint("c", p.Concurrency), Concurrency: &p.Concurrency, Completed: p.CompletedRequests, MeanISL: p.MeanISL, MeanOSL: p.MeanOSL,
			KVUtilization: p.KVUtilization, PrefixHitRate: p.PrefixCacheHitRate, Preemptions: p.Preemptions}
		point.Metrics = evaluationValues(p)
		run.Points = append(run.Points, point)
	}
	return &state{run: run, evaluation: e, verdict: *v}
}

// evaluationValues are the means of a point of an evaluation run that it states,
// as metrics of the names that its document gives them.
func evaluationValues(p *record.EvaluationPoint) []record.Value {
	var values []record.Value
	for _, m := range []struct {
		name  string
		value *float64
	}{
		{"output_tokens_per_sec", p.OutputTokensPerSec}, {"input_tokens_per_sec", p.InputTokensPerSec},
		{"ttft_ms", p.TTFTMs}, {"itl_ms", p.ITLMs}, {"e2e_ms", p.E2EMs},
	} {
		if m.value != nil {
			values = append(values, record.Value{Metric: m.name, Value: *m.value})
		}
	}
	return values
}

// evaluationFields are the changes of what only an evaluation run states, nil
// for another run.
func evaluationFields(before, after *record.EvaluationRun) (all []difference.Change) {
	var none record.EvaluationRun
	if before == nil {
		before = &none
	}
	if after == nil {
		after = &none
	}
	for _, f := range []struct{ path, before, after string }{{"scenario", before.Scenario, after.Scenario}, {"date", before.Date, after.Date}} {
		if f.before != f.after {
			all = append(all, difference.Change{Kind: difference.Field, Path: f.path, Before: stated(f.before), After: stated(f.after)})
		}
	}
	return all
}

// stated is a string, nil where it is not stated.
func stated(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// errorsOf are the errors of a document; one that is no run without errors has
// the wrong kind.
func errorsOf(doc *catalog.Document) []record.Problem {
	var all []record.Problem
	for _, p := range doc.Problems {
		if p.Severity == record.Error {
			all = append(all, p)
		}
	}
	if len(all) == 0 {
		all = append(all, record.Problem{Severity: record.Error, Path: "kind", Message: "the document is neither " + catalog.KindRun + " nor " + catalog.KindEvaluation})
	}
	return all
}

// judge computes verdicts of documents that are not in effect: it stores them
// in a database of its own, with the licences that are in effect in the
// warehouse, and asks that database.
type judge struct {
	ctx     context.Context
	r       *store.Reader
	scratch *store.Writer
}

func newJudge(ctx context.Context, r *store.Reader) (*judge, error) {
	scratch, err := store.OpenMemory(ctx)
	if err != nil {
		return nil, err
	}
	return &judge{ctx, r, scratch}, nil
}

func (j *judge) close() { j.scratch.Close() }

// read parses the kept bytes of a version.
func (j *judge) read(run, sha256 string, limits catalog.Limits) (*catalog.Document, error) {
	var content []byte
	found := false
	err := rows(j.ctx, j.r, "version-contents", map[string]any{"run": run, "sha256": sha256}, func(row []any) {
		b, _ := row[0].([]byte)
		content, found = append([]byte(nil), b...), true
	})
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, fmt.Errorf("version %s of %s: its bytes are not kept", sha256, run)
	}
	return catalog.Parse(content, limits), nil
}

// verdict is the verdict of a document's run under the licence it cites as that
// is in effect now. What the run states itself plays no part.
func (j *judge) verdict(doc *catalog.Document, sha256 string) (*store.Verdict, error) {
	l, err := j.scratch.Begin(j.ctx)
	if err != nil {
		return nil, err
	}
	defer l.Rollback()
	if e := doc.Evaluation; e != nil {
		if _, err := l.SaveEvaluationRun(&store.EvaluationRunDocument{Evaluation: e, SHA256: sha256, Content: []byte{}}); err != nil {
			return nil, err
		}
		return l.Verdict(e.Name)
	}
	return j.runVerdict(l, doc.Run, sha256)
}

func (j *judge) runVerdict(l *store.Load, run *record.Run, sha256 string) (*store.Verdict, error) {
	licence, withdrawn, err := j.licence(run.Source.LicenseRef)
	if err != nil {
		return nil, err
	}
	if licence != nil {
		if err := apply(l, licence); err != nil {
			return nil, err
		}
	}
	unstated := *run
	unstated.Verdict, unstated.Resolution = "", ""
	_, claim, err := l.SaveRun(&store.RunDocument{Run: &unstated, SHA256: sha256, Content: []byte{}, As: store.AsFile})
	if err != nil {
		return nil, err
	}
	if claim != nil {
		return nil, errors.New("a run that states no verdict was refused for the one it states")
	}
	if withdrawn { // its registry drops the entry while the run cites it
		if err := apply(l); err != nil {
			return nil, err
		}
	}
	return l.Verdict(run.Name)
}

// apply puts a registry with the given entries into effect, in place of the one before.
func apply(l *store.Load, entries ...*record.Licence) error {
	var registry record.Registry
	for _, e := range entries {
		registry.Sources = append(registry.Sources, *e)
	}
	_, err := l.ApplyRegistry("licences in effect", fmt.Sprint(len(entries)), []byte{}, &registry)
	return err
}

// licence is the entry of a licence in effect, nil where no registry has it.
func (j *judge) licence(id string) (entry *record.Licence, withdrawn bool, err error) {
	var permits string
	err = rows(j.ctx, j.r, "licence", map[string]any{"licence": id}, func(row []any) {
		entry = &record.Licence{ID: id, Title: text(row[0]), License: text(row[1]), Status: text(row[2]), Note: text(row[3])}
		withdrawn, permits = whole(row[4]) == 1, text(row[5])
	})
	if err != nil || entry == nil {
		return nil, false, err
	}
	return entry, withdrawn, json.Unmarshal([]byte(permits), &entry.Permits)
}
