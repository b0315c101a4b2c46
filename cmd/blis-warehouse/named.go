package main

import (
	"context"
	"fmt"

	"github.com/inference-sim/blis-warehouse/queries"
	"github.com/inference-sim/blis-warehouse/store"
)

// result is the whole result of a named query, for commands that print it in a form of their own.
type result struct {
	columns []string
	rows    [][]any
}

// runNamed runs a named query of the program and collects its rows.
func runNamed(ctx context.Context, r *store.Reader, name string, params map[string]any) (*result, error) {
	q, ok := queries.Get(name)
	if !ok {
		return nil, fmt.Errorf("the program has no query %s", name)
	}
	return collect(ctx, r, q, params)
}

// startNamed runs a named query of the program; the caller reads and closes its rows.
func startNamed(ctx context.Context, r *store.Reader, name string, params map[string]any) (*store.Rows, error) {
	q, ok := queries.Get(name)
	if !ok {
		return nil, fmt.Errorf("the program has no query %s", name)
	}
	rows, err := r.Query(ctx, q.Text, params)
	if err != nil {
		return nil, fmt.Errorf("query %s: %w", name, err)
	}
	return rows, nil
}

func collect(ctx context.Context, r *store.Reader, q queries.Query, params map[string]any) (*result, error) {
	rows, err := r.Query(ctx, q.Text, params)
	if err != nil {
		return nil, fmt.Errorf("query %s: %w", q.Name, err)
	}
	defer rows.Close()
	res := &result{columns: rows.Columns()}
	for row, err := range rows.All() {
		if err != nil {
			return nil, fmt.Errorf("query %s: %w", q.Name, err)
		}
		res.rows = append(res.rows, append([]any(nil), row...))
	}
	return res, nil
}

// text is the value of a column of a row as text, "" for NULL.
func (res *result) text(row []any, column string) string {
	for i, c := range res.columns {
		if c == column {
			if row[i] == nil {
				return ""
			}
			return fmt.Sprint(row[i])
		}
	}
	return ""
}
