package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inference-sim/blis-warehouse/queries"
	"github.com/inference-sim/blis-warehouse/queries/statement"
	"github.com/inference-sim/blis-warehouse/store"
)

// suggestion is what may have been meant in a statement that failed, to be
// appended to the message; it is empty when nothing is near.
func suggestion(e *store.QueryError) string {
	switch {
	case e.Choices != nil:
		return "; say which: " + strings.Join(e.Choices, " or ")
	case e.Unknown == "":
		return misspelt(e)
	}
	if _, ok := queries.Get(e.Unknown); ok && strings.HasPrefix(e.Message, "no such table") {
		return fmt.Sprintf("; it is a named query, which is run by its name: query %s", e.Unknown)
	}
	text := didYouMean(e.Unknown, e.Known)
	if len(e.Elsewhere) > 0 {
		const most = 4
		owners := strings.Join(e.Elsewhere[:min(most, len(e.Elsewhere))], ", ")
		if n := len(e.Elsewhere) - most; n > 0 {
			owners += fmt.Sprintf(" and %d more", n)
		}
		return "; it is a column of " + owners
	}
	if text == "" && strings.HasPrefix(e.Message, "no such table") {
		return didYouMean(e.Unknown, queryNames())
	}
	return text
}

// keywords are the words of SQL that a reading statement is made of.
func keywords() []string {
	return []string{"SELECT", "DISTINCT", "FROM", "WHERE", "GROUP", "BY", "HAVING", "ORDER", "LIMIT", "OFFSET", "WITH", "RECURSIVE", "AS", "JOIN", "LEFT", "RIGHT",
		"FULL", "INNER", "OUTER", "CROSS", "NATURAL", "ON", "USING", "UNION", "ALL", "EXCEPT", "INTERSECT", "VALUES", "AND", "OR", "NOT", "IN", "IS", "NULL",
		"LIKE", "GLOB", "BETWEEN", "EXISTS", "CASE", "WHEN", "THEN", "ELSE", "END", "CAST", "ASC", "DESC", "NULLS", "FIRST", "LAST", "COLLATE", "ESCAPE",
		"OVER", "PARTITION", "WINDOW", "FILTER", "ROWS", "RANGE", "PRECEDING", "FOLLOWING", "UNBOUNDED", "CURRENT", "ROW", "EXPLAIN", "PRAGMA"}
}

// misspelt asks, for a syntax error, whether the word at the error or the one
// before it should be a keyword: SQLite takes a misspelt FROM for an alias, and
// stumbles over what follows it.
func misspelt(e *store.QueryError) string {
	if !strings.HasSuffix(e.Message, ": syntax error") || e.Offset < 0 {
		return ""
	}
	var words []string // the one before the error, then the one at it
	for tok := range statement.Tokens(e.SQL) {
		if tok.Start > e.Offset {
			break
		}
		if tok.Kind == statement.Word {
			words = append(words, e.SQL[tok.Start:tok.End])
		} else if tok.Kind != statement.Space {
			words = append(words, "")
		}
	}
	for _, word := range words[max(0, len(words)-2):] {
		if len(word) < 3 || slices.Contains(keywords(), strings.ToUpper(word)) {
			continue
		}
		for _, k := range keywords() {
			if distance(strings.ToUpper(word), k) == 1 && len(k) > 2 {
				return fmt.Sprintf("; did you mean %s where it says %s?", k, quote(word))
			}
		}
	}
	return ""
}
