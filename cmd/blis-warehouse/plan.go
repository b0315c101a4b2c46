package main

import (
	"context"
	"io"
	"strings"

	"github.com/inference-sim/blis-warehouse/store"
)

// planHelp explains --explain in the help of commands that have it.
const planHelp = `--explain runs nothing: it prints how SQLite would run the statement, each step
under the one that it is part of. SCAN reads all rows, SEARCH finds some by an
index. Parameters need no values then.`

// printPlan prints how SQLite would run a statement.
func printPlan(ctx context.Context, env *environment, r *store.Reader, text string, out *rowOutput) error {
	steps, err := r.Plan(ctx, text)
	if err != nil {
		return err
	}
	if out.format == "table" {
		return out.write(env, r.Path(), func(w io.Writer) error {
			_, err := io.WriteString(w, planTree(steps))
			return err
		})
	}
	rows := make([][]any, len(steps))
	for i, s := range steps {
		rows[i] = []any{s.ID, s.Parent, s.Detail}
	}
	return out.print(env, r.Path(), []string{"id", "parent", "detail"}, rowsOf(rows))
}

// planTree draws the steps of a plan.
func planTree(steps []store.PlanStep) string {
	children := map[int64][]store.PlanStep{}
	known := map[int64]bool{}
	for _, s := range steps {
		known[s.ID] = true
	}
	for _, s := range steps {
		parent := s.Parent
		if !known[parent] || parent == s.ID {
			parent = 0
		}
		children[parent] = append(children[parent], s)
	}
	var b strings.Builder
	b.WriteString("plan\n")
	var draw func(parent int64, indent string)
	draw = func(parent int64, indent string) {
		steps := children[parent]
		delete(children, parent) // no step is drawn twice
		for i, s := range steps {
			branch, below := "├─ ", "│  "
			if i == len(steps)-1 {
				branch, below = "└─ ", "   "
			}
			b.WriteString(indent + branch + printable(s.Detail) + "\n")
			if s.ID != 0 {
				draw(s.ID, indent+below)
			}
		}
	}
	draw(0, "")
	return b.String()
}
