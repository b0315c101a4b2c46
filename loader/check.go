package loader

import (
	"context"
	"errors"

	"github.com/inference-sim/blis-warehouse/loader/catalog"
	"github.com/inference-sim/blis-warehouse/store"
	"github.com/inference-sim/blis-warehouse/store/record"
)

// CheckDocuments reads the documents that the database at path keeps again and
// compares what is stored with what they say, see store.CheckDocuments.
func CheckDocuments(ctx context.Context, path string, limits catalog.Limits) ([]store.Finding, error) {
	return store.CheckDocuments(ctx, path, store.DocumentReader{
		Licences: []record.Licence{inferenceXLicence},
		Parse: func(content []byte) (store.Stated, error) {
			doc := catalog.Parse(content, limits)
			if !doc.Valid() {
				return store.Stated{}, errors.New(firstError(doc.Problems))
			}
			return store.Stated{Run: doc.Run, Evaluation: doc.Evaluation, Registry: doc.Registry}, nil
		},
	})
}
