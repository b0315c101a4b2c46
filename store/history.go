package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// RecordedLoad is a load as the ledger has it. What it stored of documents is
// in document_contents; of captures only the digests are kept.
type RecordedLoad struct {
	Ledger
	ID int64
}

// RecordedLoads are the keys of the loads in the ledger, in their order.
func (r *Reader) RecordedLoads(ctx context.Context) ([]int64, error) {
	var ids []int64
	err := r.each(ctx, `SELECT load_id FROM loads ORDER BY load_id`, nil, func(v []any) error {
		ids = append(ids, v[0].(int64))
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the ledger: %w", err)
	}
	return ids, nil
}

// RecordedLoad returns a load with its files in the order in which it took
// them; where that is not recorded, in the order in which they are recorded.
func (r *Reader) RecordedLoad(ctx context.Context, id int64) (*RecordedLoad, error) {
	l, err := r.recordedLoad(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("read load %d of the ledger: %w", id, err)
	}
	return l, nil
}

func (r *Reader) recordedLoad(ctx context.Context, id int64) (*RecordedLoad, error) {
	l := &RecordedLoad{ID: id}
	load := map[string]any{"load": id}
	err := r.each(ctx, `SELECT loaded_at, tool, local FROM loads WHERE load_id = :load`, load, func(v []any) (err error) {
		l.Tool, l.Local = textOf(v[1]), v[2] == int64(1)
		l.LoadedAt, err = time.Parse(time.RFC3339, textOf(v[0]))
		return err
	})
	if err != nil {
		return nil, err
	}
	if l.Captures, err = r.recordedCaptures(ctx, id); err != nil {
		return nil, err
	}
	byID := map[int64]int{}
	err = r.each(ctx, `
		SELECT d.document_id, d.path, d.kind, d.name, d.sha256, d.size, d.status, g.position, g.admitted_as, g.registry_path, g.artifact_group, g.operation
		FROM documents d LEFT JOIN document_readings g ON g.document_id = d.document_id
		WHERE d.load_id = :load ORDER BY g.position, d.document_id`, load, func(v []any) error {
		d := Document{Path: textOf(v[1]), Kind: textOf(v[2]), Name: textOf(v[3]), SHA256: textOf(v[4]), Size: v[5].(int64), Status: Status(textOf(v[6]))}
		if position, ok := v[7].(int64); ok {
			d.Reading = &Reading{Position: int(position), As: Admission(textOf(v[8])), RegistryPath: textOf(v[9]), ArtifactGroup: textOf(v[10]), Operation: textOf(v[11])}
		}
		byID[v[0].(int64)] = len(l.Documents)
		l.Documents = append(l.Documents, d)
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = r.each(ctx, `
		SELECT p.document_id, p.severity, p.path, p.line, p.rule, p.message
		FROM documents d JOIN problems p ON p.document_id = d.document_id WHERE d.load_id = :load ORDER BY p.document_id, p.position`,
		load, func(v []any) error {
			line, _ := v[3].(int64)
			d := &l.Documents[byID[v[0].(int64)]]
			d.Problems = append(d.Problems, record.Problem{
				Severity: textOf(v[1]), Path: textOf(v[2]), Line: int(line), Rule: textOf(v[4]), Message: textOf(v[5]),
			})
			return nil
		})
	return l, err
}

// RecordedCaptures calls each for the digest and size of every file of
// InferenceX that some load stored rows of.
func (r *Reader) RecordedCaptures(ctx context.Context, each func(sha256 string, size int64)) error {
	err := r.each(ctx, `SELECT DISTINCT sha256, size FROM documents WHERE kind = 'InferenceX' AND status <> 'rejected' AND sha256 IS NOT NULL ORDER BY 1`, nil,
		func(v []any) error {
			each(textOf(v[0]), v[1].(int64))
			return nil
		})
	if err != nil {
		return fmt.Errorf("read the ledger: %w", err)
	}
	return nil
}

// ErrNoContent is a document whose bytes are not in the database.
var ErrNoContent = errors.New("the database does not have the document's bytes")

// DocumentContent returns the bytes that are stored under a digest, whatever
// their digest is now. There being none is ErrNoContent.
func (r *Reader) DocumentContent(ctx context.Context, sha256 string) (content []byte, err error) {
	found := false
	err = r.each(ctx, `SELECT content FROM document_contents WHERE sha256 = :sha256`, map[string]any{"sha256": sha256}, func(v []any) error {
		found = true
		content, _ = v[0].([]byte) // the driver's copy
		return nil
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("read document %s: %w", sha256, err)
	case !found:
		return nil, fmt.Errorf("read document %s: %w", sha256, ErrNoContent)
	}
	return content, nil
}

// AdmittedAs returns how the run of a document that is in effect is admitted,
// "" where the document is of no run, or not in effect.
func (r *Reader) AdmittedAs(ctx context.Context, sha256 string) (as Admission, err error) {
	err = r.each(ctx, `SELECT admitted_as FROM runs WHERE document_sha256 = :sha256`, map[string]any{"sha256": sha256}, func(v []any) error {
		as = Admission(textOf(v[0]))
		return nil
	})
	return as, err
}

// RegistryPaths returns the paths of the registries that had a version at some time, sorted.
func (r *Reader) RegistryPaths(ctx context.Context, sha256 string) (paths []string, err error) {
	err = r.each(ctx, `SELECT path FROM registry_versions WHERE sha256 = :sha256 ORDER BY path`, map[string]any{"sha256": sha256}, func(v []any) error {
		paths = append(paths, textOf(v[0]))
		return nil
	})
	return paths, err
}

// each calls each for the rows of a statement of our own.
func (r *Reader) each(ctx context.Context, sql string, params map[string]any, each func([]any) error) error {
	rows, err := r.Query(ctx, sql, params)
	if err != nil {
		return err
	}
	for values, err := range rows.All() {
		if err != nil {
			return err
		}
		if err := each(values); err != nil {
			return err
		}
	}
	return nil
}

func textOf(v any) string {
	s, _ := v.(string)
	return s
}
